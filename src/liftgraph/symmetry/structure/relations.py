"""What factors tell of the members they relate.

If each member of a group is related to just one member of another, it tells that member. If not,
connected components tell members apart. So do, if most pairs are related, the components of the
pairs that are not (X ≠ Y leaves out X = Y), and of the pairs that are related more often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from liftgraph.model.arrays import PIECE, pieces
from liftgraph.symmetry.structure.aspects import Aspects, add_aspect, add_link
from liftgraph.symmetry.structure.components import (
    Integers,
    Labels,
    components,
    distinct,
    function_between,
    joined,
)
from liftgraph.symmetry.structure.factor_rows import FactorRows

Related = tuple[Integers, Integers]  # integers (r,), members that are related to each other

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
            group = rows.groups[block[0]]
            component = np.arange(aspects.cell_counts[group][0])
            for pair in pairwise(block):
                component = joined(component, *_members(rows, pair))
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
    first, second = (rows.groups[column] for column in pairs[0])
    related = [_members(rows, pair) for pair in pairs]
    if both_ways:
        connect(aspects, first, related)
    else:
        relate(aspects, first, second, related)


def _members(rows: FactorRows, columns: tuple[int, int]) -> Related:
    """The members in two columns."""
    first, second = columns
    return rows.members[:, first], rows.members[:, second]


def relate(aspects: Aspects, a: int, b: int, related: Sequence[Related]) -> None:
    """Add what a relation between two groups, or one with a direction within a group, tells."""
    size_a, size_b = aspects.cell_counts[a][0], aspects.cell_counts[b][0]
    if _link_if_function(aspects, a, b, related):
        return
    for pairs in _relations(related, size_a, size_b):
        ends = _ends(pairs, size_b)
        if _link_if_function(aspects, a, b, [ends]):
            continue
        component = _components_of_both(ends, size_a, size_b)
        _link_components(aspects, a, b, component)
        missing = _missing_pairs(component[:size_a], component[size_a:], pairs)
        if missing is not None:
            ends = _ends(missing, size_b)
            _link_components(aspects, a, b, _components_of_both(ends, size_a, size_b))


def _components_of_both(related: Related, size_a: int, size_b: int) -> Labels:
    """The component of each member of a, then of each of b, which come after those of a."""
    left, right = related
    return components(left, size_a + right.astype(np.int64), size_a + size_b)


def connect(aspects: Aspects, group: int, related: Sequence[Related]) -> None:
    """Add what a relation without a direction within a group tells: the other member, if each is
    related to just one; otherwise only components."""
    size = aspects.cell_counts[group][0]
    if _link_if_function(aspects, group, group, _both_ways(related)):
        return
    for pairs in _relations(related, size, size, both_ways=True):
        ends = _ends(pairs, size)
        if _link_if_function(aspects, group, group, _both_ways([ends])):
            continue
        component = components(*ends, size)
        add_aspect(aspects, group, component)
        missing = _missing_pairs(component, component, pairs, both_ways=True)
        if missing is not None:
            add_aspect(aspects, group, components(*_ends(missing, size), size))


def _both_ways(related: Sequence[Related]) -> list[Related]:
    return [*related, *((right, left) for left, right in related)]


def _ends(pairs: Labels, width: int) -> Related:
    """The two members of each pair, from its code."""
    left, right = np.empty((2, len(pairs)), dtype=np.int32)
    for some in pieces(len(pairs)):
        left[some], right[some] = np.divmod(pairs[some], width)
    return left, right


def _link_if_function(aspects: Aspects, a: int, b: int, related: Sequence[Related]) -> bool:
    """Add a link if each member of one group is related to just one of the other; tell whether."""
    size_a, size_b = aspects.cell_counts[a][0], aspects.cell_counts[b][0]
    member_of_b = function_between(related, size_a)
    if member_of_b is not None:
        add_link(aspects, a, member_of_b, b, np.arange(size_b))
        return True
    member_of_a = function_between([(right, left) for left, right in related], size_b)
    if member_of_a is not None:
        add_link(aspects, b, member_of_a, a, np.arange(size_a))
    return member_of_a is not None


def _relations(
    related: Sequence[Related], size_a: int, size_b: int, both_ways: bool = False
) -> Iterator[Labels]:
    """The related pairs, unless all pairs are related. After that, for each number of times but the
    most common one, the pairs that are related that often. Increasing codes.

    ``both_ways``: the smaller member comes first.
    """
    pairs, times = distinct(_codes(related, size_b, both_ways), size_a * size_b)
    if len(pairs) < size_a * size_b:
        yield pairs
    frequency = np.bincount(times)
    multiplicities = np.flatnonzero(frequency)
    frequency = frequency[multiplicities]
    if 1 < len(multiplicities) <= MOST_MULTIPLICITIES:
        for multiplicity in multiplicities[np.argsort(frequency, kind="stable")][:-1]:
            yield pairs[times == multiplicity]


def _codes(related: Sequence[Related], width: int, both_ways: bool) -> Labels:
    """A number for each pair, int64 (r,). ``both_ways``: the smaller member comes first."""
    codes = np.empty(sum(len(left) for left, _ in related), dtype=np.int64)
    start = 0
    for left, right in related:
        part = codes[start : start + len(left)]
        part[:] = np.minimum(left, right) if both_ways else left
        part *= width
        part += np.maximum(left, right) if both_ways else right
        start += len(left)
    return codes


def _link_components(aspects: Aspects, a: int, b: int, component: Labels) -> None:
    """Link members of two groups by component, if each member of a shares one with some of b."""
    of_a, of_b = np.split(component, [aspects.cell_counts[a][0]])
    if np.isin(of_a, of_b).all():
        add_link(aspects, a, of_a, b, of_b)


def _missing_pairs(
    of_a: Labels, of_b: Labels, pairs: Labels, both_ways: bool = False
) -> Labels | None:
    """The pairs within components that are not related, unless there are none or more than are
    related; increasing codes. ``of_a``, ``of_b``: the component of each member of a and of b.

    ``both_ways``: both groups are the same, and the smaller member of a pair comes first.
    """
    size_b, count = len(of_b), 1 + int(max(of_a.max(), of_b.max()))
    in_a, in_b = (np.bincount(side, minlength=count) for side in (of_a, of_b))
    total = int(in_a @ in_b)
    related = 2 * len(pairs) if both_ways else len(pairs)
    if not related < total <= 2 * related:
        return None
    by_component = np.argsort(of_b, kind="stable")  # members of b
    del in_a
    partners = in_b[of_a]  # of each member of a: how many, and where they begin
    start = (np.cumsum(in_b) - in_b)[of_a]
    missing = []
    for some in _few_partners(partners):
        shift = start[some] - (np.cumsum(partners[some]) - partners[some])
        member = np.repeat(np.arange(some.start, some.stop), partners[some])
        place = np.arange(len(member)) + np.repeat(shift, partners[some])
        partner = by_component[place]
        everything = member * size_b + partner  # increasing
        if both_ways:
            everything = everything[member < partner]
        low, high = np.searchsorted(pairs, [some.start * size_b, some.stop * size_b])
        present = np.zeros(len(everything), dtype=np.bool_)
        present[np.searchsorted(everything, pairs[low:high])] = True
        missing.append(everything[~present])
    return np.concatenate(missing)


def _few_partners(partners: Labels) -> Iterator[slice]:
    """All members, some at a time: so many that they do not have many partners together."""
    ends = np.cumsum(partners)
    cuts = np.searchsorted(ends, np.arange(PIECE, int(ends[-1]), PIECE), side="right")
    places = np.unique([0, *cuts, len(partners)]).tolist()
    return (slice(first, end) for first, end in pairwise(places))
