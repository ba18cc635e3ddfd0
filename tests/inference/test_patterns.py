"""Patterns are kept: other states only run, and every answer is that of a question asked anew."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cache import Memo
from liftgraph.inference.ground import plan as planning
from liftgraph.inference.ground import values
from liftgraph.inference.ground.memory import kept_bytes
from liftgraph.inference.ground.pattern import fixed_variables, new_pattern
from liftgraph.inference.ground.reduction import reduce_graph
from liftgraph.inference.ground.witness import has_witness
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.model.memory_limit import MEMORY_LIMIT, Planning
from liftgraph.model.plans import CompiledQuery
from liftgraph.model.query import Query
from tests.inference.test_memory import used_bytes
from tests.reduction import reduced, weights
from tests.strategies import bayesian_networks, factor_graphs, ground_plan

Case = tuple[lg.FactorGraph, tuple[int, ...], tuple[int, ...]]
KINDS = ["marginal", "partition", "marginals", "explanation"]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A graph, variables that a question asks for, and variables that it observes."""
    networks = bayesian_networks().map(lambda network: network[0])
    graph = draw((factor_graphs() | networks).filter(lambda graph: graph.variable_count > 0))
    variables = st.sampled_from(range(graph.variable_count))
    asked = draw(st.lists(variables, unique=True, min_size=1, max_size=2))
    unobserved = [v for v in range(graph.variable_count) if v not in graph.evidence]
    observed = (
        draw(st.lists(st.sampled_from(unobserved), unique=True, max_size=2)) if unobserved else []
    )
    return graph, tuple(asked), tuple(observed)


def all_states(graph: lg.FactorGraph, observed: tuple[int, ...]) -> list[dict[int, int]]:
    ranges = [range(len(graph.states(variable))) for variable in observed]
    return [dict(zip(observed, states, strict=True)) for states in product(*ranges)]


def named(graph: lg.FactorGraph, states: dict[int, int]) -> dict[int, str]:
    return {variable: graph.states(variable)[state] for variable, state in states.items()}


def twin(graph: lg.FactorGraph, asked: tuple[int, ...]) -> tuple[Any, Fraction] | None:
    """The exact distribution of free variables, and Z; None if nothing is possible."""
    free = tuple([variable for variable in asked if variable not in graph.evidence])
    tables, constant = reduced(graph, free)
    values = weights(tables, free)
    total = int(values.sum())
    return (values * Fraction(1, total), total * constant) if total * constant else None


@given(cases())
def test_other_states_get_the_answers_of_the_twin(case: Case) -> None:
    graph, asked, observed = case
    for states in all_states(graph, observed):
        answer = expected = twin(graph.observing({**graph.evidence, **states}), asked)
        given_states = named(graph, states)
        try:
            exact = graph.query(*asked, given=given_states, exact=True, method="ground")
            floats = graph.query(*asked, given=given_states, method="ground")
            total = graph.partition(given=given_states, exact=True, method="ground").z
        except lg.ZeroWeightError:
            answer = None
        assert (answer is None) == (expected is None)
        if expected is not None:
            everything = {**graph.evidence, **states}
            place = tuple([everything.get(variable, slice(None)) for variable in asked])
            assert exact.fractions is not None
            assert np.all(np.asarray(exact.fractions[place]) == expected[0])
            assert sum(exact.fractions.flat) == 1
            assert np.allclose(floats.probabilities, exact.probabilities, rtol=1e-9)
            assert total == expected[1]


def outcome(graph: lg.FactorGraph, kind: str, asked: tuple[int, ...], states: Any) -> Any:
    """What a question is answered, in a form that can be compared."""
    variables = asked if kind == "marginal" else ()
    try:
        answer: Any = ground_plan(graph, Query(kind, variables, True), given=states).run()
    except lg.ZeroWeightError:
        return None
    if kind == "marginals":
        return {name: answer[name].exact for name in answer}
    return (
        answer.weight
        if kind == "explanation"
        else answer.z
        if kind == "partition"
        else answer.exact
    )


