"""Numbers in mixed radix, whatever the shape of their arrays."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liftgraph.model.arrays import codes, digits

MANY = 9000  # NumPy's iterators work through 8,192 entries at a time
SHAPES = [(MANY, 1), (MANY,), (1, MANY), (2, MANY, 1), (MANY, 1, 1), (MANY, 2)]
VIEWS: list[Callable[[NDArray[np.int64]], NDArray[np.int64]]] = [
    lambda numbers: numbers,
    lambda numbers: np.repeat(numbers, 2, axis=0)[::2],
    lambda numbers: np.ascontiguousarray(numbers.T).T,
]


def naive_digits(number: int, sizes: list[int]) -> list[int]:
    """The digits of a number in mixed radix, one after the other."""
    found: list[int] = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        found.insert(0, digit)
    return found


def differs(columns: Any, numbers: NDArray[np.int64], sizes: list[int]) -> bool:
    expected = np.array([naive_digits(number, sizes) for number in numbers.ravel().tolist()])
    listed = np.reshape([np.asarray(column) for column in columns], (len(sizes), -1)).T
    return not np.array_equal(listed, expected)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_digits_where_numpy_may_be_wrong(
    shape: tuple[int, ...],
    view: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    record_property: Callable[[str, object], None],
) -> None:
    """``numpy.unravel_index`` is wrong beyond 8,192 entries where the last axis has length one:
    in NumPy 2.3 and 2.4 always, in 2.0 to 2.2 if the array is not contiguous (NumPy's issue 31980).
    """
    sizes = [3, 1, 5]
    numbers = view(np.random.default_rng(1).integers(0, prod(sizes), shape))
    columns = digits(numbers, sizes)
    assert [column.shape for column in columns] == [shape] * len(sizes)
    assert not differs(columns, numbers, sizes)
    wrong = differs(np.unravel_index(numbers, sizes), numbers, sizes)  # noqa: TID251
    record_property(f"numpy.unravel_index of NumPy {np.__version__} is wrong", wrong)


@given(st.lists(st.integers(1, 6), max_size=5), st.data())
def test_codes_and_digits_are_inverse(sizes: list[int], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, prod(sizes) - 1), min_size=1))
    columns = digits(np.array(numbers), sizes)
    rows = [list(row) for row in zip(*map(np.ndarray.tolist, columns), strict=True)]
    assert rows == [naive_digits(number, sizes) for number in numbers if sizes]
    if sizes:
        assert codes(columns, sizes).tolist() == numbers
    assert [digits(number, sizes) for number in numbers] == [
        naive_digits(n, sizes) for n in numbers
    ]
