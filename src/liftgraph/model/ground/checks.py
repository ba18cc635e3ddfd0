"""What must hold between scopes, tables and variables, checked on whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.ground.table import Potential

# The error for a problem with one row of the arrays: the caller knows where the row came from.
Failure = Callable[[int, str], InputError]
_FEW_ARGUMENTS = 8  # so that comparing all pairs of columns takes less than sorting rows


def check_scopes(scopes: NDArray[Any], variable_count: int, failure: Failure) -> None:
    """Refuse scopes with unknown or repeated variables.

    ``scopes``: integers (m, k), the variables of m factors with k arguments each.
    """
    if scopes.ndim != 2 or scopes.dtype.kind not in "iu":
        raise InputError(f"expected scopes as integers of shape (m, k), got {_described(scopes)}")
    if scopes.size and not (scopes.min() >= 0 and scopes.max() < variable_count):
        row, column = np.argwhere((scopes < 0) | (scopes >= variable_count))[0].tolist()
        variable = scopes[row, column]
        raise failure(row, f"expected a variable below {variable_count}, got {variable}")
    for first, second in _compared(scopes):
        repeated = first == second
        if repeated.any():
            row = int(repeated.argmax())
            raise failure(row, f"expected distinct variables, got {first[row]} twice")


def _compared(scopes: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of columns such that equal entries of a row are seen in one of them."""
    columns = scopes.T
    if len(columns) <= _FEW_ARGUMENTS:
        return combinations(columns, 2)
    return pairwise(np.sort(scopes, axis=1).T)


def check_table_ids(
    table_ids: NDArray[Any], scopes: NDArray[Any], tables: Sequence[Potential], failure: Failure
) -> None:
    """Refuse anything but one index of a table for each scope."""
    if table_ids.shape != scopes.shape[:1] or table_ids.dtype.kind not in "iu":
        expected = f"table ids as integers of shape ({len(scopes)},)"
        raise InputError(f"expected {expected}, got {_described(table_ids)}")
    if table_ids.size and not (table_ids.min() >= 0 and table_ids.max() < len(tables)):
        row = int(np.argmax((table_ids < 0) | (table_ids >= len(tables))))
        raise failure(row, f"expected a table below {len(tables)}, got {table_ids[row]}")


def check_shapes(
    scopes: NDArray[Any],
    table_ids: NDArray[Any],
    tables: Sequence[Potential],
    sizes: NDArray[np.int32],
    state_set_id: NDArray[np.int32],
    failure: Failure,
) -> None:
    """Refuse tables that do not fit their scope.

    Precondition: ``check_scopes`` and ``check_table_ids``, or one table id (1,) for all scopes.
    A variable v has ``sizes[state_set_id[v]]`` states.
    """
    arity = scopes.shape[1]
    used = np.flatnonzero(np.bincount(table_ids)) if len(scopes) else np.empty(0, np.int64)
    expected = np.zeros((1 + arity, len(tables)), dtype=np.int32)
    for table_id in used.tolist():
        shape = tables[table_id].shape
        expected[0, table_id] = len(shape)
        if len(shape) == arity:
            expected[1:, table_id] = shape
    # If there is one table, or one kind of variable, one comparison is enough for all rows.
    rows = table_ids if len(used) > 1 else used
    wrong = expected[0][rows] != arity
    for column in range(arity):
        variables = scopes[:, column] if len(sizes) > 1 else scopes[:1, column]
        wrong = wrong | (sizes[state_set_id[variables]] != expected[1 + column][rows])
    if wrong.any():
        row = int(np.argmax(wrong))
        cardinalities = tuple(sizes[state_set_id[scopes[row]]].tolist())
        shape = tables[int(np.broadcast_to(table_ids, len(scopes))[row])].shape
        raise failure(row, f"expected a table of shape {cardinalities}, got {shape}")


def _described(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"
