"""Exact numbers from text and back."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import gcd, isqrt, log2, log10, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from liftgraph import InputError
from liftgraph.exact import (
    BITS_IN_ALL,
    BITS_PER_INTEGER,
    MAX_DIGITS,
    common_scale,
    digit_count,
    measured_or_exact,
    numeral,
    parse_rational,
    rational,
    shown,
)


@given(st.fractions(min_value=0))
@example(Fraction(10) ** -300)
@example(Fraction(1, 2**13_000))
@example(Fraction(10) ** 3_999)
def test_a_numeral_reads_back_as_its_value(value: Fraction) -> None:
    assert parse_rational(numeral(value)) == value


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False))
def test_decimal_text_is_exact(value: Decimal) -> None:
    if abs(value.adjusted()) < MAX_DIGITS:
        assert parse_rational(str(value)) == Fraction(value) == rational(value)


@given(st.floats(0, allow_nan=False, allow_infinity=False))
def test_a_float_is_taken_as_it_is(value: float) -> None:
    assert rational(value) == Fraction(value) == parse_rational(numeral(Fraction(value)))


@given(st.lists(st.fractions(min_value=0), min_size=1))
def test_common_scale_gives_coprime_integers(values: list[Fraction]) -> None:
    integers, scale = common_scale(values)
    assert [integer * scale for integer in integers] == values
    assert scale > 0
    assert gcd(*integers) == (1 if any(values) else 0)


def powers_of_primes(count: int, digits: int) -> list[Fraction]:
    """Fractions with coprime denominators of about this many digits."""
    odd = range(3, 30 * count, 2)
    primes = [p for p in odd if all(p % q for q in range(3, isqrt(p) + 1, 2))][:count]
    return [Fraction(1, prime ** int(digits / log10(prime))) for prime in primes]


def test_no_integer_longer_than_the_values_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    values = powers_of_primes(20, 1000)
    lengths: list[int] = []

    def counted(*integers: int) -> int:
        lengths.extend(integer.bit_length() for integer in integers)
        return gcd(*integers)

    with monkeypatch.context() as patched:
        patched.setattr("math.gcd", counted)
        integers, scale = common_scale(values)
    assert [integer * scale for integer in integers] == values
    short = max(value.denominator.bit_length() for value in values)
    assert sum(length > short for length in lengths) <= 1  # the scale's denominator


@pytest.mark.parametrize("digits", [200, 1500])
def test_a_common_denominator_that_would_fill_the_memory_is_refused(digits: int) -> None:
    count = isqrt(int(BITS_IN_ALL / (digits * log2(10)))) + 10
    values = powers_of_primes(count, digits)
    with pytest.raises(InputError, match=r"whose integers would need more than 8 MiB"):
        common_scale(values)
    half = values[: count // 2]
    assert common_scale(half)[1].denominator == prod(value.denominator for value in half)


def test_far_apart_numbers_are_refused_where_they_are_many() -> None:
    for count, refused in ((20, False), (3000, True)):
        large = [Fraction(10**3990 + number) for number in range(count)]
        small = [Fraction(number + 1, 10**3990) for number in range(count)]
        if refused:
            with pytest.raises(InputError, match="short common denominator"):
                common_scale([*large, *small])
        else:
            integers, scale = common_scale([*large, *small])
            assert [integer * scale for integer in integers] == [*large, *small]


def test_every_table_of_floats_is_short_enough() -> None:
    widest = rational(1.7976931348623157e308) / rational(5e-324)
    assert widest.numerator.bit_length() < BITS_PER_INTEGER


def test_the_number_of_digits_is_not_printed() -> None:
    for exponent in (0, 1, 15, 300, 6000):
        assert digit_count(10**exponent) == exponent + 1
        assert exponent <= digit_count(10**exponent - 1 or 1) <= exponent + 1


def test_a_power_of_ten_is_shown_with_one_digit_before_the_point() -> None:
    assert [shown(Fraction(10) ** power) for power in (7980, -7980)] == [
        "≈1.00000e+7980",
        "≈1.00000e-7980",
    ]


NOT_NUMBERS = (
    ["", ".", "+", "e5", "1e", "-1", "1.2.3", "1/2/3", "1.5/2", "1/0", "1/-2", "1 2", "1_000"]
    + ["nan", "inf", "0x10", "٣", "1e5000", "1e9999999999", "9" * 4_001, "1/" + "9" * 4_001]
)  # fmt: skip


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a"):
        parse_rational(text)


@pytest.mark.parametrize(
    "value", [-1, -0.5, float("nan"), float("inf"), None, "x", 1j, Decimal("NaN")]
)
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="expected a non-negative number"):
        rational(value)


@pytest.mark.parametrize(
    "value", [np.int8(3), np.uint64(3), True + 2, Fraction(3), "3.0", np.float32(3)]
)
def test_numbers_of_all_kinds_are_accepted(value: object) -> None:
    assert rational(value) == 3


@pytest.mark.parametrize("one", [True, np.True_])
def test_truth_values_are_numbers(one: object) -> None:
    assert rational(one) == 1


def test_a_long_word_is_refused_in_linear_time() -> None:
    for text in ("9" * 300_000 + "x", "1/" + "9" * 300_000 + "x", "." + "9" * 300_000 + "e"):
        with pytest.raises(InputError, match="expected a"):
            parse_rational(text)


@given(st.floats(min_value=0, max_value=1e9))
@example(0.1)
@example(1 / 3)
@example(5e-324)
def test_measured_values_are_shown_as_floats_and_others_exactly(value: float) -> None:
    assert repr(measured_or_exact(Fraction(value), True)) == repr(value)
    assert measured_or_exact(Fraction(value), False) == Fraction(value)
    third = Fraction(value) / 3 + Fraction(1, 3)
    if third.denominator % 3 == 0:
        assert measured_or_exact(third, True) == third
