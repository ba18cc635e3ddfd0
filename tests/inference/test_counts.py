"""Count factors, gates and noisy-ORs against the tables that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.exact import log
from liftgraph.inference import methods
from liftgraph.model.query import Query
from tests.brute_force import brute_force

KINDS = ["marginals", "partition", "explanation", "marginal"]
Adds = Callable[[lg.FactorGraphBuilder], object]
PROBABILITIES = st.fractions(0, 1, max_denominator=8)
WEIGHTS = st.integers(0, 4)


def expanded(graph: lg.FactorGraph) -> lg.FactorGraph:
    """The graph with a table for each potential."""
    return replace(graph, potentials=tuple(graph.tables))


@st.composite
def count_factors(draw: st.DrawFn, scope: list[int], states: int) -> Adds:
    """One of the factors that depend on counts, over these variables."""
    kind = draw(st.sampled_from(["count", "weighted", "histograms", "gate", "or", "and", "max"]))
    *causes, child = scope
    state = draw(st.integers(0, states - 1))
    match kind:
        case "count":
            potentials = draw(st.lists(WEIGHTS, min_size=len(scope) + 1, max_size=len(scope) + 1))
            return lambda builder: builder.add_count_factor(scope, potentials, state)
        case "weighted":
            weights = draw(st.lists(WEIGHTS, min_size=len(scope), max_size=len(scope)))
            least = draw(st.integers(0, sum(weights)))
            return lambda builder: builder.add_count_factor(
                scope, lg.at_least(least), state, weights
            )
        case "histograms":
            modulus = draw(st.integers(1, 5))
            return lambda builder: builder.add_count_factor(
                scope, lambda histogram: 1 + hash(histogram) % modulus, None
            )
        case "gate" if states == 2 and causes:
            count = len(causes) + 1
            p = draw(st.lists(PROBABILITIES, min_size=count, max_size=count))
            return lambda builder: builder.add_gate(child, causes, p, state)
        case "or" | "and" if states == 2:
            p = draw(st.lists(PROBABILITIES, min_size=len(causes), max_size=len(causes)))
            listed, leak = dict(zip(causes, p, strict=True)), draw(PROBABILITIES)
            if kind == "or":
                return lambda builder: builder.add_noisy_or(child, listed, leak, state)
            return lambda builder: builder.add_noisy_and(child, listed, leak, state)
    row = st.lists(st.integers(0, 3), min_size=states, max_size=states).filter(any)
    rows = draw(st.lists(row, min_size=states, max_size=states))
    distribution = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    return lambda builder: builder.add_noisy_max(child, dict.fromkeys(causes, distribution))


@st.composite
def graphs(draw: st.DrawFn) -> lg.FactorGraph:
    """Count factors and tables over the same few variables, some of them observed."""
    states = draw(st.sampled_from([2, 2, 3]))
    count = draw(st.integers(2, 6 if states == 2 else 4))
    builder = lg.FactorGraphBuilder()
    builder.add_variables(count, states)
    for _ in range(draw(st.integers(1, 2))):
        scope = draw(st.lists(st.integers(0, count - 1), unique=True, min_size=1, max_size=count))
        draw(count_factors(scope, states))(builder)
    size = states**2
    for variable in range(count - 1):
        if draw(st.booleans()):
            table = draw(st.lists(WEIGHTS, min_size=size, max_size=size))
            builder.add_factor([variable, variable + 1], table)
    observed = draw(st.dictionaries(st.integers(0, count - 1), st.integers(0, 1), max_size=2))
    return builder.build().observing(observed)


def ask(graph: lg.FactorGraph, query: Query, method: str) -> Any:
    try:
        return methods.plan(graph, query, method=method).run()
    except lg.ZeroWeightError:
        return None


@given(graphs(), st.sampled_from(KINDS), st.sampled_from(["ground", "auto", "lifted"]))
def test_answers_equal_enumeration(graph: lg.FactorGraph, kind: str, method: str) -> None:
    variables = (0, graph.variable_count - 1) if kind == "marginal" else ()
    exact = ask(graph, Query(kind, variables, exact=True), method)
    floats = ask(graph, Query(kind, variables), method)
    try:
        expected = brute_force(expanded(graph), Query(kind, variables))
    except lg.ZeroWeightError:
        assert exact is None
        assert floats is None
        return
    match expected:
        case lg.Partition():
            assert exact.z == expected.z
            assert floats.log_z == pytest.approx(expected.log_z, rel=1e-9, abs=1e-9)
        case lg.Assignment():
            assert exact.weight == expected.weight
            assert floats.log_weight == pytest.approx(expected.log_weight, rel=1e-9, abs=1e-9)
        case lg.Marginal():
            assert exact.exact == expected.exact
            assert np.allclose(floats.probabilities, expected.probabilities, rtol=1e-9)
        case lg.Marginals():
            for name in expected:
                assert exact[name].exact == expected[name].exact
                assert np.allclose(floats[name].probabilities, expected[name].probabilities)
        case _:
            raise AssertionError(expected)


def coins(pairs: list[tuple[int, int]], potentials: Any, **options: Any) -> lg.FactorGraph:
    """Coins with these weights of heads ("true") and tails, and a count factor over all."""
    builder = lg.FactorGraphBuilder()
    variables = builder.add_variables(len(pairs))
    for variable, pair in zip(variables, pairs, strict=True):
        builder.add_factor([variable], list(pair))
    builder.add_count_factor(variables, potentials, **options)
    return builder.build()


def polynomial(weights: list[tuple[int, int]], steps: list[int]) -> list[int]:
    """The naive twin: the weight of each sum, coin by coin, in integers."""
    sums = [1]
    for (heads, tails), step in zip(weights, steps, strict=True):
        longer = [tails * weight for weight in sums] + [0] * step
        for place, weight in enumerate(sums):
            longer[place + step] += heads * weight
        sums = longer
    return sums


COINS = [(1 + coin % 7, 3 + (5 * coin) % 11) for coin in range(61)]  # most of them differ


@pytest.mark.parametrize("steps", [[1] * 61, [coin % 4 for coin in range(61)]])
def test_many_coins_that_differ(steps: list[int]) -> None:
    potentials = [(7 * k) % 5 for k in range(sum(steps) + 1)]
    graph = coins(COINS, potentials, weights=steps)
    sums = polynomial(COINS, steps)
    z = sum(p * weight for p, weight in zip(potentials, sums, strict=True))
    assert graph.partition(exact=True).z == z
    assert graph.partition().log_z == pytest.approx(log(Fraction(z)), rel=1e-12)
    others = polynomial(COINS[1:], steps[1:])
    heads = COINS[0][0] * sum(potentials[k + steps[0]] * w for k, w in enumerate(others))
    assert graph.query(0, exact=True).exact["true"] == Fraction(heads, z)
    exact, floats = graph.marginals(exact=True), graph.marginals()
    assert exact["0"].exact["true"] == Fraction(heads, z)
    for name in exact:
        assert np.allclose(exact[name].probabilities, floats[name].probabilities, rtol=1e-11)


def test_the_best_of_many_coins() -> None:
    """At least 50 heads: those coins are turned that lose least."""
    graph = coins(COINS, lg.at_least(50))
    loss = sorted(Fraction(tails, heads) for heads, tails in COINS)
    best = Fraction(1)
    for heads, _ in COINS:
        best *= heads
    for ratio in reversed(loss[50:]):
        best *= max(ratio, Fraction(1))
    for exact in (True, False):
        explanation = graph.mpe(exact=exact, method="ground")
        assert sum(state == 0 for state in explanation.states) >= 50
        assert explanation.log_weight == pytest.approx(log(best), rel=1e-12)
    assert graph.mpe(exact=True).weight == best


def test_no_large_table_is_made() -> None:
    graph = coins([(1, 2 + coin) for coin in range(800)], lg.at_most(500))
    for question in (graph.explain(0), graph.explain()):
        assert question.peak_bytes < 100_000_000
    assert graph.query(0, memory_limit=10**8)["true"] > 0


def test_a_noisy_or_of_many_causes() -> None:
    """Given the causes, the effect is absent with the product of what each leaves."""
    builder = lg.FactorGraphBuilder()
    causes = builder.add_variables(500)
    child = builder.add_variable("Effect")
    chances = {cause: Fraction(1 + cause % 5, 1000) for cause in causes}
    for cause in causes:
        builder.add_factor([cause], [1 + cause % 3, 4])
    builder.add_noisy_or(child, chances, leak="0.01")
    absent = Fraction(99, 100)
    for cause, p in chances.items():
        prior = Fraction(1 + cause % 3, 5 + cause % 3)
        absent *= 1 - prior * p
    graph = builder.build()
    assert graph.query("Effect", exact=True).exact["false"] == absent
    assert graph.query("Effect")["false"] == pytest.approx(float(absent), rel=1e-12)
    with pytest.raises(lg.MemoryLimitError, match="a noisy-OR or noisy-MAX over 501 variables"):
        graph.mpe()


@pytest.mark.parametrize(
    ("add", "problem"),
    [
        (lambda b: b.add_count_factor(["A", "B"], [1, 2]), "expected 3 potentials, for 0 to 2"),
        (lambda b: b.add_count_factor(["A", "A"], [1, 2, 3]), "lists a variable twice"),
        (lambda b: b.add_count_factor([], [1]), "expected variables to count, got none"),
        (lambda b: b.add_count_factor(["A"], {2: 1}), "numbers from 0 to 1, got one of 2"),
        (lambda b: b.add_count_factor(["A"], 7), "as a list, a mapping or a function, got 7"),
        (lambda b: b.add_count_factor(["A"], [1, 2], "red"), "expected a state of every counted"),
        (lambda b: b.add_count_factor(["A"], [1, 2], weights=[-1]), "integers from 0 on"),
        (lambda b: b.add_count_factor(["A"], [1, 2], None), "a function of histograms"),
        (lambda b: b.add_count_factor(["A", "C"], str, None), "with the same states"),
        (lambda b: b.add_count_factor(["A"], [1, -2]), "expected a non-negative"),
        (lambda b: b.add_noisy_or("A", {"B": "1.5"}), "expected a probability from 0 to 1"),
        (lambda b: b.add_noisy_or("C", {"B": "0.5"}), "a child with two states, got 3"),
        (lambda b: b.add_noisy_and("A", {"C": 1}), "expected a state of every cause"),
        (lambda b: b.add_noisy_max("C", {"A": [[1, 0, 0], [0, 1, 1]]}), "add up to 1, got 2"),
        (lambda b: b.add_gate("C", ["A"], [0, 1]), "a child with two states, got 3"),
        (lambda b: b.add_gate("A", ["B"], [0, 2]), "expected a probability from 0 to 1"),
    ],
)
def test_bad_input_is_named(add: Callable[[lg.FactorGraphBuilder], Any], problem: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_variable("C", 3)
    with pytest.raises(lg.InputError, match=problem) as error:
        add(builder)
    assert str(error.value).startswith("factor 0")
