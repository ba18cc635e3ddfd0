"""Buckets of a table: the entries that no order of its arguments can mix with others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.exact import measured_or_exact
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import Parfactor, values_of
from liftgraph.model.tabular import (
    Function,
    Listed,
    Tabular,
    Tabulated,
    named_arguments,
    named_values,
)
from liftgraph.symmetry.colours.engines.grouping import Hashes, mixed
from liftgraph.symmetry.tables.axis_sums import outer_sum

Bucket = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Buckets(Tabulated):
    """The buckets of a table: what an order of its arguments cannot mix.

    A bucket says how many arguments have each value: a histogram for each range of arguments, in
    the order of their first use. Printed as the paper's figures are: each assignment with its
    potential and bucket, then each bucket with its ordered multiset of potentials.

    ``arguments`` and ``values``: their names; ``name``: that of the function.
    """

    table: Table
    arguments: tuple[object, ...]
    values: tuple[tuple[object, ...], ...]
    name: str = "φ"

    @cached_property
    def potentials(self) -> dict[Bucket, tuple[Fraction, ...]]:
        """For each bucket b, φ≻(b): its potentials in the order of the table."""
        integers: dict[Bucket, list[int]] = {}
        for states, integer in np.ndenumerate(self.table.integers):
            integers.setdefault(self.bucket(states), []).append(int(integer))
        scale = self.table.scale
        return {bucket: tuple(n * scale for n in listed) for bucket, listed in integers.items()}

    def bucket(self, states: Sequence[int]) -> Bucket:
        """The bucket of an assignment, given as state indices."""
        counts = {listed: [0] * len(listed) for listed in self.values}
        for listed, state in zip(self.values, states, strict=True):
            counts[listed][state] += 1
        return tuple(map(tuple, counts.values()))

    @property
    def tabulars(self) -> tuple[Tabular, ...]:
        """Assignments with their buckets, and buckets with their potentials."""
        return self._assignments, self._multisets

    @property
    def _assignments(self) -> Tabular:
        entries = self.table.entries(self.arguments, self.values, self.name)
        states = product(*map(range, self.table.shape))
        listed = zip(entries.rows, states, strict=False)
        rows = tuple((*row, _shown(self.bucket(assignment))) for row, assignment in listed)
        return Tabular((*entries.headings, "b"), rows, entries.row_count)

    @property
    def _multisets(self) -> Tabular:
        measured = self.table.measured
        rows = [
            (_shown(b), Listed("⟨⟩", [measured_or_exact(value, measured) for value in values]))
            for b, values in self.potentials.items()
        ]
        return Tabular.of(("b", Function(f"{self.name}≻", ("b",))), rows)


def _shown(bucket: Bucket) -> object:
    """A histogram; several are put in parentheses."""
    histograms = [Listed("[]", counts) for counts in bucket]
    return histograms[0] if len(histograms) == 1 else Listed("()", histograms)


def buckets(
    table: Table | Parfactor,
    arguments: Sequence[object] | None = None,
    values: Sequence[Sequence[Hashable]] | None = None,
    name: str = "φ",
) -> Buckets:
    """The buckets of a table or of a parfactor's potentials (DEFT, Luttermann et al. 2024b).

    ``arguments``: their names; ``values``: the names of each argument's values, by default numbers
    from 0, or those of the parfactor. Arguments with the same values have the same range.

    >>> buckets(Table.of([[1, 2], [3, 4]]), ["A", "B"], [["true", "false"]] * 2, "φ1")
    A      B      φ1(A, B)  b
    true   true   1         [2, 0]
    true   false  2         [1, 1]
    false  true   3         [1, 1]
    false  false  4         [0, 2]
    <BLANKLINE>
    b       φ1≻(b)
    [2, 0]  ⟨1⟩
    [1, 1]  ⟨2, 3⟩
    [0, 2]  ⟨4⟩
    """
    if isinstance(table, Parfactor):
        own = [values_of(argument) for argument in table.arguments]
        return buckets(table.table, arguments or table.arguments, values or own, name)
    if not isinstance(table, Table):
        raise InputError(f"expected a table or a parfactor, got {quoted(table)}")
    ranges = tuple(map(tuple, named_values(table.shape, values)))
    return Buckets(table, named_arguments(table.shape, arguments), ranges, name)


def bucket_hashes(shape: tuple[int, ...]) -> Hashes:
    """A hash for the bucket of each assignment: of the arguments of each size, how many are in
    which state (DEFT, Luttermann et al. 2024b). Precondition: there are arguments."""
    marks = {size: mixed((np.arange(size) + (size << 20)).astype(np.uint64)) for size in set(shape)}
    return outer_sum([marks[size] for size in shape])


class SortedBuckets:
    """The entries of a table, sorted within each bucket.

    If an order of the arguments takes every entry of a table between two bounds, then it takes
    sorted entries of each bucket between sorted bounds.

    >>> tables = np.array([[5, 4], [3, 0]]), np.array([[5, 3], [4, 0]])
    >>> np.array_equal(*(SortedBuckets(table).whole for table in tables))
    True
    >>> np.array_equal(*(SortedBuckets(table).on(1) for table in tables))
    False
    """

    def __init__(self, integers: NDArray[Any]) -> None:
        self._values, ranks = np.unique(integers, return_inverse=True)
        self._ranks = ranks.reshape(integers.shape)
        self.whole = self.on()

    def on(self, *axes: int) -> NDArray[Any]:
        """A row for each choice of states on these axes, sorted within buckets of the others."""
        moved = np.moveaxis(self._ranks, axes, range(len(axes)))
        sizes, rest = moved.shape[: len(axes)], moved.shape[len(axes) :]
        keys = moved.reshape(prod(sizes), prod(rest)) + _bucket_index(rest) * len(self._values)
        keys.sort(axis=1)
        return np.asarray(self._values[keys % len(self._values)])


@lru_cache(maxsize=4)
def _bucket_index(shape: tuple[int, ...]) -> NDArray[np.intp]:
    """The index of each assignment's bucket, intp (n,), the same for all orders of the sizes."""
    if not shape:
        return np.zeros(1, dtype=np.intp)
    return np.unique(bucket_hashes(shape).ravel(), return_inverse=True)[1]
