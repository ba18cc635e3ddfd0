"""Sums of an array over all but some of its axes: what those few arguments tell of a table."""

from __future__ import annotations

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
