"""Exact numbers from text and back."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import gcd

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from liftgraph import InputError
from liftgraph.exact import MAX_DIGITS, common_scale, numeral, parse_rational, rational


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


def test_a_long_word_is_refused_in_linear_time() -> None:
    for text in ("9" * 300_000 + "x", "1/" + "9" * 300_000 + "x", "." + "9" * 300_000 + "e"):
        with pytest.raises(InputError, match="expected a"):
            parse_rational(text)
