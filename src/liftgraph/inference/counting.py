"""Arrays of integers that counting is made of: exponents, and places of histograms.

The variables of one individual that are counted together make up its *cell*: their joint state,
as a number in mixed radix. A histogram says how many individuals are in each cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.histograms import histogram_count, histograms

Integers = NDArray[np.int64]
Permutation = tuple[int, ...]


@lru_cache(maxsize=16)
def cell_counts(number: int, cells: int) -> Integers:
    """All histograms of so many individuals, int64 (histograms, cells), not to be written to."""
    counts = histograms(number, cells)
    counts.flags.writeable = False
    return counts


def rank(counts: Integers, number: int) -> Integers:
    """The row of each histogram among all of so many individuals: int64 (...,) of (..., cells).

    >>> rank(np.array([[0, 2], [1, 1], [2, 0]]), 2).tolist()
    [0, 1, 2]
    """
    found = np.zeros(counts.shape[:-1], dtype=np.int64)
    left = np.full(counts.shape[:-1], number, dtype=np.int64)
    cells = counts.shape[-1]
    for cell in range(cells - 1):
        # Those before it have fewer in this cell, and so more left for the other cells.
        before = _histograms_up_to(number, cells - cell - 1)
        found += before[left] - before[left - counts[..., cell]]
        left -= counts[..., cell]
    return found


@lru_cache(maxsize=64)
def _histograms_up_to(number: int, cells: int) -> Integers:
    """How many histograms of at most 0, 1, …, number individuals there are."""
    if cells == 1:
        return np.arange(1, number + 2)
    return np.array([histogram_count(each, cells + 1) for each in range(number + 1)])


class Exponents(Protocol):
    """Integers to raise entries to, computed when they are needed."""

    @property
    def total(self) -> int:
        """How many factors are multiplied at most."""

    def array(self) -> Integers:
        """The exponents, int64 (b, e, h)."""


@dataclass(frozen=True)
class Repeated:
    """Every entry to the same power."""

    total: int

    def array(self) -> Integers:
        return np.array([[[self.total]]])


@dataclass(frozen=True)
class TupleExponents:
    """How often different individuals fill some places so that each is in a given cell.

    ``number`` individuals are in cells with components of these ``shape``; ``kept``: the
    components that tell cells of places apart. ``excluded`` individuals, whose cells are known
    (b runs over them), fill no place. ``along``: b also runs over the histograms, instead of h.
    ``swaps``: permutations of the places that make no difference; ``times``: how many factors
    there are for each way.
    """

    number: int
    shape: tuple[int, ...]
    kept: tuple[int, ...]
    places: int
    excluded: int
    along: bool
    swaps: tuple[Permutation, ...]
    times: int = 1

    @property
    def total(self) -> int:
        return self.times * falling(self.number, self.places) // len(self.swaps)

    def array(self) -> Integers:
        every = cell_counts(self.number, prod(self.shape))
        gone = tuple(1 + axis for axis in range(len(self.shape)) if axis not in self.kept)
        counts = every.reshape(len(every), *self.shape).sum(axis=gone).reshape(len(every), -1)
        cells = counts.shape[1]
        taken = _tuples(cells, self.excluded)
        left = counts - taken[:, None, :]
        found = self.times * tuple_counts(left, self.places)
        if len(self.swaps) > 1:
            found = once_per_orbit(found, cells, self.swaps)
        if self.along:
            return found.reshape(len(taken) * len(every), -1, 1)
        return found.transpose(0, 2, 1)


def _tuples(cells: int, places: int) -> Integers:
    """How many of some places are in each cell: int64 (cells ** places, cells)."""
    found = np.zeros((1, cells), dtype=np.int64)
    for _ in range(places):
        found = (found[:, None, :] + np.eye(cells, dtype=np.int64)).reshape(-1, cells)
    return found


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

    ``counts``: int64 (..., cells ** places). The number of all goes to the first of each orbit;
    it is divided by how many swaps leave the tuple as it is, for these permute individuals.

    >>> once_per_orbit(tuple_counts(np.array([2, 2]), 2), 2, [(0, 1), (1, 0)]).tolist()
    [1, 4, 0, 1]
    """
    shape = (cells,) * len(swaps[0])
    every = np.arange(prod(shape))
    tuples = np.array(np.unravel_index(every, shape))
    images = np.array([np.ravel_multi_index(tuple(tuples[list(swap)]), shape) for swap in swaps])
    stabilisers = (images == every).sum(axis=0)
    return np.where(images.min(axis=0) == every, counts // stabilisers, 0)


class Rows(Protocol):
    """Places to look entries up at, computed when they are needed."""

    def array(self) -> Integers:
        """The places, int64 (n,)."""


@dataclass(frozen=True)
class MarginalRows:
    """For each histogram of joint cells the places of those of some of their components.

    ``parts``: components of the cells of each of the latter; they are looked up together.
    """

    number: int
    shape: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]

    def array(self) -> Integers:
        counts = cell_counts(self.number, prod(self.shape))
        places = np.zeros(len(counts), dtype=np.int64)
        for kept in self.parts:
            cells = prod([self.shape[axis] for axis in kept])
            gone = tuple(1 + axis for axis in range(len(self.shape)) if axis not in kept)
            summed = counts.reshape(len(counts), *self.shape).sum(axis=gone)
            places *= histogram_count(self.number, cells)
            places += rank(summed.reshape(len(counts), cells), self.number)
        return places


