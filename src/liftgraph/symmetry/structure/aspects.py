"""Aspects: what can be told of the members of a group, as partitions that mean the same elsewhere.

Treat(P, M) tells the person. As a partition of the group: members are in the same cell if they
are about the same person. Sick(P) tells the person too, and which cell is which is known from the
factors that Treat and Sick share. Every aspect found here is invariant under the symmetries of
the colouring, so nothing is lost by looking at it; whether it makes a logvar is decided later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from liftgraph.symmetry.structure.components import Labels, components, function_between, renumbered

MANY = 16  # aspects of a group; more are not looked for
Place = tuple[int, int]  # a group, and the number of one of its aspects


@dataclass(frozen=True, slots=True)
class Link:
    """Two aspects that tell the same: the cell of ``target`` for each cell of ``source``."""

    source: Place
    target: Place
    cell: Labels


@dataclass(slots=True)
class Aspects:
    """The aspects of all groups found so far.

    ``labels``: for each group, the cells of its members in each aspect, int64 (members,),
    numbered in the order of the members. The first aspect of a group tells its members apart.
    ``cells``: how many there are. ``links``: between aspects that tell the same; ``linked``: the
    same by their ends.
    """

    labels: dict[int, list[Labels]]
    cells: dict[int, list[int]]
    links: list[Link] = field(default_factory=list)
    linked: dict[tuple[Place, Place], list[Labels]] = field(default_factory=dict)

    def at(self, place: Place) -> Labels:
        """The labels of one aspect."""
        return self.labels[place[0]][place[1]]


def own_aspects(sizes: dict[int, int]) -> Aspects:
    """Each group with the aspect that tells its members apart, and no other."""
    labels = {group: [np.arange(size)] for group, size in sizes.items()}
    return Aspects(labels, {group: [size] for group, size in sizes.items()})


def copied(aspects: Aspects) -> Aspects:
    """The same aspects, to be added to without changing these."""
    return Aspects(
        {group: list(each) for group, each in aspects.labels.items()},
        {group: list(each) for group, each in aspects.cells.items()},
        list(aspects.links),
        {ends: list(each) for ends, each in aspects.linked.items()},
    )


def add_aspect(aspects: Aspects, group: int, raw: Labels) -> tuple[Place, Labels] | None:
    """The place of an aspect, and the raw label of each cell; None if it tells nothing."""
    labels, old = renumbered(raw)
    if len(old) == 1:
        return None
    known = zip(aspects.labels[group], aspects.cells[group], strict=True)
    for number, (other, cells) in enumerate(known):
        if cells == len(old) and np.array_equal(other, labels):
            return (group, number), old
    if len(aspects.labels[group]) >= MANY:
        return None
    aspects.labels[group].append(labels)
    aspects.cells[group].append(len(old))
    return (group, len(aspects.labels[group]) - 1), old


def add_link(aspects: Aspects, a: int, raw_a: Labels, b: int, raw_b: Labels) -> None:
    """Two groups' aspects with the same raw labels for what is the same.

    Precondition: every label of the first occurs in the second.
    """
    first, second = add_aspect(aspects, a, raw_a), add_aspect(aspects, b, raw_b)
    if first is None or second is None:
        return
    cell_of_raw = np.zeros(int(raw_b.max()) + 1, dtype=np.int64)
    cell_of_raw[second[1]] = np.arange(len(second[1]))
    _link(aspects, first[0], second[0], cell_of_raw[first[1]])


def _link(aspects: Aspects, source: Place, target: Place, cell: Labels) -> None:
    """Add a link, once; that an aspect tells the same as itself is no news."""
    if source == target and np.array_equal(cell, np.arange(len(cell))):
        return
    known = aspects.linked.setdefault((source, target), [])
    if not any(np.array_equal(cell, other) for other in known):
        known.append(cell)
        aspects.links.append(Link(source, target, cell))


def close(aspects: Aspects) -> None:
    """Add what follows: what two aspects of a group both tell, and what links carry over.

    What a link has carried need not be carried by the links that come of it.
    """
    carriers = _both_ways(aspects)
    joined: defaultdict[int, int] = defaultdict(lambda: 1)
    carried: defaultdict[int, int] = defaultdict(lambda: 1)
    waiting = dict.fromkeys(group for group, labels in aspects.labels.items() if len(labels) > 1)
    while waiting:
        group = next(iter(waiting))
        del waiting[group]
        _join(aspects, group, joined[group])
        joined[group] = known = len(aspects.labels[group])
        for number, link in carriers.get(group, ()):
            other = link.target[0]
            before = len(aspects.labels[other])
            for coarser in range(carried[number], known):
                _carry_over(aspects, link, coarser)
            carried[number] = known
            if len(aspects.labels[other]) > before:
                waiting[other] = None


def _both_ways(aspects: Aspects) -> dict[int, list[tuple[int, Link]]]:
    """The links from each group, numbered, those back included."""
    carriers: defaultdict[int, list[tuple[int, Link]]] = defaultdict(list)
    for number, link in enumerate(aspects.links):
        cells = aspects.cells[link.target[0]][link.target[1]]
        if len(link.cell) == cells:
            back = np.empty(cells, dtype=np.int64)
            back[link.cell] = np.arange(cells)
            carriers[link.source[0]].append((number, link))
            carriers[link.target[0]].append((~number, Link(link.target, link.source, back)))
    return carriers


def _join(aspects: Aspects, group: int, known: int) -> None:
    """The finest aspect that both of two incomparable aspects tell: XY and YZ tell Y.

    ``known``: how many of the aspects have been joined with each other.
    """
    labels = aspects.labels[group]
    number = max(known, 2)
    while number < len(labels):
        for other in range(1, number):
            first, second = aspects.cells[group][other], aspects.cells[group][number]
            root = components(labels[other], first + labels[number], first + second)
            add_aspect(aspects, group, root[labels[other]])
            _link_different(aspects, group, other, number)
        number += 1


def _link_different(aspects: Aspects, group: int, a: int, b: int) -> None:
    """If two aspects go together in all ways but one for each cell, they tell the same, and must
    tell different things of a member: X and Y of Friends(X, Y)."""
    cells = aspects.cells[group][a]
    if cells != aspects.cells[group][b] or cells * (cells - 1) > len(aspects.labels[group][a]):
        return
    both = aspects.labels[group][a] * cells + aspects.labels[group][b]
    missing = np.flatnonzero(np.bincount(both, minlength=cells * cells) == 0)
    left_out = np.unique(missing % cells)
    if np.array_equal(missing // cells, np.arange(cells)) and len(left_out) == cells:
        _link(aspects, (group, a), (group, b), missing % cells)


def _carry_over(aspects: Aspects, link: Link, coarser: int) -> None:
    group, finer = link.source
    labels = aspects.labels[group]
    if coarser == finer:
        return
    told = function_between(labels[finer], labels[coarser], len(link.cell))
    if told is None:
        return
    there = np.empty(len(link.cell), dtype=np.int64)
    there[link.cell] = told
    raw = there[aspects.at(link.target)]
    found = add_aspect(aspects, link.target[0], raw)
    if found is not None:
        place, old = found
        cell = np.empty(len(old), dtype=np.int64)
        cell[old] = np.arange(len(old))
        _link(aspects, (group, coarser), place, cell)


def coarser_aspects(aspects: Aspects, place: Place) -> Iterator[int]:
    """The numbers of a group's aspects that follow from one of them."""
    group, finer = place
    labels, cells = aspects.labels[group], aspects.cells[group]
    for other in range(1, len(labels)):
        fewer = other != finer and cells[other] < cells[finer]
        if fewer and function_between(labels[finer], labels[other], cells[finer]) is not None:
            yield other
