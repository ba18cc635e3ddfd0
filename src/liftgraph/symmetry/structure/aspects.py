"""Aspects: partitions of a group of variables that mean the same in other groups.

Members of Treat(P, M) that are about the same person form a cell of one aspect, members about the
same medication a cell of another. Sick(P) has an aspect for the person, too; the factors that Treat
and Sick share link the two aspects, cell by cell. Every aspect found here is invariant under the
symmetries of the colouring, so looking at it loses nothing; whether it becomes a logvar is decided
later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from liftgraph.model.arrays import inverse
from liftgraph.symmetry.structure.components import (
    Cells,
    Integers,
    Labels,
    components,
    function_between,
    renumbered,
)

MOST_ASPECTS = 16  # of a group; further ones are ignored
AspectId = tuple[int, int]  # a group, and the index of one of its aspects


@dataclass(frozen=True, slots=True)
class Link:
    """Two aspects with the same meaning: the cell of ``target`` for each cell of ``source``."""

    source: AspectId
    target: AspectId
    cell: Cells


@dataclass(slots=True)
class Aspects:
    """The aspects of all groups found so far.

    ``labels``: for each group and aspect, the cell of each member, int32 (members,), numbered in
    the order of the members. In the first aspect of a group, each member is a cell of its own.
    ``cell_counts``: for each group and aspect, how many cells there are. ``links``: between aspects
    with the same meaning; ``linked``: the same, by their ends.
    """

    labels: dict[int, list[Cells]]
    cell_counts: dict[int, list[int]]
    links: list[Link] = field(default_factory=list)
    linked: dict[tuple[AspectId, AspectId], list[Cells]] = field(default_factory=dict)

    def of(self, aspect: AspectId) -> Cells:
        """The labels of one aspect."""
        return self.labels[aspect[0]][aspect[1]]

    def size(self, aspect: AspectId) -> int:
        """How many cells an aspect has."""
        return self.cell_counts[aspect[0]][aspect[1]]

    @property
    def aspect_count(self) -> int:
        """How many aspects all groups have together."""
        return sum(map(len, self.labels.values()))


def own_aspects(sizes: dict[int, int]) -> Aspects:
    """Each group with the one aspect in which each member is a cell of its own."""
    labels = {group: [np.arange(size, dtype=np.int32)] for group, size in sizes.items()}
    return Aspects(labels, {group: [size] for group, size in sizes.items()})


def copied(aspects: Aspects) -> Aspects:
    """A copy, to which aspects can be added without changing the original."""
    return Aspects(
        {group: list(labels) for group, labels in aspects.labels.items()},
        {group: list(counts) for group, counts in aspects.cell_counts.items()},
        list(aspects.links),
        {ends: list(cells) for ends, cells in aspects.linked.items()},
    )


def add_aspect(aspects: Aspects, group: int, raw: Integers) -> tuple[AspectId, Labels] | None:
    """Add the aspect with these raw labels, unless the group has it already.

    Returns the aspect and the raw label of each of its cells. None: it has a single cell, which
    tells nothing, or the group has too many aspects already.
    """
    labels, raw_of_cell = renumbered(raw)
    cell_count = len(raw_of_cell)
    if cell_count == 1:
        return None
    present = zip(aspects.labels[group], aspects.cell_counts[group], strict=True)
    for index, (present_labels, present_count) in enumerate(present):
        if present_count == cell_count and np.array_equal(present_labels, labels):
            return (group, index), raw_of_cell
    if len(aspects.labels[group]) >= MOST_ASPECTS:
        return None
    aspects.labels[group].append(labels)
    aspects.cell_counts[group].append(cell_count)
    return (group, len(aspects.labels[group]) - 1), raw_of_cell


def add_link(aspects: Aspects, a: int, raw_a: Integers, b: int, raw_b: Integers) -> None:
    """Add two aspects, of groups a and b, and link them: equal raw labels mean the same.

    Precondition: every label of the first occurs in the second.
    """
    first, second = add_aspect(aspects, a, raw_a), add_aspect(aspects, b, raw_b)
    if first is None or second is None:
        return
    (source, raw_of_source), (target, raw_of_target) = first, second
    cell_of_raw = np.zeros(int(raw_b.max()) + 1, dtype=np.int32)
    cell_of_raw[raw_of_target] = np.arange(len(raw_of_target))
    _link(aspects, source, target, cell_of_raw[raw_of_source])


def _link(aspects: Aspects, source: AspectId, target: AspectId, cell: Cells) -> None:
    """Add a link, once. A link from an aspect to itself that moves no cell is left out."""
    if source == target and np.array_equal(cell, np.arange(len(cell), dtype=np.int32)):
        return
    present = aspects.linked.setdefault((source, target), [])
    if not any(np.array_equal(cell, present_cell) for present_cell in present):
        present.append(cell)
        aspects.links.append(Link(source, target, cell))


def close(aspects: Aspects) -> None:
    """Add what follows: the common coarsening of any two aspects of a group, and along each
    link from an aspect, all aspects coarser than it.

    Links that were added because an aspect was carried along need not carry it again.
    """
    links_from = _links_both_ways(aspects)
    joined: defaultdict[int, int] = defaultdict(lambda: 1)  # aspects of a group
    carried: defaultdict[int, int] = defaultdict(lambda: 1)  # aspects of a link's source
    waiting = dict.fromkeys(group for group, labels in aspects.labels.items() if len(labels) > 1)
    while waiting:
        group = next(iter(waiting))
        del waiting[group]
        _join(aspects, group, joined[group])
        joined[group] = aspect_count = len(aspects.labels[group])
        for link_index, link in links_from.get(group, ()):
            neighbour = link.target[0]
            count_before = len(aspects.labels[neighbour])
            for coarser in range(carried[link_index], aspect_count):
                _carry_over(aspects, link, coarser)
            carried[link_index] = aspect_count
            if len(aspects.labels[neighbour]) > count_before:
                waiting[neighbour] = None


def _links_both_ways(aspects: Aspects) -> dict[int, list[tuple[int, Link]]]:
    """The one-to-one links from each group, each with an index, and the inverse links."""
    links_from: defaultdict[int, list[tuple[int, Link]]] = defaultdict(list)
    for index, link in enumerate(aspects.links):
        if len(link.cell) == aspects.size(link.target):
            back = Link(link.target, link.source, inverse(link.cell))
            links_from[link.source[0]].append((index, link))
            links_from[link.target[0]].append((~index, back))
    return links_from


def _join(aspects: Aspects, group: int, joined: int) -> None:
    """Add the finest aspect that follows from either of two aspects: Y, of XY and YZ.

    ``joined``: how many of the aspects have been joined with each other before.
    """
    labels, cell_counts = aspects.labels[group], aspects.cell_counts[group]
    second = max(joined, 2)
    while second < len(labels):
        for first in range(1, second):
            offset = cell_counts[first]
            cell_count = offset + cell_counts[second]
            component = components(
                labels[first], offset + labels[second].astype(np.int64), cell_count
            )
            add_aspect(aspects, group, component[labels[first]])
            _link_different(aspects, group, first, second)
        second += 1


def _link_different(aspects: Aspects, group: int, a: int, b: int) -> None:
    """Link two aspects of a group if each cell of one meets all cells of the other but one, and
    that is another one each time: X and Y of Friends(X, Y) mean the same, and must differ."""
    size = aspects.cell_counts[group][a]
    labels_a, labels_b = aspects.labels[group][a], aspects.labels[group][b]
    if size != aspects.cell_counts[group][b] or size * (size - 1) > len(labels_a):
        return
    meetings = np.bincount(labels_a.astype(np.int64) * size + labels_b, minlength=size * size)
    cell_a, cell_b = np.divmod(np.flatnonzero(meetings == 0), size)
    if np.array_equal(cell_a, np.arange(size)) and len(np.unique(cell_b)) == size:
        _link(aspects, (group, a), (group, b), cell_b.astype(np.int32))


def _carry_over(aspects: Aspects, link: Link, coarser: int) -> None:
    """If an aspect follows from the source of a link, add it to the target's group as well."""
    group, finer = link.source
    labels = aspects.labels[group]
    if coarser == finer:
        return
    coarser_cell = function_between([(labels[finer], labels[coarser])], len(link.cell))
    if coarser_cell is None:
        return
    raw = coarser_cell[inverse(link.cell)][aspects.of(link.target)]
    added = add_aspect(aspects, link.target[0], raw)
    if added is not None:
        target, raw_of_cell = added
        _link(aspects, (group, coarser), target, inverse(raw_of_cell))


def coarser_aspects(aspects: Aspects, aspect: AspectId) -> Iterator[int]:
    """The indices of the aspects of the same group that follow from an aspect: cells of cells."""
    group, finer = aspect
    labels, cell_counts = aspects.labels[group], aspects.cell_counts[group]
    for index in range(1, len(labels)):
        fewer = index != finer and cell_counts[index] < cell_counts[finer]
        together = [(labels[finer], labels[index])]
        if fewer and function_between(together, cell_counts[finer]) is not None:
            yield index
