"""A large factor graph in one view: a node for each group, with its size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.layout import laid_out
from liftgraph.plot.scenes.bars import sizes_scene
from liftgraph.plot.scenes.factor_graph import called, variable_label
from liftgraph.plot.scenes.groups import Groups, group_colours
from liftgraph.plot.scenes.scene import Edge, Node, Scene
from liftgraph.symmetry.colours.colouring import Colouring, factor_of_edges

Members = NDArray[np.intp]
_MOST_GROUPS = 60  # of variables and of factors together


def summary_scene(graph: FactorGraph, found: Colouring) -> Scene:
    """The quotient graph; if even that is too large, how many groups have which size."""
    if not has_few_groups(found):
        scene = sizes_scene(found)
        return replace(scene, caption=f"Too many groups to draw each of them: {scene.caption}")
    return quotient_scene(graph, found)


def has_few_groups(found: Colouring) -> bool:
    """Whether there are so few groups that a node for each can be seen."""
    return found.variable_group_count + found.factor_group_count <= _MOST_GROUPS


def quotient_scene(graph: FactorGraph, found: Colouring) -> Scene:
    """A node for each group, and on each edge how often members meet."""
    colours = group_colours(found.variable_colours, found.factor_colours)
    variables = (
        _variables(graph, number, members, colours)
        for number, members in enumerate(found.variable_groups)
    )
    factors = (
        _factors(number, members, colours) for number, members in enumerate(found.factor_groups)
    )
    scene = Scene((*variables, *factors), tuple(quotient_edges(graph, found)))
    caption = (
        f"A summary, not the graph: {graph.variable_count:,} variables in"
        f" {found.variable_group_count:,} groups, {graph.factor_count:,} factors in"
        f" {found.factor_group_count:,} ({called(found)}). A node is a group, with one"
        " of its members and how many there are. a:b on an edge: each variable is in a of"
        " these factors, and each factor has b of these variables; 1:1 if nothing is written."
    )
    return replace(laid_out(scene), caption=caption)


def _variables(graph: FactorGraph, number: int, members: Members, colours: Groups) -> Node:
    first, many = int(members[0]), len(members) > 1
    label = variable_label(graph, first) + (f"\n× {format_count(len(members))}" if many else "")
    observed = first in graph.evidence
    group = colours.variables[first]
    return Node(f"variables-{number}", "variable", label, group, many=many, observed=observed)


def _factors(number: int, members: Members, colours: Groups) -> Node:
    label, many = f"× {format_count(len(members))}", len(members) > 1
    return Node(f"factors-{number}", "factor", label, colours.factors[members[0]], many=many)


def quotient_edges(graph: FactorGraph, found: Colouring) -> list[Edge]:
    """An edge for each two groups with members that meet: how often, seen from either side."""
    span = found.factor_group_count
    colours = found.variable_colours[graph.scope], found.factor_colours[factor_of_edges(graph)]
    met, times = np.unique(colours[0].astype(np.int64) * span + colours[1], return_counts=True)
    variables, factors = np.bincount(found.variable_colours), np.bincount(found.factor_colours)
    edges = []
    for pair, count in zip(met.tolist(), times.tolist(), strict=True):
        v, f = divmod(pair, span)
        each = count // int(variables[v]), count // int(factors[f])
        label = "" if each == (1, 1) else f"{each[0]:,}:{each[1]:,}"
        edges.append(Edge(f"variables-{v}", f"factors-{f}", label))
    return edges
