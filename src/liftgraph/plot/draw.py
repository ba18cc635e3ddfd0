"""Which picture shows which object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from liftgraph.errors import InputError, LiftgraphError
from liftgraph.exact import shortened
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.query import Marginal, Marginals
from liftgraph.inference.trade_off import TradeOff
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.plot.picture import Picture, checked_suffix
from liftgraph.plot.scenes.bars import marginal_scene, marginals_scene, sizes_scene
from liftgraph.plot.scenes.factor_graph import factor_graph_scene
from liftgraph.plot.scenes.parfactor_graph import parfactor_graph_scene
from liftgraph.plot.scenes.plan_tree import plan_scene
from liftgraph.plot.scenes.quotient import has_few_groups, summary_scene
from liftgraph.plot.scenes.rounds import round_counts_scene, rounds_scene
from liftgraph.plot.scenes.scene import Scene, captioned
from liftgraph.plot.scenes.trade_off import trade_off_scene
from liftgraph.plot.style import check_installed
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import Colouring, check_colouring

Plan = GroundPlan | LiftedPlan
Drawable = FactorGraph | ParfactorGraph | Colouring | Marginal | Marginals | Plan | TradeOff
_WHOLE = 150  # variables and factors that are drawn one by one, unless asked for
_UNALIKE = 200  # the same, if there are too many groups for a summary
_MOST = 400  # the same, even if asked for
_AT_ONCE = 200_000  # edges of a graph that notebooks draw without being asked to


def draw(
    shown: Drawable,
    path: Path | str | None = None,
    *,
    colouring: Colouring | None = None,
    summary: bool | None = None,
    factor_names: bool | None = None,
) -> Picture:
    """A picture of a model, of groups, of an answer, a plan or a trade-off, stored if there is a
    path.

    Of factor graphs: ``colouring``: its groups (found by α-ACP if not given); ``summary``:
    whether to draw a node for each group instead of each variable and factor (for graphs with
    more than 150 of these, or 200 if there are too many groups, if not given);
    ``factor_names``: whether to write these (up to 40).

    >>> from liftgraph import read
    >>> draw(read("examples/epidemic.json")).caption.split(".")[0]
    '9 variables and 9 factors'
    """
    options = (colouring, summary, factor_names)
    if not isinstance(shown, FactorGraph) and options != (None, None, None):
        raise InputError("expected colouring, summary and factor_names for a factor graph only")
    check_path(path)
    if isinstance(shown, FactorGraph):
        return _picture(_graph_scene(shown, colouring, summary, factor_names), path)
    return _picture(_scene(shown), path)


def draw_rounds(
    graph: FactorGraph, colouring: Colouring | None = None, path: Path | str | None = None
) -> Picture:
    """A picture of colour passing, a panel for each round: groups are split until nothing changes.

    ``colouring``: with its rounds recorded (α-ACP if not given). Of graphs with more than 150
    variables and factors, only how many groups there were.
    """
    if not isinstance(graph, FactorGraph):
        raise InputError(f"expected a factor graph, got {shortened(repr(graph))}")
    check_path(path)
    found = _colouring(graph, colouring, record=True)
    found.after(0)  # refuses colourings without rounds
    whole = graph.variable_count + graph.factor_count <= _WHOLE
    return _picture(rounds_scene(graph, found) if whole else round_counts_scene(found), path)


def check_path(path: Path | str | None) -> None:
    """Refuse before anything is computed what could not be drawn or stored."""
    check_installed("pictures")
    if path is not None:
        checked_suffix(path)


def _picture(scene: Scene, path: Path | str | None) -> Picture:
    made = Picture(captioned(scene))
    if path is not None:
        made.save(path)
    return made


def _scene(shown: Any) -> Scene:
    match shown:
        case ParfactorGraph():
            return parfactor_graph_scene(shown)
        case Colouring():
            return sizes_scene(shown)
        case Marginal():
            return marginal_scene(shown)
        case Marginals():
            return marginals_scene(shown)
        case GroundPlan() | LiftedPlan():
            return plan_scene(shown)
        case TradeOff():
            return trade_off_scene(shown)
    what = "a model, a colouring, marginals, a plan or a trade-off"
    raise InputError(f"expected {what} to draw, got {shortened(repr(shown))}")


def _graph_scene(
    graph: FactorGraph,
    colouring: Colouring | None,
    summary: bool | None,
    factor_names: bool | None,
) -> Scene:
    found = _colouring(graph, colouring)
    count = graph.variable_count + graph.factor_count
    whole = _WHOLE if has_few_groups(found) else _UNALIKE
    if summary or (summary is None and count > whole):
        return summary_scene(graph, found)
    if count > _MOST:
        problem = f"expected at most {_MOST} variables and factors to draw one by one"
        raise InputError(f"{problem}, got {count:,}: a summary shows their groups")
    return factor_graph_scene(graph, found, factor_names)


def _colouring(graph: FactorGraph, found: object, record: bool = False) -> Colouring:
    """The colouring that was given, if it is of this graph; α-ACP's if none was."""
    if found is None:
        return colour_passing(graph, record=record)
    if not isinstance(found, Colouring):
        raise InputError(f"expected a colouring, got {shortened(repr(found))}")
    check_colouring(graph, found)
    return found


def notebook_svg(shown: Any) -> str | None:
    """What notebooks show of an object: None, for its text, if it is very large or there is no
    way to draw."""
    if isinstance(shown, FactorGraph) and shown.edge_count > _AT_ONCE:
        return None
    try:
        return draw(shown).svg
    except LiftgraphError:
        return None
