"""A place for every node of a graph, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.layout.spacing import packed, spaced
from liftgraph.plot.layout.stress import Places, stress_layout
from liftgraph.plot.scenes.scene import Node, Scene, Text, measured
from liftgraph.plot.text import SMALL, width

_DIRECTIONS = [(0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (-1, 1), (1, 1)]


def laid_out(scene: Scene) -> Scene:
    """A scene whose nodes have sizes and places: none overlap, neighbours are close."""
    nodes = [measured(node) for node in scene.nodes]
    number = {node.id: place for place, node in enumerate(nodes)}
    gaps: dict[tuple[int, int], float] = {}
    for edge in scene.edges:
        room = width(edge.label, SMALL) + 26 if edge.label else 0.0
        gaps[number[edge.first], number[edge.second]] = room
    sizes = np.array([node.size for node in nodes]).reshape(-1, 2)
    places = _placed(sizes, gaps)
    return replace(
        scene,
        nodes=tuple(
            replace(node, at=(float(x), float(y)))
            for node, (x, y) in zip(nodes, places, strict=True)
        ),
    )


def _placed(sizes: Places, gaps: Mapping[tuple[int, int], float]) -> Places:
    parts = _components(len(sizes), gaps)
    of = {member: (n, place) for n, part in enumerate(parts) for place, member in enumerate(part)}
    own: list[dict[tuple[int, int], float]] = [{} for _ in parts]
    for (first, second), gap in sorted(gaps.items()):
        own[of[first][0]][of[first][1], of[second][1]] = gap
    made = [
        (_part(sizes[part], inner), sizes[part]) for part, inner in zip(parts, own, strict=True)
    ]
    places = np.zeros_like(sizes)
    for part, found in zip(parts, packed(made), strict=True):
        places[part] = found
    return places


def _part(sizes: Places, gaps: Mapping[tuple[int, int], float]) -> Places:
    edges = np.array(list(gaps), dtype=np.intp).reshape(-1, 2)
    return spaced(stress_layout(sizes, edges, np.array(list(gaps.values()))), sizes, edges)


def _components(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The nodes of each connected part, increasing."""
    root = list(range(count))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = node = root[root[node]]
        return node

    for first, second in edges:
        one, other = sorted((find(first), find(second)))
        root[other] = one
    parts: dict[int, list[int]] = {}
    for node in range(count):
        parts.setdefault(find(node), []).append(node)
    return list(parts.values())


def named_beside(scene: Scene, names: dict[str, str]) -> Scene:
    """A scene with names beside some nodes, each where it covers least: nodes, names, edges."""
    nodes = {node.id: node for node in scene.nodes}
    lines = np.array([(nodes[e.first].at, nodes[e.second].at) for e in scene.edges])
    lines = lines.reshape(-1, 2, 2)
    boxes = [(*node.at, *node.size) for node in scene.nodes]
    texts = []
    for name, text in names.items():
        placed = _beside(nodes[name], text, lines, np.array(boxes))
        boxes.append((*placed.at, width(text, SMALL), SMALL))
        texts.append(placed)
    return replace(scene, texts=(*scene.texts, *texts))


def _beside(node: Node, text: str, lines: Places, boxes: Places) -> Text:
    """A name in one of eight directions; those listed first are better, if nothing is covered."""
    size = np.array([width(text, SMALL), SMALL])
    rim = 7.0 if node.many else 2.0
    reach = (np.array(node.size) + size) / 2 + rim

    def place(direction: tuple[int, int]) -> Places:
        at: Places = node.at + reach * direction
        return at

    def covered(direction: tuple[int, int]) -> int:
        away = np.abs(boxes[:, :2] - place(direction)) - (boxes[:, 2:] + size) / 2
        crossed = crossing(lines, place(direction), size / 2 + 1)
        return 10 * int((away < 0).all(axis=1).sum()) + int(crossed.sum())

    x, y = place(min(_DIRECTIONS, key=covered)).tolist()
    return Text(f"name-{node.id}", text, (x, y), SMALL, "center")


def crossing(lines: Places, centre: Places, half: Places) -> NDArray[np.bool_]:
    """Which lines, (e, 2, 2), meet a box: where both coordinates are within it at a time."""
    start, along = lines[:, 0] - centre, lines[:, 1] - lines[:, 0]
    safe = np.where(np.abs(along) < 1e-9, 1e-9, along)
    one, other = (-half - start) / safe, (half - start) / safe
    enters, leaves = np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)
    met: NDArray[np.bool_] = np.maximum(enters, 0.0) <= np.minimum(leaves, 1.0)
    return met
