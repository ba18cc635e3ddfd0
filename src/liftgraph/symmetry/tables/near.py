"""Tables that are exchangeable up to a tolerance, decided on integers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import Table
from liftgraph.symmetry.tables.alignment import Alignment
from liftgraph.symmetry.tables.buckets import SortedBuckets
from liftgraph.symmetry.tables.budget import Budget, SearchGivenUpError, most_entries
from liftgraph.symmetry.tables.commutative import Positions, commuting_axes
from liftgraph.symmetry.tables.labelling import symmetries
from liftgraph.symmetry.tables.order_within import order_within, within

# Relative, for tables of float64 values: a few thousand rounding errors of 10⁻¹⁶ stay below it.
MEASURED_TOLERANCE = Fraction(1, 10**12)
# What the searches for all tables may look at beyond what each table may always: ten seconds.
MOST_ENTRIES_FOR_ALL, ALWAYS_ALLOWED = 1 << 30, 1 << 21


@dataclass(frozen=True, slots=True)
class Joined:
    """The ``representative`` of a table, by its index, and the ``alignment`` to it.
    ``complete``: False if the search for one was given up, and the table represents itself."""

    representative: int
    alignment: Alignment
    complete: bool = True


def pivot(integers: NDArray[Any]) -> int:
    """An entry that is not zero, the same for every order of the axes; 0 if all entries are zero.

    The appendix takes the first entry, which no permutation moves. If that is zero, the next
    entry on the diagonal serves as well, and if the diagonal is zero, the largest entry of all.

    >>> pivot(np.array([[0, 7], [9, 4]])), pivot(np.array([[0, 7], [9, 0]]))
    (4, 9)
    """
    for state in range(min(integers.shape, default=1)):
        value = int(integers[(state,) * integers.ndim])
        if value:
            return value
    return int(integers.max())


class Nearing:
    """A table whose neighbours are looked for, with what is compared first.

    ``pivot``: see above. ``size``: the sum of the entries, over the pivot if ``up_to_scale``; it
    differs at most by the tolerance if tables do.
    """

    def __init__(self, table: Table, up_to_scale: bool) -> None:
        self.table = table
        self.integers = table.integers
        self.pivot = pivot(table.integers)
        total = Fraction(int(table.integers.sum(dtype=object)))
        self.size = total / (self.pivot or 1) if up_to_scale else total * table.scale

    @cached_property
    def sorted(self) -> NDArray[Any]:
        """The entries, sorted within what no order of the arguments mixes."""
        return SortedBuckets(self.integers).whole

    @cached_property
    def commuting(self) -> tuple[Positions, ...]:
        """The sets of arguments that may be permuted freely."""
        return commuting_axes(self.integers)


def near_alignment(
    a: Nearing,
    b: Nearing,
    epsilon: Fraction,
    up_to_scale: bool = True,
    budget: Budget | None = None,
) -> Alignment | None:
    """An alignment with every entry of a within α · b · (1 ± ε), or None: the interval test of
    the paper's appendix, where α is the ratio of the pivots, or 1 unless ``up_to_scale``.

    Precondition: a and b have arguments of the same sizes, in some order; 0 < ε < 1; they are not
    exchangeable (a table of zeros is near to no other table). ``budget``: what the search may
    cost; without one, the arguments stay in their order.

    >>> a, b = (Nearing(Table.of(values), True) for values in ([100, 201], [1, 2]))
    >>> near_alignment(a, b, Fraction(1, 200)).deviation
    Fraction(1, 200)
    >>> near_alignment(a, b, Fraction(1, 201)) is None
    True
    """
    if 0 in (a.pivot, b.pivot):
        return None
    ratio = Fraction(a.pivot, b.pivot) if up_to_scale else b.table.scale / a.table.scale
    p, q = epsilon.as_integer_ratio()
    factors = ratio.denominator * q, ratio.numerator * (q - p), ratio.numerator * (q + p)
    permutation: Positions | None = tuple(range(a.integers.ndim))
    if budget is None:
        if not within(*_scaled(a.integers, b.integers, factors)):
            return None
    elif not within(*_scaled(a.sorted, b.sorted, factors)):
        return None
    else:
        scaled = _scaled(a.integers, b.integers, factors)
        permutation = order_within(*scaled, (a.commuting, b.commuting), budget)
    if permutation is None:
        return None
    deviation = _largest_deviation(a.integers.transpose(permutation), b.integers, ratio)
    return Alignment(permutation, ratio * a.table.scale / b.table.scale, deviation)


def _scaled(
    a: NDArray[Any], b: NDArray[Any], factors: tuple[int, int, int]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The values and their bounds, as integers."""
    own, least, most = factors
    return _times(a, own), _times(b, least), _times(b, most)


