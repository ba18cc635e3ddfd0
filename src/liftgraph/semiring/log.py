"""Sums and products of float64 that neither overflow nor lose an entry to underflow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.multinomials import log_multinomials
from liftgraph.semiring.pairs import (
    Pair,
    add,
    float_logarithms,
    plus,
    precise_logarithms,
    product,
    two_sum,
    weighted_sums,
)
from liftgraph.semiring.protocol import (
    CHUNK,
    Floats,
    Index,
    Integers,
    Normalised,
    Number,
    Objects,
)

# float64 holds exp(±708) without losing precision; products stay well inside.
_SAFE = 690.0
# Products of more powers than this are computed on pairs of floats.
_MANY = 64
# Logarithms with rests become plain floats if they span no more than this: the exponential of
# such a logarithm has lost at most one digit.
_NARROW = 8.0
_ZERO = (0.0, 0.0)
# Integers of at most this many bits in all stay integers before powers, so that there are no
# rounding errors yet that powers could multiply. Before high powers, this is worth some time.
_IMPATIENT = 1 << 16
_PATIENT = 1 << 24
_HIGH_POWER = 64


class Scaled(NamedTuple):
    """Floats times exp(offset), so that nothing overflows or underflows. The offset is the sum of
    two floats: large offsets of opposite signs may cancel in the end.

    ``values``: the entries themselves, or their natural logarithms if ``logarithmic``; then
    ``rest`` is added to them for more digits. ``low``, ``high``: every entry that is not zero
    lies between exp(low) and exp(high).
    """

    values: Floats
    logarithmic: bool
    offset: Number
    low: float
    high: float
    rest: Floats | None = None


class LogSemiring:
    """Entries are kept as plain floats as long as bounds on their logarithms prove this safe, and
    as logarithms otherwise: a hub whose neighbours favour one state by 10**400 and then the other
    by 10**400 is evaluated correctly.
    """

    def evaluate(self, integers: NDArray[Any]) -> Scaled:
        largest = int(integers.max(initial=0))
        if largest.bit_length() < 500:
            values = integers.astype(np.float64)
            return Scaled(values, False, _ZERO, 0.0, math.log(max(largest, 1)))
        return _from_pair(precise_logarithms(integers), _ZERO)

    def unit(self, shape: tuple[int, ...]) -> Scaled:
        return Scaled(np.ones(shape), False, _ZERO, 0.0, 0.0)

    def stays_exact(self, bits: int, power: int) -> bool:
        return bits <= (_PATIENT if power > _HIGH_POWER else _IMPATIENT)

    def convert(self, integers: Objects, power: int = 1) -> Scaled:
        return self.precise(integers) if power > _HIGH_POWER else self.evaluate(integers)

    def precise(self, integers: NDArray[Any]) -> Scaled:
        """The tensor of integers, with logarithms of twice the digits: for very high powers."""
        high, low = precise_logarithms(integers)
        finite = high[~np.isneginf(high)]
        return Scaled(high, True, _ZERO, finite.min(initial=0.0), finite.max(initial=0.0), low)

    def part(self, tensor: Scaled, index: Index) -> Scaled:
        rest = None if tensor.rest is None else np.asarray(tensor.rest[index])
        _, logarithmic, offset, low, high, _ = tensor
        return Scaled(np.asarray(tensor.values[index]), logarithmic, offset, low, high, rest)

    def arrange(self, tensor: Scaled, axes: tuple[int, ...], shape: tuple[int, ...]) -> Scaled:
        values = tensor.values.transpose(axes).reshape(shape)
        rest = None if tensor.rest is None else tensor.rest.transpose(axes).reshape(shape)
        return Scaled(values, tensor.logarithmic, tensor.offset, tensor.low, tensor.high, rest)

    def take(self, tensor: Scaled, index: Integers) -> Scaled:
        rest = None if tensor.rest is None else tensor.rest[:, index]
        return tensor._replace(values=tensor.values[:, index], rest=rest)

    def combine(self, a: Scaled, b: Scaled) -> Scaled:
        growth = math.log(a.values.shape[0])
        if not _safe(a, b, growth):
            a, b = _tightened(a), _tightened(b)
            if not _safe(a, b, growth):
                return _combine_logs(a, b)
        values = _sum_of_products(a.values, b.values)
        offset = _joint_offset(a, b)
        return Scaled(values, False, offset, a.low + b.low, a.high + b.high + growth)

    def powers(self, tensor: Scaled, exponents: Integers) -> Scaled:
        few = int(exponents.sum(axis=1).max(initial=0)) <= _MANY
        if few and tensor.rest is None and abs(tensor.offset[0]) < _NARROW:
            logs = _logs(tensor)[0]
            high = np.where(np.isneginf(logs), -1e300, logs) + sum(tensor.offset)
            sums = product(high, exponents.astype(np.float64))
            return _from_logs(np.where(sums < -1e299, -math.inf, sums), _ZERO)
        pair = _logs(tensor) if tensor.logarithmic else float_logarithms(tensor.values)
        high, low = two_sum(pair[0], np.full_like(pair[0], tensor.offset[0]))
        exact = high, low + (pair[1] + tensor.offset[1])
        return _from_pair(weighted_sums(exact, exponents), _ZERO)

    def multinomials(self, counts: Integers) -> Scaled:
        return _from_pair(log_multinomials(counts), _ZERO)

    def possible(self, tensor: Scaled) -> bool:
        return bool((tensor.values > (-math.inf if tensor.logarithmic else 0.0)).any())

    def normalise(self, tensor: Scaled) -> Normalised | None:
        entries, log_peak = self.relative(tensor)
        total = float(entries.sum())
        if total == 0:
            return None
        return Normalised(entries / total, None, plus(log_peak, (math.log(total), 0.0)), None)

    def normalise_flow(self, flow: Floats) -> Normalised | None:
        total = float(flow.sum())
        return Normalised(flow / total, None, (math.log(total), 0.0), None) if total else None

    def relative(self, tensor: Scaled) -> tuple[Floats, Number]:
        """The entries divided by the largest one, and the logarithm of that one."""
        largest = _tightened(tensor)
        values = np.exp(largest.values) if largest.logarithmic else largest.values
        return values, largest.offset

    def total(self, tensor: Scaled) -> Floats:
        values = self.relative(tensor)[0]
        shares: Floats = values / values.sum()
        return shares

    def share(self, flow: Floats, tensor: Scaled) -> Scaled:
        if flow.shape == () and flow > 0:
            return _divided(float(flow), tensor)
        entries = _logs(tensor)
        with np.errstate(divide="ignore", invalid="ignore"):
            high, low = add((np.log(flow), np.zeros(())), (-entries[0], -entries[1]))
        nothing = flow == 0
        pair = np.where(nothing, -math.inf, high), np.where(nothing, 0.0, low)
        return _from_pair(pair, (-tensor.offset[0], -tensor.offset[1]))

    def times(self, a: Scaled, b: Scaled) -> Floats:
        if not (a.logarithmic or b.logarithmic) and _safe(a, b, 0.0):
            log_scale = sum(plus(a.offset, b.offset))
            if abs(log_scale) < _SAFE:
                return a.values * b.values * math.exp(log_scale)
        high, low = add(_logs(a), _logs(b))
        offset = plus(a.offset, b.offset)
        return np.exp((high + offset[0]) + (low + offset[1]))

    def weighed(self, flow: Floats, exponents: Integers) -> Floats:
        return product(flow, exponents.transpose(0, 2, 1).astype(np.float64))

    def spread(self, flow: Floats, index: Integers, size: int) -> Floats:
        rows = [np.bincount(index, row, size) for row in flow]
        return np.array(rows, dtype=np.float64).reshape(len(flow), size)


def _divided(flow: float, tensor: Scaled) -> Scaled:
    """A positive flow through a single entry, divided by it."""
    high, low = (float(part) for part in _logs(tensor))
    log = plus(tensor.offset, (high, low))
    log_flow = math.log(flow)
    return Scaled(np.array(flow), False, (-log[0], -log[1]), log_flow, log_flow)


def _joint_offset(a: Scaled, b: Scaled) -> Number:
    if a.offset == _ZERO:
        return b.offset
    return a.offset if b.offset == _ZERO else plus(a.offset, b.offset)


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
        return _from_pair(_logs(tensor), tensor.offset)
    positive = tensor.values[tensor.values > 0]
    if len(positive) == 0:
        return Scaled(tensor.values, False, _ZERO, 0.0, 0.0)
    peak, low = math.log(positive.max()), math.log(positive.min())
    if low - peak < -_SAFE:  # the smallest entry divided by the largest would underflow
        return _from_logs(_logs(tensor)[0], tensor.offset)
    offset = plus(tensor.offset, (peak, 0.0))
    return Scaled(tensor.values / positive.max(), False, offset, low - peak, 0.0)


def _logs(tensor: Scaled) -> Pair:
    """Logarithms of the entries, without the offset."""
    if tensor.logarithmic:
        return tensor.values, np.zeros(()) if tensor.rest is None else tensor.rest
    with np.errstate(divide="ignore"):
        return np.log(tensor.values), np.zeros(())


def _combine_logs(a: Scaled, b: Scaled) -> Scaled:
    """The sum of products computed on logarithms; zeros are -inf."""
    (high_a, low_a), (high_b, low_b) = _logs(a), _logs(b)
    exact = low_a.ndim > 0 or low_b.ndim > 0
    low_a, low_b = np.broadcast_to(low_a, high_a.shape), np.broadcast_to(low_b, high_b.shape)
    peak = largest_sums(high_a, high_b)
    peak[np.isneginf(peak)] = 0.0
    total = np.zeros_like(peak)
    rests = chunks(low_a, low_b)
    for (part_a, part_b), (rest_a, rest_b) in zip(chunks(high_a, high_b), rests, strict=True):
        joint, error = two_sum(part_a, part_b) if exact else (part_a + part_b, 0.0)
        joint = joint - peak
        if exact:
            joint += error + (rest_a + rest_b)
        total += np.exp(joint, out=joint).sum(axis=0)
    with np.errstate(divide="ignore"):
        np.log(total, out=total)
    offset = plus(a.offset, b.offset)
    return _from_pair(two_sum(total, peak), offset) if exact else _from_logs(total + peak, offset)


def largest_sums(a: Floats, b: Floats) -> Floats:
    """From shapes (k, b, i) and (k, b, j) to (b, i, j): the sums, maximised over k."""
    largest = np.full((a.shape[1], a.shape[2], b.shape[2]), -math.inf)
    for part_a, part_b in chunks(a, b):
        np.maximum(largest, (part_a + part_b).max(axis=0), out=largest)
    return largest


def chunks(a: NDArray[Any], b: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Parts of two tensors along k, ready to be joined, so that no join is large."""
    size = max(1, CHUNK // max(a[0].size * b.shape[2], 1))
    for start in range(0, len(a), size):
        end = start + size
        yield a[start:end, :, :, None], b[start:end, :, None, :]


def _from_logs(logs: Floats, offset: Number) -> Scaled:
    return _from_pair((logs, np.zeros(())), offset)


def _from_pair(logs: Pair, offset: Number) -> Scaled:
    """A tensor from logarithms of its entries: as plain floats again if their range allows it."""
    high, low = logs
    finite = high[~np.isneginf(high)]
    if len(finite) == 0:
        return Scaled(np.zeros_like(high), False, _ZERO, 0.0, 0.0)
    peak = float(finite.max())
    lowest = float(finite.min()) - peak
    offset = plus(offset, (peak, 0.0))
    if lowest > (-_SAFE / 2 if low.ndim == 0 else -_NARROW):
        return Scaled(np.exp((high - peak) + low), False, offset, lowest - 1, 1.0)
    high, error = two_sum(high, np.full_like(high, -peak))
    return Scaled(high, True, offset, lowest, 0.0, error + low)


LOG = LogSemiring()
