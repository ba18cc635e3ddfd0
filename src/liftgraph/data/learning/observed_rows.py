"""All sources as one table of states, with equal rows put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.counting import state_of_code
from liftgraph.data.learning.learnt import RowCounts, Scope
from liftgraph.data.learning.sources import View, coded, row_weights
from liftgraph.display import counted
from liftgraph.inference.rows.distinct import distinct_rows
from liftgraph.inference.rows.stacks import Structure
from liftgraph.model.ground.names import States
from liftgraph.model.memory_limit import beyond_limit

_EXACT_FLOATS = 2**53


@dataclass(frozen=True, eq=False)
class ObservedRows:
    """Distinct rows of observations, and how often each was observed.

    ``states``: int32 (variables, rows), -1 where a value is missing. ``weights``: exactly, (rows,),
    int64 or Python's integers and fractions.
    """

    states: NDArray[np.int32]
    weights: NDArray[Any]


def check_rows(views: Sequence[View], structure: Structure, memory_limit: int) -> None:
    """Refuse tables whose states, one for each variable and row, need too much memory."""
    rows = sum([view.table.native.rows for view in views])
    needed = rows * structure.row_bytes
    if needed > memory_limit:
        variables = counted(len(structure.sizes), "variable")
        reason = f"there are {counted(rows, 'row')} of {variables}"
        raise beyond_limit("needs", needed, memory_limit, reason)


def all_rows(
    views: Sequence[View], variables: Sequence[str], states_of: Mapping[str, States]
) -> tuple[list[NDArray[np.int32]], list[NDArray[Any]]]:
    """The states in each source, (variables, rows), and how often each row was observed."""
    tables, weights = list[NDArray[np.int32]](), list[NDArray[Any]]()
    for view in views:
        states = np.full((len(variables), view.table.native.rows), -1, dtype=np.int32)
        for place, variable in enumerate(variables):
            if variable in view.columns:
                codes = coded(view, view.columns[variable]).codes
                index = state_of_code(view, variable, states_of[variable])
                index[-1] = -1
                states[place] = index[codes]
        tables.append(states)
        own = row_weights(view)
        if own is None:
            weights.append(np.ones(states.shape[1], dtype=np.int64))
        else:
            weights.append(np.array([*own.values, 0], dtype=object)[own.codes])
    return tables, weights


def put_together(
    tables: Sequence[NDArray[np.int32]], weights: Sequence[NDArray[Any]], sizes: Sequence[int]
) -> ObservedRows:
    """Equal rows of all sources as one; those with weight zero are left out."""
    states = np.concatenate(tables, axis=1)
    each = np.concatenate(weights)
    first, kind = distinct_rows([*(states + 1)], [size + 1 for size in sizes], states.shape[1])
    total = added_up(kind, each, len(first))
    kept = total != 0
    return ObservedRows(states[:, first[kept]], total[kept])


def added_up(places: NDArray[np.int64], weights: NDArray[Any], size: int) -> NDArray[Any]:
    """The sum of the weights at each place, exactly, (size,)."""
    if weights.dtype != object and int(weights.sum()) < _EXACT_FLOATS:
        return np.bincount(places, weights=weights, minlength=size).astype(np.int64)
    totals: list[int | Fraction] = [0] * size
    for place, weight in zip(places.tolist(), weights.tolist(), strict=True):
        totals[place] += weight
    return np.array(totals, dtype=object)


def rows_of_scope(
    scope: Scope,
    variables: Sequence[str],
    views: Sequence[View],
    tables: Sequence[NDArray[np.int32]],
) -> tuple[RowCounts, ...]:
    """How many rows of each source observe all of a scope, and how many do not."""
    places = [variables.index(variable) for variable in scope]
    listed: list[RowCounts] = []
    for view, states in zip(views, tables, strict=True):
        complete = int((states[places] >= 0).all(axis=0).sum())
        listed.append(RowCounts(view.name, complete, states.shape[1] - complete))
    return tuple(listed)
