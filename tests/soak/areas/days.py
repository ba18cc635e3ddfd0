"""Dynamic models against unrolled ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

import liftgraph as lg
from tests.dynamic_models import evidence, example, on_day
from tests.soak.area import Area, Case

LARGEST = 14  # variables of an unrolled model


def _draw(random: Random) -> Case:
    return {"seed": random.randrange(10**9), "exact": random.random() < 0.5}


def _check(case: Case) -> None:
    chosen = example(Random(case["seed"]))
    if chosen.size > LARGEST:
        return
    try:
        days = chosen.model.smooth(chosen.observations, *chosen.asked, exact=case["exact"])
    except lg.ComputationError:
        return
    graph = chosen.model.unrolled(len(days)).ground()
    for number, day in enumerate(days):
        asked = [on_day(one, number) for one in chosen.asked]
        observed = evidence(chosen.observations)
        expected = graph.query(*asked, given=observed, exact=True, method="ground")
        np.testing.assert_allclose(
            day.probabilities, expected.probabilities, rtol=1e-11, atol=1e-28
        )


def _smaller(case: Case) -> Iterator[Case]:
    return iter(())


AREAS = [Area("days", _draw, _check, _smaller)]
