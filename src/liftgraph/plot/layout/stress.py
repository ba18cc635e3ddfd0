"""Places of nodes such that their distances are those in the graph: stress majorisation.

Everything is deterministic: there is no random start.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]  # (n, 2)
Pairs = NDArray[np.intp]  # (e, 2)
_ROUNDS = 300
_CLOSE = 30.0  # between the borders of neighbours, in points
_LONG, _SLENDER, _FOLDED = 1000.0, 6.0, 1.8  # points and proportions of ribbons, and when folded
_ROUND, _ALIGNED = 0.99, 0.3  # when no direction is the longest; how well edges share directions
_JITTER = 0.02  # equal distances have no preferred directions; slightly unequal ones do


def stress_layout(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> Places:
    """Places of the nodes of a connected graph, float64 (n, 2), the broad side horizontal.

    ``sizes``: width and height of each node; ``gaps``: (e,), between the borders of neighbours,
    if that is more than usual. Stress is the sum of squared relative errors of all
    distances; each round minimises a quadratic bound of it (Gansner, Koren and North, 2004).
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
    """Neighbours above each other may be closer than those side by side: labels are broad."""
    needed = sizes.mean(axis=0) + _CLOSE
    stretched: Places = places * (needed / needed.mean()) * 1.05
    return stretched


def _path_lengths(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> Places:
    """The lengths of shortest paths, (n, n): neighbours are as far apart as their sizes need."""
    radii = sizes.sum(axis=1) / 4
    count = len(sizes)
    lengths = np.full((count, count), np.inf)
    first, second = edges.T
    lengths[first, second] = lengths[second, first] = radii[first] + radii[second] + gaps
    np.fill_diagonal(lengths, 0.0)
    for between in range(count):
        np.minimum(lengths, lengths[:, between, None] + lengths[between], out=lengths)
    return lengths


def _laplacian(weights: Places) -> Places:
    laplacian: Places = np.diag(weights.sum(axis=1)) - weights
    return laplacian


def _scaled(distances: Places) -> Places:
    """Classical scaling: the two directions in which the distances vary most."""
    count = len(distances)
    order = np.arange(count)
    jitter = _JITTER * np.sin(1.0 + 7 * order[:, None] + 7 * order + order[:, None] * order)
    squares = (distances * (1 + jitter)) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-(centred + centred.T) / 4)
    largest = vectors[:, [-1, -2]] if count > 2 else np.stack([vectors[:, -1], np.zeros(2)], axis=1)
    return _signed(largest * np.sqrt(np.maximum(values[[-1, -2]], 1e-9)))


def folded(places: Places, sizes: Places) -> Places:
    """A long narrow ribbon in rows, every other one backwards, as on a folded strip of paper."""
    low, high = (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)
    length, high_row = high - low + (0.0, _CLOSE)
    if length < max(_LONG, _SLENDER * high_row):
        return places
    rows = max(1, round((length / (_FOLDED * high_row)) ** 0.5))
    along = (places[:, 0] - low[0]) * rows / length
    row = np.minimum(along.astype(np.intp), rows - 1)
    within = np.where(row % 2 == 0, along - row, row + 1 - along) * length / rows
    return np.stack([within, places[:, 1] + row * high_row], axis=1)


def _upright(places: Places, edges: Pairs) -> Places:
    """Turned so that the longest direction is horizontal; if none is, edges as far as possible."""
    centred = places - places.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ directions.T
    if lengths[1] > _ROUND * lengths[0]:
        along = turned[edges[:, 1]] - turned[edges[:, 0]]
        # Fourth powers are the same for all four directions of an axis.
        total = ((along[:, 0] + 1j * along[:, 1]) ** 4).sum()
        angle = np.angle(total) / 4
        if abs(total) > _ALIGNED * (np.hypot(*along.T) ** 4).sum():
            cos, sin = np.cos(angle), np.sin(angle)
            turned = turned @ np.array([[cos, -sin], [sin, cos]])
    return _signed(turned)


def _signed(places: Places) -> Places:
    """Mirrored so that the first node that is clearly off an axis has a negative coordinate."""
    off = np.abs(places) > 0.1 * np.abs(places).max(initial=0.0)
    first = np.argmax(off, axis=0)
    signs = np.sign(places[first, [0, 1]])
    mirrored: Places = places * np.where(signs > 0, -1.0, 1.0)
    return mirrored
