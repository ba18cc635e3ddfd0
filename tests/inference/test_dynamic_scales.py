"""Dynamic models whose weights grow or shrink from day to day."""

from __future__ import annotations

from fractions import Fraction

import liftgraph as lg


def test_steps_that_only_rescale_leave_likelihoods_as_they_are() -> None:
    sick = lg.prv("Sick", lg.LogVar("P", 3))
    model = lg.Dynamic([], lg.parfactor([sick, lg.after(sick)], [1, 2, 2, 1]))
    observed = [None, {lg.count("Sick"): 1}, None]
    assert model.likelihood(observed) == Fraction(3, 8)
