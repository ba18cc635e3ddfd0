"""The search for an order of arguments that takes one table to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.commutative import Positions

Fits = Callable[[Positions, int, int], bool]  # whether, after these axes, an axis fits a position


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the arguments and the scale of a table a relate to those of a table b.

    a(r) = scale · b(r permuted), where argument k of b is argument ``permutation[k]`` of a;
    as arrays, ``a.transpose(permutation) == scale * b``.
    ``deviation``: the largest relative difference between the two sides, 0 if they are equal.
    """

    permutation: Positions
    scale: Fraction = Fraction(1)
    deviation: Fraction = Fraction(0)


def composed(first: Alignment, second: Alignment) -> Alignment:
    """The alignment of a to c, from those of a to b and of b to c.

    Precondition: at most one of them deviates.
    """
    permutation = tuple(first.permutation[k] for k in second.permutation)
    deviation = max(first.deviation, second.deviation)
    return Alignment(permutation, first.scale * second.scale, deviation)


def inverse(alignment: Alignment) -> Alignment:
    """The alignment of b to a, from that of a to b. Precondition: it is exact."""
    permutation = tuple(map(alignment.permutation.index, range(len(alignment.permutation))))
    return Alignment(permutation, 1 / alignment.scale)


@dataclass(frozen=True, slots=True)
class Target:
    """What an array must match once its axes are permuted: bounds, or equal values.

    ``low``, ``high``: integers with one axis per argument; high is None for equality with low.
    ``commuting``: the sets of axes of the bounds that may be permuted freely.
    """

    low: AxisSums
    high: AxisSums | None
    commuting: Sequence[Positions]

    def admits(self, values: AxisSums, axes: Positions, positions: Positions) -> bool:
        """Whether these axes of the values could go to these positions, judged by them alone."""
        if self.high is None:
            return np.array_equal(values.on(*axes), self.low.on(*positions))
        return all(
            _within(view(values, *axes), view(self.low, *positions), view(self.high, *positions))
            for view in (AxisSums.on, AxisSums.corner)
        )


def _within(values: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> bool:
    if values.shape != low.shape:
        return False
    return bool(np.all(low <= values)) and bool(np.all(values <= high))


def find_permutation(
    values: AxisSums,
    commuting: Sequence[Positions],
    target: Target,
    pinned: Mapping[int, int] = MappingProxyType({}),
) -> Positions | None:
    """A permutation π of the values' axes that takes them to the target, or None.

    Precondition: sums of entries obey the bounds wherever the entries do, so that sums rule out
    hopeless beginnings (true of non-negative integers, and of equality modulo 2⁶⁴). Between
    bounds, sums level out; so the entries where all other arguments are in state 0, whose place
    does not depend on the order of those, are compared too.
    ``commuting``: sets of axes of the values that may be permuted freely; one order is tried.
    ``pinned`` fixes π(k) for some k: whole commuting sets, in increasing order.

    >>> a, b = AxisSums(np.array([[1, 2], [3, 4]])), AxisSums(np.array([[1, 3], [2, 4]]))
    >>> find_permutation(a, [(0,), (1,)], Target(b, None, [(0,), (1,)]))
    (1, 0)
    """
    if sorted(values.array.shape) != sorted(target.low.array.shape):
        return None
    options = _options(values, target, pinned)

    @cache
    def pair_fits(axis: int, next_axis: int, position: int, next_position: int) -> bool:
        return target.admits(values, (axis, next_axis), (position, next_position))

    def fits_the_last(order: Positions, axis: int, position: int) -> bool:
        return pair_fits(order[-1], axis, len(order) - 1, position)

    def fits_all(order: Positions, axis: int, position: int) -> bool:
        return target.admits(values, (*order, axis), (*range(len(order)), position))

    # Pairs of arguments cost little and nearly always decide; the order they give is verified.
    likely = _first_order(options, commuting, target.commuting, fits_the_last)
    if likely is None or target.admits(values, likely, tuple(range(len(likely)))):
        return likely
    return _first_order(options, commuting, target.commuting, fits_all) if options else None


def _options(values: AxisSums, target: Target, pinned: Mapping[int, int]) -> list[list[int]]:
    """For each position of the target, the axes of the values that fit it on their own."""
    positions = range(values.array.ndim)
    free = [axis for axis in positions if axis not in pinned.values()]
    allowed = [[pinned[position]] if position in pinned else free for position in positions]
    return [
        [axis for axis in axes if target.admits(values, (axis,), (position,))]
        for position, axes in enumerate(allowed)
    ]


def _first_order(
    options: Sequence[Sequence[int]],
    commuting: Sequence[Positions],
    target_commuting: Sequence[Positions],
    fits: Fits,
) -> Positions | None:
    """The first choice of one axis per position in which every axis fits those before it.

    Among orders that differ only within commuting sets, the lexicographically smallest takes the
    axes of a set in increasing order, and gives increasing axes to the positions of a set: no
    other needs to be tried.
    """
    set_of = {axis: index for index, axes in enumerate(commuting) for axis in axes}
    before = {k: axes[:place] for axes in target_commuting for place, k in enumerate(axes)}

    def completed(order: Positions, options: Sequence[Sequence[int]]) -> Positions | None:
        """A complete order with this beginning; ``options``: for the positions that are left."""
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
