"""What factors tell of the members they relate.

If each member of a group is related to just one member of another, it tells that member. If not,
connected components tell members apart. So do, if most pairs are related, the components of the
pairs that are not (X ≠ Y leaves out X = Y), and of the pairs that are related more often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from liftgraph.symmetry.structure.aspects import Aspects, add_aspect, add_link
from liftgraph.symmetry.structure.components import Labels, components, distinct, function_between
from liftgraph.symmetry.structure.factor_rows import FactorRows

MOST_MULTIPLICITIES = 4  # different numbers of times that pairs are related
MOST_PAIRED = 5  # interchangeable columns; if there are more, only components are examined


def add_relations(aspects: Aspects, rows: FactorRows) -> None:
    """Add what the factors of a group tell of their arguments, two columns at a time.

    Interchangeable columns tell the same, so their relations are taken together.
    """
    blocks = [block for block in rows.interchangeable if rows.groups[block[0]] in aspects.labels]
    for block in blocks:
        if 1 < len(block) <= MOST_PAIRED:
            _relate_columns(aspects, rows, list(combinations(block, 2)), both_ways=True)
        elif len(block) > MOST_PAIRED:
            left, right = (_members(rows, columns) for columns in (block[:-1], block[1:]))
            group = rows.groups[block[0]]
            component = components(left, right, aspects.cell_counts[group][0])
            add_aspect(aspects, group, component)
    block_of = {column: index for index, block in enumerate(blocks) for column in block}
    done: set[tuple[int, int]] = set()
    for pair in combinations(range(len(blocks)), 2):
        if pair in done:
            continue
        first, second = (blocks[block_index][0] for block_index in pair)
        images = [(image[first], image[second]) for image in rows.exchanges]
        orbit = list(dict.fromkeys((block_of[i], block_of[j]) for i, j in images))
        done |= {image for a, b in orbit for image in ((a, b), (b, a))}
        columns = [(i, j) for a, b in orbit for i in blocks[a] for j in blocks[b]]
        _relate_columns(aspects, rows, columns, both_ways=pair[::-1] in orbit)


def _relate_columns(
    aspects: Aspects, rows: FactorRows, pairs: Sequence[tuple[int, int]], both_ways: bool
) -> None:
    left, right = (_members(rows, columns) for columns in zip(*pairs, strict=True))
    first, second = (rows.groups[column] for column in pairs[0])
    if both_ways:
        connect(aspects, first, left, right)
    else:
        relate(aspects, first, left, second, right)


def _members(rows: FactorRows, columns: Sequence[int]) -> Labels:
    """The members in these columns, one column after the other."""
    if len(columns) == 1:
        return rows.members[:, columns[0]]
    return rows.members[:, list(columns)].T.ravel()


def relate(aspects: Aspects, a: int, left: Labels, b: int, right: Labels) -> None:
    """Add what a relation between two groups, or one with a direction within a group, tells.

    ``left`` and ``right``: int64 (r,), the related members.
    """
    size_a, size_b = aspects.cell_counts[a][0], aspects.cell_counts[b][0]
    if _link_if_function(aspects, a, left, b, right):
        return
    for pairs in _relations(left * size_b + right, size_a * size_b):
        left, right = np.divmod(pairs, size_b)
        if _link_if_function(aspects, a, left, b, right):
            continue
        component = components(left, size_a + right, size_a + size_b)
        _link_components(aspects, a, b, component)
        missing = _missing_pairs(component, size_a, pairs)
        if missing is not None:
            left, right = np.divmod(missing, size_b)
            component = components(left, size_a + right, size_a + size_b)
            _link_components(aspects, a, b, component)


def connect(aspects: Aspects, group: int, left: Labels, right: Labels) -> None:
    """Add what a relation without a direction within a group tells: the other member, if each is
    related to just one; otherwise only components."""
    size = aspects.cell_counts[group][0]
    left, right = np.append(left, right), np.append(right, left)
    if _link_if_function(aspects, group, left, group, right):
        return
    for pairs in _relations(left * size + right, size * size):
        left, right = np.divmod(pairs, size)
        if _link_if_function(aspects, group, left, group, right):
            continue
        component = components(left, right, size)
        add_aspect(aspects, group, component)
        missing = _missing_pairs(np.append(component, component), size, pairs)
        if missing is not None:
            add_aspect(aspects, group, components(*np.divmod(missing, size), size))


def _link_if_function(aspects: Aspects, a: int, left: Labels, b: int, right: Labels) -> bool:
    """Add a link if each member of one group is related to just one of the other; tell whether."""
    size_a, size_b = aspects.cell_counts[a][0], aspects.cell_counts[b][0]
    member_of_b = function_between(left, right, size_a)
    if member_of_b is not None:
        add_link(aspects, a, member_of_b, b, np.arange(size_b))
        return True
    member_of_a = function_between(right, left, size_b)
    if member_of_a is not None:
        add_link(aspects, b, member_of_a, a, np.arange(size_a))
    return member_of_a is not None


def _relations(codes: Labels, bound: int) -> Iterator[Labels]:
    """The related pairs, unless all pairs are related. After that, for each number of times but the
    most common one, the pairs that are related that often. Increasing codes."""
    pairs, times = distinct(codes, bound)
    if len(pairs) < bound:
        yield pairs
    multiplicities, frequency = np.unique(times, return_counts=True)
    if 1 < len(multiplicities) <= MOST_MULTIPLICITIES:
        for multiplicity in multiplicities[np.argsort(frequency, kind="stable")][:-1]:
            yield pairs[times == multiplicity]


def _link_components(aspects: Aspects, a: int, b: int, component: Labels) -> None:
    """Link members of two groups by component, if each member of a shares one with some of b."""
    of_a, of_b = np.split(component, [aspects.cell_counts[a][0]])
    if np.isin(of_a, of_b).all():
        add_link(aspects, a, of_a, b, of_b)


def _missing_pairs(component: Labels, size_a: int, pairs: Labels) -> Labels | None:
    """The pairs within components that are not related, unless there are none or more than are
    related; increasing codes. ``component``: that of each member of a, then of b."""
    size_b = len(component) - size_a
    of_a, of_b = component[:size_a], component[size_a:]
    in_a, in_b = (np.bincount(side, minlength=len(component)) for side in (of_a, of_b))
    total = int((in_a * in_b).sum())
    if not len(pairs) < total <= 2 * len(pairs):
        return None
    by_component = np.argsort(of_b, kind="stable")  # members of b
    partners = in_b[of_a]  # of each member of a: how many, and where they begin
    start = (np.cumsum(in_b) - in_b)[of_a]
    place = np.arange(total) + np.repeat(start - (np.cumsum(partners) - partners), partners)
    everything = np.repeat(np.arange(size_a), partners) * size_b + by_component[place]
    everything.sort()
    related = np.zeros(total, dtype=np.bool_)
    related[np.searchsorted(everything, pairs)] = True
    missing: Labels = everything[~related]
    return missing
