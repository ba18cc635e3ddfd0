"""The evidence and the interventions of a command: events on the command line, and files of
observed states."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgraph.cli.reading import DASH
from liftgraph.errors import InputError, ParseError
from liftgraph.exact import shortened
from liftgraph.io.formats import Model
from liftgraph.model.counts import Count, count
from liftgraph.model.ground.likelihoods import likelihood
from liftgraph.model.ground.names import States, find_state, state_index
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

if TYPE_CHECKING:
    from liftgraph.data.evidence_files import Written

_NUMBER = re.compile(r"[+-]?[\d.]+(?:e[+-]?\d+)?(?:/\d+)?", re.ASCII | re.IGNORECASE)
COUNT = "count:"  # not #, with which comments begin in a shell


def read_evidence(model: Model, options: Namespace) -> dict[Any, Any]:
    """The observed states or likelihoods by variable, and numbers by count, from files and the
    command line, which must agree."""
    observed: dict[Any, Any] = {}
    for path in options.evidence:
        for variable, state in _from_file(model, path, options.memory).items():
            _observe(observed, variable, state)
    for event in options.and_given:
        _check_unambiguous(model, event)
    for event in options.given + options.and_given:
        _observe(observed, *_split(model, event))
    return observed


def read_interventions(model: Model, options: Namespace) -> dict[str, str]:
    """The states that variables and PRVs are set to, as they were typed."""
    done: dict[Any, Any] = {}
    for event in options.and_do:
        _check_unambiguous(model, event, "--do")
    for event in options.do + options.and_do:
        _observe(done, *split_event(model, event))
    return done


def _observe(observed: dict[Any, Any], variable: object, state: object) -> None:
    """Add an observation, which must not contradict an earlier one."""
    if observed.setdefault(variable, state) != state:
        both = f"both {_shown(observed[variable])} and {_shown(state)}"
        raise InputError(f"expected one state for {variable}, got {both}")


def _shown(state: object) -> str:
    """An observation as an error quotes it."""
    return shortened(",".join(map(str, state)) if isinstance(state, list) else str(state))


def _from_file(model: Model, path: str, memory_limit: int) -> dict[Any, Any]:
    """The states in a file: JSON or CSV by its name, else in the UAI format."""
    if path == DASH:
        raise InputError("--evidence: expected a file, got - (standard input is for models)")
    if "=" in path and not Path(path).exists():
        raise InputError(f"--evidence: expected a file, got {path} (did you mean --given {path}?)")
    from liftgraph.data.evidence_files import is_evidence_file, read_observations

    if not is_evidence_file(path):
        return _from_uai_file(model, path, memory_limit)
    observed: dict[Any, Any] = {}
    for observation in read_observations(path, memory_limit=memory_limit):
        try:
            _observe(observed, *_event(model, observation.variable, observation.state))
        except InputError as error:
            raise ParseError(path, observation.line, str(error)) from None
    return observed


def _from_uai_file(model: Model, path: str, memory_limit: int) -> dict[Any, Any]:
    from liftgraph.io import uai

    def state_count(variable: int) -> int:
        return len(_states(model, variable))

    states = uai.read_states(path, model.variable_count, state_count, memory_limit=memory_limit)
    return {_name(model, v): _states(model, v)[state] for v, state in states.items()}


def _event(model: Model, variable: str, state: Written) -> tuple[str, Written]:
    """A variable and its state as the model spells them; or its likelihood, which is checked.

    Numbers separated by commas are a likelihood, unless a state is called so.
    """
    name = _name(model, variable)
    states = _states(model, name)
    if isinstance(state, str):
        numerals = [text.strip() for text in state.split(",")]
        if find_state(states, state) >= 0 or not _are_numbers(numerals):
            return name, states[state_index(name, states, state)]
        state = numerals
    likelihood(name, states, state)
    return name, state


def _are_numbers(texts: Sequence[str]) -> bool:
    """Whether texts are the numbers of a likelihood, at least two of them."""
    return len(texts) > 1 and all(map(_NUMBER.fullmatch, texts))


def _check_unambiguous(model: Model, event: str, option: str = "--given") -> None:
    """Refuse an event without an option of its own that could be a variable to ask for."""
    if _states(model, event):
        options = f"write {option} {event} if it is an event, and variables before {option}"
        raise InputError(f"{event} is a variable, but stands where events do: {options}")


def _split(model: Model, event: str) -> tuple[Any, Any]:
    if not event.startswith(COUNT):
        return _event(model, *split_event(model, event))
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


def names_of(model: Model, variables: Sequence[str]) -> list[str]:
    """The names of variables as the model spells them; repeated variables are refused."""
    names = [_name(model, variable) for variable in variables]
    if len(set(names)) < len(names):
        raise InputError(f"expected distinct variables, got {', '.join(variables)}")
    return names


def split_event(model: Model, event: str) -> tuple[str, str]:
    """The variable and the state in ``VAR=STATE``; both may contain equals signs themselves."""
    signs = [place for place, letter in enumerate(event) if letter == "="]
    if not signs:
        raise InputError(f"expected VAR=STATE, got {event}")
    pairs = [(event[:sign], event[sign + 1 :]) for sign in signs]
    spelt = [(variable, state) for variable, state in pairs if state in _states(model, variable)]
    fitting = spelt or [*_alike(model, pairs)] or [p for p in pairs if _states(model, p[0])]
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
    """The states of a variable or a PRV; empty if it does not exist."""
    try:
        return model.states(variable)
    except InputError:
        return ()


def _name(model: Model, variable: str | int) -> str:
    if isinstance(model, ParfactorGraph):
        return model.name(model.locate(variable))
    return model.name(model.variable(variable))
