"""The name of a table's value as a state or an individual, and which values are missing."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from liftgraph.errors import InputError
from liftgraph.exact import limited, numeral, rational, shortened
from liftgraph.model.ground.names import checked_name


def missing(value: object) -> bool:
    """Whether this stands for a missing value in some library: None, NaN, NaT, NA."""
    if isinstance(value, str):
        return False
    return value is None or type(value).__name__ in ("NAType", "NaTType") or _is_nan(value)


def _is_nan(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def has_name(value: object) -> bool:
    """Whether a value is missing or has a name."""
    try:
        return missing(value) or bool(as_text(value))
    except InputError:
        return False


def as_text(value: object) -> str:
    """The name of a value as a state or an individual; equal numbers have the same name.

    >>> as_text(True), as_text(7.0), as_text(Decimal("7.00")), as_text(Decimal("0.50"))
    ('true', '7', '7', '0.5')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return _float_text(np.float64(value) if isinstance(value, float) else value)
    if isinstance(value, Decimal):
        return "-" * (value < 0) + numeral(rational(value.copy_abs()))
    if isinstance(value, int):
        limited(Fraction(abs(value)))
    if not isinstance(value, Hashable) or isinstance(value, bytes | tuple):
        raise not_a_name(value)
    return checked_name(str(value))


def _float_text(value: np.floating[Any]) -> str:
    """The name of a float that is an integer.

    A large float is refused: several integers may have been rounded to it.
    """
    if not value.is_integer():
        raise InputError(f"expected names or integers, got the float {value}")
    digits = np.finfo(value).nmant + 1
    if abs(value) >= 2.0**digits:
        problem = f"integers of 2^{digits} or more are rounded in floats, got {value}"
        raise InputError(f"expected names or integers: {problem}")
    return str(int(value))


def not_a_name(value: object) -> InputError:
    """The refusal of a value that cannot be a name."""
    return InputError(f"expected names or integers, got {quoted(value)}")


def quoted(value: object) -> str:
    """A value as an error message shows it: in one line."""
    return shortened(" ".join(repr(value).split()))
