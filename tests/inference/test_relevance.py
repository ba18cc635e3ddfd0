"""What is left out as irrelevant changes no answer, and hides no impossible observation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.ground import orientation
from liftgraph.inference.ground.pattern import fixed_variables
from liftgraph.inference.ground.reduction import prune, reduce_graph
from liftgraph.inference.ground.relevance import Relevance, keep_possible, relevant
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import factor_graphs


def part_of(graph: lg.FactorGraph, factors: Sequence[int]) -> lg.FactorGraph:
    """The same variables and evidence with some of the factors."""
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(states=len(graph.states(variable)))
    for factor in factors:
        builder.add_factor(*graph.factors[factor].parts)
    return builder.build().observing(graph.evidence)


def weight(graph: lg.FactorGraph) -> Fraction:
    try:
        answer = brute_force(graph, Query("partition"))
    except lg.ZeroWeightError:
        return Fraction(0)
    assert isinstance(answer, lg.Partition)
    assert answer.z is not None
    return answer.z


@st.composite
def networks(draw: st.DrawFn) -> lg.FactorGraph:
    """Graphs with arrows, with zeros, and with tables that have none."""
    builder = lg.FactorGraphBuilder()
    count = draw(st.integers(1, 7))
    builder.add_variables(count)
    entry = draw(st.sampled_from([st.integers(0, 2), st.integers(1, 2), st.integers(0, 1)]))
    for variable in range(count):
        if draw(st.integers(0, 5)) == 0:
            continue
        parents = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=2))
        above = [parent for parent in parents if parent < variable]
        chances = draw(st.lists(entry, min_size=2 ** len(above), max_size=2 ** len(above)))
        first = np.array(chances).reshape((2,) * len(above))
        builder.add_factor([*above, variable], np.stack([first, 2 - first], axis=-1).tolist())
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        scope = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=2))
        size = 2 ** len(scope)
        values = draw(st.lists(entry, min_size=size, max_size=size))
        builder.add_factor(scope, np.array(values).reshape((2,) * len(scope)).tolist())
    return builder.build()


@st.composite
def asked_models(
    draw: st.DrawFn,
) -> tuple[lg.FactorGraph, dict[int, int], list[int]]:
    graph = draw(networks() | factor_graphs(evidence=False).filter(lambda g: g.variable_count > 0))
    variables = st.lists(st.integers(0, graph.variable_count - 1), unique=True)
    observed = draw(variables)
    states = {v: draw(st.integers(0, len(graph.states(v)) - 1)) for v in observed}
    cut = draw(st.integers(0, len(observed)))
    own = {variable: states.pop(variable) for variable in observed[:cut]}
    asked = draw(st.permutations(range(graph.variable_count)))[: draw(st.integers(1, 2))]
    return graph.observing(own), states, asked


def answered(graph: lg.FactorGraph, states: dict[int, int], asked: list[int]) -> Relevance:
    """What matters, checked against enumeration: the distribution and whether there is one."""
    relevance = relevant(graph, states.keys(), asked)
    observed = graph.observing({**graph.evidence, **states})
    part = part_of(observed, relevance.factors)
    others = [part_of(observed, factors) for factors in relevance.unproven]
    if not weight(observed):
        assert not (weight(part) and all(map(weight, others)))
        return relevance
    query = Query("marginal", tuple(asked))
    expected, got = brute_force(observed, query), brute_force(part, query)
    assert isinstance(expected, lg.Marginal)
    assert isinstance(got, lg.Marginal)
    assert expected.fractions is not None
    assert got.fractions is not None
    assert np.array_equal(expected.fractions, got.fractions)
    assert all(map(weight, others))
    return relevance


@given(asked_models())
def test_the_rest_changes_nothing(model: tuple[lg.FactorGraph, dict[int, int], list[int]]) -> None:
    answered(*model)


def pruned_scopes(graph: lg.FactorGraph, asked: list[int]) -> list[tuple[int, ...]]:
    fixed = fixed_variables(graph)
    free = [variable for variable in range(graph.variable_count) if variable not in fixed]
    kept = [variable for variable in asked if variable not in fixed]
    return prune(graph, reduce_graph(graph, fixed, free), kept).scopes


@given(asked_models())
def test_no_more_is_left_than_pruning_everything_leaves(
    model: tuple[lg.FactorGraph, dict[int, int], list[int]],
) -> None:
    graph, states, asked = model
    relevance = relevant(graph, states.keys(), asked)
    observed = graph.observing({**graph.evidence, **states})
    part = part_of(observed, relevance.factors)
    try:
        everything, walked = (pruned_scopes(g, asked) for g in (observed, part))
    except lg.ZeroWeightError:
        return
    assert len(walked) <= len(everything)
    if not relevance.prunable:
        free = set(range(graph.variable_count)) - fixed_variables(part)
        in_factors = {v for f in relevance.factors for v in graph.factors[f].scope} & free
        assert {v for scope in walked for v in scope} == in_factors | (free & set(asked))


@given(asked_models())
def test_what_is_known_to_be_possible_needs_no_other_proof(
    model: tuple[lg.FactorGraph, dict[int, int], list[int]],
) -> None:
    graph, states, asked = model
    if weight(graph):
        keep_possible(graph)
        answered(graph, states, asked)
        assert relevant(graph, (), asked).unproven == ()


def test_a_question_without_an_answer_proves_nothing() -> None:
    """A witness for the other parts says nothing about the part that is asked for."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C", "D"])
    builder.add_factor(["A", "B"], [[1, 0], [0, 0]])
    builder.add_factor(["A", "B"], [[0, 1], [2, 1]])
    builder.add_factor(["C", "D"], [[1, 0], [2, 5]])
    graph = builder.build()
    for name in ("A", "C"):
        with pytest.raises(lg.ZeroWeightError):
            graph.query(name, method="ground")


