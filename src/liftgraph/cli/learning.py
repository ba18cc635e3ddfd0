"""The command ``liftgraph learn``: the potentials of a model, counted in tables."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from liftgraph.cli.options import (
    Commands,
    add_command,
    add_json,
    add_memory,
    add_reading,
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
    from liftgraph.data.learning.em import EM
    from liftgraph.data.learning.learnt import Learnt
    from liftgraph.data.learning.priors import BDeu


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "learn",
        "learn the potentials of a model from tables of observations",
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
    _add_completing(command)
    add_reading(command)
    add_memory(command)
    add_json(command)
    command.set_defaults(run=learn)


def _add_completing(command: ArgumentParser) -> None:
    """What to do with missing values; options without a default are those of ``EM``."""
    command.add_argument(
        "--missing",
        choices=("skip", "em"),
        default="skip",
        help="skip rows that lack a value which a factor needs (default), or complete them by"
        " expectation maximisation, for Bayesian networks",
    )
    integers = {
        "restarts": "how many more times em starts, at random (default: 0)",
        "seed": "of em's starts: the same seed gives the same result (default: 0)",
        "iterations": "em stops after so many (default: 1000)",
    }
    for name, what in integers.items():
        command.add_argument(f"--{name}", metavar="N", type=int, help=what)
    command.add_argument(
        "--tolerance",
        metavar="E",
        type=float,
        help="em has converged if an iteration raises the log-likelihood by at most this"
        " (default: 0.0001)",
    )


def learn(options: Namespace) -> None:
    """Learn a model, write it, and say what supports it."""
    from liftgraph.data.csv_tables import read_csv
    from liftgraph.data.learning.learn import learn as learn_potentials
    from liftgraph.data.learning.learn import learn_bayesian_network
    from liftgraph.data.learning.sources import Source

    format_of(options.output)  # a wrong name is refused before anything is read
    check_sources([options.model, *options.sources])
    has_edges = options.model.endswith((".csv", ".csv.gz"))
    is_network = options.conditional or has_edges
    missing = completing(options, is_network)
    with reporting() as report:
        report.stage(f"reading {options.model}")
        structure = read_edges(options) if has_edges else read_ground(options)
        report.stage("learning")
        sources = [
            Source(
                read_csv(path_of(table_file(name)), memory_limit=options.memory),
                counts=options.counts,
                name=path_of(name),
            )
            for name in options.sources
        ]
        learnt = (
            learn_bayesian_network(structure, sources, prior=options.prior, missing=missing)
            if is_network
            else learn_potentials(structure, sources, prior=options.prior)
        )
        report.stage(f"writing {options.output}")
        notes = write_what_fits(learnt.graph, options.output)
    if options.json:
        show(json.dumps(_entries(learnt, notes)))
    else:
        show_table(learnt)
        print_notes(notes)


def completing(options: Namespace, is_network: bool) -> EM | Literal["skip"]:
    """How missing values are handled. Options of em are refused without it."""
    from liftgraph.data.learning.em import EM

    names = ("restarts", "seed", "iterations", "tolerance")
    settings = {
        name: getattr(options, name) for name in names if getattr(options, name) is not None
    }
    if options.missing != "em":
        if settings:
            raise InputError(f"expected --missing em with --{next(iter(settings))}")
        return "skip"
    if not is_network:
        raise InputError("expected a Bayesian network with --missing em: --conditional, or edges")
    return EM(**settings, memory_limit=options.memory)


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
        if above in parents[child]:
            came = f"{above} → {child} twice"
            raise InputError(f"{options.model}, row {row}: expected each edge once, got {came}")
        if above == child:
            came = f"{above} → {child}"
            raise InputError(f"{options.model}, row {row}: expected two variables, got {came}")
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
        **unless_none("hidden", learnt.hidden or None),
        **unless_none("runs", [*map(asdict, learnt.runs)] or None),
        **unless_none("notes", notes or None),
    }
