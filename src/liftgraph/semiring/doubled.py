"""Exponentials and logarithms of pairs of floats, to nearly twice the digits of one.

What is summed and then raised to a high power needs them: the power multiplies the rounding error
of a logarithm. Relative errors of results are below 2**-98 (Dekker 1971 for the products).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.pairs import FEW, Pair, add, precise_logarithms, two_sum
from liftgraph.semiring.protocol import Floats

_DIGITS = Context(prec=60)
_SPLIT = 2.0**27 + 1  # cuts a significand in two halves
_HALVINGS = 8  # of an exponent before its power series, undone by squaring
_TERMS = 11
_BLOCK = 1 << 10  # logarithms of integers that are computed at a time
_LEADING_BITS = 106  # of an integer, which a pair holds
_LONG_TERMS = 5  # of the power series; the others are so small that one float is enough


def _parts(value: Decimal, bits: int) -> tuple[float, float, float]:
    """A number as a sum: two parts that are so short that products with integers are exact."""
    first = int(_DIGITS.multiply(value, 2**bits)) / 2**bits
    rest = _DIGITS.subtract(value, Decimal(first))
    second = int(_DIGITS.multiply(rest, 4**bits)) / 4**bits
    return first, second, float(_DIGITS.subtract(rest, Decimal(second)))


def _pair(value: Decimal) -> tuple[float, float]:
    return float(value), float(_DIGITS.subtract(value, Decimal(float(value))))


_LOG_2 = _parts(_DIGITS.ln(Decimal(2)), 32)
_INVERSE_FACTORIALS = [_pair(_DIGITS.divide(1, math.factorial(n))) for n in range(_TERMS + 1)]


def normalised(pair: Pair) -> Pair:
    """The same sum, with as much of it as possible in the large part, which is large already."""
    high = pair[0] + pair[1]
    return high, pair[1] - (high - pair[0])


def multiply(a: Pair, b: Pair) -> Pair:
    """The product of two pairs."""
    high, low = _two_product(a[0], b[0])
    return normalised((high, low + (a[0] * b[1] + a[1] * b[0])))


def _two_product(a: Floats, b: Floats) -> Pair:
    """The product of two floats and its rounding error, exactly (Dekker 1971)."""
    total = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - total) + a_high * b_low + a_low * b_high) + a_low * b_low
    return total, error


def _halves(values: Floats) -> Pair:
    large = _SPLIT * values
    high = large - (large - values)
    return high, values - high


def exponentials(logs: Pair) -> Pair:
    """The exponentials of pairs of at most 700; 0 for those that float64 cannot hold.

    >>> high, low = exponentials((np.array([1.0]), np.array([0.0])))
    >>> (Decimal(1).exp(_DIGITS) - Decimal(high[0]) - Decimal(low[0])).adjusted() < -28
    True
    """
    vanishing = logs[0] < -700.0
    high, low = np.where(vanishing, 0.0, logs[0]), np.where(vanishing, 0.0, logs[1])
    twos = np.round(high / math.log(2))
    rest = normalised(add((high, low), _times_log_2(-twos)))
    small = rest[0] * 2.0**-_HALVINGS, rest[1] * 2.0**-_HALVINGS
    power = _exponential_minus_one(small)
    for _ in range(_HALVINGS):  # (1 + p)² = 1 + (2p + p²)
        square = multiply(power, power)
        total, error = normalised((2 * power[0], square[0]))
        power = total, error + (2 * power[1] + square[1])
    total, error = normalised((np.ones_like(high), power[0]))
    one = normalised((total, error + power[1]))
    scale = np.where(vanishing, 0.0, np.exp2(twos))
    return one[0] * scale, one[1] * scale


def _exponential_minus_one(small: Pair) -> Pair:
    """The power series of exp(x) - 1, by Horner's rule."""
    tail = np.zeros_like(small[0])
    for high, _ in reversed(_INVERSE_FACTORIALS[_LONG_TERMS + 1 :]):
        tail = small[0] * (high + tail)
    total: Pair = (tail, np.zeros(()))
    for high, low in reversed(_INVERSE_FACTORIALS[1 : _LONG_TERMS + 1]):
        partial, error = normalised((np.full_like(tail, high), total[0]))
        total = multiply(small, (partial, error + (low + total[1])))
    return total


def logarithms_of_pairs(values: Pair) -> Pair:
    """The natural logarithms of pairs that are not negative, -inf for zeros.

    One step of Newton's method: log(v) = y + log(1 + e) with e = v·exp(-y) - 1, which is tiny.

    >>> high, low = logarithms_of_pairs((np.array([10.0]), np.array([0.0])))
    >>> (Decimal(10).ln(_DIGITS) - Decimal(high[0]) - Decimal(low[0])).adjusted() < -30
    True
    """
    zero = values[0] == 0
    significand, twos = np.frexp(np.where(zero, 1.0, values[0]))
    scaled = significand, np.ldexp(np.where(zero, 0.0, values[1]), -twos)
    guess = np.log(significand)
    ratio = multiply(scaled, exponentials((-guess, np.zeros_like(guess))))
    difference = (ratio[0] - 1.0) + ratio[1]
    log = add((guess, difference - difference * difference / 2), _times_log_2(twos * 1.0))
    high, low = normalised(log)
    return np.where(zero, -math.inf, high), np.where(zero, 0.0, low)


def logarithms_of_integers(integers: NDArray[Any]) -> Pair:
    """The natural logarithms of integers of any size as pairs, -inf for zeros, however many.

    >>> high, low = logarithms_of_integers(np.full(10**4, 10**50))
    >>> few_high, few_low = precise_logarithms(np.array([10**50]))
    >>> bool(high[0] == few_high[0] and abs(low[0] - few_low[0]) < 1e-28)
    True
    """
    if integers.size <= FEW:
        return precise_logarithms(integers)
    entries, logs = integers.ravel(), np.empty((2, integers.size))
    for start in range(0, integers.size, _BLOCK):
        end = start + _BLOCK
        logs[:, start:end] = _logarithms_of_block(entries[start:end].tolist())
    return logs[0].reshape(integers.shape), logs[1].reshape(integers.shape)


def _logarithms_of_block(entries: list[int]) -> Pair:
    shifts = [max(entry.bit_length() - _LEADING_BITS, 0) for entry in entries]
    leading = [entry >> shift for entry, shift in zip(entries, shifts, strict=True)]
    high = [float(entry) for entry in leading]
    low = [float(entry - int(part)) for entry, part in zip(leading, high, strict=True)]
    logs = logarithms_of_pairs((np.array(high), np.array(low)))
    return two_sum(*add(logs, _times_log_2(np.array(shifts, dtype=np.float64))))


def _times_log_2(integers: Floats) -> Pair:
    first, second, third = _LOG_2
    total, error = two_sum(integers * first, integers * second)
    return total, error + integers * third


def summed(values: Pair) -> Pair:
    """The sum of pairs over the first axis, in halves."""
    high, low = values
    while len(high) > 1:
        half = len(high) // 2
        rest = high[2 * half :], low[2 * half :]
        total = add((high[:half], low[:half]), (high[half : 2 * half], low[half : 2 * half]))
        high, low = (np.concatenate(parts) for parts in zip(normalised(total), rest, strict=True))
    return high[0], low[0]
