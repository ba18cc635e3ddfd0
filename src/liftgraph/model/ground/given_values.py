"""Values as users write them: potentials or lists of numbers, scopes as rows of integers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgraph.errors import InputError
from liftgraph.model.ground.table import Potential, Table

_EXACT_TYPES = {int, str, Fraction}


def is_potential(values: object) -> TypeGuard[Potential]:
    """Whether values are a potential; for lists and tables this is decided by type, quickly."""
    if isinstance(values, Table | list | tuple | np.ndarray):
        return isinstance(values, Table)
    return isinstance(values, Potential)


def array_of(numbers: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(numbers)
    except ValueError:
        raise InputError(f"expected {what} as rows of equal lengths") from None


def lookup_key(values: object, shape: tuple[int, ...]) -> object:
    """A key for lists of exact values, flat or nested as the shape says; None for anything else.

    Equal keys must mean equal tables, so no floats (1.0 is a measured value, 1 is not).
    """
    if type(values) is not list:
        return None
    rows: list[Any] = values
    if rows and type(rows[0]) is list:
        count = 1
        for outer, inner in pairwise(shape):
            count *= outer
            if [*map(type, rows)] != [list] * count or [*map(len, rows)] != [inner] * count:
                return None
            rows = [*chain.from_iterable(rows)]
    if len(rows) != math.prod(shape) or not _EXACT_TYPES.issuperset(map(type, rows)):
        return None
    return shape, *rows