@given(cases(), st.sampled_from(KINDS))
def test_a_graph_that_was_asked_before_answers_like_a_new_one(case: Case, kind: str) -> None:
    graph, asked, observed = case
    for states in all_states(graph, observed):
        given_states = named(graph, states)
        new = pickle.loads(pickle.dumps(graph))
        assert outcome(graph, kind, asked, given_states) == outcome(new, kind, asked, given_states)
        by_itself = graph.given(given_states)  # the same, observed by the graph
        assert outcome(by_itself, kind, asked, {}) == outcome(new, kind, asked, given_states)


@given(cases())
def test_a_compiled_query_answers_like_a_query(case: Case) -> None:
    graph, asked, observed = case
    try:
        compiled = graph.compile(*asked, given=observed, exact=True)
    except lg.ZeroWeightError:  # whatever the states are
        assert twin(graph, asked) is None
        return
    assert isinstance(compiled, CompiledQuery)
    for states in all_states(graph, observed):
        given_states = named(graph, states)
        try:
            expected = graph.query(*asked, given=given_states, exact=True, method="ground")
        except lg.ZeroWeightError:
            with pytest.raises(lg.ZeroWeightError):
                compiled(given_states)
            continue
        assert used_bytes(lambda states=given_states: compiled(states)) <= compiled.peak_bytes  # type: ignore[misc]
        assert compiled(given_states).exact == expected.exact
        if observed:
            assert compiled(*given_states.values()).exact == expected.exact


def chain(length: int) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"X{index}" for index in range(length)])
    for index in range(length - 1):
        builder.add_factor([index, index + 1], [[index + 2, 1], [1, 3]])
    return builder.build()


