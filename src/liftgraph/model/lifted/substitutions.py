"""All substitutions of individuals for logvars, and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import MemoryLimitError
from liftgraph.model.arrays import codes, digits
from liftgraph.model.lifted.logvars import Constraint, LogVar, Unordered

Pair = tuple[int, int]
Column = NDArray[np.int64]  # an individual for each of many substitutions
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
        within = (pair for places in self.unordered for pair in combinations(sorted(places), 2))
        return self.different | frozenset(within)


def pattern(logvars: Sequence[LogVar], constraints: Sequence[Constraint]) -> Pattern:
    """The pattern of constraints on logvars. Precondition: they are about these logvars."""
    place = {logvar: position for position, logvar in enumerate(logvars)}
    different: set[Pair] = set()
    unordered: list[tuple[int, ...]] = []
    for constraint in constraints:
        if isinstance(constraint, Unordered):
            unordered.append(tuple(place[logvar] for logvar in constraint.logvars))
        else:
            first, second = sorted((place[constraint.first], place[constraint.second]))
            different.add((first, second))
    sizes = tuple(logvar.size for logvar in logvars)
    return Pattern(sizes, frozenset(different), tuple(unordered))


def cliques(sizes: Sequence[int], classes: Sequence[Hashable]) -> Pattern:
    """The pattern in which any two positions of the same class differ.

    >>> [column.tolist() for column in substitutions(cliques((2, 2, 1), "aab"))]
    [[0, 1], [1, 0], [0, 0]]
    """
    pairs = combinations(range(len(sizes)), 2)
    return Pattern(tuple(sizes), frozenset((a, b) for a, b in pairs if classes[a] == classes[b]))


def exists(pattern: Pattern, individuals: Sequence[int]) -> bool:
    """Whether individuals, by number, are a substitution of a pattern.

    >>> two = Pattern((3, 3), unordered=((0, 1),))
    >>> exists(two, (0, 2)), exists(two, (2, 0)), exists(two, (0, 3))
    (True, False, False)
    """
    if len(individuals) != len(pattern.sizes):
        return False
    for individual, size in zip(individuals, pattern.sizes, strict=True):
        if not 0 <= individual < size:
            return False
    if any(individuals[a] == individuals[b] for a, b in pattern.different):
        return False
    rising = (pair for places in pattern.unordered for pair in pairwise(places))
    return all(individuals[a] < individuals[b] for a, b in rising)


def at_least(pattern: Pattern) -> int:
    """A cheap lower bound on the number of substitutions, choosing logvars one by one."""
    earlier = Counter(later for _, later in pattern.apart)
    ordered = prod(max(size - earlier[p], 0) for p, size in enumerate(pattern.sizes))
    return ordered // _orders(pattern)


def _orders(pattern: Pattern) -> int:
    """In how many orders each substitution could be listed."""
    return prod(factorial(len(places)) for places in pattern.unordered)


def count(pattern: Pattern) -> int:
    """How many substitutions there are, without listing them.

    >>> count(Pattern((5, 5, 3), frozenset({(0, 1)}))), count(Pattern((5, 5), unordered=((0, 1),)))
    (60, 10)
    """
    if not (pattern.different or pattern.unordered):
        return prod(pattern.sizes)
    return _colourings(pattern.sizes, pattern.apart) // _orders(pattern)


def _colourings(sizes: Sequence[int], apart: frozenset[Pair]) -> int:
    """The chromatic polynomial: places as vertices, to be coloured with individuals.

    A vertex whose neighbours are all adjacent can have any colour that they do not have.
    If there is no such vertex, two that are not adjacent are either different or the same.
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


def substitutions(pattern: Pattern) -> list[Column]:
    """All substitutions in lexicographic order: int64 (m,) for each logvar.

    Precondition: there is at least one logvar.

    >>> [column.tolist() for column in substitutions(Pattern((3, 3), unordered=((0, 1),)))]
    [[0, 0, 1], [1, 2, 2]]
    """
    apart = pattern.apart
    rising = {pair for places in pattern.unordered for pair in pairwise(places)}
    lowest, highest = _limits(pattern)
    columns: list[Column] = []
    for place, size in enumerate(pattern.sizes):
        individuals = np.arange(lowest.get(place, 0), highest.get(place, size))
        kept = np.ones((len(columns[0]) if columns else 1, len(individuals)), dtype=np.bool_)
        for earlier, column in enumerate(columns):
            if (earlier, place) in rising:
                kept &= column[:, None] < individuals
            elif (place, earlier) in rising:
                kept &= column[:, None] > individuals
            elif (earlier, place) in apart:
                kept &= column[:, None] != individuals
        rows, new = np.nonzero(kept)
        del kept
        columns = [column[rows] for column in columns]
        columns.append(individuals[new])
    return columns


