"""Products and maxima: of logarithms, or of integers of any size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.exact import ArraySemiring, ExactSemiring, folded
from liftgraph.semiring.log import largest_sums
from liftgraph.semiring.pairs import precise_logarithms, weighted_sums
from liftgraph.semiring.protocol import Floats, Integers, Objects


class MaxLogSemiring(ArraySemiring):
    """Products and maxima of logarithms, up to what each table has in common."""

    def evaluate(self, integers: NDArray[Any]) -> Floats:
        # A common factor does not change which entry is largest: relative to the largest one,
        # the logarithms of nearly equal entries keep their digits.
        high, low = precise_logarithms(integers)
        place = int(np.argmax(high))
        if np.isneginf(high.flat[place]):
            return high
        logs: Floats = (high - high.flat[place]) + (low - low.flat[place])
        return logs

    def unit(self, shape: tuple[int, ...]) -> Floats:
        return np.zeros(shape)

    def convert(self, integers: Objects, power: int = 1) -> Floats:
        return self.evaluate(integers)

    def combine(self, a: Floats, b: Floats) -> Floats:
        return largest_sums(a, b)

    def powers(self, tensor: Floats, exponents: Integers) -> Floats:
        high, low = weighted_sums((tensor, np.zeros_like(tensor)), exponents)
        return high + low

    def multinomials(self, counts: Integers) -> Floats:
        """One way is as good as another: the best assignment of a histogram is any one."""
        return np.zeros(len(counts))

    def best(self, a: Floats, b: Floats) -> int:
        return int(np.argmax(a + b))

    def best_rows(self, tensor: Floats) -> Integers:
        return np.asarray(np.argmax(tensor, axis=1), dtype=np.int64)

    def possible(self, tensor: Floats) -> bool:
        return bool(tensor.max(initial=-math.inf) > -math.inf)


class MaxExactSemiring(ExactSemiring):
    """Products and maxima of integers of any size."""

    def combine(self, a: Objects, b: Objects) -> Objects:
        return folded(np.maximum, a, b)

    def multinomials(self, counts: Integers) -> Objects:
        """One way is as good as another: the best assignment of a histogram is any one."""
        return np.ones(len(counts), dtype=object)

    def best(self, a: Objects, b: Objects) -> int:
        return int(np.argmax(a * b))

    def best_rows(self, tensor: Objects) -> Integers:
        return np.asarray(np.argmax(tensor, axis=1), dtype=np.int64)


MAX_LOG = MaxLogSemiring()
MAX_EXACT = MaxExactSemiring()
