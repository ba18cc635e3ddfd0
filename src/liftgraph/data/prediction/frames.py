"""Predictions as columns, in the library that the rows came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.inference.rows.groups import Variable
from liftgraph.inference.rows.predictions import Predictions


def prediction_columns(
    asked: Sequence[Variable],
    predicted: Predictions,
    compared: Sequence[NDArray[np.int32] | None],
) -> dict[str, list[Any]]:
    """For each variable, its most probable state in each row, and the probability of each state;
    then the states that were observed, if there are any to compare with.

    Rows that are not possible have None. ``compared``: for each variable, the index of the state
    that each row observes, -1 where it is missing.
    """
    columns: dict[str, list[Any]] = {}
    for variable, shares, observed in zip(asked, predicted.probabilities, compared, strict=True):
        states = np.array(variable.states, dtype=object)[shares.argmax(axis=1)]
        new = {variable.name: _present(states, predicted.possible)}
        for state, share in zip(variable.states, shares.T, strict=True):
            new[f"P({variable.name}={state})"] = _present(share, predicted.possible)
        if observed is not None:
            named = np.array([*variable.states, None], dtype=object)
            new[observed_name(variable.name)] = named[observed].tolist()
        if twice := sorted(new.keys() & columns.keys()):
            raise InputError(f"expected variables whose columns differ, got {twice[0]} twice")
        columns |= new
    return columns


def observed_name(variable: str) -> str:
    """The column of the states of a predicted variable that were observed."""
    return f"{variable} observed"


def check_names(asked: Sequence[Variable]) -> None:
    """Refuse variables whose predictions have columns of the same name."""
    nothing = [np.zeros((0, len(variable.states))) for variable in asked]
    no_rows = [np.zeros(0, dtype=np.int32)] * len(asked)
    prediction_columns(asked, Predictions(nothing, np.zeros(0, dtype=np.bool_)), no_rows)


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
    names = [variable.name for variable in asked]
    states = {*names, *map(observed_name, names)}
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
