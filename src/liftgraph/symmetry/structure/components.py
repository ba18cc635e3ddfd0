"""Labels in arrays: connected components, functions between labels, and codes for rows."""

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
        left_root, right_root = root[left], root[right]
        apart = left_root != right_root
        left, right = left[apart], right[apart]
        left_root, right_root = left_root[apart], right_root[apart]
        np.minimum.at(root, np.maximum(left_root, right_root), np.minimum(left_root, right_root))
        higher = root[root]
        while not np.array_equal(higher, root):
            root, higher = higher, higher[higher]
    return root


def inverse_permutation(permutation: Labels) -> Labels:
    """The inverse of a permutation of 0, 1, 2, …

    >>> inverse_permutation(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    images = np.empty(len(permutation), dtype=np.int64)
    images[permutation] = np.arange(len(permutation))
    return images


def renumbered(labels: Labels) -> tuple[Labels, Labels]:
    """Labels numbered from 0 in the order of their first use, and the old label of each new one.

    >>> [array.tolist() for array in renumbered(np.array([7, 2, 7, 0]))]
    [[0, 1, 0, 2], [7, 2, 0]]
    """
    length = len(labels)
    first = np.full(int(labels.max(initial=-1)) + 1, length)
    first[labels[::-1]] = np.arange(length)[::-1]  # of equal labels, the last one written stays
    used = np.flatnonzero(first < length)
    old = used[np.argsort(first[used])]
    new = np.empty(len(first), dtype=np.int64)
    new[old] = np.arange(len(old))
    return new[labels], old


def ranks_within(cells: Labels) -> Labels:
    """The rank of each place among those with the same label, int64 (m,).

    >>> ranks_within(np.array([1, 0, 1, 1])).tolist()
    [0, 0, 1, 2]
    """
    order, sizes = np.argsort(cells, kind="stable"), np.bincount(cells)
    rank = np.empty(len(cells), dtype=np.int64)
    rank[order] = np.arange(len(cells)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rank


def function_between(labels: Labels, values: Labels, count: int) -> Labels | None:
    """The value of each label below ``count``, int64 (count,); None if a label does not occur, or
    occurs with different values. Precondition: values are not negative.

    >>> function_between(np.array([0, 1, 0]), np.array([5, 6, 5]), 2).tolist()
    [5, 6]
    """
    value_of = np.full(count, -1)
    value_of[labels] = values
    is_function = np.array_equal(value_of[labels], values) and value_of.min(initial=0) >= 0
    return value_of if is_function else None


def row_numbers(columns: Sequence[Labels], bounds: Sequence[int]) -> Labels:
    """Numbers that are equal for equal rows and in the order of the rows: int64 like a column.

    ``bounds``: the entries of each column are at least 0 and below its bound. The numbers do not
    overflow, however large the bounds are.

    >>> row_numbers([np.array([2, 0, 2]), np.array([5, 9, 5])], [3, 10]).tolist()
    [25, 9, 25]
    """
    numbers, bound = columns[0], bounds[0]
    for column, size in zip(columns[1:], bounds[1:], strict=True):
        if bound * size >= 2**62:
            beginnings, numbers = np.unique(numbers, return_inverse=True)
            bound = len(beginnings)
        numbers, bound = numbers * size + column, bound * size
    return numbers


def distinct(codes: Labels, bound: int) -> tuple[Labels, Labels]:
    """The different codes below a bound, increasing, and how often each occurs.

    >>> [array.tolist() for array in distinct(np.array([7, 2, 7]), 100)]
    [[2, 7], [1, 2]]
    """
    if bound > 16 * len(codes):
        present, times = np.unique(codes, return_counts=True)
        return present, times
    times = np.bincount(codes, minlength=bound)
    present = np.flatnonzero(times)
    return present, times[present]