def test_a_question_is_planned_once_for_all_states(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[tuple[int, ...]] = []

    def counted(graph: lg.FactorGraph, query: Query, observed: Any, *options: Any) -> Any:
        planned.append(tuple(observed))
        return new_pattern(graph, query, observed, *options)

    monkeypatch.setattr(planning, "new_pattern", counted)
    graph = chain(6)
    for state in ("true", "false"):
        for method in ("ground", "auto"):
            graph.query("X0", given={"X3": state}, method=method)
            graph.given({"X5": state}).query("X0", given={"X3": "true"}, method="ground")
    assert planned == [(3,), (3,)]  # the second with X5 observed by the graph
    graph.query("X0", given={"X4": "true"}, method="ground")
    assert planned == [(3,), (3,), (4,)]


def test_what_one_state_proves_is_not_believed_of_another() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    builder.add_factor(["A"], [1, 2])
    builder.add_factor(["B", "C"], [[1, 1], [0, 0]])
    graph = builder.build()
    possible, impossible = graph.given({"B": "true"}), graph.given({"B": "false"})
    for _ in range(2):  # the second time, what the first answer proved is known
        assert possible.query("A", method="ground")["true"] == pytest.approx(1 / 3)
        with pytest.raises(lg.ZeroWeightError):
            impossible.query("A", method="ground")
        with pytest.raises(lg.ZeroWeightError):
            graph.query("A", given={"B": "false"}, method="ground")
    assert len(ground_plan(possible, Query("marginal", ("A",))).pattern.reduction.scopes) == 1


@given(cases())
def test_a_witness_proves_that_something_is_possible(case: Case) -> None:
    graph, _, observed = case
    fixed = fixed_variables(graph, observed)
    doubts = reduce_graph(graph, fixed, (), range(graph.factor_count))
    for states in all_states(graph, observed):
        if has_witness(graph, doubts, states):
            assert twin(graph.observing({**graph.evidence, **states}), ()) is not None


def test_what_has_no_simple_witness_is_eliminated() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    builder.add_factor(["A"], [1, 2])
    builder.add_factor(["B", "C"], [[9, 1], [0, 0]])
    builder.add_factor(["C"], [0, 1])  # the best state in the factor before has no weight
    graph = builder.build()
    planned = ground_plan(graph, Query("marginal", ("A",)), given={"B": "true"})
    assert len(planned.pattern.reduction.scopes) == 3
    assert graph.query("A", given={"B": "true"}, method="ground")["true"] == pytest.approx(1 / 3)
    with pytest.raises(lg.ZeroWeightError):
        graph.query("A", given={"B": "false"}, method="ground")


def test_only_what_the_states_change_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []

    def counted(semiring: Any, order: Any, *arguments: Any, **options: Any) -> Any:
        steps.append(len(order))
        return forward(semiring, order, *arguments, **options)

    monkeypatch.setattr(values, "forward", counted)
    compiled = chain(50).compile("X0", given=["X1"])
    first = compiled("true")
    assert steps[-1] <= 2
    steps.clear()
    assert compiled("true").probabilities.tolist() == first.probabilities.tolist()
    assert sum(steps) <= 2


def test_patterns_that_are_kept_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns: Memo[Any, Any] = Memo("patterns", most=200_000, size=kept_bytes)
    monkeypatch.setattr(planning, "_PATTERNS", patterns)
    graph = chain(20)
    for index in range(20):
        graph.partition(given={index: "true"}, method="ground")
    keys = [(Query("partition"), b"", (index,), MEMORY_LIMIT, False, True) for index in range(20)]
    assert not patterns.has(graph.cache, keys[0])
    kept = [key for key in keys if patterns.has(graph.cache, key)]
    assert kept == keys[-len(kept) :]
    sizes = [
        kept_bytes(planning.pattern_of(graph, q, v, Planning(limit), trusting=True))
        for q, _, v, limit, *_ in kept
    ]
    assert sum(sizes) <= patterns.most < sum(sizes) + 2 * max(sizes)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (({"A": "true"},), "expected states of A, B, got none of B"),
        (({"A": "true", "B": "true", "C": "true"},), "expected states of A, B, got one of C"),
        (
            ({"A": "true", "b": "true"},),
            "expected a variable, got 'b'",
        ),
        (({"A": "true", "B": "maybe"},), r"expected a state of B \(true, false\), got maybe"),
        (({"A": "true", 0: "true", "B": "true"},), "expected one state for A, got two"),
        (("true",), "expected states of A, B, got 1"),
        ((), "expected states of A, B, got 0"),
    ],
)
def test_a_compiled_query_names_what_is_wrong(states: tuple[Any, ...], message: str) -> None:
    with pytest.raises(lg.InputError, match=message):
        abc().compile("C", given=["A", "B"])(*states)


def abc() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    builder.add_factor(["A", "B", "C"], range(1, 9))
    return builder.build()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda graph: graph.compile("C", given="A"), "observed variables as a list, got 'A'"),
        (lambda graph: graph.compile("C", given={"A": 1}), "observed variables as a list"),
        (lambda graph: graph.compile("C", given=["A", 0]), "expected distinct variables, got A, 0"),
        (lambda graph: graph.compile("C", given=["D"]), "expected a variable, got 'D'"),
        (lambda graph: graph.compile(given=["A"]), "expected at least one variable to ask for"),
        (lambda graph: graph.compile("C", method="lifted"), "ground as the method .* got lifted"),
        (
            lambda graph: graph.given({"A": "true"}).compile("C", given=["A"]),
            "expected variables that the graph does not observe, got A",
        ),
        (lambda graph: lg.lift(graph).compile("C"), "expected a factor graph to compile a query"),
        (lambda graph: graph.compile("C", memory_limit=10), "the limit is 10 bytes"),
    ],
)
def test_what_cannot_be_compiled_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(lg.LiftgraphError, match=message):
        ask(abc())


def test_a_compiled_query_says_what_it_does() -> None:
    compiled = abc().compile("C", given=["A", "B"])
    assert repr(compiled) == compiled.text
    assert compiled.text.startswith("P(C | A, B) by ground variable elimination\n  numbers ")
    assert (compiled.names, compiled.work) == (["C"], 0)
    assert abc().compile("C").text.startswith("P(C) by")
    assert abc().compile("A", given=["A"])("false")["false"] == 1.0
