"""Histograms: how many of n variables with the same states are in each state."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray


def histogram_count(n: int, states: int) -> int:
    """How many histograms of n variables there are: multisets of n states.

    >>> histogram_count(3, 2), histogram_count(2, 3)
    (4, 6)
    """
    return comb(n + states - 1, states - 1)


def histograms(n: int, states: int) -> NDArray[np.int64]:
    """All histograms of n variables, int64 (h, states), in lexicographic order.

    Of two states, row h says that h variables are in the first.

    >>> histograms(2, 2).tolist(), histograms(1, 3).tolist()
    ([[0, 2], [1, 1], [2, 0]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    """
    if states == 2:
        first = np.arange(n + 1)
        return np.stack([first, n - first], axis=1)
    # A histogram is a choice of the places of states - 1 bars among n stars and bars.
    bars = np.array(list(combinations(range(n + states - 1), states - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), n + states - 1)
    return np.diff(bars, axis=1, prepend=-1, append=ends) - 1


def histogram_index(n: int, states: int) -> NDArray[np.int64]:
    """The row of its histogram for each assignment of n variables: int64, one axis a variable.

    >>> histogram_index(2, 2).tolist()
    [[2, 1], [1, 0]]
    """
    # Codes in base n + 1 add up: that of an assignment is the sum of those of its states.
    weights = (n + 1) ** np.arange(states, dtype=np.int64)[::-1]
    codes = histograms(n, states) @ weights
    total = np.zeros((states,) * n, dtype=np.int64)
    for axis in range(n):
        total += weights.reshape([-1 if other == axis else 1 for other in range(n)])
    return np.searchsorted(codes, total)
