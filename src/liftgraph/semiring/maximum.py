"""Products and maxima: of logarithms, of pairs of floats for these, or of integers of any size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.doubled import logarithms_of_integers
from liftgraph.semiring.exact import ArraySemiring, ExactSemiring, folded
from liftgraph.semiring.pairs import Pair, add, precise_logarithms, two_sum, weighted_sums
from liftgraph.semiring.protocol import Floats, Integers, MaxSemiring, Objects
from liftgraph.semiring.scaled import Scaled, chunks, largest_sums, logs_of, product_shape

Pairs = NDArray[np.complex128]
# The logarithm of a weight of fewer bits is off by less than 1e-10 in one float.
_SHORT_WEIGHT = 1 << 20
_COPIES = 8  # of a chunk of sums of pairs, while they are computed


class MaxLogSemiring(ArraySemiring):
    """Products and maxima of logarithms, up to what each table has in common."""

    zero = -math.inf

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Floats:
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


class MaxPairsSemiring(ArraySemiring):
    """The same on pairs of floats, for high powers: these multiply the errors of logarithms.

    The large part of a pair is the real part of a complex number, and the small one is the
    imaginary part: the order of complex numbers in NumPy, which is lexicographic, is then that of
    the sums. Precondition of that, and kept up throughout: a large part is its sum, rounded.
    """

    zero = complex(-math.inf, 0.0)

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Pairs:
        logs = _joined(logarithms_of_integers(integers))
        if logs.size == 0:
            return logs
        largest = np.asarray(logs.max())
        return logs if np.isneginf(largest.real) else _sums(logs, -largest)

    def unit(self, shape: tuple[int, ...]) -> Pairs:
        return np.zeros(shape, dtype=np.complex128)

    def convert(self, integers: Objects, power: int = 1) -> Pairs:
        return self.evaluate(integers)

    def combine(self, a: Pairs, b: Pairs) -> Pairs:
        largest = np.full(product_shape(a, b), -math.inf, dtype=np.complex128)
        for part_a, part_b in chunks(a, b, _COPIES):
            np.maximum(largest, _sums(part_a, part_b).max(axis=0), out=largest)
        return largest

    def powers(self, tensor: Pairs, exponents: Integers) -> Pairs:
        return _joined(weighted_sums((tensor.real, tensor.imag), exponents, precise=True))

    def multinomials(self, counts: Integers) -> Pairs:
        """One way is as good as another: the best assignment of a histogram is any one."""
        return self.unit((len(counts),))

    def best(self, a: Pairs, b: Pairs) -> int:
        return int(np.argmax(_sums(a, b)))

    def best_rows(self, tensor: Pairs) -> Integers:
        return np.asarray(np.argmax(tensor, axis=1), dtype=np.int64)

    def possible(self, tensor: Pairs) -> bool:
        return bool(tensor.real.max(initial=-math.inf) > -math.inf)


def _sums(a: Pairs, b: Pairs) -> Pairs:
    return _joined(add((a.real, a.imag), (b.real, b.imag)))


def _joined(logs: Pair) -> Pairs:
    """Pairs of floats as complex numbers, the real part the sum, rounded."""
    high, low = two_sum(*logs)
    pairs = np.empty(high.shape, dtype=np.complex128)
    pairs.real, pairs.imag = high, low
    return pairs


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
MAX_PAIRS = MaxPairsSemiring()


def entrywise_products(semiring: MaxSemiring[Any], a: Any, b: Any) -> NDArray[Any]:
    """The products of entries, broadcast. Precondition: a semiring of this module."""
    if semiring is MAX_EXACT:
        return np.asarray(a * b, dtype=object)
    return np.asarray(_sums(a, b) if semiring is MAX_PAIRS else a + b)


def maxima_of(semiring: MaxSemiring[Any], tensor: Any) -> Any:
    """The tensor of sums, in integers or in log space, as one to be maximised by a semiring."""
    if not isinstance(tensor, Scaled):
        return tensor
    high, low = logs_of(tensor)
    logs = _joined((high, np.broadcast_to(low, high.shape)))
    largest = np.asarray(logs.max(initial=complex(-math.inf, 0.0)))
    if not np.isneginf(largest.real):
        logs = _sums(logs, -largest)
    return logs if semiring is MAX_PAIRS else logs.real


def largest_over(tensor: Any, axes: tuple[int, ...]) -> Any:
    """The maximum of a tensor of sums, in integers or in log space, over some of its axes."""
    if not isinstance(tensor, Scaled):
        return np.asarray(tensor.max(axis=axes), dtype=object)
    if tensor.rest is None:
        return tensor._replace(values=np.asarray(tensor.values.max(axis=axes)))
    logs = _joined(logs_of(tensor)).max(axis=axes)
    return tensor._replace(values=np.asarray(logs.real), rest=np.asarray(logs.imag))


def max_semiring(bits: int) -> MaxLogSemiring | MaxPairsSemiring:
    """The semiring for maxima of powers of up to this many bits, on floats or on pairs of them."""
    return MAX_PAIRS if bits > _SHORT_WEIGHT else MAX_LOG
