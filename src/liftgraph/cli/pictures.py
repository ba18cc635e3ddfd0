"""The command ``liftgraph draw``: pictures of models, groups, answers and plans."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from liftgraph.errors import InputError
from liftgraph.inference.answer import explain, marginals, query
from liftgraph.inference.methods import METHODS, Model
from liftgraph.model.lifted.grounding import as_graph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import ALGORITHMS
from liftgraph.symmetry.lifting.lift import lift

if TYPE_CHECKING:
    from liftgraph.plot.picture import Picture

_WHAT = ("graph", "rounds", "lifted", "plan", "marginal")


def add_arguments(command: ArgumentParser) -> None:
    """What can be typed besides the model and its evidence."""
    command.add_argument(
        "variables", metavar="VAR", nargs="*", help="variables asked for, of a plan or a marginal"
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="where it goes: .svg or .png"
    )
    command.add_argument(
        "--what",
        choices=_WHAT,
        help="the factor graph with its groups, the groups round by round, the lifted model, the"
        " plan of a query (for the partition function without VAR), or a marginal (all of them"
        " without VAR); default: a marginal if there is a VAR, else the graph, or the"
        " lifted model if MODEL is one and nothing was observed",
    )
    command.add_argument(
        "--algorithm", choices=ALGORITHMS, default=ALGORITHMS[0], help="that finds the groups"
    )
    command.add_argument("--method", choices=METHODS, default="auto", help="of a plan or marginal")
    command.add_argument("--exact", action="store_true", help="marginals in fractions")
    command.add_argument("--json", action="store_true", help="say what was done as JSON")


def check(options: Namespace) -> None:
    """Refuse what could not be drawn or stored, before anything is read."""
    from liftgraph.plot.draw import check_path

    if options.variables and options.what not in (None, "plan", "marginal"):
        asked = ", ".join(options.variables)
        raise InputError(f"expected variables for a plan or a marginal only, got {asked}")
    answered = options.variables or options.what in ("plan", "marginal")
    if not answered and (options.exact or options.method != "auto"):
        raise InputError("expected --exact and --method for a plan or a marginal only")
    check_path(options.output)


def draw(model: Model, given: Mapping[Any, str], options: Namespace) -> str:
    """Draw and store what was asked for, and say what the picture shows."""
    picture = _picture(model, given, options)
    picture.save(options.output)
    if options.json:
        return json.dumps({"file": options.output, "caption": picture.caption})
    return f"{options.output}: {picture.caption}" if picture.caption else options.output


def _picture(model: Model, given: Mapping[Any, str], options: Namespace) -> Picture:
    from liftgraph.plot.draw import draw, draw_rounds

    asked = {name: vars(options)[name] for name in ("exact", "method", "tolerance")}
    asked["given"] = given
    lifted = isinstance(model, ParfactorGraph)
    usual = "marginal" if options.variables else "lifted" if lifted and not given else "graph"
    what = options.what or usual
    if what == "plan":
        return draw(explain(model, *options.variables, **asked))
    if what == "marginal" and options.variables:
        return draw(query(model, *options.variables, **asked))
    if what == "marginal":
        return draw(marginals(model, **asked))
    if what == "lifted" and lifted and not given and options.tolerance is None:
        return draw(model)
    graph = as_graph(model).given(given)
    if what == "lifted":
        return draw(lift(graph, options.algorithm, options.tolerance))
    found = colour_passing(graph, options.algorithm, options.tolerance, record=what == "rounds")
    return draw_rounds(graph, found) if what == "rounds" else draw(graph, colouring=found)
