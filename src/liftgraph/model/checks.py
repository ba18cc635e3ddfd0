"""What must hold between scopes, tables and variables, checked on whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.table import Table

# The error for a problem with one row of the arrays: whoever checks knows where the row came from.
Failure = Callable[[int, str], InputError]


def check_scopes(scopes: NDArray[Any], variable_count: int, failure: Failure) -> None:
    """Refuse scopes with unknown or repeated variables.

    ``scopes``: integers (m, k), the variables of m factors with k arguments each.
    """
    if scopes.ndim != 2 or scopes.dtype.kind not in "iu":
        raise InputError(f"expected scopes as integers of shape (m, k), got {_described(scopes)}")
    if scopes.size and not (scopes.min() >= 0 and scopes.max() < variable_count):
        row, column = np.argwhere((scopes < 0) | (scopes >= variable_count))[0].tolist()
        came = scopes[row, column]
        raise failure(row, f"expected a variable below {variable_count}, got {came}")
    for i, j in combinations(range(scopes.shape[1]), 2):
        repeated = scopes[:, i] == scopes[:, j]
        if repeated.any():
            row = int(repeated.argmax())
            raise failure(row, f"expected distinct variables, got {scopes[row, i]} twice")


def check_shapes(
    scopes: NDArray[Any],
    table_ids: NDArray[Any],
    tables: Sequence[Table],
    sizes: NDArray[np.int64],
    state_set_id: NDArray[np.int32],
    failure: Failure,
) -> None:
    """Refuse table numbers that do not exist and tables that do not fit their scope.

    Precondition: ``check_scopes``. ``table_ids``: integers (m,); a variable v has
    ``sizes[state_set_id[v]]`` states.
    """
    if table_ids.shape != scopes.shape[:1] or table_ids.dtype.kind not in "iu":
        expected = f"table ids as integers of shape ({len(scopes)},)"
        raise InputError(f"expected {expected}, got {_described(table_ids)}")
    if len(table_ids) == 0:
        return
    if not (table_ids.min() >= 0 and table_ids.max() < len(tables)):
        row = int(np.argmax((table_ids < 0) | (table_ids >= len(tables))))
        raise failure(row, f"expected a table below {len(tables)}, got {table_ids[row]}")
    _check_each_shape(scopes, table_ids, tables, sizes, state_set_id, failure)


def _check_each_shape(
    scopes: NDArray[Any],
    table_ids: NDArray[Any],
    tables: Sequence[Table],
    sizes: NDArray[np.int64],
    state_set_id: NDArray[np.int32],
    failure: Failure,
) -> None:
    arity = scopes.shape[1]
    used = np.flatnonzero(np.bincount(table_ids)).tolist()
    shapes = {number: tables[number].shape for number in used}
    if len(sizes) == 1 and set(shapes.values()) == {tuple(sizes.tolist()) * arity}:
        return  # one kind of variable and tables made for it
    expected = np.full((max(used) + 1, arity), -1, dtype=np.int64)
    for number, shape in shapes.items():
        if len(shape) == arity:
            expected[number] = shape
    wrong = (sizes[state_set_id[scopes]] != expected[table_ids]).any(axis=1)
    if arity == 0:
        wrong = np.array([shapes[number] != () for number in table_ids.tolist()])
    if wrong.any():
        row = int(wrong.argmax())
        wanted = tuple(sizes[state_set_id[scopes[row]]].tolist())
        came = shapes[int(table_ids[row])]
        raise failure(row, f"expected a table of shape {wanted}, got {came}")


def _described(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"
