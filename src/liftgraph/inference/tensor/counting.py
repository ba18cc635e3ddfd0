"""Arrays of integers that counting is made of: exponents, and ranks of histograms.

The variables of one individual that are counted together make up its *cell*: their joint state,
as a number in mixed radix. A histogram says how many individuals are in each cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.elimination_order import BEYOND_MEMORY
from liftgraph.model.arrays import codes, digits
from liftgraph.model.lifted.histograms import histogram_count, histograms

Integers = NDArray[np.int64]
Permutation = tuple[int, ...]
_LARGEST_LOG = 42.0  # a number with this logarithm is below BEYOND_MEMORY


@lru_cache(maxsize=16)
def cell_counts(individuals: int, cells: int) -> Integers:
    """All histograms of these individuals, int64 (histograms, cells), read-only."""
    counts = histograms(individuals, cells)
    counts.flags.writeable = False
    return counts


def rank(counts: Integers, individuals: int) -> Integers:
    """The row of each histogram among all of these individuals: int64 (...,) of (..., cells).

    >>> rank(np.array([[0, 2], [1, 1], [2, 0]]), 2).tolist()
    [0, 1, 2]
    """
    rows = np.zeros(counts.shape[:-1], dtype=np.int64)
    left = np.full(counts.shape[:-1], individuals, dtype=np.int64)
    cells = counts.shape[-1]
    for cell in range(cells - 1):
        # Earlier histograms have fewer in this cell, so more are left for the other cells.
        before = _histograms_up_to(individuals, cells - cell - 1)
        rows += before[left] - before[left - counts[..., cell]]
        left -= counts[..., cell]
    return rows


@lru_cache(maxsize=64)
def _histograms_up_to(individuals: int, cells: int) -> Integers:
    """How many histograms of at most 0, 1, …, all individuals there are."""
    if cells == 1:
        return np.arange(1, individuals + 2)
    return np.array([histogram_count(most, cells + 1) for most in range(individuals + 1)])


def histograms_at_most(individuals: int, cells: int) -> int:
    """How many histograms there are, or a number beyond all memory if there are more than that.

    >>> histograms_at_most(10, 2), histograms_at_most(10**6, 2**20) > 10**18
    (11, True)
    """
    if individuals >= BEYOND_MEMORY:  # perhaps no float is as large
        return 1 if cells == 1 else int(BEYOND_MEMORY)
    log = lgamma(individuals + cells) - lgamma(cells) - lgamma(individuals + 1)
    return histogram_count(individuals, cells) if log < _LARGEST_LOG else int(BEYOND_MEMORY)


class Exponents(Protocol):
    """Integers to raise entries to, computed when they are needed."""

    @property
    def total(self) -> int:
        """The largest number of factors that are multiplied."""

    @property
    def working_bytes(self) -> int:
        """Bytes that computing them takes, at most."""

    def array(self) -> Integers:
        """The exponents, int64 (b, e, h)."""


@dataclass(frozen=True)
class Repeated:
    """Every entry to the same power."""

    total: int

    @property
    def working_bytes(self) -> int:
        return 0

    def array(self) -> Integers:
        return np.array([[[self.total]]])


@dataclass(frozen=True)
class TupleExponents:
    """In how many ways different individuals fill places, for each choice of the places' cells.

    ``individuals`` are in cells with components of these ``shape``; ``kept``: the
    components that tell cells of places apart. ``excluded`` individuals, whose cells are known
    (b runs over them), fill no place. ``along``: b also runs over the histograms, instead of h.
    ``swaps``: permutations of the places that make no difference; ``times``: how many factors
    there are for each way.
    """

    individuals: int
    shape: tuple[int, ...]
    kept: tuple[int, ...]
    places: int
    excluded: int
    along: bool
    swaps: tuple[Permutation, ...]
    times: int = 1

    @property
    def total(self) -> int:
        return self.times * falling(self.individuals, self.places) // len(self.swaps)

    @property
    def working_bytes(self) -> int:
        kept = prod([self.shape[axis] for axis in self.kept])
        tuples: int = kept ** (self.excluded + self.places)
        integers = 2 * prod(self.shape) + 4 * tuples  # for each histogram
        return 8 * histograms_at_most(self.individuals, prod(self.shape)) * integers

    def array(self) -> Integers:
        joint = cell_counts(self.individuals, prod(self.shape))
        gone = tuple(1 + axis for axis in range(len(self.shape)) if axis not in self.kept)
        counts = joint.reshape(len(joint), *self.shape).sum(axis=gone).reshape(len(joint), -1)
        cells = counts.shape[1]
        taken = _tuples(cells, self.excluded)
        left = counts - taken[:, None, :]
        ways = self.times * tuple_counts(left, self.places)
        if len(self.swaps) > 1:
            ways = once_per_orbit(ways, cells, self.swaps)
        if self.along:
            return ways.reshape(len(taken) * len(joint), -1, 1)
        return ways.transpose(0, 2, 1)


def _tuples(cells: int, places: int) -> Integers:
    """How many of some places are in each cell: int64 (cells ** places, cells)."""
    counts = np.zeros((1, cells), dtype=np.int64)
    for _ in range(places):
        counts = (counts[:, None, :] + np.eye(cells, dtype=np.int64)).reshape(-1, cells)
    return counts


def tuple_counts(counts: Integers, places: int) -> Integers:
    """In how many ways different individuals fill places so that each is in a given cell.

    ``counts``: individuals in each cell, int64 (..., cells). Result: int64 (..., cells ** places),
    the cells of the places as a number in mixed radix.

    >>> tuple_counts(np.array([2, 1]), 2).tolist()
    [2, 2, 2, 0]
    """
    total = np.ones((*counts.shape[:-1], 1), dtype=np.int64)
    for place in range(places):
        earlier = _tuples(counts.shape[-1], place)
        left = np.maximum(counts[..., None, :] - earlier, 0)
        total = (total[..., None] * left).reshape(*counts.shape[:-1], -1)
    return total


def once_per_orbit(counts: Integers, cells: int, swaps: Sequence[Permutation]) -> Integers:
    """Counts of tuples of cells, where tuples that swaps of places take to each other are one.

    ``counts``: int64 (..., cells ** places). The first tuple of each orbit gets the count
    of all, divided by how many swaps leave the tuple unchanged: these only permute individuals.

    >>> once_per_orbit(tuple_counts(np.array([2, 2]), 2), 2, [(0, 1), (1, 0)]).tolist()
    [1, 4, 0, 1]
    """
    shape = (cells,) * len(swaps[0])
    tuples = np.arange(prod(shape))
    columns = digits(tuples, shape)
    images = np.array([codes([columns[place] for place in swap], shape) for swap in swaps])
    stabilisers = (images == tuples).sum(axis=0)
    return np.where(images.min(axis=0) == tuples, counts // stabilisers, 0)


def falling(individuals: int, places: int) -> int:
    """In how many ways different individuals fill places, one after the other.

    >>> falling(5, 2), falling(1, 2)
    (20, 0)
    """
    return prod(range(individuals - places + 1, individuals + 1)) if places <= individuals else 0
