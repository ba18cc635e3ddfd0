"""Tables from floats, and floats from tables: overflow and underflow are errors."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgraph.errors import InputError
from liftgraph.exact import shown
from liftgraph.model.ground.table import Table


def table_of_floats(values: ArrayLike, decimals: bool = False) -> Table:
    """The table of an array of floats: measured values, or the decimals that they print as.

    A float is exactly a multiple of a power of two. With ``decimals`` each float stands for the
    shortest decimal that reads as the same float, so that 0.1 is one tenth.

    >>> table_of_floats([0.1, 0.4], decimals=True)
    Table(2, [1 4] × 1/10)
    """
    array = np.asarray(values)
    if decimals and np.issubdtype(array.dtype, np.floating):
        array = array.astype(str)
    return Table.of(array)


def floats_of_table(table: Table, rescale: bool = False) -> NDArray[np.float64]:
    """The potentials of a table rounded to float64, one axis per argument.

    A potential beyond the range of floats is an error, and so is one too small to be rounded
    without losing digits. With ``rescale`` the table is divided by its largest potential first.

    >>> floats_of_table(Table.of(["1/3", "1e-400"]))
    Traceback (most recent call last):
    liftgraph.errors.InputError: expected potentials of 2.2e-308 to 1.8e+308, got ≈1.00000e-400
    """
    integers = table.integers.ravel().tolist()
    over, under = (1, max(*integers, 1)) if rescale else table.scale.as_integer_ratio()
    values = [_rounded(integer * over, under) for integer in integers]
    return np.array(values, dtype=np.float64).reshape(table.shape)


def _rounded(over: int, under: int) -> float:
    try:
        value = over / under
    except OverflowError:
        raise _beyond(Fraction(over, under)) from None
    if value < sys.float_info.min and Fraction(value) != Fraction(over, under):
        raise _beyond(Fraction(over, under))
    return value


def _beyond(value: Fraction) -> InputError:
    limits = f"{sys.float_info.min:.2g} to {sys.float_info.max:.2g}"
    return InputError(f"expected potentials of {limits}, got {shown(value)}")
