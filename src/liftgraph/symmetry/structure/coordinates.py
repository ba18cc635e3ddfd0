"""Coordinates: the individuals each member of a group is about, consistent across groups."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from liftgraph.symmetry.structure.aspects import (
    MANY,
    Aspects,
    Link,
    Place,
    add_aspect,
    close,
    coarser_aspects,
)
from liftgraph.symmetry.structure.components import Labels, components

Rank = Callable[[int], Labels]  # of the members of a group, int64


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One logvar of a group: a domain, and the number of the individual for each member.

    ``individuals``: int64 (members,). ``aspect``: the number of the aspect it comes from.
    """

    domain: int
    individuals: Labels
    aspect: int


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The coordinates of each group, and the sizes of the domains, by number."""

    of: dict[int, tuple[Coordinate, ...]]
    sizes: dict[int, int]


def coordinates(aspects: Aspects, rank: Rank) -> Coordinates:
    """Coordinates for all groups, from what their aspects tell.

    An aspect that is not told by the coarser ones together adds a coordinate: what it tells
    beyond them, numbered off. Treat(P, M) adds M to P; Friends(X, Y) adds nothing to X and Y.
    ``rank``: the order in which members are numbered off.
    """
    close(aspects)
    found = _shared(aspects)
    while _add_orbits(aspects, found):
        close(aspects)
        found = _shared(aspects)
    numbers: dict[int, Labels] = {}
    for domain, root in enumerate(found.roots):
        number = _numbered_off(aspects, root, rank)
        if number is not None:
            numbers[domain] = number
    sizes = {domain: int(number.max()) + 1 for domain, number in numbers.items()}
    of = {group: tuple(_coordinates_of(aspects, found, numbers, group)) for group in aspects.labels}
    return Coordinates(of, sizes)


@dataclass(slots=True)
class _Shared:
    """Aspects that tell the same, as one domain with common individuals.

    ``roots``: the first aspect of each domain; its cells are the individuals.
    ``domain`` and ``individual``: of each aspect and of its cells. ``twists``: where going round
    a circle of links leads from an individual to another one.
    """

    roots: list[Place]
    domain: dict[Place, int]
    individual: dict[Place, Labels]
    twists: dict[int, list[tuple[Labels, Labels]]]


def _shared(aspects: Aspects) -> _Shared:
    neighbours: defaultdict[Place, list[tuple[Place, Link, bool]]] = defaultdict(list)
    for link in aspects.links:
        neighbours[link.target].append((link.source, link, False))
        if len(link.cell) == aspects.cells[link.target[0]][link.target[1]]:
            neighbours[link.source].append((link.target, link, True))
    found = _Shared([], {}, {}, defaultdict(list))
    smallest_first = sorted(aspects.labels, key=lambda group: (aspects.cells[group][0], group))
    for group in smallest_first:
        for number in range(len(aspects.labels[group])):
            if (group, number) not in found.domain:
                _follow(aspects, neighbours, found, (group, number))
    return found


def _follow(
    aspects: Aspects,
    neighbours: dict[Place, list[tuple[Place, Link, bool]]],
    found: _Shared,
    root: Place,
) -> None:
    """Give the individuals of a new domain to all aspects that links lead to."""
    domain = len(found.roots)
    found.roots.append(root)
    found.domain[root] = domain
    found.individual[root] = np.arange(aspects.cells[root[0]][root[1]])
    queue = deque([root])
    while queue:
        place = queue.popleft()
        for other, link, forwards in neighbours.get(place, ()):
            individual = _followed(found.individual[place], link, forwards)
            if other not in found.domain:
                found.domain[other] = domain
                found.individual[other] = individual
                queue.append(other)
            elif not np.array_equal(found.individual[other], individual):
                found.twists[domain].append((found.individual[other], individual))


def _followed(individual: Labels, link: Link, forwards: bool) -> Labels:
    if not forwards:
        return individual[link.cell]
    there = np.empty(len(link.cell), dtype=np.int64)
    there[link.cell] = individual
    return there


def _add_orbits(aspects: Aspects, found: _Shared) -> bool:
    """Individuals that twists lead to each other make an aspect of their own; whether it is new.

    The links of Friends(X, Y) with Friends(Y, X) tell no person, but they tell the pair. What
    several twists lead to is told by what their aspects have in common.
    """
    before = sum(map(len, aspects.cells.values()))
    for domain, twists in found.twists.items():
        group, number = root = found.roots[domain]
        for one, other in twists[:MANY]:
            orbit = components(one, other, aspects.cells[group][number])
            add_aspect(aspects, group, orbit[aspects.at(root)])
    return before < sum(map(len, aspects.cells.values()))


def _numbered_off(aspects: Aspects, root: Place, rank: Rank) -> Labels | None:
    """What an aspect tells beyond the coarser ones: a number for each cell; None if nothing."""
    group, number = root
    cells = aspects.cells[group][number]
    together = np.zeros(cells, dtype=np.int64)
    labels = aspects.at(root)
    for other in coarser_aspects(aspects, root):
        told = np.empty(cells, dtype=np.int64)
        told[labels] = aspects.labels[group][other]
        together = np.unique(together * aspects.cells[group][other] + told, return_inverse=True)[1]
    counts = np.bincount(together)
    if len(counts) == cells:
        return None
    first = np.full(cells, len(labels))
    np.minimum.at(first, labels, rank(group))
    order = np.lexsort((first, together))
    numbers = np.empty(cells, dtype=np.int64)
    numbers[order] = np.arange(cells) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers


def _coordinates_of(
    aspects: Aspects, found: _Shared, numbers: dict[int, Labels], group: int
) -> list[Coordinate]:
    """Coarse aspects first: they are what others are numbered off within."""
    listed = []
    for number in sorted(
        range(len(aspects.labels[group])), key=lambda each: (aspects.cells[group][each], each)
    ):
        place = group, number
        domain = found.domain[place]
        if domain in numbers:
            individuals = numbers[domain][found.individual[place][aspects.at(place)]]
            listed.append(Coordinate(domain, individuals, number))
    return listed
