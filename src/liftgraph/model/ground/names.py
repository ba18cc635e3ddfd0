"""Names of variables and states: what may be a name, which one is meant, and what is close to it.

States are found by name wherever one is written: in evidence, events, counts, tables and files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from numbers import Integral
from typing import TypeGuard

import numpy as np

from liftgraph.display import counted, did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened

States = tuple[str, ...]
BOOLEAN: States = ("true", "false")
MAX_STATES = 1 << 20  # of a variable
_WHOLE = re.compile(r"(-?\d+)\.0+", re.ASCII)
_SHOWN = 5  # how many variables are named if none is close


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


def find_state(states: States, state: object) -> int:
    """The index of a state given by name, -1 if there is none; truth values and integers stand for
    their text.

    Capital letters matter only where they tell states apart, and so does .0 behind an integer:
    columns of integers with gaps become floats. A missing value (None, NaN) is no state, not even
    one that is called so.

    >>> find_state(("true", "false"), "False"), find_state(("True", "False"), True)
    (1, 0)
    >>> find_state(("a", "A"), "A"), find_state(("Ab", "aB"), "ab"), find_state(("0", "1"), 1.0)
    (1, -1, 1)
    """
    if state is None or (isinstance(state, float) and isnan(state)):
        return -1
    text = state_text(state)
    if text in states:
        return states.index(text)
    folded = text.casefold()
    alike = [place for place, name in enumerate(states) if name.casefold() == folded]
    if not alike and (whole := _WHOLE.fullmatch(text)) and whole[1] in states:
        return states.index(whole[1])
    return alike[0] if len(alike) == 1 else -1


def state_text(state: object) -> str:
    """The name of a state as it is written: text, an integer or a truth value."""
    if isinstance(state, bool | np.bool_):
        return str(state).lower()
    return quoted(int(state)) if is_count(state) else str(state)


def state_index(name: str, states: States, state: object) -> int:
    """The index of a state of a variable, given by name; refused if there is none."""
    index = find_state(states, state)
    if index < 0:
        text, dots = state_text(state), ", …" * (len(states) > 20)
        expected = f"a state of {name} ({', '.join(states[:20])}{dots})"
        raise InputError(f"expected {expected}, got {text}{did_you_mean(text, states)}")
    return index


def unknown_variable(name: object, names: Sequence[str] | None, count: int) -> InputError:
    """The error for a variable that does not exist, with the one that was probably meant.

    ``names``: some names of variables, or None where every variable is called by its index.
    ``count``: how many variables there are.
    """
    if refusal := getattr(type(name), "refusal", ""):  # of counts and their events
        return InputError(f"expected a variable, got {name}: {refusal}")
    hint = did_you_mean(str(name), names or (), quote=not isinstance(name, str))
    if not hint:
        first = map(str, range(min(_SHOWN, count))) if names is None else names[:_SHOWN]
        listed = [*first, *["…"] * (count > _SHOWN)]
        colon = f": {', '.join(listed)}" if listed else ""
        hint = f" (the model has {counted(count, 'variable')}{colon})"
    return InputError(f"expected a variable, got {quoted(name)}{hint}")
