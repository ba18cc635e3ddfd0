"""Ground elimination against enumeration in exact arithmetic."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import semiring
from liftgraph.inference.tensor.contraction_tree import contraction_tree
from liftgraph.inference.weight import log_weight, weight
from liftgraph.model.answers.answer import Answer
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import factor_graphs, ground_plan

CLOSE = 1e-9
T = TypeVar("T", bound=Answer)


def three_answers(
    kind: type[T], name: str, graph: lg.FactorGraph, variables: tuple[int, ...] = ()
) -> tuple[T, T, T] | None:
    """By enumeration, by exact elimination and in floats; None if all say nothing is possible."""
    answers: list[Answer | None] = []
    for exact in (None, True, False):
        query = Query(name, variables, bool(exact))
        try:
            enumerated = exact is None
            answer = brute_force(graph, query) if enumerated else ground_plan(graph, query).run()
            answers.append(answer)
        except lg.ZeroWeightError:
            answers.append(None)
    if all(answer is None for answer in answers):
        return None
    expected, exactly, floats = answers
    assert isinstance(expected, kind)
    assert isinstance(exactly, kind)
    assert isinstance(floats, kind)
    return expected, exactly, floats


def assert_same_distribution(
    expected: lg.Marginal, exact: lg.Marginal, floats: lg.Marginal
) -> None:
    assert exact.variables == floats.variables == expected.variables
    assert exact.states == floats.states == expected.states
    assert exact.exact == expected.exact
    assert np.allclose(floats.probabilities, expected.probabilities, rtol=CLOSE, atol=1e-300)


@st.composite
def queries(draw: st.DrawFn) -> tuple[lg.FactorGraph, tuple[int, ...]]:
    graph = draw(factor_graphs().filter(lambda graph: graph.variable_count > 0))
    variables = draw(
        st.lists(st.sampled_from(range(graph.variable_count)), unique=True, min_size=1, max_size=3)
    )
    return graph, tuple(variables)


@given(queries())
def test_a_query_equals_enumeration(case: tuple[lg.FactorGraph, tuple[int, ...]]) -> None:
    if answers := three_answers(lg.Marginal, "marginal", *case):
        assert_same_distribution(*answers)


@given(factor_graphs())
def test_log_z_equals_enumeration(graph: lg.FactorGraph) -> None:
    if answers := three_answers(lg.Partition, "partition", graph):
        expected, exact, floats = answers
        assert exact.z == expected.z
        assert floats.z is None
        for answer in (exact, floats):
            assert answer.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)


@given(factor_graphs())
def test_all_marginals_equal_enumeration(graph: lg.FactorGraph) -> None:
    if answers := three_answers(lg.Marginals, "marginals", graph):
        expected, exact, floats = answers
        assert list(exact) == list(floats) == list(expected)
        for name in expected:
            assert_same_distribution(expected[name], exact[name], floats[name])


@given(factor_graphs())
def test_an_explanation_has_the_largest_weight(graph: lg.FactorGraph) -> None:
    if answers := three_answers(lg.Assignment, "explanation", graph):
        expected, exact, floats = answers
        assert exact.weight == expected.weight == weight(graph, exact.states)
        assert floats.log_weight == log_weight(graph, floats.states)
        assert floats.log_weight == pytest.approx(expected.log_weight, rel=CLOSE, abs=CLOSE)
        for answer in (exact, floats):
            agree = [answer.states[v] == state for v, state in graph.evidence.items()]
            assert all(agree)
            names = [graph.name(variable) for variable in range(graph.variable_count)]
            named = [graph.state(v, answer[name]) for v, name in enumerate(names)]
            assert tuple(named) == answer.states


@given(factor_graphs(), st.integers(1, 7))
def test_nothing_depends_on_the_size_of_chunks(graph: lg.FactorGraph, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("liftgraph.semiring.scaled.CHUNK", chunk)
        test_all_marginals_equal_enumeration.hypothesis.inner_test(graph)  # type: ignore[attr-defined]
        test_an_explanation_has_the_largest_weight.hypothesis.inner_test(graph)  # type: ignore[attr-defined]


@given(
    st.integers(1, 5), st.integers(2, 40), st.integers(1, 20), st.integers(1, 20), st.integers(0, 9)
)
def test_every_way_to_sum_products_gives_the_same(
    b: int, k: int, i: int, j: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    left = generator.integers(0, 9, (b, i, k))
    right = generator.integers(0, 9, (b, k, j))
    expected = np.einsum("bik,bkj->bij", left, right)
    floats = semiring.LOG.combine(semiring.LOG.evaluate(left), semiring.LOG.evaluate(right))
    assert np.allclose(floats.values, expected)
    exact = semiring.EXACT.combine(semiring.EXACT.evaluate(left), semiring.EXACT.evaluate(right))
    assert exact.tolist() == expected.tolist()


def test_several_variables_summed_at_once() -> None:
    """Two dense tables share ten variables, which all go in one step."""
    generator = np.random.default_rng(0)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(12)
    left, right = generator.integers(0, 5, 2**11), generator.integers(0, 5, 2**11)
    builder.add_factor([0, *range(1, 11)], left.tolist())
    builder.add_factor([11, *range(10, 0, -1)], right.tolist())
    graph = builder.build()
    tree = contraction_tree([graph.scope_of(0), graph.scope_of(1)], [2] * 12, kept=(0, 11))
    assert max(len(step.eliminated) for step in tree.steps) == 10
    swapped = right.reshape(2, *[2] * 10).transpose(0, *range(10, 0, -1)).reshape(2, -1)
    weights = left.reshape(2, -1) @ swapped.T
    expected = weights / weights.sum()
    assert np.allclose(graph.query(0, 11).probabilities, expected, rtol=1e-12)
    assert np.allclose(graph.query(0, 11, exact=True).probabilities, expected, rtol=1e-12)
    best = (left.reshape(2, 1, -1) * swapped.reshape(1, 2, -1)).max()
    assert graph.mpe(exact=True).weight == best
    assert graph.mpe().log_weight == pytest.approx(np.log(best))


def test_answers_can_be_shown_whatever_their_size() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(9_000)
    builder.add_factors(np.arange(9_000)[:, None], [10**9, 3])
    graph = builder.build()
    for exact in (False, True):
        assert "log Z" in repr(graph.partition(exact=exact))
        assert "log weight" in repr(graph.mpe(exact=exact))
    assert "9,000 variables" in repr(graph.marginals())
    assert "P(0)" in repr(graph.query(0, exact=True))


@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_plans_show_themselves_as_they_are_printed(method: Any) -> None:
    plan = lg.datasets.epid(4).ground().explain("Epid", method=method)
    assert repr(plan) == str(plan)
    assert repr(plan).startswith(f"{method} variable elimination\n")


def test_questions_as_other_libraries_put_them_are_refused_with_what_is_expected() -> None:
    graph = lg.datasets.epid(2).ground()
    ask: Any = graph.query
    one_by_one = r"expected variables one by one, and evidence as given=\{variable: state\}, got"
    for asked in (["Epid"], {"Sick.1": "true"}):
        with pytest.raises(lg.InputError, match=one_by_one):
            ask(asked)
    known = "given, do, exact, method, memory_limit, tolerance, search_seconds"
    for name in ("query", "marginals", "partition", "mpe", "explain"):
        with pytest.raises(lg.InputError, match=f"options among {known}, got evidence"):
            getattr(graph, name)(*["Epid"][: name == "query"], evidence={})
    with pytest.raises(lg.InputError, match="got tolerence"):
        graph.probability({"Epid": "true"}, tolerence=1)  # type: ignore[call-arg]
