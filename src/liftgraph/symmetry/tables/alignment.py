"""The search for an order of arguments that brings one table into line with another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.marginals import Marginals


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
    """What an array has to match when its axes are permuted: bounds, or equal values.

    ``low``, ``high``: integers with one axis per argument; high is None for equality with low.
    ``commuting``: axes of the bounds that may be permuted freely.
    """

    low: Marginals
    high: Marginals | None
    commuting: Sequence[Positions]

    def admits(self, values: Marginals, axes: Positions, positions: Positions) -> bool:
        """Whether these axes of the values could have these positions, as far as they tell."""
        if self.high is None:
            return np.array_equal(values.on(*axes), self.low.on(*positions))
        return all(
            _within(part(values, *axes), part(self.low, *positions), part(self.high, *positions))
            for part in (Marginals.on, Marginals.corner)
        )


def _within(values: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> bool:
    if values.shape != low.shape:
        return False
    return bool(np.all(low <= values)) and bool(np.all(values <= high))


def find_permutation(
    values: Marginals,
    commuting: Sequence[Positions],
    target: Target,
    pinned: Mapping[int, int] = MappingProxyType({}),
) -> Positions | None:
    """A permutation π of the values' axes that takes them to the target, or None.

    Precondition: sums of entries obey the bounds wherever the entries do, so that marginals tell
    hopeless beginnings apart (true of non-negative integers, and of equality modulo 2⁶⁴). Between
    bounds sums even out, and so entries are looked at too, where all other arguments have one
    state and their order does not matter.
    ``commuting``: axes of the values that may be permuted freely: one order of them is tried.
    ``pinned`` fixes π(k) for some k: whole commuting sets, in increasing order.

    >>> a, b = Marginals(np.array([[1, 2], [3, 4]])), Marginals(np.array([[1, 3], [2, 4]]))
    >>> find_permutation(a, [(0,), (1,)], Target(b, None, [(0,), (1,)]))
    (1, 0)
    """
    if sorted(values.array.shape) != sorted(target.low.array.shape):
        return None
    options = _options(values, target, pinned)

    @cache
    def pair_fits(axis: int, other: int, position: int, another: int) -> bool:
        return target.admits(values, (axis, other), (position, another))

    def pairs_fit(order: Positions, axis: int, position: int) -> bool:
        return pair_fits(order[-1], axis, len(order) - 1, position)

    def all_fit(order: Positions, axis: int, position: int) -> bool:
        return target.admits(values, (*order, axis), (*range(len(order)), position))

    # Pairs of arguments cost little and nearly always settle it: what they find is verified.
    likely = _first_order(options, commuting, target.commuting, pairs_fit)
    if likely is None or target.admits(values, likely, tuple(range(len(likely)))):
        return likely
    return _first_order(options, commuting, target.commuting, all_fit) if options else None


def _options(values: Marginals, target: Target, pinned: Mapping[int, int]) -> list[list[int]]:
    """For each position of the target, the axes of the values that fit it on their own."""
    free = [axis for axis in range(values.array.ndim) if axis not in pinned.values()]
    return [
        [pinned[position]]
        if position in pinned
        else [axis for axis in free if target.admits(values, (axis,), (position,))]
        for position in range(values.array.ndim)
    ]


def _first_order(
    options: Sequence[Sequence[int]],
    commuting: Sequence[Positions],
    target_commuting: Sequence[Positions],
    fits: Callable[[Positions, int, int], bool],
) -> Positions | None:
    """The first choice of one axis per position in which every axis fits all beginnings.

    ``fits(order, axis, position)``: whether the axis can have the position after these.

    Among orders that differ only within commuting sets, the lexicographically smallest takes the
    axes of a set in increasing order, and gives increasing axes to the positions of a set: no
    other needs to be tried.
    """
    home = {axis: number for number, axes in enumerate(commuting) for axis in axes}
    before = {k: axes[:place] for axes in target_commuting for place, k in enumerate(axes)}

    def extended(order: Positions, options: Sequence[Sequence[int]]) -> Positions | None:
        """A complete order that begins like this; ``options``: for the positions left."""
        if not options:
            return order
        least = max((order[k] for k in before[len(order)]), default=-1)
        smallest = {home[axis]: axis for axis in reversed(options[0]) if axis > least}
        for axis in sorted(smallest.values()):
            longer = (*order, axis)
            narrowed = _narrowed(longer, options[1:], fits)
            found = None if narrowed is None else extended(longer, narrowed)
            if found is not None:
                return found
        return None

    return extended((), options)


def _narrowed(
    order: Positions,
    options: Sequence[Sequence[int]],
    fits: Callable[[Positions, int, int], bool],
) -> list[list[int]] | None:
    """The axes that still fit the positions after these; None if one has none left."""
    narrowed: list[list[int]] = []
    for position, axes in enumerate(options, len(order)):
        narrowed.append(
            [axis for axis in axes if axis not in order and fits(order, axis, position)]
        )
        if not narrowed[-1]:
            return None
    return narrowed
