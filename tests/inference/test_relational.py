"""Marginals of a PRV with its individuals in columns, against marginals by name."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from tests.relational import relational_models

METHODS = st.sampled_from(["auto", "lifted", "ground"])


def by_name(model: lg.ParfactorGraph, prv: lg.PRV, **options: Any) -> dict[Any, Any] | None:
    """The naive twin: the marginals of all variables of the grounded model, by glued names."""
    try:
        every = model.ground().marginals(exact=True, **options)
    except lg.ZeroWeightError:
        return None
    return {name: every[name].exact for name in every if name.partition(".")[0] == prv.name}


@given(relational_models(), st.data(), METHODS)
def test_a_prv_has_the_marginals_of_its_variables(
    model: lg.ParfactorGraph, data: st.DataObject, method: str
) -> None:
    assume(0 < model.variable_count <= 9)
    assume(np.prod(model.ground().cardinalities) <= 600)
    prv = data.draw(st.sampled_from(model.prvs))
    names = [*model.variables]
    observed = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
    states = {name: data.draw(st.sampled_from(model.states(name))) for name in observed}
    certain: dict[Any, Any] = dict(states)
    uncertain: bool = data.draw(st.booleans())
    if observed and uncertain:
        count = len(model.states(observed[0]))
        certain[observed[0]] = data.draw(
            st.lists(st.integers(1, 3), min_size=count, max_size=count)
        )
    expected = by_name(model, prv, given=certain)
    options: Any = {"given": certain, "exact": True, "method": method}
    if expected is None:
        with pytest.raises(lg.ZeroWeightError):
            model.marginals(prv.name, **options)
        return
    try:
        answer = model.marginals(prv.name, **options)
    except lg.ComputationError:
        assume(False)
    keys = [(key,) if isinstance(key, str) else key for key in answer]
    assert {".".join((prv.name, *key)): answer[key].exact for key in keys} == expected
    assert len(answer) == len(expected) == prv.size
    frame = answer.to_frame()
    assert [*frame.columns[: len(prv.logvars)]] == [logvar.name for logvar in prv.logvars]
    listed = frame[[logvar.name for logvar in prv.logvars]].itertuples(index=False, name=None)
    if prv.logvars:
        assert [*listed] == keys
    assert [*frame.columns[len(prv.logvars) :][: len(prv.states)]] == [
        f"P({prv.name}={state})" for state in prv.states
    ]
    for state in prv.states if keys else ():
        shares = [float(answer[key].exact[state]) for key in keys]
        assert frame[f"P({prv.name}={state})"].tolist() == pytest.approx(shares)
        assert frame[f"exact P({prv.name}={state})"].tolist() == [
            str(answer[key].exact[state]) for key in keys
        ]


def friends(people: list[str]) -> lg.ParfactorGraph:
    P = lg.LogVar("Person", people)
    Q = lg.LogVar("Friend", P)
    smokes, likes = lg.prv("Smokes", P), lg.prv("Likes", P, Q)
    pairs = lg.parfactor([likes, smokes, smokes(Q)], range(1, 9), lg.different(P, Q))
    return lg.ParfactorGraph.of([lg.parfactor([smokes], [1, 2]), pairs])


DOTTED, PLAIN = ["a", "a.b", "b.c", "c"], ["p", "q", "r", "s"]


def test_individuals_with_dots_stay_apart() -> None:
    model, twin = friends(DOTTED), friends(PLAIN)
    with pytest.raises(lg.InputError, match="the name of several"):
        model.query("Likes.a.b.c")  # of a and b.c, or of a.b and c
    with pytest.raises(lg.InputError, match="different names for all variables"):
        model.marginals()
    answer = model.given({"Smokes.a": "true"}).marginals("Likes", exact=True)
    expected = twin.given({"Smokes.p": "true"}).marginals("Likes", exact=True)
    renamed = dict(zip(PLAIN, DOTTED, strict=True))
    assert {key: answer[key].exact for key in answer} == {
        (renamed[first], renamed[second]): expected[first, second].exact
        for first, second in expected
    }
    assert answer["a", "b.c"].exact != answer["a.b", "c"].exact


def test_a_million_individuals_are_listed_when_they_are_read() -> None:
    P = lg.LogVar("P", 1_000_000)
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Sick", P), lg.prv("Epid")], [3, 1, 1, 5])])
    answer = model.marginals("Sick", given={"Sick.7": "true"}, memory_limit=1 << 20)
    assert (len(answer), answer["7"]["true"]) == (1_000_000, 1)
    assert answer["999999"]["true"] == model.query("Sick.1", given={"Sick.7": "true"})["true"]
    lines = str(answer).splitlines()
    assert lines[0].split() == ["P", "P(Sick=true)", "P(Sick=false)"]
    assert lines[-1] == "… and 999,960 more"
    assert next(iter(answer)) == "1"
    html = answer._repr_html_()
    assert "1,000,000 variables" in html
    assert html.count("<tr>") == 42
    with pytest.raises(lg.MemoryLimitError):
        model.marginals(memory_limit=1 << 20)
    many = lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", lg.LogVar("P", 10**30))], [1, 2])])
    assert str(many.marginals("S")).splitlines()[40].startswith("40 ")
    with pytest.raises(lg.MemoryLimitError, match="rows to list"):
        many.marginals("S").to_frame()


def test_graphs_are_read_by_the_names_of_their_variables() -> None:
    graph = lg.datasets.epidemic()
    answer = graph.marginals("Treat", given={"Sick.bob": "true"}, exact=True)
    every = graph.marginals(given={"Sick.bob": "true"}, exact=True)
    assert answer.rows.headings == ("individual 1", "individual 2")
    assert answer["bob", "m1"].exact == every["Treat.bob.m1"].exact
    assert [*graph.marginals("Sick")] == ["alice", "bob"]
    lifted = graph.lift().marginals("Treat", given={"Sick.bob": "true"}, exact=True)
    assert {key: lifted[key].exact for key in lifted} == {key: answer[key].exact for key in answer}
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["S.a", "S.a.b"])
    with pytest.raises(lg.InputError, match=r"equally many dots, got S\.a, S\.a\.b"):
        builder.build().marginals("S")


def test_graphs_of_templates_know_their_individuals() -> None:
    person = lg.Domain("person")
    X, Y = lg.LogVar("X", person), lg.LogVar("Y", person)
    smokes, knows = lg.prv("Smokes", X), lg.prv("Knows", X, Y)
    relation = lg.relation("knows", "person", "friend")
    pairs = lg.rule([knows, smokes(X), smokes(Y)], range(1, 9), over=relation(X, Y))
    template = lg.Template([lg.rule([smokes], [3, 7]), pairs])
    related = [("j.doe", "alice"), ("alice", "bob"), ("a", "b.c")]
    rows = [{"person": first, "friend": second} for first, second in related]
    graph = template.instantiate(relations={"knows": rows})
    assert isinstance(graph, lg.FactorGraph)
    observed = {"Smokes.j.doe": "true", "Smokes.bob": [1, 3]}
    answer = graph.marginals("Knows", given=observed, exact=True)
    every = graph.marginals(given=observed, exact=True)
    assert [*answer] == related
    for first, second in related:
        assert answer[first, second].exact == every[f"Knows.{first}.{second}"].exact
    frame = pickle.loads(pickle.dumps(graph)).given(observed).marginals("Knows").to_frame()
    assert [*frame.columns[:2]] == ["X", "Y"]
    assert [*graph.marginals("Smokes")] == ["j.doe", "alice", "a", "bob", "b.c"]
    lifted = graph.lift()
    same = lifted.marginals("Knows", given=observed, exact=True)
    assert {key: same[key].exact for key in same} == {key: answer[key].exact for key in answer}
    assert [*pickle.loads(pickle.dumps(lifted)).marginals("Smokes")] == [*graph.marginals("Smokes")]
    assert [*lifted.ground().marginals("Knows")] == related
    ground = friends(PLAIN).ground()
    assert ground.marginals("Likes").rows.headings == ("Person", "Friend")


def test_names_in_tables_are_escaped() -> None:
    P = lg.LogVar("P", ["<i>"])
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("<b>", P)], [1, 2])])
    html = model.marginals("<b>")._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html


def test_what_is_no_prv_or_no_individual_is_refused() -> None:
    model = friends(PLAIN)
    names: list[tuple[Any, str]] = [("Smoke", "did you mean Smokes"), (3, "got 3")]
    for name, problem in [*names, ("Smokes.p", "expected a PRV")]:
        with pytest.raises(lg.InputError, match=problem):
            model.marginals(name)
    answer = model.marginals("Likes")
    for key in ("p", ("p", "x"), ("p",), 3):
        with pytest.raises(KeyError, match="individuals of Likes"):
            answer[key]  # type: ignore[index]
    with pytest.raises(lg.InputError, match="did you mean method"):
        model.marginals("Likes", methd="ground")  # type: ignore[call-overload]
    clash = lg.ParfactorGraph.of([lg.parfactor([lg.prv("A", lg.LogVar("P(A=true)", 2))], [1, 2])])
    with pytest.raises(lg.InputError, match="different names, got"):
        clash.marginals("A").to_frame()


def test_frames_of_relations_join_tables() -> None:
    P = lg.LogVar("name", ["alice", "bob"])
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("Sick", P), lg.prv("Epid")], [3, 1, 1, 5])])
    people = pd.DataFrame({"name": ["bob", "alice"], "age": [7, 9]})
    joined = people.merge(model.marginals("Sick", given={"Sick.bob": True}).to_frame(), on="name")
    assert joined["P(Sick=true)"].tolist()[0] == 1
    for backend in ("polars", "pyarrow"):
        assert model.marginals("Sick").to_frame(backend).shape == (2, 3)


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["marginals", "example:epidemic", "Treat", "--given", "Sick.bob=true", "--exact"]
    answer = lg.datasets.epidemic().marginals("Treat", given={"Sick.bob": "true"}, exact=True)
    assert main(asked) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines == [[*key, *map(str, answer[key].exact.values())] for key in answer]
    assert main([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["logvars"] == ["individual 1", "individual 2"]
    rows = zip(document["individuals"], document["exact"], strict=True)
    assert [[*key, *texts] for key, texts in rows] == lines
    assert main(["marginals", "example:epidemic", "Treats"]) == 2
    assert "expected a variable, got 'Treats'" in capsys.readouterr().err