def test_leaves_are_taken_away_together_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one, together = wide_network(), wide_network()
    monkeypatch.setattr(orientation, "_WIDE", 1 << 60)
    expected = orientation.orientation(one_by_one)
    monkeypatch.setattr(orientation, "_WIDE", 1)
    got = orientation.orientation(together)
    assert list(got.own) == list(expected.own)
    assert list(got.owner) == list(expected.owner)
    assert min(expected.own) == -1 < max(expected.own)


def wide_network() -> lg.FactorGraph:
    """A tree with arrows, in which tables have other sums here and there, and other shapes."""
    random, builder = np.random.default_rng(1), lg.FactorGraphBuilder()
    builder.add_variables(300)
    builder.add_factor([0], [1, 1])
    for child in range(1, 300):
        above = sorted({*random.integers(0, child, random.integers(1, 3)).tolist()})
        first = random.integers(0, 4, (2,) * len(above))
        other = 4 - first + random.integers(0, 2, first.shape) * (random.random() < 0.05)
        table = np.stack([first, other], axis=len(above))
        builder.add_factor([*above, child], table.tolist())
    return builder.build()


def friends(people: int, seed: int) -> lg.FactorGraph:
    """People with friends at random, some of them observed, as a template makes them."""
    random = np.random.default_rng(seed)
    person = lg.Domain("person")
    X, Y = lg.LogVar("X", person), lg.LogVar("Y", person)
    smokes, related = lg.prv("Smokes", X), lg.relation("friends", "person", "friend")
    alike = lg.rule([smokes(X), smokes(Y)], [[3, 1], [1, 2]], over=related(X, Y))
    pairs = np.unique(random.integers(1, people + 1, (people // 2, 2)), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    asked = np.flatnonzero(random.random(people) < 0.3) + 1
    graph = lg.Template([lg.rule([smokes], [1, 3]), alike]).instantiate(
        {"person": people},
        {"friends": {"person": pairs[:, 0], "friend": pairs[:, 1]}},
        {"Smokes": {"X": asked, "value": ["true"] * len(asked)}},
    )
    assert isinstance(graph, lg.FactorGraph)
    return graph


@pytest.mark.parametrize("seed", range(3))
def test_friends_are_answered_as_by_enumeration(seed: int) -> None:
    graph = friends(9, seed)
    expected = brute_force(graph, Query("marginals"))
    assert isinstance(expected, lg.Marginals)
    for name in expected:
        assert graph.query(name, exact=True).exact == expected[name].exact


def test_a_question_about_one_of_many_does_not_lift_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liftgraph.symmetry.colours.colour_passing.colour_passing", pytest.fail)
    graph = friends(20_000, 0)
    free = [v for v in range(200) if v not in graph.evidence]
    reached = [len(relevant(graph, (), [variable]).factors) for variable in free]
    assert max(reached) < 500
    assert {graph.query(variable).method for variable in free[:5]} == {"ground"}
