"""Evidence is a value: immutable, hashable, compared by what it says, open to other kinds."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph import datasets
from liftgraph.model.arrays import NO_INDICES
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.variables import Place
from tests.strategies import factor_graphs

SOMEBODY: Place = (0, (1,))
STATES = st.dictionaries(st.integers(0, 99), st.integers(0, 3))


@dataclass(frozen=True, eq=False, repr=False)
class Sourced(Evidence):
    """Another kind of observation: states, and who reported them."""

    sources: NDArray[np.int32] = field(default_factory=lambda: NO_INDICES)

    @property
    def observation_id(self) -> NDArray[np.int32]:
        return self.states * 2 + self.sources


@given(STATES)
def test_evidence_is_the_mapping_it_is_made_of(states: dict[int, int]) -> None:
    evidence = Evidence.of(states)
    assert evidence == states
    assert list(evidence) == evidence.variables.tolist() == sorted(states)
    assert dict(evidence.items()) == states
    assert len(evidence) == len(states)
    assert [evidence.get(variable, -1) for variable in range(100)] == [
        states.get(variable, -1) for variable in range(100)
    ]


@given(STATES, STATES)
def test_equal_evidence_is_one_key(first: dict[int, int], second: dict[int, int]) -> None:
    keys = {Evidence.of(first), Evidence.of(second), Evidence.of(dict(reversed(first.items())))}
    assert len(keys) == (1 if first == second else 2)


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_equal_and_read_only(copied: Any) -> None:
    for evidence in (Evidence.of({3: 1, 1: 0}), LiftedEvidence({SOMEBODY: 1})):
        assert evidence.items()  # what is worked out on the way stays behind
        assert copied(evidence) == evidence
        assert hash(copied(evidence)) == hash(evidence)
    again = copied(Evidence.of({3: 1, 1: 0}))
    with pytest.raises(ValueError, match="read-only"):
        again.states[0] = 1


@given(factor_graphs(evidence=False), st.data())
def test_evidence_in_parts_is_evidence_at_once(graph: lg.FactorGraph, data: st.DataObject) -> None:
    names = [*map(graph.name, range(graph.variable_count))]
    chosen = data.draw(st.lists(st.sampled_from(names or [""]), unique=True))
    facts = {n: data.draw(st.sampled_from(graph.states(graph.variable(n)))) for n in chosen if n}
    first, rest = dict(list(facts.items())[:2]), dict(list(facts.items())[1:])
    both = graph.given(first).given(rest)
    assert both == graph.given(facts)
    variables = {name: graph.variable(name) for name in facts}
    expected = {variables[name]: graph.state(variables[name], facts[name]) for name in facts}
    assert both.evidence == expected


def test_the_same_variable_by_name_and_by_index_is_one() -> None:
    graph = datasets.epid(3).ground()
    name = graph.name(1)
    assert graph.given({name: "true", 1: "true"}).evidence == {1: 0}
    with pytest.raises(lg.InputError, match=f"one state for {name}, got both true and false"):
        graph.given({name: "true", 1: "false"})


def test_another_kind_of_observation_tells_variables_apart() -> None:
    graph = datasets.epid(4).ground()
    people = [graph.variable(f"Sick.{person}") for person in range(1, 5)]
    variables, states = np.array(sorted(people), np.int32), np.zeros(4, np.int32)
    alike = replace(graph, evidence=Evidence(variables, states))
    assert alike.evidence == graph.given(dict.fromkeys(people, "true")).evidence
    sources = np.array([0, 1, 1, 0], np.int32)
    told_apart = replace(graph, evidence=Sourced(variables, states, sources))
    colours = lg.colour_passing(alike).variable_colours[variables]
    assert len(set(colours.tolist())) == 1
    first, second, third, fourth = lg.colour_passing(told_apart).variable_colours[variables]
    assert (first, second) == (fourth, third)
    assert first != second
    assert told_apart != alike
    assert pickled(told_apart) == told_apart


def test_evidence_put_into_a_lifted_model_is_its_own() -> None:
    model = datasets.smokers(3)
    states = {(0, (1,)): 0}
    known: lg.ParfactorGraph = replace(model, evidence=states)  # type: ignore[arg-type]
    states[0, (2,)] = 1
    assert known.evidence == {(0, (1,)): 0}
    assert known == model.given({model.name((0, (1,))): model.prvs[0].states[0]})
    with pytest.raises(TypeError):
        known.evidence[0, (2,)] = 1  # type: ignore[index]
    with pytest.raises(AttributeError, match="immutable"):
        known.evidence.checked_on = model.prvs


@pytest.mark.parametrize(
    ("place", "state", "problem"),
    [
        ((2, (0,)), 0, "expected a PRV and its individuals by number"),
        ((0, (3,)), 0, "expected a PRV and its individuals by number"),
        ((0, (0, 1)), 0, "expected a PRV and its individuals by number"),
        ((1, (1, 1)), 0, "expected a PRV and its individuals by number"),
        ((0, (0.5,)), 0, "expected a PRV and its individuals by number"),
        ((0, ("1",)), 0, "expected a PRV and its individuals by number"),
        ("Smokes.1", 0, "expected a PRV and its individuals by number"),
        ((0, (0,)), 2, r"Smokes\.1: expected a state of Smokes below 2, got 2"),
        ((0, (0,)), -1, r"Smokes\.1: expected a state of Smokes below 2, got -1"),
        ((0, (0,)), "true", r"Smokes\.1: expected a state of Smokes below 2, got 'true'"),
    ],
)
def test_evidence_put_into_a_lifted_model_is_checked(place: Any, state: Any, problem: str) -> None:
    model = datasets.smokers(3)
    assert [prv.name for prv in model.prvs] == ["Smokes", "Friends"]
    with pytest.raises(lg.InputError, match=problem):
        replace(model, evidence=LiftedEvidence({place: state}))
    elsewhere = model.given({"Smokes.1": "true"}).evidence
    with pytest.raises(lg.InputError, match=problem):
        replace(model, evidence=LiftedEvidence({**elsewhere, place: state}))


def test_evidence_of_another_model_is_checked() -> None:
    evidence = datasets.smokers(9).given({"Smokes.9": "true"}).evidence
    with pytest.raises(lg.InputError, match="expected a PRV and its individuals by number"):
        replace(datasets.smokers(3), evidence=evidence)


@pytest.mark.parametrize("state", [0, 1])
def test_evidence_that_contradicts_its_group_is_refused(state: int) -> None:
    sick = lg.PRV("Sick", (lg.LogVar("X", 3),), observed=1 - state)
    model = lg.ParfactorGraph.of([lg.parfactor([sick], [1, 2])])
    with pytest.raises(lg.InputError, match=r"expected one state for Sick\.2, got both"):
        replace(model, evidence=LiftedEvidence({SOMEBODY: state}))
