"""Ground elimination against enumeration in exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.brute_force import brute_force
from liftgraph.inference.query import Query
from liftgraph.inference.weight import weight
from tests.strategies import factor_graphs

CLOSE = 1e-9


def answer(graph: lg.FactorGraph, query: Query) -> object:
    try:
        return lg.run(lg.plan(graph, query))
    except lg.ZeroWeightError:
        return None


def oracle(graph: lg.FactorGraph, query: Query) -> object:
    try:
        return brute_force(graph, query)
    except lg.ZeroWeightError:
        return None


@st.composite
def queries(draw: st.DrawFn) -> tuple[lg.FactorGraph, tuple[int, ...]]:
    graph = draw(factor_graphs().filter(lambda graph: graph.variable_count > 0))
    variables = draw(
        st.lists(st.sampled_from(range(graph.variable_count)), unique=True, min_size=1, max_size=3)
    )
    return graph, tuple(variables)


@given(queries())
def test_a_query_equals_enumeration(case: tuple[lg.FactorGraph, tuple[int, ...]]) -> None:
    graph, variables = case
    expected = oracle(graph, Query("marginal", variables))
    exact = answer(graph, Query("marginal", variables, exact=True))
    floats = answer(graph, Query("marginal", variables))
    if expected is None:
        assert exact is None
        assert floats is None
        return
    assert isinstance(expected, lg.Marginal)
    assert isinstance(exact, lg.Marginal)
    assert isinstance(floats, lg.Marginal)
    assert exact.exact == expected.exact
    assert np.allclose(floats.probabilities, expected.probabilities, rtol=CLOSE, atol=1e-300)
    assert floats.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)
    assert exact.variables == expected.variables
    assert exact.states == expected.states


@given(factor_graphs())
def test_log_z_equals_enumeration(graph: lg.FactorGraph) -> None:
    expected = oracle(graph, Query("partition"))
    exact = answer(graph, Query("partition", exact=True))
    floats = answer(graph, Query("partition"))
    if expected is None:
        assert exact is None
        assert floats is None
        return
    assert isinstance(expected, lg.Partition)
    assert isinstance(exact, lg.Partition)
    assert isinstance(floats, lg.Partition)
    assert exact.z == expected.z
    assert floats.z is None
    assert floats.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)


@given(factor_graphs())
def test_all_marginals_equal_enumeration(graph: lg.FactorGraph) -> None:
    expected = oracle(graph, Query("marginals"))
    exact = answer(graph, Query("marginals", exact=True))
    floats = answer(graph, Query("marginals"))
    if expected is None:
        assert exact is None
        assert floats is None
        return
    assert isinstance(expected, dict)
    assert isinstance(exact, dict)
    assert isinstance(floats, dict)
    assert list(exact) == list(expected)
    for name, marginal in expected.items():
        assert exact[name].exact == marginal.exact
        assert np.allclose(
            floats[name].probabilities, marginal.probabilities, rtol=CLOSE, atol=1e-300
        )


@given(factor_graphs())
def test_an_explanation_has_the_largest_weight(graph: lg.FactorGraph) -> None:
    expected = oracle(graph, Query("explanation"))
    exact = answer(graph, Query("explanation", exact=True))
    floats = answer(graph, Query("explanation"))
    if expected is None:
        assert exact is None
        assert floats is None
        return
    assert isinstance(expected, lg.Explanation)
    assert isinstance(exact, lg.Explanation)
    assert isinstance(floats, lg.Explanation)
    assert exact.weight == expected.weight == weight(graph, exact.states)
    assert all(exact.states[variable] == state for variable, state in graph.evidence.items())
    assert floats.log_weight == pytest.approx(expected.log_weight, rel=CLOSE, abs=CLOSE)
