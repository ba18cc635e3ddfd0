"""Names of variables and states, and what may be a name."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TypeGuard

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened

States = tuple[str, ...]
BOOLEAN: States = ("true", "false")
MAX_STATES = 1 << 20  # of a variable


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of any library; True and False do not count as numbers."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def default_index(name: str) -> int:
    """The index of a variable that is called by its index, -1 if this is not such a name.

    >>> default_index("12"), default_index("012"), default_index("x")
    (12, -1, -1)
    """
    plain = name.isascii() and name.isdecimal() and len(name) <= 18
    return int(name) if plain and str(int(name)) == name else -1


def state_names(states: object) -> States:
    """The states that a list of names, or a number of states, stands for.

    >>> state_names(3), state_names(["low", "high"])
    (('0', '1', '2'), ('low', 'high'))
    """
    if is_count(states) and 1 <= states <= MAX_STATES:
        return tuple(map(str, range(states)))
    if isinstance(states, Sequence) and not isinstance(states, str | bytes):
        names = tuple(map(checked_name, states))
        if 1 <= len(set(names)) == len(names) <= MAX_STATES:
            return names
    came = shortened(quoted(states))
    raise InputError(f"expected 1 to {MAX_STATES} distinct states or their number, got {came}")


def listed_names(names: object) -> list[str]:
    """The names in a list, each checked; a string is not a list of its letters."""
    if isinstance(names, Sequence | np.ndarray) and not isinstance(names, str | bytes):
        return [checked_name(name) for name in names]
    raise InputError(f"expected names or a number of variables, got {shortened(quoted(names))}")


def checked_name(name: object) -> str:
    """A name as plain text; lone surrogates cannot be written to a file."""
    if not isinstance(name, str) or not name:
        raise InputError(f"expected a name, got {shortened(quoted(name))}")
    if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InputError(f"expected a name in Unicode, got {name!r}")
    return str(name)


def state_index(name: str, states: States, state: object) -> int:
    """The index of a state given by name; integers and truth values stand for their text."""
    if isinstance(state, bool | np.bool_):
        text = str(state).lower()
    else:
        text = quoted(int(state)) if is_count(state) else str(state)
    if text not in states:
        raise InputError(f"expected a state of {name} ({', '.join(states[:20])}), got {text}")
    return states.index(text)
