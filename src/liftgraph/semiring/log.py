"""Sums and products of float64 that neither overflow nor lose an entry to underflow."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.doubled import logarithms_of_integers
from liftgraph.semiring.multinomials import log_multinomials
from liftgraph.semiring.pairs import (
    Pair,
    add,
    float_logarithms,
    plus,
    precise_logarithms,
    product,
    times_log_2,
    two_sum,
    weighted_sums,
)
from liftgraph.semiring.protocol import (
    Arrangement,
    Contracting,
    Floats,
    Index,
    Integers,
    Normalised,
    Number,
    Objects,
    moved,
)
from liftgraph.semiring.scaled import (
    SAFE,
    ZERO,
    Matrix,
    Scaled,
    as_matrix,
    combine_logs,
    combine_logs_precisely,
    from_logs,
    from_pair,
    joint_offset,
    logarithmic,
    logs_of,
    matrix_product,
    plain,
    precise_logs_of,
    row_weights,
    tightened,
)
from liftgraph.semiring.wide_convolution import convolve_blocks, correlate_blocks

InBlocks = Callable[[Pair, Pair], Pair | None]
_UNDERFLOW = 690.0  # logarithms of scales that floats can be multiplied with
# Products of more powers than this are computed on pairs of floats.
_MANY = 64
# Scales with smaller logarithms do not make powers large.
_NARROW = 8.0
# Integers of at most this many bits in all stay integers before powers, so that there are no
# rounding errors yet that powers could multiply. Before high powers, this is worth some time.
_IMPATIENT = 1 << 16
_PATIENT = 1 << 24
_HIGH_POWER = 64
# What is raised to a higher power than this needs logarithms of twice the digits: the power of
# an error of 2**-52 is then 2**-36.
_VERY_HIGH_POWER = 1 << 16


class LogSemiring(Contracting[Scaled]):
    """Entries are kept as plain floats, times a power of two, as long as bounds prove this safe,
    and as logarithms otherwise: a hub whose neighbours favour one state by 10**400 and then the
    other by 10**400 is evaluated correctly.
    """

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Scaled:
        if bits is None:
            bits = int(integers.max(initial=0)).bit_length()
        if bits < 500:
            return plain(integers.astype(np.float64), 0.0, bits)
        return from_pair(precise_logarithms(integers), ZERO)

    def unit(self, shape: tuple[int, ...]) -> Scaled:
        return plain(np.ones(shape), 0.0, 0.0)

    def before(self, power: int) -> LogSemiring:
        return PRECISE_LOG if power > _VERY_HIGH_POWER else self

    def stays_exact(self, bits: int, power: int) -> bool:
        return bits <= (_PATIENT if power > _HIGH_POWER else _IMPATIENT)

    def convert(self, integers: Objects, power: int = 1) -> Scaled:
        return self.precise(integers) if power > _HIGH_POWER else self.evaluate(integers)

    def precise(self, integers: NDArray[Any]) -> Scaled:
        """The tensor of integers, with logarithms of twice the digits: for very high powers."""
        return logarithmic(two_sum(*logarithms_of_integers(integers)))

    def part(self, tensor: Scaled, index: Index) -> Scaled:
        values, rest = np.asarray(tensor.values[index]), tensor.rest
        return tensor._replace(
            values=values, rest=None if rest is None else np.asarray(rest[index])
        )

    def arrange(
        self, tensor: Scaled, axes: tuple[int, ...] | None, shape: tuple[int, ...]
    ) -> Scaled:
        values, log, offset, low, high, rest, exponent = tensor
        if axes is not None:
            values, rest = values.transpose(axes), None if rest is None else rest.transpose(axes)
        rest = None if rest is None else rest.reshape(shape)
        return Scaled(values.reshape(shape), log, offset, low, high, rest, exponent)

    def take(self, tensor: Scaled, index: Integers) -> Scaled:
        rest = None if tensor.rest is None else tensor.rest[:, index]
        return tensor._replace(values=tensor.values[:, index], rest=rest)

    def combine(self, a: Scaled, b: Scaled) -> Scaled:
        return self.combine_matrix(a, b, lambda array, zero: array)

    def moved(self, tensor: Scaled, places: int) -> Scaled:
        zero = -math.inf if tensor.logarithmic else 0.0
        rest = None if tensor.rest is None else moved(tensor.rest, 0.0, places)
        return tensor._replace(values=moved(tensor.values, zero, places), rest=rest)

    def convolve(self, a: Scaled, b: Scaled) -> Scaled:
        matrix = partial(moved, places=a.values.shape[-1])
        return self.combine_matrix(a, b, matrix, convolve_blocks)

    def correlate(self, a: Scaled, b: Scaled) -> Scaled:
        places = a.values.shape[-1] - b.values.shape[-1] + 1
        return self.combine_matrix(
            a, b, lambda b, zero: moved(b, zero, places).swapaxes(-1, -2), correlate_blocks
        )

    def combine_matrix(
        self, a: Scaled, b: Scaled, matrix: Matrix, in_blocks: InBlocks | None = None
    ) -> Scaled:
        """What ``combine`` does, with a matrix that is made from the second tensor in the end.

        ``in_blocks``: does the same to logarithms, if it can.
        """
        growth = (a.values.shape[-1] - 1).bit_length()
        if not _safe(a, b, growth):
            a, b = tightened(a), tightened(b)
            if not _safe(a, b, growth):
                sums = None if in_blocks is None else in_blocks(logs_of(a), logs_of(b))
                if sums is None:
                    sums = combine_logs(logs_of(a), as_matrix(logs_of(b), matrix))
                return from_pair(sums, joint_offset(a, b), a.exponent + b.exponent)
        low, high = a.low + b.low, a.high + b.high + growth
        values = matrix_product(a.values, matrix(b.values, 0.0))
        exponent = a.exponent + b.exponent
        return Scaled(values, False, joint_offset(a, b), low, high, None, exponent)

    def contract(self, a: Scaled, b: Scaled, how: Arrangement) -> Scaled:
        # The same without a tensor for each rearrangement: small ones are the most frequent.
        low, high = a.low + b.low, a.high + b.high + how.growth
        if low <= -SAFE or high >= SAFE:
            return super().contract(a, b, how)
        left, right = (b.values, a.values) if how.swapped else (a.values, b.values)
        if how.left_axes is not None:
            left = left.transpose(how.left_axes)
        if how.right_axes is not None:
            right = right.transpose(how.right_axes)
        values = matrix_product(left.reshape(how.left_shape), right.reshape(how.right_shape))
        values = values.reshape(how.shape)
        if how.axes is not None:
            values = values.transpose(how.axes)
        exponent = a.exponent + b.exponent
        return Scaled(values, False, joint_offset(a, b), low, high, None, exponent)

    def powers(self, tensor: Scaled, exponents: Integers) -> Scaled:
        few = int(exponents.sum(axis=1).max(initial=0)) <= _MANY
        scale = tensor.log_scale
        if few and tensor.rest is None and abs(scale[0]) < _NARROW:
            logs = logs_of(tensor)[0]
            high = np.where(np.isneginf(logs), -1e300, logs) + sum(scale)
            sums = product(high, exponents.astype(np.float64))
            return from_logs(np.where(sums < -1e299, -math.inf, sums), ZERO)
        pair = logs_of(tensor) if tensor.logarithmic else float_logarithms(tensor.values)
        high, low = two_sum(pair[0], np.full_like(pair[0], scale[0]))
        exact = high, low + (pair[1] + scale[1])
        return from_pair(weighted_sums(exact, exponents), ZERO)

    def multinomials(self, counts: Integers) -> Scaled:
        return from_pair(log_multinomials(counts), ZERO)

    def possible(self, tensor: Scaled) -> bool:
        return bool((tensor.values > (-math.inf if tensor.logarithmic else 0.0)).any())

    def normalise(self, tensor: Scaled) -> Normalised | None:
        entries, log_scale = self.relative(tensor)
        total = float(entries.sum())
        if total == 0:
            return None
        return Normalised(entries / total, None, plus(log_scale, (math.log(total), 0.0)), None)

    def normalise_flow(self, flow: Floats) -> Normalised | None:
        total = float(flow.sum())
        return Normalised(flow / total, None, (math.log(total), 0.0), None) if total else None

    def relative(self, tensor: Scaled) -> tuple[Floats, Number]:
        """The entries as plain floats times a scale, and its logarithm.

        The largest is at most about 1 unless all can be divided by their sum as they are.
        """
        if tensor.high - tensor.low + tensor.values.size.bit_length() < SAFE:
            return tensor.values, tensor.log_scale
        largest = tightened(tensor)
        if not largest.logarithmic:
            return largest.values, largest.log_scale
        high, low = logs_of(largest)
        return np.exp(high + low), largest.log_scale

    def total(self, tensor: Scaled) -> Floats:
        values = self.relative(tensor)[0]
        shares: Floats = values / values.sum()
        return shares

    def share(self, flow: Floats, tensor: Scaled) -> Scaled:
        entries, nothing = tightened(tensor), flow == 0
        offset, exponent = (-entries.offset[0], -entries.offset[1]), -entries.exponent
        if not entries.logarithmic:
            quotient = np.asarray(flow / np.where(nothing, 1.0, entries.values))
            return tightened(Scaled(quotient, False, offset, -SAFE, SAFE, None, exponent))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = logs_of(entries)
            high, low = add((np.log(flow), np.zeros(())), (-logs[0], -logs[1]))
        pair = np.where(nothing, -math.inf, high), np.where(nothing, 0.0, low)
        return from_pair(pair, offset, exponent)

    def times(self, a: Scaled, b: Scaled) -> Floats:
        if not _safe(a, b, 0):
            a, b = tightened(a), tightened(b)
        safe, offset, exponent = _safe(a, b, 0), joint_offset(a, b), a.exponent + b.exponent
        if safe and offset == ZERO:
            flow: Floats = a.values * b.values
            return flow * 2.0**exponent if abs(exponent) < SAFE else np.ldexp(flow, exponent)
        log_scale, rest = plus(offset, times_log_2(exponent))
        if safe and abs(log_scale) < _UNDERFLOW:
            return a.values * b.values * math.exp(log_scale)
        high, low = add(logs_of(a), logs_of(b))
        return np.exp((high + log_scale) + (low + rest))

    def weighed(self, flow: Floats, exponents: Integers) -> Floats:
        return product(flow, exponents.transpose(0, 2, 1).astype(np.float64))

    def spread(self, flow: Floats, index: Integers, size: int) -> Floats:
        rows = [np.bincount(index, row, size) for row in flow]
        return np.array(rows, dtype=np.float64).reshape(len(flow), size)

    def row_weights(self, tensor: Scaled) -> Floats:
        return row_weights(tensor)


def _safe(a: Scaled, b: Scaled, growth: int) -> bool:
    """Whether all products of two tensors, and sums of these, are plain floats, or zero."""
    return a.low + b.low > -SAFE and a.high + b.high + growth < SAFE


class PreciseLogSemiring(LogSemiring):
    """The same with logarithms of twice the digits throughout, for what is raised to very high
    powers later: these multiply the errors of logarithms.
    """

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Scaled:
        return self.precise(integers)

    def convert(self, integers: Objects, power: int = 1) -> Scaled:
        return self.precise(integers)

    def combine_matrix(
        self, a: Scaled, b: Scaled, matrix: Matrix, in_blocks: InBlocks | None = None
    ) -> Scaled:
        logs = combine_logs_precisely(precise_logs_of(a), as_matrix(precise_logs_of(b), matrix))
        return logarithmic(two_sum(*logs))

    def contract(self, a: Scaled, b: Scaled, how: Arrangement) -> Scaled:
        return Contracting.contract(self, a, b, how)

    def powers(self, tensor: Scaled, exponents: Integers) -> Scaled:
        return logarithmic(
            two_sum(*weighted_sums(precise_logs_of(tensor), exponents, precise=True))
        )

    def multinomials(self, counts: Integers) -> Scaled:
        return logarithmic(two_sum(*log_multinomials(counts, precise=True)))


LOG = LogSemiring()
PRECISE_LOG = PreciseLogSemiring()
