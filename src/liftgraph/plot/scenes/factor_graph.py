"""A factor graph with its groups as colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.arrangement import below, extent
from liftgraph.plot.layout.graph_layout import laid_out, placed
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.captions import algorithm_name, graph_size
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours, largest_groups
from liftgraph.plot.scenes.legend import legend
from liftgraph.plot.style import PALETTE
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

LARGEST_KEY = f" The {len(PALETTE)} largest groups have colours."
OBSERVED_KEY = " Filled variables are observed."
_DOTS = {  # sizes of nodes without names, also of those that stand for several
    ("variable", False): (7.0, 7.0),
    ("factor", False): (5.0, 5.0),
    ("variable", True): (12.0, 12.0),
    ("factor", True): (8.0, 8.0),
}


def factor_graph_scene(
    graph: FactorGraph, colouring: Colouring, factor_names: bool = True
) -> Scene:
    """Variables, factors and edges, with groups in colours."""
    colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    scene = laid_out(coloured(graph, colours, factor_names))
    caption = f"{_found(graph, colouring)}{colour_key(graph, colours)}"
    return replace(below(scene, _legend(graph, colours, scene)), caption=caption)


def small_graph_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """The same without names, small enough for many nodes; the largest groups have colours."""
    all_colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    colours = largest_groups(all_colours)
    scene = placed(without_names(coloured(graph, colours)))
    key = colour_key(graph, colours)
    if all_colours.numbered:
        key = LARGEST_KEY + OBSERVED_KEY * bool(graph.evidence)
    return replace(
        below(scene, _legend(graph, colours, scene)),
        caption=f"{_found(graph, colouring)} Too many nodes for their names.{key}",
    )


def without_names(scene: Scene) -> Scene:
    """Small nodes; those that stand for several are larger."""
    nodes = (
        replace(node, label="", badge="", stacked=False, size=_DOTS[node.kind, node.stacked])
        for node in scene.nodes
    )
    return replace(scene, nodes=tuple(nodes))


def _found(graph: FactorGraph, colouring: Colouring) -> str:
    groups = f"{counted(colouring.variable_group_count, 'group')} of variables"
    return (
        f"{graph_size(graph)}. {algorithm_name(colouring)} found {groups}"
        f" and {colouring.factor_group_count:,} of factors."
    )


def coloured(graph: FactorGraph, colours: GroupColours, factor_names: bool = False) -> Scene:
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
        Node(
            f"factor-{factor}",
            "factor",
            factor_name(factor) if factor_names else "",
            colour,
            colours.badge(colour),
        )
        for factor, colour in enumerate(colours.factors)
    )
    return Scene((*variables, *factors), tuple(_edges(graph)))


def variable_label(graph: FactorGraph, variable: int) -> str:
    """The name of a variable, with its state if that was observed."""
    state = graph.evidence.get(variable)
    return node_label(
        graph.name(variable), None if state is None else graph.states(variable)[state]
    )


def node_label(name: str, observed: str | None) -> str:
    """A name, with a state if that was observed."""
    if observed is None:
        return abbreviated(name)
    return f"{abbreviated(name)} = {abbreviated(observed, 12)}"


def _edges(graph: FactorGraph) -> Iterator[Edge]:
    """An edge for each factor and variable in its scope."""
    for factor in range(graph.factor_count):
        for variable in dict.fromkeys(graph.scope_of(factor)):
            yield Edge(f"variable-{variable}", f"factor-{factor}")


def factor_name(factor: int) -> str:
    """What a factor is called in pictures.

    >>> factor_name(0)
    'φ1'
    """
    return f"φ{factor + 1}"


def _legend(graph: FactorGraph, colours: GroupColours, above: Scene) -> Scene:
    left, _, right, _ = extent(above)
    names = [abbreviated(name, 20) for name in graph.variables]
    return legend(colours, names, list(map(factor_name, range(graph.factor_count))), right - left)


def colour_key(graph: FactorGraph, colours: GroupColours) -> str:
    """What white, grey and filled nodes are, if there are any."""
    alone = []
    unobserved = set(range(graph.variable_count)) - set(graph.evidence)
    if any(colours.variables[variable] is None for variable in unobserved):
        alone.append("white variables")
    if None in colours.factors:
        alone.append("grey factors")
    key = f" {' and '.join(alone).capitalize()} are alone in their group." if alone else ""
    return key + OBSERVED_KEY * bool(graph.evidence)
