"""The symmetries of one table: permutations of its arguments that do not change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import Hashes, mixed
from liftgraph.symmetry.tables.alignment import Target, find_permutation
from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.commutative import Positions, commuting_axes


@dataclass(frozen=True, slots=True)
class Symmetries:
    """The permutations of a table's arguments that do not change it.

    ``commuting``: the sets of arguments that may be permuted freely, a partition.
    ``exchanges``: the symmetries that keep every set in its own order, as a stabiliser chain: each
    level has a position, and permutations that fix the positions of the levels before and take
    this one to each place it can go, the identity first. Every symmetry is a product of one
    permutation from each level, times permutations within the commuting sets.
    """

    commuting: tuple[Positions, ...]
    exchanges: tuple[tuple[int, tuple[Positions, ...]], ...] = ()

    @property
    def order(self) -> int:
        """How many symmetries there are, the identity included."""
        return prod(factorial(len(axes)) for axes in self.commuting) * prod(
            len(images) for _, images in self.exchanges
        )

    @property
    def generators(self) -> Iterator[Positions]:
        """Symmetries whose products are all of them: swaps of neighbours, and exchanges."""
        identity = tuple(range(sum(map(len, self.commuting))))
        for axes in self.commuting:
            for i, j in pairwise(axes):
                swap = {i: j, j: i}
                yield tuple(swap.get(position, position) for position in identity)
        for _, images in self.exchanges:
            yield from images[1:]


def symmetries(integers: NDArray[Any]) -> Symmetries:
    """All symmetries of a table.

    >>> symmetries(np.array([[[0, 1], [1, 2]], [[1, 2], [2, 3]]]))
    Symmetries(commuting=((0, 1, 2),), exchanges=())
    >>> x, y, z = np.indices((3, 3, 3))
    >>> symmetries(1 * (x < y) + (y < z) + (z < x)).exchanges
    ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),)
    """
    commuting = commuting_axes(integers)
    by_value = cells(AxisSums(integers), commuting)
    if integers.ndim <= 2 or all(len(cell) == 1 for cell in by_value):
        return Symmetries(commuting)
    hashes = AxisSums(value_hashes(integers))
    levels: list[tuple[int, tuple[Positions, ...]]] = []
    fixed: dict[int, int] = {}
    for cell in cells(hashes, commuting):
        for place, axes in enumerate(cell[:-1]):
            pins = [fixed | dict(zip(axes, image, strict=True)) for image in cell[place + 1 :]]
            images = tuple(_exchanges(hashes, commuting, pins))
            if images:
                levels.append((axes[0], (tuple(range(integers.ndim)), *images)))
            fixed |= dict(zip(axes, axes, strict=True))
    return Symmetries(commuting, tuple(levels))


def value_hashes(integers: NDArray[Any]) -> Hashes:
    """Hashes of the entries whose sums over some axes nearly always differ if the multisets of
    entries there do.

    They move with the entries when axes are permuted. The hash of an entry depends on its value,
    on its bucket, and on all entries below it (those where no argument has a larger state). So
    arguments are told apart even where the values on a few of them tell nothing, as in codes and
    block designs. Two arrays of hashes are equal only if the values are: sums over what lies
    below can be undone.
    """
    _, ranks = np.unique(integers, return_inverse=True)
    values = mixed(ranks.ravel().astype(np.uint64)).reshape(integers.shape)
    below = mixed((values + _bucket_hashes(integers.shape)).ravel()).reshape(integers.shape)
    for axis in range(integers.ndim):
        below = np.cumsum(below, axis=axis)
    return mixed(below.ravel()).reshape(integers.shape)


def _bucket_hashes(shape: tuple[int, ...]) -> Hashes:
    """A hash for the bucket of each assignment: of the arguments of each size, how many are in
    which state (Luttermann et al. 2024, DEFT)."""
    total = np.zeros(shape, dtype=np.uint64)
    for axis, size in enumerate(shape):
        states = mixed((np.arange(size) + (size << 20)).astype(np.uint64))
        total += states.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return total


def cells(values: AxisSums, commuting: Sequence[Positions]) -> Iterator[list[Positions]]:
    """The commuting sets, listed together where sums on one argument do not tell them apart."""

    def key(axes: Positions) -> tuple[int, int, list[int]]:
        return values.array.shape[axes[0]], len(axes), values.on(axes[0]).tolist()

    for _, cell in groupby(sorted(commuting, key=key), key=key):
        yield list(cell)


def _exchanges(
    hashes: AxisSums, commuting: Sequence[Positions], pins: Sequence[Mapping[int, int]]
) -> Iterator[Positions]:
    """For all pins that allow it, a symmetry that takes pinned positions to their axes."""
    for pinned in pins:
        image = find_permutation(hashes, commuting, Target(hashes, None, commuting), pinned)
        if image is not None:
            yield _in_order(image, commuting)


def _in_order(image: Positions, commuting: Sequence[Positions]) -> Positions:
    """The permutation with the same effect on whole sets that keeps each set in its order."""
    ordered = list(image)
    for axes in commuting:
        for position, axis in zip(axes, sorted(image[position] for position in axes), strict=True):
            ordered[position] = axis
    return tuple(ordered)
