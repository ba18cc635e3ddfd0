"""The canonical order of a table's arguments."""

from __future__ import annotations

from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import Any

from numpy.typing import NDArray

from liftgraph.symmetry.tables.budget import SearchGivenUpError
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.labelling import labelled

MOST_TRIED = 24  # orders of arguments: up to this many, all are tried and the smallest wins


def canonical_order(integers: NDArray[Any]) -> Positions:
    """An order π of the axes such that ``integers.transpose(π)`` is the same array for all
    arrays that differ only in the order of their axes; smaller axes come first.

    A search that costs too much raises a ``SearchGivenUpError``.

    >>> import numpy as np
    >>> a = np.arange(12).reshape(2, 3, 2)
    >>> b = a.transpose(2, 0, 1)
    >>> np.array_equal(a.transpose(canonical_order(a)), b.transpose(canonical_order(b)))
    True
    """
    by_size = sorted(range(integers.ndim), key=integers.shape.__getitem__)
    runs = [tuple(run) for _, run in groupby(by_size, key=integers.shape.__getitem__)]
    if prod(factorial(len(run)) for run in runs) > MOST_TRIED:
        labelling = labelled(integers)
        if not labelling.complete:
            raise SearchGivenUpError
        return labelling.order
    orders = [tuple(chain(*axes)) for axes in product(*map(permutations, runs))]
    if len(orders) == 1:
        return orders[0]
    return min(orders, key=lambda order: integers.transpose(order).ravel().tolist())
