"""The order of interchangeable arguments in each row, so that rows show the same pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.structure.components import Labels
from liftgraph.symmetry.tables.commutative import Positions

MAX_CHOICES = 64


def choices(
    width: int, columns: Sequence[Positions], exchanges: Sequence[Positions]
) -> list[Positions]:
    """All orders of the columns that change nothing, the given one first; [] if too many."""
    number = prod(factorial(len(each)) for each in columns) * len(exchanges)
    if number > MAX_CHOICES:
        return []
    found = []
    for exchange in exchanges:
        for orders in product(*(permutations(each) for each in columns)):
            order = list(range(width))
            for block, images in zip(columns, orders, strict=True):
                for place, image in zip(block, images, strict=True):
                    order[place] = image
            found.append(tuple(exchange[place] for place in order))
    return found


def best_choice(
    slots: NDArray[np.int64], domains: Sequence[int], orders: Sequence[Positions]
) -> NDArray[np.intp]:
    """For each row the order of its slots that shows most equalities, the first of them first;
    of those, the one that lists the smallest individuals: intp (m,), numbers of orders.

    ``slots``: int64 (m, s), an individual for each slot. ``domains``: of the slots.
    Both rules mean the same for all rows of a parfactor, so equal patterns become equal rows.
    """
    pairs = [(a, b) for a, b in combinations(range(len(domains)), 2) if domains[a] == domains[b]]
    pairs = pairs[:62]
    best = np.zeros(len(slots), dtype=np.intp)
    equal = _equalities(slots, orders[0], pairs)
    chosen = slots[:, list(orders[0])]
    for number, order in enumerate(orders[1:], start=1):
        candidate = slots[:, list(order)]
        more = _equalities(slots, order, pairs)
        better = (more > equal) | ((more == equal) & _smaller(candidate, chosen))
        best[better] = number
        equal = np.where(better, more, equal)
        chosen = np.where(better[:, None], candidate, chosen)
    return best


def _equalities(
    slots: NDArray[np.int64], order: Positions, pairs: Sequence[tuple[int, int]]
) -> Labels:
    """A number whose binary digits, from the highest, tell which pairs of slots are equal."""
    bits = np.zeros(len(slots), dtype=np.int64)
    for a, b in pairs:
        bits = 2 * bits + (slots[:, order[a]] == slots[:, order[b]])
    return bits


def _smaller(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether rows come before their counterparts in lexicographic order."""
    smaller = np.zeros(len(a), dtype=np.bool_)
    for column in range(a.shape[1] - 1, -1, -1):
        smaller = (a[:, column] < b[:, column]) | ((a[:, column] == b[:, column]) & smaller)
    return smaller


def sorted_blocks(
    rows: int, width: int, blocks: Sequence[Positions], keys: Sequence[NDArray[np.int64]]
) -> NDArray[np.intp]:
    """For each row an order of columns with the keys in each block increasing: intp (m, width).

    ``keys``: int64 (m, size of block) for each block.
    """
    order = np.tile(np.arange(width), (rows, 1))
    for block, key in zip(blocks, keys, strict=True):
        order[:, list(block)] = np.array(block)[np.argsort(key, axis=1, kind="stable")]
    return order


def slot_orders(
    total: int,
    column_orders: Sequence[Positions],
    slots_of: Sequence[Sequence[int]],
    unordered: Sequence[Positions],
) -> Iterator[tuple[Positions, Positions]]:
    """Orders of the columns with the orders of all the slots that come with them.

    ``slots_of``: the slots of each column. ``unordered``: sets of slots that may be permuted too.
    Nothing is yielded beyond ``MAX_CHOICES``, but the given order.
    """
    number = len(column_orders) * prod(factorial(len(each)) for each in unordered)
    sets = unordered if number <= MAX_CHOICES else ()
    for columns in column_orders:
        base = list(range(total))
        for place, source in enumerate(columns):
            for target, slot in zip(slots_of[place], slots_of[source], strict=True):
                base[target] = slot
        for images in product(*(permutations(each) for each in sets)):
            order = list(base)
            for each, image in zip(sets, images, strict=True):
                for place, source in zip(each, image, strict=True):
                    order[place] = base[source]
            yield columns, tuple(order)
