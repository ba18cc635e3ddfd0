"""Exact rationals from numbers and text, and back to text."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from liftgraph.errors import InputError, quoted

# Numerators and denominators stay below 10**MAX_DIGITS: Python refuses to print much longer
# integers, and a numeral such as 1e999999999 must not fill the memory.
MAX_DIGITS = 4000
_LIMIT = 10**MAX_DIGITS

# The integers of a table may have as many bits as the numbers that they are made from. Where a
# common denominator makes them longer, they may have this many, or this many in all (8 MiB):
# every table of floats stays below the first, and the second takes a few seconds.
BITS_PER_INTEGER = 1 << 12
BITS_IN_ALL = 1 << 26

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
    return limited(decimal_value(*parse_decimal(text)))


def decimal_value(mantissa: int, exponent: int) -> Fraction:
    """A mantissa times a power of ten."""
    if exponent >= 0:
        return Fraction(mantissa * 10**exponent)
    return Fraction(mantissa, 10**-exponent)


def parse_decimal(text: str) -> tuple[int, int]:
    """The mantissa of a decimal numeral and its power of ten; zeros at the end of it are moved
    to the power, up to the point.

    >>> parse_decimal("0.0250"), parse_decimal("20e3"), parse_decimal("20"), parse_decimal("0e7")
    ((25, -3), (20, 3), (20, 0), (0, 0))
    """
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or not (decimal[1] or decimal[2]):
        raise _not_a_number(text)
    decimals = (decimal[2] or "").rstrip("0")
    exponent = int(decimal[3] or 0) - len(decimals)
    mantissa = _digits(decimal[1] + decimals)
    if mantissa == 0:
        return 0, 0
    if abs(exponent) > 2 * MAX_DIGITS:
        raise _too_long()
    return mantissa, exponent


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
    """The exact value of an integer, truth value, fraction, ``Decimal``, numeral or finite float.

    >>> rational("0.1"), rational(0.5)
    (Fraction(1, 10), Fraction(1, 2))
    """
    if isinstance(value, str):
        return parse_rational(value.strip())
    if isinstance(value, np.bool_):
        return Fraction(bool(value))
    if isinstance(value, numbers.Rational) and int(value.numerator) >= 0:
        return limited(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal) and value.is_finite() and value >= 0:
        return parse_rational(str(value))
    if isinstance(value, float | np.floating) and 0 <= value < math.inf:
        numerator, denominator = value.as_integer_ratio()
        return limited(Fraction(int(numerator), int(denominator)))
    raise InputError(f"expected a non-negative number, got {quoted(value)}")


def checked_tolerance(tolerance: object) -> Fraction | None:
    """The tolerance as an exact rational below 1; None stays None."""
    if tolerance is None:
        return None
    try:
        epsilon = rational(tolerance)
    except InputError as error:
        raise InputError(f"tolerance: {error}") from None
    if epsilon >= 1:
        raise InputError(f"expected a tolerance below 1, got {tolerance}")
    return epsilon


def common_scale(values: Iterable[Fraction]) -> tuple[list[int], Fraction]:
    """Coprime integers and the positive scale by which they are multiplied.

    If all values are zero, the scale is 1. Refused if the integers would be far longer than the
    values.

    Theorem: of reduced fractions a/b, let g be the greatest common divisor of all a, and m the
    least common multiple of all b. Then the integers (a/g)·(m/b) are coprime, and so are g and m.
    For if a prime divides some b, then the one that it divides most often has an a and an m/b
    that it does not divide; and if it divides no b, it does not divide all a/g.

    >>> common_scale([Fraction(1, 10), Fraction(0), Fraction(3, 10)])
    ([1, 0, 3], Fraction(1, 10))
    """
    fractions = list(values)
    divisor = math.gcd(*(value.numerator for value in fractions))
    if divisor == 0:
        return [0] * len(fractions), Fraction(1)
    denominator = _common_denominator(fractions)
    multiples = {b: denominator // b for b in {value.denominator for value in fractions}}
    integers = [value.numerator // divisor * multiples[value.denominator] for value in fractions]
    return integers, Fraction(divisor, denominator)


def _common_denominator(fractions: list[Fraction]) -> int:
    """The least common multiple of the denominators, unless it makes the numerators too long."""
    positive = [value for value in fractions if value]
    numerators = sum(value.numerator.bit_length() for value in positive)
    denominators = sum(value.denominator.bit_length() for value in positive)
    allowed = max(numerators + denominators, BITS_PER_INTEGER * len(fractions), BITS_IN_ALL)
    common = 1
    # The long ones first: short ones often divide them.
    for denominator in sorted({value.denominator for value in positive}, reverse=True):
        common = math.lcm(common, denominator)
        bits = numerators - denominators + len(positive) * common.bit_length()
        if bits > allowed:
            raise InputError(
                f"expected numbers with a short common denominator, got a table whose integers"
                f" would need more than {_mebibytes(allowed)}"
            )
    return common


def _mebibytes(bits: int) -> str:
    return f"{bits / 2**23:,.0f} MiB"


def digit_count(integer: int) -> int:
    """The number of decimal digits of a positive integer of any size, at most one too many.

    Python refuses to print integers of more than some thousand digits.

    >>> digit_count(1), digit_count(999), digit_count(10**5000)
    (1, 3, 5001)
    """
    fewest = (integer.bit_length() - 1) * 30103 // 100000  # log 2 = 0.30103
    more: int = 10 ** (fewest + 1)
    return fewest + 2 if integer >= more else fewest + 1


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
    return str(Decimal(f"{digits}E-{places}"))


def short_numeral(value: Fraction) -> str:
    """A decimal where that is short, otherwise what ``shown`` writes.

    >>> short_numeral(Fraction(3, 10)), short_numeral(Fraction(1, 10**20) / 3)
    ('0.3', '1/300000000000000000000')
    """
    printable = max(value.numerator, value.denominator) < _LIMIT  # Python prints no longer ones
    decimal = numeral(value) if printable else ""
    return decimal if 0 < len(decimal) <= 15 else shown(value)


def six_digits(value: Fraction | float) -> str:
    """A number in print: exactly if that is short, otherwise rounded to six digits.

    Integers are short up to 15 digits, decimals up to 6, and fractions up to 7 characters.

    >>> six_digits(Fraction(3, 10)), six_digits(Fraction(1, 3)), six_digits(Fraction(123457, 7))
    ('0.3', '1/3', '17636.7')
    >>> six_digits(0.1 + 0.2), six_digits(Fraction(7) ** 1000)
    ('0.3', '≈1.25326e+845')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    if max(value.numerator, value.denominator) < 10**15:
        text = numeral(value)
        digits = text.partition("E")[0].replace(".", "").lstrip("0")
        if value.denominator == 1 or len(digits) <= (7 if "/" in text else 6):
            return text
    if 2**-900 < value < 2**900:
        return f"{float(value):.6g}"
    return shown(value)


