"""The canonical order of a table's arguments, and the symmetries a table has of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.alignment import Target, find_permutation
from liftgraph.symmetry.commutative import Positions, commuting_axes
from liftgraph.symmetry.grouping import mixed
from liftgraph.symmetry.marginals import Marginals

ALL_ORDERS = 24  # up to so many orders of arguments, the smallest is found by trying them all

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Symmetries:
    """The permutations of a table's arguments that leave it as it is.

    ``commuting``: the sets of arguments that may be permuted freely, a partition.
    ``exchanges``: what is left of the group when every set stays in its own order, as a
    stabiliser chain: at each level a position and permutations that fix the positions of the
    levels before and take this one to each place it can go. Every symmetry is a product of one
    permutation from each level, times permutations within the commuting sets.
    """

    commuting: tuple[Positions, ...]
    exchanges: tuple[tuple[int, tuple[Positions, ...]], ...] = ()

    @property
    def order(self) -> int:
        """How many permutations there are."""
        return prod(factorial(len(each)) for each in self.commuting) * prod(
            len(images) for _, images in self.exchanges
        )

    @property
    def generators(self) -> Iterator[Positions]:
        """Permutations whose products are all of them: swaps of neighbours, and exchanges."""
        unmoved = tuple(range(sum(map(len, self.commuting))))
        for members in self.commuting:
            for i, j in pairwise(members):
                swap = {i: j, j: i}
                yield tuple(swap.get(position, position) for position in unmoved)
        for _, images in self.exchanges:
            yield from images[1:]


def canonical_order(integers: NDArray[Any]) -> Positions:
    """An order π of the axes such that ``integers.transpose(π)`` is the same array for all
    arrays that differ only in the order of their axes; smaller axes come first.

    >>> a = np.arange(12).reshape(2, 3, 2)
    >>> b = a.transpose(2, 0, 1)
    >>> np.array_equal(a.transpose(canonical_order(a)), b.transpose(canonical_order(b)))
    True
    """
    by_size = sorted(range(integers.ndim), key=integers.shape.__getitem__)
    runs = [tuple(run) for _, run in groupby(by_size, key=integers.shape.__getitem__)]
    if prod(factorial(len(run)) for run in runs) > ALL_ORDERS:
        return searched_order(integers)
    orders = [tuple(chain(*parts)) for parts in product(*map(permutations, runs))]
    if len(orders) == 1:
        return orders[0]
    return min(orders, key=lambda order: integers.transpose(order).ravel().tolist())


def searched_order(integers: NDArray[Any]) -> Positions:
    """A canonical order found argument by argument, for tables with too many orders to try.

    Of all beginnings, those with the smallest marginal go on; of beginnings that a symmetry of
    the table takes to each other, one does.
    """
    hashes, commuting = Marginals(value_hashes(integers)), commuting_axes(integers)
    beginnings: list[Positions] = [()]
    for cell in _cells(hashes, commuting):
        for _ in cell:
            longer = [
                (*start, *axes) for start in beginnings for axes in cell if axes[0] not in start
            ]
            beginnings = _smallest(hashes, commuting, longer)
    return min(beginnings, key=lambda order: hashes.on(*order).ravel().tolist())


def symmetries(integers: NDArray[Any]) -> Symmetries:
    """All symmetries of a table.

    >>> symmetries(np.array([[[0, 1], [1, 2]], [[1, 2], [2, 3]]]))
    Symmetries(commuting=((0, 1, 2),), exchanges=())
    >>> x, y, z = np.indices((3, 3, 3))
    >>> symmetries(1 * (x < y) + (y < z) + (z < x)).exchanges
    ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),)
    """
    commuting = commuting_axes(integers)
    if len(commuting) <= 1 or integers.ndim <= 2:
        return Symmetries(commuting)
    hashes = Marginals(value_hashes(integers))
    levels: list[tuple[int, tuple[Positions, ...]]] = []
    fixed: dict[int, int] = {}
    for cell in _cells(hashes, commuting):
        for place, axes in enumerate(cell[:-1]):
            pins = [fixed | dict(zip(axes, other, strict=True)) for other in cell[place + 1 :]]
            found = [_symmetry(hashes, commuting, pinned) for pinned in pins]
            images = [_in_order(image, commuting) for image in found if image is not None]
            if images:
                levels.append((axes[0], (tuple(range(integers.ndim)), *images)))
            fixed |= dict(zip(axes, axes, strict=True))
    return Symmetries(commuting, tuple(levels))


def value_hashes(integers: NDArray[Any]) -> Hashes:
    """Numbers whose sums over some axes tell the multisets of values there apart, mostly.

    The hash of an entry depends on its value and on its bucket, which no permutation of the axes
    changes: where values alone look alike, how many arguments have which state tells more. At
    one place, or at places of one bucket, different values have different hashes.
    """
    _, ranks = np.unique(integers, return_inverse=True)
    values = mixed(ranks.ravel().astype(np.uint64)).reshape(integers.shape)
    return mixed((values + _bucket_hashes(integers.shape)).ravel()).reshape(integers.shape)


def _bucket_hashes(shape: tuple[int, ...]) -> Hashes:
    """A number for the bucket of each assignment: how many arguments of each size have which
    state (Luttermann et al. 2024, DEFT)."""
    total = np.zeros(shape, dtype=np.uint64)
    for axis, size in enumerate(shape):
        states = mixed((np.arange(size) + (size << 20)).astype(np.uint64))
        total += states.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return total


def _symmetry(
    hashes: Marginals, commuting: Sequence[Positions], pinned: Mapping[int, int]
) -> Positions | None:
    """A permutation that leaves the table as it is and takes these positions to these axes."""
    return find_permutation(hashes, commuting, Target(hashes, None, commuting), pinned)


def _cells(hashes: Marginals, commuting: Sequence[Positions]) -> Iterator[list[Positions]]:
    """The commuting sets, together where nothing tells them apart on their own."""

    def key(axes: Positions) -> tuple[int, int, bytes]:
        return hashes.array.shape[axes[0]], len(axes), hashes.on(axes[0]).tobytes()

    for _, cell in groupby(sorted(commuting, key=key), key=key):
        yield list(cell)


def _smallest(
    hashes: Marginals, commuting: Sequence[Positions], beginnings: list[Positions]
) -> list[Positions]:
    """The beginnings with the smallest marginal, one of each class of equivalent ones."""
    if len(beginnings) == 1:
        return beginnings
    marginals = [hashes.on(*axes).tobytes() for axes in beginnings]
    least = min(marginals)
    distinct: list[Positions] = []
    for axes, marginal in zip(beginnings, marginals, strict=True):
        known = (dict(zip(first, axes, strict=True)) for first in distinct)
        if marginal == least and not any(_symmetry(hashes, commuting, pins) for pins in known):
            distinct.append(axes)
    return distinct


def _in_order(image: Positions, commuting: Sequence[Positions]) -> Positions:
    """The permutation with the same effect on whole sets that keeps each set in its order."""
    ordered = list(image)
    for axes in commuting:
        for position, axis in zip(axes, sorted(image[position] for position in axes), strict=True):
            ordered[position] = axis
    return tuple(ordered)
