"""Dynamic models against unrolled ones, a loop over counts, and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from tests.dynamic_models import Example, evidence, example, on_day
from tests.inference.test_memory import used_bytes

RANDOM = st.randoms(use_true_random=True)  # others prefer small numbers: most models have zeros
LARGEST = 14  # variables of an unrolled model


def drawn(random: Random) -> Example:
    chosen = example(random)
    assume(chosen.size <= LARGEST)
    return chosen


def unrolled_answer(chosen: Example, day: int, days: int) -> Any:
    """What the unrolled model of some days says about one of them."""
    graph = chosen.model.unrolled(days).ground()
    asked = [on_day(one, day) for one in chosen.asked]
    observed = evidence(chosen.observations[:days])
    return graph.query(*asked, given=observed, exact=True, method="ground").fractions


def answered(chosen: Example, ask: Callable[[], Any]) -> Any:
    """An answer about all days; None if it is refused, or if the unrolled model has none either."""
    try:
        return ask()
    except lg.ZeroWeightError:
        with pytest.raises((lg.ZeroWeightError, lg.InputError)):
            unrolled_answer(chosen, 0, len(chosen.observations))
    except lg.ComputationError as error:
        assert "depend on other counts" in str(error)
    return None


@given(RANDOM, st.booleans())
def test_filtering_is_asking_the_days_so_far(random: Random, exact: bool) -> None:
    chosen = drawn(random)
    days = answered(
        chosen, lambda: chosen.model.filter(chosen.observations, *chosen.asked, exact=exact)
    )
    for day, answer in enumerate(days or ()):
        assert_equal(answer, unrolled_answer(chosen, day, day + 1))


@given(RANDOM, st.booleans())
def test_smoothing_is_asking_all_days(random: Random, exact: bool) -> None:
    chosen = drawn(random)
    days = answered(
        chosen, lambda: chosen.model.smooth(chosen.observations, *chosen.asked, exact=exact)
    )
    for day, answer in enumerate(days or ()):
        assert_equal(answer, unrolled_answer(chosen, day, len(days)))


@settings(max_examples=20)
@given(RANDOM)
def test_floats_are_right_whatever_the_range_of_potentials(random: Random) -> None:
    chosen = example(random, wide=True)
    assume(chosen.size <= LARGEST)
    for question in (chosen.model.filter, chosen.model.smooth):
        try:
            exact = question(chosen.observations, *chosen.asked, exact=True)
        except lg.ComputationError:
            return
        floats = question(chosen.observations, *chosen.asked)
        for one, other in zip(floats, exact, strict=True):
            np.testing.assert_allclose(
                one.probabilities, other.probabilities, rtol=1e-9, atol=1e-28
            )


def assert_equal(answer: lg.Marginal, expected: Any) -> None:
    if answer.fractions is not None:
        assert (answer.fractions == expected).all()
    np.testing.assert_allclose(answer.probabilities, expected.astype(float), rtol=1e-11, atol=1e-28)


@given(RANDOM)
def test_likelihood_is_a_ratio_of_weights(random: Random) -> None:
    chosen = drawn(random)
    graph = chosen.model.unrolled(len(chosen.observations)).ground()
    try:
        exact = chosen.model.likelihood(chosen.observations)
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            graph.partition(method="ground")
        return
    except lg.ComputationError as error:
        assert "depend on other counts" in str(error)
        return
    everything = graph.partition(exact=True, method="ground")
    floats = chosen.model.log_likelihood(chosen.observations)
    assert everything.z is not None
    try:
        observed = graph.partition(given=evidence(chosen.observations), exact=True, method="ground")
    except (lg.ZeroWeightError, lg.InputError):  # a day contradicts itself
        assert exact == 0
        assert floats == chosen.model.log_likelihood(chosen.observations, exact=True) == -math.inf
        return
    assert observed.z is not None
    assert exact == observed.z / everything.z
    assert math.isclose(floats, math.log(exact), rel_tol=1e-11, abs_tol=1e-11)


@given(RANDOM)
def test_the_path_is_that_of_a_most_probable_assignment(random: Random) -> None:
    chosen = drawn(random)
    model, days = chosen.model, len(chosen.observations)
    path = answered(chosen, lambda: model.most_probable_path(chosen.observations))
    if path is None:
        return
    graph, written = model.unrolled(days).ground(), evidence(chosen.observations)
    graph = graph.given({name: value for name, value in written.items() if type(value) is list})
    observed = {name: value for name, value in written.items() if type(value) is not list}
    best = graph.mpe(given=observed, method="ground")
    assert math.isclose(path.log_weight, best.log_weight, rel_tol=1e-11, abs_tol=1e-11)
    for name, counts in path.counts.items():
        for day, row in enumerate(counts.tolist()):
            for state, number in zip(path.states[name], row, strict=True):
                on_path = lg.count(f"{name}@{day}", state)
                if next(prv for prv in model.prvs if prv.name == name).logvars:
                    observed[on_path] = number
                elif number:
                    observed[f"{name}@{day}"] = state
    there = graph.mpe(given=observed, method="ground")
    assert math.isclose(path.log_weight, there.log_weight, rel_tol=1e-11, abs_tol=1e-11)


@settings(max_examples=20)
@given(RANDOM)
def test_predictions_of_memory_hold(random: Random) -> None:
    chosen = example(random)
    arguments = chosen.observations, *chosen.asked
    try:
        needed = chosen.model.explain(*arguments).peak_bytes
        chosen.model.filter(*arguments)  # loads what is loaded once
    except lg.ComputationError:
        return
    assert used_bytes(lambda: chosen.model.filter(*arguments)) <= needed


def epidemic(size: int, first: str = "0.1") -> lg.Dynamic:
    """People who are infected by others and recover, and tests of them."""
    one = lg.LogVar("P", size)
    two = lg.LogVar("Q", one)
    infected, positive = lg.prv("Infected", one), lg.prv("Positive", one)
    apart = lg.different(one, two)

    def infection(others: dict[str, int], now: str, then: str) -> Fraction:
        risk = Fraction(others["true"], 2 * size) if now == "false" else Fraction(3, 4)
        return risk if then == "true" else 1 - risk

    return lg.Dynamic(
        lg.parfactor([infected], [first, str(1 - Fraction(first))]),
        lg.parfactor(
            [lg.crv(infected(two), two, where=apart), infected, lg.after(infected)],
            infection,
            apart,
        ),
        lg.parfactor([infected, positive], ["0.9", "0.1", "0.2", "0.8"]),
    )


def pmf(number: int, chance: float) -> Any:
    """The probabilities of 0, 1, … successes."""
    return np.array(
        [math.comb(number, k) * chance**k * (1 - chance) ** (number - k) for k in range(number + 1)]
    )


def count_chain(size: int, observed: list[int]) -> float:
    """The naive twin: a loop over the number of infected people."""
    weights, total = pmf(size, 0.1), 0.0
    tests = [np.convolve(pmf(i, 0.9), pmf(size - i, 0.2)) for i in range(size + 1)]
    steps = [np.convolve(pmf(i, 0.75), pmf(size - i, i / (2 * size))) for i in range(size + 1)]
    for day, number in enumerate(observed):
        weights = weights if day == 0 else weights @ np.array(steps)
        weights = weights * np.array(tests)[:, number]
        total += math.log(weights.sum())
        weights = weights / weights.sum()
    return total


@given(st.lists(st.integers(0, 25), min_size=1, max_size=6))
def test_an_epidemic_is_a_loop_over_counts(numbers: list[int]) -> None:
    observed = [{lg.count("Positive"): number} for number in numbers]
    expected = count_chain(25, numbers)
    assert math.isclose(epidemic(25).log_likelihood(observed), expected, rel_tol=1e-10)


def recovering(size: int) -> lg.Dynamic:
    """People who get infected, recover, and stay so."""
    one = lg.LogVar("P", size)
    two = lg.LogVar("Q", one)
    state = lg.prv("State", one, states=["S", "I", "R"])
    apart = lg.different(one, two)

    def change(others: dict[str, int], now: str, then: str) -> Fraction:
        risk = Fraction(others["I"], 2 * size)
        leaving = {("S", "I"): risk, ("I", "R"): Fraction(1, 4)}
        left = sum([chance for (state, _), chance in leaving.items() if state == now], Fraction(0))
        return 1 - left if now == then else leaving.get((now, then), Fraction(0))

    return lg.Dynamic(
        lg.parfactor([state], [8, 1, 1]),
        lg.parfactor([lg.crv(state(two), two, where=apart), state, lg.after(state)], change, apart),
    )


def test_moving_one_state_after_another_is_exact_for_larger_populations() -> None:
    observed = [None, {lg.count("State", "R"): 20}, None]
    exact = recovering(30).filter(observed, lg.count("State", "I"), exact=True)
    floats = recovering(30).filter(observed, lg.count("State", "I"))
    for one, other in zip(exact, floats, strict=True):
        assert one.fractions is not None
        np.testing.assert_allclose(other.probabilities, one.probabilities, rtol=1e-11)
    recovered = recovering(30).smooth([None, None], lg.count("State", "R"))
    # Nobody who recovered leaves, and a quarter of the infected joins them.
    assert math.isclose(recovered[1].mean, 30 * (1 / 10 + 1 / 40), rel_tol=1e-12)


def test_what_floats_cannot_hold_is_computed_in_logarithms() -> None:
    model = epidemic(200, "0.0001")
    observed = [{lg.count("Infected"): 200}, {lg.count("Infected"): 0}]
    # Everyone is infected by then, and everyone recovers: each with probability 1/4.
    expected = 200 * math.log(0.0001) + 200 * math.log(0.25)
    assert math.isclose(model.log_likelihood(observed), expected, rel_tol=1e-12)
    assert model.filter(observed, lg.count("Infected"))[1]["0"] == 1.0


def test_one_person_among_a_thousand_is_told_apart_only_while_needed() -> None:
    model = epidemic(1000)
    observed = [None, {"Infected.17": "true"}, {"Infected.17": "false"}, None]
    days = model.filter(observed, lg.count("Infected"))
    assert [day.variables for day in days] == [("#Infected=true",)] * 4
    plan = model.explain(observed, lg.count("Infected"))
    assert plan.text.splitlines()[0] == "4 days; individuals are counted in up to 2 parts"
    nobody = model.explain([None] * 2, lg.count("Infected"))
    assert str(nobody).startswith("2 days; individuals are counted in 1 part\n")
    assert model.filter(observed[:2], "Infected.17")[1]["true"] == 1.0
    first = model.filter(observed[:1], "Infected.18")[0]
    assert math.isclose(first["true"], 0.1, rel_tol=1e-12)


def test_tests_and_infections_are_asked_for_jointly() -> None:
    infected, positive = lg.count("Infected"), lg.count("Positive")
    day = epidemic(30).filter([{infected: range(5, 11)}], positive, infected)[0]
    prior = pmf(30, 0.1)[5:11]
    tests = np.array([np.convolve(pmf(i, 0.9), pmf(30 - i, 0.2)) for i in range(5, 11)])
    expected = tests.T * prior / prior.sum()
    np.testing.assert_allclose(day.probabilities[:, 5:11], expected, rtol=1e-10)
    assert day.probabilities.shape == (31, 31)


def test_scales_of_lifted_factors_weigh() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Sick.a", "Sick.b"])
    builder.add_factor(["Sick.a"], [1, 2])
    builder.add_factor(["Sick.b"], [3, 6])
    lifted = lg.lift(builder.build())
    assert lifted.parfactors[0].scales
    sick = lifted.prvs[0]
    two = lg.ParfactorGraph.of([lg.parfactor([sick, lg.after(sick)], [3, 1, 1, 5])])
    # Each day's best weight is 2 · 6, at the start and observed on two days; a step is 5 · 5.
    model = lg.Dynamic(lifted.parfactors, two.parfactors, lifted.parfactors)
    path = model.most_probable_path([None, None])
    best = model.unrolled(2).mpe(method="ground")
    assert math.isclose(path.log_weight, best.log_weight, rel_tol=1e-12)
    assert math.isclose(path.log_weight, 3 * math.log(2 * 6) + 2 * math.log(5), rel_tol=1e-12)
    graphs = [builder.build(), lg.ParfactorGraph.of(two.parfactors).ground(), builder.build()]
    names = {name: f"Sick'.{name[-1]}" for name in ("Sick.a", "Sick.b")}
    again = lg.lift_dynamic(graphs[0], graphs[1], graphs[2], tomorrow=names)
    weight = again.most_probable_path([None, None]).log_weight
    assert math.isclose(weight, path.log_weight, rel_tol=1e-12)


def test_forecasts_and_frames() -> None:
    model = epidemic(10)
    forecast = model.forecast([{lg.count("Positive"): 3}], 2, lg.count("Infected"))
    longer = model.filter([{lg.count("Positive"): 3}, None, None], lg.count("Infected"))
    assert (forecast[1].probabilities == longer[2].probabilities).all()
    frame = forecast.to_frame()
    assert list(frame.columns) == ["day", "#Infected=true", "probability"]
    assert sorted(set(frame["day"])) == [1, 2]
    assert len(forecast.means) == len(forecast.quantiles(0.5)) == 2
    path = model.most_probable_path({2: {lg.count("Infected"): 4}})
    assert path.counts["Infected"][2].tolist() == [4, 6]
    assert len(path.to_frame()) == len(path) * 2
    assert len(model.filter([], lg.count("Infected"))) == 0


@pytest.mark.parametrize(
    ("observed", "message"),
    [
        ([{lg.count("Infected"): 11}], "day 0: #Infected=true: expected a number from 0 to 10"),
        ([None, {"Infected.11": "true"}], "day 1: expected"),
        ([{"Infected.1": "ill"}], r"day 0: expected a state of Infected\.1 \(true"),
        (
            [{"Infected.1": [4, 1, 1]}],
            r"likelihood of Infected\.1 with 2 numbers",
        ),
        ([None, {"Infected.1": [0, 0]}], r"day 1: likelihood of Infected\.1: expected a positive"),
        ([{"Infected.1": [1, 2], 0: [3, 4]}], r"one likelihood for Infected\.1, got two"),
        ([{lg.count("Sick"): 1}], "day 0: expected a PRV to count"),
        ([3], "day 0: expected a mapping"),
        ({-1: {}}, "expected days as integers"),
        ("Infected", "expected observations for each day"),
    ],
)
def test_bad_observations_are_named(observed: Any, message: str) -> None:
    with pytest.raises(lg.InputError, match=message):
        epidemic(10).log_likelihood(observed)


def test_what_cannot_be_is_named() -> None:
    model = epidemic(10)
    observed: list[Any] = [{"Infected.1": "true"}, {lg.count("Infected"): 10}]
    with pytest.raises(lg.ZeroWeightError, match="day 0"):
        model.filter([{"Infected.1": "true", lg.count("Infected"): 0}], "Infected.2")
    assert model.likelihood([{"Infected.1": "true", lg.count("Infected"): 0}]) == 0
    assert model.log_likelihood([{"Infected.1": "true", lg.count("Infected"): 0}]) == -math.inf
    assert model.log_likelihood(observed) < 0
    with pytest.raises(lg.InputError, match="got nothing"):
        model.filter(observed)
    with pytest.raises(lg.InputError, match="got evidence"):
        model.filter(observed, "Infected.1", evidence={})
    with pytest.raises(lg.MemoryLimitError, match="the days need"):
        epidemic(1000).filter([None] * 3, lg.count("Infected"), memory_limit=1_000_000)
    with pytest.raises(lg.InputError, match="expected PRVs of one day"):
        lg.Dynamic(model.step, model.step)
    with pytest.raises(lg.InputError, match="step: expected parfactors"):
        lg.Dynamic(model.start, [1])  # type: ignore[list-item]
    with pytest.raises(lg.InputError, match="expected a number of days"):
        model.forecast([], -1, "Infected.1")
    with pytest.raises(lg.InputError, match="from 1 on"):
        model.unrolled(0)


def test_models_beyond_counts_are_refused_by_name() -> None:
    one, two = lg.LogVar("X", 3), lg.LogVar("Y", 3)
    pairs = lg.prv("Pair", one, two)
    model = lg.Dynamic([], lg.parfactor([pairs, lg.after(pairs)], [1, 2, 3, 4]))
    with pytest.raises(lg.ComputationError, match="Pair has several logvars; unrolled"):
        model.filter([None], "Pair.1.1")
    assert model.unrolled(2).query("Pair@1.1.1", exact=True).exact


@given(RANDOM)
def test_lifted_graphs_of_two_days_say_the_same(random: Random) -> None:
    chosen = drawn(random)
    model = chosen.model
    groups = [(model.start, model.prvs), (model.step, (*model.prvs, *model.later))]
    graphs = [lg.ParfactorGraph.of(parfactors, prvs).ground() for parfactors, prvs in groups]
    observe = lg.ParfactorGraph.of(model.observe, model.prvs).ground()
    try:
        lifted = lg.lift_dynamic(graphs[0], graphs[1], observe)
        expected = model.smooth(chosen.observations, *chosen.asked, exact=True)
        found = lifted.smooth(chosen.observations, *chosen.asked, exact=True)
    except lg.ComputationError:
        return
    except lg.InputError as error:  # groups are smaller than the PRVs they come from
        assert "variables of one PRV" in str(error)
        return
    for one, other in zip(found, expected, strict=True):
        assert one.variables == other.variables
        assert np.array_equal(np.asarray(one.fractions), np.asarray(other.fractions))


def test_counts_are_of_all_variables_that_a_name_stands_for() -> None:
    first, both = lg.FactorGraphBuilder(), lg.FactorGraphBuilder()
    for name, odds in (("a", 3), ("b", 9), ("c", 9)):
        first.add_variable(f"Sick.{name}")
        first.add_factor([f"Sick.{name}"], [1, odds])
        both.add_variables([f"Sick.{name}", f"Sick'.{name}"])
        both.add_factor([f"Sick.{name}", f"Sick'.{name}"], [3, 1, 1, 3])
    model = lg.lift_dynamic(first.build(), both.build())
    with pytest.raises(lg.InputError, match="expected distinct variables of one PRV"):
        model.filter([None], lg.count("Sick"))
    alike = model.filter([None], lg.count(["Sick.b", "Sick.c"]), exact=True)[0]
    assert alike.exact["2"] == Fraction(1, 100)


def test_variables_of_tomorrow_may_have_any_names() -> None:
    start, step = lg.FactorGraphBuilder(), lg.FactorGraphBuilder()
    for builder in (start, step):
        builder.add_variables(["a", "b"])
    step.add_variables(["c", "d"])
    for name in "ab":
        start.add_factor([name], [1, 3])
    for today, tomorrow in ("ac", "bd"):
        step.add_factor([today, tomorrow], [3, 1, 2, 2])
    graphs = start.build(), step.build()
    model = lg.lift_dynamic(*graphs, tomorrow={"a": "c", "b": "d"})
    # One of four is true; three of four of these stay so, and half of the others become so.
    days = model.filter([{"a": "true"}, {}], "a", "b", exact=True)
    assert days[1].exact["true", "true"] == Fraction(3, 4) * (Fraction(3, 16) + Fraction(3, 8))
    assert days[1].variables == ("a", "b")
    with pytest.raises(lg.InputError, match="a variable x of tomorrow"):
        lg.lift_dynamic(*graphs, tomorrow={"a": "x"})
    with pytest.raises(lg.InputError, match="without evidence"):
        lg.lift_dynamic(graphs[0].given({"a": "true"}), graphs[1])
