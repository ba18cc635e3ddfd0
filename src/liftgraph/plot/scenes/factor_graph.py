"""A factor graph with its groups as colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.interventions import set_variables
from liftgraph.plot.layout.arrangement import below, extent
from liftgraph.plot.layout.graph_layout import laid_out, placed
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.captions import algorithm_name, graph_size
from liftgraph.plot.scenes.gates import gate_child, gate_name
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours, largest_groups
from liftgraph.plot.scenes.legend import legend
from liftgraph.plot.style import PALETTE
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

LARGEST_KEY = f" The {len(PALETTE)} largest groups have colours."
OBSERVED_KEY = " Filled variables are observed."
FIXED_KEY = " Rectangles with do(…) are set by interventions."
_GATE_KEY = " An arrow leads from a gate to the variable that it decides."
_MOST_TITLED = 12  # states or arguments in a title
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
        key = LARGEST_KEY + evidence_key(graph)
    return replace(
        below(scene, _legend(graph, colours, scene)),
        caption=f"{_found(graph, colouring)} Too many nodes for their names.{key}",
    )


def without_names(scene: Scene) -> Scene:
    """Small nodes; those that stand for several are larger."""
    nodes = (
        replace(
            node,
            label="",
            badge="",
            stacked=False,
            size=_DOTS[node.kind, node.stacked],
            title=node.title or node.label.replace("\n", ", "),
        )
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
    variables = variable_nodes(graph, colours)
    factors = (
        Node(
            f"factor-{factor}",
            "factor",
            " ".join(filter(None, [factor_name(factor) * factor_names, gate_name(graph, factor)])),
            colour,
            colours.badge(colour),
            title=_factor_title(graph, factor),
        )
        for factor, colour in enumerate(colours.factors)
    )
    return Scene((*variables, *factors), tuple(_edges(graph)))


def variable_nodes(graph: FactorGraph, colours: GroupColours) -> Iterator[Node]:
    """The variables, each with its name, its state if that is known, and its group's colour."""
    fixed = set_variables(graph)
    for variable, colour in enumerate(colours.variables):
        state = graph.evidence.get(variable)
        label = node_label(
            graph.name(variable), None if state is None else graph.states(variable)[state]
        )
        yield Node(
            f"variable-{variable}",
            "variable",
            f"do({label})" if variable in fixed else label,
            colour,
            colours.badge(colour),
            observed=state is not None,
            fixed=variable in fixed,
            title=_variable_title(graph, variable, variable in fixed),
        )


def node_label(name: str, observed: str | None) -> str:
    """A name, with a state if that was observed."""
    if observed is None:
        return abbreviated(name)
    return f"{abbreviated(name)} = {abbreviated(observed, 12)}"


def _variable_title(graph: FactorGraph, variable: int, fixed: bool) -> str:
    """The whole name of a variable with its states, or the one that it is in."""
    name, states = graph.name(variable), graph.states(variable)
    if variable in graph.evidence:
        how = "set" if fixed else "observed"
        return f"{name} = {states[graph.evidence[variable]]}, {how}"
    return f"{name} ∈ {{{_listed(states)}}}"


def _factor_title(graph: FactorGraph, factor: int) -> str:
    """The name of a factor with its arguments, and what it tests if it is a gate."""
    arguments = [graph.name(variable) for variable in graph.scope_of(factor)[:_MOST_TITLED]]
    more = graph.scope_of(factor)[_MOST_TITLED:]
    scope = ", ".join([*arguments, *([f"… {len(more):,} more"] if more else [])])
    gate = gate_name(graph, factor)
    return f"{factor_name(factor)}({scope})" + f": {gate}" * bool(gate)


def _listed(states: Sequence[str]) -> str:
    more = ["…"] if len(states) > _MOST_TITLED else []
    return ", ".join([*states[:_MOST_TITLED], *more])


def _edges(graph: FactorGraph) -> Iterator[Edge]:
    """An edge for each factor and variable in its scope; an arrow from a gate to its child."""
    for factor in range(graph.factor_count):
        child = gate_child(graph, factor)
        for variable in dict.fromkeys(graph.scope_of(factor)):
            ends = f"variable-{variable}", f"factor-{factor}"
            yield Edge(*ends) if variable != child else Edge(ends[1], ends[0], arrow=True)


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
    is_gate = any(gate_child(graph, factor) is not None for factor in range(graph.factor_count))
    return key + _GATE_KEY * is_gate + evidence_key(graph)


def evidence_key(graph: FactorGraph) -> str:
    """The meaning of filled variables, if there are any."""
    fixed = set_variables(graph)
    return OBSERVED_KEY * (len(fixed) < len(graph.evidence)) + FIXED_KEY * bool(fixed)
