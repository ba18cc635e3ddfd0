"""Most probable joint states on lifted models: PRVs as a whole, and single variables."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.joint_states import choosing
from tests.inference.test_joint_states import STRATEGIES, listed
from tests.relational import families, relational_models


def some_of(model: lg.ParfactorGraph, random: Random) -> list[str | int]:
    """PRVs as a whole, and single variables of others."""
    asked: list[str | int] = []
    for prv, (start, end) in zip(
        model.prvs, zip(model.variable_start, model.variable_start[1:], strict=False), strict=True
    ):
        choice = random.randrange(3)
        if choice == 0 and prv.logvars:
            asked.append(prv.name)
        elif choice == 1 and end > start:
            asked += random.sample(range(start, end), random.randint(1, min(2, end - start)))
    return asked


def check(model: lg.ParfactorGraph, asked: list[str | int], given: dict[int, int]) -> None:
    """The answer attains the maximum among all joint states of the ground model."""
    evidence = {model.name(v): model.prvs[model.locate(v)[0]].states[s] for v, s in given.items()}
    graph = model.given(evidence).ground()
    numbers = [
        number
        for one in asked
        for number in (
            [model.number(model.locate(one))]
            if isinstance(one, int)
            else range(*model.variable_start[model.places.prv_index[one] :][:2])
        )
    ]
    weights = listed(graph, numbers)
    total = sum(weights.values())
    if not total:
        with pytest.raises(lg.ZeroWeightError):
            model.map(*asked, given=evidence, method="lifted")
        return
    best = model.map(*asked, given=evidence, method="lifted", exact=True)
    assert [*best] == [graph.name(number) for number in numbers]
    assert weights[best.states] == max(weights.values()) == best.weight
    assert best.fraction == Fraction(best.weight) / total
    floats = model.map(*asked, given=evidence, method="lifted")
    assert weights[floats.states] / best.weight == pytest.approx(1, rel=1e-9)
    assert floats.probability == pytest.approx(best.probability, rel=1e-9)
    assert floats.log_weight == pytest.approx(best.log_weight, rel=1e-9, abs=1e-9)
    assert model.map(*asked, given=evidence, method="ground", exact=True).weight == best.weight


@given(st.sampled_from([1, 2, 2, 3]).flatmap(relational_models), st.randoms(use_true_random=False))
def test_the_maximum_is_attained(model: lg.ParfactorGraph, random: Random) -> None:
    asked = some_of(model, random) or [0]
    if not model.variable_count:
        return
    observed = random.sample(
        range(model.variable_count), min(random.randrange(3), model.variable_count)
    )
    given = {v: random.randrange(len(model.prvs[model.locate(v)[0]].states)) for v in observed}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "STRATEGIES", [random.choice(STRATEGIES)])
        check(model, asked, given)


@pytest.mark.parametrize("size", [2, 3])
def test_every_prv_of_every_family(size: int) -> None:
    """Pairs, unordered pairs, blocks, counted individuals: lifted as on the ground model."""
    for name, model in families(size):
        names = [prv.name for prv in model.prvs]
        for asked in ([names[0]], [names[-1]], names):
            expected = model.map(*asked, method="ground", exact=True)
            best = model.map(*asked, method="lifted", exact=True)
            assert (best.weight, best.fraction) == (expected.weight, expected.fraction), name
            graph = model.ground()
            at_states = graph.partition(given=dict(best), exact=True)
            assert at_states.z == best.weight, name
