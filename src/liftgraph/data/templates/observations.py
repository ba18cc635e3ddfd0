"""What tables say of the states of variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from liftgraph.data.columns import Column
from liftgraph.data.templates.individuals import (
    Mentions,
    Numbers,
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

VALUE = "value"  # what a column of states is called, unless it is called like the PRV


@dataclass(frozen=True, eq=False)
class Observations:
    """States of a PRV's variables that a table has.

    ``states``: int64 (rows,), the index of the state; -1 where there is none.
    """

    prv: PRV
    individuals: Mentions
    states: Numbers

    @property
    def where(self) -> str:
        """What the table is, for people."""
        return self.individuals.where


def observations(
    prv: PRV, table: Mapping[str, Any], columns: Sequence[str] | None = None
) -> Observations:
    """The states that a table has for the variables of a PRV.

    ``columns``: that of each logvar and that of the states; without, they are called like the
    logvars, and like the PRV or ``value``.
    """
    where = f"evidence on {prv.name}"
    own = [logvar.name for logvar in prv.logvars]
    listed = [*own, _column_of_states(where, prv, table)] if columns is None else list(columns)
    if len(listed) != len(own) + 1:
        expected = f"columns for {', '.join([*own, 'the state'])}"
        raise InputError(f"{where}: expected {expected}, got {', '.join(listed) or 'none'}")
    found = named_column(where, table, listed[-1])
    domains = [logvar.domain for logvar in prv.logvars]
    individuals = mentions(where, table, listed[:-1], domains)
    return Observations(prv, individuals, _states(where, prv, found))


def _column_of_states(where: str, prv: PRV, table: Mapping[str, Any]) -> str:
    """What the column of states is called, if nobody says so."""
    if table and not {prv.name, VALUE} & {*table}:
        came = shortened(", ".join(table))
        raise InputError(f"{where}: expected a column {prv.name} or {VALUE}, got {came}")
    return prv.name if prv.name in table else VALUE


def _states(where: str, prv: PRV, found: Column) -> Numbers:
    index = [-1]  # of the last value: what is missing
    for number, value in enumerate(found.values):
        try:
            index.insert(number, state_index(prv.name, prv.states, value))
        except InputError as error:
            row = int(np.argmax(found.codes == number))
            raise InputError(f"{where}, row {row}: {error}") from None
    return np.array(index, dtype=np.int64)[found.codes]


def observed(prv: PRV, given: Observations, columns: Sequence[Numbers]) -> Iterator[Numbers]:
    """The individuals and states that were observed, each variable once: int64 (k,) each.

    They come in lexicographic order.
    ``prv``: with its domains known; ``columns``: int64 (rows,), the individuals by number.
    """
    known = np.flatnonzero(given.states >= 0)
    _check_exist(prv, given, columns, known)
    states = given.states[known]
    own = sorted_sets(prv.pattern, [column[known] for column in columns])
    codes = row_codes(own) if own else np.zeros_like(known)
    first, place = np.unique(codes, return_index=True, return_inverse=True)[1:]
    differing = np.flatnonzero(states != states[first][place])
    if len(differing):
        again, before = differing[0], first[place[differing[0]]]
        named = _named(prv, own, before)
        both = " and ".join(prv.states[states[each]] for each in (before, again))
        rows = f"rows {known[before]} and {known[again]}"
        raise InputError(f"{given.where}: expected one state for {named}, got {both} in {rows}")
    for column in (*own, states):
        yield column[first]


def _check_exist(prv: PRV, given: Observations, columns: Sequence[Numbers], known: Numbers) -> None:
    own = dict(zip(prv.logvars, columns, strict=True))
    for each in prv.constraints:
        for a, b in combinations(constrained(each), 2):
            same = known[own[a][known] == own[b][known]]
            if len(same):
                came = _named(prv, columns, same[0])
                problem = f"{prv.name} needs {a.name} ≠ {b.name}, got {came}"
                raise InputError(f"{given.where}, row {same[0]}: {problem}")


def _named(prv: PRV, columns: Sequence[Numbers], row: int) -> str:
    pairs = zip(prv.logvars, columns, strict=True)
    parts = (logvar.domain.individual(int(column[row])) for logvar, column in pairs)
    return ".".join((prv.name, *parts))
