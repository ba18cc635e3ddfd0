"""All substitutions of individuals for logvars, and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import MemoryLimitError
from liftgraph.model.lifted.logvars import Constraint, LogVar, Unordered

Pair = tuple[int, int]
_MOST_LISTED = 2**27


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


def at_least(given: Pattern) -> int:
    """A number of substitutions there surely are, at no cost: logvars one after the other."""
    orders = prod(factorial(len(each)) for each in given.unordered)
    earlier = Counter(later for _, later in given.apart)
    return prod(max(size - earlier[p], 0) for p, size in enumerate(given.sizes)) // orders


def count(given: Pattern) -> int:
    """How many substitutions there are, without listing them.

    >>> count(Pattern((5, 5, 3), frozenset({(0, 1)}))), count(Pattern((5, 5), unordered=((0, 1),)))
    (60, 10)
    """
    if not (given.different or given.unordered):
        return prod(given.sizes)
    orders = prod(factorial(len(each)) for each in given.unordered)
    return _colourings(given.sizes, given.apart) // orders


def _colourings(sizes: Sequence[int], apart: frozenset[Pair]) -> int:
    """The chromatic polynomial: places as vertices, to be coloured with individuals.

    A vertex whose neighbours are all adjacent leaves as many colours as there are beyond theirs.
    Where there is no such vertex, two that are not adjacent are either different or the same.
    """
    total, left = 1, set(range(len(sizes)))
    neighbours = {place: _neighbours(place, apart) for place in left}
    while left:
        simplicial = next((v for v in left if _is_clique(neighbours[v] & left, neighbours)), None)
        if simplicial is None:
            break
        left.remove(simplicial)
        total *= max(sizes[simplicial] - len(neighbours[simplicial] & left), 0)
    if not left or not total:
        return total
    kept, gone = next(
        (a, b)
        for a, b in combinations(sorted(left), 2)
        if b not in neighbours[a] and neighbours[a] & neighbours[b] & left
    )
    inside = frozenset(pair for pair in apart if left.issuperset(pair))
    merged = frozenset(_moved(pair, gone, kept) for pair in inside)
    rest = [size if place in left else 1 for place, size in enumerate(sizes)]
    same = [1 if place == gone else size for place, size in enumerate(rest)]
    return total * (_colourings(rest, inside | {(kept, gone)}) + _colourings(same, merged))


def _neighbours(place: int, apart: frozenset[Pair]) -> set[int]:
    return {other for pair in apart if place in pair for other in pair} - {place}


def _is_clique(places: set[int], neighbours: dict[int, set[int]]) -> bool:
    return all(places - {place} <= neighbours[place] for place in places)


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
    total, plain = count(given), not (given.different or given.unordered)
    if not plain and total > _MOST_LISTED:
        raise MemoryLimitError(f"expected at most {_MOST_LISTED:,} substitutions, got {total:,}")
    listed = None if plain else codes(substitutions(given), given.sizes)
    return Numbering(given, total, listed)
