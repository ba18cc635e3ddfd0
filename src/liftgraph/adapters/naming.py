"""Names of variables and states: in other libraries they may be any objects, here they are text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.names import checked_name, is_count


def text(value: object) -> str:
    """The text of an object; truth values are in lower case, as everywhere.

    >>> text(True), text(3), text(("Sick", 1))
    ('true', '3', "('Sick', 1)")
    """
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def texts(values: Iterable[Hashable], what: str) -> dict[Hashable, str]:
    """The text of each object, by object; different objects with the same text are an error.

    >>> texts([1, "x"], "variables")
    {1: '1', 'x': 'x'}
    """
    names: dict[Hashable, str] = {}
    objects: dict[str, Hashable] = {}
    for value in values:
        try:
            name = checked_name(text(value))
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
        if objects.setdefault(name, value) != value:
            both = f"{shortened(repr(objects[name]))} and {shortened(repr(value))}"
            raise InputError(f"{what}: expected different names, got {both}, both called {name}")
        names[value] = name
    return names


def arranged(values: Sequence[Hashable]) -> list[Hashable]:
    """The same n objects, in an order in which each integer i < n among them has index i.

    Integers are variable indices in queries. So a variable that another library calls 2 must be
    the one with index 2 here.

    >>> arranged([2, "x", 0, 70])
    [0, 'x', 2, 70]
    """
    fixed = {int(value): value for value in values if is_count(value) and 0 <= value < len(values)}
    others = (value for value in values if not (is_count(value) and 0 <= value < len(values)))
    return [fixed[index] if index in fixed else next(others) for index in range(len(values))]
