"""What multiplying and summing out mean: in log space or exactly, summing or maximising.

Every semiring knows one operation, ``combine``: the product of two tensors of shapes (k, b, i)
and (k, b, j), summed over the first axis, has shape (b, i, j). Elimination of any variable from
any two tables is this operation after a rearrangement of axes.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Objects = NDArray[Any]
Index = tuple[int | slice, ...]
T = TypeVar("T")


class Semiring(Protocol[T]):
    """Tensors of some kind with products and sums over an axis."""

    def evaluate(self, integers: NDArray[Any]) -> T:
        """The tensor of a table's non-negative integers, without its scale."""

    def part(self, tensor: T, index: Index) -> T:
        """The tensor with some of its axes at a fixed place."""

    def arrange(self, tensor: T, axes: tuple[int, ...], shape: tuple[int, ...]) -> T:
        """The tensor with its axes in another order, then reshaped."""

    def combine(self, a: T, b: T) -> T:
        """From shapes (k, b, i) and (k, b, j) to (b, i, j): the products, summed over k."""


class MaxSemiring(Semiring[T], Protocol[T]):
    """A semiring whose sum is the maximum."""

    def best(self, a: T, b: T) -> int:
        """Where the product of two vectors is largest."""


CHUNK = 1 << 16  # entries of a product that exist at a time while it is summed
WORKING_COPIES = 6  # of a result and its operands, at most, while it is computed in floats
EXACT_COPIES = 3  # of a result in integers: a sum so far, another part, and both together

# float64 holds exp(±708) without losing precision; products stay well inside.
_SAFE = 690.0


@dataclass(frozen=True, slots=True)
class Scaled:
    """Floats times exp(offset), so that nothing overflows or underflows.

    ``values``: the entries themselves, or their natural logarithms if ``logarithmic``.
    ``low``, ``high``: every entry that is not zero lies between exp(low) and exp(high).
    """

    values: Floats
    logarithmic: bool
    offset: float
    low: float
    high: float


class LogSemiring:
    """Sums and products of float64 that neither overflow nor lose an entry to underflow.

    Entries are kept as plain floats as long as bounds on their logarithms prove this safe, and as
    logarithms otherwise: a hub whose neighbours favour one state by 10**400 and then the other by
    10**400 is evaluated right.
    """

    def evaluate(self, integers: NDArray[Any]) -> Scaled:
        largest = int(integers.max(initial=0))
        if largest.bit_length() < 500:
            values = integers.astype(np.float64)
            return Scaled(values, False, 0.0, 0.0, math.log(max(largest, 1)))
        return _from_logs(_logarithms(integers), 0.0)

    def part(self, tensor: Scaled, index: Index) -> Scaled:
        values = np.asarray(tensor.values[index])
        return Scaled(values, tensor.logarithmic, tensor.offset, tensor.low, tensor.high)

    def arrange(self, tensor: Scaled, axes: tuple[int, ...], shape: tuple[int, ...]) -> Scaled:
        values = tensor.values.transpose(axes).reshape(shape)
        return Scaled(values, tensor.logarithmic, tensor.offset, tensor.low, tensor.high)

    def combine(self, a: Scaled, b: Scaled) -> Scaled:
        growth = math.log(a.values.shape[0])
        if not _safe(a, b, growth):
            a, b = _tightened(a), _tightened(b)
            if not _safe(a, b, growth):
                return _combine_logs(a, b)
        values = _sum_of_products(a.values, b.values)
        return Scaled(values, False, a.offset + b.offset, a.low + b.low, a.high + b.high + growth)

    def relative(self, tensor: Scaled) -> tuple[Floats, float]:
        """The entries divided by the largest one, and the logarithm of that one."""
        largest = _tightened(tensor)
        values = np.exp(largest.values) if largest.logarithmic else largest.values
        return values, largest.offset


def _safe(a: Scaled, b: Scaled, growth: float) -> bool:
    plain = not (a.logarithmic or b.logarithmic)
    return plain and a.low + b.low > -_SAFE and a.high + b.high + growth < _SAFE


def _sum_of_products(a: Floats, b: Floats) -> Floats:
    """From shapes (k, b, i) and (k, b, j) to (b, i, j)."""
    k, _, i = a.shape
    j = b.shape[2]
    if k == 1:
        return a[0, :, :, None] * b[0, :, None, :]
    if min(i, j) > 1 or (k >= 16 and max(i, j) >= 16):
        product: Floats = np.matmul(a.transpose(1, 2, 0), b.transpose(1, 0, 2))
    else:
        product = np.einsum("kbi,kbj->bij", a, b)
    return product


def _tightened(tensor: Scaled) -> Scaled:
    """The same tensor with its largest entry at 1 and its true bounds."""
    if tensor.logarithmic:
        return _from_logs(tensor.values, tensor.offset)
    positive = tensor.values[tensor.values > 0]
    if len(positive) == 0:
        return Scaled(tensor.values, False, 0.0, 0.0, 0.0)
    peak, low = math.log(positive.max()), math.log(positive.min())
    if low - peak < -_SAFE:  # the smallest entry divided by the largest would underflow
        return _from_logs(_logs(tensor), tensor.offset)
    return Scaled(tensor.values / positive.max(), False, tensor.offset + peak, low - peak, 0.0)


