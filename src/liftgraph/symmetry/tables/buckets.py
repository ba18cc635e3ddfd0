"""Buckets of a table: the entries that no order of its arguments can mix with others."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import Hashes, mixed
from liftgraph.symmetry.tables.axis_sums import outer_sum


def bucket_hashes(shape: tuple[int, ...]) -> Hashes:
    """A hash for the bucket of each assignment: of the arguments of each size, how many are in
    which state (Luttermann et al. 2024, DEFT). Precondition: there are arguments."""
    marks = {size: mixed((np.arange(size) + (size << 20)).astype(np.uint64)) for size in set(shape)}
    return outer_sum([marks[size] for size in shape])


class SortedBuckets:
    """The entries of a table, sorted within each bucket.

    If an order of the arguments takes every entry of a table between two bounds, then it takes
    sorted entries of each bucket between sorted bounds.

    >>> tables = np.array([[5, 4], [3, 0]]), np.array([[5, 3], [4, 0]])
    >>> np.array_equal(*(SortedBuckets(table).whole for table in tables))
    True
    >>> np.array_equal(*(SortedBuckets(table).on(1) for table in tables))
    False
    """

    def __init__(self, integers: NDArray[Any]) -> None:
        self._values, ranks = np.unique(integers, return_inverse=True)
        self._ranks = ranks.reshape(integers.shape)
        self.whole = self.on()

    def on(self, *axes: int) -> NDArray[Any]:
        """A row for each choice of states on these axes, sorted within buckets of the others."""
        moved = np.moveaxis(self._ranks, axes, range(len(axes)))
        sizes, rest = moved.shape[: len(axes)], moved.shape[len(axes) :]
        keys = moved.reshape(prod(sizes), prod(rest)) + _bucket_index(rest) * len(self._values)
        keys.sort(axis=1)
        return np.asarray(self._values[keys % len(self._values)])


@lru_cache(maxsize=4)
def _bucket_index(shape: tuple[int, ...]) -> NDArray[np.intp]:
    """The index of each assignment's bucket, intp (n,), the same for all orders of the sizes."""
    if not shape:
        return np.zeros(1, dtype=np.intp)
    return np.unique(bucket_hashes(shape).ravel(), return_inverse=True)[1]