def _limits(pattern: Pattern) -> tuple[dict[int, int], dict[int, int]]:
    """The first individual at each place of unordered sets, and the end of its range: before and
    after it there are individuals for the other places."""
    lowest, highest = dict[int, int](), dict[int, int]()
    for places in pattern.unordered:
        for index, place in enumerate(places):
            lowest[place] = index
            highest[place] = pattern.sizes[place] - (len(places) - 1 - index)
    return lowest, highest


def in_order(pattern: Pattern, known: Mapping[int, int] | None = None) -> Iterator[tuple[int, ...]]:
    """All substitutions in lexicographic order, one by one: the first ones are there at once.

    ``known``: the individuals at some positions, if only substitutions with these are wanted.

    >>> list(in_order(Pattern((3, 3), unordered=((0, 1),))))
    [(0, 1), (0, 2), (1, 2)]
    """
    fixed = known or {}
    places = sorted(range(len(pattern.sizes)), key=lambda place: place not in fixed)

    def extended(chosen: dict[int, int]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(places):
            yield tuple([chosen[place] for place in range(len(places))])
            return
        place = places[len(chosen)]
        allowed = _allowed(pattern, place, chosen)
        numbers = range(fixed[place], fixed[place] + 1) if place in fixed else allowed
        apart = [pair for pair in pattern.different if place in pair]
        taken = {chosen[other] for pair in apart for other in pair if other in chosen}
        for number in numbers:
            if number in allowed and number not in taken:
                yield from extended({**chosen, place: number})

    return extended({})


def _allowed(pattern: Pattern, place: int, chosen: Mapping[int, int]) -> range:
    """The individuals at a position that keep unordered sets increasing."""
    low, high = 0, pattern.sizes[place]
    for positions in pattern.unordered:
        if place in positions:
            index = positions.index(place)
            low = max([low, *(chosen[p] + 1 for p in positions[:index] if p in chosen)])
            high = min([high, *(chosen[p] for p in positions[index + 1 :] if p in chosen)])
    return range(low, high)


def orbit_representatives(
    columns: Sequence[Column], sizes: Sequence[int], group: Sequence[Sequence[int]]
) -> list[Column]:
    """The first substitution of each orbit of a group of permutations of logvars.

    ``group``: the images of the positions, for each permutation of a group. Precondition:
    ``columns`` list all substitutions of a pattern that the group takes to itself.

    >>> pairs = substitutions(cliques((3, 3), "aa"))
    >>> [column.tolist() for column in orbit_representatives(pairs, (3, 3), [(0, 1), (1, 0)])]
    [[0, 0, 1], [1, 2, 2]]
    """
    all_codes = codes(columns, sizes)
    kept = np.ones(len(all_codes), dtype=np.bool_)
    for images in group:
        kept &= all_codes <= codes([columns[image] for image in images], sizes)
    return [column[kept] for column in columns]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The substitutions of a pattern by number, in lexicographic order, and back.

    ``listed``: the codes of all substitutions, increasing; None where they are 0, 1, 2, …
    """

    pattern: Pattern
    total: int
    listed: Column | None

    def numbers(self, columns: Sequence[NDArray[np.integer[Any]]]) -> Column:
        """The number of each substitution. Precondition: they satisfy the constraints."""
        code = codes(columns, self.pattern.sizes)
        return code if self.listed is None else np.searchsorted(self.listed, code)

    def substitution(self, number: int) -> tuple[int, ...]:
        """The substitution with a number."""
        code = number if self.listed is None else int(self.listed[number])
        return tuple(digits(code, self.pattern.sizes))


def numbering(pattern: Pattern) -> Numbering:
    """The numbering of a pattern's substitutions."""
    total, plain = count(pattern), not (pattern.different or pattern.unordered)
    if not plain and total > _MOST_LISTED:
        raise MemoryLimitError(
            f"expected at most {_MOST_LISTED:,} substitutions, got {format_count(total)}"
        )
    listed = None if plain else codes(substitutions(pattern), pattern.sizes)
    return Numbering(pattern, total, listed)
