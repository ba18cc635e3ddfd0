"""Questions, evidence and events about counts against sums over all assignments."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import comb
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.counts import Count, event_of
from liftgraph.model.ground.counted import counted_variables
from tests.relational import relational_models
from tests.strategies import factor_graphs

Assignments = list[tuple[tuple[int, ...], Fraction]]
TINY = 1e-300
METHODS = st.sampled_from(["auto", "lifted", "ground"])


def assignments(graph: lg.FactorGraph) -> Assignments:
    """The naive twin: all assignments that agree with the evidence, and their weights."""
    factors = [factor.parts for factor in graph.factors]
    listed = []
    for states in product(*map(range, graph.cardinalities.tolist())):
        if all(states[variable] == state for variable, state in graph.evidence.items()):
            weight = Fraction(1)
            for scope, table in factors:
                weight *= table.potential([states[variable] for variable in scope])
            listed.append((states, weight))
    return listed


def number(graph: lg.FactorGraph, count: Count, states: tuple[int, ...]) -> int:
    """What a count is in an assignment."""
    variables = counted_variables(graph, count)
    weights = count.weights or (1,) * len(variables)
    return sum(
        weight * (graph.states(v)[states[v]] == str(count.state))
        for v, weight in zip(variables, weights, strict=True)
    )


def distribution(graph: lg.FactorGraph, asked: list[Any], given: Any) -> dict[Any, Fraction]:
    """The distribution of counts and variables, given counts in ranges."""
    total: dict[Any, Fraction] = defaultdict(Fraction)
    for states, weight in assignments(graph):
        numbers = [(event_of(c, value), number(graph, c, states)) for c, value in given.items()]
        if all(event.holds(np.array(n)) for event, n in numbers):
            key = tuple(
                str(number(graph, one, states))
                if isinstance(one, Count)
                else graph.states(graph.variable(one))[states[graph.variable(one)]]
                for one in asked
            )
            total[key] += weight
    z = sum(total.values(), Fraction(0))
    return {key: weight / z for key, weight in total.items()} if z else {}


def outcome(model: Any, asked: list[Any], given: Any, **options: Any) -> dict[Any, Any] | None:
    try:
        answer = model.query(*asked, given=given, **options)
    except lg.ZeroWeightError:
        return {}
    except lg.ComputationError:
        return None
    listed = answer.exact if options.get("exact") else dict(answer)
    return {k if isinstance(k, tuple) else (k,): p for k, p in listed.items() if p}


def a_count(graph: lg.FactorGraph, random: Random) -> Count:
    """A count of some variables of a graph in one of their states."""
    state = random.choice(graph.states(random.randrange(graph.variable_count)))
    having = [v for v in range(graph.variable_count) if state in graph.states(v)]
    chosen = random.sample(having, random.randint(1, len(having)))
    weights = [1 + v % 3 for v in range(len(chosen))] if random.random() < 0.3 else None
    return lg.count([graph.name(v) for v in chosen], state, weights=weights)


def a_question(graph: lg.FactorGraph, random: Random) -> tuple[list[Any], dict[Any, Any]]:
    """What is asked, and counts that are observed."""
    asked: list[Any] = [a_count(graph, random)]
    if random.random() < 0.5:
        asked.append(graph.name(random.randrange(graph.variable_count)))
    given = {}
    if random.random() < 0.5:
        observed = a_count(graph, random)
        largest = sum(observed.weights or [1] * len(observed.variables))
        least = random.randint(0, largest)
        given[observed] = random.choice([least, range(least, largest + 2)])
    return asked, given


def check(model: Any, graph: lg.FactorGraph, asked: Any, given: Any, method: str) -> None:
    expected = {k: p for k, p in distribution(graph, asked, given).items() if p}
    exact = outcome(model, asked, given, exact=True, method=method)
    assert exact is None or exact == expected
    floats = outcome(model, asked, given, method=method)
    assert (floats is None) == (exact is None)
    if floats is not None:  # smaller ones have lost digits to underflow
        visible = {k: float(p) for k, p in expected.items() if p > TINY}
        assert {k: p for k, p in floats.items() if p > TINY} == pytest.approx(visible, rel=1e-9)


@given(factor_graphs(), st.integers(0, 10**6), METHODS)
def test_counts_on_factor_graphs(graph: lg.FactorGraph, seed: int, method: str) -> None:
    assume(graph.variable_count > 0 and np.prod(graph.cardinalities) <= 300)
    check(graph, graph, *a_question(graph, Random(seed)), method)


@given(relational_models(), st.integers(0, 10**6), METHODS)
def test_counts_on_lifted_models(model: lg.ParfactorGraph, seed: int, method: str) -> None:
    assume(0 < model.variable_count <= 9)
    graph = model.ground()
    assume(np.prod(graph.cardinalities) <= 600)
    check(model, graph, *a_question(graph, Random(seed)), method)


def people(size: int) -> lg.ParfactorGraph:
    P = lg.LogVar("P", size)
    epidemic, sick = lg.prv("Epid"), lg.prv("Sick", P)
    return lg.ParfactorGraph.of(
        [lg.parfactor([epidemic], [1, 9]), lg.parfactor([sick, epidemic], [3, 1, 1, 5])]
    )


def test_a_count_of_a_prv_has_the_distribution_of_a_mixture_of_binomials() -> None:
    model, n = people(60), 60
    weights = [3**k + 9 * 5 ** (n - k) for k in range(n + 1)]
    expected = [Fraction(comb(n, k) * w) for k, w in enumerate(weights)]
    total = sum(expected)
    answer = model.query(lg.count("Sick"), exact=True)
    assert [answer.exact[str(k)] for k in range(n + 1)] == [w / total for w in expected]
    assert answer.variables == ("#Sick=true",)
    tail = sum(expected[40:]) / total
    assert answer.at_least(40) == tail
    assert answer.at_most(39) == 1 - tail
    assert answer.mean == sum(k * w for k, w in enumerate(expected)) / total
    assert model.probability(lg.count("Sick") >= 40, exact=True) == tail
    assert model.probability(lg.count("Sick") > 39) == pytest.approx(float(tail), rel=1e-12)
    assert model.probability(lg.count("Sick") <= 39, exact=True) == 1 - tail
    assert model.probability(lg.count("Sick") < 40, exact=True) == 1 - tail
    floats = model.query(lg.count("Sick"))
    assert np.allclose(floats.probabilities, answer.probabilities, rtol=1e-12, atol=0)
    assert floats.quantile(0.0) == 0
    middle = floats.quantile(0.5)
    assert floats.at_most(middle) >= 0.5 > floats.at_most(middle - 1)


def test_counts_among_individuals_and_by_name() -> None:
    model = people(4)
    part = lg.count("Sick", among={"P": ["1", "3"]})
    same = lg.count(["Sick.1", "Sick.3"])
    assert model.query(part, exact=True).exact == model.query(same, exact=True).exact
    graph = model.ground()
    for method in ("auto", "ground", "lifted"):
        everyone = graph.query(lg.count("Sick"), exact=True, method=method)
        assert everyone.exact == model.query(lg.count("Sick"), exact=True).exact
    given = {lg.count("Sick"): 1}
    for question in ("marginals", "partition", "mpe"):
        lifted, ground = (getattr(m, question)(given=given, exact=True) for m in (model, graph))
        match question:
            case "marginals":
                assert all(lifted[name].exact == ground[name].exact for name in ground)
            case "partition":
                assert lifted.z == ground.z
            case "mpe":
                assert lifted.weight == ground.weight
    expected = graph.marginals(given={same: range(2)}, exact=True)
    assert (
        model.marginals(given={part: range(2)}, exact=True)["Epid"].exact == expected["Epid"].exact
    )


def test_a_count_of_a_hundred_thousand_people_can_be_observed() -> None:
    model = people(100_000)
    answer = model.query("Epid", given={lg.count("Sick"): 16_667})
    assert answer["false"] == pytest.approx(1)
    with pytest.raises(lg.MemoryLimitError, match="would need a table of"):
        model.query(lg.count("Sick"), method="lifted")


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda m: m.query(lg.count("Sik")), "expected the name of a PRV to count"),
        (lambda m: m.query(lg.count("Sick", "red")), "expected a state of Sick"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): 7}), "a number from 0 to 4, got 7"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): -1}), "an integer or a range"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): 0.5}), "an integer or a range"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): range(5, 9)}), "got 5 to 8"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): range(0, 4, 2)}), "without steps"),
        (lambda m: m.query(lg.count("Sick"), lg.count("Sick")), "expected distinct counts"),
        (lambda m: m.query(lg.count(["Sick.1", "Sick.1"])), "expected distinct variables"),
        (lambda m: m.query(lg.count("Sick", among={"Q": "1"})), r"a logvar of Sick \(P\), got Q"),
        (lambda m: m.query(lg.count("Sick", among={"P": "9"})), "individuals of P, got 9"),
        (lambda m: m.ground().query(lg.count("Sick", among={"P": "1"})), "a lifted model"),
        (lambda m: lg.count([]), "expected variables to count in a list"),
        (lambda m: lg.count("Sick", weights=[1]), "a weight for each of a list"),
        (
            lambda m: lg.count("Sick") >= cast(int, "many"),
            "expected an integer to compare",
        ),
        (lambda m: m.query("Epid").mean, "expected one variable with numbers as states"),
        (lambda m: m.query(lg.count("Sick")).quantile(2), "a share from 0 to 1, got 2"),
        (lambda m: m.query(lg.count("Sick"), speed=1), "expected options among"),
    ],
)
def test_bad_input_is_named(ask: Any, problem: str) -> None:
    with pytest.raises(lg.InputError, match=problem):
        ask(people(4))


def test_what_equals_a_state_as_a_key_is_not_taken_for_it() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"], states=["1", "true", "2"])
    for name in ("A", "B"):
        builder.add_factor([name], [1, 2, 5])
    graph = builder.build()
    for model in (graph, lg.lift(graph)):
        for _ in range(2):
            for state, share in (
                (1, Fraction(1, 8)),
                (True, Fraction(1, 4)),
                ("1", Fraction(1, 8)),
            ):
                answer = model.query(lg.count(["A", "B"], state), exact=True)
                assert answer.exact["2"] == share**2
    with pytest.raises(lg.InputError, match="expected names or indices to count"):
        lg.count([True, 0])


def test_models_that_differ_in_evidence_do_not_share_counts() -> None:
    model, count = people(4), lg.count("Sick")
    for one in (model, model.ground()):
        free = one.query(count, exact=True)
        sick = one.given({"Sick.1": "true"}).query(count, exact=True)
        again = one.query(count, exact=True)
        assert free.exact == again.exact != sick.exact
        assert sick.exact["0"] == 0
