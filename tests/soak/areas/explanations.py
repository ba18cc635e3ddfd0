"""Explanations of lifted models of medium size: their states have the weight that is claimed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph.exact import log
from liftgraph.inference.weight import weight
from tests.soak.area import Area, Case, expect
from tests.soak.relational_models import model_of, relational_model, smaller_models

LARGEST = 3000  # factors of a model whose weight is computed one by one
LIMIT = 2**24  # bytes


def _draw(random: Random) -> Case:
    """A relational model with more individuals than can be enumerated."""
    while True:
        model = relational_model(random)
        if not any(parfactor["counted"] for parfactor in model["parfactors"]):
            domains = [random.randint(2, 14), random.randint(1, 6)]
            return {"model": {**model, "domains": domains}}


def _asked(model: lg.ParfactorGraph, method: str, exact: bool) -> Any:
    """An explanation, or None if there is none, or none within the limit."""
    try:
        return model.mpe(method=method, exact=exact, memory_limit=LIMIT)
    except lg.ComputationError:
        return None


def _check(case: Case) -> None:
    model = model_of(case["model"])
    if model.factor_count > LARGEST or model.variable_count > LARGEST:
        return
    ground = model.ground()
    exact = [_asked(model, method, True) for method in ("lifted", "auto", "ground")]
    best = next((found.weight for found in exact if found is not None), None)
    for found in filter(None, exact):
        reached = weight(ground, _states(ground, found))
        expect(found.weight == reached, "an explanation that has another weight than it claims")
        expect(found.weight == best, "methods find different maxima")
    for method in ("lifted", "auto", "ground"):
        found = _asked(model, method, False)
        if found is not None and best is not None:
            reached = weight(ground, _states(ground, found))
            claimed = math.isclose(found.log_weight, log(best), rel_tol=1e-9, abs_tol=1e-9)
            expect(claimed, f"{method}: log weight {found.log_weight}, exactly {log(best)}")
            near = reached and math.isclose(log(reached / best), 0, abs_tol=1e-6)
            expect(near, f"{method}: states that are less probable than the best ones")


def _states(graph: lg.FactorGraph, found: lg.Assignment) -> tuple[int, ...]:
    names = map(graph.name, range(graph.variable_count))
    return tuple(graph.state(v, found[name]) for v, name in enumerate(names))


def _smaller(case: Case) -> Iterator[Case]:
    for model in smaller_models(case["model"]):
        yield {"model": model}


AREAS = (Area("explanations", _draw, _check, _smaller),)
