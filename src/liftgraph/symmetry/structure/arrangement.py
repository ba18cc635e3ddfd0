"""The order of interchangeable arguments in each row, so that all rows show the same pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.structure.components import Labels
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


def best_orders(
    occurrences: Sequence[Occurrence], orders: Sequence[Positions]
) -> tuple[Labels, NDArray[np.intp]]:
    """The individuals of each row in the best of the orders, int64 (m, s), and the index of that
    order for each row, intp (m,).

    The best order shows most equalities, those of the first occurrences first; of several such
    orders, it is the one that lists the smallest individuals. Both rules mean the same for all
    rows of a parfactor, so equal patterns become equal rows.
    """
    rows = np.stack([occurrence.individuals for occurrence in occurrences], axis=1)
    pairs = [
        (a, b)
        for a, b in combinations(range(len(occurrences)), 2)
        if occurrences[a].domain == occurrences[b].domain
    ][:MOST_BITS]
    best = np.zeros(len(rows), dtype=np.intp)
    chosen = rows[:, list(orders[0])]
    equalities = _equalities(chosen, pairs)
    for index, order in enumerate(orders[1:], start=1):
        candidate = rows[:, list(order)]
        bits = _equalities(candidate, pairs)
        better = (bits > equalities) | ((bits == equalities) & _smaller(candidate, chosen))
        best[better] = index
        equalities = np.where(better, bits, equalities)
        chosen = np.where(better[:, None], candidate, chosen)
    return chosen, best


def _equalities(rows: Labels, pairs: Sequence[tuple[int, int]]) -> Labels:
    """For each row, a number whose bits tell which pairs of entries are equal, the first pair
    being the highest bit."""
    bits = np.zeros(len(rows), dtype=np.int64)
    for a, b in pairs:
        bits = 2 * bits + (rows[:, a] == rows[:, b])
    return bits


def _smaller(a: Labels, b: Labels) -> NDArray[np.bool_]:
    """Whether each row of a comes before the same row of b in lexicographic order."""
    smaller = np.zeros(len(a), dtype=np.bool_)
    for column in range(a.shape[1] - 1, -1, -1):
        smaller = (a[:, column] < b[:, column]) | ((a[:, column] == b[:, column]) & smaller)
    return smaller
