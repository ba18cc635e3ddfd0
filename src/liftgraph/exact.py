"""Exact rationals from numbers and text, and back to text."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from liftgraph.errors import InputError

# Numerators and denominators stay below 10**MAX_DIGITS: Python refuses to print much longer
# integers, and a numeral such as 1e999999999 must not fill the memory.
MAX_DIGITS = 4000
_LIMIT = 10**MAX_DIGITS

_DECIMAL = re.compile(r"\+?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?", re.ASCII)
_FRACTION = re.compile(r"(\d+)/(\d+)", re.ASCII)


def parse_rational(text: str) -> Fraction:
    """The non-negative rational a numeral stands for: ``12``, ``0.3``, ``1e-3`` or ``7/20``.

    Refused if its numerator or denominator has more than ``MAX_DIGITS`` digits.

    >>> parse_rational("1e-3"), parse_rational("7/20")
    (Fraction(1, 1000), Fraction(7, 20))
    """
    if fraction := _FRACTION.fullmatch(text):
        numerator, denominator = _digits(fraction[1]), _digits(fraction[2])
        if denominator == 0:
            raise _not_a_number(text)
        return limited(Fraction(numerator, denominator))
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or not (decimal[1] or decimal[2]):
        raise _not_a_number(text)
    decimals = decimal[2] or ""
    exponent = int(decimal[3] or 0) - len(decimals)
    mantissa = _digits(decimal[1] + decimals)
    if mantissa == 0:
        return Fraction(0)
    if abs(exponent) > 2 * MAX_DIGITS:
        raise _too_long()
    return limited(mantissa * Fraction(10) ** exponent)


def _digits(text: str) -> int:
    significant = text.lstrip("0") or "0"
    if len(significant) > MAX_DIGITS:
        raise _too_long()
    return int(significant)


def _not_a_number(text: str) -> InputError:
    return InputError(f"expected a non-negative number, got {shortened(text)!r}")


def _too_long() -> InputError:
    return InputError(f"expected a number of at most {MAX_DIGITS} digits, got a longer one")


def limited(value: Fraction) -> Fraction:
    """The value itself; refused if its numerator or denominator has too many digits."""
    if max(value.numerator, value.denominator) >= _LIMIT:
        raise _too_long()
    return value


def shortened(text: str) -> str:
    """Text as messages quote it: at most 40 characters."""
    return text if len(text) <= 40 else text[:37] + "..."


def rational(value: object) -> Fraction:
    """The exact value of an integer, ``Fraction``, ``Decimal``, numeral or finite float.

    >>> rational("0.1"), rational(0.5)
    (Fraction(1, 10), Fraction(1, 2))
    """
    if isinstance(value, str):
        return parse_rational(value.strip())
    if isinstance(value, numbers.Rational) and int(value.numerator) >= 0:
        return limited(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal) and value.is_finite() and value >= 0:
        return parse_rational(str(value))
    if isinstance(value, float | np.floating) and 0 <= value < math.inf:
        numerator, denominator = value.as_integer_ratio()
        return limited(Fraction(int(numerator), int(denominator)))
    raise InputError(f"expected a non-negative number, got {value!r}")


def common_scale(values: Iterable[Fraction]) -> tuple[list[int], Fraction]:
    """Coprime integers and the positive scale by which they are multiplied.

    If all values are zero, the scale is 1.

    >>> common_scale([Fraction(1, 10), Fraction(0), Fraction(3, 10)])
    ([1, 0, 3], Fraction(1, 10))
    """
    fractions = list(values)
    denominator = math.lcm(*(value.denominator for value in fractions))
    integers = [value.numerator * (denominator // value.denominator) for value in fractions]
    divisor = math.gcd(*integers)
    if divisor == 0:
        return integers, Fraction(1)
    return [integer // divisor for integer in integers], Fraction(divisor, denominator)


def numeral(value: Fraction) -> str:
    """The exact text of a rational: as a decimal if it has a finite one, otherwise as a fraction.

    >>> numeral(Fraction(3, 10)), numeral(Fraction(1, 3)), numeral(Fraction(10) ** -9)
    ('0.3', '1/3', '1E-9')
    """
    if value.denominator == 1:
        return str(value.numerator)
    twos = (value.denominator & -value.denominator).bit_length() - 1
    odd, fives = value.denominator >> twos, 0
    while odd % 5 == 0:
        odd, fives = odd // 5, fives + 1
    places = max(twos, fives)
    digits = value.numerator * 10**places // value.denominator
    if odd != 1 or digits >= _LIMIT or places > MAX_DIGITS:
        return f"{value.numerator}/{value.denominator}"
    return str(Decimal((0, tuple(map(int, str(digits))), -places)))


def shown(value: Fraction) -> str:
    """A rational as people read it: exact if that is short, otherwise its magnitude.

    >>> shown(Fraction(1, 4)), shown(Fraction(7) ** 100)
    ('1/4', '≈3.23448e+84')
    """
    if max(value.numerator, value.denominator) < 10**60:
        return str(value)
    magnitude = log(value) / math.log(10)
    exponent = math.floor(magnitude)
    return f"≈{10 ** (magnitude - exponent):.5f}e{exponent:+d}"


def log(value: Fraction) -> float:
    """The natural logarithm of a positive rational of any size.

    >>> round(log(Fraction(10) ** 1000), 3)
    2302.585
    """
    return math.log(value.numerator) - math.log(value.denominator)
