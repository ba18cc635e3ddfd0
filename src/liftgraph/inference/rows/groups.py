"""Rows of observations, and their groups: those that observe the same variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.rows.distinct import distinct_rows
from liftgraph.model.ground.names import States
from liftgraph.semiring.protocol import Integers


class Variable(NamedTuple):
    """A variable by its name in the model, and its states."""

    name: str
    states: States


@dataclass(frozen=True)
class Observations:
    """Rows of observations of the ``variables``.

    ``states``: int32 (variables, rows), the indices of states, -1 where a value is missing.
    Precondition: the model itself observes none of the variables.
    """

    variables: Sequence[Variable]
    states: NDArray[np.int32]

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return int(self.states.shape[1])


@dataclass(frozen=True)
class Group:
    """Rows that observe the same ``variables``, or rows of few: some of them, each.

    ``states``: int32 (variables, rows), -1 where a value is missing. ``rows``: int64 (rows,), which
    rows of all observations they are.
    """

    variables: Sequence[Variable]
    states: NDArray[np.int32]
    rows: Integers

    @cached_property
    def everywhere(self) -> NDArray[np.bool_]:
        """Which of the variables are observed in all rows."""
        return np.asarray((self.states >= 0).all(axis=1))

    def distinct(self, columns: Sequence[int]) -> tuple[Integers, Integers]:
        """The distinct states of the variables in these columns, (kinds, columns), and the kind
        of each row."""
        sizes = [len(self.variables[column].states) + 1 for column in columns]
        first, kind = distinct_rows([self.states[c] + 1 for c in columns], sizes, len(self.rows))
        return self.states[np.array(columns, np.int64)[:, None], first].T.astype(np.int64), kind


def groups(observations: Observations) -> list[Group]:
    """The groups of rows with the same variables observed."""
    present = observations.states >= 0
    kind = distinct_rows([*present], [2] * len(present), observations.row_count).kind
    order = np.argsort(kind, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(kind[order])) + 1)
    return [group_of(observations, rows) for rows in parts if len(rows)]


def group_of(observations: Observations, rows: Integers) -> Group:
    """The group of some rows, whatever they observe."""
    states = observations.states[:, rows]
    columns = np.flatnonzero((states >= 0).any(axis=1))
    variables = [observations.variables[column] for column in columns.tolist()]
    return Group(variables, states[columns], rows)
