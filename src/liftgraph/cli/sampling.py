"""The command ``liftgraph sample``: independent assignments, or relations of synthetic data."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from liftgraph.cli.evidence import read_evidence, read_interventions
from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_command,
    add_inference,
    add_interventions,
    add_model,
)
from liftgraph.cli.output import print_notes, show, show_table, unless_none
from liftgraph.cli.progress import reporting
from liftgraph.cli.questions import given_options
from liftgraph.cli.reading import read_model
from liftgraph.errors import InputError, reason
from liftgraph.inference.contradiction import contradictions_named
from liftgraph.inference.sample import checked_seed, draw, plan_samples
from liftgraph.model.answers.sample import Sample, assignments, relation
from liftgraph.model.causal import about_variables_of, intervened
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.lifting.lift import lift

_SUFFIXES = ".csv, .csv.gz, .json, .json.gz or .parquet"


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "sample",
        "independent samples of all variables given evidence",
        f"{EXAMPLE} -n 1000 --seed 1 --given Epid=true -o people.csv",
    )
    add_model(command)
    command.add_argument(
        "-n",
        "--samples",
        metavar="N",
        type=_natural,
        default=1,
        help="how many samples to draw (default: 1)",
    )
    command.add_argument(
        "--seed",
        metavar="S",
        type=_natural,
        help="samples with the same seed are the same (default: a new one, which is printed)",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"write to a file, {_SUFFIXES} (default: print CSV); or, with --tables, to a folder",
    )
    relations = command.add_mutually_exclusive_group()
    relations.add_argument(
        "--table",
        metavar="PRV",
        help="a line for each variable of a PRV, with its individuals, instead of a line for each"
        " sample; factor graphs are lifted for it",
    )
    relations.add_argument(
        "--tables",
        action="store_true",
        help="such a table for each PRV, written to the folder -o as PRV.csv",
    )
    add_inference(command, "csv", "json")
    add_interventions(command)
    command.set_defaults(run=sample)


def sample(options: Namespace) -> None:
    """Draw samples, and write or print them."""
    from liftgraph.data.table_files import csv_text, rows_of, write_table

    _check_output(options)
    drawn, seconds, plan = _drawn(options)
    if options.seed is None and (options.output is not None or options.format != "json"):
        print_notes([f"drawn with --seed {drawn.seed}"])
    if drawn.log_odds_bound and (options.output is not None or options.format != "json"):
        print_notes([f"log odds of samples may be off by up to {drawn.log_odds_bound:.3g}"])
    if options.tables:
        _write_tables(drawn, Path(options.output))
        return
    columns = assignments(drawn) if options.table is None else relation(drawn, options.table)
    if options.output is not None:
        write_table(columns, options.output)
    elif options.format == "json":
        show(json.dumps(_json(drawn, rows_of(columns), seconds, plan)))
    else:
        show(csv_text(columns), end="")


def _check_output(options: Namespace) -> None:
    """Refuse a wrong name before anything is read."""
    from liftgraph.data.table_files import check_table_name

    if options.tables and options.output is None:
        raise InputError("expected a folder to write to with --tables: -o FOLDER, got none")
    if options.output is not None and not options.tables:
        check_table_name(options.output)


def _drawn(options: Namespace) -> tuple[Sample, float | None, str | None]:
    """Read the model and its evidence, plan, print the plan if requested, and draw."""
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        given = read_evidence(model, options)
        given_model = model
        if interventions := read_interventions(model, options):
            model = intervened(model, interventions)
        if isinstance(model, FactorGraph) and (options.tables or options.table is not None):
            report.stage("lifting")
            model = lift(model, memory_limit=options.memory)
        report.stage("planning")
        start = time.perf_counter()
        chosen: Any = {**given_options(options), "method": options.method}
        with contradictions_named(model, {"given": given, "memory_limit": options.memory}):
            planned = plan_samples(model, given, options.exact, chosen)
            if options.explain:
                show_table(planned, file=sys.stderr)
            report.stage("computing")
            seed = checked_seed(options.seed)
            drawn = draw(model, planned, options.samples, seed, options.memory, report.done)
        drawn = about_variables_of(given_model, drawn)
        seconds = None if options.reproducible else time.perf_counter() - start
    return drawn, seconds, str(planned) if options.explain else None


def _json(
    drawn: Sample, rows: list[dict[str, Any]], seconds: float | None, plan: str | None
) -> dict[str, Any]:
    return {
        "samples": rows,
        "seed": drawn.seed,
        "method": drawn.method,
        **unless_none("log_odds_bound", drawn.log_odds_bound or None),
        **unless_none("approximate", drawn.approximate or None),
        **unless_none("seconds", seconds),
        **unless_none("plan", plan),
    }


def _write_tables(drawn: Sample, folder: Path) -> None:
    """A CSV file for each PRV, in a folder that is made if there is none."""
    from liftgraph.data.table_files import write_csv

    names = [block.prv.name for block in drawn.variables.blocks()]
    for name in names:
        if Path(name).name != name or name.startswith(".") or os.sep in name or "\\" in name:
            raise InputError(f"expected names of PRVs that can be names of files, got {name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {reason(error)}") from None
    for name in names:
        write_csv(relation(drawn, name), folder / f"{name}.csv")


def _natural(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a non-negative integer, got {text}")
    return int(text)
