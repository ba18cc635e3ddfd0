"""Evidence on individuals is part of a lifted model, as it is of a factor graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
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
    lg.write(known, tmp_path / "model.json")
    assert lg.read(tmp_path / "model.json") == known
    with pytest.raises(lg.InputError, match="BLOG has no evidence on individuals"):
        lg.write(known, tmp_path / "model.blog")


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


def test_open_domains_are_for_templates() -> None:
    X = lg.LogVar("X", lg.Domain("person"))
    with pytest.raises(lg.InputError, match="domain person: expected individuals, got none yet"):
        lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", X)], [1, 2])])
    with pytest.raises(lg.InputError, match="person: expected at least one individual"):
        lg.Domain("person", 0, ())
