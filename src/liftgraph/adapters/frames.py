"""Factors as data frames: a column for each argument, and one of potentials or counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.factors import all_factors, factor_floats, without_evidence
from liftgraph.data.columns import Column, column, columns_of
from liftgraph.errors import InputError
from liftgraph.exact import numeral, shortened
from liftgraph.model.answers.frames import combinations, data_frame
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States, state_names
from liftgraph.model.ground.table import Table

Missing = Literal["error", "zero"]
_MOST_ENTRIES = 1 << 24  # of a table; one of more is likely to be data, not potentials


def from_frames(
    frames: Iterable[Any],
    *,
    value: str = "potential",
    states: Mapping[str, Sequence[str] | int] | None = None,
    missing: Missing = "error",
    decimals: bool = False,
) -> FactorGraph:
    """The factor graph of tables, one for each factor, with a row for each combination of states.

    ``frames``: data frames of any library, mappings of columns, lists of rows or SQL cursors. The
    column ``value`` has the potentials, all others are variables. ``states``: of variables, in
    order, as names or how many; of others they are those in the columns, in the order they first
    come. ``missing``: a combination without a row is an error, or has the potential zero.
    ``decimals``: floats are the decimals that they print as, not measured values.

    >>> graph = from_frames([{"Epid": ["yes", "no"], "potential": ["0.1", "0.9"]}])
    >>> graph.query("Epid", exact=True).exact["yes"]
    Fraction(1, 10)
    """
    if missing not in ("error", "zero"):
        raise InputError(f"expected missing error or zero, got {missing!r}")
    tables = [_columns(frame, value, place) for place, frame in enumerate(_listed(frames))]
    known = {name: state_names(given) for name, given in (states or {}).items()}
    found = _all_states([arguments for arguments, _ in tables])
    variables = known | found | known  # given ones first, and their states as given
    builder = FactorGraphBuilder()
    for name, names in variables.items():
        if not names:
            raise InputError(f"{name}: expected states, got none in any row")
        builder.add_variable(name, names)
    for place, (arguments, values) in enumerate(tables):
        try:
            sets = [variables[name] for name in arguments]
            table = _placed([*arguments.items()], values, sets, missing, decimals)
        except InputError as error:
            raise InputError(f"frame {place}: {error}") from None
        builder.add_factor([*arguments], table)
    return builder.build()


def _listed(frames: Any) -> list[Any]:
    """The frames in a list; a single one is no list of its columns or rows."""
    rows = isinstance(frames, Sequence) and all(
        isinstance(row, Mapping) and not any(map(_is_column, row.values())) for row in frames
    )
    if not isinstance(frames, Iterable):
        raise InputError(f"expected a list of frames, got {shortened(repr(frames))}")
    if isinstance(frames, Mapping | str) or hasattr(frames, "columns") or (rows and frames):
        raise InputError("expected a list of frames, one for each factor, got a single one")
    return list(frames)


def _is_column(values: object) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, str | bytes)


def _columns(frame: Any, value: str, place: int) -> tuple[dict[str, Column], list[Any]]:
    """The arguments of a factor as columns of states, and its potentials."""
    try:
        columns = columns_of(frame)
        if value not in columns:
            names = ", ".join(columns) or "none"
            raise InputError(f"expected a column {value} of potentials, got {names}")
        values = columns.pop(value)
        arguments = {name: column(entries) for name, entries in columns.items()}
        for name, each in arguments.items():
            if (each.codes < 0).any():
                raise InputError(f"column {name}: expected a state in every row, got none in some")
    except InputError as error:
        raise InputError(f"frame {place}: {error}") from None
    return arguments, values


def _all_states(tables: Iterable[Mapping[str, Column]]) -> dict[str, States]:
    """The states of each variable in the order they first come, whatever the frame."""
    found: dict[str, dict[str, None]] = {}
    for arguments in tables:
        for name, each in arguments.items():
            found.setdefault(name, {}).update(dict.fromkeys(each.values))
    return {name: tuple(states) for name, states in found.items()}


def _placed(
    arguments: Sequence[tuple[str, Column]],
    values: Sequence[Any],
    sets: Sequence[States],
    missing: Missing,
    decimals: bool,
) -> Table:
    """The table that has each row's potential at the place that its states say."""
    sizes = [len(states) for states in sets]
    if math.prod(sizes) > _MOST_ENTRIES:
        raise InputError(f"expected at most {_MOST_ENTRIES:,} entries, got {math.prod(sizes):,}")
    rows = np.zeros(len(values), dtype=np.int64)
    for (name, each), states in zip(arguments, sets, strict=True):
        rows = rows * len(states) + _codes(name, each, states)
    times = np.bincount(rows, minlength=math.prod(sizes))
    if (times > 1).any():
        raise InputError(f"expected one row for {_named(times > 1, arguments, sets)}, got more")
    if missing == "error" and (times == 0).any():
        expected = f"a row for {_named(times == 0, arguments, sets)}"
        raise InputError(f"expected {expected}, got none (missing='zero' takes it as zero)")
    flat = np.zeros(len(times), dtype=object)
    flat[rows] = [_potential(each, decimals) for each in values]
    return Table.of(flat, sizes)


def _codes(name: str, given: Column, states: States) -> NDArray[np.int64]:
    """The place of each row's state among the states of the variable."""
    places = {state: place for place, state in enumerate(states)}
    unknown = [each for each in given.values if each not in places]
    if unknown:
        expected = f"states of {name} ({', '.join(states[:20])})"
        raise InputError(f"column {name}: expected {expected}, got {unknown[0]}")
    return np.array([places[each] for each in given.values], dtype=np.int64)[given.codes]


def _named(
    which: NDArray[Any], arguments: Sequence[tuple[str, Any]], sets: Sequence[States]
) -> str:
    """The first of some combinations of states."""
    place = np.unravel_index(int(which.argmax()), [len(states) for states in sets])
    named = zip(arguments, sets, place, strict=True)
    return ", ".join(f"{name}={states[at]}" for (name, _), states, at in named) or "no variables"


def _potential(value: Any, decimals: bool) -> Any:
    return str(value) if decimals and isinstance(value, float | np.floating) else value


def to_frames(
    graph: FactorGraph, backend: str = "pandas", *, value: str = "potential", exact: bool = False
) -> list[Any]:
    """A data frame of pandas, polars or PyArrow for each factor, with a row for each combination.

    The column ``value`` has the potentials as floats (one beyond their range is an error), or as
    exact numerals in text: ``from_frames`` reads both. A variable without factors gets a frame of
    ones. Evidence has no place in frames: a graph with evidence is an error.
    """
    given = without_evidence(graph, "data frames")
    frames = []
    for scope, table in all_factors(given):
        states = {given.name(variable): given.states(variable) for variable in scope}
        columns = combinations(states, value)
        if exact:
            columns[value] = _numerals(table)
        else:
            columns[value] = factor_floats(given, scope, table).ravel()
        frames.append(data_frame(columns, backend))
    return frames


def _numerals(table: Table) -> list[str]:
    return [numeral(integer * table.scale) for integer in table.integers.ravel().tolist()]
