"""Noisy-MAX: a variable is the largest of what its causes make of it, each independently.

Noisy-OR and noisy-AND are the cases of two states (Pearl 1988; Díez 1993). The table of n Boolean
causes has 2ⁿ⁺¹ entries; as a chain of partial maxima it has a few for each cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.count_potential import expanded
from liftgraph.model.ground.table import Piece, Table

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

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of each argument."""
        return (*[cause.shape[0] for cause in self.causes], len(self.ranks))

    @property
    def scale(self) -> Fraction:
        """A positive factor of all weights."""
        return self.leak.scale * prod([cause.scale for cause in self.causes])

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
        chain = [
            Piece(self._largest(cause), (so_far[place], place, so_far[place + 1]))
            for place, cause in enumerate(self.causes)
        ]
        return [Piece(self.leak.integers, (so_far[0],)), *chain]

    def _largest(self, cause: Table) -> NDArray[Any]:
        """What a cause makes of the largest effect before: (effects, states, effects)."""
        ranks, integers = np.array(self.ranks), cause.integers
        if integers.dtype != object and int(integers.max()) >= _INT64_LIMIT // len(ranks):
            integers = integers.astype(object)
        largest = np.maximum.outer(ranks, ranks)[..., None] == ranks
        return np.asarray(np.einsum("se,fet->fst", integers, largest.astype(integers.dtype)))
