"""What relations between members of groups tell of them.

Whoever is related to just one member tells that member. Otherwise connected components tell
apart; and so do, where most are related, those that are not (X ≠ Y leaves out X = Y), and those
that are related more often than others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from liftgraph.symmetry.structure.aspects import Aspects, add_aspect, add_link
from liftgraph.symmetry.structure.components import Labels, components, distinct, function_between

KINDS = 4  # different numbers of times that pairs are related, at most


def relate(aspects: Aspects, a: int, left: Labels, b: int, right: Labels) -> None:
    """Add what a relation between two groups, or in a direction within one, tells.

    ``left`` and ``right``: int64 (r,), the related members.
    """
    sizes = aspects.cells[a][0], aspects.cells[b][0]
    if _told_one(aspects, a, left, b, right):
        return
    for pairs in _relations(left * sizes[1] + right, sizes[0] * sizes[1]):
        one, other = np.divmod(pairs, sizes[1])
        if _told_one(aspects, a, one, b, other):
            continue
        root = components(one, sizes[0] + other, sum(sizes))
        _link_components(aspects, a, b, root)
        missing = _missing_pairs(root, sizes[0], pairs)
        if missing is not None:
            one, other = np.divmod(missing, sizes[1])
            _link_components(aspects, a, b, components(one, sizes[0] + other, sum(sizes)))


def connect(aspects: Aspects, group: int, left: Labels, right: Labels) -> None:
    """Add what a relation in no direction within a group tells: who is the other one, if there
    is just one; else only components."""
    size = aspects.cells[group][0]
    one, other = np.append(left, right), np.append(right, left)
    if _told_one(aspects, group, one, group, other):
        return
    for pairs in _relations(one * size + other, size * size):
        one, other = np.divmod(pairs, size)
        if _told_one(aspects, group, one, group, other):
            continue
        root = components(one, other, size)
        add_aspect(aspects, group, root)
        missing = _missing_pairs(np.append(root, root), size, pairs)
        if missing is not None:
            one, other = np.divmod(missing, size)
            add_aspect(aspects, group, components(one, other, size))


def _told_one(aspects: Aspects, a: int, left: Labels, b: int, right: Labels) -> bool:
    """Whether each member of a group is related to just one of the other: then that is a link."""
    size_a, size_b = aspects.cells[a][0], aspects.cells[b][0]
    told = function_between(left, right, size_a)
    if told is not None:
        add_link(aspects, a, told, b, np.arange(size_b))
        return True
    told = function_between(right, left, size_b)
    if told is not None:
        add_link(aspects, b, told, a, np.arange(size_a))
    return told is not None


def _relations(codes: Labels, bound: int) -> Iterator[Labels]:
    """The related pairs, unless those are all; then those related equally often, but for the
    most common kind: increasing codes."""
    pairs, times = distinct(codes, bound)
    if len(pairs) < bound:
        yield pairs
    kinds, frequency = np.unique(times, return_counts=True)
    if 1 < len(kinds) <= KINDS:
        for kind in kinds[np.argsort(frequency, kind="stable")][:-1]:
            yield pairs[times == kind]


def _link_components(aspects: Aspects, a: int, b: int, root: Labels) -> None:
    """Link what component members of two groups are in, if each has some of the first."""
    in_a, in_b = np.split(root, [aspects.cells[a][0]])
    if np.isin(in_a, in_b).all():
        add_link(aspects, a, in_a, b, in_b)


def _missing_pairs(root: Labels, size_a: int, pairs: Labels) -> Labels | None:
    """The pairs within components that are not related, if there are some, but few; increasing
    codes. ``root``: of the members of both groups."""
    size_b = len(root) - size_a
    of_a, of_b = root[:size_a], root[size_a:]
    in_a, in_b = (np.bincount(side, minlength=len(root)) for side in (of_a, of_b))
    total = int((in_a * in_b).sum())
    if not len(pairs) < total <= 2 * len(pairs):
        return None
    order = np.argsort(of_b, kind="stable")  # members of b, component by component
    mine = in_b[of_a]
    start = (np.cumsum(in_b) - in_b)[of_a]
    place = np.arange(total) + np.repeat(start - (np.cumsum(mine) - mine), mine)
    everything = np.repeat(np.arange(size_a), mine) * size_b + order[place]
    everything.sort()
    related = np.zeros(total, dtype=np.bool_)
    related[np.searchsorted(everything, pairs)] = True
    missing: Labels = everything[~related]
    return missing
