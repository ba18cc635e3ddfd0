"""Dynamic models whose weights grow or shrink from day to day."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import liftgraph as lg
from liftgraph.inference.dynamic.arithmetic import FLOATS
from liftgraph.inference.dynamic.passes import forward, total_of_all
from liftgraph.inference.dynamic.question import question_of


def test_steps_that_only_rescale_leave_likelihoods_as_they_are() -> None:
    sick = lg.prv("Sick", lg.LogVar("P", 3))
    model = lg.Dynamic([], lg.parfactor([sick, lg.after(sick)], [1, 2, 2, 1]))
    observed = [None, {lg.count("Sick"): 1}, None]
    assert model.likelihood(observed) == Fraction(3, 8)


def test_rows_of_a_step_may_differ_more_than_floats_do() -> None:
    sick = lg.prv("Sick", lg.LogVar("P", 3))
    rare = Fraction(1, 10**400)
    model = lg.Dynamic([], lg.parfactor([sick, lg.after(sick)], [1, 2, rare, rare]))
    days = model.filter([None, None], lg.count("Sick"))
    assert math.isclose(days[1].mean, 1, rel_tol=1e-11)


def test_observations_that_contradict_each_other_are_not_lost_in_floats() -> None:
    """Each weighs up to one, but their products are so small that floats have few digits left."""
    people = lg.LogVar("P", 3)
    sick = lg.prv("Sick", people)
    counted = lg.LogVar("X", people)
    unlikely = [
        lg.parfactor(
            [lg.crv(sick(counted), counted)],
            [1 if k == likely else Fraction(3 + k + likely, 10 * 2**355) for k in range(4)],
        )
        for likely in range(4)
    ]
    step = lg.parfactor([sick, lg.after(sick)], [1, 3, 2, 2])
    model = lg.Dynamic([], step, unlikely)
    assert_floats_agree(model, [None, None], lg.count("Sick"))


def test_what_observations_lose_is_not_made_up_for_by_dividing() -> None:
    """A positive test of everyone is so improbable that floats hold it if nobody is sick only."""
    sick, positive = (lg.prv(name, lg.LogVar("P", 50)) for name in ("Sick", "Positive"))
    rare = Fraction(1, 2**11), Fraction(1, 2**9)  # 2**-550, and 2**-450
    model = lg.Dynamic(
        lg.parfactor([sick], [1, Fraction(1, 2**6)]),
        lg.parfactor([sick, lg.after(sick)], [1, 0, 0, 1]),
        lg.parfactor([sick, positive], [rare[0], 1 - rare[0], rare[1], 1 - rare[1]]),
    )
    observed = [{lg.count("Positive"): 50}, {lg.count("Positive"): 49}]
    for asked in (lg.count("Sick"), lg.count("Positive"), "Positive.3"):
        assert_floats_agree(model, observed, asked)


def assert_floats_agree(model: lg.Dynamic, observed: list[Any], asked: Any) -> None:
    for question in (model.filter, model.smooth):
        pairs = zip(question(observed, asked), question(observed, asked, exact=True), strict=True)
        for floats, exact in pairs:
            np.testing.assert_allclose(
                floats.probabilities, exact.probabilities, rtol=1e-10, atol=1e-140
            )


def test_days_without_observations_are_passed_once_if_floats_of_a_row_sum_to_about_one() -> None:
    """The total weight stays one, so nothing is learnt from a pass over all days."""
    people = lg.LogVar("P", 40)
    sick, positive = lg.prv("Sick", people), lg.prv("Positive", people)
    rows = [0.3, 1 - 0.3, 0.05, 1 - 0.05]
    model = lg.Dynamic(
        lg.parfactor([sick], [0.1, 1 - 0.1]),
        lg.parfactor([sick, lg.after(sick)], rows),
        lg.parfactor([sick, positive], rows),
    )
    observations: list[Any] = [{lg.count("Positive"): 7}, {lg.count("Positive"): 5}, None]
    course = question_of(model, observations, (), 2**30).course(FLOATS).unobserved()
    assert len(forward(course).logs) == 2 * len(observations)
    assert len(total_of_all(course).logs) == 2
    exact = math.log(model.likelihood(observations))
    assert math.isclose(model.log_likelihood(observations), exact, rel_tol=1e-12)
