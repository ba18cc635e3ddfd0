"""Many tables from rows of decimals: each distinct one is kept once, and built on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import BITS_IN_ALL, BITS_PER_INTEGER, common_scale
from liftgraph.io.numerals import Numerals
from liftgraph.model.ground.table import Table, integer_array

Integers = NDArray[np.int64]
Shape = tuple[int, ...]
ErrorAt = Callable[[int, str], ParseError]  # the error at a numeral of a file

_POWERS = 10 ** np.arange(19, dtype=np.int64)
_LARGEST = 2**63 - 1
_NO_EXPONENT = 1 << 20  # larger than every exponent
_FEW = 64  # numerals for which plain integers are faster than arrays
_DIGITS = 18  # of a mantissa, at most
_BITS_PER_DIGIT = 4
_SHORT_DECIMALS = BITS_PER_INTEGER // _BITS_PER_DIGIT - 2 * _DIGITS


@dataclass(frozen=True)
class NumeralRows:
    """Rows of consecutive numerals, one for each table: where they start, and the table's shape.

    ``shape_ids``: indices into ``shapes``. ``starts``: indices of numerals. Both int64 (rows,).
    """

    shapes: list[Shape]
    shape_ids: Integers
    starts: Integers

    def take(self, indices: Integers) -> NumeralRows:
        """The rows at these indices."""
        return NumeralRows(self.shapes, self.shape_ids[indices], self.starts[indices])


class DecimalTables(Sequence[Table]):
    """The tables that rows of numerals spell, each built when it is first used."""

    def __init__(self, rows: NumeralRows, numerals: Numerals) -> None:
        lengths = np.array([*map(math.prod, rows.shapes)], dtype=np.int64)[rows.shape_ids]
        offsets = np.cumsum(lengths) - lengths
        places = np.repeat(rows.starts - offsets, lengths) + np.arange(lengths.sum())
        self._rows = NumeralRows(rows.shapes, rows.shape_ids, offsets)
        self._numerals = numerals.take(places)
        self._tables: dict[int, Table] = {}

    def __len__(self) -> int:
        return len(self._rows.starts)

    @overload
    def __getitem__(self, index: int) -> Table: ...
    @overload
    def __getitem__(self, index: slice) -> list[Table]: ...
    def __getitem__(self, index: int | slice) -> Table | list[Table]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        if row not in self._tables:
            self._tables[row] = self._table(row)
        return self._tables[row]

    def long_rows(self) -> list[int]:
        """The rows whose tables may have integers that are too long: they have to be tried.

        No integer is longer than the spread of the decimals and all other numbers together.
        """
        starts, numerals = self._rows.starts, self._numerals
        widest = numerals.exponent.max(initial=0) - numerals.exponent.min(initial=0)
        if len(starts) == 0 or (not numerals.special and widest < _SHORT_DECIMALS):
            return []
        bits = np.array([_bits(value) for value in numerals.special] or [0])
        special = numerals.mantissa < 0
        exponent = np.where(special, 0, numerals.exponent)
        longest = np.add.reduceat(np.where(special, bits[numerals.exponent * special], 0), starts)
        spread = np.maximum.reduceat(exponent, starts) - np.minimum.reduceat(exponent, starts)
        longest += (spread + 2 * _DIGITS) * _BITS_PER_DIGIT
        lengths = np.diff(starts, append=len(exponent))
        long = (longest > BITS_PER_INTEGER) & (longest * lengths > BITS_IN_ALL)
        return np.flatnonzero(long).tolist()

    def _table(self, row: int) -> Table:
        shape = self._rows.shapes[self._rows.shape_ids[row]]
        start = int(self._rows.starts[row])
        places = np.arange(start, start + math.prod(shape))
        return decimal_table(self._numerals.take(places), shape)


def decimal_table(numerals: Numerals, shape: Shape) -> Table:
    """The table of these numerals; the last argument changes fastest."""
    if len(numerals.mantissa) <= _FEW and (table := _small_table(numerals, shape)) is not None:
        return table
    integers = _as_integers(numerals)
    if integers is not None:
        divisor = int(np.gcd.reduce(integers)) or 1
        scale = divisor * Fraction(10) ** _lowest(numerals) if integers.any() else Fraction(1)
        return Table((integers // divisor).reshape(shape), scale)
    pairs = np.column_stack([numerals.mantissa, numerals.exponent])
    _, first, pair_ids = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    distinct, scale = common_scale(map(numerals.value, first.tolist()))
    return Table(integer_array(distinct, first.shape)[pair_ids.ravel()].reshape(shape), scale)


def _small_table(numerals: Numerals, shape: Shape) -> Table | None:
    """The table of a few decimals, if it fits into int64; whole arrays would take longer."""
    pairs = [*zip(numerals.mantissa.tolist(), numerals.exponent.tolist(), strict=True)]
    lowest = min((exponent for mantissa, exponent in pairs if mantissa), default=0)
    if any(m < 0 or (m and e - lowest >= len(_POWERS)) for m, e in pairs):
        return None
    integers = [mantissa and mantissa * 10 ** (exponent - lowest) for mantissa, exponent in pairs]
    if max(integers) > _LARGEST:
        return None
    divisor = math.gcd(*integers) or 1
    array = np.array([integer // divisor for integer in integers], dtype=np.int64)
    scale = divisor * Fraction(10) ** lowest if any(integers) else Fraction(1)
    return Table(array.reshape(shape), scale)


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _lowest(numerals: Numerals) -> int:
    """The smallest exponent among the numerals that are not zero."""
    return int(numerals.exponent[numerals.mantissa > 0].min(initial=_NO_EXPONENT))


def _as_integers(numerals: Numerals) -> Integers | None:
    """Decimals as multiples of the smallest power of ten among them, if these fit into int64."""
    shift = np.where(numerals.mantissa > 0, numerals.exponent - _lowest(numerals), 0)
    if numerals.mantissa.min() < 0 or shift.max() >= len(_POWERS):
        return None
    if (numerals.mantissa > _LARGEST // _POWERS[shift]).any():
        return None
    integers: Integers = numerals.mantissa * _POWERS[shift]
    return integers


def make_tables(
    rows: NumeralRows, numerals: Numerals, error: ErrorAt
) -> tuple[DecimalTables, NDArray[np.int32]]:
    """The distinct tables that rows of numerals spell, and the index of each row's table.

    Refused at a table whose integers would be too long.
    """
    first = np.arange(len(rows.starts))
    by_shape = np.argsort(rows.shape_ids, kind="stable")
    bounds = np.searchsorted(rows.shape_ids[by_shape], np.arange(len(rows.shapes) + 1))
    for shape, (start, end) in zip(rows.shapes, pairwise(bounds.tolist()), strict=True):
        members = by_shape[start:end]
        entries = rows.starts[members] + np.arange(math.prod(shape))[:, None]
        mantissas, exponents = numerals.mantissa[entries], numerals.exponent[entries]
        first[members] = members[_first_equal(mantissas, exponents)]
    distinct, table_ids = np.unique(first, return_inverse=True)
    tables = DecimalTables(rows.take(distinct), numerals)
    for row in tables.long_rows():
        try:
            tables[row]
        except InputError as problem:
            raise error(int(rows.starts[distinct[row]]), str(problem)) from None
    return tables, table_ids.astype(np.int32)


def make_tables_at(
    places: Sequence[Integers], numerals: Numerals, error: ErrorAt
) -> tuple[DecimalTables, NDArray[np.int32]]:
    """The same for numerals anywhere in a file: an array of their places for each table."""
    shapes: dict[Shape, int] = {}
    shape_ids = [shapes.setdefault(table.shape, len(shapes)) for table in places]
    lengths = np.array([table.size for table in places], dtype=np.int64)
    flat = np.concatenate([np.empty(0, np.int64), *(table.ravel() for table in places)])
    starts = np.cumsum(lengths) - lengths
    rows = NumeralRows([*shapes], np.array(shape_ids, dtype=np.int64), starts)

    def earliest(start: int, problem: str) -> ParseError:
        return error(int(places[int(np.searchsorted(starts, start))].min()), problem)

    return make_tables(rows, numerals.take(flat), earliest)


def _first_equal(mantissas: Integers, exponents: Integers) -> Integers:
    """The first column of numerals that is equal to each column.

    Hashes tell columns apart, and equal hashes are verified: a collision costs another round.
    """
    first = np.arange(mantissas.shape[1])
    remaining = first
    generator = np.random.default_rng(0)
    while len(remaining):
        hashes = _hashes(mantissas, exponents, generator)
        _, leaders, groups = np.unique(hashes, return_index=True, return_inverse=True)
        leader = leaders[groups]
        same = (mantissas == mantissas[:, leader]).all(axis=0)
        same &= (exponents == exponents[:, leader]).all(axis=0)
        first[remaining[same]] = remaining[leader[same]]
        rest = np.flatnonzero(~same)
        remaining, mantissas, exponents = remaining[rest], mantissas[:, rest], exponents[:, rest]
    return first


def _hashes(
    mantissas: Integers, exponents: Integers, generator: np.random.Generator
) -> NDArray[np.uint64]:
    """A random hash of each column's values in their order."""
    draw = generator.integers(2**63, size=(3, len(mantissas), 1), dtype=np.uint64)
    odd = 2 * draw + np.uint64(1)
    values = mantissas.view(np.uint64) * odd[0]
    values ^= (values >> np.uint64(31)) + exponents.view(np.uint64) * odd[1]
    values *= odd[2]
    values ^= values >> np.uint64(32)
    hashes: NDArray[np.uint64] = values.sum(axis=0, dtype=np.uint64)
    return hashes
