"""Columns of data tables, whatever library they come from.

A table may be a mapping from names to columns, a list of rows that are mappings, the cursor of an
SQL query (DB-API 2.0), or a data frame of any library that narwhals knows: pandas, polars,
PyArrow, DuckDB and more.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.names import checked_name


@dataclass(frozen=True, eq=False)
class Column:
    """A column as numbers of its distinct values: value i of row r is ``values[codes[r]]``.

    ``values``: distinct, as text, in the order they first come. ``codes``: int64 (rows,), -1 where
    there is no value.
    """

    values: tuple[str, ...]
    codes: NDArray[np.int64]


def columns_of(table: object) -> dict[str, list[Any]]:
    """The columns of a table by name, as lists of Python values of equal length."""
    found = _columns(table)
    lengths = {name: len(values) for name, values in found.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"expected columns of equal length, got {lengths}")
    return found


def _columns(table: object) -> dict[str, list[Any]]:
    if isinstance(table, Mapping):
        return {checked_name(name): list(values) for name, values in table.items()}
    if hasattr(table, "fetchall") and hasattr(table, "description"):
        return _of_cursor(table)
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        return _of_rows(table)
    return _of_frame(table)


def _of_cursor(cursor: Any) -> dict[str, list[Any]]:
    if cursor.description is None:
        raise InputError("expected the cursor of a query, got one that returns no rows")
    names = [checked_name(entry[0]) for entry in cursor.description]
    if len(set(names)) < len(names):
        raise InputError(f"expected columns of different names, got {', '.join(names)}")
    rows = cursor.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = list(rows[0]) if rows else []
    for number, row in enumerate(rows):
        if list(row) != names and set(row) != set(names):
            raise InputError(f"row {number}: expected columns {names}, got {list(row)}")
    return {checked_name(name): [row[name] for row in rows] for name in names}


def _of_frame(table: Any) -> dict[str, list[Any]]:
    try:
        import narwhals as nw
    except ImportError:
        problem = "data frames need narwhals: pip install 'liftgraph[frames]'"
        raise InputError(problem) from None
    try:
        frame = nw.from_native(table)
    except TypeError:
        expected = "a data frame, a mapping of columns, rows as mappings or an SQL cursor"
        raise InputError(f"expected {expected}, got {shortened(repr(table))}") from None
    except nw.exceptions.NarwhalsError as error:
        raise InputError(" ".join(str(error).split())) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {checked_name(name): eager[name].to_list() for name in eager.columns}


def column(values: Iterable[object]) -> Column:
    """A column of values, each as text; integers, truth values and whole floats as ever.

    A float that is no integer has no states or individuals to name, so it is refused.

    >>> column(["b", "a", None, "b", True, 2.0])
    Column(values=('b', 'a', 'true', '2'), codes=array([ 0,  1, -1,  0,  2,  3]))
    """
    known: dict[object, int] = {}
    texts: dict[str, int] = {}
    codes: list[int] = []
    for value in values:
        key = (type(value), value) if isinstance(value, Hashable) else as_text(value)
        if key not in known:
            known[key] = -1 if missing(value) else texts.setdefault(as_text(value), len(texts))
        codes.append(known[key])
    return Column(tuple(texts), np.array(codes, dtype=np.int64))


def missing(value: object) -> bool:
    """Whether this is what libraries have in place of a value: None, NaN, NaT, NA."""
    if isinstance(value, str):
        return False
    return value is None or type(value).__name__ in ("NAType", "NaTType") or _is_nan(value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float | np.floating | Decimal) and math.isnan(value)


def as_text(value: object) -> str:
    """What a value is called as a state or an individual."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        if not float(value).is_integer():
            raise InputError(f"expected names or integers, got the float {value}")
        return str(int(value))
    if not isinstance(value, Hashable):
        raise InputError(f"expected names or integers, got {shortened(repr(value))}")
    return checked_name(str(value))
