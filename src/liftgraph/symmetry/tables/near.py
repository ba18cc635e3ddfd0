"""Tables that are exchangeable up to a tolerance, decided on integers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import rational
from liftgraph.model.ground.table import Table
from liftgraph.symmetry.tables.alignment import Alignment, Target, find_permutation
from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.commutative import commuting_axes
from liftgraph.symmetry.tables.symmetries import symmetries

# Relative, for tables of float64 values: a few thousand rounding errors of 10⁻¹⁶ stay below it.
MEASURED_TOLERANCE = Fraction(1, 10**12)


def checked_tolerance(tolerance: object) -> Fraction | None:
    """The tolerance as an exact rational below 1; None stays None."""
    if tolerance is None:
        return None
    try:
        epsilon = rational(tolerance)
    except InputError as error:
        raise InputError(f"tolerance: {error}") from None
    if epsilon >= 1:
        raise InputError(f"expected a tolerance below 1, got {tolerance}")
    return epsilon


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


def near_alignment(
    a: Table, b: Table, epsilon: Fraction, up_to_scale: bool = True, permuted: bool = True
) -> Alignment | None:
    """An alignment with every entry of a within α · b · (1 ± ε), or None: the interval test of
    the paper's appendix, where α is the ratio of the pivots, or 1 unless ``up_to_scale``.

    Precondition: a and b have arguments of the same sizes, in some order; 0 < ε < 1; they are not
    exchangeable (a table of zeros is near to no other table).

    >>> a, b = Table.of([100, 201]), Table.of([1, 2])
    >>> near_alignment(a, b, Fraction(1, 200)).deviation
    Fraction(1, 200)
    >>> near_alignment(a, b, Fraction(1, 201)) is None
    True
    """
    pivots = pivot(a.integers), pivot(b.integers)
    if 0 in pivots:
        return None
    ratio = Fraction(*pivots) if up_to_scale else b.scale / a.scale
    p, q = epsilon.as_integer_ratio()
    values = _times(a.integers, ratio.denominator * q)
    low, high = (_times(b.integers, ratio.numerator * (q + s)) for s in (-p, p))
    if not _could_be_within(values, low, high):
        return None
    target = Target(AxisSums(low), AxisSums(high), commuting_axes(b.integers))
    pinned = {} if permuted else {axis: axis for axis in range(a.integers.ndim)}
    commuting = commuting_axes(a.integers)
    permutation = find_permutation(AxisSums(values), commuting, target, pinned)
    if permutation is None:
        return None
    deviation = _largest_deviation(a.integers.transpose(permutation), b.integers, ratio)
    return Alignment(permutation, ratio * a.scale / b.scale, deviation)


def _could_be_within(values: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> bool:
    """Whether some order of the values is within the bounds, entry by entry: if any is, then the
    sorted values are within the sorted bounds."""
    ordered, least, most = (np.sort(entries, axis=None) for entries in (values, low, high))
    return bool(np.all(least <= ordered) and np.all(ordered <= most))


def around_representatives(
    tables: Sequence[Table],
    movable: Sequence[bool],
    epsilon: Fraction,
    up_to_scale: bool,
    permuted: bool,
) -> Iterator[tuple[int, Alignment]]:
    """For each table, the index of its representative among them, and its alignment to it.

    First come, first served: a movable table joins the first representative it is near to;
    otherwise it becomes one itself. Sums of entries, over pivots, rule out most of them.
    """
    representatives: defaultdict[tuple[object, ...], list[tuple[Fraction, int]]] = defaultdict(list)
    for index, table in enumerate(tables):
        shape = tuple(sorted(table.shape)) if permuted else table.shape
        by_size = representatives[shape, np.count_nonzero(table.integers)]
        size = _size(table, up_to_scale)
        first = bisect_left(by_size, (size / (1 + epsilon), -1))
        last = bisect_right(by_size, (size / (1 - epsilon), len(tables)))
        joined = None
        for candidate in sorted(k for _, k in by_size[first:last]) if movable[index] else ():
            b = tables[candidate]
            alignment = near_alignment(table, b, epsilon, up_to_scale, permuted)
            if alignment and (not permuted or _is_as_symmetric(b, table, alignment)):
                joined = candidate, alignment
                break
        if joined is None:
            insort(by_size, (size, index))
        yield joined or (index, Alignment(tuple(range(table.integers.ndim))))


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


def _size(table: Table, up_to_scale: bool) -> Fraction:
    """The sum of the entries, over the pivot if ``up_to_scale``: it differs at most by the
    tolerance if tables do."""
    total = Fraction(int(table.integers.sum(dtype=object)))
    return total / (pivot(table.integers) or 1) if up_to_scale else total * table.scale


def _times(integers: NDArray[Any], factor: int) -> NDArray[Any]:
    """The products, in int64 if even their sum fits, otherwise as Python integers."""
    if max(int(integers.max()), 1) * integers.size * factor < 2**63:
        return np.asarray(integers * np.int64(factor))
    return np.asarray(integers.astype(object) * factor, dtype=object)


def _largest_deviation(a: NDArray[Any], b: NDArray[Any], ratio: Fraction) -> Fraction:
    """The largest relative difference between a and b · ratio."""
    pairs = zip(map(int, a.flat), map(int, b.flat), strict=True)
    return max((abs(x / (ratio * y) - 1) for x, y in pairs if y), default=Fraction(0))
