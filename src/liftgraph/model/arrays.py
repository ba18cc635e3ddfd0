"""Arrays: data that has them and is frozen, inverse permutations, numbers in mixed radix, and
pieces of long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

NO_INDICES: NDArray[np.int32] = np.empty(0, np.int32)
PIECE = 1 << 13
Number = TypeVar("Number", int, NDArray[np.int64])


class FrozenArrays:
    """The base of frozen dataclasses with arrays, which are compared by value and read-only, also
    in copies."""

    def __post_init__(self) -> None:
        for value in vars(self).values():  # the fields: nothing else is set yet
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _values(self)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        compared = [field.name for field in fields(cast(Any, self)) if field.compare]
        pairs = [(getattr(self, name), getattr(other, name)) for name in compared]
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


def _values(instance: Any) -> tuple[Any, ...]:
    return tuple([getattr(instance, field.name) for field in fields(instance)])


def inverse(permutation: NDArray[Any]) -> NDArray[np.int32]:
    """The place of each number in a permutation of 0, 1, 2, …, int32. Precondition: below 2**31.

    >>> inverse(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    places = np.empty(len(permutation), dtype=np.int32)
    places[permutation] = np.arange(len(permutation), dtype=np.int32)
    return places


def places_type(arguments: int) -> type[np.integer[Any]]:
    """The type of places among this many arguments: int8 if it can number them, else int32."""
    return np.int8 if arguments < 2**7 else np.int32


def codes(columns: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Rows of digits as numbers in mixed radix, the last digit fastest; int64 (m,).

    Precondition: there is a column for each size, or there are no sizes (then a single code).
    """
    total = np.zeros(len(columns[0]) if columns else 1, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        total *= size
        total += column
    return total


def digits(number: Number, sizes: Sequence[int]) -> list[Number]:
    """The digits of a number, or of an array of them, in mixed radix, the last digit fastest.

    ``numpy.unravel_index`` is wrong beyond 8,192 entries if the last axis has length one.
    Precondition: numbers are below the product of the sizes.

    >>> digits(5, (2, 3)), [column.tolist() for column in digits(np.array([[0], [4]]), (2, 3))]
    ([1, 2], [[[0], [1]], [[0], [1]]])
    """
    columns: list[Number] = []
    for size in reversed(sizes[1:]):
        rest = number // size
        columns.append(number - rest * size)
        number = rest
    if sizes:
        columns.append(number)
    return columns[::-1]


def pieces(count: int, size: int = PIECE) -> Iterator[slice]:
    """The places below a count, a piece at a time: what is made of each piece takes little memory.

    >>> [*pieces(5, 2)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(first, min(first + size, count)) for first in range(0, count, size))
