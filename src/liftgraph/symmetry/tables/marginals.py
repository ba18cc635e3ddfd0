"""Sums of an array over all but some of its axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RECENT = 64  # marginals on many axes that are kept for a while, if they have
SMALL = 1 << 16  # entries at most


class Marginals:
    """The marginals of one array; those on one or two axes are computed once.

    >>> Marginals(np.array([[1, 2], [3, 4]])).on(1).tolist()
    [4, 6]
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self._known: dict[tuple[int, ...], NDArray[Any]] = {}
        self._recent: dict[tuple[int, ...], NDArray[Any]] = {}

    def on(self, *axes: int) -> NDArray[Any]:
        """The sums over all axes but these, with these axes in the given order."""
        kept = self._known if len(axes) <= 2 else self._recent
        if axes not in kept:
            sums = self._sums(axes)
            if kept is self._recent and (len(kept) >= RECENT or sums.size > SMALL):
                kept.clear()
            kept[axes] = sums
        return kept[axes]

    def corner(self, *axes: int) -> NDArray[Any]:
        """The entries where all axes but these are in state 0, with these in the given order."""
        rest = tuple(axis for axis in range(self.array.ndim) if axis not in axes)
        return np.asarray(self.array.transpose((*rest, *axes))[(0,) * len(rest)])

    def _sums(self, axes: tuple[int, ...]) -> NDArray[Any]:
        rest = tuple(axis for axis in range(self.array.ndim) if axis not in axes)
        sums = self.array.sum(axis=rest) if rest else self.array
        in_order = sorted(axes)
        return np.asarray(sums).transpose([in_order.index(axis) for axis in axes])