def _logs(tensor: Scaled) -> Floats:
    """Logarithms of the entries, without the offset."""
    if tensor.logarithmic:
        return tensor.values
    with np.errstate(divide="ignore"):
        return np.log(tensor.values)


def _logarithms(integers: NDArray[Any]) -> Floats:
    """Natural logarithms of integers of any size, -inf for zeros."""
    if integers.dtype != object:
        with np.errstate(divide="ignore"):
            return np.log(integers.astype(np.float64))
    logs = [math.log(entry) if entry else -math.inf for entry in integers.ravel().tolist()]
    return np.array(logs).reshape(integers.shape)


def _combine_logs(a: Scaled, b: Scaled) -> Scaled:
    """The sum of products computed on logarithms; zeros are -inf."""
    log_a, log_b = _logs(a), _logs(b)
    peak = _largest_sums(log_a, log_b)
    peak[np.isneginf(peak)] = 0.0
    total = np.zeros_like(peak)
    for part_a, part_b in _chunks(log_a, log_b):
        joint = part_a + part_b
        joint -= peak
        total += np.exp(joint, out=joint).sum(axis=0)
    with np.errstate(divide="ignore"):
        np.log(total, out=total)
    return _from_logs(total + peak, a.offset + b.offset)


def _largest_sums(a: Floats, b: Floats) -> Floats:
    """From shapes (k, b, i) and (k, b, j) to (b, i, j): the sums, maximised over k."""
    largest = np.full((a.shape[1], a.shape[2], b.shape[2]), -math.inf)
    for part_a, part_b in _chunks(a, b):
        np.maximum(largest, (part_a + part_b).max(axis=0), out=largest)
    return largest


def _chunks(a: NDArray[Any], b: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Parts of two tensors along k, ready to be joined, so that no join is large."""
    size = max(1, CHUNK // (a[0].size * b.shape[2]))
    for start in range(0, len(a), size):
        end = start + size
        yield a[start:end, :, :, None], b[start:end, :, None, :]


def _from_logs(logs: Floats, offset: float) -> Scaled:
    """A tensor from logarithms of its entries: as plain floats again if their range allows it."""
    finite = logs[~np.isneginf(logs)]
    if len(finite) == 0:
        return Scaled(np.zeros_like(logs), False, 0.0, 0.0, 0.0)
    peak = float(finite.max())
    low = float(finite.min()) - peak
    if low > -_SAFE / 2:
        return Scaled(np.exp(logs - peak), False, offset + peak, low, 0.0)
    return Scaled(logs - peak, True, offset + peak, low, 0.0)


class _ArraySemiring:
    """What semirings on plain arrays have in common."""

    def part(self, tensor: NDArray[Any], index: Index) -> NDArray[Any]:
        return np.asarray(tensor[index], dtype=tensor.dtype)

    def arrange(
        self, tensor: NDArray[Any], axes: tuple[int, ...], shape: tuple[int, ...]
    ) -> NDArray[Any]:
        return tensor.transpose(axes).reshape(shape)


class ExactSemiring(_ArraySemiring):
    """Sums and products of integers of any size."""

    def evaluate(self, integers: NDArray[Any]) -> Objects:
        return integers.astype(object)

    def combine(self, a: Objects, b: Objects) -> Objects:
        return _folded(np.add, a, b)


def _folded(join: np.ufunc, a: Objects, b: Objects) -> Objects:
    """The products joined over k, chunk by chunk, so that few of them exist at a time."""
    parts = (join.reduce(part_a * part_b, axis=0) for part_a, part_b in _chunks(a, b))
    joined: Objects = functools.reduce(join, parts)
    return joined


class FlintSemiring(ExactSemiring):
    """Exact sums and products on FLINT's integers, faster where these are long."""

    def evaluate(self, integers: NDArray[Any]) -> Objects:
        from flint import fmpz

        entries = [fmpz(int(entry)) for entry in integers.ravel().tolist()]
        tensor = np.empty(len(entries), dtype=object)
        tensor[:] = entries
        return tensor.reshape(integers.shape)


class MaxLogSemiring(_ArraySemiring):
    """Products and maxima of logarithms."""

    def evaluate(self, integers: NDArray[Any]) -> Floats:
        return _logarithms(integers)

    def combine(self, a: Floats, b: Floats) -> Floats:
        return _largest_sums(a, b)

    def best(self, a: Floats, b: Floats) -> int:
        return int(np.argmax(a + b))


class MaxExactSemiring(ExactSemiring):
    """Products and maxima of integers of any size."""

    def combine(self, a: Objects, b: Objects) -> Objects:
        return _folded(np.maximum, a, b)

    def best(self, a: Objects, b: Objects) -> int:
        return int(np.argmax(a * b))


# Where the integers of a step have more bits than this in all, FLINT is faster (measured on
# grids, trees and chains); below, calling it costs more than its faster multiplication saves.
_LONG = 300_000


def exact_semiring(bits: int) -> ExactSemiring:
    """The exact semiring for steps of about so many bits: FLINT's if installed and faster."""
    if bits > _LONG and importlib.util.find_spec("flint") is not None:
        return FlintSemiring()
    return EXACT


LOG = LogSemiring()
EXACT = ExactSemiring()
MAX_LOG = MaxLogSemiring()
MAX_EXACT = MaxExactSemiring()
