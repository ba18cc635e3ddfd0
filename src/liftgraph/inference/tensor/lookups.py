"""Places at which to look up entries: for other axes, coarser histograms, sums of histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from liftgraph.inference.tensor.counting import Integers, cell_counts, histograms_at_most, rank
from liftgraph.model.lifted.histograms import histogram_count


class Lookup(Protocol):
    """Places at which to look up entries, computed when they are needed."""

    @property
    def working_bytes(self) -> int:
        """Bytes that computing them takes, at most."""

    def array(self) -> Integers:
        """The places, int64 (n,)."""


@dataclass(frozen=True)
class MarginalLookup:
    """For each histogram of joint cells, the places of the histograms of some of their components.

    ``parts``: the components of the cells of each of these histograms, looked up together.
    """

    individuals: int
    shape: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]

    @property
    def working_bytes(self) -> int:
        return (
            8 * histograms_at_most(self.individuals, prod(self.shape)) * (3 * prod(self.shape) + 4)
        )

    def array(self) -> Integers:
        counts = cell_counts(self.individuals, prod(self.shape))
        places = np.zeros(len(counts), dtype=np.int64)
        for kept in self.parts:
            cells = prod([self.shape[axis] for axis in kept])
            gone = tuple(1 + axis for axis in range(len(self.shape)) if axis not in kept)
            summed = counts.reshape(len(counts), *self.shape).sum(axis=gone)
            places *= histogram_count(self.individuals, cells)
            places += rank(summed.reshape(len(counts), cells), self.individuals)
        return places


@dataclass(frozen=True)
class AxisLookup:
    """The same entries over other axes: some repeated, others new.

    ``shape``: of the new axes; ``source``: which new axis each old one is.
    """

    shape: tuple[int, ...]
    source: tuple[int, ...]

    @property
    def working_bytes(self) -> int:
        return 8 * prod(self.shape) * (len(self.shape) + 3)

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

    ``axis``: its index. If it counts ``individuals``, it adds their histogram; if it counts none,
    it adds one in its state, or with ``sign`` -1 takes that one away.
    """

    axis: int
    individuals: int
    sign: int = 1


@dataclass(frozen=True)
class SumLookup:
    """The places of tables with counting variables, whose histograms are sums over other axes.

    ``shape``: of the new axes. ``plain``: which new axis each old axis is, None for counting
    variables. ``individuals``, ``states``, ``addends`` and the histogram ``observed`` are those of
    the counting variables, in their order.
    """

    shape: tuple[int, ...]
    plain: tuple[int | None, ...]
    individuals: tuple[int, ...]
    states: tuple[int, ...]
    addends: tuple[tuple[Addend, ...], ...]
    observed: tuple[tuple[int, ...], ...]

    @property
    def working_bytes(self) -> int:
        listed = [
            states * (4 * prod(self.shape) + histograms_at_most(addend.individuals, states))
            for states, addends in zip(self.states, self.addends, strict=True)
            for addend in addends
        ]
        return 8 * (sum(listed) + prod(self.shape) * (len(self.shape) + 3))

    def array(self) -> Integers:
        grid = np.indices(self.shape, dtype=np.int64).reshape(len(self.shape), prod(self.shape))
        places = np.zeros(prod(self.shape), dtype=np.int64)
        counting = zip(self.individuals, self.states, self.addends, self.observed, strict=True)
        for axis in self.plain:
            if axis is not None:
                places = places * self.shape[axis] + grid[axis]
                continue
            individuals, states, addends, observed = next(counting)
            counts = _summed(grid, states, addends, observed)
            histograms = histogram_count(individuals, states)
            places = places * histograms + rank(_filled(counts, individuals), individuals)
        return places


def _summed(
    grid: Integers, states: int, addends: Sequence[Addend], observed: Sequence[int]
) -> Integers:
    """The sum of what axes add to an observed histogram: int64 (n, states) of a grid (axes, n)."""
    total = np.tile(np.array(observed, dtype=np.int64), (grid.shape[1], 1))
    for addend in addends:
        counting = addend.individuals > 0
        counts = cell_counts(addend.individuals, states) if counting else np.eye(states)
        total += addend.sign * counts[grid[addend.axis]].astype(np.int64)
    return total


def _filled(counts: Integers, individuals: int) -> Integers:
    """Histograms whose last state has all individuals that are left, int64 (n, states).

    A histogram that loses more individuals than it has carries no weight: any row will do.
    """
    filled = np.maximum(counts, 0)
    filled[:, -1] += individuals - filled.sum(axis=1)
    short = filled[:, -1] < 0
    filled[short] = np.eye(counts.shape[1], dtype=np.int64)[0] * individuals
    return filled
