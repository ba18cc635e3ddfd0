"""Names of variables and states that may be any objects elsewhere, and are text here."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.names import checked_name, is_count


def text(value: object) -> str:
    """What an object is called here; truth values as everywhere in lower case.

    >>> text(True), text(3), text(("Sick", 1))
    ('true', '3', "('Sick', 1)")
    """
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def texts(values: Iterable[Hashable], what: str) -> dict[Hashable, str]:
    """The name of each of some different objects; two with the same name are an error.

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
    """The same objects, in an order where the integer i is number i, if it is below their number.

    Integers are indices of variables here: a variable that is called 2 elsewhere must not be
    mistaken for another one if somebody asks for 2.

    >>> arranged([2, "x", 0, 70])
    [0, 'x', 2, 70]
    """
    numbered = {int(each): each for each in values if is_count(each) and 0 <= each < len(values)}
    others = (each for each in values if not (is_count(each) and 0 <= each < len(values)))
    return [numbered[place] if place in numbered else next(others) for place in range(len(values))]
