"""Rows of colours, one for each argument, up to the symmetries of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.symmetries import Symmetries

ColourRows = NDArray[Any]
AT_A_TIME = 1 << 12  # rows that are treated together; each may have many images


def smallest_images(
    rows: ColourRows, symmetries: Symmetries
) -> tuple[ColourRows, NDArray[np.intp]]:
    """The smallest image of each row under the symmetries, and the order of its entries there.

    ``rows``: integers (m, k), one entry per argument. Images are compared at the positions of the
    exchanges first. Two rows have the same smallest image if and only if a symmetry of the table
    takes one to the other; ``rows[i][order[i]] == image[i]``.

    >>> rotations = Symmetries(((0,), (1,), (2,)), ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),))
    >>> smallest_images(np.array([[5, 4, 3], [3, 4, 5], [4, 3, 5]]), rotations)[0].tolist()
    [[3, 5, 4], [3, 4, 5], [3, 5, 4]]
    """
    if not len(rows):
        return rows, np.empty(rows.shape, dtype=np.intp)
    orders = np.concatenate(
        [
            _orders_of_smallest_images(rows[first : first + AT_A_TIME], symmetries)
            for first in range(0, len(rows), AT_A_TIME)
        ]
    )
    return np.take_along_axis(rows, orders, axis=1), orders


def _orders_of_smallest_images(rows: ColourRows, symmetries: Symmetries) -> NDArray[np.intp]:
    """The candidates of all rows are kept in one array, with the row that each belongs to."""
    orders = np.tile(np.arange(rows.shape[1]), (len(rows), 1))
    for positions in symmetries.commuting:
        if len(positions) > 1:
            inner = np.argsort(rows[:, positions], axis=1, kind="stable")
            orders[:, positions] = np.array(positions)[inner]
    row_of = np.arange(len(rows))
    for position, permutations in symmetries.exchanges:
        # Later levels leave this position alone: only the smallest entries here can go on.
        orders = orders[:, np.array(permutations)].reshape(-1, rows.shape[1])
        row_of = np.repeat(row_of, len(permutations))
        entries = rows[row_of, orders[:, position]]
        starts = np.flatnonzero(np.diff(row_of, prepend=-1))
        least = np.minimum.reduceat(entries, starts)
        smallest = entries == np.repeat(least, np.diff(starts, append=len(row_of)))
        row_of, orders = _without_repetitions(rows, row_of[smallest], orders[smallest])
    return orders[np.flatnonzero(np.diff(row_of, prepend=-1))]


def _without_repetitions(
    rows: ColourRows, row_of: NDArray[np.intp], orders: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One order for each image of each row, the smallest image first."""
    images = np.take_along_axis(rows[row_of], orders, axis=1)
    by_image = np.lexsort((*images.T[::-1], row_of))
    row_of, orders, images = row_of[by_image], orders[by_image], images[by_image]
    other_row = np.diff(row_of, prepend=-1) != 0
    new = other_row | (np.diff(images, axis=0, prepend=-1) != 0).any(axis=1)
    return row_of[new], orders[new]


def orbit_labels(rows: ColourRows, symmetries: Symmetries) -> NDArray[np.int64]:
    """A label for each position of each row, int64 (m, k), the same for two positions if a symmetry
    that keeps the row takes one to the other.

    Precondition: the rows are smallest images; integers (m, k). Marking one entry and then the
    other gives rows with equal smallest images exactly if there is such a symmetry.

    >>> pairs = Symmetries(((0,), (1,), (2,), (3,)), ((0, ((0, 1, 2, 3), (2, 3, 0, 1))),))
    >>> orbit_labels(np.array([[5, 6, 5, 6], [5, 6, 5, 7]]), pairs).tolist()
    [[0, 1, 0, 1], [0, 1, 2, 3]]
    """
    arity = rows.shape[1]
    labels = np.tile(np.arange(arity, dtype=np.int64), (len(rows), 1))
    marked = [
        smallest_images(2 * rows.astype(np.int64) + (np.arange(arity) == position), symmetries)[0]
        for position in range(arity)
    ]
    for position in reversed(range(arity)):
        for later in range(position + 1, arity):
            alike = (marked[position] == marked[later]).all(axis=1)
            labels[alike, later] = position
    return labels
