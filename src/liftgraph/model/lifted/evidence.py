"""Evidence on a lifted model: which variables are in which state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from liftgraph.errors import InputError
from liftgraph.model.ground.checks import check_evidence
from liftgraph.model.ground.names import state_index
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place


def evidence_on(model: ParfactorGraph, given: Mapping[Any, Any]) -> dict[Place, int]:
    """The observed variables of a model by PRV and individuals, with the index of their state.

    ``given``: more variables by name or index, their states by name. What the model itself has
    observed is kept and must not be contradicted.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> sick = prv("Sick", LogVar("P", ["alice", "bob"]))
    >>> evidence_on(ParfactorGraph.of([parfactor([sick], [1, 2])]), {"Sick.bob": "false"})
    {(0, (1,)): 1}
    """
    found = dict(model.evidence)
    for place, state in states_of(model, given):
        prv = model.prvs[place[0]]
        known = prv.observed if prv.observed is not None else found.get(place, state)
        if known != state:
            raise InputError(
                f"expected one state for {model.name(place)}, got both {prv.states[known]}"
                f" and {prv.states[state]}"
            )
        found[place] = state
    return found


def states_of(model: ParfactorGraph, given: Mapping[Any, Any]) -> Iterator[tuple[Place, int]]:
    """Variables by PRV and individuals, with the index of a state."""
    check_evidence(given)
    for name, value in given.items():
        place = model.locate(name)
        yield place, state_index(model.name(place), model.prvs[place[0]].states, value)
