"""Evidence on a factor graph, as a value: what was observed of which variables.

An observation is a state. Other kinds join here, as arrays of ``Evidence`` next to ``states``; but
what is a factor, such as a likelihood (``likelihoods.py``), becomes one. ``observation_id`` says
which observations are alike, and nothing else decides on colours; ``evidence_on`` is the one place
that reads states as people write them. Grounding and evidence on lifted models
(``model/lifted/evidence.py``) know states and likelihoods: another kind has to be carried through
there, and lifting refuses a model that loses it.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.model.arrays import NO_INDICES, FrozenArrays
from liftgraph.model.ground.names import States, is_count, state_index


@dataclass(frozen=True, eq=False, repr=False)
class Evidence(FrozenArrays, Mapping[int, int]):
    """What was observed; also a mapping from observed variables to the index of their state.

    ``variables``: int32 (k,), increasing; ``states``: int32 (k,), the states they are in.

    >>> evidence = Evidence.of({7: 0, 2: 1})
    >>> evidence.variables.tolist(), evidence[7], evidence == {2: 1, 7: 0}
    ([2, 7], 0, True)
    """

    variables: NDArray[np.int32] = field(default_factory=lambda: NO_INDICES)
    states: NDArray[np.int32] = field(default_factory=lambda: NO_INDICES)

    @classmethod
    def of(cls, states: Mapping[int, int]) -> Evidence:
        """The evidence of a mapping from variables to the index of their state."""
        if isinstance(states, Evidence):
            return states
        variables = sorted(states)
        in_order = map(states.__getitem__, variables)
        return cls(np.array(variables, np.int32), np.fromiter(in_order, np.int32, len(states)))

    @property
    def observation_id(self) -> NDArray[np.int32]:
        """A number for each observed variable, int32 (k,): equal where observations are alike.

        Variables with the same states may be interchangeable if and only if these are equal.
        """
        return self.states

    @cached_property
    def _state_of(self) -> dict[int, int]:
        return dict(zip(self.variables.tolist(), self.states.tolist(), strict=True))

    def __getitem__(self, variable: int) -> int:
        return self._state_of[variable]

    def __iter__(self) -> Iterator[int]:
        return iter(self._state_of)

    def __len__(self) -> int:
        return len(self.variables)

    def items(self) -> ItemsView[int, int]:
        """The observed variables with the index of their state."""
        return self._state_of.items()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) if isinstance(other, Evidence) else self._state_of == other

    @cached_property
    def _hash(self) -> int:
        return hash((self.variables.tobytes(), self.observation_id.tobytes()))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        shown = [f"{variable}: {state}" for variable, state in [*self.items()][:8]]
        return f"Evidence({{{', '.join(shown + ['…'] * (len(self) > len(shown)))}}})"


NO_EVIDENCE = Evidence()


class NamedVariables(Protocol):
    """What reading evidence needs to know about variables; factor graphs provide it."""

    def variable(self, name: str | int) -> int:
        """The index of a variable that is written by its name or index."""

    def name(self, variable: int) -> str:
        """The name of a variable."""

    def states(self, variable: int) -> States:
        """The names of its states."""


def check_evidence(written: object) -> None:
    """Refuse evidence that is not a mapping."""
    if not isinstance(written, Mapping):
        refusal = getattr(type(written), "refusal", "")  # of counts and their events
        came = f"{written}: {refusal}" if refusal else quoted(written)
        raise InputError(f"expected evidence as {{variable: state}}, got {came}")


def evidence_on(graph: NamedVariables, known: Evidence, written: Mapping[Any, Any]) -> Evidence:
    """The evidence on a graph with more added, which must not contradict it.

    ``written``: variables by name or index, their states by name.
    """
    return Evidence.of({**known, **states_beside(graph, known, written)})


def states_beside(
    graph: NamedVariables, known: Evidence, written: Mapping[Any, Any]
) -> dict[int, int]:
    """What is written beside known evidence, which it must not contradict, by indices."""
    check_evidence(written)
    states: dict[int, int] = {}
    for name, value in written.items():
        variable = graph.variable(name)
        called, names = graph.name(variable), graph.states(variable)
        state = state_index(called, names, value)
        said = states.get(variable, known.get(variable))
        if said is None:
            states[variable] = state
        elif said != state:
            raise contradiction(called, names, said, state)
    return states


def exact_evidence(graph: NamedVariables, written: Mapping[Any, Any]) -> Evidence:
    """The evidence that is written for a graph: by names, or by indices of variables and states.

    An integer is the index of a state if its variable is given by its index, too.
    """
    check_evidence(written)
    by_index, others = dict[int, int](), dict[Any, Any]()
    for variable, state in written.items():
        if is_count(variable) and is_count(state):
            _check_indices(graph, variable, state)
            by_index[variable] = state
        else:
            others[variable] = state
    return evidence_on(graph, Evidence.of(by_index), others)


def _check_indices(graph: NamedVariables, variable: int, state: int) -> None:
    """Refuse the index of a state that its variable does not have."""
    state_count = len(graph.states(variable))
    if not 0 <= state < state_count:
        expected = f"the index of a state of {graph.name(variable)}, below {state_count}"
        raise InputError(f"expected {expected}, got {quoted(state)}")


def contradiction(name: str, states: States, said: int, again: int) -> InputError:
    """The error for a variable that is observed in two states."""
    return InputError(f"expected one state for {name}, got both {states[said]} and {states[again]}")
