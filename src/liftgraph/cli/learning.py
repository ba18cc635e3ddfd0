"""The command ``liftgraph learn``: the potentials of a model, counted in tables."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, Namespace
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
from liftgraph.errors import InputError
from liftgraph.io import write_what_fits
from liftgraph.io.formats import format_of

if TYPE_CHECKING:
    from liftgraph.data.learning.learnt import Learnt
    from liftgraph.data.learning.priors import BDeu


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
        help="the model to learn, or - for standard input; its tables are ignored. Or the edges of"
        " a Bayesian network: .csv or .csv.gz with columns parent and child",
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
        "--prior",
        metavar="N",
        type=parse_prior,
        default="0",
        help="added to each count, such as 1, 0.5 or 1/3, or bdeu:10 for a sample of size 10,"
        " spread evenly over each table of a Bayesian network (default: 0)",
    )
    command.add_argument(
        "--conditional",
        action="store_true",
        help="relative frequencies given the parents, if the model is a Bayesian network; edges"
        " always give one",
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
    has_edges = options.model.endswith((".csv", ".csv.gz"))
    is_network = options.conditional or has_edges
    learn_model = learning.learn_bayesian_network if is_network else learning.learn
    with reporting() as report:
        report.stage(f"reading {options.model}")
        structure = read_edges(options) if has_edges else read_ground(options)
        report.stage("counting")
        sources = [
            Source(
                read_csv(path_of(table_file(name)), memory_limit=options.memory),
                counts=options.counts,
                name=path_of(name),
            )
            for name in options.sources
        ]
        learnt = learn_model(structure, sources, prior=options.prior)
        report.stage(f"writing {options.output}")
        notes = write_what_fits(learnt.graph, options.output)
    if options.json:
        show(json.dumps(_entries(learnt, notes)))
    else:
        show_table(learnt)
        print_notes(notes)


def parse_prior(text: str) -> str | BDeu:
    """A number that is added to each count, or a BDeu prior, ``bdeu:10``.

    >>> parse_prior("0.5"), parse_prior("bdeu:10")
    ('0.5', BDeu(sample_size='10'))
    """
    from liftgraph.data.learning.priors import BDeu

    name, colon, size = text.partition(":")
    if not colon:
        return text
    try:
        if name != "bdeu":
            raise InputError(f"expected a number or bdeu:N, got {text}")
        return BDeu(size)
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None


def read_edges(options: Namespace) -> dict[str, list[str]]:
    """The parents of each variable; a child without a parent in its row is a variable, too."""
    from liftgraph.data.csv_tables import read_csv

    table = read_csv(options.model, memory_limit=options.memory)
    if {*table} != {"parent", "child"}:
        came = ", ".join(table)
        raise InputError(f"{options.model}: expected columns parent and child, got {came}")
    parents: dict[str, list[str]] = {}
    for row, (above, child) in enumerate(zip(table["parent"], table["child"], strict=True)):
        if child is None:
            raise InputError(f"{options.model}, row {row}: expected a child, got none")
        for name in filter(None, (above, child)):
            parents.setdefault(name, [])
        parents[child] += filter(None, [above])
    return parents


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
