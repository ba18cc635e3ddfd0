"""Rows of colours, one for each argument, up to the symmetries of a table."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.tables.symmetries import Symmetries

ColourRows = NDArray[Any]
Level = tuple[NDArray[np.intp], NDArray[np.intp]]  # permutations, and what they settle
Images = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows (c,), increasing; orders (c, k)
AT_A_TIME = 1 << 15  # images of rows that are treated together


def smallest_images(
    rows: ColourRows, symmetries: Symmetries
) -> tuple[ColourRows, NDArray[np.intp]]:
    """The smallest image of each row under the symmetries, and the order of its entries there.

    ``rows``: integers (m, k), one entry per argument. Images are compared first where the first
    exchange settles them, then where the next one does. Two rows have the same smallest image if
    and only if a symmetry of the table takes one to the other; ``rows[i][order[i]] == image[i]``.

    >>> rotations = Symmetries(((0,), (1,), (2,)), ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),))
    >>> smallest_images(np.array([[5, 4, 3], [3, 4, 5], [4, 3, 5]]), rotations)[0].tolist()
    [[3, 5, 4], [3, 4, 5], [3, 5, 4]]
    """
    if not len(rows):
        return rows, np.empty(rows.shape, dtype=np.intp)
    if not symmetries.exchanges:
        orders = _sorted_within_sets(rows, symmetries)
    else:
        distinct, row_index = np.unique(rows, axis=0, return_inverse=True)
        orders = _orders_of_smallest_images(distinct, symmetries)[row_index.ravel()]
    return np.take_along_axis(rows, orders, axis=1), orders


def _sorted_within_sets(rows: ColourRows, symmetries: Symmetries) -> NDArray[np.intp]:
    """The order of each row's entries in which those of commuting sets increase."""
    orders = np.tile(np.arange(rows.shape[1]), (len(rows), 1))
    for positions in symmetries.commuting:
        if len(positions) > 1:
            inner = np.argsort(rows[:, positions], axis=1, kind="stable")
            orders[:, positions] = np.array(positions)[inner]
    return orders


def _orders_of_smallest_images(
    rows: ColourRows, symmetries: Symmetries, alike: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """The order of each row's smallest image; ``alike``: bool (m, k, k), where positions of a row
    are marked that symmetries take to each other which keep the row, if they are met."""
    levels = _levels(symmetries, rows.shape[1])

    def searched(candidates: Images, depth: int) -> NDArray[np.intp]:
        """The orders of the smallest images among candidates that are settled up to a level. Half
        of the rows at a time, if there are many candidates."""
        row_of, orders = candidates
        if depth == len(levels):
            return orders[np.flatnonzero(np.diff(row_of, prepend=-1))]
        permutations, settled = levels[depth]
        if len(orders) * len(permutations) > AT_A_TIME and row_of[0] < row_of[-1]:
            middle = np.searchsorted(row_of, (row_of[0] + row_of[-1] + 1) // 2)
            halves = slice(None, middle), slice(middle, None)
            return np.concatenate([searched((row_of[k], orders[k]), depth) for k in halves])
        orders = orders[:, permutations].reshape(-1, rows.shape[1])
        row_of = np.repeat(row_of, len(permutations))
        entries = rows[row_of, orders[:, settled[0]]]
        starts = np.flatnonzero(np.diff(row_of, prepend=-1))
        least = np.minimum.reduceat(entries, starts)
        smallest = entries == np.repeat(least, np.diff(starts, append=len(row_of)))
        longer = _smallest(rows, (row_of[smallest], orders[smallest]), settled, alike)
        return searched(longer, depth + 1)

    return searched((np.arange(len(rows)), _sorted_within_sets(rows, symmetries)), 0)


def _levels(symmetries: Symmetries, arity: int) -> list[Level]:
    """For each exchange, its permutations, and the positions that no later one moves: only images
    with the smallest entries there can go on."""
    permutations = [np.array(images) for _, images in symmetries.exchanges]
    last_moved = np.full(arity, -1)
    for level, images in enumerate(permutations):
        last_moved[(images != np.arange(arity)).any(axis=0)] = level
    return [(images, np.flatnonzero(last_moved == k)) for k, images in enumerate(permutations)]


def _smallest(
    rows: ColourRows,
    candidates: Images,
    settled: NDArray[np.intp],
    alike: NDArray[np.bool_] | None,
) -> Images:
    """Of the images of each row, those that are smallest where they are settled; one order for
    each of them. Two orders with the same image show a symmetry that keeps the row."""
    row_of, orders = candidates
    images = np.take_along_axis(rows[row_of], orders, axis=1)
    others = np.delete(np.arange(rows.shape[1]), settled)
    by_image = np.lexsort((*images.T[others], *images.T[settled[::-1]], row_of))
    row_of, orders, images = row_of[by_image], orders[by_image], images[by_image]
    other_row = np.diff(row_of, prepend=-1) != 0
    new = other_row | (np.diff(images, axis=0, prepend=-1) != 0).any(axis=1)
    if alike is not None:
        again = np.flatnonzero(~new)
        alike[row_of[again, None], orders[again - 1], orders[again]] = True
    starts = np.flatnonzero(other_row)
    first = np.repeat(starts, np.diff(starts, append=len(row_of)))
    new &= (images[:, settled] == images[first][:, settled]).all(axis=1)
    return row_of[new], orders[new]


def orbit_labels(rows: ColourRows, symmetries: Symmetries) -> NDArray[np.int64]:
    """A label for each position of each row, int64 (m, k), the same for two positions if a symmetry
    that keeps the row takes one to the other: the first of these positions.

    Precondition: the rows are smallest images; integers (m, k). The symmetries that keep a row are
    products of those that the search for its smallest image meets: an order that leads there is
    either kept by the search, or one of these takes it to an order that is.

    >>> pairs = Symmetries(((0,), (1,), (2,), (3,)), ((0, ((0, 1, 2, 3), (2, 3, 0, 1))),))
    >>> orbit_labels(np.array([[5, 6, 5, 6], [5, 6, 5, 7]]), pairs).tolist()
    [[0, 1, 0, 1], [0, 1, 2, 3]]
    """
    distinct, row_index = np.unique(rows, axis=0, return_inverse=True)
    arity = rows.shape[1]
    alike = np.tile(np.eye(arity, dtype=np.bool_), (len(distinct), 1, 1))
    for positions in symmetries.commuting:
        for i, j in pairwise(positions):
            alike[:, i, j] = distinct[:, i] == distinct[:, j]
    if symmetries.exchanges and len(distinct):
        _orders_of_smallest_images(distinct, symmetries, alike)
    return _connected(alike | alike.transpose(0, 2, 1))[row_index.ravel()]


def _connected(alike: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The smallest position that each is connected to, int64 (m, k). ``alike``: bool (m, k, k)."""
    labels = np.tile(np.arange(alike.shape[1]), (len(alike), 1))
    while True:
        least = np.where(alike, labels[:, None, :], alike.shape[1]).min(axis=2)
        if np.array_equal(least, labels):
            return labels
        labels = least
