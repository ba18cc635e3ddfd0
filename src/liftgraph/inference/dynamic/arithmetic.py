"""Sums and products of the weights of a day: in floats, in logarithms, exactly, and as maxima.

Floats are fast. They lose what is very small, so that a pass over the days bounds what this can do
to its answers, and is done again with smaller floats, or in logarithms, where that is too much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring import EXACT, LOG, MAX_LOG
from liftgraph.semiring.multinomials import log_multinomials
from liftgraph.semiring.pairs import (
    Pair,
    add,
    precise_logarithms,
    weighted_sums,
)
from liftgraph.semiring.protocol import Floats
from liftgraph.semiring.scaled import ZERO, combine_logs, from_logs, largest_sums, logs_of

Weights = NDArray[Any]
Indices = NDArray[np.int64]
NOTHING = np.zeros(())


class Floats64:
    """Weights as floats, without those below ``smallest``.

    ``divides``: whether the weights of individuals are divided, so that no step makes a total
    larger. ``zero``, ``one``: what changes no sum, and no product.
    """

    title = "floats"
    divides = True
    dtype: Any = np.float64
    zero: Any = 0.0
    one: Any = 1.0

    def __init__(self, smallest: float = 0.0) -> None:
        self.smallest = smallest

    def prepared(self, integers: NDArray[Any], divisor: Any) -> Any:
        """Weights of individuals, as powers are computed from them: integers over divisors.

        Where a divisor is zero, so is the integer.
        """
        divisors = np.asarray(divisor, dtype=object)
        high, low = precise_logarithms(np.where(divisors == 0, 1, divisors))
        return np.stack(add(precise_logarithms(integers), (-high, -low)), axis=-1)

    def flows(self, prepared: Any, counts: Indices) -> Weights:
        """From shapes (r, e) and (h, e) to (r, h): the weight if this many individuals go
        to each of e states, in all possible ways."""
        return self._from_logs(*self._log_flows(prepared, counts))

    def powers(self, prepared: Any, counts: Indices, each: bool) -> Weights:
        """From shapes (…, e) and (h, e) to (…, h): what individuals with these counts weigh.

        ``each``: from shapes (…, h, e) and (h, e), the weights of histogram h for its counts.
        """
        return self._from_logs(*self._log_powers(prepared, counts, each))

    def _log_powers(self, prepared: Any, counts: Indices, each: bool) -> Pair:
        exponents = counts[:, :, None] if each else counts.T[None]
        lead = prepared.shape[: -3 if each else -2]
        rows = prepared.reshape(-1, len(exponents), counts.shape[1], 2)
        high, low = weighted_sums((rows[..., 0], rows[..., 1]), exponents)
        shape = (*lead, len(counts))
        return high.reshape(shape), np.broadcast_to(low, high.shape).reshape(shape)

    def _from_logs(self, high: Floats, low: Floats) -> Weights:
        return self.settled(np.exp(high) * np.exp(low))

    def settled(self, weights: Weights) -> Weights:
        """Weights without those that are too small."""
        return np.where(weights < self.smallest, 0.0, weights)

    def _log_flows(self, prepared: Any, counts: Indices) -> Pair:
        return add(self._log_powers(prepared, counts, each=False), self._log_ways(counts))

    def _log_ways(self, counts: Indices) -> Pair:
        return log_multinomials(counts)

    def weights(self, integers: NDArray[Any], divisor: int = 1) -> Weights:
        """Integers over a divisor, as weights."""
        pairs = self.prepared(integers, divisor)
        return self._from_logs(pairs[..., 0], pairs[..., 1])

    def choices(self, parts: Sequence[Indices], whole: Indices) -> Weights:
        """How probable it is that these histograms of parts, int64 (h, e) each, make up the whole
        ones, if who is in which part is chosen at random."""
        total: Pair = NOTHING, NOTHING
        for counts in parts:
            total = add(total, self._log_ways(counts))
        high, low = self._log_ways(whole)
        high, low = add(total, (-high, -low))
        return self._from_logs(*np.broadcast_arrays(high, low, np.empty(len(whole)))[:2])

    def join(self, integers: NDArray[Any], axis: int) -> NDArray[Any]:
        """Integer weights of alternatives, as one."""
        return np.asarray(integers.sum(axis=axis), dtype=object)

    def peaked(self, weights: Weights) -> tuple[Weights, float]:
        """The weights divided by the largest, and its logarithm."""
        largest = float(weights.max(initial=0.0))
        return (self.settled(weights / largest), math.log(largest)) if largest else (weights, 0.0)

    def full(self, shape: tuple[int, ...], value: Any) -> Weights:
        return np.full(shape, value, dtype=self.dtype)

    def times(self, a: Weights, b: Weights) -> Weights:
        return np.asarray(a * b, dtype=self.dtype)

    def product(self, a: Weights, b: Weights) -> Weights:
        """From shapes (i, k) and (k, j) to (i, j)."""
        return np.asarray(a @ b)

    def convolve(self, a: Weights, b: Weights) -> Weights:
        """From shapes (p,) and (q,) to (p + q - 1,)."""
        return np.convolve(a, b)

    def sum(self, weights: Weights, axis: int | tuple[int, ...]) -> Weights:
        return np.asarray(weights.sum(axis=axis), dtype=self.dtype)

    def collect(self, weights: Weights, index: Indices, size: int) -> Weights:
        """From shape (b, n) to (b, size): sums of what goes to the same place, int64 (n,)."""
        rows = [np.bincount(index, row, size) for row in weights]
        return np.array(rows, dtype=np.float64).reshape(len(weights), size)

    def shrunk(self, weights: Weights) -> tuple[Weights, float]:
        """The weights divided by their sum, and its logarithm."""
        total = float(weights.sum())
        return (self.settled(weights / total), math.log(total)) if total else (weights, -math.inf)

    def shares(self, weights: Weights) -> tuple[Floats, NDArray[Any] | None]:
        """The weights divided by their sum, as floats and perhaps as fractions."""
        return weights / weights.sum(), None


class Logarithms(Floats64):
    """The logarithms of weights: slower, and nothing is lost."""

    title = "logarithms"
    zero = -math.inf
    one = 0.0

    def _from_logs(self, high: Floats, low: Floats) -> Weights:
        return np.asarray(high + low)

    def settled(self, weights: Weights) -> Weights:
        return weights

    def peaked(self, weights: Weights) -> tuple[Weights, float]:
        largest = float(weights.max(initial=self.zero))
        return (weights - largest, largest) if largest > self.zero else (weights, 0.0)

    def times(self, a: Weights, b: Weights) -> Weights:
        return np.asarray(a + b)

    def product(self, a: Weights, b: Weights) -> Weights:
        return combine_logs((a, NOTHING), (b, NOTHING))[0]

    def convolve(self, a: Weights, b: Weights) -> Weights:
        left, right = from_logs(a[None], ZERO), from_logs(b, ZERO)
        sums = LOG.convolve(left, right)
        high, low = logs_of(sums)
        scale = sums.log_scale
        logs: Floats = ((high + scale[0]) + (low + scale[1]))[0]
        return logs

    def sum(self, weights: Weights, axis: int | tuple[int, ...]) -> Weights:
        return np.asarray(np.logaddexp.reduce(weights, axis=axis))

    def collect(self, weights: Weights, index: Indices, size: int) -> Weights:
        sums = self.full((size, len(weights)), self.zero)
        np.logaddexp.at(sums, index, weights.T)
        return sums.T

    def shrunk(self, weights: Weights) -> tuple[Weights, float]:
        total = float(np.logaddexp.reduce(weights.ravel()))
        return (weights, total) if total == -math.inf else (weights - total, total)

    def shares(self, weights: Weights) -> tuple[Floats, NDArray[Any] | None]:
        return np.exp(self.shrunk(weights)[0]), None


class Maxima(Logarithms):
    """Maxima of logarithms of weights. One way to distribute individuals is as good as another."""

    title = "maxima"
    divides = False

    def _log_ways(self, counts: Indices) -> Pair:
        return NOTHING, NOTHING

    def join(self, integers: NDArray[Any], axis: int) -> NDArray[Any]:
        return np.asarray(integers.max(axis=axis), dtype=object)

    def peaked(self, weights: Weights) -> tuple[Weights, float]:
        return weights, 0.0

    def product(self, a: Weights, b: Weights) -> Weights:
        return largest_sums(a, b)

    def convolve(self, a: Weights, b: Weights) -> Weights:
        return np.asarray(MAX_LOG.convolve(a[None], b)[0])

    def sum(self, weights: Weights, axis: int | tuple[int, ...]) -> Weights:
        return np.asarray(weights.max(axis=axis))

    def collect(self, weights: Weights, index: Indices, size: int) -> Weights:
        largest = self.full((size, len(weights)), self.zero)
        np.maximum.at(largest, index, weights.T)
        return largest.T

    def shrunk(self, weights: Weights) -> tuple[Weights, float]:
        """As they are: sums of logarithms need no scale."""
        return weights, 0.0 if weights.max(initial=self.zero) > self.zero else self.zero


class Integers(Floats64):
    """Weights as integers of any size."""

    title = "integers"
    divides = False
    dtype = object
    zero = 0
    one = 1

    def prepared(self, integers: NDArray[Any], divisor: Any) -> Any:
        return integers.astype(object)

    def flows(self, prepared: Any, counts: Indices) -> Weights:
        raised = EXACT.powers(prepared[:, None, :], counts.T[None])[:, 0]
        return np.asarray(raised * EXACT.multinomials(counts))

    def settled(self, weights: Weights) -> Weights:
        return weights

    def powers(self, prepared: Any, counts: Indices, each: bool) -> Weights:
        exponents = counts[:, :, None] if each else counts.T[None]
        lead = prepared.shape[: -2 if each else -1]
        rows = prepared.reshape(-1, len(exponents), counts.shape[1])
        return np.asarray(EXACT.powers(rows, exponents).reshape(*lead, len(counts)))

    def weights(self, integers: NDArray[Any], divisor: int = 1) -> Weights:
        return integers.astype(object)

    def choices(self, parts: Sequence[Indices], whole: Indices) -> Weights:
        ways = np.multiply.reduce([EXACT.multinomials(counts) for counts in parts])
        pairs = zip(ways.tolist(), EXACT.multinomials(whole).tolist(), strict=True)
        return np.array([Fraction(some, all_ways) for some, all_ways in pairs], dtype=object)

    def peaked(self, weights: Weights) -> tuple[Weights, float]:
        return weights, 0.0

    def collect(self, weights: Weights, index: Indices, size: int) -> Weights:
        sums = self.full((size, len(weights)), 0)
        np.add.at(sums, index, weights.T)
        return sums.T

    def shrunk(self, weights: Weights) -> tuple[Weights, float]:
        """As they are: integers need no scale."""
        return weights, 0.0 if weights.any() else -math.inf

    def shares(self, weights: Weights) -> tuple[Floats, NDArray[Any] | None]:
        total = Fraction(weights.sum())
        fractions = np.array([Fraction(weight) / total for weight in weights.ravel()], dtype=object)
        exact = fractions.reshape(weights.shape)
        return exact.astype(np.float64), exact


Arithmetic = Floats64
# Products of two weights of the first kind never have fewer digits than other floats, for which
# processors need a hundred times as long. The second kind loses less.
FLOATS, WIDE_FLOATS = Floats64(2.0**-500), Floats64(2.0**-1000)
LOGARITHMS, MAXIMA, INTEGERS = Logarithms(), Maxima(), Integers()
