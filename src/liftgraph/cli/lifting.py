"""The command ``liftgraph lift``: the groups of a model, and the lifted model they give."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Iterator
from functools import partial

from liftgraph.cli.evidence import read_evidence
from liftgraph.cli.info import model_counts
from liftgraph.cli.lifting_on_spark import SPARK, add_spark, lift_on_spark, spark_options
from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_algorithm,
    add_command,
    add_evidence,
    add_formats,
    add_model,
    add_reproducible,
    add_tolerance,
)
from liftgraph.cli.output import aligned, print_notes, show, show_table, unless_none
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_ground
from liftgraph.display import counted
from liftgraph.errors import InputError
from liftgraph.io import write
from liftgraph.io.formats import format_of, suffixes
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.colours.engines.registry import device_names, engine_names
from liftgraph.symmetry.colours.star_colouring import without_stars
from liftgraph.symmetry.colours.stars import narrow_graph
from liftgraph.symmetry.lifting.lift import lift_colouring
from liftgraph.symmetry.lifting.memory import check_memory


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "lift",
        "find interchangeable variables and factors and turn them into a lifted model",
        f"{EXAMPLE} --given Sick.alice=true -o lifted.json",
    )
    add_model(command)
    add_algorithm(command)
    add_tolerance(command, "0; 1e-12 for tables given as floats")
    add_evidence(command)
    command.add_argument(
        "--engine",
        choices=[*engine_names(), SPARK],
        default="auto",
        help="the engine of colour passing (default: auto); all engines find the same groups; spark"
        " is for graphs on disk, in folders of Parquet files",
    )
    command.add_argument(
        "--device",
        choices=device_names(),
        help="where the engine torch works (default: cuda if torch sees a card, otherwise cpu)",
    )
    command.add_argument("--rounds", action="store_true", help="show the groups after each round")
    stored = f"where to store the lifted model: {' or '.join(suffixes(lifted=True))}; with --engine"
    stored += " spark a folder for the colours, the quotient and, if it fits, the lifted model"
    command.add_argument("-o", "--output", metavar="FILE", help=stored)
    add_spark(command)
    add_reproducible(command)
    add_formats(command, "table", "json")
    command.set_defaults(run=lift)


def lift(options: Namespace) -> None:
    """Lift a model, show its groups and the lifted model, and store it if a file is named."""
    if options.engine == SPARK:
        return lift_on_spark(options)
    if unknown := spark_options(options):
        raise InputError(f"expected {unknown} with --engine spark only")
    if options.output is not None and not format_of(options.output).takes_lifted:
        expected = " or ".join(suffixes(lifted=True))
        raise InputError(f"{options.output}: expected {expected} for a lifted model")
    with reporting() as report:
        report.stage(f"reading {options.model}")
        graph = read_ground(options)
        if evidence := read_evidence(graph, options):
            graph = graph.given(evidence)
        narrow = narrow_graph(graph, options.algorithm)
        check_memory(narrow, None, options.memory)
        report.stage("passing colours")
        start = time.perf_counter()
        colour = partial(
            colour_passing,
            narrow,
            options.algorithm,
            options.tolerance,
            engine=options.engine,
            device=options.device,
        )
        colouring = colour(record=options.rounds)
        report.stage("lifting")
        model = lift_colouring(graph, colouring, colour, options.memory)
        colouring = without_stars(graph, colouring)
        seconds = None if options.reproducible else time.perf_counter() - start
        if options.output is not None:
            report.stage(f"writing {options.output}")
            write(model, options.output)
    notes = [] if options.output is None else list(format_of(options.output).losses(model))
    if options.format == "json":
        show(_json(colouring, model, seconds, notes))
    else:
        show_table(_text(colouring, model, seconds))
        print_notes(notes)
    return None


def _json(
    colouring: Colouring, model: ParfactorGraph, seconds: float | None, notes: list[str]
) -> str:
    entries = {
        "variable_groups": colouring.variable_group_count,
        "factor_groups": colouring.factor_group_count,
        "rounds": colouring.rounds,
        **unless_none("seconds", seconds),
        "algorithm": colouring.algorithm,
        "tolerance": str(colouring.tolerance),
        "log_odds_bound": model.log_odds_bound,
        "given_up": colouring.given_up,
        **model_counts(model),
        "verified": True,  # otherwise lifting would have failed
        **unless_none("notes", notes or None),
        **unless_none("groups_by_round", _groups_by_round(colouring)),
    }
    return json.dumps(entries)


def _text(colouring: Colouring, model: ParfactorGraph, seconds: float | None) -> str:
    rows = {
        "variables": _in_groups(len(colouring.variable_colours), colouring.variable_group_count),
        "factors": _in_groups(len(colouring.factor_colours), colouring.factor_group_count),
        "rounds": f"{colouring.rounds:,}",
        "algorithm": colouring.algorithm,
        "tolerance": _tolerance(colouring, model),
    }
    if seconds is not None:
        rows["seconds"] = f"{seconds:.3g}"
    by_round = _groups_by_round(colouring)
    rounds = [] if by_round is None else ["", *_round_lines(by_round)]
    lifted = ["lifted, and verified by grounding it again:", model.summary(), "", str(model)]
    return "\n".join([aligned(rows), "", *lifted, *rounds])


def _in_groups(members: int, groups: int) -> str:
    return f"{members:,} in {counted(groups, 'group')}"


def _tolerance(colouring: Colouring, model: ParfactorGraph) -> str:
    if not colouring.tolerance:
        return "none: groups are exact"
    bound = f"no log odds change by more than {model.log_odds_bound:.2g}"
    return f"{float(colouring.tolerance):g} ({bound})"


def _groups_by_round(colouring: Colouring) -> list[tuple[int, int]] | None:
    """How many groups of variables and of factors there were before the first round and after
    each round, if that was recorded."""
    if colouring.changes is None:
        return None
    return [(change.variable_groups, change.factor_groups) for change in colouring.changes]


def _round_lines(by_round: list[tuple[int, int]]) -> Iterator[str]:
    """A line per round; if there are very many rounds, only for the first and the last ones."""
    yield f"{'round':>7} {'groups of variables':>20} {'groups of factors':>18}"
    for round_index, (variables, factors) in enumerate(by_round):
        if round_index == 20 and len(by_round) > 40:
            yield f"{'…':>7}"
        if round_index < 20 or round_index >= len(by_round) - 20:
            yield f"{round_index:>7,} {variables:>20,} {factors:>18,}"
