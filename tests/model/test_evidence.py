"""Evidence on individuals is part of a lifted model, as it is of a factor graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import info
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.variables import Place
from tests.relational import relational_models


@settings(max_examples=60)
@given(relational_models(), st.data())
def test_grounding_keeps_evidence(model: lg.ParfactorGraph, data: st.DataObject) -> None:
    graph = model.ground()
    names = data.draw(st.lists(st.sampled_from(graph.names or ("",)), max_size=3, unique=True))
    known = [name for name in names if name]
    facts = {n: data.draw(st.sampled_from(graph.states(graph.variable(n)))) for n in known}
    first, rest = dict(list(facts.items())[:1]), dict(list(facts.items())[1:])
    assert model.given(first).given(rest).ground() == graph.given(facts)


def test_evidence_stays_with_its_variable_where_groups_take_turns() -> None:
    builder = lg.FactorGraphBuilder()
    for person in ("a", "b", "c"):
        builder.add_variable(f"Sick.{person}")
        builder.add_variable(f"Old.{person}")
    for person in ("a", "b", "c"):
        builder.add_factor([f"Sick.{person}", f"Old.{person}"], [1, 2, 3, 4])
    graph, facts = builder.build(), {"Sick.b": "true", "Old.c": "false"}
    model = lg.lift(graph)
    assert len(model.prvs) == 2
    assert model.given(facts).ground() == graph.given(facts)


def test_answers_are_those_with_the_same_evidence_given(tmp_path: Path) -> None:
    model, facts = lg.datasets.smokers(4), {"Smokes.1": "true", "Friends.1.2": False}
    known = model.given(facts)
    for method in ("lifted", "ground"):
        found = known.query("Smokes.2", exact=True, method=method).exact
        assert found == model.query("Smokes.2", given=facts, exact=True).exact
    more = {"Smokes.3": "false"}
    both = model.partition(given=facts | more, exact=True).z
    assert known.partition(given=more, exact=True).z == both
    assert known.probability({"Smokes.1": "false"}) == 0
    assert "Smokes.1 = true" in str(known)
    assert known != model
    for name in ("model.json", "model.blog"):
        lg.write(known, tmp_path / name)
        assert lg.read(tmp_path / name) == known


def test_contradictions_are_refused() -> None:
    known = lg.datasets.smokers(4).given({"Smokes.1": "true"})
    with pytest.raises(lg.InputError, match=r"one state for Smokes\.1, got both true and false"):
        known.query("Smokes.2", given={"Smokes.1": "false"})


def test_individuals_may_have_dots_in_their_names() -> None:
    X = lg.LogVar("X", ["a", "a.b"])
    Y = lg.LogVar("Y", ["b.c", "c", "d"])
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", X), lg.prv("T", X, Y)], [1, 2, 3, 4])])
    assert model.locate("S.a.b") == (0, (1,))
    assert model.locate("T.a.b.d") == (1, (1, 2))
    with pytest.raises(lg.InputError, match="the name of several"):
        model.locate("T.a.b.c")


def test_names_with_very_many_dots_are_read_part_by_part() -> None:
    X = lg.LogVar("X", 3)
    others = [lg.LogVar(f"X{number}", X) for number in range(9)]
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("T", X, *others)], [1, 2])])
    assert model.locate("T" + ".3" * 10) == (0, (2,) * 10)
    with pytest.raises(lg.InputError, match="expected a variable"):
        model.locate("T" + ".3" * 60)  # there are C(59, 9) ways to cut that into ten


@pytest.mark.parametrize("wrong", [None, "Smokes.1", [("Smokes.1", "true")]], ids=repr)
def test_evidence_that_is_no_mapping_is_refused(wrong: Any) -> None:
    model = lg.datasets.smokers(2)
    for asked in (model, model.ground()):
        for ask in (asked.given, asked.probability):
            with pytest.raises(lg.InputError, match=r"expected evidence as \{variable: state\}"):
                ask(wrong)


def test_open_domains_are_for_templates() -> None:
    X = lg.LogVar("X", lg.Domain("person"))
    with pytest.raises(lg.InputError, match="domain person: expected individuals, got none yet"):
        lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", X)], [1, 2])])
    with pytest.raises(lg.InputError, match="person: expected at least one individual"):
        lg.Domain("person", 0, ())


def test_every_summary_says_that_there_is_evidence() -> None:
    model = lg.datasets.smokers(4)
    known = model.given({"Smokes.1": "true", "Friends.1.2": False})
    assert "observed" not in model.summary() + repr(model)
    assert repr(known).endswith("factors, 2 observed)")
    assert known.summary().endswith("observed    2 of the variables")
    assert info.model_counts(known)["observed"] == 2
    nodes = lg.to_networkx(known).nodes
    assert nodes["Smokes"]["evidence"] == {"Smokes.1": "true"}
    assert nodes["Friends"]["evidence"] == {"Friends.1.2": "false"}
    assert lg.draw(known).caption.endswith("What was observed of 2 variables is not drawn.")
    assert "not drawn" not in lg.draw(model).caption


def test_variables_observed_as_a_group_and_one_by_one_count_once() -> None:
    X = lg.LogVar("X", 3)
    sick, epidemic = lg.PRV("Sick", (X,), observed=0), lg.prv("Epid")
    model = lg.ParfactorGraph.of([lg.parfactor([sick, epidemic], [1, 2, 3, 4])])
    known = model.given({"Sick.1": "true", "Epid": "false"})
    assert known.observed_count == len(known.ground().evidence) == 4


@pytest.mark.parametrize("observed", [0, 1])
def test_what_is_observed_of_a_group_is_not_contradicted_for_one_of_it(observed: int) -> None:
    sick, epidemic = lg.PRV("Sick", (lg.LogVar("X", 3),), observed=observed), lg.prv("Epid")
    model = lg.ParfactorGraph.of([lg.parfactor([sick, epidemic], [1, 2, 3, 4])])
    said, other = sick.states[observed], sick.states[1 - observed]
    assert model.given({"Sick.1": said}).query("Epid", exact=True).exact == (
        model.query("Epid", exact=True).exact
    )
    problem = f"expected one state for Sick.1, got both {said} and {other}"
    for ask in (model.given, lambda given: model.query("Epid", given=given)):
        with pytest.raises(lg.InputError, match=problem):
            ask({"Sick.1": other})


def test_names_of_several_variables_are_refused_where_they_would_be_lost(tmp_path: Path) -> None:
    X = lg.LogVar("X", ["a", "a.b", "b.c", "c"])
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("T", X, lg.LogVar("Y", X))], [1, 2])])
    states: dict[Place, int] = {(0, (0, 2)): 0, (0, (1, 3)): 1}
    known = replace(model, evidence=LiftedEvidence(states))
    for method in ("lifted", "ground"):
        for ask in (known.marginals, known.mpe):
            with pytest.raises(lg.InputError, match=r"different names .* got T\.a\.b\.c twice"):
                ask(method=method)
    with pytest.raises(lg.InputError, match=r"T\.a\.b\.c', which is the name of several"):
        lg.write(known, tmp_path / "model.json")
    assert known.partition(exact=True, method="lifted").z == 2 * 3**14
