"""Noisy-MAX: a variable is the largest of what its causes make of it, each independently.

Noisy-OR and noisy-AND are the cases of two states (Pearl 1988; Díez 1993). The table of n Boolean
causes has 2ⁿ⁺¹ entries; as a chain of partial maxima it has a few for each cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.count_potential import expanded
from liftgraph.model.ground.table import Piece, Shared, Table, shared

_INT64_LIMIT = 2**63


@dataclass(frozen=True)
class NoisyMax:
    """The distribution of the largest of independent effects, one of each cause.

    The arguments are the causes, then the effect. ``causes``: for each cause, a table with the
    distribution of its effect in each of its states, (states, effects). ``leak``: the distribution
    of the effect of everything else. ``ranks``: the rank of each state of the effect, 0 for the
    least.

    Its pieces have to be summed over their hidden axes: for explanations it is expanded.
    """

    causes: tuple[Table, ...]
    leak: Table
    ranks: tuple[int, ...]

    def __hash__(self) -> int:
        distinct, index = self.shared.distinct, self.shared.index
        return hash((distinct, index.tobytes(), self.leak, self.ranks))

    @cached_property
    def shared(self) -> Shared[Table]:
        """The distinct causes: many causes may have the same effects."""
        return shared(self.causes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each argument."""
        states = np.array([cause.shape[0] for cause in self.shared.distinct], dtype=np.int64)
        return (*states[self.shared.index].tolist(), len(self.ranks))

    @property
    def scale(self) -> Fraction:
        """A positive factor of all weights."""
        times = np.bincount(self.shared.index).tolist()
        pairs = zip(self.shared.distinct, times, strict=True)
        return self.leak.scale * prod([Fraction(cause.scale**count) for cause, count in pairs])

    @property
    def measured(self) -> bool:
        """Whether float64 values went in."""
        return any(table.measured for table in (self.leak, *self.causes))

    def potential(self, states: Sequence[int]) -> Fraction:
        """The exact probability of the effect: that of at most this, less that of less than this.

        The largest effect is at most e if each effect is.
        """
        *given, effect = states
        rows = [self.leak.integers, *self._rows(given)]
        rank = self.ranks[effect]
        at_most, less = (
            prod([sum(row[np.array(self.ranks) < most].tolist()) for row in rows])
            for most in (rank + 1, rank)
        )
        return Fraction(at_most - less) * self.scale

    def _rows(self, states: Sequence[int]) -> list[NDArray[Any]]:
        pairs = zip(self.causes, states, strict=True)
        return [cause.integers[state] for cause, state in pairs]

    def table(self) -> Table:
        """All probabilities as a table; refused if they are too many."""
        return expanded(self, "a noisy-OR or noisy-MAX")

    def pieces(self) -> list[Piece]:
        """A chain: the largest effect so far is a hidden axis, in the end it is the effect."""
        count = len(self.causes)
        so_far = [*range(count + 1, 2 * count + 1), count]
        largest = [largest_effects(self.ranks, cause) for cause in self.shared.distinct]
        chain = [
            Piece(largest[index], (so_far[place], place, so_far[place + 1]))
            for place, index in enumerate(self.shared.index.tolist())
        ]
        return [Piece(self.leak.integers, (so_far[0],)), *chain]


def largest_effects(ranks: Sequence[int], cause: Table) -> NDArray[Any]:
    """What a cause makes of the largest effect before: (effects, states, effects)."""
    order, integers = np.array(ranks), cause.integers
    if integers.dtype != object and int(integers.max()) >= _INT64_LIMIT // len(order):
        integers = integers.astype(object)
    largest = np.maximum.outer(order, order)[..., None] == order
    return np.asarray(np.einsum("se,fet->fst", integers, largest.astype(integers.dtype)))
