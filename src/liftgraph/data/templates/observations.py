"""What tables say about the states of variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from liftgraph.data.columns import Column
from liftgraph.data.templates.individuals import (
    Indices,
    Mentions,
    mentions,
    named_column,
    row_codes,
)
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.names import state_index
from liftgraph.model.lifted.instances import sorted_sets
from liftgraph.model.lifted.logvars import constrained
from liftgraph.model.lifted.parfactor import PRV

VALUE = "value"  # the name of a column of states, unless it is named after the PRV


@dataclass(frozen=True, eq=False)
class ObservedStates:
    """States of a PRV's variables in a table.

    ``states``: int64 (rows,), the index of the state; -1 where there is none.
    """

    prv: PRV
    individuals: Mentions
    states: Indices

    @property
    def where(self) -> str:
        """What the table is, for error messages."""
        return self.individuals.where


def observations(
    prv: PRV, table: Mapping[str, Any], columns: Sequence[str] | None = None
) -> ObservedStates:
    """The states that a table has for the variables of a PRV.

    ``columns``: that of each logvar and that of the states; by default they are named after the
    logvars, and after the PRV or ``value``.
    """
    where = f"evidence on {prv.name}"
    listed = observed_columns(where, prv, table, columns)
    values = named_column(where, table, listed[-1])
    domains = [logvar.domain for logvar in prv.logvars]
    individuals = mentions(where, table, listed[:-1], domains)
    return ObservedStates(prv, individuals, _states(where, prv, values))


def observed_columns(
    where: str, prv: PRV, table: Collection[str], columns: Sequence[str] | None
) -> list[str]:
    """The names of the columns of a PRV's logvars, and that of its states.

    ``table``: the names of all columns; ``columns``: the names that were given, if any.
    """
    names = [logvar.name for logvar in prv.logvars]
    listed = [*names, _column_of_states(where, prv, table)] if columns is None else list(columns)
    if len(listed) != len(names) + 1:
        expected = f"columns for {', '.join([*names, 'the state'])}"
        raise InputError(f"{where}: expected {expected}, got {', '.join(listed) or 'none'}")
    return listed


def _column_of_states(where: str, prv: PRV, table: Collection[str]) -> str:
    """The name of the column of states, if it is not given."""
    if table and not {prv.name, VALUE} & {*table}:
        came = shortened(", ".join(table))
        raise InputError(f"{where}: expected a column {prv.name} or {VALUE}, got {came}")
    return prv.name if prv.name in table else VALUE


def _states(where: str, prv: PRV, values: Column) -> Indices:
    """The state of each row; code -1, a missing value, looks up the last entry, which is -1."""
    state_of_code = []
    for code, value in enumerate(values.values):
        try:
            state_of_code.append(state_index(prv.name, prv.states, value))
        except InputError as error:
            row = int(np.argmax(values.codes == code))
            raise InputError(f"{where}, row {row}: {error}") from None
    return np.array([*state_of_code, -1], dtype=np.int64)[values.codes]


def observed(prv: PRV, table: ObservedStates, columns: Sequence[Indices]) -> Iterator[Indices]:
    """The individuals and states that were observed, each variable once: int64 (k,) each.

    They come in lexicographic order.
    ``prv``: with closed domains; ``columns``: int64 (rows,), the indices of the individuals.
    """
    rows = np.flatnonzero(table.states >= 0)
    _check_exist(prv, table, columns, rows)
    states = table.states[rows]
    individuals = sorted_sets(prv.pattern, [column[rows] for column in columns])
    codes = row_codes(individuals) if individuals else np.zeros_like(rows)
    first, place = np.unique(codes, return_index=True, return_inverse=True)[1:]
    differing = np.flatnonzero(states != states[first][place])
    if len(differing):
        again, before = differing[0], first[place[differing[0]]]
        name = _named(prv, individuals, before)
        both = " and ".join(prv.states[states[observation]] for observation in (before, again))
        came = f"{both} in rows {rows[before]} and {rows[again]}"
        raise InputError(f"{table.where}: expected one state for {name}, got {came}")
    for column in (*individuals, states):
        yield column[first]


def _check_exist(
    prv: PRV, table: ObservedStates, columns: Sequence[Indices], rows: Indices
) -> None:
    """Refuse rows about variables that the constraints of a PRV rule out."""
    column_of = dict(zip(prv.logvars, columns, strict=True))
    for constraint in prv.constraints:
        for first, second in combinations(constrained(constraint), 2):
            same = rows[column_of[first][rows] == column_of[second][rows]]
            if len(same):
                came = _named(prv, columns, same[0])
                problem = f"{prv.name} needs {first.name} ≠ {second.name}, got {came}"
                raise InputError(f"{table.where}, row {same[0]}: {problem}")


def _named(prv: PRV, columns: Sequence[Indices], row: int) -> str:
    pairs = zip(prv.logvars, columns, strict=True)
    parts = (logvar.domain.individual(int(column[row])) for logvar, column in pairs)
    return ".".join((prv.name, *parts))
