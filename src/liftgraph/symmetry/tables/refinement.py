"""Arguments told apart by what a table says of them: a partition, refined until it is stable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import Hashes, mixed
from liftgraph.symmetry.tables.axis_sums import outer_sum, sums_on_each_axis
from liftgraph.symmetry.tables.buckets import bucket_hashes
from liftgraph.symmetry.tables.commutative import Positions

Commuting = Sequence[Positions]  # the sets of arguments that may be permuted freely


@dataclass(frozen=True, slots=True)
class Cells:
    """An ordered partition of a table's commuting sets.

    ``colours``: of each set, from 0 without gaps. ``trace``: what told the sets apart; neither
    depends on the order of the arguments.
    """

    colours: tuple[int, ...]
    trace: tuple[Any, ...]

    @property
    def discrete(self) -> bool:
        """Whether every set has a colour of its own."""
        return max(self.colours, default=-1) + 1 == len(self.colours)

    @property
    def target(self) -> list[int]:
        """The sets of the first of the smallest cells that has more than one. Precondition: it is
        not discrete."""
        members: list[list[int]] = [[] for _ in self.colours]
        for set_index, colour in enumerate(self.colours):
            members[colour].append(set_index)
        return min((cell for cell in members if len(cell) > 1), key=len)

    def order(self, commuting: Commuting) -> Positions:
        """The arguments by the colours of their sets, and increasing in each set."""
        by_colour = sorted(range(len(commuting)), key=self.colours.__getitem__)
        return tuple(axis for set_index in by_colour for axis in commuting[set_index])


def first_cells(integers: NDArray[Any], commuting: Commuting) -> Cells:
    """Sets told apart by their sizes, the smallest arguments first, and by sums of entries."""
    sums = sums_on_each_axis(integers)
    return _cells(
        [(integers.shape[axes[0]], len(axes), *sums[axes[0]].tolist()) for axes in commuting]
    )


def refined(hashes: Hashes, commuting: Commuting, colours: Sequence[int]) -> Cells:
    """The coarsest refinement of the colours in which sets of a colour look alike.

    Every entry is coloured by its hash and by how many arguments of each colour are in which
    state; every set by its colour, and by the sum over the entries with its first argument in
    each state (colour refinement of the graph between entries and arguments).
    """
    rounds: list[tuple[Any, ...]] = []
    while True:
        cells = _cells(_signatures(hashes, commuting, colours))
        rounds.append(cells.trace)
        if cells.discrete or len(set(cells.colours)) == len(set(colours)):
            return Cells(cells.colours, tuple(rounds))
        colours = cells.colours


def singled_out(cells: Cells, set_index: int) -> list[int]:
    """The colours in which a set comes just before the others of its cell."""
    return [2 * colour + (k != set_index) for k, colour in enumerate(cells.colours)]


def _signatures(
    hashes: Hashes, commuting: Commuting, colours: Sequence[int]
) -> list[tuple[int, ...]]:
    states = np.arange(max(hashes.shape), dtype=np.uint64)
    keys = (np.array(colours, dtype=np.uint64)[:, None] << np.uint64(32)) + states
    marks_of = dict(zip(commuting, mixed(keys.ravel()).reshape(keys.shape), strict=True))
    marks = {axis: marks[: hashes.shape[axis]] for axes, marks in marks_of.items() for axis in axes}
    by_state = outer_sum([marks[axis] for axis in range(hashes.ndim)])
    coloured = mixed((hashes + by_state).ravel()).reshape(hashes.shape)
    sums = sums_on_each_axis(coloured)
    return [
        (colour, *sums[axes[0]].tolist()) for axes, colour in zip(commuting, colours, strict=True)
    ]


def _cells(signatures: Sequence[tuple[int, ...]]) -> Cells:
    """The partition by signatures, in their order."""
    ordered = sorted(signatures)
    rank: dict[tuple[int, ...], int] = {}
    for signature in ordered:
        rank.setdefault(signature, len(rank))
    return Cells(tuple(rank[signature] for signature in signatures), tuple(ordered))


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
    below = mixed((values + bucket_hashes(integers.shape)).ravel()).reshape(integers.shape)
    for axis in range(integers.ndim):
        below = np.cumsum(below, axis=axis)
    return mixed(below.ravel()).reshape(integers.shape)
