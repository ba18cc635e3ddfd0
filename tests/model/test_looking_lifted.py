"""What one sees when looking around in a lifted model: what its ground graph would show."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from tests.relational import naive_ground, relational_models, shuffled

X = lg.LogVar("X", 1_000_000)
Y = lg.LogVar("Y", X)
SMOKES = lg.prv("Smokes", X)
FRIENDS = lg.prv("Friends", X, Y, where=lg.different(X, Y))
PAIRS = lg.parfactor([FRIENDS, SMOKES, SMOKES(Y)], range(8), where=lg.different(X, Y))


def naive_factors(model: lg.ParfactorGraph, name: str) -> list[int]:
    """The parfactors with a factor of this variable."""
    return [
        index
        for index, parfactor in enumerate(model.parfactors)
        if any(name in scope for scope, _ in naive_ground(only(model, parfactor)))
    ]


def only(model: lg.ParfactorGraph, parfactor: lg.Parfactor) -> lg.ParfactorGraph:
    return lg.ParfactorGraph.of([parfactor], model.prvs)


def meant(model: lg.ParfactorGraph, text: str) -> Iterator[str]:
    """The variables that a neighbour may be: itself, or all with its individuals."""
    if "(" not in text:
        yield text
        return
    stem, *parts = re.findall(r"\w+", text)
    for name in model.variables:
        own, *individuals = name.split(".")
        pairs = zip(parts, individuals, strict=True) if own == stem else [("1", "2")]
        if all(part in (individual, part.lstrip("0123456789")) for part, individual in pairs):
            yield name


@given(relational_models())
def test_variables_are_those_of_the_ground_graph(model: lg.ParfactorGraph) -> None:
    graph = model.ground()
    assert [*model] == [*model.variables] == [*graph.variables]
    for index, name in enumerate(graph):
        assert model.variables[index] == model.name(index) == model.name(name) == name
        assert name in model
        assert index in model
        assert name in model.variables
        view = model[name]
        assert view == model[index]
        assert view.states == model.states(name) == graph.states(name)
        assert ".".join((view.prv.name, *view.individuals)) == view.name == name
        assert view.size == 1
    for prv in model.prvs:
        assert prv.name in model
        assert model.states(prv.name) == prv.states
        assert (prv.name in model.variables) == (not prv.logvars)
    for nonsense in ("another", "A.1.2.3", len(graph.variables), -1, None, 1.0):
        assert nonsense not in model


@given(relational_models())
def test_factors_and_neighbours_are_those_of_the_ground_graph(model: lg.ParfactorGraph) -> None:
    graph = model.ground()
    for name in graph:
        view = model[name]
        assert [factor.index for factor in view.factors] == naive_factors(model, name)
        neighbours = {*graph[name].neighbours}
        assert neighbours <= {v for text in view.neighbours for v in meant(model, text)}
        assert {text for text in view.neighbours if "(" not in text} <= neighbours


@given(relational_models())
def test_prvs_are_beside_the_prvs_in_their_parfactors(model: lg.ParfactorGraph) -> None:
    for prv in model.prvs:
        view = model[prv.name]
        if not prv.logvars:
            continue
        assert (view.prv, view.size, view.logvars) == (prv, prv.size, prv.logvars)
        graph = model.ground()
        of_prv = [name for name in graph if name.split(".")[0] == prv.name]
        beside = {other.split(".")[0] for name in of_prv for other in graph[name].neighbours}
        assert beside <= {*view.neighbours}
        for factor in view.factors:
            assert prv.name in factor.variables
            assert {*factor.variables} <= {prv.name, *view.neighbours}
        assert str(view).startswith(str(prv))
        assert "\n" not in repr(view)


@given(relational_models(), st.data())
def test_lifted_graphs_keep_names_and_indices(
    model: lg.ParfactorGraph, data: st.DataObject
) -> None:
    graph = data.draw(shuffled(model.ground(), named=data.draw(st.booleans())))
    lifted = graph.lift()
    assert lifted.variables == graph.variables
    for index, name in enumerate(graph):
        assert lifted[name].name == lifted[index].name == name
        assert lifted.states(name) == graph.states(name)
        assert lifted[name].observed == graph[name].observed
        for text in lifted[name].neighbours:
            assert "(" in text or text in graph[name].neighbours


@given(relational_models())
def test_parfactors_are_printed_with_their_names(model: lg.ParfactorGraph) -> None:
    assert len(model.factors) == len(model.parfactors)
    for index, (factor, line) in enumerate(
        zip(model.factors, str(model.factors).splitlines(), strict=True)
    ):
        assert factor.parfactor is model.parfactors[index]
        assert f"  {line}" in str(model).splitlines()
        assert line == factor.text == str(factor).splitlines()[0]
        assert line.startswith(f"{factor.name}(")
        rows = str(factor).count("\n") - 2
        assert rows == min(factor.table.integers.size, 41)
        assert factor._repr_html_().count("<tr>") == 1 + rows
        assert factor.table == factor.parfactor.table


def test_evidence_is_shown_with_variables_and_prvs() -> None:
    P = lg.LogVar("P", ["alice", "bob"])
    sick = lg.prv("Sick", P)
    model = lg.ParfactorGraph.of([lg.parfactor([sick], [1, 2])])
    observed = model.given({"Sick.bob": "true"})
    assert [observed[name].observed for name in observed] == [None, "true"]
    assert observed["Sick"].observed is None
    assert "Sick.bob = true" in str(observed["Sick"])
    whole = lg.ParfactorGraph.of([lg.parfactor([replace(sick, observed=0)], [1, 2])])
    assert whole["Sick"].observed == whole["Sick.alice"].observed == "true"


def test_a_variable_comes_before_a_prv_of_the_same_name() -> None:
    builder = lg.FactorGraphBuilder()
    for name in ("Sick", "Sick.a", "Sick.b"):
        builder.add_variable(name)
    builder.add_factor(["Sick"], [1, 3])
    builder.add_factor(["Sick.a"], [1, 2])
    builder.add_factor(["Sick.b"], [1, 2])
    model = builder.build().lift()
    assert len(model.prvs) == 2
    assert (model["Sick"].name, model["Sick"].size) == ("Sick", 1)
    assert model["Sick"].factors[0].table == lg.Table.of([1, 3])


def test_a_trillion_variables_are_not_listed() -> None:
    model = lg.ParfactorGraph.of([PAIRS])
    tracemalloc.start()
    texts = [repr(model.variables), *(str(model[name]) for name in ("Friends", "Smokes.7"))]
    assert next(iter(model)) == "Friends.1.2"
    assert "Friends.7.8" in model
    assert "Friends.7.7" not in model
    assert model["Friends.3.9"].neighbours == ("Smokes.3", "Smokes.9")
    assert model["Smokes.7"].neighbours == ("Friends(7, Y)", "Smokes(Y)", "Friends(X, 7)")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert max(map(len, texts)) < 600
    assert texts[0].startswith("1,000,000,000,000 variables: Friends.1.2, Friends.1.3, ")


def test_unknown_variables_are_refused() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([SMOKES], [1, 2])])
    for name in ("Drinks", "Smokes.0", "Smokes.1.2", 1_000_000):
        for look in (model.__getitem__, model.states, model.name):
            with pytest.raises(lg.InputError, match=f"expected a variable, got {name!r}"):
                look(name)
