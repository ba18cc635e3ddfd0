"""The groups of a colouring, with the factors of each group as rows of members of other groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.symmetries import Symmetries

MOST_EXCHANGES = 64


@dataclass(frozen=True, slots=True)
class FactorRows:
    """The factors of a group, a row each: one column for each argument, aligned by the colouring.

    ``factors``: intp (m,). ``members``: int32 (m, k), the index of each argument within its group
    of variables. ``groups``: the group of each column. ``interchangeable``: the partition of the
    columns into blocks that may be permuted within a row without changing the table.
    ``exchanges``: further permutations of the columns that do not change it, the identity first.
    ``integers``: the table.
    """

    factors: NDArray[np.intp]
    members: NDArray[np.int32]
    groups: tuple[int, ...]
    interchangeable: tuple[Positions, ...]
    exchanges: tuple[Positions, ...]
    integers: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of variables and of factors of a colouring.

    ``variables`` and ``factors``: the members of each group. ``rows``: of the groups of factors
    with an argument in a group of more than one variable.
    """

    variables: list[NDArray[np.intp]]
    factors: list[NDArray[np.intp]]
    rows: dict[int, FactorRows]

    @property
    def sizes(self) -> dict[int, int]:
        """The size of each group of more than one variable."""
        sizes = enumerate(map(len, self.variables))
        return {group: size for group, size in sizes if size > 1}


def grouped(graph: FactorGraph, colouring: Colouring) -> Groups:
    """The groups of a colouring, and the rows of their factors."""
    variables, factors = colouring.variable_groups, colouring.factor_groups
    member_index = np.empty(graph.variable_count, dtype=np.int32)
    for members in variables:
        member_index[members] = np.arange(len(members), dtype=np.int32)
    sizes = np.array([len(members) for members in variables])
    shared = sizes[colouring.variable_colours] > 1 if len(sizes) else np.empty(0, dtype=np.bool_)
    rows = {
        group: _factor_rows(graph, colouring, members, member_index)
        for group, members in enumerate(factors)
        if shared[_scope(graph, int(members[0]))].any()
    }
    return Groups(variables, factors, rows)


def _scope(graph: FactorGraph, factor: int) -> NDArray[np.int32]:
    return graph.scope[graph.scope_ptr[factor] : graph.scope_ptr[factor + 1]]


def _factor_rows(
    graph: FactorGraph,
    colouring: Colouring,
    factors: NDArray[np.intp],
    member_index: NDArray[np.int32],
) -> FactorRows:
    table_class = int(colouring.classes.class_of[colouring.table_id[factors[0]]])
    symmetries = colouring.symmetries[table_class]
    scopes = aligned_scopes(graph, colouring, factors)
    groups = tuple(colouring.variable_colours[scopes[0]].tolist())
    for column in scopes.T:
        column[:] = member_index[column]
    return FactorRows(
        factors,
        scopes,
        groups,
        tuple(_same_group(symmetries.commuting, groups)),
        tuple(_exchanges(symmetries, groups)),
        colouring.classes.representatives[table_class].integers,
    )


def aligned_scopes(
    graph: FactorGraph, colouring: Colouring, factors: NDArray[np.intp]
) -> NDArray[np.int32]:
    """The arguments of factors in the order that aligns their tables: int32 (m, k).

    Precondition: the factors are of one group; there is at least one.
    """
    start = graph.scope_ptr[factors]
    arity = int(graph.scope_ptr[factors[0] + 1] - start[0])
    scopes = np.empty((len(factors), arity), dtype=np.int32, order="F")
    for place in range(arity):
        scopes[:, place] = graph.scope[start + colouring.argument_order[start + place]]
    return scopes


def _same_group(commuting: Sequence[Positions], groups: Sequence[int]) -> Iterator[Positions]:
    """The commuting sets of columns, divided where columns are of different groups."""
    for positions in commuting:
        for group in dict.fromkeys(groups[position] for position in positions):
            yield tuple(position for position in positions if groups[position] == group)


def _exchanges(symmetries: Symmetries, groups: Sequence[int]) -> Iterator[Positions]:
    """All products of the exchanges that keep every column in its group. If there are too many,
    the identity alone: a parfactor may then be missed, but none is wrong."""
    identity: Positions = tuple(range(len(groups)))
    products = [identity]
    for product in products:
        longer = dict.fromkeys(
            tuple(image[column] for column in product)
            for _, images in symmetries.exchanges
            for image in images[1:]
        )
        products += [permutation for permutation in longer if permutation not in products]
        if len(products) > MOST_EXCHANGES:
            products = [identity]
            break
    for product in products:
        if all(groups[column] == group for column, group in zip(product, groups, strict=True)):
            yield product
