"""The evidence of a command: events on the command line and files of observed states."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from liftgraph.errors import InputError
from liftgraph.io.formats import Model
from liftgraph.model.counts import Count, count
from liftgraph.model.ground.names import States, find_state
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

COUNT = "count:"  # not #, with which comments begin in a shell


def read_evidence(model: Model, options: Namespace) -> dict[Any, Any]:
    """The observed states by variable, and numbers by count, from a file and the command line,
    which must agree."""
    observed: dict[Any, Any] = {}
    if options.evidence is not None:
        from liftgraph.io import uai

        states = uai.read_states(
            options.evidence,
            model.variable_count,
            lambda v: len(_states(model, v)),
            memory_limit=options.memory,
        )
        observed = {_name(model, v): _states(model, v)[state] for v, state in states.items()}
    for event in options.given:
        variable, state = _split(model, event)
        if observed.setdefault(variable, state) != state:
            both = f"both {observed[variable]} and {state}"
            raise InputError(f"expected one state for {variable}, got {both}")
    return observed


def _split(model: Model, event: str) -> tuple[Any, Any]:
    if not event.startswith(COUNT):
        return split_event(model, event)
    counted, sign, number = event.rpartition("=")
    least, dots, most = number.partition("..")
    numerals = (least, most) if dots else (number,)
    if not sign or "=" not in counted or not all(map(str.isdecimal, numerals)):
        expected = f"{COUNT}VAR,...=STATE=NUMBER or {COUNT}VAR,...=STATE=LEAST..MOST"
        raise InputError(f"expected {expected}, got {event}")
    return asked_for(counted), range(int(least), int(most) + 1) if dots else int(number)


def asked_for(variable: str) -> str | Count:
    """A variable by its name; or a count, written ``count:VAR,...=STATE``."""
    if not variable.startswith(COUNT):
        return variable
    names, sign, state = variable.removeprefix(COUNT).rpartition("=")
    if not sign or not names or not state:
        raise InputError(f"expected {COUNT}VAR,...=STATE, got {variable}")
    return count(names.split(",") if "," in names else names, state)


def split_event(model: Model, event: str) -> tuple[str, str]:
    """The variable and the state in ``VAR=STATE``; both may contain equals signs themselves."""
    signs = [place for place, letter in enumerate(event) if letter == "="]
    if not signs:
        raise InputError(f"expected VAR=STATE, got {event}")
    pairs = [(event[:sign], event[sign + 1 :]) for sign in signs]
    spelt = [(variable, state) for variable, state in pairs if state in _states(model, variable)]
    fitting = spelt or [*_alike(model, pairs)]
    if len(fitting) > 1:
        raise InputError(f"expected one way to read {event} as VAR=STATE, got {len(fitting)}")
    return fitting[0] if fitting else pairs[0]


def _alike(model: Model, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Variables and states that are spelt so but for capital letters."""
    for variable, state in pairs:
        states = _states(model, variable)
        if (place := find_state(states, state)) >= 0:
            yield variable, states[place]


def _states(model: Model, variable: str | int) -> States:
    """The states of a variable; empty if the variable does not exist."""
    try:
        if isinstance(model, ParfactorGraph):
            return model.prvs[model.locate(variable)[0]].states
        return model.states(model.variable(variable))
    except InputError:
        return ()


def _name(model: Model, variable: int) -> str:
    if isinstance(model, ParfactorGraph):
        return model.name(model.locate(variable))
    return model.name(variable)
