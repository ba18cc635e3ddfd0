"""A Bayesian network: arrows from parents to children, top-down, with beliefs as bars in nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.arrangement import below, extent, measured, moved, together
from liftgraph.plot.layout.top_down import top_down
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.beliefs import belief_panel
from liftgraph.plot.scenes.captions import algorithm_name, log_odds_note
from liftgraph.plot.scenes.factor_graph import variable_label
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours
from liftgraph.plot.scenes.legend import legend
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

_MOST_NAMED = 120  # variables; of more, those with the most neighbours are named
_NAMED_OF_MANY = 40
_SMALL = 9.0  # the diameter of variables without a name


def network_scene(
    graph: FactorGraph, colouring: Colouring, beliefs: Marginals | None = None
) -> Scene:
    """The network with the groups of its variables as colours.

    ``beliefs``: their bars stand in the nodes. An error says why if the graph is no network.
    """
    edges = _arrows(graph)
    factors = colouring.factor_colours
    colours = replace(group_colours(colouring.variable_colours, factors), factors=())
    named = _named(graph, edges)
    panels = [
        _panel(graph, variable, colours, beliefs, variable in named)
        for variable in range(graph.variable_count)
    ]
    scene = top_down(Scene(tuple(panel.nodes[0] for panel in panels), edges))
    scene = _furnished(scene, panels)
    left, _, right, _ = extent(scene)
    names = [abbreviated(graph.name(variable), 20) for variable in range(graph.variable_count)]
    scene = below(scene, legend(colours, names, (), right - left))
    return replace(
        scene, caption=_caption(graph, colouring, colours, len(edges), len(named), beliefs)
    )


def _arrows(graph: FactorGraph) -> tuple[Edge, ...]:
    return tuple(
        Edge(f"variable-{parent}", f"variable-{child}", arrow=True)
        for child, factor in enumerate(own_factors(graph).tolist())
        for parent in graph.scope_of(factor)
        if parent != child
    )


def _named(graph: FactorGraph, edges: Sequence[Edge]) -> set[int]:
    """All variables; of many, those with the most parents and children."""
    if graph.variable_count <= _MOST_NAMED:
        return set(range(graph.variable_count))
    degree = dict.fromkeys(range(graph.variable_count), 0)
    for edge in edges:
        for end in (edge.first, edge.second):
            degree[int(end.removeprefix("variable-"))] += 1
    return set(sorted(degree, key=lambda variable: -degree[variable])[:_NAMED_OF_MANY])


def _panel(
    graph: FactorGraph,
    variable: int,
    colours: GroupColours,
    beliefs: Marginals | None,
    named: bool,
) -> Scene:
    """The node of a variable, and what stands in it, around the origin."""
    colour = colours.variables[variable]
    node = Node(
        f"variable-{variable}",
        "variable",
        variable_label(graph, variable),
        colour,
        colours.badge(colour),
        observed=variable in graph.evidence,
    )
    if beliefs is not None:
        return belief_panel(node, beliefs[graph.name(variable)])
    if not named:
        return Scene((replace(node, label="", badge="", size=(_SMALL, _SMALL)),))
    return Scene((measured(node),))


def _furnished(scene: Scene, panels: Sequence[Scene]) -> Scene:
    """The scene with what stands in its nodes; panels are in the order of variables."""
    places = {node.id: node.at for node in scene.nodes}
    inside = [
        moved(replace(panel, nodes=panel.nodes[1:]), places[panel.nodes[0].id]) for panel in panels
    ]
    return together([scene, *inside])


def _caption(
    graph: FactorGraph,
    colouring: Colouring,
    colours: GroupColours,
    arrow_count: int,
    named_count: int,
    beliefs: Marginals | None,
) -> str:
    variables = counted(graph.variable_count, "variable")
    sentences = [f"A Bayesian network of {variables} and {counted(arrow_count, 'arrow')}."]
    if named_count < graph.variable_count and beliefs is None:
        sentences.append(f"The {named_count} with the most neighbours are named.")
    if any(colour is not None for colour in colours.variables):
        groups = counted(colouring.variable_group_count, "group")
        sentences.append(f"{algorithm_name(colouring)} found {groups} of variables, as colours.")
    if beliefs is not None:
        sentences.append("Bars show probabilities, in percent.")
    if beliefs is not None and beliefs.log_odds_bound:
        sentences.append(f"The {log_odds_note(beliefs.log_odds_bound)}.")
    if graph.evidence:
        sentences.append("Filled variables are observed.")
    return " ".join(sentences)
