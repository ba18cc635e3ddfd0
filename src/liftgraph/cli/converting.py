"""The command ``liftgraph convert``: a model in another format, and what is lost."""

from __future__ import annotations

import json
from argparse import Namespace

from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_command,
    add_json,
    add_memory,
    add_reading,
    model_file,
)
from liftgraph.cli.output import print_notes, show
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_model
from liftgraph.io import write_what_fits
from liftgraph.io.formats import suffixes


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "convert",
        "read a model in one format and write it in another; the file names say which",
        f"{EXAMPLE} epidemic.uai.gz",
    )
    command.add_argument(
        "model",
        metavar="IN",
        type=model_file,
        help=f"model to read: {', '.join(suffixes())}, or one with .gz; an example; or - for"
        " standard input",
    )
    command.add_argument("target", metavar="OUT", help="model to write")
    command.add_argument(
        "--round",
        action="store_true",
        help="write values without a finite decimal form with 17 digits, not as fractions",
    )
    add_reading(command)
    add_memory(command)
    add_json(command)
    command.set_defaults(run=convert)


def convert(options: Namespace) -> None:
    """Read a model and write it in another format, saying what that format cannot keep."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        report.stage(f"writing {options.target}")
        notes = write_what_fits(
            model, options.target, rounded=options.round, memory_limit=options.memory
        )
    if options.json:
        sizes = {"variables": model.variable_count, "factors": model.factor_count}
        files = {"source": options.model, "target": options.target}
        show(json.dumps({**files, **sizes, "notes": notes}))
    else:
        print_notes(notes)
