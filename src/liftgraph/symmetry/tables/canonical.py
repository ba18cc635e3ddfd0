"""The canonical order of a table's arguments."""

from __future__ import annotations

from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.marginals import Marginals
from liftgraph.symmetry.tables.orbits import smallest_images
from liftgraph.symmetry.tables.symmetries import Symmetries, cells, symmetries, value_hashes

ALL_ORDERS = 24  # up to so many orders of arguments, the smallest is found by trying them all


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
    if prod(factorial(len(run)) for run in runs) > ALL_ORDERS:
        return searched_order(integers)
    orders = [tuple(chain(*parts)) for parts in product(*map(permutations, runs))]
    if len(orders) == 1:
        return orders[0]
    return min(orders, key=lambda order: integers.transpose(order).ravel().tolist())


def searched_order(integers: NDArray[Any]) -> Positions:
    """A canonical order found argument by argument, for tables with too many orders to try.

    Of all beginnings, those with the smallest marginal go on; of beginnings that a symmetry of
    the table takes to each other, one does.
    """
    hashes, own = Marginals(value_hashes(integers)), symmetries(integers)
    beginnings: list[Positions] = [()]
    for cell in cells(hashes, own.commuting):
        for _ in cell:
            longer = [
                (*start, *axes) for start in beginnings for axes in cell if axes[0] not in start
            ]
            beginnings = _different(_smallest(hashes, longer), own)
    return min(beginnings, key=lambda order: hashes.on(*order).ravel().tolist())


def _smallest(hashes: Marginals, beginnings: list[Positions]) -> list[Positions]:
    """The beginnings with the smallest marginal."""
    if len(beginnings) == 1:
        return beginnings
    marginals = [hashes.on(*axes).tobytes() for axes in beginnings]
    least = min(marginals)
    return [axes for axes, each in zip(beginnings, marginals, strict=True) if each == least]


def _different(beginnings: list[Positions], own: Symmetries) -> list[Positions]:
    """One of each class of beginnings that symmetries take to each other."""
    if len(beginnings) == 1 or not own.exchanges:
        return beginnings
    rows = np.zeros((len(beginnings), sum(map(len, own.commuting))), dtype=np.int64)
    for row, axes in zip(rows, beginnings, strict=True):
        row[list(axes)] = 1 + np.arange(len(axes))
    images, _ = smallest_images(rows, own)
    _, first = np.unique(images, axis=0, return_index=True)
    return [beginnings[number] for number in sorted(first.tolist())]
