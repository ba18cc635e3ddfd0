"""Evidence on a lifted model, as a value: what was observed of which individuals.

It holds states and, next to them, likelihoods. Observations are alike exactly if they are equal.
What is observed of a whole PRV is part of the PRV (``PRV.observed``); if that is overridable, what
is said of single individuals comes first.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.evidence import check_evidence, contradiction
from liftgraph.model.ground.likelihoods import (
    LikelihoodReader,
    add_distinct,
    check_likelihood,
    multiplied,
)
from liftgraph.model.ground.names import is_count, state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.variables import Place, Variables, check_place, locate, name_of


class LiftedEvidence(Mapping[Place, int]):
    """An immutable mapping from observed variables, by place, to the index of their state.

    ``likelihoods``: for variables whose observation is uncertain, by place, a factor of each.
    ``checked_on``: the PRVs it is known to be on; models of these need not check it again.

    >>> evidence = LiftedEvidence({(0, (1,)): 1})
    >>> evidence[0, (1,)], evidence == {(0, (1,)): 1}, len({evidence, LiftedEvidence()})
    (1, True, 2)
    """

    __slots__ = ("_states", "checked_on", "likelihoods")

    _states: dict[Place, int]
    likelihoods: Mapping[Place, Table]
    checked_on: tuple[PRV, ...] | None

    def __init__(
        self,
        states: Mapping[Place, int] | Iterable[tuple[Place, int]] = (),
        likelihoods: Mapping[Place, Table] | None = None,
        checked_on: tuple[PRV, ...] | None = None,
    ) -> None:
        object.__setattr__(self, "_states", dict(states))
        object.__setattr__(self, "likelihoods", MappingProxyType(dict(likelihoods or {})))
        object.__setattr__(self, "checked_on", checked_on)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"evidence is immutable: {name} cannot be set")

    def __getitem__(self, place: Place) -> int:
        return self._states[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)

    def likelihoods_and(self, others: Mapping[Place, Table]) -> dict[Place, Table]:
        """The likelihoods and others, multiplied where a variable has both."""
        known = self.likelihoods
        both = {p: multiplied(known[p], table) for p, table in others.items() if p in known}
        return {**known, **others, **both}

    def items(self) -> ItemsView[Place, int]:
        """The observed variables with the index of their state."""
        return self._states.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LiftedEvidence):
            return not self.likelihoods and self._states == other
        return self._states == other._states and self.likelihoods == other.likelihoods

    def __hash__(self) -> int:
        return hash((frozenset(self._states.items()), frozenset(self.likelihoods.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return LiftedEvidence, (self._states, {**self.likelihoods})

    def __repr__(self) -> str:
        uncertain = f", {dict(self.likelihoods)}" if self.likelihoods else ""
        return f"LiftedEvidence({self._states}{uncertain})"


NO_LIFTED_EVIDENCE = LiftedEvidence()


def check_states(variables: Variables, evidence: LiftedEvidence) -> None:
    """Refuse evidence on variables that do not exist, or in states that they do not have or that
    contradict what is observed of their PRV."""
    if evidence.checked_on is variables.prvs:
        return
    for place, table in evidence.likelihoods.items():
        check_place(variables, place)
        check_likelihood(name_of(variables, place), variables.prvs[place[0]].states, table)
    for place, state in evidence.items():
        check_place(variables, place)
        prv = variables.prvs[place[0]]
        if not is_count(state) or not 0 <= state < len(prv.states):
            expected = f"a state of {prv.name} below {len(prv.states)}"
            raise InputError(
                f"{name_of(variables, place)}: expected {expected}, got {quoted(state)}"
            )
        if prv.observed not in (None, state) and not prv.overridable:
            raise contradiction(name_of(variables, place), prv.states, prv.observed, state)


def evidence_on(
    variables: Variables, known: LiftedEvidence, written: Mapping[Any, Any]
) -> LiftedEvidence:
    """The evidence on variables with more added, which must not contradict it.

    ``written``: variables by name or index, their states by name. Precondition: the known evidence
    is on these variables.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> sick = prv("Sick", LogVar("P", ["alice", "bob"]))
    >>> model = ParfactorGraph.of([parfactor([sick], [1, 2])])
    >>> evidence_on(model.places, model.evidence, {"Sick.bob": "false"})
    LiftedEvidence({(0, (1,)): 1})
    """
    states = dict(known.items())
    for place, state in states_of(variables, written):
        prv = variables.prvs[place[0]]
        said = states.get(place, state if prv.observed is None else prv.observed)
        if said != state:
            raise contradiction(name_of(variables, place), prv.states, said, state)
        states[place] = state
    return LiftedEvidence(states, known.likelihoods, checked_on=variables.prvs)


def with_likelihoods(
    variables: Variables, known: LiftedEvidence, written: Mapping[Any, Any]
) -> LiftedEvidence:
    """The evidence on variables with likelihoods added, written by name or index of a variable.

    Two observations of one variable are independent: their likelihoods are multiplied.
    Precondition: the known evidence is on these variables.
    """
    reader, read = LikelihoodReader(), dict[Place, Table]()
    for name, value in written.items():
        place = locate(variables, name)
        called = name if isinstance(name, str) else name_of(variables, place)
        table = reader.table(called, variables.prvs[place[0]].states, value)
        add_distinct(read, place, called, table)
    return LiftedEvidence(known, known.likelihoods_and(read), checked_on=variables.prvs)


def states_of(variables: Variables, written: Mapping[Any, Any]) -> Iterator[tuple[Place, int]]:
    """The places of variables that are written by name or index, with the index of their state."""
    check_evidence(written)
    for name, value in written.items():
        place = locate(variables, name)
        called = name if isinstance(name, str) else name_of(variables, place)
        yield place, state_index(called, variables.prvs[place[0]].states, value)


def observed_count(variables: Variables, evidence: LiftedEvidence) -> int:
    """How many variables were observed: all of a PRV, or those of some individuals."""
    single = sum(variables.prvs[prv].observed is None for prv, _ in evidence)
    return single + sum(prv.size for prv in variables.prvs if prv.observed is not None)
