"""Individuals of a dynamic model who are told apart on some days, and not on others."""

from __future__ import annotations

from typing import Any

import numpy as np

import liftgraph as lg
from tests.dynamic_models import evidence


def test_parts_merge_that_are_not_beside_each_other() -> None:
    one = lg.LogVar("P", 3)
    sick, tested = lg.prv("Sick", one), lg.prv("Test", one)
    model = lg.Dynamic(
        lg.parfactor([sick], [2, 3]),
        lg.parfactor([sick, lg.after(sick)], [1, 2, 4, 1]),
        lg.parfactor([sick, tested], [7, 1, 2, 5]),
    )
    # Of the first and the third person, nothing is observed later.
    observed: list[dict[Any, Any]] = [
        {"Test.1": "true", "Test.2": "false"},
        {"Test.2": "true"},
    ]
    graph = model.unrolled(2).ground()
    expected = graph.query("Sick@0.2", given=evidence(observed), exact=True)
    asked = model.smooth(observed, "Sick.2", exact=True)[0]
    assert np.array_equal(asked.fractions, expected.fractions)  # type: ignore[arg-type]
    some = graph.partition(given=evidence(observed), exact=True).z
    everything = graph.partition(exact=True).z
    assert some is not None
    assert everything is not None
    assert model.likelihood(observed) == some / everything
