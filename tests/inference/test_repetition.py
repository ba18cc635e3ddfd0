"""Equal components are answered once, and as if each were answered on its own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.ground import repeated
from liftgraph.inference.ground.absorption import absorbed
from liftgraph.inference.ground.conditioning import conditioned
from liftgraph.inference.ground.repeated import plan_repeated
from liftgraph.inference.ground.repetition import repetition
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import factor_graphs

LIMIT = 10**9


def weight(graph: lg.FactorGraph) -> Fraction:
    try:
        answer = brute_force(graph, Query("partition"))
    except lg.ZeroWeightError:
        return Fraction(0)
    assert isinstance(answer, lg.Partition)
    assert answer.z is not None
    return answer.z


@given(factor_graphs())
def test_taking_evidence_in_keeps_the_weight(graph: lg.FactorGraph) -> None:
    try:
        left = conditioned(graph)
    except lg.ZeroWeightError:
        assert weight(graph) == 0
        return
    assert weight(graph) == weight(left.graph) * product_of_powers(left.constants)
    assert not left.graph.evidence
    assert set(left.free.tolist()).isdisjoint(graph.evidence)


@given(factor_graphs())
def test_absorbing_keeps_the_weight(graph: lg.FactorGraph) -> None:
    try:
        left = conditioned(graph)
        fewer, constants = absorbed(left.graph)
    except lg.ZeroWeightError:
        assert weight(graph) == 0
        return
    assert weight(left.graph) == weight(fewer) * product_of_powers(constants)
    assert fewer.factor_count <= left.graph.factor_count
    arity = np.diff(fewer.scope_ptr)
    alone = fewer.scope[fewer.scope_ptr[:-1][arity == 1]].tolist()
    larger = {v for f in np.flatnonzero(arity > 1).tolist() for v in fewer.factors[f].scope}
    assert len(set(alone)) == len(alone)
    assert larger.isdisjoint(alone)


@st.composite
def copies(draw: st.DrawFn) -> lg.FactorGraph:
    """Copies of one or two small graphs, with the scopes of factors in another order, and
    evidence here and there."""
    builder, count = lg.FactorGraphBuilder(), 0
    tables = [[[3, 1], [1, 2]], [[2, 5], [7, 1]], [[1, 0], [2, 1]]]
    for _ in range(draw(st.integers(1, 2))):
        size = draw(st.integers(1, 3))
        pairs = draw(st.lists(st.sampled_from([(0, 1), (1, 2), (0, 2), (1, 0)]), max_size=3))
        drawn = [(pair, draw(st.sampled_from(tables))) for pair in pairs if max(pair) < size]
        unary = draw(st.lists(st.integers(0, size - 1), max_size=3))
        for _ in range(draw(st.integers(1, 3))):
            if count + size > 8:
                break
            first, count = count, count + size
            builder.add_variables(size)
            for variable in draw(st.permutations(unary)):
                builder.add_factor([first + variable], [1, 3])
            for (left, right), table in draw(st.permutations(drawn)):
                builder.add_factor([first + left, first + right], table)
    graph = builder.build()
    variables = st.integers(0, graph.variable_count - 1)
    return graph.observing(draw(st.dictionaries(variables, st.integers(0, 1), max_size=4)))


@given(copies())
def test_marginals_equal_enumeration(graph: lg.FactorGraph) -> None:
    query = Query("marginals", exact=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated, "_MANY", 0)
        patch.setattr(repeated, "_WORTH_WHILE", 1)
        try:
            plan = plan_repeated(graph, query, LIMIT)
            assert plan is not None
            answer = plan.run()
        except lg.ZeroWeightError:
            assert weight(graph) == 0
            return
    expected = brute_force(graph, query)
    assert isinstance(expected, lg.Marginals)
    assert answer.log_z == pytest.approx(expected.log_z, abs=1e-12)
    assert {name: answer[name].exact for name in answer} == {
        name: expected[name].exact for name in expected
    }


def rings(*sizes: int) -> lg.FactorGraph:
    """Rings of equal tables: colours do not tell their lengths apart."""
    builder, first = lg.FactorGraphBuilder(), 0
    for size in sizes:
        builder.add_variables(size)
        for place in range(size):
            builder.add_factor([first + place, first + (place + 1) % size], [[3, 1], [1, 2]])
        first += size
    return builder.build()


def test_rings_of_other_lengths_are_not_equal() -> None:
    found = repetition(rings(3, 6, 3))
    assert found.times.tolist() == [1, 1, 1]
    assert found.stands_for.tolist() == list(range(12))


def test_equal_components_are_eliminated_once() -> None:
    """The work does not grow with the number of equal components."""
    works = []
    for count in (400, 4000):
        builder = lg.FactorGraphBuilder()
        builder.add_variables(3 * count)
        firsts = np.arange(count)[:, None] * 3
        builder.add_factors(firsts + [[0, 1]], [3, 1, 1, 2])
        builder.add_factors(firsts + [[1, 2]], [3, 1, 1, 4])
        builder.add_factors(firsts, [1, 3])
        graph = builder.build().observing({0: 1, 4: 0, 7: 1})
        plan = plan_repeated(graph, Query("marginals"), LIMIT)
        assert plan is not None
        assert len(plan.run().distributions) < 20
        works.append(plan.work)
    assert works[0] == works[1]
