"""Sources of data: tables of observations, and which of their columns observe which variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import GeneratorType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cached, Memo
from liftgraph.data.columns import Column, Columns, column, native_columns
from liftgraph.data.csv_tables import read_csv
from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.exact import rational, shortened


@dataclass(frozen=True, eq=False)
class Source:
    """A data table in which every row is an observation of some variables.

    ``table``: a data frame of any library, a mapping of columns, rows as mappings, an SQL cursor,
    or the name of a CSV file. Integers and Booleans stand for their text; None and NaN mean that
    there was no observation. ``columns``: for each variable, by name, the column which observes
    it; by default a column observes the variable of the same name. Several variables may have the
    same column.
    ``counts``: the column which says how often each row was observed (by default once): integers,
    fractions, or decimals as text.
    ``name``: what the source is called in reports and errors.
    """

    table: object
    columns: Mapping[str, str] | None = None
    counts: str | None = None
    name: str | None = None


@dataclass(frozen=True, eq=False)
class RowWeights:
    """How often each row was observed: ``values[codes[r]]`` times; ``codes``: int64 (rows,)."""

    values: tuple[int | Fraction, ...]
    codes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ObservationTable(Cached):
    """A table of observations; its cache holds what was computed from its columns.

    ``native``: its columns in the types of its library.
    """

    native: Columns


@dataclass(frozen=True, eq=False)
class View:
    """What a source observes: ``columns`` has the column of each variable.

    Several views may share a table.
    """

    name: str
    table: ObservationTable
    columns: Mapping[str, str]
    counts: str | None


# Factors share columns in any order, so all columns of a table are kept: a dropped column would be
# coded again for each factor. The limit is larger than the number of columns in practice.
_CODED_COLUMNS: Memo[str, Column] = Memo("coded columns", most=1 << 16)
_ROW_WEIGHTS: Memo[str, RowWeights] = Memo("row weights", most=16)
_LARGEST = 10**300  # of a count in floats: sums of some millions are finite


def read_sources(sources: object, variables: Set[str]) -> list[View]:
    """Read each table once, and only those columns that observe these variables.

    ``sources``: a source, a table by itself, or a list of them.
    """
    tables: list[tuple[object, ObservationTable]] = []  # a cursor yields its rows only once
    views: dict[str, View] = {}
    for position, source in enumerate(_checked(sources), 1):
        name = source.name or _default_name(source, position)
        if name in views:
            raise InputError(f"expected sources of different names, got {name} twice")
        table = next((read for given, read in tables if given is source.table), None)
        if table is None:
            table = _read(source.table, name)
            tables.append((source.table, table))
        views[name] = _view(source, name, table, variables)
    return list(views.values())


def _default_name(source: Source, position: int) -> str:
    is_file = isinstance(source.table, str | Path)
    return str(source.table) if is_file else f"source {position}"


def _checked(sources: object) -> list[Source]:
    """A source, a table by itself, or a list of them."""
    is_listed = isinstance(sources, list | tuple) or type(sources) is GeneratorType
    listed: list[Any] = [*cast(Iterable[Any], sources)] if is_listed else [sources]
    if listed and all(isinstance(row, Mapping) for row in listed):
        listed = [listed if is_listed else sources]  # the rows of one table
    if not listed:
        raise InputError("expected at least one source, got none")
    return [_checked_source(one) if isinstance(one, Source) else Source(one) for one in listed]


def _checked_source(source: Source) -> Source:
    if not isinstance(source.name, str | None):
        raise InputError(f"expected the name of a source, got {shortened(repr(source.name))}")
    if not isinstance(source.columns, Mapping | None):
        came = shortened(repr(source.columns))
        raise InputError(f"expected the column of each variable as a mapping, got {came}")
    return source


def _read(table: object, name: str) -> ObservationTable:
    content = read_csv(table) if isinstance(table, str | Path) else table
    try:
        return ObservationTable(native_columns(content))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _view(source: Source, name: str, table: ObservationTable, variables: Set[str]) -> View:
    columns = source.columns
    if columns is None:
        columns = {name: name for name in table.native if name != source.counts}
    observing = {variable: columns[variable] for variable in columns if variable in variables}
    existing = set(table.native)
    for used in [*columns.values(), *([] if source.counts is None else [source.counts])]:
        if not isinstance(used, str) or used not in existing:
            listed = shortened(", ".join(table.native)) or "none"
            raise InputError(f"{name}: expected a column, got {used!r} (the columns are {listed})")
    return View(name, table, observing, source.counts)


def observers(views: Iterable[View]) -> dict[str, list[View]]:
    """The sources that observe each variable."""
    views_of: dict[str, list[View]] = {}
    for view in views:
        for variable in view.columns:
            views_of.setdefault(variable, []).append(view)
    return views_of


def meant_column(variable: str, views: Iterable[View]) -> str:
    """The column that was probably meant by a variable that no source observes, as the end of a
    message."""
    unused = [name for view in views for name in view.table.native if name not in view.columns]
    return did_you_mean(variable, unused) if variable not in unused else ""


def coded(view: View, name: str) -> Column:
    """A column of a source as codes."""
    return _CODED_COLUMNS.get(view.table.cache, name, lambda: _coded(view, name))


def _coded(view: View, name: str) -> Column:
    try:
        return column(view.table.native[name])
    except InputError as error:
        raise InputError(f"{view.name}, column {name}: {error}") from None


def row_weights(view: View) -> RowWeights | None:
    """How often each row of a source was observed; None if every row was observed once."""
    name = view.counts
    if name is None:
        return None
    return _ROW_WEIGHTS.get(view.table.cache, name, lambda: _row_weights(view, name))


def table_weights(columns: Columns, counts: str | None) -> NDArray[np.float64]:
    """How often each row of a table was observed, float64 (rows,); ``counts``: the column."""
    if counts is None:
        return np.ones(columns.rows)
    if not isinstance(counts, str) or counts not in columns:
        listed = shortened(", ".join(columns)) or "none"
        expected = f"a column of counts (the columns are {listed})"
        raise InputError(f"expected {expected}, got {quoted(counts)}")
    weights = _row_weights(View("table", ObservationTable(columns), {}, counts), counts)
    return as_floats(np.array(weights.values, dtype=object), counts)[weights.codes]


def as_floats(counts: NDArray[Any], what: str) -> NDArray[np.float64]:
    """Exact counts as floats, whose sums must not be infinite. ``what``: in an error message."""
    if counts.dtype == object and (counts > _LARGEST).any():
        raise InputError(f"{what}: expected at most 1e300, got a larger number")
    return counts.astype(np.float64)


def row_total(table: object, counts: str | None) -> float:
    """How many rows of a table were observed in all; ``counts``: the column that says how often."""
    return float(table_weights(native_columns(table), counts).sum())


def _row_weights(view: View, name: str) -> RowWeights:
    try:
        numerals = coded(view, name)
    except InputError as error:
        problem = "counts are integers, fractions, or decimals as text"
        raise InputError(f"{error} ({problem})") from None
    if (numerals.codes < 0).any():
        raise _not_a_weight(view, name, -1, "expected a count, got none")
    values: list[int | Fraction] = []
    for code, text in enumerate(numerals.values):
        try:
            value = rational(text)
        except InputError as error:
            raise _not_a_weight(view, name, code, str(error)) from None
        values.append(value.numerator if value.denominator == 1 else value)
    return RowWeights(tuple(values), numerals.codes)


def _not_a_weight(view: View, name: str, code: int, problem: str) -> InputError:
    row = int(np.argmax(coded(view, name).codes == code))
    return InputError(f"{view.name}, column {name}, row {row}: {problem}")
