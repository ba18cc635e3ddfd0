"""Colours of arguments up to the symmetries of a table that no swaps generate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.symmetries import Symmetries

Rows = NDArray[Any]
ROWS = 1 << 12  # at a time: each may have many images


def smallest_images(rows: Rows, symmetries: Symmetries) -> tuple[Rows, NDArray[np.intp]]:
    """Each row in the order of its entries that all its images share, and that order.

    ``rows``: integers (m, k), one entry per argument. Two rows get equal images if and only if
    a symmetry of the table takes one to the other; ``rows[i][order[i]] == image[i]``.

    >>> rotations = Symmetries(((0,), (1,), (2,)), ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),))
    >>> smallest_images(np.array([[5, 4, 3], [3, 4, 5], [4, 3, 5]]), rotations)[0].tolist()
    [[3, 5, 4], [3, 4, 5], [3, 5, 4]]
    """
    if not len(rows):
        return rows, np.empty(rows.shape, dtype=np.intp)
    orders = np.concatenate(
        [
            _orders_of_smallest_images(rows[first : first + ROWS], symmetries)
            for first in range(0, len(rows), ROWS)
        ]
    )
    return np.take_along_axis(rows, orders, axis=1), orders


def _orders_of_smallest_images(rows: Rows, symmetries: Symmetries) -> NDArray[np.intp]:
    orders = np.tile(np.arange(rows.shape[1]), (len(rows), 1))
    for positions in symmetries.commuting:
        if len(positions) > 1:
            inner = np.argsort(rows[:, positions], axis=1, kind="stable")
            orders[:, positions] = np.array(positions)[inner]
    owner = np.arange(len(rows))
    for position, permutations in symmetries.exchanges:
        # Later levels leave this position alone: only the smallest entries here can go on.
        orders = orders[:, np.array(permutations)].reshape(-1, rows.shape[1])
        owner = np.repeat(owner, len(permutations))
        entries = rows[owner, orders[:, position]]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        least = np.minimum.reduceat(entries, starts)
        kept = entries == np.repeat(least, np.diff(starts, append=len(owner)))
        owner, orders = _without_repetitions(rows, owner[kept], orders[kept])
    return orders[np.flatnonzero(np.diff(owner, prepend=-1))]


def _without_repetitions(
    rows: Rows, owner: NDArray[np.intp], orders: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One order for each image of each row, the smallest image first."""
    images = np.take_along_axis(rows[owner], orders, axis=1)
    by_image = np.lexsort((*images.T[::-1], owner))
    owner, orders, images = owner[by_image], orders[by_image], images[by_image]
    new = (np.diff(owner, prepend=-1) != 0) | (np.diff(images, axis=0, prepend=-1) != 0).any(axis=1)
    return owner[new], orders[new]


def orbit_labels(rows: Rows, symmetries: Symmetries) -> NDArray[np.int64]:
    """The same label for two positions of a row if a symmetry that keeps the row swaps them.

    Precondition: the rows are smallest images; integers (m, k). Marking one entry and then the
    other gives rows with equal images exactly if there is such a symmetry.

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
