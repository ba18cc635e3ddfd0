"""Values as users write them: potentials or lists of numbers, scopes as rows of integers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, pairwise, product
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import States, state_index
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


def rows_by_state(written: Mapping[Any, Any], variables: Sequence[tuple[str, States]]) -> list[Any]:
    """The numbers of a distribution that is written by states, in their order, in one list.

    ``variables``: names and states of the parents, and of the child last. Keys are states of a
    parent, or tuples of several parents' states; a row is a list, or numbers by state.

    >>> rows_by_state({"no": [1, 9], "yes": {"b": 4, "a": 6}}, [("A", ("yes", "no")), ("B", "ab")])
    [6, 4, 1, 9]
    """
    *parents, (child, states) = variables
    if not parents:
        return _in_order(written, variables)
    numbers = []
    for place, row in zip(_places(parents), _in_order(written, parents), strict=True):
        listed = _in_order(row, [(child, states)]) if isinstance(row, Mapping) else [*row]
        if len(listed) != len(states):
            expected = f"{len(states)} numbers for {in_states(parents, place)}"
            raise InputError(f"expected {expected}, got {len(listed)}")
        numbers += listed
    return numbers


def _places(variables: Sequence[tuple[str, States]]) -> product[tuple[int, ...]]:
    return product(*[range(len(states)) for _, states in variables])


def _in_order(written: Mapping[Any, Any], variables: Sequence[tuple[str, States]]) -> list[Any]:
    """The values by states of these variables, one for each combination, the last one fastest."""
    values: dict[tuple[int, ...], Any] = {}
    for key, value in written.items():
        names = key if isinstance(key, tuple) and len(variables) > 1 else (key,)
        if len(names) != len(variables):
            expected = f"states of {', '.join(name for name, _ in variables)}"
            raise InputError(f"expected {expected}, got {quoted(key)}")
        pairs = zip(variables, names, strict=True)
        place = tuple([state_index(name, states, state) for (name, states), state in pairs])
        if place in values:
            raise InputError(f"expected {in_states(variables, place)} once, got it twice")
        values[place] = value
    places = [*_places(variables)]
    if missing := [place for place in places if place not in values]:
        raise InputError(f"expected numbers for {in_states(variables, missing[0])}, got none")
    return [values[place] for place in places]


def in_states(variables: Sequence[tuple[str, States]], place: Sequence[int]) -> str:
    """Variables in states, as text.

    >>> in_states([("A", ("yes", "no")), ("B", ("0", "1"))], (1, 0))
    'A = no, B = 0'
    """
    pairs = zip(variables, place, strict=True)
    return ", ".join([f"{name} = {states[state]}" for (name, states), state in pairs])
