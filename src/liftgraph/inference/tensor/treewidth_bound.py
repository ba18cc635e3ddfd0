"""A lower bound on the treewidth of a large graph, in arrays: what no order can do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
_CLUSTERS = 512  # of the minor that is looked at
_ROUNDS = 40  # in which clusters grow


def least_treewidth(first: Integers, second: Integers, count: int) -> int:
    """A number that the treewidth of a graph is not below.

    ``first`` and ``second``: the ends of its edges, among ``count`` vertices. Contracting connected
    clusters makes a minor, whose treewidth is at most that of the graph; and a graph in which some
    subgraph has minimum degree k has treewidth k at least (Bodlaender and Koster 2011). The
    clusters grow around vertices that are chosen at random, with a fixed seed.

    >>> least_treewidth(np.array([0, 0, 0, 1, 1, 2]), np.array([1, 2, 3, 2, 3, 3]), 4)
    3
    """
    cluster = _clusters(first, second, count)
    ends = np.sort(np.stack([cluster[first], cluster[second]]), axis=0)
    inside = (ends[0] < 0) | (ends[0] == ends[1])
    low, high = np.divmod(np.unique(ends[0, ~inside] * count + ends[1, ~inside]), count)
    degeneracy = 0
    while len(low):
        degree = np.bincount(np.concatenate([low, high]))
        stays = (degree[low] > degeneracy) & (degree[high] > degeneracy)
        degeneracy += bool(stays.all())
        low, high = low[stays], high[stays]
    return degeneracy


def _clusters(first: Integers, second: Integers, count: int) -> Integers:
    """The cluster of each vertex, int64 (count,); -1 for those that no cluster reaches."""
    cluster = np.full(count, -1, dtype=np.int64)
    met = np.unique(np.concatenate([first, second]))
    centres = np.random.default_rng(0).permutation(met)[:_CLUSTERS]
    cluster[centres] = np.arange(len(centres))
    for _ in range(_ROUNDS):
        grown = cluster.copy()
        for ends, others in ((first, second), (second, first)):
            reached = (cluster[ends] < 0) & (cluster[others] >= 0)
            grown[ends[reached]] = cluster[others[reached]]
        if np.array_equal(grown, cluster):
            break
        cluster = grown
    return cluster
