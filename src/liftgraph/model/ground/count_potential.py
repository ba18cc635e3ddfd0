"""Potentials that depend on a count: how many arguments are in a state, or what they add up to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import MemoryLimitError
from liftgraph.model.ground.table import Piece, Potential, Shared, Table, shared

_Node = tuple[int, int]  # a partial sum: its axis, and how many numbers it may be
MOST_ENTRIES = 1 << 20  # of a table that a potential of another kind is expanded to


@dataclass(frozen=True)
class CountPotential:
    """A weight for each sum of what the counted arguments add, and for further arguments.

    ``addends``: for each counted argument, what each of its states adds; none is negative.
    ``weights``: over the sums 0, 1, … that there may be, and the further arguments. Without
    weights, the only further argument is the sum itself. ``runs``: how many counted arguments, one
    run after the other, are added up by themselves first; by default all are one run. They change
    no weight, but counts with common runs are answered together.

    >>> heads = CountPotential(((1, 0),) * 3, Table.of([0, 0, 1, 1]))  # at least two of three
    >>> heads.potential((0, 1, 0)), heads.potential((1, 1, 0))
    (Fraction(1, 1), Fraction(0, 1))
    """

    addends: tuple[tuple[int, ...], ...]
    weights: Table | None = None
    runs: tuple[int, ...] = ()

    @cached_property
    def shared(self) -> Shared[tuple[int, ...]]:
        """The distinct addends: many arguments may add the same."""
        return shared(self.addends)

    @property
    def sums(self) -> int:
        """How many sums there may be: from 0 to the largest."""
        return 1 + sum(map(max, self.addends))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each argument."""
        further = (self.sums,) if self.weights is None else self.weights.shape[1:]
        return (*map(len, self.addends), *further)

    @property
    def scale(self) -> Fraction:
        """A positive factor of all weights."""
        return Fraction(1) if self.weights is None else self.weights.scale

    @property
    def measured(self) -> bool:
        """Whether float64 values went in."""
        return self.weights is not None and self.weights.measured

    def potential(self, states: Sequence[int]) -> Fraction:
        """The exact weight of one assignment, given as state indices."""
        counted, further = states[: len(self.addends)], tuple(states[len(self.addends) :])
        total = sum([adds[state] for adds, state in zip(self.addends, counted, strict=True)])
        if self.weights is None:
            return Fraction(int(further == (total,)))
        return self.weights.potential((total, *further))

    def table(self) -> Table:
        """All weights as a table; refused if they are too many."""
        return expanded(self, "a count factor")

    def pieces(self) -> list[Piece]:
        """A tree of partial sums: of two arguments at a time, then of two sums at a time.

        The sum of everything is the last argument, or hidden and weighted.
        """
        arity, count = len(self.shape), len(self.addends)
        pieces, roots, start = list[Piece](), list[_Node](), 0
        for size in self.runs or (count,):
            nodes: list[_Node] = []
            for first in range(start, start + size, 2):
                pair = self.addends[first : min(first + 2, start + size)]
                pieces.append(_leaf(pair, first, arity + len(pieces)))
                nodes.append((pieces[-1].axes[-1], pieces[-1].integers.shape[-1]))
            roots.append(_added_up(nodes, pieces, arity))
            start += size
        root, _ = _added_up(roots, pieces, arity)
        if self.weights is not None:
            return [*pieces, Piece(self.weights.integers, (root, *range(count, arity)))]
        last = pieces[-1]
        pieces[-1] = Piece(last.integers, (*last.axes[:-1], count), last.adds)
        return [*pieces, Piece(np.ones(self.sums, dtype=np.uint8), (count,))]


def _added_up(nodes: list[_Node], pieces: list[Piece], arity: int) -> _Node:
    """The sum of everything; partial sums become pieces, with a hidden axis of its own each."""
    while len(nodes) > 1:
        summed: list[_Node] = []
        for (left, n), (right, m) in zip(nodes[::2], nodes[1::2], strict=False):
            axes = left, right, arity + len(pieces)
            pieces.append(Piece(adding(n, m), axes, adds=True))
            summed.append((axes[-1], n + m - 1))
        nodes = summed + nodes[len(nodes) // 2 * 2 :]
    return nodes[0]


def _leaf(addends: Sequence[tuple[int, ...]], first: int, axis: int) -> Piece:
    """The sum of one or two arguments. ``axis``: that of the sum."""
    sums = np.add.outer(*addends) if len(addends) == 2 else np.array(addends[0])
    arguments = range(first, first + len(addends))
    return Piece(one_where(sums, int(sums.max()) + 1), (*arguments, axis))


def one_where(indices: NDArray[Any], size: int) -> NDArray[np.uint8]:
    """An axis more, of this size, with a one at each index: uint8."""
    return np.asarray(indices[..., None] == np.arange(size), dtype=np.uint8)


def adding(left: int, right: int) -> NDArray[np.uint8]:
    """One where the first two indices add up to the third: uint8 (left, right, left + right - 1).

    All entries are read from one short array: entry (a, b, c) is at the place c - a - b of it.

    >>> adding(2, 2).tolist()
    [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]]
    """
    sums = left + right - 1
    line = np.zeros(2 * sums - 1, dtype=np.uint8)
    line[sums - 1] = 1
    shape, strides = (left, right, sums), (-1, -1, 1)
    view = np.lib.stride_tricks.as_strided(line[sums - 1 :], shape, strides, writeable=False)
    return np.asarray(view)


def expanded(potential: Potential, what: str) -> Table:
    """All weights of a potential as a table; more than 2^20 of them are refused."""
    entries = math.prod(potential.shape)
    if entries > MOST_ENTRIES:
        raise MemoryLimitError(
            f"{what} over {len(potential.shape):,} variables would need a table of more than"
            f" {MOST_ENTRIES:,} entries"
        )
    assignments = product(*map(range, potential.shape))
    return Table.of([potential.potential(states) for states in assignments], potential.shape)
