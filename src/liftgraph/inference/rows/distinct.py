"""Which rows of a table are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.protocol import Integers

_MOST = 1 << 62  # what a number of a row may reach


class Distinct(NamedTuple):
    """``first``: a row of each kind, int64; ``kind``: which kind each row is, int64 (rows,)."""

    first: Integers
    kind: Integers


def distinct_rows(
    columns: Sequence[NDArray[np.integer]], sizes: Sequence[int], row_count: int
) -> Distinct:
    """The kinds of equal rows. ``columns``: integers of each row, below ``sizes``.

    >>> distinct_rows([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3], 3)
    Distinct(first=array([1, 0]), kind=array([1, 0, 1]))
    """
    key, reached = np.zeros(row_count, dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if reached * size > _MOST:  # number the kinds so far: there are at most as many as rows
            kinds = np.unique(key, return_inverse=True)[1]
            key, reached = kinds.astype(np.int64), row_count
        key = key * size + column
        reached *= size
    if reached <= 4 * row_count:
        return _by_place(key, reached)
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    return Distinct(first.astype(np.int64), kind.astype(np.int64))


def _by_place(key: Integers, reached: int) -> Distinct:
    """The same without sorting, for keys of which there are few."""
    first_row = np.full(reached, -1, dtype=np.int64)
    first_row[key[::-1]] = np.arange(len(key))[::-1]
    present = np.flatnonzero(first_row >= 0)
    kinds = np.empty(reached, dtype=np.int64)
    kinds[present] = np.arange(len(present))
    return Distinct(first_row[present], kinds[key])
