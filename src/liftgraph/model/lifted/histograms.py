"""Histograms: how many of n variables with the same states are in each state."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

_FEW_STATES = 32


def histogram_count(n: int, states: int) -> int:
    """How many histograms of n variables there are: multisets of n states.

    >>> histogram_count(3, 2), histogram_count(2, 3)
    (4, 6)
    """
    return comb(n + states - 1, states - 1)


def histograms(n: int, states: int) -> NDArray[np.int64]:
    """All histograms of n variables, int64 (h, states), in lexicographic order.

    With two states, row h says that h variables are in the first.

    >>> histograms(2, 2).tolist(), histograms(1, 3).tolist()
    ([[0, 2], [1, 1], [2, 0]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    """
    if states == 2:
        first = np.arange(n + 1)
        return np.stack([first, n - first], axis=1)
    if states <= _FEW_STATES:
        return _listed(n, states)
    # A histogram is a choice of the places of states - 1 bars among n stars and bars.
    bars = np.array(list(combinations(range(n + states - 1), states - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), n + states - 1)
    return np.diff(bars, axis=1, prepend=-1, append=ends) - 1


def _listed(n: int, states: int) -> NDArray[np.int64]:
    """All histograms, built state by state: each count that earlier states leave, increasing."""
    left = np.array([n])
    columns: list[NDArray[np.int64]] = []
    for _ in range(states - 1):
        start = np.cumsum(left + 1) - (left + 1)
        row = np.repeat(np.arange(len(left)), left + 1)
        count = np.arange(len(row)) - start[row]
        columns = [*(column[row] for column in columns), count]
        left = left[row] - count
    return np.stack([*columns, left], axis=1)


def histogram_states(n: int, states: int) -> NDArray[np.int64]:
    """For each histogram, the assignment with its states in increasing order: int64 (h, n).

    >>> histogram_states(2, 2).tolist()
    [[1, 1], [0, 1], [0, 0]]
    """
    # In histograms that come first, the first states are rare: they are the last assignments.
    listed = list(combinations_with_replacement(range(states), n))
    return np.array(listed, dtype=np.int64).reshape(len(listed), n)[::-1]


def histogram_index(n: int, states: int) -> NDArray[np.int64]:
    """For each assignment of n variables, the row of its histogram: int64, one axis per variable.

    >>> histogram_index(2, 2).tolist()
    [[2, 1], [1, 0]]
    """
    # An assignment's states in increasing order, read as a number, identify its histogram.
    weights = states ** np.arange(n, dtype=np.int64)[::-1]
    sorted_assignments = np.sort(np.indices((states,) * n).reshape(n, -1), axis=0)
    codes = histogram_states(n, states) @ weights
    order = np.argsort(codes)
    return order[np.searchsorted(codes[order], weights @ sorted_assignments)].reshape((states,) * n)
