"""Many tables from columns of decimals: each distinct one is kept once and made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import common_scale
from liftgraph.io.numerals import Numerals
from liftgraph.model.table import Table, integer_array

Integers = NDArray[np.int64]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Rows:
    """Rows of consecutive numerals, int64 (r,) each: where they start, their lengths and shapes.

    Precondition: no row is empty, and rows of one shape have one length. ``shape_ids`` are
    indices into a list of shapes.
    """

    starts: Integers
    lengths: Integers
    shape_ids: Integers

    def take(self, chosen: Integers) -> Rows:
        return Rows(self.starts[chosen], self.lengths[chosen], self.shape_ids[chosen])

    @property
    def offsets(self) -> Integers:
        """Where each row starts once all are put one after the other."""
        return np.cumsum(self.lengths) - self.lengths

    def places(self) -> Integers:
        """The indices of the numerals of all rows, one row after the other."""
        total = int(self.lengths.sum())
        return np.repeat(self.starts - self.offsets, self.lengths) + np.arange(total)


class DecimalTables(Sequence[Table]):
    """The tables spelt by rows of numerals; most programs never look at most of them."""

    def __init__(self, shapes: list[Shape], rows: Rows, numerals: Numerals) -> None:
        self._shapes = shapes
        self._rows = Rows(rows.offsets, rows.lengths, rows.shape_ids)
        self._numerals = numerals.take(rows.places())
        self._made: dict[int, Table] = {}

    def __len__(self) -> int:
        return len(self._rows.starts)

    @overload
    def __getitem__(self, index: int) -> Table: ...
    @overload
    def __getitem__(self, index: slice) -> list[Table]: ...
    def __getitem__(self, index: int | slice) -> Table | list[Table]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> Table:
        start = int(self._rows.starts[number])
        places = range(start, start + int(self._rows.lengths[number]))
        integers, scale = common_scale(map(self._numerals.value, places))
        return Table(integer_array(integers, self._shapes[self._rows.shape_ids[number]]), scale)


def make_tables(
    shapes: list[Shape], rows: Rows, numerals: Numerals
) -> tuple[DecimalTables, NDArray[np.int32]]:
    """The distinct tables that rows of numerals spell, and the number of each row's table."""
    first = _first_equal(rows, numerals)
    chosen, numbers = np.unique(first, return_inverse=True)
    return DecimalTables(shapes, rows.take(chosen), numerals), numbers.astype(np.int32)


def _first_equal(rows: Rows, numerals: Numerals) -> Integers:
    """For every row the first one with the same shape and values.

    Rows are told apart by hashes and equal hashes verified: a collision costs another round.
    """
    first = np.arange(len(rows.starts))
    remaining = first
    generator = np.random.default_rng(0)
    while len(remaining):
        part = rows.take(remaining)
        hashes = _hashes(part, numerals, generator)
        _, leaders, groups = np.unique(hashes, return_index=True, return_inverse=True)
        followers = np.flatnonzero(leaders[groups] != np.arange(len(remaining)))
        leader = leaders[groups[followers]]
        same = _equal_rows(part.take(followers), part.take(leader), numerals)
        first[remaining[followers[same]]] = remaining[leader[same]]
        remaining = remaining[followers[~same]]
    return first


def _hashes(rows: Rows, numerals: Numerals, generator: np.random.Generator) -> NDArray[np.uint64]:
    """A random hash of each row's values, in their order, and its shape."""
    places, offsets = rows.places(), rows.offsets
    draw = generator.integers(2**63, size=2 + int(rows.lengths.max()), dtype=np.uint64)
    odd = 2 * draw + np.uint64(1)
    values = numerals.mantissa[places].view(np.uint64) * odd[0]
    values ^= (values >> np.uint64(31)) + numerals.exponent[places].view(np.uint64) * odd[1]
    values *= odd[2:][np.arange(len(places)) - np.repeat(offsets, rows.lengths)]
    values ^= values >> np.uint64(32)
    hashes: NDArray[np.uint64] = np.add.reduceat(values, offsets)
    hashes += rows.shape_ids.view(np.uint64) * odd[1]
    return hashes


def _equal_rows(rows: Rows, others: Rows, numerals: Numerals) -> NDArray[np.bool_]:
    """Whether each row has the shape and the numerals of the other."""
    equal: NDArray[np.bool_] = rows.shape_ids == others.shape_ids
    alike = np.flatnonzero(equal)
    if len(alike) == 0:
        return equal
    here, there = rows.take(alike), others.take(alike)
    same = numerals.mantissa[here.places()] == numerals.mantissa[there.places()]
    same &= numerals.exponent[here.places()] == numerals.exponent[there.places()]
    equal[alike] = np.logical_and.reduceat(same, here.offsets)
    return equal
