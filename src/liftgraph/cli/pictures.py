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
from liftgraph.inference.answer import marginals, query
from liftgraph.inference.explain import explain
from liftgraph.inference.methods import METHODS, Model
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import ALGORITHMS
from liftgraph.symmetry.lifting.lift import lift

if TYPE_CHECKING:
    from liftgraph.plot.picture import Picture

_WHAT = ("graph", "network", "beliefs", "table", "rounds", "lifted", "plan", "marginal")
_ABOUT = ("plan", "marginal", "table")  # these are about variables
_COMPUTED = ("plan", "marginal", "beliefs")


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
        "variables", metavar="VAR", nargs="*", help="variables of a plan, a marginal or a table"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="picture to write: .svg, .png, .pdf, or .tex for TikZ",
    )
    command.add_argument(
        "--what",
        choices=_WHAT,
        help="the factor graph with its groups; a Bayesian network with its arrows, with beliefs in"
        " its nodes, or the conditional distribution of VAR as a table; the groups round by round,"
        " the lifted model, the plan of a query (for the partition function without VAR), or a"
        " marginal (all of them without VAR); default: a marginal if there is a VAR, else the"
        " network or graph, or the lifted model if MODEL is one and nothing was observed",
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

    if options.variables and options.what not in (None, *_ABOUT):
        asked = ", ".join(options.variables)
        raise InputError(f"expected variables for a plan, a marginal or a table only, got {asked}")
    if options.what == "table" and len(options.variables) != 1:
        count = len(options.variables)
        raise InputError(f"expected one variable for a table, got {count}")
    answered = options.what in _COMPUTED or (options.variables and options.what is None)
    if not answered and (options.exact or options.method != "auto"):
        raise InputError("expected --exact and --method for a plan, a marginal or beliefs only")
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
    if options.what is None and options.tolerance is None and options.algorithm == ALGORITHMS[0]:
        return draw(graph)
    if what == "table":
        return draw(graph.cpd(options.variables[0]))
    if what == "beliefs":
        return draw(graph, beliefs=marginals(graph, **(asked | {"given": {}})))
    colouring = colour_passing(graph, options.algorithm, options.tolerance, record=what == "rounds")
    if what == "rounds":
        return draw_rounds(graph, colouring)
    if what == "network":
        return draw(graph, colouring=colouring, arrows=True)
    return draw(graph, colouring=colouring)
