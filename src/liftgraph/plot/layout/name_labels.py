"""Names beside nodes, where they cover as little as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.layout.stress import Places
from liftgraph.plot.scene import Node, Scene, Text
from liftgraph.plot.text import SMALL_FONT, text_width

_DIRECTIONS = [(0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (-1, 1), (1, 1)]


def named_beside(scene: Scene, names: Mapping[str, str]) -> Scene:
    """A scene with names beside some of its nodes, by node id."""
    nodes = {node.id: node for node in scene.nodes}
    segments = np.array([(nodes[edge.first].at, nodes[edge.second].at) for edge in scene.edges])
    segments = segments.reshape(-1, 2, 2)
    boxes = [(*node.at, *node.size) for node in scene.nodes]
    texts = []
    for node_id, name in names.items():
        text = _beside(nodes[node_id], name, segments, np.array(boxes))
        boxes.append((*text.at, text_width(name, SMALL_FONT), SMALL_FONT))
        texts.append(text)
    return replace(scene, texts=(*scene.texts, *texts))


def _beside(node: Node, name: str, segments: Places, boxes: Places) -> Text:
    """A name in the direction where it covers least; the directions listed first are preferred.

    ``segments``: edges, (e, 2, 2). ``boxes``: centres and sizes of what must not be covered,
    (n, 4).
    """
    size = np.array([text_width(name, SMALL_FONT), SMALL_FONT])
    rim = 7.0 if node.stacked else 2.0
    reach = (np.array(node.size) + size) / 2 + rim

    def place(direction: tuple[int, int]) -> Places:
        at: Places = node.at + reach * direction
        return at

    def covered(direction: tuple[int, int]) -> int:
        clearance = np.abs(boxes[:, :2] - place(direction)) - (boxes[:, 2:] + size) / 2
        crossed = crossing(segments, place(direction), size / 2 + 1)
        return 10 * int((clearance < 0).all(axis=1).sum()) + int(crossed.sum())

    x, y = place(min(_DIRECTIONS, key=covered)).tolist()
    return Text(f"name-{node.id}", name, (x, y), SMALL_FONT, "center")


def crossing(segments: Places, centre: Places, half: Places) -> NDArray[np.bool_]:
    """Which segments, (e, 2, 2), meet a box, given by its centre and half its size.

    A segment meets the box if there is a moment at which both coordinates are within it.
    """
    start, along = segments[:, 0] - centre, segments[:, 1] - segments[:, 0]
    safe = np.where(np.abs(along) < 1e-9, 1e-9, along)
    low, high = (-half - start) / safe, (half - start) / safe
    enters, leaves = np.minimum(low, high).max(axis=1), np.maximum(low, high).min(axis=1)
    met: NDArray[np.bool_] = np.maximum(enters, 0.0) <= np.minimum(leaves, 1.0)
    return met
