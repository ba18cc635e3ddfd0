"""A large factor graph at a glance: a node for each group, with its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from liftgraph.display import format_count
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.graph_layout import laid_out, placed
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.captions import group_counts
from liftgraph.plot.scenes.factor_graph import (
    LARGEST_KEY,
    OBSERVED_KEY,
    variable_label,
    without_names,
)
from liftgraph.plot.scenes.group_colours import GroupColours, group_colours, largest_groups
from liftgraph.plot.scenes.group_sizes import group_sizes_scene
from liftgraph.symmetry.colours.colouring import Colouring, factor_of_edges

_MOST_GROUPS = 60  # of variables and of factors together, with names
_MOST_DOTS = 1000  # the same without names


def summary_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """The quotient graph; if even that is too large, how many groups have which size."""
    if has_few_groups(colouring):
        return quotient_scene(graph, colouring)
    if has_few_groups(colouring, _MOST_DOTS):
        return small_quotient_scene(graph, colouring)
    scene = group_sizes_scene(colouring)
    return replace(scene, caption=f"Too many groups to draw: {scene.caption}")


def has_few_groups(colouring: Colouring, most: int = _MOST_GROUPS) -> bool:
    """Whether there are few enough groups to draw a node for each."""
    return colouring.variable_group_count + colouring.factor_group_count <= most


def quotient_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """A node for each group, and on each edge how often members meet."""
    caption = (
        f"{_summary(colouring)} A node is a group, with the name of"
        " one member and the number of members. On an edge, a:b means that each variable is in a of"
        " these factors and each factor has b of these variables; no label means 1:1."
    )
    colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    return replace(laid_out(_quotient(graph, colouring, colours)), caption=caption)


def small_quotient_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """A small node for each group, without names and numbers."""
    colours = group_colours(colouring.variable_colours, colouring.factor_colours)
    scene = without_names(_quotient(graph, colouring, largest_groups(colours)))
    edges = tuple(replace(edge, label="") for edge in scene.edges)
    key = " A node is a group; those with more than one member are larger."
    observed = OBSERVED_KEY * bool(graph.evidence)
    caption = f"{_summary(colouring)}{key}{LARGEST_KEY}{observed}"
    return replace(placed(replace(scene, edges=edges)), caption=caption)


def _summary(colouring: Colouring) -> str:
    return f"A summary, not the graph: {group_counts(colouring)}."


def _quotient(graph: FactorGraph, colouring: Colouring, colours: GroupColours) -> Scene:
    variables = _variable_groups(graph, colouring, colours)
    nodes = (*variables, *_factor_groups(colouring, colours))
    return Scene(nodes, tuple(quotient_edges(graph, colouring)))


def _variable_groups(
    graph: FactorGraph, colouring: Colouring, colours: GroupColours
) -> Iterator[Node]:
    for index, members in enumerate(colouring.variable_groups):
        first, several = int(members[0]), len(members) > 1
        size = f"\n× {format_count(len(members))}" if several else ""
        yield Node(
            f"variables-{index}",
            "variable",
            variable_label(graph, first) + size,
            colours.variables[first],
            stacked=several,
            observed=first in graph.evidence,
        )


def _factor_groups(colouring: Colouring, colours: GroupColours) -> Iterator[Node]:
    for index, members in enumerate(colouring.factor_groups):
        label, several = f"× {format_count(len(members))}", len(members) > 1
        colour = colours.factors[members[0]]
        yield Node(f"factors-{index}", "factor", label, colour, stacked=several)


def quotient_edges(graph: FactorGraph, colouring: Colouring) -> list[Edge]:
    """An edge for each pair of groups whose members meet: how often, seen from either side."""
    factor_groups = colouring.factor_group_count
    variable_group = colouring.variable_colours[graph.scope].astype(np.int64)
    factor_group = colouring.factor_colours[factor_of_edges(graph)]
    pairs, counts = np.unique(variable_group * factor_groups + factor_group, return_counts=True)
    variable_sizes = np.bincount(colouring.variable_colours).tolist()
    factor_sizes = np.bincount(colouring.factor_colours).tolist()
    edges = []
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        v, f = divmod(pair, factor_groups)
        per_variable, per_factor = count // variable_sizes[v], count // factor_sizes[f]
        label = "" if per_variable == per_factor == 1 else f"{per_variable:,}:{per_factor:,}"
        edges.append(Edge(f"variables-{v}", f"factors-{f}", label))
    return edges
