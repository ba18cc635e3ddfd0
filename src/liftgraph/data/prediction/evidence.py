"""The rows of a table as observations of a model's variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.columns import Column, Columns, column
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.inference.methods import Model, find_variable
from liftgraph.inference.named_states import name_and_states, observed_state
from liftgraph.inference.rows.groups import Observations, Variable
from liftgraph.model.ground.names import find_state, listed_names, state_index

Compared = dict[object, NDArray[np.int32]]


def row_observations(
    model: Model, table: Columns, asked: Collection[object], ignored: object
) -> tuple[Observations, Compared]:
    """The states that rows observe, and those to compare predictions with.

    ``asked``: variables, as ``find_variable`` gives them. Every column that is not ``ignored``
    observes the variable of its name; those of asked ones are no evidence, but compared. A column
    of a variable that the model observes itself must agree with it.
    """
    variables: dict[Any, Variable] = {}
    observed, compared = list[NDArray[np.int32]](), Compared()
    for name in _evidence_columns(table, ignored):
        place = _variable(model, name)
        variable = Variable(*name_and_states(model, place))
        coded = _coded(table, name)
        states = _states(name, coded, variable)
        if place in variables or place in compared:
            raise InputError(f"expected one column for {variable.name}, got {name}, too")
        if place in asked:
            compared[place] = states
            continue
        own_state = observed_state(model, place, -1)
        if own_state >= 0:
            _check_agreement(name, states, variable, own_state)
            continue
        variables[place] = variable
        observed.append(states)
    stacked = np.array(observed, dtype=np.int32).reshape(len(observed), table.rows)
    return Observations([*variables.values()], stacked), compared


def _evidence_columns(table: Columns, ignored: object) -> Iterator[str]:
    names = {ignored} if isinstance(ignored, str) else {*listed_names(ignored)}
    if unknown := sorted(names - {*table}):
        listed = shortened(", ".join(table)) or "none"
        raise InputError(
            f"expected a column to ignore, got {quoted(unknown[0])} (the columns are {listed})"
        )
    return (name for name in table if name not in names)


def _variable(model: Model, name: str) -> Any:
    try:
        return find_variable(model, name)
    except InputError as error:
        raise InputError(f"column {name}: {error}; other columns must be ignored") from None


def _coded(table: Columns, name: str) -> Column:
    try:
        return column(table[name])
    except InputError as error:
        raise InputError(f"column {name}: {error}") from None


def _states(name: str, coded: Column, variable: Variable) -> NDArray[np.int32]:
    """The index of each row's state, -1 where it is missing."""
    exact = {state: place for place, state in enumerate(variable.states)}
    places = [
        exact[value] if value in exact else find_state(variable.states, value)
        for value in coded.values
    ]
    if -1 in places:
        code = places.index(-1)
        row = int(np.argmax(coded.codes == code))
        try:
            state_index(variable.name, variable.states, coded.values[code])
        except InputError as error:
            raise InputError(f"column {name}, row {row}: {error}") from None
    states: NDArray[np.int32] = np.array([*places, -1], dtype=np.int32)[coded.codes]
    return states


def _check_agreement(
    name: str, states: NDArray[np.int32], variable: Variable, own_state: int
) -> None:
    contradicting = (states >= 0) & (states != own_state)
    if contradicting.any():
        row = int(np.argmax(contradicting))
        expected = f"{variable.states[own_state]}, as the evidence on {variable.name} says"
        raise InputError(
            f"column {name}, row {row}: expected {expected}, got {variable.states[states[row]]}"
        )
