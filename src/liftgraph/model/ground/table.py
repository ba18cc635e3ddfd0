"""Potentials, which give factors their weights. The first kind are tables: coprime integers times
one positive fraction. Others may be unknown. A pool interns potentials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, NoReturn, Protocol, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import common_scale, limited, measured_or_exact, rational, shown
from liftgraph.model.tabular import Tabular, cell_text, entries

T = TypeVar("T")
MAX_ARGUMENTS = 64  # NumPy's limit on the axes of an array
_MANY = 4096  # entries of an array, whose distinct numbers are converted only
_INT64_LIMIT = 2**63


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A factor of a potential: non-negative integers over some of its axes.

    ``integers``: one array axis for each of ``axes``. Axes below the number of arguments are the
    arguments; the others are hidden, shared by pieces that name the same one. ``adds``: whether it
    has three axes, and is one where the indices of the first two add up to that of the third, and
    zero elsewhere.
    """

    integers: NDArray[Any]
    axes: tuple[int, ...]
    adds: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Shared(Generic[T]):
    """What the arguments of a potential contribute.

    ``distinct``: in the order of their first use; ``index``: int64 (k,), which one each argument
    has.
    """

    distinct: tuple[T, ...]
    index: NDArray[np.int64]


def shared(contributed: Sequence[T]) -> Shared[T]:
    """The distinct contributions of arguments, and which one each has.

    >>> shared("abac").index.tolist()
    [0, 1, 0, 2]
    """
    place: dict[T, int] = {}
    index = [place.setdefault(one, len(place)) for one in contributed]
    return Shared(tuple(place), np.array(index, dtype=np.int64))


@runtime_checkable
class Potential(Protocol):
    """A weight for each assignment of arguments. ``Table``, which lists all of them, is one kind.

    Potentials are values: hashable, and equal exactly if they say the same in the same form.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each argument."""

    @property
    def scale(self) -> Fraction:
        """A positive factor: the product of the pieces is multiplied by it."""

    @property
    def measured(self) -> bool:
        """Whether float64 values went in."""

    def potential(self, states: Sequence[int]) -> Fraction:
        """The exact weight of one assignment, given as state indices."""

    def table(self) -> Table:
        """All weights as a table; refused with a ``MemoryLimitError`` if they are too many."""

    def pieces(self) -> Sequence[Piece]:
        """Arrays whose product, summed over hidden axes, gives the weights without the scale.

        For each assignment, at most one state of each hidden axis has weight. So the maximum over
        the axis is the sum, and explanations need no other pieces.
        """

    def __hash__(self) -> int:
        """Equal potentials are interned."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """The potentials of a factor, as exact as they were given.

    Two tables are collinear (equal up to a scale) exactly if their integers are equal.
    A table of zeros has scale 1.

    ``integers``: read-only, one axis per argument, non-negative and coprime; int64 if every entry
    fits, otherwise Python integers in an object array.
    ``scale``: positive; the potential of an assignment is its integer times the scale.
    ``measured``: whether it was given as float64 values. They are kept exactly, but comparisons of
    tables may allow for errors of measurement. It does not count for equality.
    """

    integers: NDArray[Any]
    scale: Fraction
    measured: bool = False

    def __post_init__(self) -> None:
        self.integers.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.integers, self.scale, self.measured)

    @classmethod
    @short_traceback
    def of(cls, values: object, shape: Sequence[int] | None = None) -> Table:
        """The table of nested lists or an array of integers, fractions, numerals or floats.

        With a shape, a flat list is accepted too (last argument fastest).

        >>> Table.of([["0.1", "0.2"], ["0.3", "0.4"]])
        Table(2×2, [1 2 3 4] × 1/10)
        >>> Table.of([2, 4, 6, 8], shape=(2, 2)) == Table.of([[2, 4], [6, 8]])
        True
        """
        came, flat = _flattened(values)
        place: NDArray[np.intp] | None = None
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and len(flat) > _MANY:
            distinct, place = np.unique(values, return_inverse=True)
            flat = distinct.tolist()
        wanted = came if shape is None else tuple(shape)
        if came not in (wanted, (math.prod(wanted),)):
            raise InputError(f"expected a table of shape {quoted(wanted)}, got {came}")
        if len(wanted) > MAX_ARGUMENTS:
            raise InputError(f"expected at most {MAX_ARGUMENTS} arguments, got {len(wanted)}")
        if any(size < 1 for size in wanted):
            raise InputError(
                f"expected at least one state per argument, got shape {quoted(wanted)}"
            )
        measured = any(isinstance(value, float | np.floating) for value in flat)
        integers, scale = _coprime(flat)
        if place is None:
            return cls(integer_array(integers, wanted), scale, measured)
        listed = integer_array(integers, (len(integers),))
        return cls(listed[place.ravel()].reshape(wanted), scale, measured)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each argument."""
        return self.integers.shape

    def potential(self, states: Sequence[int]) -> Fraction:
        """The exact potential of one assignment, given as state indices.

        >>> Table.of([["0.1", "0.2"], ["0.3", "0.4"]]).potential((1, 0))
        Fraction(3, 10)
        """
        inside = [0 <= state < size for state, size in zip(states, self.shape, strict=False)]
        if len(states) != len(self.shape) or not all(inside):
            raise InputError(f"expected states within {self.shape}, got {tuple(states)}")
        return int(self.integers[tuple(states)]) * self.scale

    def table(self) -> Table:
        """This table: it lists all weights already."""
        return self

    def pieces(self) -> tuple[Piece, ...]:
        """The integers in one piece."""
        return (Piece(self.integers, tuple(range(self.integers.ndim))),)

    def entries(
        self,
        arguments: Sequence[object] | None = None,
        values: Sequence[Sequence[object]] | None = None,
        name: str = "φ",
    ) -> Tabular:
        """A row for each assignment and its potential, with names for arguments and their values.

        >>> print(Table.of(["0.1", "0.9"]).entries(["Epid"], [["true", "false"]]))
        Epid   φ(Epid)
        true   0.1
        false  0.9
        """
        return entries(self.as_given(self.integers.flat), self.shape, arguments, values, name)

    def as_given(self, integers: Iterable[Any]) -> Iterator[Fraction | float]:
        """Some of its integers as potentials to show: floats if the table is measured."""
        for integer in integers:
            yield measured_or_exact(int(integer) * self.scale, self.measured)

    def first_entries(self, count: int = 16) -> str:
        """The first potentials, in one line."""
        first = self.integers.flat[:count]
        dots = " …" if self.integers.size > len(first) else ""
        return f"[{' '.join(map(cell_text, self.as_given(first)))}{dots}]"

    def __str__(self) -> str:
        return str(self.entries())

    def _repr_html_(self) -> str:
        return self.entries()._repr_html_()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self is other or (self.scale == other.scale and collinear(self, other))

    def __hash__(self) -> int:
        if self.integers.dtype == object:
            content: object = tuple(self.integers.flat)
        else:
            content = self.integers.tobytes()
        return hash((self.shape, self.scale.numerator, self.scale.denominator, content))

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.shape)) or "no arguments"
        first = [shown(Fraction(int(integer))) for integer in self.integers.flat[:8]]
        dots = " …" if self.integers.size > len(first) else ""
        return f"Table({shape}, [{' '.join(first)}{dots}] × {shown(self.scale)})"


