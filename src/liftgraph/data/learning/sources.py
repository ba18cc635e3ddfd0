"""Sources of data: tables of observations, and which of their columns observe which variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.columns import Column, Columns, column, native_columns
from liftgraph.data.csv_tables import read_csv
from liftgraph.errors import InputError
from liftgraph.exact import rational, shortened


@dataclass(frozen=True, eq=False)
class Source:
    """A data table of which every row is an observation of some variables.

    ``table``: a data frame of any library, a mapping of columns, rows as mappings, an SQL cursor;
    or the name of a CSV file. Integers and truth values stand for
    their text; None and NaN say that there was no observation.
    ``columns``: the column that observes each variable, by the names of variables; by default a
    column observes the variable of its name. Several variables may have the same column.
    ``counts``: the column that tells how often each row was observed (otherwise once): integers,
    fractions, or decimals as text.
    ``name``: what the source is called in reports and errors.
    """

    table: object
    columns: Mapping[str, str] | None = None
    counts: str | None = None
    name: str | None = None


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each row was observed: ``values[codes[r]]`` times; ``codes``: int64 (rows,)."""

    values: tuple[int | Fraction, ...]
    codes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Observations:
    """The columns of a table, and what was worked out of them: ``memo``, by what that is."""

    native: Columns
    memo: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class View:
    """What a source observes: the column of each variable; several views may share observations."""

    name: str
    observations: Observations
    columns: Mapping[str, str]
    counts: str | None


def views(sources: Source | Iterable[Source], variables: Set[str]) -> list[View]:
    """Sources read: each table once, and of its columns those that observe these variables."""
    read: dict[int, Observations] = {}
    found: dict[str, View] = {}
    for number, source in enumerate(_checked(sources), 1):
        name = source.name or _default_name(source, number)
        if name in found:
            raise InputError(f"expected sources of different names, got {name} twice")
        if id(source.table) not in read:
            read[id(source.table)] = _observations(source.table, name)
        found[name] = _view(source, name, read[id(source.table)], variables)
    return list(found.values())


def _default_name(source: Source, number: int) -> str:
    is_file = isinstance(source.table, str | Path)
    return str(source.table) if is_file else f"source {number}"


def _checked(sources: object) -> list[Source]:
    listed: list[Any] = list(sources) if isinstance(sources, Iterable) else [sources]
    for source in listed:
        if not isinstance(source, Source):
            came = shortened(" ".join(repr(source).split()))
            raise InputError(f"expected sources such as Source(table), got {came}")
        if not isinstance(source.name, str | None):
            raise InputError(f"expected the name of a source, got {shortened(repr(source.name))}")
        if not isinstance(source.columns, Mapping | None):
            came = shortened(repr(source.columns))
            raise InputError(f"expected the column of each variable as a mapping, got {came}")
    return listed


def _observations(table: object, name: str) -> Observations:
    content = read_csv(table) if isinstance(table, str | Path) else table
    try:
        return Observations(native_columns(content))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _view(source: Source, name: str, read: Observations, variables: Set[str]) -> View:
    columns = source.columns
    if columns is None:
        columns = {each: each for each in read.native if each != source.counts}
    used = {variable: columns[variable] for variable in columns if variable in variables}
    known = set(read.native)
    for each in [*columns.values(), *([] if source.counts is None else [source.counts])]:
        if not isinstance(each, str) or each not in known:
            listed = shortened(", ".join(read.native)) or "none"
            raise InputError(f"{name}: expected a column, got {each!r} (the columns are {listed})")
    return View(name, read, used, source.counts)


def observers(seen: Iterable[View]) -> dict[str, list[View]]:
    """The sources that observe each variable."""
    found: dict[str, list[View]] = {}
    for view in seen:
        for variable in view.columns:
            found.setdefault(variable, []).append(view)
    return found


def coded(view: View, name: str) -> Column:
    """A column of a source as codes."""
    memo = view.observations.memo
    if name not in memo:
        try:
            memo[name] = column(view.observations.native[name])
        except InputError as error:
            raise InputError(f"{view.name}, column {name}: {error}") from None
    found: Column = memo[name]
    return found


def weights(view: View) -> Weights | None:
    """How often each row of a source was observed; None if once."""
    if view.counts is None:
        return None
    memo, key = view.observations.memo, ("weights", view.counts)
    if key not in memo:
        memo[key] = _weights(view, view.counts)
    found: Weights = memo[key]
    return found


def _weights(view: View, name: str) -> Weights:
    try:
        numerals = coded(view, name)
    except InputError as error:
        problem = "counts are integers, fractions, or decimals as text"
        raise InputError(f"{error} ({problem})") from None
    if (numerals.codes < 0).any():
        raise _no_weight(view, name, -1, "expected a count, got none")
    values: list[int | Fraction] = []
    for code, text in enumerate(numerals.values):
        try:
            value = rational(text)
        except InputError as error:
            raise _no_weight(view, name, code, str(error)) from None
        values.append(value.numerator if value.denominator == 1 else value)
    return Weights(tuple(values), numerals.codes)


def _no_weight(view: View, name: str, code: int, problem: str) -> InputError:
    row = int(np.argmax(coded(view, name).codes == code))
    return InputError(f"{view.name}, column {name}, row {row}: {problem}")
