"""The factors of a group as rows of members: one column an argument, aligned by the colouring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.factor_graph import FactorGraph
from liftgraph.symmetry.aspects import Aspects, add_aspect, add_link, relate
from liftgraph.symmetry.colouring import Colouring
from liftgraph.symmetry.commutative import Positions
from liftgraph.symmetry.components import Labels, components, function_between
from liftgraph.symmetry.symmetries import Symmetries

MAX_EXCHANGES = 64


@dataclass(frozen=True, slots=True)
class FactorRows:
    """A group of factors with its arguments as members of groups of variables.

    ``factors``: intp (m,). ``members``: int64 (m, k), the number of each argument within its
    group. ``groups``: the group of each column. ``columns``: the partition of the columns into
    those that may be permuted within a row without changing the table. ``exchanges``: further
    permutations of the columns that change nothing, the identity first.
    """

    factors: NDArray[np.intp]
    members: Labels
    groups: tuple[int, ...]
    columns: tuple[Positions, ...]
    exchanges: tuple[Positions, ...]


def factor_rows(
    graph: FactorGraph,
    colouring: Colouring,
    factors: NDArray[np.intp],
    number: Labels,
    symmetries: Symmetries,
) -> FactorRows:
    """The rows of a group of factors. ``number``: of each variable within its group."""
    variables = aligned_scopes(graph, colouring, factors)
    groups = tuple(colouring.variable_colours[variables[0]].tolist())
    return FactorRows(
        factors,
        number[variables],
        groups,
        tuple(_same_group(symmetries.commuting, groups)),
        tuple(_exchanges(symmetries, groups)),
    )


def aligned_scopes(
    graph: FactorGraph, colouring: Colouring, factors: NDArray[np.intp]
) -> NDArray[np.int32]:
    """The arguments of factors in the order that aligns their tables: int32 (m, k)."""
    start = graph.scope_ptr[factors]
    arity = int(graph.scope_ptr[factors[0] + 1] - start[0])
    places = start[:, None] + np.arange(arity)
    scopes: NDArray[np.int32] = graph.scope[start[:, None] + colouring.argument_order[places]]
    return scopes


def _same_group(commuting: Sequence[Positions], groups: Sequence[int]) -> Iterator[Positions]:
    """Commuting columns, apart where they are of different groups."""
    for positions in commuting:
        for group in dict.fromkeys(groups[position] for position in positions):
            yield tuple(position for position in positions if groups[position] == group)


def _exchanges(symmetries: Symmetries, groups: Sequence[int]) -> Iterator[Positions]:
    """Products of the levels of the stabiliser chain that keep every column in its group."""
    products: list[Positions] = [tuple(range(len(groups)))]
    for _, images in symmetries.exchanges:
        if len(products) * len(images) > MAX_EXCHANGES:
            break
        products = [tuple(one[place] for place in other) for one in products for other in images]
    for each in products:
        if all(groups[place] == group for place, group in zip(each, groups, strict=True)):
            yield each


def add_relations(aspects: Aspects, rows: FactorRows) -> None:
    """Add what the factors of a group tell of their arguments, two columns at a time.

    Columns that may be permuted tell the same, so their relations are taken together.
    """
    blocks = [each for each in rows.columns if rows.groups[each[0]] in aspects.labels]
    for block in blocks:
        if len(block) > 1:
            _connect(aspects, rows, list(pairwise(block)))
    place = {column: number for number, block in enumerate(blocks) for column in block}
    done: set[tuple[int, int]] = set()
    for one, other in combinations(range(len(blocks)), 2):
        if (one, other) in done:
            continue
        images = [
            (place[exchange[blocks[one][0]]], place[exchange[blocks[other][0]]])
            for exchange in rows.exchanges
        ]
        orbit = list(dict.fromkeys(images))
        done |= {pair for a, b in orbit for pair in ((a, b), (b, a))}
        columns = [(i, j) for a, b in orbit for i in blocks[a] for j in blocks[b]]
        if (other, one) in orbit:
            _connect(aspects, rows, columns)
        else:
            left, right = (_taken(rows, [pair[side] for pair in columns]) for side in (0, 1))
            first, second = columns[0]
            relate(aspects, rows.groups[first], left, rows.groups[second], right)


def _connect(aspects: Aspects, rows: FactorRows, columns: Sequence[tuple[int, int]]) -> None:
    """Members of one group, related in both directions: who is the other one, if there is just
    one; else only the component they are in is told."""
    left, right = (_taken(rows, [pair[side] for pair in columns]) for side in (0, 1))
    group = rows.groups[columns[0][0]]
    size = aspects.cells[group][0]
    other = function_between(np.append(left, right), np.append(right, left), size)
    if other is not None:
        add_link(aspects, group, other, group, np.arange(size))
    else:
        add_aspect(aspects, group, components(left, right, size))


def _taken(rows: FactorRows, columns: Sequence[int]) -> Labels:
    if len(columns) == 1:
        return rows.members[:, columns[0]]
    return rows.members[:, list(columns)].T.ravel()
