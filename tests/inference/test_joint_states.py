"""Most probable joint states of some variables: against enumeration, in both ways to find them."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.joint_states import choosing
from liftgraph.inference.joint_states.branch_and_bound import branch_and_bound
from liftgraph.inference.joint_states.sums_first import sums_first
from liftgraph.inference.weight import weight
from liftgraph.model.query import Query
from tests.inference.test_counts import graphs as count_graphs
from tests.strategies import bayesian_networks, factor_graphs, symmetric_graphs

STRATEGIES = [sums_first, branch_and_bound]


@pytest.fixture(params=STRATEGIES, ids=lambda strategy: strategy.__name__)
def strategy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to find joint states, as if the other one needed too much memory."""
    monkeypatch.setattr(choosing, "STRATEGIES", [request.param])


def listed(graph: lg.FactorGraph, asked: list[int]) -> Counter[tuple[int, ...]]:
    """The weights of all joint states of some variables, by enumeration."""
    choices = [range(size) for size in graph.cardinalities.tolist()]
    for variable, state in graph.evidence.items():
        choices[variable] = range(state, state + 1)
    weights: Counter[tuple[int, ...]] = Counter()
    for states in product(*choices):
        weights[tuple(states[v] for v in asked)] += weight(graph, states)  # type: ignore[assignment]
    return weights


def check(graph: lg.FactorGraph, asked: list[int], **options: object) -> None:
    """The answer attains the maximum, and says so, in fractions and in floats."""
    weights = listed(graph, asked)
    total = sum(weights.values())
    if not total:
        with pytest.raises(lg.ZeroWeightError):
            graph.map(*asked, exact=True, **options)  # type: ignore[arg-type]
        return
    best = graph.map(*asked, exact=True, **options)  # type: ignore[arg-type]
    assert best.weight == weights[best.states] == max(weights.values())
    assert best.fraction == Fraction(best.weight) / total
    assert best.probability == float(best.fraction)
    assert list(best) == [graph.name(v) for v in asked]
    assert [best[v] for v in asked] == [best[graph.name(v)] for v in asked]
    floats = graph.map(*asked, **options)  # type: ignore[arg-type]
    assert weights[floats.states] / best.weight == pytest.approx(1, rel=1e-9)
    assert floats.probability == pytest.approx(best.probability, rel=1e-9)
    assert floats.log_weight == pytest.approx(best.log_weight, rel=1e-9, abs=1e-9)


some_variables = st.randoms(use_true_random=False)


@pytest.mark.usefixtures("strategy")
@given(
    factor_graphs()
    | symmetric_graphs()
    | bayesian_networks().map(lambda drawn: drawn[0])
    | count_graphs(),
    st.randoms(use_true_random=False),
)
def test_the_maximum_is_attained(graph: lg.FactorGraph, random: object) -> None:
    """With zeros, evidence, one-state variables, count factors and scales."""
    variables = list(range(graph.variable_count))
    if variables:
        random.shuffle(variables)  # type: ignore[attr-defined]
        check(graph, variables[: random.randint(1, len(variables))], method="ground")  # type: ignore[attr-defined]


def test_a_maximum_of_sums_is_not_a_sum_of_maxima() -> None:
    """The state of A in a best assignment of both variables is not the best one of A alone."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["one", "other"])
    builder.add_variable("B", ["x", "y", "z"])
    builder.add_factor(["A", "B"], [[4, 0, 0], [2, 2, 2]])
    graph = builder.build()
    assert graph.mpe()["A"] == "one"
    assert graph.map("A", exact=True).fraction == Fraction(6, 10)
    assert dict(graph.map("A")) == {"A": "other"}


def grid(rows: int, columns: int) -> lg.FactorGraph:
    """A grid with different tables everywhere."""
    random = Random(rows * columns)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(rows * columns)
    for variable in range(rows * columns):
        builder.add_factor([variable], [1 + random.randrange(9) for _ in range(2)])
        for other in [variable + 1] * ((variable + 1) % columns > 0) + [variable + columns]:
            if other < rows * columns:
                builder.add_factor([variable, other], [1 + random.randrange(9) for _ in range(4)])
    return builder.build()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.usefixtures("strategy")
def test_memory_is_as_predicted(exact: bool) -> None:
    plan = methods.plan(grid(8, 8), Query("map", tuple(range(0, 64, 5)), exact), method="ground")
    plan.run()  # what is computed once and kept
    tracemalloc.start()
    try:
        plan.run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= plan.peak_bytes


def test_a_search_takes_the_place_of_tables_that_are_too_large() -> None:
    """With little memory, the answer is the same; with still less, there is none."""
    graph, asked = grid(8, 8), range(0, 64, 4)
    first = methods.plan(graph, Query("map", tuple(asked), True), method="ground")
    assert "sum" in first.text
    limit = first.peak_bytes - 1
    then = methods.plan(graph, Query("map", tuple(asked), True), memory_limit=limit)
    assert "branch and bound" in then.text
    assert then.peak_bytes <= limit
    both = [cast(lg.JointState, plan.run()) for plan in (first, then)]
    assert both[0].weight == both[1].weight
    with pytest.raises(lg.MemoryLimitError, match=r"eliminating \d+"):
        graph.map(*asked, exact=True, memory_limit=then.peak_bytes // 10)


def test_what_is_asked_wrongly_is_refused() -> None:
    graph = lg.datasets.asia()
    for asked, expected in [
        ((), "at least one variable"),
        (("smoke", "smoke"), "distinct variables"),
        (("smok",), r"did you mean smoke\?"),
        ((["smoke"],), "one by one"),
    ]:
        with pytest.raises(lg.InputError, match=expected):
            graph.map(*asked)  # type: ignore[arg-type]
    observed = graph.map("smoke", "lung", given={"smoke": "yes"}, exact=True)
    assert observed.fraction == Fraction(9, 10)
    assert dict(observed) == {"smoke": "yes", "lung": "no"}


def test_given_counts(strategy: None) -> None:
    """Evidence about counts, on a graph and on a lifted model; a count itself is refused."""
    graph = lg.datasets.asia()
    one = lg.count(["lung", "tub"], "yes")
    weights = {"yes": Fraction(0), "no": Fraction(0)}
    for lung, tub, smoke in product(["yes", "no"], repeat=3):
        if (lung == "yes") + (tub == "yes") == 1:
            event = {"lung": lung, "tub": tub, "smoke": smoke}
            weights[smoke] += cast(Fraction, graph.probability(event, exact=True))
    best = graph.map("smoke", given={one: 1}, exact=True)
    assert best.fraction == max(weights.values()) / sum(weights.values())
    assert weights[best["smoke"]] == max(weights.values())
    with pytest.raises(lg.InputError, match="expected variables"):
        graph.map(cast(str, one))
    model = lg.datasets.epid(3)
    for method in ("lifted", "ground"):
        given = {lg.count("Sick", "true"): 1}
        answer = model.map("Sick", given=given, method=method, exact=True)
        assert sorted(answer.values()) == ["false", "false", "true"]
        assert answer.fraction == Fraction(1, 3)
