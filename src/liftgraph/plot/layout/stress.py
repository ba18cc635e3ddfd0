"""Places of nodes such that distances on paper are those in the graph: stress majorisation.

Everything is deterministic: the start is not random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]  # (n, 2)
Pairs = NDArray[np.intp]  # (e, 2)
_ROUNDS = 300
_CLOSE = 30.0  # between the borders of neighbours, in points
_LONG, _SLENDER = 1000.0, 6.0  # ribbons longer than this (in points, and in widths) are folded
_FOLDED = 1.8  # width by height of a folded ribbon
_ROUND = 0.99  # if the ratio of the axes is larger, no direction is the longest
_ALIGNED = 0.3  # how well edges must share their directions to turn the picture by them
_JITTER = 0.02  # equal distances have no preferred direction; slightly unequal ones have


def stress_layout(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> Places:
    """Places of the nodes of a connected graph, float64 (n, 2), the longer side horizontal.

    ``sizes``: the width and height of each node, (n, 2). ``gaps``: the room between the ends of
    each edge, (e,), if more than usual is needed. Stress is the sum of squared relative errors of
    all distances; each round minimises a quadratic bound of it (Gansner, Koren and North 2004).
    """
    if len(sizes) == 1:
        return np.zeros((1, 2))
    distances = _path_lengths(sizes, edges, np.maximum(gaps, _CLOSE))
    weights = np.zeros_like(distances)
    apart = ~np.eye(len(sizes), dtype=bool)
    weights[apart] = distances[apart] ** -2.0
    inverse = np.linalg.pinv(_laplacian(weights))
    places = _scaled(distances)
    for _ in range(_ROUNDS):
        actual = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratios = np.divide(distances, actual, out=np.zeros_like(actual), where=actual > 1e-9)
        places = inverse @ (_laplacian(weights * ratios) @ places)
    return folded(_stretched(_upright(places, edges), sizes), sizes)


def _stretched(places: Places, sizes: Places) -> Places:
    """Neighbours above each other may be closer than those side by side: labels are wide."""
    needed = sizes.mean(axis=0) + _CLOSE
    stretched: Places = places * (needed / needed.mean()) * 1.05
    return stretched


def _path_lengths(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> Places:
    """The lengths of shortest paths, (n, n): neighbours are as far apart as their sizes need."""
    radii = sizes.sum(axis=1) / 4
    n = len(sizes)
    lengths = np.full((n, n), np.inf)
    first, second = edges.T
    lengths[first, second] = lengths[second, first] = radii[first] + radii[second] + gaps
    np.fill_diagonal(lengths, 0.0)
    for between in range(n):  # Floyd and Warshall
        np.minimum(lengths, lengths[:, between, None] + lengths[between], out=lengths)
    return lengths


def _laplacian(weights: Places) -> Places:
    laplacian: Places = np.diag(weights.sum(axis=1)) - weights
    return laplacian


def _scaled(distances: Places) -> Places:
    """Classical scaling: the two directions in which the distances vary most."""
    n = len(distances)
    order = np.arange(n)
    jitter = _JITTER * np.sin(1.0 + 7 * order[:, None] + 7 * order + order[:, None] * order)
    squares = (distances * (1 + jitter)) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-(centred + centred.T) / 4)
    largest = vectors[:, [-1, -2]] if n > 2 else np.stack([vectors[:, -1], np.zeros(2)], axis=1)
    return _signed(largest * np.sqrt(np.maximum(values[[-1, -2]], 1e-9)))


def folded(places: Places, sizes: Places) -> Places:
    """A long narrow ribbon in rows, every second one backwards, as on a folded strip of paper."""
    low, high = (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)
    length, row_height = high - low + (0.0, _CLOSE)
    if length < max(_LONG, _SLENDER * row_height):
        return places
    rows = max(1, round((length / (_FOLDED * row_height)) ** 0.5))
    along = (places[:, 0] - low[0]) * rows / length
    row = np.minimum(along.astype(np.intp), rows - 1)
    within = np.where(row % 2 == 0, along - row, row + 1 - along) * length / rows
    return np.stack([within, places[:, 1] + row * row_height], axis=1)


def _upright(places: Places, edges: Pairs) -> Places:
    """Turned so that the longest direction is horizontal; if none is, edges follow the axes."""
    centred = places - places.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ directions.T
    if lengths[1] > _ROUND * lengths[0]:
        along = turned[edges[:, 1]] - turned[edges[:, 0]]
        # The fourth power of a direction is the same if it is turned by 90 degrees.
        total = ((along[:, 0] + 1j * along[:, 1]) ** 4).sum()
        angle = np.angle(total) / 4
        if abs(total) > _ALIGNED * (np.hypot(*along.T) ** 4).sum():
            cos, sin = np.cos(angle), np.sin(angle)
            turned = turned @ np.array([[cos, -sin], [sin, cos]])
    return _signed(turned)


def _signed(places: Places) -> Places:
    """Mirrored so that the first node clearly off the middle has a negative coordinate, by axis."""
    off = np.abs(places) > 0.1 * np.abs(places).max(initial=0.0)
    first = np.argmax(off, axis=0)
    signs = np.sign(places[first, [0, 1]])
    mirrored: Places = places * np.where(signs > 0, -1.0, 1.0)
    return mirrored
