"""The canonical order of a table's arguments."""

from __future__ import annotations

from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.orbits import smallest_images
from liftgraph.symmetry.tables.symmetries import Symmetries, cells, symmetries, value_hashes

MOST_TRIED = 24  # orders of arguments: up to this many, all are tried and the smallest wins


def canonical_order(integers: NDArray[Any]) -> Positions:
    """An order π of the axes such that ``integers.transpose(π)`` is the same array for all
    arrays that differ only in the order of their axes; smaller axes come first.

    >>> a = np.arange(12).reshape(2, 3, 2)
    >>> b = a.transpose(2, 0, 1)
    >>> np.array_equal(a.transpose(canonical_order(a)), b.transpose(canonical_order(b)))
    True
    """
    by_size = sorted(range(integers.ndim), key=integers.shape.__getitem__)
    runs = [tuple(run) for _, run in groupby(by_size, key=integers.shape.__getitem__)]
    if prod(factorial(len(run)) for run in runs) > MOST_TRIED:
        return searched_order(integers)
    orders = [tuple(chain(*axes)) for axes in product(*map(permutations, runs))]
    if len(orders) == 1:
        return orders[0]
    return min(orders, key=lambda order: integers.transpose(order).ravel().tolist())


def searched_order(integers: NDArray[Any]) -> Positions:
    """A canonical order found argument by argument, for tables with too many orders to try all.

    Of all beginnings, those with the smallest sums of hashes are continued; of beginnings that a
    symmetry of the table takes to each other, only one.
    """
    hashes, table_symmetries = AxisSums(value_hashes(integers)), symmetries(integers)
    beginnings: list[Positions] = [()]
    for cell in cells(hashes, table_symmetries.commuting):
        for _ in cell:
            longer = [
                (*start, *axes) for start in beginnings for axes in cell if axes[0] not in start
            ]
            beginnings = _different(_smallest(hashes, longer), table_symmetries)
    return min(beginnings, key=lambda order: hashes.on(*order).ravel().tolist())


def _smallest(hashes: AxisSums, beginnings: list[Positions]) -> list[Positions]:
    """The beginnings with the smallest sums."""
    if len(beginnings) == 1:
        return beginnings
    sums = [hashes.on(*axes).tobytes() for axes in beginnings]
    least = min(sums)
    return [axes for axes, content in zip(beginnings, sums, strict=True) if content == least]


def _different(beginnings: list[Positions], table_symmetries: Symmetries) -> list[Positions]:
    """One of each class of beginnings that symmetries take to each other."""
    if len(beginnings) == 1 or not table_symmetries.exchanges:
        return beginnings
    arity = sum(map(len, table_symmetries.commuting))
    rows = np.zeros((len(beginnings), arity), dtype=np.int64)
    for row, axes in zip(rows, beginnings, strict=True):
        row[list(axes)] = 1 + np.arange(len(axes))
    images, _ = smallest_images(rows, table_symmetries)
    _, first = np.unique(images, axis=0, return_index=True)
    return [beginnings[row_index] for row_index in sorted(first.tolist())]
