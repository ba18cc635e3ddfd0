"""Dynamic models at the edges: no arguments, too many days, and days that are too far ahead."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import liftgraph as lg

SICK = lg.prv("Sick", lg.LogVar("P", 3))
STAYING = lg.parfactor([SICK, lg.after(SICK)], [1, 2, 3, 4])


@pytest.mark.parametrize("given", [None, "true"])
def test_parfactors_without_arguments(given: str | None) -> None:
    alone = lg.prv("Alone")
    nothing = [lg.parfactor([], [number]) for number in (2, 3, 5)]
    model = lg.Dynamic(
        nothing[0], [nothing[1], STAYING], [nothing[2], lg.parfactor([alone], [1, 3])]
    )
    observed: list[Any] = [None, {lg.count("Sick"): 1} | ({"Alone": given} if given else {})]
    expected = lg.Dynamic([], STAYING).likelihood([None, {lg.count("Sick"): 1}])
    assert model.likelihood(observed) == expected * (Fraction(1, 4) if given else 1)
    assert len(model.filter(observed, lg.count("Sick"), exact=True)) == 2


def test_numbers_of_days() -> None:
    model = lg.Dynamic([], STAYING)
    assert len(model.unrolled(np.int64(2)).prvs) == 2  # type: ignore[arg-type]
    for horizon in (1 << 20, 1 << 60):
        with pytest.raises(lg.InputError, match=r"at most [0-9,]+ days"):
            model.forecast([None], horizon, lg.count("Sick"))
    with pytest.raises(lg.InputError, match=r"at most [0-9,]+ days"):
        model.filter([None] * ((1 << 20) + 1), lg.count("Sick"))


def test_only_a_day_and_the_next_one() -> None:
    later = lg.after(lg.after(SICK))
    with pytest.raises(lg.InputError, match="expected PRVs of a day and the next one, got Sick''"):
        lg.Dynamic([], lg.parfactor([SICK, later], [1, 2, 3, 4]))
