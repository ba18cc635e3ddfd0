"""Thousands of samples of small models: counts say what states say, and both follow enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

import liftgraph as lg
from tests.chi_squared import assert_follows
from tests.soak.area import Area, Case, expect
from tests.soak.files import few_assignments
from tests.soak.models import values
from tests.soak.relational_models import model_of, relational_model, smaller_models

METHODS = ("lifted", "lifted", "auto", "ground")
MANY = 8192  # entries that NumPy's iterators work through at a time


def _pairs(random: Random) -> Case:
    """Unordered pairs of four people: if some are observed, few of those left are alike."""
    pair: Case = {"domains": [0, 0], "where": "unordered", "states": 2}
    parfactor: Case = {
        "arguments": [{"prv": 0, "slots": [0, 1]}],
        "where": [[0, 0, 1, random.choice(["different", "unordered"])]],
        "counted": False,
        "repeated": False,
        "values": values(random, 2),
    }
    return {"domains": [4, 1], "prvs": [pair], "parfactors": [parfactor]}


def _draw(random: Random) -> Case:
    return {
        "model": random.choice([_pairs, relational_model])(random),
        "observed": random.randint(0, 3),
        "count": random.randint(MANY + 1, 3 * MANY),
        "method": random.choice(METHODS),
        "exact": random.random() < 0.3,
        "seed": random.randrange(10**6),
    }


def _check(case: Case) -> None:
    model, random = model_of(case["model"]), Random(case["seed"])
    if not few_assignments(model):
        return
    graph = model.ground()
    names = random.sample([*graph.variables], min(case["observed"], graph.variable_count))
    evidence = {name: random.choice(graph.states(name)) for name in names}
    options = {"given": evidence, "method": case["method"], "exact": case["exact"]}
    try:
        sample = model.sample(case["count"], seed=case["seed"], **options)
    except lg.ComputationError:  # impossible, or not lifted
        return
    states = sample.states
    for prv, start in zip(model.prvs, model.variable_start, strict=False):
        columns = states[:, start : start + prv.size]
        for index, (state, counts) in enumerate(sample.counts(prv.name).items()):
            counted = (columns == index).sum(axis=1)
            expect(np.array_equal(counts, counted), f"counts of {prv.name}={state} are not states'")
    for name, column in zip(sample.names, states.T, strict=True):
        listed = tuple([graph.states(name)[state] for state in column.tolist()])
        expect(sample.column(name) == listed, f"the column of {name} is not that of the states")
    assert_follows(graph.given(evidence), states)


def _smaller(case: Case) -> Iterator[Case]:
    yield from ({**case, "model": smaller} for smaller in smaller_models(case["model"]))
    if case["observed"]:
        yield {**case, "observed": case["observed"] - 1}


AREAS = (Area("samples", _draw, _check, _smaller),)