def around_representatives(
    tables: Sequence[Table],
    movable: Sequence[bool],
    epsilon: Fraction,
    up_to_scale: bool,
    permuted: Sequence[bool],
) -> Iterator[Joined]:
    """For each table, the representative that it joins.

    First come, first served: a movable table joins the first representative it is near to;
    otherwise it becomes one itself. Sums of entries, over pivots, rule out most of them.
    ``permuted``: whether other orders of the table's arguments count as well; such tables join
    only each other.
    """
    representatives: defaultdict[tuple[object, ...], list[tuple[Fraction, int]]] = defaultdict(list)
    nearing = [Nearing(table, up_to_scale) for table in tables]
    left = MOST_ENTRIES_FOR_ALL
    for index, a in enumerate(nearing):
        shape = tuple(sorted(a.table.shape)) if permuted[index] else a.table.shape
        by_size = representatives[permuted[index], shape, np.count_nonzero(a.integers)]
        first = bisect_left(by_size, (a.size / (1 + epsilon), -1))
        last = bisect_right(by_size, (a.size / (1 - epsilon), len(tables)))
        candidates = sorted(k for _, k in by_size[first:last]) if movable[index] else []
        allowed = min(left + ALWAYS_ALLOWED, most_entries(a.integers.size))
        budget = Budget(allowed) if permuted[index] else None
        joined = _joined(index, nearing, candidates, epsilon, up_to_scale, budget)
        spent = allowed - budget.left if budget else 0
        left -= min(left, max(0, spent - ALWAYS_ALLOWED))
        if joined.representative == index:
            insort(by_size, (a.size, index))
        yield joined


def _joined(
    index: int,
    nearing: Sequence[Nearing],
    candidates: Sequence[int],
    epsilon: Fraction,
    up_to_scale: bool,
    budget: Budget | None,
) -> Joined:
    """The first candidate that a table is near to, or the table itself."""
    a = nearing[index]
    alone = Alignment(tuple(range(a.integers.ndim)))
    for candidate in candidates:
        b = nearing[candidate]
        try:
            alignment = near_alignment(a, b, epsilon, up_to_scale, budget)
        except SearchGivenUpError:
            return Joined(index, alone, complete=False)
        if alignment and (budget is None or _is_as_symmetric(b.table, a.table, alignment)):
            return Joined(candidate, alignment)
    return Joined(index, alone)


def _is_as_symmetric(b: Table, a: Table, alignment: Alignment) -> bool:
    """Whether every symmetry of a, once aligned to b, is one of b.

    Otherwise the order in which arguments are listed would decide which of them is which.
    """
    position_of = {axis: position for position, axis in enumerate(alignment.permutation)}
    aligned = (
        [position_of[symmetry[k]] for k in alignment.permutation]
        for symmetry in symmetries(a.integers).generators
    )
    return all(np.array_equal(b.integers, b.integers.transpose(order)) for order in aligned)


def _times(integers: NDArray[Any], factor: int) -> NDArray[Any]:
    """The products, in int64 if even their sum fits, otherwise as Python integers."""
    if max(int(integers.max()), 1) * integers.size * factor < 2**63:
        return np.asarray(integers * np.int64(factor))
    return np.asarray(integers.astype(object) * factor, dtype=object)


def _largest_deviation(a: NDArray[Any], b: NDArray[Any], ratio: Fraction) -> Fraction:
    """The largest relative difference between a and b · ratio. Precondition: same zeros."""
    numerator, denominator = ratio.as_integer_ratio()
    largest, whole = 0, 1
    for x, y in set(zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)):
        difference, expected = abs(x * denominator - y * numerator), y * numerator
        if difference * whole > largest * expected:
            largest, whole = difference, expected
    return Fraction(largest, whole)
