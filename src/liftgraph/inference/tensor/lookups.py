"""Places to look entries up at: of other axes, of coarser histograms, of sums of histograms."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from liftgraph.inference.tensor.counting import Integers, cell_counts, histograms_at_most, rank
from liftgraph.model.lifted.histograms import histogram_count


class Rows(Protocol):
    """Places to look entries up at, computed when they are needed."""

    @property
    def working_bytes(self) -> int:
        """Bytes that computing them takes, at most."""

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

    @property
    def working_bytes(self) -> int:
        return 8 * histograms_at_most(self.number, prod(self.shape)) * (3 * prod(self.shape) + 4)

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

    @property
    def working_bytes(self) -> int:
        listed = [
            states * (4 * prod(self.shape) + histograms_at_most(each.number, states))
            for states, addends in zip(self.states, self.addends, strict=True)
            for each in addends
        ]
        return 8 * (sum(listed) + prod(self.shape) * (len(self.shape) + 3))

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
