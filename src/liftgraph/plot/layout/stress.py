"""Places of nodes such that distances on paper are those in the graph: stress majorisation.

Everything is deterministic: the start is not random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]  # (n, 2)
Pairs = NDArray[np.intp]  # (e, 2)
_ROUNDS, _PATIENCE = 300, 4e7  # at most so many rounds, and so many pairs of nodes in all of them
_SETTLED = 3e-4  # moves that are smaller than this share of the picture's size change nothing
_FIRM = 40.0  # the weight of edges, relative to that of other pairs at their distance
_ALIGNED = 0.5  # how well edges must share their directions to turn the picture by them
_WAVES, _MULTIPLICATIONS = 8, 60  # how eigenvectors are found


def stress_layout(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> Places:
    """Places of the nodes of a connected graph, float64 (n, 2), the longer side horizontal.

    ``sizes``: the width and height of each node, (n, 2). ``gaps``: the room between the ends of
    each edge, (e,). Stress is the sum of squared relative errors of all distances; each round
    minimises a quadratic bound of it (Gansner, Koren and North 2004).
    """
    if len(sizes) == 1:
        return np.zeros((1, 2))
    distances = _path_lengths(len(sizes), edges, _edge_lengths(sizes, edges, gaps))
    weights = np.zeros_like(distances)
    apart = ~np.eye(len(sizes), dtype=bool)
    weights[apart] = distances[apart] ** -2.0
    for ends in (edges, edges[:, ::-1]):
        weights[tuple(ends.T)] *= _FIRM
    mean = 1 / len(sizes)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.asarray(np.linalg.inv(laplacian + mean) - mean, dtype=np.float64)  # up to a shift
    is_tree = len(edges) < len(sizes)
    start = _radial(distances, edges) if is_tree else _scaled(distances)
    return _upright(_relaxed(start, distances, weights, inverse), edges)


def _relaxed(start: Places, distances: Places, weights: Places, inverse: Places) -> Places:
    """Places with less stress than the start, close to a minimum of it."""
    places, weighted = start, weights * distances
    for _ in range(int(min(_ROUNDS, 30 + _PATIENCE / distances.size))):
        before = places
        pulls = weighted / np.maximum(_distances(places), 1e-9)
        places = inverse @ (pulls.sum(axis=1)[:, None] * places - pulls @ places)
        if np.abs(places - before).max() < _SETTLED * np.ptp(places):
            break
    return places


def _distances(places: Places) -> Places:
    squares = (places**2).sum(axis=1)
    apart: Places = np.sqrt(np.maximum(squares[:, None] + squares - 2 * places @ places.T, 0.0))
    return apart


def _edge_lengths(sizes: Places, edges: Pairs, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long edges should be, (e,): their ends have room, and so have all neighbours of a hub.

    Otherwise everything around a hub would be close to everything else, and what belongs together
    could not be seen. Many neighbours stand around a hub in several rings.
    """
    widths = sizes.sum(axis=1) / 2
    first, second = edges.T
    rims, areas = np.zeros(len(sizes)), np.zeros(len(sizes))
    for hub, neighbour in ((first, second), (second, first)):
        np.add.at(rims, hub, widths[neighbour] + gaps / 3)
        np.add.at(areas, hub, (widths[neighbour] + gaps / 3) ** 2)
    radii = np.minimum(rims / (2 * np.pi), np.sqrt(areas))
    plain = (widths[first] + widths[second]) / 2 + gaps
    lengths: NDArray[np.float64] = np.maximum(plain, np.maximum(radii[first], radii[second]))
    return lengths


def _path_lengths(node_count: int, edges: Pairs, lengths: NDArray[np.float64]) -> Places:
    """The lengths of shortest paths, (n, n)."""
    paths = np.full((node_count, node_count), np.inf)
    first, second = edges.T
    paths[first, second] = paths[second, first] = lengths
    np.fill_diagonal(paths, 0.0)
    for between in range(node_count):  # Floyd and Warshall
        np.minimum(paths, paths[:, between, None] + paths[between], out=paths)
    return paths


def _scaled(distances: Places) -> Places:
    """Classical scaling: the two directions in which the distances vary most.

    These are eigenvectors, found by multiplying a few vectors again and again.
    """
    squares = distances**2
    means = squares.mean(axis=0)
    inner = -(squares - means - means[:, None] + means.mean()) / 2
    waves = np.outer(np.arange(1.0, len(inner) + 1), np.arange(1.0, 1 + min(_WAVES, len(inner))))
    vectors = np.cos(waves * np.sqrt(2))
    for _ in range(_MULTIPLICATIONS):
        vectors, _ = np.linalg.qr(inner @ vectors)
    values, mixtures = np.linalg.eigh(vectors.T @ inner @ vectors)
    lengths = np.sqrt(np.maximum(values[[-1, -2]], 1e-9))
    scaled: Places = vectors @ mixtures[:, [-1, -2]] * lengths
    return scaled


def _radial(distances: Places, edges: Pairs) -> Places:
    """The shortest paths from the middle as a tree around it, in which no branches cross."""
    root = int(distances.max(axis=1).argmin())
    depth = distances[root]
    neighbours: dict[int, list[int]] = {}
    for first, second in edges[np.lexsort(edges.T)].tolist():
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    order = np.argsort(depth, kind="stable").tolist()
    children: dict[int, list[int]] = {node: [] for node in order}
    for node in order[1:]:
        ways = {other: depth[other] + distances[other, node] for other in neighbours[node]}
        children[min(ways, key=lambda other: ways[other])].append(node)
    leaves = dict.fromkeys(order, 1)
    for node in reversed(order):
        leaves[node] = max(1, sum(leaves[child] for child in children[node]))
    start, angles = {root: 0.0}, np.zeros(len(order))
    for node in order:
        begin = start[node]
        angles[node] = 2 * np.pi * (begin + leaves[node] / 2) / leaves[root]
        for child in children[node]:
            start[child], begin = begin, begin + leaves[child]
    places: Places = depth[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return places


def _upright(places: Places, edges: Pairs) -> Places:
    """Turned so that edges follow the axes if they have common directions, else the longest
    direction of the whole; the longer side is horizontal."""
    centred = places - places.mean(axis=0)
    along = centred[edges[:, 1]] - centred[edges[:, 0]]
    # The fourth power of a direction is the same if it is turned by 90 degrees.
    powers = (along[:, 0] + 1j * along[:, 1]) ** 4
    if abs(powers.sum()) > _ALIGNED * np.abs(powers).sum():
        angle = np.angle(powers.sum()) / 4
        cos, sin = np.cos(angle), np.sin(angle)
        turned = centred @ np.array([[cos, -sin], [sin, cos]])
    else:
        turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    width, height = np.ptp(turned, axis=0)
    return _signed(turned if width > 0.99 * height else turned[:, ::-1])


def _signed(places: Places) -> Places:
    """Mirrored so that the first node clearly off the middle has a negative coordinate, by axis."""
    off = np.abs(places) > 0.1 * np.abs(places).max(initial=0.0)
    first = np.argmax(off, axis=0)
    signs = np.sign(places[first, [0, 1]])
    mirrored: Places = places * np.where(signs > 0, -1.0, 1.0)
    return mirrored
