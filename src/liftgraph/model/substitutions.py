"""All substitutions of individuals for logvars, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.logvars import Constraint, LogVar, Unordered

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which substitutions there are: sizes of the domains and the constraints, by position.

    ``different``: pairs of positions, ``unordered``: tuples of them; also different.
    """

    sizes: tuple[int, ...]
    different: frozenset[Pair] = frozenset()
    unordered: tuple[tuple[int, ...], ...] = ()

    @property
    def apart(self) -> frozenset[Pair]:
        """All pairs of positions that differ, the smaller position first."""
        within = (pair for each in self.unordered for pair in combinations(sorted(each), 2))
        return self.different | frozenset(within)


def pattern(logvars: Sequence[LogVar], constraints: Sequence[Constraint]) -> Pattern:
    """The pattern of constraints on logvars. Precondition: they are about these logvars."""
    place = {logvar: number for number, logvar in enumerate(logvars)}
    different: set[Pair] = set()
    unordered: list[tuple[int, ...]] = []
    for each in constraints:
        if isinstance(each, Unordered):
            unordered.append(tuple(place[logvar] for logvar in each.logvars))
        else:
            first, second = sorted((place[each.first], place[each.second]))
            different.add((first, second))
    sizes = tuple(logvar.size for logvar in logvars)
    return Pattern(sizes, frozenset(different), tuple(unordered))


def count(given: Pattern) -> int:
    """How many substitutions there are, without listing them.

    >>> count(Pattern((5, 5, 3), frozenset({(0, 1)}))), count(Pattern((5, 5), unordered=((0, 1),)))
    (60, 10)
    """
    orders = prod(factorial(len(each)) for each in given.unordered)
    return _colourings(given.sizes, sorted(given.apart)) // orders


def _colourings(sizes: tuple[int, ...], apart: list[Pair]) -> int:
    """The chromatic polynomial of a graph, by deletion and contraction of an edge."""
    if not apart:
        return prod(sizes)
    (kept, dropped), *rest = apart
    merged = {pair if dropped not in pair else _moved(pair, dropped, kept) for pair in rest}
    contracted = tuple(1 if place == dropped else size for place, size in enumerate(sizes))
    return _colourings(sizes, rest) - _colourings(contracted, sorted(merged))


def _moved(pair: Pair, source: int, target: int) -> Pair:
    first, second = sorted(target if place == source else place for place in pair)
    return first, second


def codes(columns: Sequence[NDArray[np.int64]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Substitutions as numbers in mixed radix, the last logvar fastest; int64 like a column.

    Precondition: there is a column for each size, or there are no sizes (then a single code).
    """
    total = np.zeros(len(columns[0]) if columns else 1, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        total *= size
        total += column
    return total


def substitutions(given: Pattern) -> list[NDArray[np.int64]]:
    """All substitutions in lexicographic order: int64 (m,) for each logvar.

    Precondition: there is at least one logvar.

    >>> [each.tolist() for each in substitutions(Pattern((3, 3), unordered=((0, 1),)))]
    [[0, 0, 1], [1, 2, 2]]
    """
    rising = {pair for each in given.unordered for pair in pairwise(each)}
    columns: list[NDArray[np.int64]] = []
    for place, size in enumerate(given.sizes):
        length = len(columns[0]) if columns else 1
        new = np.tile(np.arange(size), length)
        columns = [np.repeat(column, size) for column in columns]
        kept = np.ones(len(new), dtype=np.bool_)
        for other in range(place):
            if (other, place) in rising:
                kept &= columns[other] < new
            elif (place, other) in rising:
                kept &= columns[other] > new
            elif (other, place) in given.apart:
                kept &= columns[other] != new
        columns.append(new)
        if not kept.all():
            columns = [column[kept] for column in columns]
    return columns


@dataclass(frozen=True, slots=True)
class Numbering:
    """The substitutions of a pattern by number, in lexicographic order, and back.

    ``listed``: the codes of all substitutions, increasing; None where they are 0, 1, 2, …
    """

    given: Pattern
    total: int
    listed: NDArray[np.int64] | None

    def numbers(self, columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The number of each substitution. Precondition: they satisfy the constraints."""
        code = codes(columns, self.given.sizes)
        return code if self.listed is None else np.searchsorted(self.listed, code)

    def substitution(self, number: int) -> tuple[int, ...]:
        """The substitution with a number."""
        code = number if self.listed is None else int(self.listed[number])
        found = []
        for size in reversed(self.given.sizes):
            code, individual = divmod(code, size)
            found.append(individual)
        return tuple(reversed(found))


def numbering(given: Pattern) -> Numbering:
    """The numbering of a pattern's substitutions."""
    plain = not given.apart
    listed = None if plain else codes(substitutions(given), given.sizes)
    return Numbering(given, count(given), listed)
