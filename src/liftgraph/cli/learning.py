"""The command ``liftgraph learn``: the potentials of a model, counted in tables."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from liftgraph.cli.options import (
    Commands,
    add_command,
    add_input_format,
    add_json,
    add_memory,
    model_file,
    table_file,
)
from liftgraph.cli.output import print_notes, show, show_table, unless_none
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import check_sources, path_of, read_ground
from liftgraph.io import write_what_fits
from liftgraph.io.formats import format_of

if TYPE_CHECKING:
    from liftgraph.data.learning.learnt import Learnt


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "learn",
        "learn the potentials of a model by counting in tables of observations",
        "example:asia example:patients --conditional -o learnt.json",
    )
    command.add_argument(
        "model",
        metavar="MODEL",
        type=model_file,
        help="the model to learn, or - for standard input; its tables are ignored",
    )
    command.add_argument(
        "sources",
        metavar="TABLE",
        nargs="+",
        help="observations in rows: .csv or .csv.gz, columns named after the variables; or - for"
        " standard input",
    )
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="model to write")
    command.add_argument(
        "--counts", metavar="COLUMN", help="how often each row was observed (default: once)"
    )
    command.add_argument(
        "--pseudo-count",
        metavar="N",
        default="0",
        help="added to each count, such as 1, 0.5 or 1/3 (default: 0)",
    )
    command.add_argument(
        "--conditional",
        action="store_true",
        help="relative frequencies given the parents, if the model is a Bayesian network",
    )
    add_input_format(command)
    add_memory(command)
    add_json(command)
    command.set_defaults(run=learn)


def learn(options: Namespace) -> None:
    """Learn a model, write it, and say what supports it."""
    from liftgraph.data.csv_tables import read_csv
    from liftgraph.data.learning import learn as learning
    from liftgraph.data.learning.sources import Source

    format_of(options.output)  # a wrong name is refused before anything is read
    check_sources([options.model, *options.sources])
    learn_model = learning.learn_bayesian_network if options.conditional else learning.learn
    with reporting() as report:
        report.stage(f"reading {options.model}")
        structure = read_ground(options)
        report.stage("counting")
        sources = [
            Source(
                read_csv(path_of(table_file(name)), memory_limit=options.memory),
                counts=options.counts,
                name=path_of(name),
            )
            for name in options.sources
        ]
        learnt = learn_model(structure, sources, pseudo_count=options.pseudo_count)
        report.stage(f"writing {options.output}")
        notes = write_what_fits(learnt.graph, options.output)
    if options.json:
        show(json.dumps(_entries(learnt, notes)))
    else:
        show_table(learnt)
        print_notes(notes)


def _entries(learnt: Learnt, notes: list[str]) -> dict[str, object]:
    """What was learnt, for programs; factors are named by their arguments."""
    return {
        "variables": learnt.graph.variable_count,
        "factors": learnt.graph.factor_count,
        "sources": learnt.sources,
        "unsupported": learnt.unsupported,
        "with_zeros": learnt.with_zeros,
        **unless_none("notes", notes or None),
    }
