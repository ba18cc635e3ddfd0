"""The order of interchangeable arguments in each row, so that all rows show the same pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import pieces
from liftgraph.symmetry.structure.components import Integers, Labels
from liftgraph.symmetry.structure.fitting import Occurrence
from liftgraph.symmetry.tables.commutative import Positions

MOST_ORDERS = 64
MOST_BITS = 62  # of a non-negative int64


def column_orders(blocks: Sequence[Positions], exchanges: Sequence[Positions]) -> list[Positions]:
    """All orders of the columns that do not change the table, the given one first; none at all if
    there are too many.

    ``blocks``: sets of columns that may be permuted freely; ``exchanges``: permutations of all
    columns, the identity first.

    >>> column_orders([(0, 1)], [(0, 1, 2)])
    [(0, 1, 2), (1, 0, 2)]
    """
    if _order_count(blocks) * len(exchanges) > MOST_ORDERS:
        return []
    return [order for exchange in exchanges for order in _rearrangements(exchange, blocks)]


def occurrence_orders(
    occurrence_count: int,
    orders: Sequence[Positions],
    of_column: Mapping[int, Positions],
    unordered: Sequence[Positions],
) -> Iterator[tuple[Positions, Positions]]:
    """Orders of the columns, each with the orders of all occurrences that come with it.

    ``of_column``: the occurrences in each column that has any. ``unordered``: sets of occurrences
    that may be permuted as well, unless this makes too many orders.
    """
    few = len(orders) * _order_count(unordered) <= MOST_ORDERS
    for columns in orders:
        occurrences = list(range(occurrence_count))
        for column, source in enumerate(columns):
            for place in range(len(of_column.get(column, ()))):
                occurrences[of_column[column][place]] = of_column[source][place]
        for order in _rearrangements(occurrences, unordered if few else ()):
            yield columns, order


def _order_count(sets: Sequence[Positions]) -> int:
    return prod(factorial(len(positions)) for positions in sets)


def _rearrangements(order: Sequence[int], sets: Sequence[Positions]) -> Iterator[Positions]:
    """The orders that differ from a given one only by permutations within sets of positions."""
    for sources in product(*map(permutations, sets)):
        rearranged = list(order)
        for positions, images in zip(sets, sources, strict=True):
            for position, image in zip(positions, images, strict=True):
                rearranged[position] = order[image]
        yield tuple(rearranged)


def best_orders(occurrences: Sequence[Occurrence], orders: Sequence[Positions]) -> NDArray[np.int8]:
    """The index of the best of at most ``MOST_ORDERS`` orders for each row, int8 (m,).

    The best order shows most equalities, those of the first occurrences first; of several such
    orders, it is the one that lists the smallest individuals. Both rules mean the same for all
    rows of a parfactor, so equal patterns become equal rows.
    """
    pairs = [
        (a, b)
        for a, b in combinations(range(len(occurrences)), 2)
        if occurrences[a].domain == occurrences[b].domain
    ][:MOST_BITS]
    best = np.zeros(len(occurrences[0].individuals), dtype=np.int8)
    for some in pieces(len(best)):
        columns = np.stack([occurrence.individuals[some] for occurrence in occurrences])
        best[some] = _best(columns, orders, pairs)
    return best


def _best(
    columns: Integers, orders: Sequence[Positions], pairs: Sequence[tuple[int, int]]
) -> NDArray[np.int8]:
    """The index of the best order for each row. ``columns``: integers (s, m)."""
    best = np.zeros(columns.shape[1], dtype=np.int8)
    chosen = columns[list(orders[0])]
    equalities = _equalities(chosen, pairs)
    for index, order in enumerate(orders[1:], start=1):
        candidate = columns[list(order)]
        bits = _equalities(candidate, pairs)
        better = (bits > equalities) | ((bits == equalities) & _smaller(candidate, chosen))
        best[better] = index
        equalities = np.where(better, bits, equalities)
        chosen = np.where(better, candidate, chosen)
    return best


def arranged(
    occurrences: Sequence[Occurrence], orders: Sequence[Positions], best: NDArray[np.int8]
) -> list[Occurrence]:
    """The occurrences, each row in its best order."""
    sources = np.array(orders)
    columns = [np.empty_like(occurrence.individuals) for occurrence in occurrences]
    for some in pieces(len(best)):
        rows = np.stack([occurrence.individuals[some] for occurrence in occurrences], axis=1)
        rows = np.take_along_axis(rows, sources[best[some]], axis=1)
        for column, individuals in zip(columns, rows.T, strict=True):
            column[some] = individuals
    pairs = zip(occurrences, columns, strict=True)
    return [Occurrence(occurrence.domain, column) for occurrence, column in pairs]


def _equalities(columns: Integers, pairs: Sequence[tuple[int, int]]) -> Labels:
    """For each row, a number whose bits tell which pairs of entries are equal, the first pair
    being the highest bit."""
    bits = np.zeros(columns.shape[1], dtype=np.int64)
    for a, b in pairs:
        bits = 2 * bits + (columns[a] == columns[b])
    return bits


def _smaller(a: Integers, b: Integers) -> NDArray[np.bool_]:
    """Whether each row of a comes before the same row of b in lexicographic order.

    ``a`` and ``b``: integers (s, m), column by column.
    """
    smaller = np.zeros(a.shape[1], dtype=np.bool_)
    for first, second in zip(a[::-1], b[::-1], strict=True):
        smaller = (first < second) | ((first == second) & smaller)
    return smaller
