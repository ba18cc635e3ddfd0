"""A place for every node of a graph, one connected component after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.layout.folding import Bends, folded
from liftgraph.plot.layout.lattice import on_lattice
from liftgraph.plot.layout.spacing import packed, spaced, without_overlaps
from liftgraph.plot.layout.stress import Pairs, Places, stress_layout
from liftgraph.plot.scene import Node, Point, Scene
from liftgraph.plot.text import SMALL_FONT, text_width

Gaps = Mapping[tuple[int, int], float]  # room for the label of each edge, by its nodes' indices
_CLOSE = 24.0  # between the borders of neighbours, in points; less if nodes are small
_CLOSER = 0.6  # of that, if all edges are straight lines
_NUMBER = 8.0  # what a factor's number needs beyond the usual room between nodes
_CROWD = 200  # in larger graphs nodes do not give way to edges


def laid_out(scene: Scene) -> Scene:
    """A scene whose nodes have sizes and places: none overlap, neighbours are close."""
    return placed(replace(scene, nodes=tuple(map(measured, scene.nodes))))


def placed(scene: Scene) -> Scene:
    """The same for nodes that have sizes already."""
    nodes = scene.nodes
    index = {node.id: position for position, node in enumerate(nodes)}
    pairs = [(index[edge.first], index[edge.second]) for edge in scene.edges]
    rooms = [text_width(edge.label, SMALL_FONT) + 26 if edge.label else 0 for edge in scene.edges]
    sizes = np.array([*map(_room, nodes)]).reshape(-1, 2)
    places, turns = _places(sizes, dict(zip(pairs, rooms, strict=True)))
    at = [(x, y) for x, y in places.tolist()]
    edges = [
        replace(edge, via=((turns[pair], at[pair[0]][1]), (turns[pair], at[pair[1]][1])))
        if pair in turns
        else edge
        for edge, pair in zip(scene.edges, pairs, strict=True)
    ]
    there = tuple(replace(node, at=place) for node, place in zip(nodes, at, strict=True))
    return replace(scene, nodes=there, edges=tuple(edges))


def _room(node: Node) -> Point:
    """The width and height that a node needs: numbers above the names of factors need more."""
    width, height = node.size
    return width, height + _NUMBER * (node.kind == "factor" and bool(node.label and node.badge))


def _places(sizes: Places, gaps: Gaps) -> tuple[Places, dict[tuple[int, int], float]]:
    """The places of all nodes, and where edges turn that are not straight."""
    components = _components(len(sizes), gaps)
    position = {
        node: (component, rank)
        for component, members in enumerate(components)
        for rank, node in enumerate(members)
    }
    inner_gaps: list[dict[tuple[int, int], float]] = [{} for _ in components]
    for (first, second), gap in sorted(gaps.items()):
        component, rank = position[first]
        inner_gaps[component][rank, position[second][1]] = gap
    alone = [
        _component_places(sizes[members], inner)
        for members, inner in zip(components, inner_gaps, strict=True)
    ]
    parts = [(at, sizes[members]) for members, (at, _) in zip(components, alone, strict=True)]
    places = np.zeros_like(sizes)
    for members, member_places in zip(components, packed(parts), strict=True):
        places[members] = member_places
    turns: dict[tuple[int, int], float] = {}
    for members, inner, (_, bends) in zip(components, inner_gaps, alone, strict=True):
        pairs = [(members[first], members[second]) for first, second in inner]
        turns |= {pairs[edge]: float(places[pairs[edge][0], 0]) + bends[edge] for edge in bends}
    return places, turns


def _component_places(sizes: Places, gaps: Gaps) -> tuple[Places, Bends]:
    edges = np.array(list(gaps), dtype=np.intp).reshape(-1, 2)
    labels, close = np.array(list(gaps.values())), min(_CLOSE, 2 * float(sizes[:, 1].mean()))
    places = stress_layout(sizes, edges, np.maximum(labels, close))
    straight = on_lattice(places, sizes, edges, np.maximum(labels, _CLOSER * close))
    if straight is not None:
        return folded(straight, sizes, edges)
    needed = sizes.mean(axis=0) + close
    stretched = places * (needed / needed.mean()) * 1.05  # labels are wide, so that rows are closer
    apart = spaced if len(sizes) <= _CROWD else _uncovered
    return folded(apart(stretched, sizes, edges), sizes, edges)


def _uncovered(places: Places, sizes: Places, edges: Pairs) -> Places:
    return without_overlaps(places, sizes)


def _components(node_count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The nodes of each connected component, increasing."""
    connected: DisjointSets[int] = DisjointSets()
    for edge in edges:
        connected.join(edge)
    components: dict[int, list[int]] = {}
    for node in range(node_count):
        components.setdefault(connected.find(node), []).append(node)
    return list(components.values())
