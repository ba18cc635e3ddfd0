"""Factors as data frames: a column for each argument, and one for the potentials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.factors import all_factors, factor_floats, without_evidence
from liftgraph.data.columns import Column, column, columns_of
from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import numeral, shortened
from liftgraph.model.answers.frames import combinations, data_frame
from liftgraph.model.arrays import digits
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States, state_names
from liftgraph.model.ground.table import Table

Missing = Literal["error", "zero"]
_MOST_ENTRIES = 1 << 24  # larger tables are probably data, not potentials


def from_frames(
    frames: Iterable[Any],
    *,
    value: str = "potential",
    states: Mapping[str, Sequence[str] | int] | None = None,
    missing: Missing = "error",
    decimals: bool = False,
) -> FactorGraph:
    """The factor graph of data frames, one for each factor, with a row for each combination.

    ``frames``: data frames of any library, mappings of columns, lists of rows or SQL cursors. The
    column ``value`` has the potentials, all others have the states of variables. ``states``: the
    states of variables in their order, or how many there are; other variables have the states in
    their columns, in the order of appearance. ``missing``: a combination without a row is an
    error, or has the potential zero. ``decimals``: floats stand for the decimals which they print
    as, and are not measured values.

    >>> graph = from_frames([{"Epid": ["yes", "no"], "potential": ["0.1", "0.9"]}])
    >>> graph.query("Epid", exact=True).exact["yes"]
    Fraction(1, 10)
    """
    if missing not in ("error", "zero"):
        raise InputError(f"expected missing to be error or zero, got {missing!r}")
    factors = [_columns(frame, value, index) for index, frame in enumerate(_listed(frames))]
    given_states = {name: state_names(names) for name, names in (states or {}).items()}
    seen_states = _all_states([arguments for arguments, _ in factors])
    variables = given_states | seen_states | given_states  # given ones first
    builder = FactorGraphBuilder()
    for name, names in variables.items():
        if not names:
            raise InputError(f"{name}: expected states, got none in any row")
        builder.add_variable(name, names)
    for index, (arguments, values) in enumerate(factors):
        try:
            state_sets = [variables[name] for name in arguments]
            table = _table([*arguments.items()], values, state_sets, missing, decimals)
        except InputError as error:
            raise InputError(f"frame {index}: {error}") from None
        builder.add_factor([*arguments], table)
    return builder.build()


def _listed(frames: Any) -> list[Any]:
    """The frames in a list; a single frame is refused, not taken for a list of columns or rows."""
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


def _columns(frame: Any, value: str, index: int) -> tuple[dict[str, Column], list[Any]]:
    """The arguments of a factor as columns of states, and its potentials."""
    try:
        columns = columns_of(frame)
        if value not in columns:
            names = ", ".join(columns) or "none"
            raise InputError(f"expected a column {value} of potentials, got {names}")
        values = columns.pop(value)
        arguments = {name: column(entries) for name, entries in columns.items()}
        for name, states in arguments.items():
            if (states.codes < 0).any():
                raise InputError(f"column {name}: expected a state in every row, got none in some")
    except InputError as error:
        raise InputError(f"frame {index}: {error}") from None
    return arguments, values


def _all_states(tables: Iterable[Mapping[str, Column]]) -> dict[str, States]:
    """The states of each variable in all frames, in the order of appearance."""
    states: dict[str, dict[str, None]] = {}
    for arguments in tables:
        for name, entries in arguments.items():
            states.setdefault(name, {}).update(dict.fromkeys(entries.values))
    return {name: tuple(names) for name, names in states.items()}


def _table(
    arguments: Sequence[tuple[str, Column]],
    values: Sequence[Any],
    state_sets: Sequence[States],
    missing: Missing,
    decimals: bool,
) -> Table:
    """The table with the potential of each row at the states of the row."""
    sizes = [len(states) for states in state_sets]
    if math.prod(sizes) > _MOST_ENTRIES:
        raise InputError(
            f"expected at most {_MOST_ENTRIES:,} entries, got {format_count(math.prod(sizes))}"
        )
    rows = np.zeros(len(values), dtype=np.int64)
    for (name, entries), states in zip(arguments, state_sets, strict=True):
        rows = rows * len(states) + _codes(name, entries, states)
    times = np.bincount(rows, minlength=math.prod(sizes))
    if (times > 1).any():
        raise InputError(
            f"expected one row for {_first_named(times > 1, arguments, state_sets)}, got more"
        )
    if missing == "error" and (times == 0).any():
        expected = f"a row for {_first_named(times == 0, arguments, state_sets)}"
        raise InputError(f"expected {expected}, got none (missing='zero' makes it zero)")
    flat = np.zeros(len(times), dtype=object)
    flat[rows] = [_potential(value, decimals) for value in values]
    return Table.of(flat, sizes)


def _codes(name: str, entries: Column, states: States) -> NDArray[np.int64]:
    """The index of each row's state among the states of the variable."""
    indices = {state: index for index, state in enumerate(states)}
    unknown = [state for state in entries.values if state not in indices]
    if unknown:
        expected = f"states of {name} ({', '.join(states[:20])})"
        raise InputError(f"column {name}: expected {expected}, got {unknown[0]}")
    return np.array([indices[state] for state in entries.values], dtype=np.int64)[entries.codes]


def _first_named(
    marked: NDArray[np.bool_], arguments: Sequence[tuple[str, Column]], state_sets: Sequence[States]
) -> str:
    """The first of the marked combinations of states, by name."""
    combination = digits(int(marked.argmax()), [len(states) for states in state_sets])
    pairs = zip(arguments, state_sets, combination, strict=True)
    return ", ".join(f"{name}={states[s]}" for (name, _), states, s in pairs) or "no variables"


def _potential(value: Any, decimals: bool) -> Any:
    return str(value) if decimals and isinstance(value, float | np.floating) else value


def to_frames(
    graph: FactorGraph, backend: str = "pandas", *, value: str = "potential", exact: bool = False
) -> list[Any]:
    """A data frame of pandas, polars or PyArrow for each factor, with a row for each combination.

    The column ``value`` has the potentials as floats (one beyond their range is an error), or as
    exact numerals in text: ``from_frames`` reads both. A variable without factors gets a frame of
    ones. Frames cannot hold evidence: a graph with evidence is an error.
    """
    graph = without_evidence(graph, "data frames")
    frames = []
    for scope, table in all_factors(graph):
        states = {graph.name(variable): graph.states(variable) for variable in scope}
        columns = combinations(states, value)
        if exact:
            columns[value] = _numerals(table)
        else:
            columns[value] = factor_floats(graph, scope, table).ravel()
        frames.append(data_frame(columns, backend))
    return frames


def _numerals(table: Table) -> list[str]:
    return [numeral(integer * table.scale) for integer in table.integers.ravel().tolist()]
