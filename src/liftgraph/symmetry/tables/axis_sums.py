"""Sums of an array over all but some of its axes: what those few arguments tell of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_KEPT = 64  # sums on more than two axes, which are forgotten when there are too many of them
LARGEST_KEPT = 1 << 16  # or when one has more entries than this


class AxisSums:
    """An array with its sums over all but some axes; those on one or two axes are computed once.

    >>> AxisSums(np.array([[1, 2], [3, 4]])).on(1).tolist()
    [4, 6]
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self._on_few: dict[tuple[int, ...], NDArray[Any]] = {}
        self._recent: dict[tuple[int, ...], NDArray[Any]] = {}

    def on(self, *axes: int) -> NDArray[Any]:
        """The sums over all axes but these, with these axes in the order they are listed."""
        kept = self._on_few if len(axes) <= 2 else self._recent
        if axes not in kept:
            sums = self._sums(axes)
            if kept is self._recent and (len(kept) >= MOST_KEPT or sums.size > LARGEST_KEPT):
                kept.clear()
            kept[axes] = sums
        return kept[axes]

    def corner(self, *axes: int) -> NDArray[Any]:
        """The entries where all axes but these are in state 0, with these in the listed order."""
        rest = tuple(axis for axis in range(self.array.ndim) if axis not in axes)
        return np.asarray(self.array.transpose((*rest, *axes))[(0,) * len(rest)])

    def _sums(self, axes: tuple[int, ...]) -> NDArray[Any]:
        rest = tuple(axis for axis in range(self.array.ndim) if axis not in axes)
        sums = self.array.sum(axis=rest) if rest else self.array
        in_order = sorted(axes)
        return np.asarray(sums).transpose([in_order.index(axis) for axis in axes])


def sums_on_each_axis(array: NDArray[Any]) -> list[NDArray[Any]]:
    """The sums over all axes but one, for each axis; every entry is added up twice in all.

    >>> [sums.tolist() for sums in sums_on_each_axis(np.array([[1, 2], [3, 4]]))]
    [[3, 7], [4, 6]]
    """
    if array.ndim <= 1:
        return [array] * array.ndim
    half = array.ndim // 2
    halves = array.reshape(math.prod(array.shape[:half]), -1)
    first = np.asarray(halves.sum(axis=1)).reshape(array.shape[:half])
    second = np.asarray(halves.sum(axis=0)).reshape(array.shape[half:])
    return [*sums_on_each_axis(first), *sums_on_each_axis(second)]


def outer_sum(vectors: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """An axis for each vector; each entry is the sum of the vectors' entries.

    Precondition: there are vectors.

    >>> outer_sum([np.array([0, 1]), np.array([5, 7])]).tolist()
    [[5, 7], [6, 8]]
    """
    if len(vectors) == 1:
        return vectors[0]
    half = len(vectors) // 2
    return np.asarray(np.add.outer(outer_sum(vectors[:half]), outer_sum(vectors[half:])))
