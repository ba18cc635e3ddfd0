"""Connected components of graphs in arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def components(left: Labels, right: Labels, count: int) -> Labels:
    """The smallest vertex of each vertex's component, int64 (count,).

    ``left`` and ``right``: int64 (e,), the ends of the edges.
    Each root is hung below the smallest root next to it until no edge joins two trees; trees are
    flattened in between.

    >>> components(np.array([0, 3]), np.array([2, 4]), 5).tolist()
    [0, 1, 0, 3, 3]
    """
    root = np.arange(count)
    while len(left):
        one, other = root[left], root[right]
        apart = one != other
        left, right, one, other = left[apart], right[apart], one[apart], other[apart]
        np.minimum.at(root, np.maximum(one, other), np.minimum(one, other))
        higher = root[root]
        while not np.array_equal(higher, root):
            root, higher = higher, higher[higher]
    return root


def renumbered(labels: Labels) -> tuple[Labels, Labels]:
    """Labels numbered from 0 in the order of their first use, and the old label of each number.

    >>> [each.tolist() for each in renumbered(np.array([7, 2, 7, 0]))]
    [[0, 1, 0, 2], [7, 2, 0]]
    """
    length = len(labels)
    first = np.full(int(labels.max(initial=-1)) + 1, length)
    first[labels[::-1]] = np.arange(length)[::-1]  # of equal labels, the last one written stays
    used = np.flatnonzero(first < length)
    old = used[np.argsort(first[used])]
    number = np.empty(len(first), dtype=np.int64)
    number[old] = np.arange(len(old))
    return number[labels], old


def function_between(labels: Labels, values: Labels, count: int) -> Labels | None:
    """The value of each label, int64 (count,), if each occurs, always with one value; else None.

    >>> function_between(np.array([0, 1, 0]), np.array([5, 6, 5]), 2).tolist()
    [5, 6]
    """
    value = np.full(count, -1)
    value[labels] = values
    known = np.array_equal(value[labels], values) and value.min(initial=0) >= 0
    return value if known else None


def row_numbers(columns: Sequence[Labels], bounds: Sequence[int]) -> Labels:
    """Numbers that are equal for equal rows and in the order of the rows: int64 like a column.

    ``bounds``: of the entries of each column, which are not negative. However large these are,
    the numbers do not overflow.

    >>> row_numbers([np.array([2, 0, 2]), np.array([5, 9, 5])], [3, 10]).tolist()
    [25, 9, 25]
    """
    numbers, bound = columns[0], bounds[0]
    for column, size in zip(columns[1:], bounds[1:], strict=True):
        if bound * size >= 2**62:
            found, numbers = np.unique(numbers, return_inverse=True)
            bound = len(found)
        numbers, bound = numbers * size + column, bound * size
    return numbers


def distinct(codes: Labels, bound: int) -> tuple[Labels, Labels]:
    """The different codes below a bound, increasing, and how often each occurs.

    >>> [each.tolist() for each in distinct(np.array([7, 2, 7]), 100)]
    [[2, 7], [1, 2]]
    """
    if bound > 16 * len(codes):
        found, times = np.unique(codes, return_counts=True)
        return found, times
    every = np.bincount(codes, minlength=bound)
    present = np.flatnonzero(every)
    return present, every[present]
