"""Room between nodes: no node covers another, and edges keep away from other nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgraph.plot.layout.stress import Pairs, Places

_GAP = 8.5  # between nodes; half their height if they are small
_CLEAR = 0.5  # of that, between an edge and a node that is not one of its ends
_GIVING_WAY = 2e-5  # how much a picture grows in each round, for each of its nodes
_ROUNDS, _PATIENCE = 160, 4000


def spaced(places: Places, sizes: Places, edges: Pairs) -> Places:
    """Nodes moved until none overlap; as long as it helps, also away from edges of other nodes."""
    best, fewest = places, np.inf
    for _ in range(_ROUNDS):
        push = _off_edges(places, sizes, edges)
        crossed = float(np.abs(push).sum())
        apart = without_overlaps(places + push, sizes)
        if crossed < 0.98 * fewest:
            best, fewest = places, crossed
        if crossed < 0.5:
            break
        places = apart
    return without_overlaps(best, sizes)


def is_clear(places: Places, sizes: Places, edges: Pairs) -> bool:
    """Whether no node is too close to another, or to an edge of others."""
    return not _apart(places, sizes).any() and not _off_edges(places, sizes, edges).any()


def without_overlaps(places: Places, sizes: Places) -> Places:
    """Nodes moved apart until none overlap, each along the axis where less is needed."""
    for _ in range(_PATIENCE):
        push = _apart(places, sizes)
        if not push.any():
            break
        places = (places + push) * (1 + _GIVING_WAY * len(places))  # in a crowd, all give way
    return places


def _gap(sizes: Places) -> float:
    return min(_GAP, float(sizes[:, 1].mean()) / 2)


def _apart(places: Places, sizes: Places) -> Places:
    """How far overlapping nodes should move: a bit more than half of their overlap."""
    offset = places[:, None] - places[None]
    room = (sizes[:, None] + sizes[None]) / 2 + _gap(sizes) - np.abs(offset)
    overlapping = (room > 1e-6).all(axis=2) & ~np.eye(len(places), dtype=bool)
    if not overlapping.any():
        return np.zeros_like(places)
    order = np.arange(len(places))
    later = np.where(order[:, None] > order[None], 1.0, -1.0)[..., None]
    direction = np.where(offset == 0, later, np.sign(offset))
    axis = np.argmin(room, axis=2)[..., None] == np.arange(2)
    push: Places = np.where(overlapping[..., None] & axis, 0.55 * direction * room, 0.0).sum(axis=1)
    return push


def _off_edges(places: Places, sizes: Places, edges: Pairs) -> Places:
    """How far nodes should move so that no edge of other nodes comes too close."""
    push = np.zeros_like(places)
    if not len(edges):
        return push
    start, end = places[edges[:, 0]], places[edges[:, 1]]
    along = end - start
    length = np.maximum(np.hypot(*along.T), 1e-9)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
    relative = places[None] - start[:, None]
    aside = np.einsum("enk,ek->en", relative, normal)
    share = np.einsum("enk,ek->en", relative, along) / length[:, None] ** 2
    reach = np.abs(normal) @ sizes.T / 2 + _CLEAR * _gap(sizes) - np.abs(aside)
    others = np.ones_like(reach, dtype=bool)
    others[np.arange(len(edges))[:, None], edges] = False
    near = (reach > 0) & others & (share > 0.0) & (share < 1.0)
    side = np.where(aside >= 0, 1.0, -1.0)
    amount = np.where(near, 0.4 * side * reach, 0.0)
    push += np.einsum("en,ek->nk", amount, normal)
    back = -0.25 * amount.sum(axis=1)[:, None] * normal
    np.add.at(push, edges[:, 0], back)
    np.add.at(push, edges[:, 1], back)
    size = np.maximum(np.hypot(*push.T), 1e-9)[:, None]
    limited: Places = push * np.minimum(1.0, 12.0 / size)
    return limited


def packed(parts: Sequence[tuple[Places, Places]], gap: float = 24.0) -> list[Places]:
    """Parts of a picture side by side in rows, the highest first; the whole is wider than high.

    Each part has the places and the sizes of its nodes. Returns the places, in the order of
    ``parts``.
    """
    corners = [
        ((places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0))
        for places, sizes in parts
    ]
    extents = [(high - low).tolist() for low, high in corners]
    area = sum((width + gap) * (height + gap) for width, height in extents)
    widest = max(1.25 * area**0.5, max((width for width, _ in extents), default=0.0))
    moved: list[Places] = [places for places, _ in parts]
    x = y = row_height = 0.0
    for part in sorted(range(len(parts)), key=lambda part: (-extents[part][1], part)):
        width, height = extents[part]
        if x > 0 and x + width > widest:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        moved[part] = parts[part][0] - corners[part][0] + (x, y)
        x, row_height = x + width + gap, max(row_height, height)
    return moved
