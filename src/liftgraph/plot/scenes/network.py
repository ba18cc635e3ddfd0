"""A Bayesian network: arrows from parents to children, top-down, with beliefs as bars in nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.errors import InputError, LiftgraphError
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.arrangement import below, extent, measured, moved, together
from liftgraph.plot.layout.top_down import top_down
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.beliefs import belief_panel, beliefs_of
from liftgraph.plot.scenes.captions import algorithm_name, log_odds_note
from liftgraph.plot.scenes.factor_graph import evidence_key, variable_nodes
from liftgraph.plot.scenes.gates import gate_name
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours
from liftgraph.plot.scenes.legend import legend
from liftgraph.plot.style import PALETTE
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

_MOST = 1500  # variables
_MOST_NAMED = 150  # of more variables, those with the most neighbours are named
_NAMED_OF_MANY = 40
_SMALL = 9.0  # the diameter of variables without a name


def is_network(graph: FactorGraph) -> bool:
    """Whether a graph is a Bayesian network with arrows, and not too large to draw them."""
    if graph.variable_count > _MOST or graph.edge_count <= graph.variable_count:
        return False
    try:
        own_factors(graph)
    except LiftgraphError:  # it is none, or has a table that is too large to look at
        return False
    return True


def network_scene(
    graph: FactorGraph, colouring: Colouring | None, beliefs: Marginals | bool | None = None
) -> Scene:
    """The network with the groups of its variables as colours, if there is a colouring.

    ``beliefs``: the marginals that bars in the nodes show; True: those given the graph's evidence.
    An error says why if the graph is not a network.
    """
    edges = _arrows(graph)
    _check_size(graph, beliefs is not None)
    marginals = None if beliefs is None else beliefs_of(graph, beliefs)
    named = _named(graph, edges)
    plain = GroupColours((None,) * graph.variable_count, (), numbered=False)
    numbered = len(named) == graph.variable_count
    colours = plain if colouring is None else _colours(colouring, numbered)
    nodes = _gated(graph, variable_nodes(graph, colours))
    panels = [
        _node(node, variable in named)
        if marginals is None
        else belief_panel(node, marginals[graph.name(variable)])
        for variable, node in enumerate(nodes)
    ]
    scene = top_down(Scene(tuple(panel.nodes[0] for panel in panels), edges))
    scene = _furnished(scene, panels)
    left, _, right, _ = extent(scene)
    names = [abbreviated(graph.name(variable), 20) for variable in range(graph.variable_count)]
    sentences = [
        *_size(graph, len(edges), len(named)),
        *_reading(graph, colouring, colours, marginals),
    ]
    scene = below(scene, legend(colours, names, (), right - left))
    return replace(scene, caption=" ".join(sentences))


def _check_size(graph: FactorGraph, with_beliefs: bool) -> None:
    most = _MOST_NAMED if with_beliefs else _MOST
    if graph.variable_count > most:
        expected = f"at most {most:,} variables to draw with"
        what = "beliefs" if with_beliefs else "arrows"
        raise InputError(f"expected {expected} {what}, got {graph.variable_count:,}")


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


def _colours(colouring: Colouring, numbered: bool) -> GroupColours:
    """The colours of groups of variables; where numbers have no room, of as many as there are
    colours."""
    colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    groups = {colour for colour in colours.variables if colour is not None}
    if numbered:
        return replace(colours, factors=(), numbered=len(groups) > len(PALETTE))
    shown = tuple(
        colour if colour is not None and colour < len(PALETTE) else None
        for colour in colours.variables
    )
    return GroupColours(shown, (), numbered=False)


def _gated(graph: FactorGraph, nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes of variables; under the name of a gate's child is what the gate tests."""
    for node, factor in zip(nodes, own_factors(graph).tolist(), strict=True):
        gate = gate_name(graph, factor)
        if gate:
            gate = f"{gate} of {len(graph.scope_of(factor)) - 1:,}"
            node = replace(node, label=f"{node.label}\n{gate}", title=f"{node.title}: {gate}")
        yield node


def _node(node: Node, named: bool) -> Scene:
    """The node of a variable alone, around the origin."""
    if not named:
        return Scene((replace(node, label="", size=(_SMALL, _SMALL)),))
    return Scene((measured(node),))


def _furnished(scene: Scene, panels: Sequence[Scene]) -> Scene:
    """The scene with what stands in its nodes; panels are in the order of variables."""
    places = {node.id: node.at for node in scene.nodes}
    inside = [
        moved(replace(panel, nodes=panel.nodes[1:]), places[panel.nodes[0].id]) for panel in panels
    ]
    return together([scene, *inside])


def _size(graph: FactorGraph, arrow_count: int, named_count: int) -> Iterator[str]:
    variables = counted(graph.variable_count, "variable")
    yield f"A Bayesian network of {variables} and {counted(arrow_count, 'arrow')}."
    if named_count < graph.variable_count:
        yield f"The {named_count} with the most neighbours are named."


def _reading(
    graph: FactorGraph,
    colouring: Colouring | None,
    colours: GroupColours,
    marginals: Marginals | None,
) -> Iterator[str]:
    """What colours, bars and filled nodes mean, if there are any."""
    if colouring is not None and any(colour is not None for colour in colours.variables):
        groups = counted(colouring.variable_group_count, "group")
        yield f"{algorithm_name(colouring)} found {groups} of variables; the largest have colours."
    if marginals is not None:
        yield "Bars show probabilities, in percent."
        if marginals.log_odds_bound:
            yield f"The {log_odds_note(marginals.log_odds_bound)}."
    if graph.evidence:
        yield evidence_key(graph).strip()
