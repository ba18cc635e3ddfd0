"""Which picture shows which object."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from liftgraph.errors import InputError, LiftgraphError, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.model import notebook
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.answers.trade_off import TradeOff
from liftgraph.model.dynamic.answers import Days
from liftgraph.model.ground.bayesian_network import lacks_tables
from liftgraph.model.ground.conditional import Conditional
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.plans import Plan
from liftgraph.plot.layout.arrangement import captioned
from liftgraph.plot.picture import Picture, checked_suffix
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.days import days_scene
from liftgraph.plot.scenes.factor_graph import factor_graph_scene, small_graph_scene
from liftgraph.plot.scenes.group_sizes import colouring_sizes_scene
from liftgraph.plot.scenes.heat_table import heat_table_scene
from liftgraph.plot.scenes.marginals import marginal_scene, marginals_scene
from liftgraph.plot.scenes.network import is_network, network_scene
from liftgraph.plot.scenes.parfactor_graph import parfactor_graph_scene
from liftgraph.plot.scenes.plan_tree import plan_scene
from liftgraph.plot.scenes.quotient import graph_summary_scene, has_few_groups, summary_scene
from liftgraph.plot.scenes.rounds import round_counts_scene, rounds_scene
from liftgraph.plot.scenes.trade_off import trade_off_scene
from liftgraph.plot.style import check_installed
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import Colouring, check_colouring
from liftgraph.symmetry.colours.quotient import Quotient

Drawable = TypeVar("Drawable")
_SCENES: dict[type, Callable[[Any], Scene]] = {}
_WHOLE = 150  # variables and factors; larger graphs with few groups are summarised by default
_NAMED = 200  # the same; nodes of larger graphs have no names by default
_WHOLE_AT_MOST = 1000  # the same; no larger graph is drawn one by one
_NOTEBOOK_EDGES = 200_000  # graphs with more edges are not drawn by notebooks


def register(kind: type[Drawable], scene: Callable[[Drawable], Scene]) -> None:
    """Let ``draw`` show the objects of a type by a function that turns them into scenes.

    An object of several registered types is shown as the one that was registered last.

    >>> from liftgraph.plot.scene import Node
    >>> class Team(list): pass
    >>> register(Team, lambda team: Scene(tuple(Node(name, "variable", name) for name in team)))
    >>> [node.label for node in draw(Team(["alice", "bob"])).scene.nodes]
    ['alice', 'bob']
    """
    _SCENES.pop(kind, None)
    _SCENES[kind] = scene


@short_traceback
def draw(
    shown: object,
    path: Path | str | None = None,
    *,
    colouring: Colouring | None = None,
    summary: bool | None = None,
    factor_names: bool | None = None,
    arrows: bool | None = None,
    beliefs: Marginals | bool | None = None,
) -> Picture:
    """A picture of a model, a conditional distribution, a colouring, a quotient, marginals, days, a
    plan or a trade-off; stored if there is a path.

    The options are for factor graphs. ``colouring``: its groups are shown; default: those that
    α-ACP finds. ``summary``: whether to draw a node for each group instead of each variable and
    factor; default: for more than 150 of these, or 1,000 if there are more than 60 groups. With
    more than 200, nodes are small and have no names. ``factor_names``: whether to write the names
    of factors, and of variables with them; default: for at most 200 variables and factors.

    Bayesian networks are drawn top-down. ``arrows``: whether to draw arrows from parents to
    children instead of factors; default: if the graph is a network, no other option is given, and
    it is not large with few groups. ``beliefs``: whether the nodes show the distributions of their
    variables given the graph's evidence, or the marginals to show.

    >>> from liftgraph import datasets
    >>> draw(datasets.epidemic()).caption.split(".")[0]
    '9 variables and 9 factors'
    """
    given = {
        "colouring": colouring,
        "summary": summary,
        "factor_names": factor_names,
        "arrows": arrows,
        "beliefs": None if beliefs is False else beliefs,
    }
    options = {name: option for name, option in given.items() if option is not None}
    check_path(path)
    if not isinstance(shown, tuple(_SCENES)) and isinstance(
        getattr(shown, "graph", None), FactorGraph
    ):
        shown = shown.graph  # type: ignore[attr-defined]  # what was learnt is drawn as its graph
    if not options:
        return _picture(_scene(shown), path)
    if not isinstance(shown, FactorGraph):
        raise InputError(f"expected {', '.join(options)} for a factor graph only")
    return _picture(_scene_with(shown, options), path)


@short_traceback
def draw_rounds(
    graph: FactorGraph, colouring: Colouring | None = None, path: Path | str | None = None
) -> Picture:
    """A picture of colour passing with a panel for each round: groups are split until nothing
    changes.

    ``colouring``: with its rounds recorded; default: that of α-ACP. If the graph has more than 150
    variables and factors, bars show how many groups there were after each round.
    """
    if not isinstance(graph, FactorGraph):
        raise InputError(f"expected a factor graph, got {shortened(quoted(graph))}")
    check_path(path)
    colouring = _colouring(graph, colouring, record=True)
    colouring.after(0)  # refuses colourings without rounds
    if graph.variable_count + graph.factor_count <= _WHOLE:
        return _picture(rounds_scene(graph, colouring), path)
    return _picture(round_counts_scene(colouring), path)


def check_path(path: Path | str | None) -> None:
    """Refuse what could not be drawn or stored before anything is computed."""
    check_installed("pictures")
    if path is not None:
        checked_suffix(path)


def notebook_svg(shown: object) -> str | None:
    """What notebooks show of an object; None, for its text, if it is very large or cannot be
    drawn."""
    if isinstance(shown, FactorGraph) and shown.edge_count > _NOTEBOOK_EDGES:
        return None
    try:
        return draw(shown).svg
    except LiftgraphError:
        return None


def _picture(scene: Scene, path: Path | str | None) -> Picture:
    picture = Picture(captioned(scene))
    if path is not None:
        picture.save(path)
    return picture


def _scene(shown: object) -> Scene:
    for kind, scene in reversed(_SCENES.items()):
        if isinstance(shown, kind):
            return scene(shown)
    expected = "a model, a distribution, a colouring, a quotient, marginals, days, a plan"
    came = shortened(quoted(shown))
    raise InputError(f"expected {expected} or a trade-off to draw, got {came}")


def _scene_with(graph: FactorGraph, options: dict[str, Any]) -> Scene:
    """The scene of a graph as the options say."""
    beliefs = options.pop("beliefs", None)
    if not options.pop("arrows", beliefs is not None):
        if beliefs is not None:
            raise InputError("expected beliefs in a picture with arrows only")
        return _graph_scene(graph, **options)
    if others := options.keys() - {"colouring"}:
        raise InputError(f"expected {', '.join(sorted(others))} in a picture without arrows only")
    if lacks_tables(graph) and "colouring" not in options:
        return network_scene(graph, None, beliefs)
    return network_scene(graph, _colouring(graph, options.get("colouring")), beliefs)


def _ground_scene(graph: FactorGraph) -> Scene:
    """A network with its arrows, anything else as a factor graph."""
    if lacks_tables(graph):
        return network_scene(graph, None)
    if is_network(graph):
        colouring = colour_passing(graph)
        if graph.variable_count <= _WHOLE or not has_few_groups(colouring):
            return network_scene(graph, colouring)
    return _graph_scene(graph)


def _graph_scene(
    graph: FactorGraph,
    colouring: Colouring | None = None,
    summary: bool | None = None,
    factor_names: bool | None = None,
) -> Scene:
    colouring = _colouring(graph, colouring)
    node_count = graph.variable_count + graph.factor_count
    whole = _WHOLE if has_few_groups(colouring) else _WHOLE_AT_MOST
    if summary or (summary is None and node_count > whole):
        return graph_summary_scene(graph, colouring)
    if node_count > _WHOLE_AT_MOST:
        expected = f"at most {_WHOLE_AT_MOST} variables and factors to draw one by one"
        raise InputError(f"expected {expected}, got {node_count:,}: a summary shows their groups")
    if node_count > _NAMED and not factor_names:
        return small_graph_scene(graph, colouring)
    return factor_graph_scene(graph, colouring, factor_names is not False)


def _colouring_scene(colouring: Colouring) -> Scene:
    """The graph with the groups; if it is not known or very large, only how large groups are."""
    if colouring.graph is None or colouring.graph.edge_count > _NOTEBOOK_EDGES:
        return colouring_sizes_scene(colouring)
    return _graph_scene(colouring.graph, colouring)


def _colouring(graph: FactorGraph, colouring: object, record: bool = False) -> Colouring:
    """The colouring itself if it is one of this graph; that of α-ACP if it is None."""
    if colouring is None:
        return colour_passing(graph, record=record)
    if not isinstance(colouring, Colouring):
        raise InputError(f"expected a colouring, got {shortened(quoted(colouring))}")
    check_colouring(graph, colouring)
    return colouring


register(FactorGraph, _ground_scene)
register(Conditional, heat_table_scene)
register(ParfactorGraph, parfactor_graph_scene)
register(Colouring, _colouring_scene)
register(Quotient, summary_scene)
register(Marginal, marginal_scene)
register(Marginals, marginals_scene)
register(Days, days_scene)
register(Plan, plan_scene)  # type: ignore[type-abstract]
register(TradeOff, trade_off_scene)

notebook.register(notebook_svg)