def collinear(a: Table, b: Table) -> bool:
    """Whether two tables over the same states are equal up to a positive scale.

    >>> collinear(Table.of([8, 2]), Table.of([4, 1])), collinear(Table.of([2, 2]), Table.of([4, 1]))
    (True, False)
    """
    return a.shape == b.shape and np.array_equal(a.integers, b.integers)


def integer_array(flat: Sequence[int], shape: tuple[int, ...]) -> NDArray[Any]:
    """Integers as an array of this shape: int64 if all of them fit, otherwise Python integers."""
    fits = max(flat) < _INT64_LIMIT
    return np.array(flat, dtype=np.int64 if fits else object).reshape(shape)


def _coprime(values: list[Any]) -> tuple[list[int], Fraction]:
    """Coprime integers and their scale, computed without fractions for plain integers."""
    if any(type(value) is not int or value < 0 for value in values):
        return common_scale(map(rational, values))
    limited(Fraction(max(values)))
    divisor = math.gcd(*values) or 1
    return [value // divisor for value in values], Fraction(divisor)


def _flattened(values: object) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries of regularly nested sequences; a lone number has shape ()."""
    if isinstance(values, np.ndarray):
        return values.shape, values.ravel().tolist()
    if isinstance(values, str | bytes | bytearray | memoryview) or not isinstance(values, Sequence):
        return (), [values]
    rows = [_flattened(row) for row in values]
    if any(shape != rows[0][0] for shape, _ in rows):
        raise InputError("expected nested lists of equal lengths, got rows of different shapes")
    inner = rows[0][0] if rows else ()
    return (len(rows), *inner), [entry for _, row in rows for entry in row]


@dataclass(frozen=True)
class UnknownDistribution:
    """The place of a distribution: a potential that has no weights yet.

    The arguments are the parents, then the variable. ``variable``: its name. So two of them are
    never equal, and nothing takes one variable for another. Every question about weights is
    refused.
    """

    variable: str
    shape: tuple[int, ...]
    measured: bool = False

    @property
    def scale(self) -> Fraction:
        """One: what is unknown are the weights."""
        return Fraction(1)

    def potential(self, states: Sequence[int]) -> Fraction:
        """Refused."""
        self._refuse()

    def table(self) -> Table:
        """Refused."""
        self._refuse()

    def pieces(self) -> Sequence[Piece]:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        came = "got arrows without tables"
        way_out = "lg.learn_bayesian_network(graph, data) learns them"
        raise InputError(f"expected the distribution of {self.variable}, {came}; {way_out}")


class PotentialPool(Sequence[Potential]):
    """Distinct potentials, numbered in the order in which they were added.

    >>> pool = PotentialPool()
    >>> pool.add(Table.of([1, 2])), pool.add(Table.of([2, 1])), pool.add(Table.of([1, 2]))
    (0, 1, 0)
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[Potential, bool], int] = {}
        self._potentials: list[Potential] = []

    def add(self, potential: Potential) -> int:
        """The index of this potential; it is new if no equal one was added before."""
        index = self._ids.setdefault((potential, potential.measured), len(self._potentials))
        if index == len(self._potentials):
            self._potentials.append(potential)
        return index

    def __len__(self) -> int:
        return len(self._potentials)

    @overload
    def __getitem__(self, index: int) -> Potential: ...
    @overload
    def __getitem__(self, index: slice) -> list[Potential]: ...
    def __getitem__(self, index: int | slice) -> Potential | list[Potential]:
        return self._potentials[index]

    def __repr__(self) -> str:
        return f"PotentialPool({len(self)} potentials)"
