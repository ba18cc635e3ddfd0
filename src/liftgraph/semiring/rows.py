"""Numbers with one value for each row of a table: many small computations at once.

The product of semirings is a semiring. So tables whose entries are vectors, with a non-negative
float for each row, are multiplied and summed like tables of numbers. In the end each row is
normalised for itself; so the rows of a table may be scaled by any powers of two, which lose
nothing. They are remembered, for those who ask for the logarithm of a row's total weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.protocol import Floats, Index, Integers

# Plain floats between 2**-SAFE and 2**SAFE keep all of their digits.
SAFE = 1000
_NARROW = SAFE // 2 - 10  # bits that a row may span, so that products of two stay safe
_GIVEN = 500  # bits of a table's integers that are kept as plain floats
_NOTHING = -(1 << 40)  # the exponent of zero: below all others
_DIGITS = 64  # of an integer: more than a float holds
_VANISHING = -2000  # a term that is smaller by this power of two adds nothing
_NO_SHIFT: Integers = np.zeros(1, dtype=np.int64)
Scope = Sequence[int]


class Rows(NamedTuple):
    """A table over labelled axes whose last axis has a place for each row, or one for all rows.

    ``values``: float64; with ``exponents``, int64 of the same shape, they are multiplied by that
    power of two and lie between ½ and 1 or are zero. Without exponents, every entry that is not
    zero lies between ``2**low`` and ``2**high``. Everything is multiplied by ``2**shift``, int64
    (rows,) or one for all rows.
    """

    values: Floats
    exponents: Integers | None
    low: float
    high: float
    shift: Integers = _NO_SHIFT


def evaluate(integers: NDArray[Any]) -> Rows:
    """The table of non-negative integers, without an axis of rows: ``gather`` adds it."""
    bits = int(integers.max(initial=0)).bit_length()
    if bits < _GIVEN:
        return Rows(integers.astype(np.float64), None, 0.0, float(bits))
    entries: list[int] = integers.ravel().tolist()
    shifts = [max(entry.bit_length() - _DIGITS, 0) for entry in entries]
    leading = [float(entry >> shift) for entry, shift in zip(entries, shifts, strict=True)]
    shape = integers.shape
    return _wide(np.array(leading).reshape(shape), np.array(shifts, np.int64).reshape(shape))


def positive(values: Floats) -> Rows:
    """The table of floats that are not negative, without an axis of rows."""
    least = values.min(where=values > 0, initial=math.inf)
    low = math.log2(least) if least < math.inf else 0.0
    return Rows(values, None, low - 1, math.log2(max(values.max(initial=0), 1)) + 1)


def ones(shape: Sequence[int]) -> Rows:
    """The table of ones."""
    return Rows(np.ones((*shape, 1)), None, 0.0, 0.0)


def seen(size: int, states: Integers) -> Rows:
    """One in the state of each row and zero in the others, or ones where the state is -1."""
    values = np.hstack([np.eye(size), np.ones((size, 1))])
    return Rows(values.take(states, axis=1), None, 0.0, 0.0)


def gather(
    table: Rows, index: Index, free: tuple[int, ...], looked_up: tuple[int, ...], places: Integers
) -> Rows:
    """The part of a table that belongs to each row.

    ``index``: what all rows have in common; of the axes that are left, ``free`` ones stay, and
    those ``looked_up`` are taken together at ``places``, int64 (rows,). Precondition: the table
    has no axis of rows yet.
    """

    def taken(array: NDArray[Any]) -> NDArray[Any]:
        part = np.asarray(array[index]).transpose(free + looked_up)
        if not looked_up:
            return part[..., None]
        return part.reshape(*part.shape[: len(free)], -1).take(places, axis=-1)

    exponents = None if table.exponents is None else taken(table.exponents)
    return Rows(taken(table.values), exponents, table.low, table.high)


def contract(x: Rows, x_scope: Scope, y: Rows, y_scope: Scope, out: Scope, summed: Scope) -> Rows:
    """The product of two tables, summed over some labels, with ``out`` as its axes.

    Precondition: both have the ``summed`` labels.
    """
    growth = math.log2(math.prod([x.values.shape[x_scope.index(label)] for label in summed]))
    if not _safe(x, y, growth):
        x, y = tightened(x), tightened(y)
        if not _safe(x, y, growth):
            return _contract_wide(_exponential(x), x_scope, _exponential(y), y_scope, out, summed)
    label = {name: place for place, name in enumerate(dict.fromkeys([*x_scope, *y_scope]))}
    rows = len(label)
    einsum: Any = np.einsum  # its types know no lists of labels
    values: Floats = einsum(
        x.values,
        [*map(label.__getitem__, x_scope), rows],
        y.values,
        [*map(label.__getitem__, y_scope), rows],
        [*map(label.__getitem__, out), rows],
    )
    return Rows(values, None, x.low + y.low, x.high + y.high + growth, x.shift + y.shift)


def _safe(x: Rows, y: Rows, growth: float) -> bool:
    plain = x.exponents is None and y.exponents is None
    return plain and x.low + y.low > -SAFE and x.high + y.high + growth < SAFE


def _contract_wide(
    x: Rows, x_scope: Scope, y: Rows, y_scope: Scope, out: Scope, summed: Scope
) -> Rows:
    """The same with exponents: sums are relative to the largest term of each."""
    joint = [*summed, *out]
    pairs = (
        (_expanded(x.values, x_scope, joint), _expanded(y.values, y_scope, joint)),
        (_expanded(x.exponents, x_scope, joint), _expanded(y.exponents, y_scope, joint)),
    )
    places = [*product(*[range(x.values.shape[x_scope.index(label)]) for label in summed])]
    a, b = pairs[1]
    peak = a[places[0]] + b[places[0]]
    for place in places[1:]:
        np.maximum(peak, a[place] + b[place], out=peak)
    total = np.zeros(peak.shape)
    for place in places:
        exponents = np.maximum(a[place] + b[place] - peak, _VANISHING).astype(np.int32)
        total += np.ldexp(pairs[0][0][place] * pairs[0][1][place], exponents)
    return _wide(total, peak, x.shift + y.shift)


def _expanded(array: Any, scope: Scope, joint: Scope) -> NDArray[Any]:
    """An array with its axes in the order of the joint labels, of length one where it has none."""
    present = [scope.index(label) for label in joint if label in scope]
    index = [slice(None) if label in scope else None for label in joint]
    expanded: NDArray[Any] = array.transpose(*present, -1)[(*index, slice(None))]
    return expanded


def _wide(values: Floats, exponents: Integers, shift: Integers = _NO_SHIFT) -> Rows:
    fractions, powers = np.frexp(values)
    total = np.where(fractions == 0, _NOTHING, exponents + powers)
    return Rows(fractions, total, 0.0, 0.0, shift)


def _exponential(table: Rows) -> Rows:
    if table.exponents is not None:
        return table
    return _wide(table.values, np.zeros(table.values.shape, np.int64), table.shift)


def tightened(table: Rows) -> Rows:
    """The same table with the largest entry of each row between ½ and 1: plain if that is safe."""
    axes = tuple(range(table.values.ndim - 1))
    if table.high - table.low > SAFE:  # the smallest entry of a row might become too small
        table = _exponential(table)
    if table.exponents is None:
        powers = np.frexp(table.values.max(axis=axes))[1]
        values = np.ldexp(table.values, -powers)
        low = math.log2(values.min(where=values > 0, initial=1.0))
        return Rows(values, None, low, 0.0, table.shift + powers)
    largest = table.exponents.max(axis=axes)
    relative, shift = table.exponents - largest, table.shift + largest
    low = int(relative.min(where=table.values > 0, initial=0)) - 1
    if low > -_NARROW:
        exponents = np.maximum(relative, -_NARROW).astype(np.int32)
        return Rows(np.ldexp(table.values, exponents), None, float(low), 0.0, shift)
    kept = np.where(table.values == 0, _NOTHING, relative)
    return Rows(table.values, kept, 0.0, 0.0, shift)


def distributions(table: Rows) -> tuple[Floats, NDArray[np.bool_]]:
    """The entries of each row divided by their sum, and in which rows that is not zero, (rows,).

    Rows with the sum zero have zeros.
    """
    values, total, _ = _totals(table)
    return values / np.where(total == 0, 1.0, total), total > 0


def logarithms(table: Rows) -> Floats:
    """The natural logarithm of the sum of each row's entries, (rows,): -inf where that is zero."""
    _, total, shift = _totals(table)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + np.where(total == 0, 0, shift) * math.log(2))


def _totals(table: Rows) -> tuple[Floats, Floats, Integers]:
    """The entries of each row as plain floats, their sum, and the power of two they leave out."""
    narrow = tightened(table)
    values = narrow.values
    if narrow.exponents is not None:
        values = np.ldexp(values, np.maximum(narrow.exponents, _VANISHING).astype(np.int32))
    return values, values.sum(axis=tuple(range(values.ndim - 1))), narrow.shift
