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

from liftgraph.errors import ComputationError
from liftgraph.semiring.protocol import Floats, Integers, Number

Pair = tuple[Floats, Floats]
_DIGITS = Context(prec=45)
_BITS = 512  # the leading bits of an integer that matter for its logarithm
FEW = 1 << 13  # up to this many integers get logarithms to many digits
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


def times_log_2(exponent: int) -> Number:
    """The logarithm of a power of two, as the sum of a large and a small float."""
    millions, ones = divmod(exponent, 1 << 20)  # so short that products with them are exact
    parts = millions * _LOG_2[0] * 2.0**20, ones * _LOG_2[0], exponent * _LOG_2[1]
    high = math.fsum(parts)
    return high, math.fsum([*parts, -high])


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

    For very many integers, only to the usual fifteen: thirty take a hundred times as long. What
    is raised to high powers has thirty nevertheless (``doubled.logarithms_of_integers``).
    """
    if integers.size > FEW:
        return logarithms(integers), np.zeros(integers.shape)
    pairs = [precise_logarithm(int(entry)) for entry in integers.ravel().tolist()]
    logs = np.array(pairs).reshape(*integers.shape, 2)
    return logs[..., 0], logs[..., 1]


def precise_logarithm(integer: int) -> Number:
    """The natural logarithm of an integer of any size to some thirty digits, -inf of zero."""
    return kept_pair(*_leading(integer, _DIGITS.prec)) if integer else (-math.inf, 0.0)


def decimal_logarithm(integer: int, digits: int = 45) -> Decimal:
    """The natural logarithm of a positive integer of any size to about this many digits."""
    return kept_logarithm(*_leading(integer, digits), digits)


def _leading(integer: int, digits: int) -> tuple[int, int]:
    """The bits of an integer that matter, and how many follow: what is kept is short."""
    shift = max(integer.bit_length() - 4 * digits - _BITS, 0)
    return integer >> shift, shift


@lru_cache(maxsize=4096)
def kept_pair(leading: int, shift: int) -> Number:
    """The logarithm of an integer with these leading bits, as a pair; kept for later."""
    log = kept_logarithm(leading, shift, _DIGITS.prec)
    high = float(log)
    return high, float(_DIGITS.subtract(log, Decimal(high)))


@lru_cache(maxsize=4096)
def kept_logarithm(leading: int, shift: int, digits: int) -> Decimal:
    """The logarithm of an integer with these leading bits; kept for later."""
    context = Context(prec=digits)
    top = context.ln(Decimal(leading))
    return context.fma(Decimal(shift), context.ln(Decimal(2)), top)


def log_of_product(
    powers: Iterable[tuple[Fraction, int]], logs: Iterable[tuple[Number, int]] = ()
) -> float:
    """The logarithm of a product of powers, and of powers of numbers with logarithms, rounded once.

    Logarithms of weights and of their scales may be large and all but cancel: they get fifteen
    more digits for fifty bits of the largest exponent.

    >>> log_of_product([(Fraction(10), 10**60), (Fraction(1, 10), 10**60 - 1)]) == math.log(10)
    True
    """
    fractions, pairs = list(powers), list(logs)
    longest = max([times.bit_length() for _, times in [*fractions, *pairs]], default=0)
    context = Context(prec=_DIGITS.prec + longest // 50 * 15)
    total = Decimal(0)
    for value, times in fractions:
        below = decimal_logarithm(value.denominator, context.prec)
        log = context.subtract(decimal_logarithm(value.numerator, context.prec), below)
        total = context.fma(Decimal(times), log, total)
    for (high, low), times in pairs:
        log = context.add(Decimal(high), Decimal(low))
        total = context.fma(Decimal(times), log, total)
    if math.isinf(float(total)):
        raise ComputationError(f"the logarithm of a weight is {total:.1e}: beyond float64")
    return float(total)


def weighted_sums(logs: Pair, exponents: Integers, precise: bool = False) -> Pair:
    """From shapes (r, b, e) and (b, e, h) to (r, b, h): logarithms times integers, summed over e.

    Zeros to the power of zero are 1: -inf times 0 is 0. Logarithms are cut into parts so short
    that products with integers, and sums of these, are exact. Parts that do not matter are not;
    if the result has to be ``precise``, all but the last digits of a pair do.
    """
    zero = np.isneginf(logs[0])
    high, low = np.where(zero, 0.0, logs[0]), np.where(zero, 0.0, logs[1])
    weights = exponents.astype(np.float64)
    total: Pair = (np.zeros(()), np.zeros(()))
    largest = max(int(exponents.sum(axis=1).max(initial=0)), 1)
    bits = max(52 - largest.bit_length(), 4)  # of a logarithm that times an exponent is exact
    unit = 2.0 ** math.frexp(float(np.abs(high).max(initial=1.0)))[1]
    enough = min(_ENOUGH, unit * largest * 2.0**-106) if precise else _ENOUGH
    while unit * largest * 2.0**-53 > enough:
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
