"""Coordinates: the individuals each member of a group is about, consistent across groups."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import inverse
from liftgraph.symmetry.structure.aspects import (
    MOST_ASPECTS,
    AspectId,
    Aspects,
    Link,
    add_aspect,
    close,
    coarser_aspects,
)
from liftgraph.symmetry.structure.components import Cells, Integers, Labels, components

# The rank of each member of a group among those in the same cell, int64.
Rank = Callable[[int, Integers], Labels]
Individuals = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One logvar of a group: a domain, and the individual for each member.

    ``individuals``: int32 (members,). ``aspect``: the index of the aspect it comes from.
    """

    domain: int
    individuals: Individuals
    aspect: int


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The coordinates of each group, and the size of each domain."""

    of: dict[int, tuple[Coordinate, ...]]
    sizes: dict[int, int]


def coordinates(aspects: Aspects, rank: Rank) -> Coordinates:
    """Coordinates for all groups, from their aspects.

    An aspect adds a coordinate unless the coarser aspects together determine it: what it tells
    apart beyond them is numbered off. Treat(P, M) adds M to P; Friends(X, Y) adds nothing to X
    and Y. ``rank``: the order in which members are numbered off.
    """
    close(aspects)
    domains = _domains(aspects)
    while _add_orbits(aspects, domains):
        close(aspects)
        domains = _domains(aspects)
    individuals: dict[int, Individuals] = {}
    for domain, root in enumerate(domains.roots):
        numbers = _numbered_off(aspects, root, rank)
        if numbers is not None:
            individuals[domain] = numbers.astype(np.int32)
    return Coordinates(
        {
            group: tuple(_coordinates_of(aspects, domains, individuals, group))
            for group in aspects.labels
        },
        {domain: int(numbers.max()) + 1 for domain, numbers in individuals.items()},
    )


@dataclass(slots=True)
class _Domains:
    """Aspects that links connect, as one domain.

    ``roots``: the first aspect of each domain. ``domain_of``: of each aspect. ``root_cell``: for
    each aspect, the cell of the root that each of its cells is linked to, int32. ``twists``: for
    each domain, pairs of different such maps for the same aspect, from links that form a circle.
    """

    roots: list[AspectId]
    domain_of: dict[AspectId, int]
    root_cell: dict[AspectId, Cells]
    twists: dict[int, list[tuple[Cells, Cells]]]


Neighbours = dict[AspectId, list[tuple[AspectId, Link, bool]]]  # and whether the link leads to it


def _domains(aspects: Aspects) -> _Domains:
    neighbours: Neighbours = defaultdict(list)
    for link in aspects.links:
        neighbours[link.target].append((link.source, link, False))
        if len(link.cell) == aspects.size(link.target):
            neighbours[link.source].append((link.target, link, True))
    domains = _Domains([], {}, {}, defaultdict(list))
    sizes = {group: cell_counts[0] for group, cell_counts in aspects.cell_counts.items()}
    for group in sorted(sizes, key=lambda group: (sizes[group], group)):
        for aspect_index in range(len(aspects.labels[group])):
            if (group, aspect_index) not in domains.domain_of:
                _add_domain(aspects, neighbours, domains, (group, aspect_index))
    return domains


def _add_domain(
    aspects: Aspects, neighbours: Neighbours, domains: _Domains, root: AspectId
) -> None:
    """Add the domain of all aspects that links lead to from a root."""
    domain = len(domains.roots)
    domains.roots.append(root)
    domains.domain_of[root] = domain
    domains.root_cell[root] = np.arange(aspects.size(root), dtype=np.int32)
    queue = deque([root])
    while queue:
        aspect = queue.popleft()
        for neighbour, link, forwards in neighbours.get(aspect, ()):
            cell = inverse(link.cell) if forwards else link.cell
            root_cell = domains.root_cell[aspect][cell]
            if neighbour not in domains.domain_of:
                domains.domain_of[neighbour] = domain
                domains.root_cell[neighbour] = root_cell
                queue.append(neighbour)
            elif not np.array_equal(domains.root_cell[neighbour], root_cell):
                domains.twists[domain].append((domains.root_cell[neighbour], root_cell))


def _add_orbits(aspects: Aspects, domains: _Domains) -> bool:
    """Add, for each twist, the aspect whose cells are the orbits of the twist; whether it is new.

    The link from Friends(X, Y) to Friends(Y, X) does not tell a person, but it tells the pair.
    Orbits of several twists together follow, as what their aspects have in common.
    """
    count_before = aspects.aspect_count
    for domain, twists in domains.twists.items():
        root = domains.roots[domain]
        for cell, twisted_cell in twists[:MOST_ASPECTS]:
            orbit = components(cell, twisted_cell, aspects.size(root))
            add_aspect(aspects, root[0], orbit[aspects.of(root)])
    return aspects.aspect_count > count_before


def _numbered_off(aspects: Aspects, root: AspectId, rank: Rank) -> Labels | None:
    """A number for each cell of an aspect, different for cells that all coarser aspects together
    do not tell apart; None if there are no such cells."""
    group, cell_count = root[0], aspects.size(root)
    labels = aspects.of(root)
    together, count = np.zeros(cell_count, dtype=np.int64), 1
    for coarser in coarser_aspects(aspects, root):
        coarser_cell = np.empty(cell_count, dtype=np.int64)
        coarser_cell[labels] = aspects.labels[group][coarser]
        cells = coarser_cell, aspects.cell_counts[group][coarser]
        together, count = _told_by_both((together, count), cells)
    counts = np.bincount(together)
    if len(counts) == cell_count:
        return None
    if cell_count == len(labels):  # each member is a cell, and they are numbered alike
        return rank(group, together)
    first = np.full(cell_count, len(labels))
    np.minimum.at(first, labels, rank(group, np.zeros(len(labels), dtype=np.int64)))
    order = np.lexsort((first, together))
    numbers = np.empty(cell_count, dtype=np.int64)
    numbers[order] = np.arange(cell_count) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers


def _told_by_both(a: tuple[Labels, int], b: tuple[Labels, int]) -> tuple[Labels, int]:
    """Labels for what either labels tell apart, and how many. Each are below their number, and all
    of them are used."""
    if a[1] == 1:
        return b
    together = np.unique(a[0] * b[1] + b[0], return_inverse=True)[1]
    return together, int(together.max()) + 1


def _coordinates_of(
    aspects: Aspects, domains: _Domains, individuals: dict[int, Individuals], group: int
) -> Iterator[Coordinate]:
    """Coarse aspects first: others are numbered off within their cells."""
    cell_counts = aspects.cell_counts[group]
    for aspect_index in sorted(range(len(cell_counts)), key=cell_counts.__getitem__):
        aspect = group, aspect_index
        domain = domains.domain_of[aspect]
        if domain in individuals:
            root_cell = domains.root_cell[aspect][aspects.of(aspect)]
            yield Coordinate(domain, individuals[domain][root_cell], aspect_index)
