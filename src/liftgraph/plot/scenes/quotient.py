"""A large factor graph at a glance: a node for each group, with its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from liftgraph.display import format_count
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.graph_layout import laid_out, placed
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.captions import algorithm_name, group_counts
from liftgraph.plot.scenes.factor_graph import (
    LARGEST_KEY,
    OBSERVED_KEY,
    node_label,
    without_names,
)
from liftgraph.plot.scenes.group_colours import (
    GroupColours,
    colours_by_size,
    colours_of_groups,
    largest_groups,
)
from liftgraph.plot.scenes.group_sizes import group_sizes_scene
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.colours.quotient import Meeting, Quotient, quotient_of

_MOST_GROUPS = 60  # of variables and of factors together, with names
_MOST_DOTS = 1000  # the same without names


def summary_scene(quotient: Quotient, colours: GroupColours | None = None) -> Scene:
    """The quotient graph; if even that is too large, how many groups have which size.

    ``colours``: those of the groups in other pictures; default: large groups have the first ones.
    """
    if has_few_groups(quotient):
        return quotient_scene(quotient, colours)
    if has_few_groups(quotient, _MOST_DOTS):
        return small_quotient_scene(quotient, colours)
    sizes = quotient.variable_sizes, quotient.factor_sizes
    scene = group_sizes_scene(*sizes, algorithm_name(quotient))
    return replace(scene, caption=f"Too many groups to draw: {scene.caption}")


def graph_summary_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """The summary of a graph; its groups have the colours that they have in its other pictures.

    Precondition: the colouring is one of this graph.
    """
    colours = colours_of_groups(colouring.variable_colours, colouring.factor_colours)
    return summary_scene(quotient_of(graph, colouring), colours)


def has_few_groups(groups: Colouring | Quotient, most: int = _MOST_GROUPS) -> bool:
    """Whether there are few enough groups to draw a node for each."""
    return groups.variable_group_count + groups.factor_group_count <= most


def quotient_scene(quotient: Quotient, colours: GroupColours | None = None) -> Scene:
    """A node for each group, and on each edge how often members meet."""
    caption = (
        f"{_summary(quotient)} A node is a group, with the name of"
        " one member and the number of members. On an edge, a:b means that each variable is in a of"
        " these factors and each factor has b of these variables; no label means 1:1."
    )
    return replace(laid_out(_scene(quotient, colours or _colours(quotient))), caption=caption)


def small_quotient_scene(quotient: Quotient, colours: GroupColours | None = None) -> Scene:
    """A small node for each group, without names and numbers."""
    sizes = quotient.variable_sizes, quotient.factor_sizes
    largest = largest_groups(colours or _colours(quotient), sizes)
    scene = without_names(_scene(quotient, largest))
    edges = tuple(replace(edge, label="") for edge in scene.edges)
    key = " A node is a group; those with more than one member are larger."
    observed = OBSERVED_KEY * bool((quotient.observed >= 0).any())
    caption = f"{_summary(quotient)}{key}{LARGEST_KEY}{observed}"
    return replace(placed(replace(scene, edges=edges)), caption=caption)


def _summary(quotient: Quotient) -> str:
    sizes = quotient.variable_sizes, quotient.factor_sizes
    return f"A summary, not the graph: {group_counts(*sizes, algorithm_name(quotient))}."


def _colours(quotient: Quotient) -> GroupColours:
    return colours_by_size(quotient.variable_sizes, quotient.factor_sizes)


def _scene(quotient: Quotient, colours: GroupColours) -> Scene:
    nodes = (*_variable_groups(quotient, colours), *_factor_groups(quotient, colours))
    return Scene(nodes, tuple(map(_edge, quotient.meetings)))


def _variable_groups(quotient: Quotient, colours: GroupColours) -> Iterator[Node]:
    states = zip(quotient.state_set_id.tolist(), quotient.observed.tolist(), strict=True)
    sizes = quotient.variable_sizes.tolist()
    for group, ((kind, state), size) in enumerate(zip(states, sizes, strict=True)):
        observed = None if state < 0 else quotient.state_sets[kind][state]
        yield Node(
            f"variables-{group}",
            "variable",
            node_label(quotient.names[group], observed) + _times(size),
            colours.variables[group],
            stacked=size > 1,
            observed=observed is not None,
        )


def _times(size: int) -> str:
    """The line of a label that says how many members a group has; nothing if it has one."""
    return f"\n× {format_count(size)}" if size > 1 else ""


def _factor_groups(quotient: Quotient, colours: GroupColours) -> Iterator[Node]:
    for group, size in enumerate(quotient.factor_sizes.tolist()):
        label, colour = f"× {format_count(size)}", colours.factors[group]
        yield Node(f"factors-{group}", "factor", label, colour, stacked=size > 1)


def _edge(meeting: Meeting) -> Edge:
    """An edge that says how often members of two groups meet, seen from either side."""
    once = meeting.factors == meeting.variables == 1
    label = "" if once else f"{meeting.factors:,}:{meeting.variables:,}"
    return Edge(f"variables-{meeting.variable_group}", f"factors-{meeting.factor_group}", label)
