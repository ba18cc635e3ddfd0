"""Labels in arrays: connected components, functions between labels, and codes for rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import PIECE, pieces

Labels = NDArray[np.int64]
Cells = NDArray[np.int32]
Integers = NDArray[np.integer[Any]]


def components(left: Integers, right: Integers, count: int) -> Labels:
    """The smallest vertex of each vertex's component, int64 (count,).

    ``left`` and ``right``: integers (e,), the ends of the edges.

    >>> components(np.array([0, 3]), np.array([2, 4]), 5).tolist()
    [0, 1, 0, 3, 3]
    """
    return joined(np.arange(count), left, right)


def joined(root: Labels, left: Integers, right: Integers) -> Labels:
    """The smallest vertex of each component, once further edges join components."""
    for some in pieces(len(left), max(len(root) // 4, PIECE)):
        root = _joined(root, left[some], right[some])
    return root


def _joined(root: Labels, left: Integers, right: Integers) -> Labels:
    """The roots of vertices once further edges join them.

    Each root is hung below the smallest root next to it until no edge joins two trees; trees are
    flattened in between.
    """
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


def renumbered(labels: Integers) -> tuple[Cells, Labels]:
    """Labels numbered from 0 in the order of their first use, int32, and the old label of each.

    Precondition: there are less than 2³¹ labels.

    >>> [array.tolist() for array in renumbered(np.array([7, 2, 7, 0]))]
    [[0, 1, 0, 2], [7, 2, 0]]
    """
    length = len(labels)
    number = np.full(int(labels.max(initial=-1)) + 1, length, dtype=np.int32)
    # Of equal labels, the last one written stays: the first use.
    number[labels[::-1]] = np.arange(length - 1, -1, -1, dtype=np.int32)
    old = np.flatnonzero(number < length)
    old = old[np.argsort(number[old])]
    number[old] = np.arange(len(old), dtype=np.int32)
    return number[labels], old


def ranks_within(cells: Integers) -> Labels:
    """The rank of each place among those with the same label, int64 (m,).

    >>> ranks_within(np.array([1, 0, 1, 1])).tolist()
    [0, 0, 1, 2]
    """
    sizes = np.bincount(cells)
    if len(sizes) <= 1:
        return np.arange(len(cells))
    order = np.argsort(cells, kind="stable")
    rank = np.empty(len(cells), dtype=np.int64)
    rank[order] = np.arange(len(cells))
    rank -= (np.cumsum(sizes) - sizes)[cells]
    return rank


def function_between(labelled: Sequence[tuple[Integers, Integers]], count: int) -> Labels | None:
    """The value of each label below ``count``, int64 (count,); None if a label does not occur, or
    occurs with different values. ``labelled``: pairs of labels and values, which are not negative.

    >>> function_between([(np.array([0, 1, 0]), np.array([5, 6, 5]))], 2).tolist()
    [5, 6]
    """
    value_of = np.full(count, -1)
    for labels, values in labelled:
        for some in pieces(len(labels)):
            value_of[labels[some]] = values[some]
    if value_of.min(initial=0) < 0:
        return None
    for labels, values in labelled:
        for some in pieces(len(labels)):
            if not np.array_equal(value_of[labels[some]], values[some]):
                return None
    return value_of


def row_numbers(columns: Sequence[Integers], bounds: Sequence[int]) -> Labels:
    """Numbers that are equal for equal rows and in the order of the rows: int64 (m,).

    ``bounds``: the entries of each column are at least 0 and below its bound. The numbers do not
    overflow, however large the bounds are.

    >>> row_numbers([np.array([2, 0, 2]), np.array([5, 9, 5])], [3, 10]).tolist()
    [25, 9, 25]
    """
    numbers, bound = columns[0].astype(np.int64, copy=False), bounds[0]
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
    if bound > 8 * len(codes):
        return _runs(np.sort(codes))
    occurs = np.zeros(bound, dtype=np.bool_)
    occurs[codes] = True
    present = np.flatnonzero(occurs)
    if len(present) == len(codes):
        return present, _once(len(codes))
    if bound > 2 * len(codes):
        return _runs(np.sort(codes))
    return present, np.bincount(codes, minlength=bound)[present]


def _runs(codes: Labels) -> tuple[Labels, Labels]:
    """The different codes among increasing ones, and how often each occurs."""
    begins = np.ones(len(codes), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=begins[1:])
    if begins.all():
        return codes, _once(len(codes))
    start = np.flatnonzero(begins)
    return codes[start], np.diff(start, append=len(codes))


def _once(count: int) -> Labels:
    """A one for each code, which takes no memory."""
    return np.broadcast_to(np.int64(1), (count,))
