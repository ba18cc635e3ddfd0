"""A place for every node of a graph, one connected component after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.layout.spacing import packed, spaced
from liftgraph.plot.layout.stress import Places, stress_layout
from liftgraph.plot.scene import Scene
from liftgraph.plot.text import SMALL_FONT, text_width

Gaps = Mapping[tuple[int, int], float]  # room for the label of each edge, by its nodes' indices


def laid_out(scene: Scene) -> Scene:
    """A scene whose nodes have sizes and places: none overlap, neighbours are close."""
    nodes = [measured(node) for node in scene.nodes]
    index = {node.id: position for position, node in enumerate(nodes)}
    gaps = {
        (index[edge.first], index[edge.second]): text_width(edge.label, SMALL_FONT) + 26
        if edge.label
        else 0.0
        for edge in scene.edges
    }
    sizes = np.array([node.size for node in nodes]).reshape(-1, 2)
    places = _places(sizes, gaps).tolist()
    placed = (replace(node, at=(x, y)) for node, (x, y) in zip(nodes, places, strict=True))
    return replace(scene, nodes=tuple(placed))


def _places(sizes: Places, gaps: Gaps) -> Places:
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
    laid_out_components = [
        (_component_places(sizes[members], inner), sizes[members])
        for members, inner in zip(components, inner_gaps, strict=True)
    ]
    places = np.zeros_like(sizes)
    for members, member_places in zip(components, packed(laid_out_components), strict=True):
        places[members] = member_places
    return places


def _component_places(sizes: Places, gaps: Gaps) -> Places:
    edges = np.array(list(gaps), dtype=np.intp).reshape(-1, 2)
    return spaced(stress_layout(sizes, edges, np.array(list(gaps.values()))), sizes, edges)


def _components(node_count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The nodes of each connected component, increasing."""
    connected: DisjointSets[int] = DisjointSets()
    for edge in edges:
        connected.join(edge)
    components: dict[int, list[int]] = {}
    for node in range(node_count):
        components.setdefault(connected.find(node), []).append(node)
    return list(components.values())
