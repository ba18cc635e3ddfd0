"""Noisy-MAX in a parfactor: causes that are alike are counted, and no table is made of them.

With n equal causes, the probabilities have n times as many digits as those of one cause: a table of
them all would take n² digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import MemoryLimitError
from liftgraph.model.ground.table import MAX_ARGUMENTS, Piece, Table
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.substitutions import Column

_MOST_BITS = 1 << 28  # of the integers of a table


@dataclass(frozen=True)
class CountingNoisyMax:
    """The distribution of the largest of independent effects, as ``NoisyMax``, of counted causes.

    The arguments are the causes, then the effect. ``causes``: for each argument, the effects of its
    cause, or of each of those that it counts. ``numbers``: how many an argument counts; 0 for a
    single cause. ``leak`` and ``ranks``: as in ``NoisyMax``.
    """

    causes: tuple[Table, ...]
    numbers: tuple[int, ...]
    leak: Table
    ranks: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each argument: states, or histograms."""
        listed = zip(self.causes, self.numbers, strict=True)
        sizes = [histogram_count(n or 1, cause.shape[0]) for cause, n in listed]
        return (*sizes, len(self.ranks))

    @property
    def scale(self) -> Fraction:
        """A positive factor of all weights."""
        listed = zip(self.causes, self.numbers, strict=True)
        return self.leak.scale * prod([cause.scale ** (n or 1) for cause, n in listed])

    @property
    def measured(self) -> bool:
        """Whether float64 values went in."""
        return any(table.measured for table in (self.leak, *self.causes))

    def potential(self, states: Sequence[int]) -> Fraction:
        """The exact weight of one assignment, given as indices of states and histograms."""
        return self.table().potential(states)

    @property
    def bits(self) -> int:
        """About how many bits the integers of its table have together."""
        lengths = [int(cause.integers.max()).bit_length() for cause in self.causes]
        longest = sum([length * (n or 1) for length, n in zip(lengths, self.numbers, strict=True)])
        return prod(self.shape) * (longest + 64)

    def table(self) -> Table:
        """All weights as a table; refused if that takes too many digits.

        The largest effect is at most e if each effect is: that has the product of what each cause
        has, to the power of how many there are. One less than e is taken off.
        """
        if len(self.shape) > MAX_ARGUMENTS or self.bits > _MOST_BITS:
            variables = 1 + sum([n or 1 for n in self.numbers])
            raise MemoryLimitError(
                f"a noisy-OR or noisy-MAX over {variables:,} variables would need a table of more"
                f" than {_MOST_BITS:,} bits"
            )
        at_most = [self._at_most(rank) for rank in range(-1, len(self.ranks))]
        weights = [at_most[rank + 1] - at_most[rank] for rank in self.ranks]
        table = Table.of(np.stack(weights, axis=-1))
        return Table(table.integers, table.scale * self.scale, self.measured)

    def _at_most(self, rank: int) -> NDArray[Any]:
        """The weights of effects up to a rank, as Python integers: an axis for each cause."""
        up_to = np.array(self.ranks) <= rank
        weights = np.array(sum(self.leak.integers[up_to].tolist()), dtype=object)
        for cause, number in zip(self.causes, self.numbers, strict=True):
            each = [sum(row[up_to].tolist()) for row in cause.integers]
            rows = occupied(cause, number).tolist()
            powers = [prod(map(pow, each, times)) for times in rows]
            weights = np.multiply.outer(weights, np.array(powers, dtype=object))
        return weights

    def pieces(self) -> tuple[Piece, ...]:
        """The table in one piece."""
        return self.table().pieces()


def occupied(cause: Table, number: int) -> Column:
    """For each value of an argument, how many of its causes are in each state: int64."""
    states = cause.shape[0]
    return histograms(number, states) if number else np.eye(states, dtype=np.int64)
