"""Columns as data frames of pandas, polars or PyArrow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, overload

from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import limited
from liftgraph.model.ground.names import States

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_CONSTRUCTORS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


class Framed(Protocol):
    """``to_frame`` of an answer: a data frame of the library that is named."""

    @overload
    def __call__(self, backend: Literal["pandas"] = ...) -> pandas.DataFrame: ...
    @overload
    def __call__(self, backend: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def __call__(self, backend: Literal["pyarrow"]) -> pyarrow.Table: ...
    @overload
    def __call__(self, backend: str) -> Any: ...


class _Method(Protocol):
    @overload
    def __get__(self, answer: None, owner: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, answer: object, owner: type) -> Framed: ...


def framed(method: Callable[[Any, str], Any]) -> _Method:
    """A method with the type that its backend decides."""
    return cast(_Method, method)


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

    ``others``: the names of further columns, which no variable may have.

    >>> combinations({"A": ("x", "y"), "B": ("0", "1")}, "potential")
    {'A': ['x', 'x', 'y', 'y'], 'B': ['0', '1', '0', '1']}
    """
    for other in others:
        if other in states:
            raise InputError(f"expected no variable with the name of the column {other}, got one")
    before, after = 1, math.prod(map(len, states.values()))
    columns: dict[str, Any] = {}
    for name, names in states.items():
        after //= len(names)
        columns[name] = [state for state in names for _ in range(after)] * before
        before *= len(names)
    return columns


def fraction_texts(fractions: NDArray[Any]) -> list[str]:
    """Fractions as text, so that data frames keep them exactly."""
    return [str(limited(Fraction(fraction))) for fraction in fractions.tolist()]
