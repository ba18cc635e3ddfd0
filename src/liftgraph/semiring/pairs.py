"""Logarithms as sums of a large and a small float64, where one float has too few digits.

The weight of a histogram of a million individuals is a product of huge and of tiny numbers: its
logarithm is a small difference of large ones. As unevaluated sums of two floats (Dekker 1971)
these keep twice the digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.protocol import Floats, Integers, Number

Pair = tuple[Floats, Floats]
_DIGITS = Context(prec=45)
_BITS = 512  # the leading bits of an integer that matter for its logarithm
_MOST = 1 << 13  # up to this many integers get logarithms to many digits
# The logarithm of 2: 32 bits of it, so that products with exponents are exact, and the rest.
_LOG_2 = (2977044471 / 2**32, 1.9082149292705877e-10)
_ENOUGH = 2.0**-52  # an error in a logarithm that does not matter


def two_sum(a: Floats, b: Floats) -> Pair:
    """The sum of two floats and its rounding error, exactly (Knuth 1969). Finite or -inf.

    >>> two_sum(np.array([1e17]), np.array([1.0]))
    (array([1.e+17]), array([1.]))
    """
    total = a + b
    with np.errstate(invalid="ignore"):
        virtual = total - a
        error = (a - (total - virtual)) + (b - virtual)
    return total, np.where(np.isfinite(total), error, 0.0)


def add(a: Pair, b: Pair) -> Pair:
    """The sum of two pairs."""
    total, error = two_sum(a[0], b[0])
    return total, error + (a[1] + b[1])


def plus(*numbers: Number) -> Number:
    """The sum of numbers that are sums of a large and a small float themselves."""
    large, small = zip(*numbers, strict=True)
    high = math.fsum(large)
    return high, math.fsum([math.fsum([*large, -high]), *small])


def logarithms(integers: NDArray[Any]) -> Floats:
    """Natural logarithms of integers of any size, -inf for zeros."""
    if integers.dtype != object:
        with np.errstate(divide="ignore"):
            return np.log(integers.astype(np.float64))
    logs = [math.log(entry) if entry else -math.inf for entry in integers.ravel().tolist()]
    return np.array(logs).reshape(integers.shape)


def float_logarithms(values: Floats) -> Pair:
    """Natural logarithms of floats, exact but for the last digit of the significand's; -inf for 0.

    >>> high, low = float_logarithms(np.array([2.0**1000]))
    >>> math.isclose(high[0], 1000 * math.log(2), rel_tol=1e-15)
    True
    """
    significand, exponent = np.frexp(values)
    with np.errstate(divide="ignore"):
        logs = np.log(significand)
    total, error = two_sum(logs, exponent * _LOG_2[0])
    return two_sum(total, error + exponent * _LOG_2[1])


def precise_logarithms(integers: NDArray[Any]) -> Pair:
    """Natural logarithms of integers of any size to some thirty digits, -inf for zeros.

    For very many integers, only to the usual fifteen: thirty take a hundred times as long.
    """
    if integers.size > _MOST:
        return logarithms(integers), np.zeros(integers.shape)
    pairs = [precise_logarithm(int(entry)) for entry in integers.ravel().tolist()]
    logs = np.array(pairs).reshape(*integers.shape, 2)
    return logs[..., 0], logs[..., 1]


@lru_cache(maxsize=4096)
def precise_logarithm(integer: int) -> Number:
    """The natural logarithm of an integer of any size to some thirty digits, -inf of zero."""
    if integer == 0:
        return -math.inf, 0.0
    log = decimal_logarithm(integer)
    high = float(log)
    return high, float(_DIGITS.subtract(log, Decimal(high)))


@lru_cache(maxsize=4096)
def decimal_logarithm(integer: int) -> Decimal:
    """The natural logarithm of a positive integer of any size to forty digits."""
    shift = max(integer.bit_length() - _BITS, 0)
    top = _DIGITS.ln(Decimal(integer >> shift))
    return _DIGITS.add(top, _DIGITS.multiply(Decimal(shift), _DIGITS.ln(Decimal(2))))


def log_of_product(
    powers: Iterable[tuple[Fraction, int]], logs: Iterable[tuple[Number, int]] = ()
) -> float:
    """The logarithm of a product of powers, and of powers of numbers with logarithms, rounded once.

    Logarithms of weights and of their scales may be large and all but cancel.

    >>> log_of_product([(Fraction(10), 10**6), (Fraction(1, 10), 10**6 - 1)]) == math.log(10)
    True
    """
    total = Decimal(0)
    for value, times in powers:
        below = decimal_logarithm(value.denominator)
        log = _DIGITS.subtract(decimal_logarithm(value.numerator), below)
        total = _DIGITS.fma(Decimal(times), log, total)
    for (high, low), times in logs:
        log = _DIGITS.add(Decimal(high), Decimal(low))
        total = _DIGITS.fma(Decimal(times), log, total)
    return float(total)


def weighted_sums(logs: Pair, exponents: Integers) -> Pair:
    """From shapes (r, b, e) and (b, e, h) to (r, b, h): logarithms times integers, summed over e.

    Zeros to the power of zero are 1: -inf times 0 is 0. Logarithms are cut into parts so short
    that products with integers, and sums of these, are exact.
    """
    zero = np.isneginf(logs[0])
    high, low = np.where(zero, 0.0, logs[0]), np.where(zero, 0.0, logs[1])
    weights = exponents.astype(np.float64)
    total: Pair = (np.zeros(()), np.zeros(()))
    largest = max(int(exponents.sum(axis=1).max(initial=0)), 1)
    bits = max(52 - largest.bit_length(), 4)  # of a logarithm that times an exponent is exact
    unit = 2.0 ** math.frexp(float(np.abs(high).max(initial=1.0)))[1]
    while unit * largest * 2.0**-53 > _ENOUGH:
        unit *= 2.0**-bits
        limb = np.round(high / unit) * unit
        total = add(total, (product(limb, weights), np.zeros(())))
        high, low = two_sum(high - limb, low)
    total = add(total, (product(high + low, weights), np.zeros(())))
    if zero.any():
        vanishing = product(zero.astype(np.float64), weights) > 0
        total = np.where(vanishing, -math.inf, total[0]), np.where(vanishing, 0.0, total[1])
    return total


def product(values: Floats, weights: Floats) -> Floats:
    """From shapes (r, b, e) and (b, e, h) to (r, b, h): summed over e."""
    if weights.shape[0] == 1:
        return np.asarray(values @ weights[0])
    return np.asarray(np.matmul(values.transpose(1, 0, 2), weights).transpose(1, 0, 2))
