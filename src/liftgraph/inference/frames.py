"""Answers as columns, and columns as data frames of pandas, polars or PyArrow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import limited
from liftgraph.inference.query import Marginal, Marginals
from liftgraph.model.ground.names import States

_CONSTRUCTORS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def data_frame(columns: dict[str, Any], backend: str) -> Any:
    """Columns of equal length as a data frame of a library, which must be installed."""
    if backend not in _CONSTRUCTORS:
        raise InputError(f"expected a backend of {', '.join(_CONSTRUCTORS)}, got {backend!r}")
    return getattr(library(backend), _CONSTRUCTORS[backend])(columns)


def library(name: str) -> Any:
    """A library of data frames, which must be installed."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"this needs {name}: pip install {name}") from None


def combinations(states: Mapping[str, States], *others: str) -> dict[str, Any]:
    """All combinations of states, a column for each variable; the last one changes fastest.

    ``others``: columns that are to come beside them, so that no variable may be called like one.

    >>> combinations({"A": ("x", "y"), "B": ("0", "1")}, "potential")
    {'A': ['x', 'x', 'y', 'y'], 'B': ['0', '1', '0', '1']}
    """
    for other in others:
        if other in states:
            raise InputError(f"expected variables not called {other} like a column, got one")
    before, after = 1, math.prod(map(len, states.values()))
    columns: dict[str, Any] = {}
    for name, names in states.items():
        after //= len(names)
        columns[name] = [state for state in names for _ in range(after)] * before
        before *= len(names)
    return columns


def marginal_columns(answer: Marginal) -> dict[str, Any]:
    """A column for each variable, and the probabilities."""
    states = dict(zip(answer.variables, answer.states, strict=True))
    columns: dict[str, Any] = {"probability": answer.probabilities.ravel()}
    if answer.fractions is not None:
        columns["exact"] = _texts(answer.fractions.ravel())
    return combinations(states, *columns) | columns


def marginals_columns(answer: Marginals) -> dict[str, Any]:
    """Variables, their states and the probabilities, variable after variable."""
    group = answer.group.tolist()
    rows = [answer.distributions[number] for number in group]
    named = zip(answer.names, rows, strict=True)
    exact = [_texts(each.fractions) for each in answer.distributions if each.fractions is not None]
    columns: dict[str, Any] = {
        "variable": [name for name, each in named for _ in each.states],
        "state": [state for each in rows for state in each.states],
        "probability": np.concatenate([np.empty(0), *(each.probabilities for each in rows)]),
    }
    if exact:
        columns["exact"] = [text for number in group for text in exact[number]]
    return columns


def _texts(fractions: NDArray[Any]) -> list[str]:
    return [str(limited(Fraction(each))) for each in fractions.tolist()]
