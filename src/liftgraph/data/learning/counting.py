"""How often each assignment of some variables was observed, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.data.learning.sources import RowWeights, View, coded, row_weights
from liftgraph.errors import InputError
from liftgraph.model.ground.names import States, find_state

MAX_ENTRIES = 1 << 24  # of a table that is counted


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each assignment was observed in a source.

    ``table``: one axis per variable; int64, or Python's integers and fractions if rows have
    weights. ``rows``: how many rows were counted; ``skipped``: how many lack one of the values.
    """

    table: NDArray[Any]
    rows: int
    skipped: int


_CountsKey = tuple[tuple[str, ...], tuple[States, ...], str | None]
# Factors of similar individuals count the same columns, one individual after the other.
_COUNTS: Memo[_CountsKey, Counts] = Memo("counts", most=1 << 16)


def counts(view: View, scope: Sequence[str], states: Sequence[States]) -> Counts:
    """Count the assignments of some variables in a source that observes all of them.

    ``states``: those of each variable in the scope. Scopes over the same columns are counted
    once.
    """
    columns = tuple(view.columns[variable] for variable in scope)
    key = columns, tuple(states), view.counts
    return _COUNTS.get(view.table.cache, key, lambda: _counts(view, scope, states))


def _counts(view: View, scope: Sequence[str], states: Sequence[States]) -> Counts:
    """Count codes; a missing value is one more state, the last, which is cut off in the end."""
    shape = tuple(len(names) + 1 for names in states)
    observed = tuple(slice(size - 1) for size in shape)
    cells = np.zeros(view.table.native.rows, dtype=np.int64)
    for variable, names, size in zip(scope, states, shape, strict=True):
        cells *= size
        cells += state_of_code(view, variable, names)[coded(view, view.columns[variable]).codes]
    rows_per_cell = np.bincount(cells, minlength=math.prod(shape))
    rows = rows_per_cell.reshape(shape)[observed]
    weights = row_weights(view)
    table = rows if weights is None else _totals(cells, shape, weights)[observed]
    used = int(rows.sum())
    return Counts(np.array(table), used, len(cells) - used)


def state_of_code(view: View, variable: str, states: States) -> NDArray[np.int64]:
    """The state that each code of a variable's column stands for; code -1 is the last."""
    name = view.columns[variable]
    column = coded(view, name)
    exact = {state: index for index, state in enumerate(states)}
    indices = [
        exact[value] if value in exact else find_state(states, value) for value in column.values
    ]
    if -1 in indices:
        code = indices.index(-1)
        row = int(np.argmax(column.codes == code))
        expected = f"a state of {variable} ({', '.join(states[:20])})"
        came = column.values[code]
        raise InputError(f"{view.name}, column {name}, row {row}: expected {expected}, got {came}")
    return np.array([*indices, len(states)], dtype=np.int64)


def _totals(cells: NDArray[np.int64], shape: tuple[int, ...], weights: RowWeights) -> NDArray[Any]:
    """The sum of the weights in each cell: rows of equal cell and weight are counted, then added.

    Sums never overflow, because they are Python integers and fractions.
    """
    pairs = cells * len(weights.values) + weights.codes
    pair_limit = math.prod(shape) * len(weights.values)
    if pair_limit <= 4 * len(cells):
        row_counts = np.bincount(pairs, minlength=pair_limit)
        distinct_pairs = np.flatnonzero(row_counts)
        row_counts = row_counts[distinct_pairs]
    else:
        distinct_pairs, row_counts = np.unique(pairs, return_counts=True)
    totals: list[int | Fraction] = [0] * math.prod(shape)
    for pair, rows in zip(distinct_pairs.tolist(), row_counts.tolist(), strict=True):
        cell, weight = divmod(pair, len(weights.values))
        totals[cell] += rows * weights.values[weight]
    return np.array(totals, dtype=object).reshape(shape)
