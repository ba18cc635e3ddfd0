"""A factor graph with its groups as colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.arrangement import below, extent
from liftgraph.plot.layout.graph_layout import laid_out
from liftgraph.plot.layout.name_labels import named_beside
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.captions import algorithm_name, graph_size
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours
from liftgraph.plot.scenes.legend import legend
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

_MOST_NAMED = 40  # factors; if there are more, only the legend names some of them


def factor_graph_scene(
    graph: FactorGraph, colouring: Colouring, factor_names: bool | None
) -> Scene:
    """Variables, factors and edges, with groups in colours."""
    colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    scene = laid_out(coloured(graph, colours))
    named = graph.factor_count <= _MOST_NAMED if factor_names is None else factor_names
    if named:
        scene = named_beside(scene, _factor_names(graph))
    groups = f"{counted(colouring.variable_group_count, 'group')} of variables"
    caption = (
        f"{graph_size(graph)}. {algorithm_name(colouring)} found {groups}"
        f" and {colouring.factor_group_count:,} of factors.{colour_key(graph, colours)}"
    )
    return replace(below(scene, _legend(graph, colours, scene)), caption=caption)


def coloured(graph: FactorGraph, colours: GroupColours) -> Scene:
    """The graph with colours, but without places."""
    variables = (
        Node(
            f"variable-{variable}",
            "variable",
            variable_label(graph, variable),
            colour,
            colours.badge(colour),
            observed=variable in graph.evidence,
        )
        for variable, colour in enumerate(colours.variables)
    )
    factors = (
        Node(f"factor-{factor}", "factor", "", colour, colours.badge(colour))
        for factor, colour in enumerate(colours.factors)
    )
    return Scene((*variables, *factors), tuple(_edges(graph)))


def variable_label(graph: FactorGraph, variable: int) -> str:
    """The name of a variable, with its state if that was observed."""
    name = abbreviated(graph.name(variable))
    if variable not in graph.evidence:
        return name
    return f"{name} = {abbreviated(graph.states(variable)[graph.evidence[variable]], 12)}"


def _edges(graph: FactorGraph) -> Iterator[Edge]:
    """An edge for each factor and variable in its scope."""
    for factor in range(graph.factor_count):
        for variable in dict.fromkeys(graph.scope_of(factor)):
            yield Edge(f"variable-{variable}", f"factor-{factor}")


def _factor_names(graph: FactorGraph) -> dict[str, str]:
    return {f"factor-{factor}": f"φ{factor + 1}" for factor in range(graph.factor_count)}


def _legend(graph: FactorGraph, colours: GroupColours, above: Scene) -> Scene:
    left, _, right, _ = extent(above)
    names = [abbreviated(name, 20) for name in graph.variables]
    return legend(colours, names, list(_factor_names(graph).values()), right - left)


def colour_key(graph: FactorGraph, colours: GroupColours) -> str:
    """What white, grey and filled nodes are, if there are any."""
    alone = []
    unobserved = set(range(graph.variable_count)) - set(graph.evidence)
    if any(colours.variables[variable] is None for variable in unobserved):
        alone.append("white variables")
    if None in colours.factors:
        alone.append("grey factors")
    key = f" {' and '.join(alone).capitalize()} are alone in their group." if alone else ""
    return key + " Filled variables are observed." * bool(graph.evidence)