def measured_or_exact(value: Fraction, measured: bool) -> Fraction | float:
    """A value to show: a measured one as the float which it is, an exact one as it is.

    >>> measured_or_exact(Fraction(0.3), True), measured_or_exact(Fraction(3, 10), True)
    (0.3, Fraction(3, 10))
    """
    is_float = measured and value.denominator & (value.denominator - 1) == 0
    is_float = is_float and value.denominator <= 1 << 1074 and value.numerator < 1 << 1000
    return float(value) if is_float and Fraction(float(value)) == value else value


def shown(value: Fraction) -> str:
    """A rational as people read it: exact if that is short, otherwise its magnitude.

    >>> shown(Fraction(1, 4)), shown(Fraction(7) ** 100)
    ('1/4', '≈3.23448e+84')
    """
    if max(value.numerator, value.denominator) < 10**60:
        return str(value)
    magnitude = log(value) / math.log(10)
    exponent = math.floor(magnitude)
    mantissa = f"{10 ** (magnitude - exponent):.5f}"
    return f"≈1.00000e{exponent + 1:+d}" if mantissa == "10.00000" else f"≈{mantissa}e{exponent:+d}"


def log(value: Fraction) -> float:
    """The natural logarithm of a positive rational of any size.

    >>> round(log(Fraction(10) ** 1000), 3)
    2302.585
    """
    return math.log(value.numerator) - math.log(value.denominator)
