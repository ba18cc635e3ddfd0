"""Noisy-MAX in a parfactor: causes that are alike are counted, and no table is made of them.

With n equal causes, the probabilities have n times as many digits as those of one cause: a table of
them all would take n² digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from liftgraph.errors import MemoryLimitError
from liftgraph.model.ground.table import Piece, Table
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
        *given, effect = states
        rank = self.ranks[effect]
        at_most, less = (self._at_most(given, most) for most in (rank, rank - 1))
        return Fraction(at_most - less) * self.scale

    def _at_most(self, given: Sequence[int], rank: int) -> int:
        """The weight of effects up to a rank: that of each cause, to the power of its number."""
        up_to = np.array(self.ranks) <= rank
        weight = sum(self.leak.integers[up_to].tolist())
        for cause, number, value in zip(self.causes, self.numbers, given, strict=True):
            for row, times in zip(cause.integers, occupied(cause, number)[value], strict=True):
                weight *= sum(row[up_to].tolist()) ** int(times)
        return int(weight)

    def table(self) -> Table:
        """All weights as a table; refused if that takes too many digits."""
        lengths = [int(cause.integers.max()).bit_length() for cause in self.causes]
        bits = sum([length * (n or 1) for length, n in zip(lengths, self.numbers, strict=True)])
        if len(self.shape) > 64 or prod(self.shape) * (bits + 64) > _MOST_BITS:
            variables = 1 + sum([n or 1 for n in self.numbers])
            raise MemoryLimitError(
                f"a noisy-OR or noisy-MAX over {variables:,} variables would need a table of more"
                f" than {_MOST_BITS:,} bits"
            )
        assignments = np.ndindex(*self.shape)
        return Table.of([self.potential(states) for states in assignments], self.shape)

    def pieces(self) -> tuple[Piece, ...]:
        """The table in one piece."""
        return self.table().pieces()


def occupied(cause: Table, number: int) -> Column:
    """For each value of an argument, how many of its causes are in each state: int64."""
    states = cause.shape[0]
    return histograms(number, states) if number else np.eye(states, dtype=np.int64)
