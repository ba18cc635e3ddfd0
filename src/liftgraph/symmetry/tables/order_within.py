"""The search for an order of arguments that takes one table between bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.buckets import SortedBuckets
from liftgraph.symmetry.tables.budget import Budget
from liftgraph.symmetry.tables.commutative import Positions

Fits = Callable[[Positions, int, int], bool]  # whether, after these axes, an axis fits a position
LARGEST_SORTED = 1 << 14  # entries: the slices of larger tables are added up, which costs less
OBJECT_COST = 8  # what an entry that is a Python integer costs, compared with one of 64 bits


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds for the entries of an array once its axes are permuted, as integers."""

    low: AxisSums
    high: AxisSums

    def admit(self, values: AxisSums, axes: Positions, positions: Positions) -> bool:
        """Whether these axes of the values could go to these positions, judged by them alone.

        Sums of entries obey the bounds wherever the entries do. Sums level out; so the entries
        where all other arguments are in state 0, whose place does not depend on the order of
        those, are compared too.
        """
        return all(
            within(view(values, *axes), view(self.low, *positions), view(self.high, *positions))
            for view in (AxisSums.on, AxisSums.corner)
        )


def within(values: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> bool:
    """Whether all values are within the bounds, which is false of arrays of different shapes."""
    if values.shape != low.shape:
        return False
    return bool(np.all(low <= values)) and bool(np.all(values <= high))


def order_within(
    values: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    commuting: tuple[Sequence[Positions], Sequence[Positions]],
    budget: Budget,
) -> Positions | None:
    """A permutation π of the values' axes that takes every entry between the bounds, or None.

    Precondition: non-negative integers, with axes of the same sizes; low and high increase
    together. ``commuting``: sets of axes of the values, and of the bounds, that may be permuted
    freely; one order is tried.

    >>> a, b = np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]])
    >>> order_within(a, b, b, ([(0,), (1,)], [(0,), (1,)]), Budget(10**6))
    (1, 0)
    """
    bounds, sums = Bounds(AxisSums(low), AxisSums(high)), AxisSums(values)
    entry_cost = OBJECT_COST if object in (values.dtype, low.dtype, high.dtype) else 1
    options = _options(values, bounds, budget, entry_cost)

    @cache
    def pair_fits(axis: int, next_axis: int, position: int, next_position: int) -> bool:
        budget.spend(0)
        return bounds.admit(sums, (axis, next_axis), (position, next_position))

    def fits_the_last(order: Positions, axis: int, position: int) -> bool:
        return pair_fits(order[-1], axis, len(order) - 1, position)

    def fits_all(order: Positions, axis: int, position: int) -> bool:
        if not fits_the_last(order, axis, position):
            return False
        budget.spend(2 * entry_cost * values.size)
        return bounds.admit(sums, (*order, axis), (*range(len(order)), position))

    # Pairs of arguments cost little and nearly always decide; the order they give is verified.
    likely = _first_order(options, commuting, fits_the_last, budget)
    if likely is None or within(values.transpose(likely), low, high):
        return likely
    return _first_order(options, commuting, fits_all, budget)


def _options(
    values: NDArray[Any], bounds: Bounds, budget: Budget, entry_cost: int
) -> list[list[int]]:
    """For each position of the bounds, the axes of the values that fit it on their own."""
    axes = range(values.ndim)
    budget.spend(entry_cost * values.ndim * values.size)
    if values.size > LARGEST_SORTED:
        sums = AxisSums(values)
        return [[axis for axis in axes if bounds.admit(sums, (axis,), (k,))] for k in axes]
    slices, low, high = (
        [buckets.on(axis) for axis in axes]
        for buckets in map(SortedBuckets, (values, bounds.low.array, bounds.high.array))
    )
    return [[axis for axis in axes if within(slices[axis], low[k], high[k])] for k in axes]


def _first_order(
    options: Sequence[Sequence[int]],
    commuting: tuple[Sequence[Positions], Sequence[Positions]],
    fits: Fits,
    budget: Budget,
) -> Positions | None:
    """The first choice of one axis per position in which every axis fits those before it.

    Among orders that differ only within commuting sets, the lexicographically smallest takes the
    axes of a set in increasing order, and gives increasing axes to the positions of a set: no
    other needs to be tried.
    """
    set_of = {axis: index for index, axes in enumerate(commuting[0]) for axis in axes}
    before = {k: axes[:place] for axes in commuting[1] for place, k in enumerate(axes)}

    def completed(order: Positions, options: Sequence[Sequence[int]]) -> Positions | None:
        """A complete order with this beginning; ``options``: for the positions that are left."""
        budget.spend(0)
        if not options:
            return order
        least = max((order[k] for k in before[len(order)]), default=-1)
        smallest = {set_of[axis]: axis for axis in reversed(options[0]) if axis > least}
        for axis in sorted(smallest.values()):
            longer = (*order, axis)
            narrowed = _narrowed(longer, options[1:], fits)
            complete = None if narrowed is None else completed(longer, narrowed)
            if complete is not None:
                return complete
        return None

    return completed((), options)


def _narrowed(
    order: Positions, options: Sequence[Sequence[int]], fits: Fits
) -> list[list[int]] | None:
    """The axes that still fit the positions after these; None if some position has none left."""
    narrowed: list[list[int]] = []
    for position, axes in enumerate(options, len(order)):
        narrowed.append(
            [axis for axis in axes if axis not in order and fits(order, axis, position)]
        )
        if not narrowed[-1]:
            return None
    return narrowed
