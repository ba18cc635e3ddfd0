"""The factors of a group as rows of members: one column an argument, aligned by the colouring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.structure.aspects import Aspects, add_aspect
from liftgraph.symmetry.structure.components import Labels, components
from liftgraph.symmetry.structure.relations import connect, relate
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.symmetries import Symmetries

MAX_EXCHANGES = 64
MANY = 5  # columns in any order; of more, only components are looked at


@dataclass(frozen=True, slots=True)
class FactorRows:
    """A group of factors with its arguments as members of groups of variables.

    ``factors``: intp (m,). ``members``: int64 (m, k), the number of each argument within its
    group. ``groups``: the group of each column. ``columns``: the partition of the columns into
    those that may be permuted within a row without changing the table. ``exchanges``: further
    permutations of the columns that change nothing, the identity first. ``integers``: the table.
    """

    factors: NDArray[np.intp]
    members: Labels
    groups: tuple[int, ...]
    columns: tuple[Positions, ...]
    exchanges: tuple[Positions, ...]
    integers: NDArray[Any]


def factor_rows(
    graph: FactorGraph,
    colouring: Colouring,
    factors: NDArray[np.intp],
    number: Labels,
) -> FactorRows:
    """The rows of a group of factors. ``number``: of each variable within its group."""
    class_of = int(colouring.classes.class_of[colouring.table_id[factors[0]]])
    symmetries = colouring.symmetries[class_of]
    variables = aligned_scopes(graph, colouring, factors)
    groups = tuple(colouring.variable_colours[variables[0]].tolist())
    return FactorRows(
        factors,
        number[variables],
        groups,
        tuple(_same_group(symmetries.commuting, groups)),
        tuple(_exchanges(symmetries, groups)),
        colouring.classes.representatives[class_of].integers,
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
    """All products of the exchanges that keep every column in its group; if there are too many,
    the identity alone: what is not used is not found, but nothing goes wrong."""
    identity: Positions = tuple(range(len(groups)))
    found = [identity]
    known = {identity}
    for each in found:
        for _, images in symmetries.exchanges:
            for image in images[1:]:
                product = tuple(image[place] for place in each)
                if product not in known:
                    known.add(product)
                    found.append(product)
        if len(found) > MAX_EXCHANGES:
            found = [identity]
            break
    for each in found:
        if all(groups[place] == group for place, group in zip(each, groups, strict=True)):
            yield each


def add_relations(aspects: Aspects, rows: FactorRows) -> None:
    """Add what the factors of a group tell of their arguments, two columns at a time.

    Columns that may be permuted tell the same, so their relations are taken together.
    """
    blocks = [each for each in rows.columns if rows.groups[each[0]] in aspects.labels]
    for block in blocks:
        if 1 < len(block) <= MANY:
            _relate_columns(aspects, rows, list(combinations(block, 2)), both_ways=True)
        elif len(block) > MANY:
            left, right = (_taken(rows, each) for each in (block[:-1], block[1:]))
            group = rows.groups[block[0]]
            add_aspect(aspects, group, components(left, right, aspects.cells[group][0]))
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
        _relate_columns(aspects, rows, columns, both_ways=(other, one) in orbit)


def _relate_columns(
    aspects: Aspects, rows: FactorRows, columns: Sequence[tuple[int, int]], both_ways: bool
) -> None:
    left, right = (_taken(rows, [pair[side] for pair in columns]) for side in (0, 1))
    first, second = (rows.groups[column] for column in columns[0])
    if both_ways:
        connect(aspects, first, left, right)
    else:
        relate(aspects, first, left, second, right)


def _taken(rows: FactorRows, columns: Sequence[int]) -> Labels:
    if len(columns) == 1:
        return rows.members[:, columns[0]]
    return rows.members[:, list(columns)].T.ravel()
