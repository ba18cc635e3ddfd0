"""Random choices with given weights: in floats, or exactly where the weights are integers.

Weights are float64, or an object array of Python's integers. Integers are compared with random
integers below their sum, so that each choice has exactly its probability. What shuffles uses random
integers in either case. A choice of weight zero is never made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring import CHUNK

Integers = NDArray[np.int64]
Weights = NDArray[Any]
_FEW = 32  # choices that are compared one by one
_WORD = 1 << 62


@dataclass(frozen=True)
class Chance:
    """A stream of random numbers that a seed and a key determine.

    ``key``: non-negative integers; streams with different keys are independent.
    """

    seed: int
    key: tuple[int, ...] = ()
    random: np.random.Generator = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sequence = np.random.SeedSequence(self.seed, spawn_key=self.key)
        object.__setattr__(self, "random", np.random.Generator(np.random.PCG64(sequence)))

    def states(self, weights: Weights, rows: Integers) -> Integers:
        """A choice for each of ``rows``, int64 (n,), with that row of the weights, (r, m)."""
        if weights.dtype == object or weights.shape[1] > _FEW:
            return self._one_row_after_another(weights, rows)
        totals = np.cumsum(weights, axis=1)
        chosen = np.empty(len(rows), dtype=np.int64)
        step = max(CHUNK // max(weights.shape[1], 1), 1)
        for start in range(0, len(rows), step):
            part = totals[rows[start : start + step]]
            chosen[start : start + step] = (part <= self._below(part[:, -1])[:, None]).sum(axis=1)
        return chosen

    def _one_row_after_another(self, weights: Weights, rows: Integers) -> Integers:
        chosen = np.empty(len(rows), dtype=np.int64)
        order = np.argsort(rows, kind="stable")
        ends = np.cumsum(np.bincount(rows, minlength=len(weights)))
        for row in np.unique(rows).tolist():
            places = order[ends[row - 1] if row else 0 : ends[row]]
            totals = np.cumsum(weights[row])
            if totals.dtype == object:
                below = self._integers_below(totals[-1], len(places))
                totals = totals.astype(below.dtype)
            else:
                below = self._below(np.full(len(places), totals[-1]))
            chosen[places] = np.searchsorted(totals, below, side="right")
        return chosen

    def _below(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """A random float below each total, which is positive."""
        return np.minimum(self.random.random(len(totals)) * totals, np.nextafter(totals, 0.0))

    def _integers_below(self, total: int, count: int) -> NDArray[Any]:
        """Random integers from 0 to total - 1, all equally probable."""
        if total <= _WORD:
            return self.random.integers(0, total, count)
        length = (total - 1).bit_length()
        width = -(-length // 8)
        found: list[int] = []
        while len(found) < count:
            number = int.from_bytes(self.random.bytes(width), "little") >> (8 * width - length)
            if number < total:
                found.append(number)
        return np.array(found, dtype=object)

    def shares(self, weights: Weights, rows: Integers, counts: Integers) -> Integers:
        """How many of ``counts``, int64 (n,), independent choices with these rows of the weights,
        (r, m), fall on each: int64 (n, m)."""
        if weights.dtype == object or int(counts.sum()) < len(rows) * weights.shape[1]:
            return self._shares_one_by_one(weights, rows, counts)
        # What is left for each choice and the later ones: without later ones, all that is left.
        left = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
        chances = np.divide(weights, left, out=np.zeros_like(weights), where=left > 0)
        shares = np.zeros((len(rows), weights.shape[1]), dtype=np.int64)
        remaining = counts.astype(np.int64)
        for choice in range(weights.shape[1]):
            shares[:, choice] = self.random.binomial(remaining, chances[rows, choice])
            remaining = remaining - shares[:, choice]
        return shares

    def _shares_one_by_one(self, weights: Weights, rows: Integers, counts: Integers) -> Integers:
        shares = np.zeros((len(rows), weights.shape[1]), dtype=np.int64)
        ends = np.cumsum(counts)
        for start in range(0, int(ends[-1]) if len(ends) else 0, CHUNK):
            choices = np.arange(start, min(start + CHUNK, int(ends[-1])))
            places = np.searchsorted(ends, choices, side="right")
            np.add.at(shares, (places, self.states(weights, rows[places])), 1)
        return shares

    def arrangement(self, blocks: Integers) -> Integers:
        """The places of items, block after block, in random order within each block: int64 (n,).

        ``blocks``: the block of each item, from 0; NumPy sorts 16 bits in linear time.

        >>> Chance(1).arrangement(np.array([1, 0, 1]))[:1].tolist()
        [1]
        """
        blocks = blocks.astype(np.min_scalar_type(blocks.max(initial=0)))
        shuffled = self.random.permutation(len(blocks))
        return shuffled[np.argsort(blocks[shuffled], kind="stable")]
