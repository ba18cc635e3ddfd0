"""The command ``liftgraph draw``: pictures of models, groups, answers and plans."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from liftgraph.cli.evidence import read_evidence
from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_algorithm,
    add_command,
    add_evidence,
    add_json,
    add_model,
    add_tolerance,
)
from liftgraph.cli.output import show
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_model
from liftgraph.errors import InputError
from liftgraph.inference.answer import explain, marginals, query
from liftgraph.inference.methods import METHODS, Model
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.lifting.lift import lift

if TYPE_CHECKING:
    from liftgraph.plot.picture import Picture

_WHAT = ("graph", "rounds", "lifted", "plan", "marginal")


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "draw",
        "draw a model, its groups, an answer or a plan",
        f"{EXAMPLE} --what lifted -o epidemic.svg",
    )
    add_model(command)
    add_evidence(command)
    add_tolerance(command, "0; 1e-12 for groups of tables given as floats")
    command.add_argument(
        "variables", metavar="VAR", nargs="*", help="variables of a plan or a marginal"
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="picture to write: .svg or .png"
    )
    command.add_argument(
        "--what",
        choices=_WHAT,
        help="the factor graph with its groups, the groups round by round, the lifted model, the"
        " plan of a query (for the partition function without VAR), or a marginal (all of them"
        " without VAR); default: a marginal if there is a VAR, else the graph, or the"
        " lifted model if MODEL is one and nothing was observed",
    )
    add_algorithm(command)
    command.add_argument(
        "--method", choices=METHODS, default="auto", help="how a plan or a marginal is computed"
    )
    command.add_argument("--exact", action="store_true", help="marginals in fractions")
    add_json(command)
    command.set_defaults(run=draw_model)


def _check(options: Namespace) -> None:
    """Before anything is read, refuse what cannot be drawn or stored."""
    from liftgraph.plot.draw import check_path

    if options.variables and options.what not in (None, "plan", "marginal"):
        asked = ", ".join(options.variables)
        raise InputError(f"expected variables for a plan or a marginal only, got {asked}")
    answered = options.variables or options.what in ("plan", "marginal")
    if not answered and (options.exact or options.method != "auto"):
        raise InputError("expected --exact and --method for a plan or a marginal only")
    check_path(options.output)


def draw_model(options: Namespace) -> None:
    """Draw and store the requested picture, and say what it shows."""
    with reporting() as report:
        _check(options)
        report.stage(f"reading {options.model}")
        model = read_model(options)
        given = read_evidence(model, options)
        report.stage("drawing")
        picture = _picture(model, given, options)
        picture.save(options.output)
    if options.json:
        show(json.dumps({"file": options.output, "caption": picture.caption}))
    else:
        show(f"{options.output}: {picture.caption}" if picture.caption else options.output)


def _picture(model: Model, given: Mapping[Any, str], options: Namespace) -> Picture:
    from liftgraph.plot.draw import draw, draw_rounds

    asked = {name: vars(options)[name] for name in ("exact", "method", "tolerance")}
    asked |= {"given": given, "memory_limit": options.memory}
    lifted = isinstance(model, ParfactorGraph)
    default = "marginal" if options.variables else "lifted" if lifted and not given else "graph"
    what = options.what or default
    if what == "plan":
        return draw(explain(model, *options.variables, **asked))
    if what == "marginal" and options.variables:
        return draw(query(model, *options.variables, **asked))
    if what == "marginal":
        return draw(marginals(model, **asked))
    if what == "lifted" and lifted and not given and options.tolerance is None:
        return draw(model)
    graph = as_graph(model, options.memory).given(given)
    if what == "lifted":
        return draw(lift(graph, options.algorithm, options.tolerance, memory_limit=options.memory))
    colouring = colour_passing(graph, options.algorithm, options.tolerance, record=what == "rounds")
    return draw_rounds(graph, colouring) if what == "rounds" else draw(graph, colouring=colouring)
