"""Tensors of float64 times a power of two, or as logarithms, and sums of products of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.doubled import exponentials, logarithms_of_pairs, normalised, summed
from liftgraph.semiring.pairs import Pair, add, plus, times_log_2, two_sum
from liftgraph.semiring.protocol import CHUNK, Floats, Number

SAFE = 1000  # bits: floats between 2**-SAFE and 2**SAFE have all of their digits
# Logarithms that span no more than this become plain floats, of which two can be multiplied.
_SPAN = 345.0
# Logarithms with rests become plain floats if they span no more than this: the exponential of
# such a logarithm has lost at most one digit.
_NARROW = 8.0
# Logarithms below this are so precise that sums of them are off by far less than one.
_SHORT = 2.0**48
ZERO = (0.0, 0.0)
Matrix = Callable[[Floats, float], Floats]  # made from an array; with what is zero there
# Many products of small matrices are summed one by one: if there are this many, and this small.
_SMALL, _SEVERAL = 16, 8
_FEW = 8  # sums are maximised one by one
COPIES = 16  # of what exponentials of pairs are computed from


class Scaled(NamedTuple):
    """Floats times 2**exponent·exp(offset), so that nothing overflows or underflows. The offset is
    the sum of two floats: large offsets of opposite signs may cancel in the end.

    ``values``: the entries themselves, or their natural logarithms if ``logarithmic``; then
    ``rest`` is added to them for more digits. ``low``, ``high``: every value that is not zero
    lies between 2**low and 2**high; logarithms have no such bounds.
    """

    values: Floats
    logarithmic: bool
    offset: Number
    low: float
    high: float
    rest: Floats | None = None
    exponent: int = 0

    @property
    def log_scale(self) -> Number:
        """The logarithm of what the values are multiplied with."""
        if self.exponent == 0:
            return self.offset
        power = times_log_2(self.exponent)
        return power if self.offset == ZERO else plus(self.offset, power)


def plain(values: Floats, low: float, high: float, exponent: int = 0) -> Scaled:
    """A tensor of floats between 2**low and 2**high, or zero, times a power of two."""
    return Scaled(values, False, ZERO, low, high, None, exponent)


def joint_offset(a: Scaled, b: Scaled) -> Number:
    """The offset of a product."""
    if a.offset is ZERO or a.offset == ZERO:
        return b.offset
    return a.offset if b.offset == ZERO else plus(a.offset, b.offset)


def tightened(tensor: Scaled) -> Scaled:
    """The same tensor with its largest entry between ½ and 1 (at 1 if it was logarithmic) and its
    true bounds. Powers of two lose nothing."""
    if tensor.logarithmic:
        return from_pair(logs_of(tensor), tensor.offset, tensor.exponent)
    values = tensor.values
    peak = math.frexp(values.max(initial=0.0))[1]
    smallest = float(values.min(initial=math.inf))
    if smallest == 0:
        smallest = float(values.min(where=values > 0, initial=math.inf))
    if smallest == math.inf:
        return plain(values, 0.0, 0.0)
    low = math.frexp(smallest)[1] - 1 - peak
    if low < -SAFE:  # the smallest entry divided by the largest would underflow
        return from_logs(logs_of(tensor)[0], tensor.offset, tensor.exponent)
    scaled = values * 2.0**-peak
    return Scaled(scaled, False, tensor.offset, low, 0.0, None, tensor.exponent + peak)


def logs_of(tensor: Scaled) -> Pair:
    """Logarithms of the values, without their scale."""
    if tensor.logarithmic:
        return tensor.values, np.zeros(()) if tensor.rest is None else tensor.rest
    with np.errstate(divide="ignore"):
        return np.log(tensor.values), np.zeros(())


def precise_logs_of(tensor: Scaled) -> Pair:
    """Logarithms of the entries, with their scale, to twice the digits."""
    if tensor.logarithmic:
        high, low = logs_of(tensor)
    else:
        high, low = logarithms_of_pairs((tensor.values, np.zeros_like(tensor.values)))
    scale = tensor.log_scale
    total, error = two_sum(high, np.full_like(high, scale[0]))
    return total, error + np.where(np.isneginf(total), 0.0, low + scale[1])


def row_weights(matrix: Scaled) -> Floats:
    """The entries of each row, divided by the largest: float64, zeros where all are zero."""
    if not matrix.logarithmic:
        peaks = matrix.values.max(axis=1, keepdims=True, initial=0.0)
        return np.asarray(matrix.values / np.where(peaks > 0, peaks, 1.0))
    high, low = matrix.values, np.broadcast_to(logs_of(matrix)[1], matrix.values.shape)
    largest = np.argmax(high, axis=1)[:, None]
    peak, rest = (np.take_along_axis(part, largest, axis=1) for part in (high, low))
    difference = high - np.where(np.isneginf(peak), 0.0, peak)
    return np.asarray(np.exp(np.minimum(difference + (low - rest), 0.0)))


def from_logs(logs: Floats, offset: Number, exponent: int = 0) -> Scaled:
    """A tensor from logarithms without rests."""
    return from_pair((logs, np.zeros(())), offset, exponent)


def from_pair(logs: Pair, offset: Number, exponent: int = 0) -> Scaled:
    """A tensor from logarithms of its entries: as plain floats again if their range allows it."""
    high, low = logs
    finite = high[~np.isneginf(high)]
    if len(finite) == 0:
        return plain(np.zeros_like(high), 0.0, 0.0)
    peak, lowest = float(finite.max()), float(finite.min())
    if low.shape == high.shape and max(peak, -lowest) > _SHORT:
        return _from_large_pair(two_sum(high, low), offset, exponent)
    offset = plus(offset, (peak, 0.0))
    if lowest - peak > (-_SPAN if low.ndim == 0 else -_NARROW):
        values = np.exp((high - peak) + low)
        least = math.floor((lowest - peak) / math.log(2)) - 2
        return Scaled(values, False, offset, least, 2.0, None, exponent)
    high, error = two_sum(high, np.full_like(high, -peak))
    return logarithmic((high, error + low), offset, exponent)


def logarithmic(logs: Pair, offset: Number = ZERO, exponent: int = 0) -> Scaled:
    """A tensor that keeps its logarithms. It has no bounds, so that no product seems safe."""
    return Scaled(logs[0], True, offset, -math.inf, math.inf, logs[1], exponent)


def _from_large_pair(logs: Pair, offset: Number, exponent: int) -> Scaled:
    """The same for logarithms so large that their rests are, too."""
    high, low = logs
    peak = float(high.max())
    rest = float(low[high == peak].max())
    high, error = two_sum(high, np.full_like(high, -peak))
    high, low = two_sum(high, error + (low - rest))
    return logarithmic((high, low), plus(offset, (peak, rest)), exponent)


def combine_logs(a: Pair, b: Pair) -> Pair:
    """From shapes (…, i, k) and (…, k, j) to (…, i, j): the logarithm of the sum over k.

    Zeros are -inf. The result has a rest if an operand has one.
    """
    peak = largest_sums(a[0], b[0])
    peak[np.isneginf(peak)] = 0.0
    if a[1].ndim == 0 and b[1].ndim == 0:
        parts = (part_a + part_b - peak for part_a, part_b in chunks(a[0], b[0]))
        return _log_of_sum(parts, peak) + peak, np.zeros(())
    rest = np.zeros_like(peak)
    if max(_largest(a[0]), _largest(b[0])) > _SHORT:
        rest = _largest_rests(a, b, (peak, rest))
    parts = (joint + rests for joint, rests in _relative_sums(a, b, (peak, rest)))
    return add(two_sum(_log_of_sum(parts, peak), peak), (rest, np.zeros(())))


def _log_of_sum(parts: Iterable[Floats], like: Floats) -> Floats:
    """The logarithm of the sum of exponentials of arrays, over their first axis."""
    total = np.zeros_like(like)
    for part in parts:
        total += np.exp(part, out=part).sum(axis=0)
    with np.errstate(divide="ignore"):
        return np.log(total, out=total)


def combine_logs_precisely(a: Pair, b: Pair) -> Pair:
    """The same to twice the digits, for what is raised to a high power later."""
    high = largest_sums(a[0], b[0])
    high[np.isneginf(high)] = 0.0
    peak = high, _largest_rests(a, b, (high, np.zeros_like(high)))
    total: Pair = (np.zeros_like(high), np.zeros_like(high))
    for part in _relative_sums(a, b, peak, COPIES):
        total = normalised(add(total, summed(exponentials(two_sum(*part)))))
    high, low = logarithms_of_pairs(total)
    return add(add((high, low), (peak[0], np.zeros(()))), (peak[1], np.zeros(())))


def _largest(logs: Floats) -> float:
    """The largest finite absolute value, part by part: there may be more entries than memory."""
    if logs.size > CHUNK and logs.ndim > 1:
        step = CHUNK * len(logs) // logs.size
        if step == 0:
            return max(map(_largest, logs))
        return max([_largest(logs[row : row + step]) for row in range(0, len(logs), step)])
    return float(np.abs(logs).max(where=np.isfinite(logs), initial=0.0))


def _relative_sums(a: Pair, b: Pair, peak: Pair, copies: int = 1) -> Iterator[Pair]:
    """Sums of the logarithms of two tensors, relative to a peak for each sum, part by part."""
    lows = np.broadcast_to(a[1], a[0].shape), np.broadcast_to(b[1], b[0].shape)
    parts = zip(chunks(a[0], b[0], copies), chunks(lows[0], lows[1], copies), strict=True)
    for (part_a, part_b), (rest_a, rest_b) in parts:
        joint, error = two_sum(part_a, part_b)
        joint, more = two_sum(joint, np.broadcast_to(-peak[0], joint.shape))
        yield joint, (more - peak[1]) + (error + (rest_a + rest_b))


def _largest_rests(a: Pair, b: Pair, peak: Pair) -> Floats:
    """How much larger than this peak the largest sums are, rests included."""
    largest = np.full_like(peak[0], -math.inf)
    for joint, rest in _relative_sums(a, b, peak):
        np.maximum(largest, (joint + rest).max(axis=0), out=largest)
    return np.where(np.isneginf(largest), 0.0, largest)


def largest_sums(a: Floats, b: Floats) -> Floats:
    """From shapes (…, i, k) and (…, k, j) to (…, i, j): the sums, maximised over k."""
    if a.shape[-1] > _FEW:
        parts = ((part_a + part_b).max(axis=0) for part_a, part_b in chunks(a, b))
    else:
        parts = (a[..., k : k + 1] + b[..., k : k + 1, :] for k in range(a.shape[-1]))
    largest: Floats = next(parts)
    for part in parts:
        np.maximum(largest, part, out=largest)
    return largest


def product_shape(a: NDArray[Any], b: NDArray[Any]) -> tuple[int, ...]:
    """The shape of a product of matrices, the leading axes those of the second."""
    return (*b.shape[:-2], a.shape[-2], b.shape[-1])


def chunks(
    a: NDArray[Any], b: NDArray[Any], copies: int = 1
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Parts of two tensors, (…, i, k) and (…, k, j), ready to be joined: k comes first.

    ``copies``: how many arrays of the size of a join exist at a time. No join is large.
    """
    size = max(1, CHUNK // max(copies * math.prod(product_shape(a, b)), 1))
    *lead, i, k = range(a.ndim)
    left, right = a.transpose(k, *lead, i)[..., None], b.transpose(i, *lead, k)[..., None, :]
    for start in range(0, len(left), size):
        end = start + size
        yield left[start:end], right[start:end]


def as_matrix(logs: Pair, matrix: Matrix) -> Pair:
    """Logarithms and their rests in a matrix; zeros have no rest."""
    high, low = logs
    return matrix(high, -math.inf), low if low.ndim == 0 else matrix(low, 0.0)


def matrix_product(a: Floats, b: Floats) -> Floats:
    """From shapes (…, i, k) and (…, k, j) to (…, i, j)."""
    product: Floats
    k = a.shape[-1]
    if k == 1:
        product = a * b
    elif a.ndim == 2:
        product = a.dot(b)
    elif a.shape[-2] * k * b.shape[-1] <= _SMALL and len(b) >= _SEVERAL:
        product = np.einsum("...ik,...kj->...ij", a, b)
    else:
        product = np.matmul(a, b)
    return product
