"""Dynamic models whose weights grow or shrink from day to day."""

from __future__ import annotations

import math
from fractions import Fraction

import liftgraph as lg


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
