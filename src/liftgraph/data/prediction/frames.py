"""Predictions as columns, in the library that the rows came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.inference.rows.groups import Variable
from liftgraph.inference.rows.predictions import Predictions


def prediction_columns(asked: Sequence[Variable], predicted: Predictions) -> dict[str, list[Any]]:
    """For each variable, its most probable state in each row, and the probability of each state.

    Rows that are not possible have None.
    """
    columns: dict[str, list[Any]] = {}
    for variable, shares in zip(asked, predicted.probabilities, strict=True):
        states = np.array(variable.states, dtype=object)[shares.argmax(axis=1)]
        new = {variable.name: _present(states, predicted.possible)}
        for state, share in zip(variable.states, shares.T, strict=True):
            new[f"P({variable.name}={state})"] = _present(share, predicted.possible)
        if twice := sorted(new.keys() & columns.keys()):
            raise InputError(f"expected variables whose columns differ, got {twice[0]} twice")
        columns |= new
    return columns


def check_names(asked: Sequence[Variable]) -> None:
    """Refuse variables whose predictions have columns of the same name."""
    nothing = [np.zeros((0, len(variable.states))) for variable in asked]
    prediction_columns(asked, Predictions(nothing, np.zeros(0, dtype=np.bool_)))


def _present(values: NDArray[Any], possible: NDArray[np.bool_]) -> list[Any]:
    listed: list[Any] = values.tolist()
    for row in np.flatnonzero(~possible).tolist():
        listed[row] = None
    return listed


def like(table: Any, columns: dict[str, list[Any]], asked: Sequence[Variable]) -> Any:
    """Predictions as a table of the same kind as another: a data frame of its library, with its
    index; rows for rows; a mapping for anything else."""
    if isinstance(table, Sequence):
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(table, Mapping) or hasattr(table, "fetchall"):
        return columns
    import narwhals as nw

    frame = nw.from_native(table)
    backend = frame.implementation
    states = {variable.name for variable in asked}
    if backend.is_pandas_like():
        # A float for each probability, even where all rows are missing.
        typed = {n: v if n in states else np.array(v, np.float64) for n, v in columns.items()}
        made = nw.from_dict(typed, backend=backend).to_native()
        made.index = table.index
        return made
    if isinstance(frame, nw.LazyFrame) and not backend.is_polars():
        backend = nw.Implementation.PYARROW
    schema = {name: nw.String() if name in states else nw.Float64() for name in columns}
    return nw.from_dict(columns, schema, backend=backend).to_native()
