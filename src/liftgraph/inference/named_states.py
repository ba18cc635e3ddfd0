"""Variables and states as people write them, in a graph or a lifted model, and what it observes."""

from __future__ import annotations

from typing import Any

from liftgraph.inference.methods import Model, find_variable
from liftgraph.model.ground.evidence import check_evidence, contradiction
from liftgraph.model.ground.names import States, state_index
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.questions import Given


def observed_state(model: Model, variable: Any, otherwise: int) -> int:
    """The state in which the model itself observes a variable; ``otherwise`` if it does not."""
    if isinstance(model, ParfactorGraph):
        observed = model.prvs[variable[0]].observed
        return model.evidence.get(variable, otherwise if observed is None else observed)
    return model.evidence.get(variable, otherwise)


def named_states(model: Model, written: Given) -> dict[Any, int]:
    """Variables, written by name or index, and the indices of their states; a variable that is
    written twice must be in the same state."""
    check_evidence(written)
    named: dict[Any, int] = {}
    for name, value in written.items():
        variable = find_variable(model, name)
        called, states = name_and_states(model, variable)
        state = state_index(called, states, value)
        if named.setdefault(variable, state) != state:
            raise contradiction(called, states, named[variable], state)
    return named


def name_and_states(model: Model, variable: Any) -> tuple[str, States]:
    """The name of a variable and those of its states."""
    if isinstance(model, ParfactorGraph):
        return model.name(variable), model.prvs[variable[0]].states
    return model.name(variable), model.states(variable)