@dataclass(frozen=True)
class AxisRows:
    """The same entries over other axes: some repeated, others new.

    ``shape``: of the new axes; ``source``: which new axis each old one is.
    """

    shape: tuple[int, ...]
    source: tuple[int, ...]

    def array(self) -> Integers:
        grid = np.indices(self.shape, dtype=np.int64).reshape(len(self.shape), prod(self.shape))
        places = np.zeros(prod(self.shape), dtype=np.int64)
        for axis in self.source:
            places *= self.shape[axis]
            places += grid[axis]
        return places


@dataclass(frozen=True)
class Addend:
    """What an axis adds to a counting variable.

    ``axis``: which one. Counting ``number`` individuals it adds its histogram, or with ``sign``
    -1 takes one of its states away; not counting (``number`` 0) it adds one in its state.
    """

    axis: int
    number: int
    sign: int = 1


@dataclass(frozen=True)
class SumRows:
    """The places of tables with counting variables, whose histograms are sums over other axes.

    ``shape``: of the new axes. ``plain``: which new axis each old axis is, None for counting
    variables, whose ``number`` of individuals in how many ``states``, ``addends`` and histogram
    ``observed`` are listed in their order.
    """

    shape: tuple[int, ...]
    plain: tuple[int | None, ...]
    numbers: tuple[int, ...]
    states: tuple[int, ...]
    addends: tuple[tuple[Addend, ...], ...]
    observed: tuple[tuple[int, ...], ...]

    def array(self) -> Integers:
        grid = np.indices(self.shape, dtype=np.int64).reshape(len(self.shape), prod(self.shape))
        places = np.zeros(prod(self.shape), dtype=np.int64)
        counting = iter(zip(self.numbers, self.states, self.addends, self.observed, strict=True))
        for axis in self.plain:
            if axis is not None:
                places = places * self.shape[axis] + grid[axis]
                continue
            number, states, addends, observed = next(counting)
            total = np.tile(np.array(observed, dtype=np.int64), (len(places), 1))
            for each in addends:
                counts = cell_counts(each.number, states) if each.number else np.eye(states)
                total += each.sign * counts[grid[each.axis]].astype(np.int64)
            # A histogram that individuals taken away do not fit into has no weight: any row does.
            total = np.maximum(total, 0)
            total[:, -1] += number - total.sum(axis=1)
            short = total[:, -1] < 0
            total[short] = np.eye(states, dtype=np.int64)[0] * number
            places = places * histogram_count(number, states) + rank(total, number)
        return places


def falling(number: int, length: int) -> int:
    """How many ways there are to choose so many different individuals, one after the other.

    >>> falling(5, 2), falling(1, 2)
    (20, 0)
    """
    return prod(range(number - length + 1, number + 1)) if length <= number else 0
