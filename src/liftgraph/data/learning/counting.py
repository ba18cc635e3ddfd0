"""How often each assignment of some variables was observed, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.sources import View, Weights, coded, weights
from liftgraph.errors import InputError
from liftgraph.model.ground.names import States

MAX_ENTRIES = 1 << 24  # of a table that is counted


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each assignment was observed in a source.

    ``table``: one axis per variable; int64, or Python's integers and fractions if rows have
    weights. ``rows``: how many rows that are; ``skipped``: how many lack one of the values.
    """

    table: NDArray[Any]
    rows: int
    skipped: int


def counts(view: View, scope: Sequence[str], states: Sequence[States]) -> Counts:
    """Count the assignments of some variables in a source that observes all of them.

    ``states``: of each variable in the scope. Scopes that look at the same columns are counted
    once.
    """
    columns = tuple(view.columns[variable] for variable in scope)
    memo, key = view.observations.memo, (columns, tuple(states), view.counts)
    if key not in memo:
        memo[key] = _counts(view, scope, states)
    found: Counts = memo[key]
    return found


def _counts(view: View, scope: Sequence[str], states: Sequence[States]) -> Counts:
    """A missing value is one more state, the last, which is cut off in the end."""
    shape = tuple(len(each) + 1 for each in states)
    observed = tuple(slice(size - 1) for size in shape)
    cells = np.zeros(view.observations.native.rows, dtype=np.int64)
    for variable, names, size in zip(scope, states, shape, strict=True):
        cells *= size
        cells += _state_of(view, variable, names)[coded(view, view.columns[variable]).codes]
    per_cell = np.bincount(cells, minlength=math.prod(shape))
    rows = per_cell.reshape(shape)[observed]
    weighted = weights(view)
    table = rows if weighted is None else _totals(cells, shape, weighted)[observed]
    used = int(rows.sum())
    return Counts(np.array(table), used, len(cells) - used)


def _state_of(view: View, variable: str, states: States) -> NDArray[np.int64]:
    """The state that each code of a variable's column stands for; code -1 is the last."""
    name = view.columns[variable]
    column = coded(view, name)
    index = {state: number for number, state in enumerate(states)}
    unknown = [code for code, value in enumerate(column.values) if value not in index]
    if unknown:
        row = int(np.argmax(column.codes == unknown[0]))
        known, came = ", ".join(states[:20]), column.values[unknown[0]]
        raise InputError(
            f"{view.name}, column {name}, row {row}: expected a state of {variable} ({known}),"
            f" got {came}"
        )
    return np.array([*(index[value] for value in column.values), len(states)], dtype=np.int64)


def _totals(cells: NDArray[np.int64], shape: tuple[int, ...], weighted: Weights) -> NDArray[Any]:
    """The sum of the weights in each cell: rows of equal cell and weight are counted, then added.

    Floats do not come into it, so that no sum is too large.
    """
    pairs = cells * len(weighted.values) + weighted.codes
    possible = math.prod(shape) * len(weighted.values)
    if possible <= 4 * len(cells):
        number = np.bincount(pairs, minlength=possible)
        distinct = np.flatnonzero(number)
        number = number[distinct]
    else:
        distinct, number = np.unique(pairs, return_counts=True)
    totals: list[int | Fraction] = [0] * math.prod(shape)
    for pair, count in zip(distinct.tolist(), number.tolist(), strict=True):
        cell, weight = divmod(pair, len(weighted.values))
        totals[cell] += count * weighted.values[weight]
    return np.array(totals, dtype=object).reshape(shape)
