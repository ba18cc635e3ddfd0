"""The best few explanations against the sorted enumeration: weights, ties, and classes of them."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import groupby, permutations, product
from math import comb
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.joint_states import best_few
from liftgraph.inference.weight import log_weight, weight
from liftgraph.model.query import Query
from tests.inference.test_counts import graphs as count_graphs
from tests.inference.test_joint_states import grid, listed
from tests.relational import families, relational_models
from tests.strategies import factor_graphs, symmetric_graphs


def possible(graph: lg.FactorGraph) -> list[Fraction]:
    """The weights of all assignments that are possible, the largest first."""
    weights = listed(graph, list(range(graph.variable_count))).values()
    return sorted([Fraction(w) for w in weights if w], reverse=True)


@given(
    factor_graphs() | symmetric_graphs() | count_graphs(),
    st.sampled_from([1, 2, 3, 7, 500]),
    st.sampled_from([1, 1 << 16]),
)
def test_the_best_few(graph: lg.FactorGraph, best: int, chunk: int) -> None:
    """With zeros, evidence, one-state variables, count factors, scales; all, if there are fewer."""
    weights = possible(graph)
    if not weights:
        with pytest.raises(lg.ZeroWeightError):
            graph.mpe(best=best)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_few, "CHUNK", chunk)
        answer = graph.mpe(best=best, exact=True)
        floats = graph.mpe(best=best)
    assert list(answer.weights) == weights[:best]
    assert len({one.states for one in answer}) == len(answer)
    assert all(weight(graph, one.states) == one.weight for one in answer)
    assert set(answer.counts) == {1}
    assert answer.more_alike == (len(weights) > best and weights[best] == weights[best - 1])
    grouped = [len(list(same)) for _, same in groupby(weights[:best])]
    assert [len(group) for group in answer.ties] == grouped
    assert len({one.states for one in floats}) == len(answer)
    for one, expected in zip(floats, answer, strict=True):
        assert one.log_weight == log_weight(graph, one.states)
        assert one.log_weight == pytest.approx(expected.log_weight, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("best", [1, 20])
def test_memory_is_as_predicted(exact: bool, best: int) -> None:
    query = Query("explanations", (), exact, best)
    plan = methods.plan(grid(7, 7), query, method="ground")
    plan.run()  # what is computed once and kept
    tracemalloc.start()
    try:
        plan.run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= plan.peak_bytes


def test_one_is_what_mpe_finds() -> None:
    graph = lg.datasets.asia()
    (one,) = graph.mpe(best=1, given={"dysp": "yes"})
    assert one.states == graph.mpe(given={"dysp": "yes"}).states
    with pytest.raises(lg.ZeroWeightError):
        graph.mpe(best=2, given={"either": "no", "lung": "yes"})
    for wrong in (0, -1, 1.5, "two", True):
        with pytest.raises(lg.InputError, match="how many"):
            graph.mpe(best=cast(int, wrong))
    with pytest.raises(lg.MemoryLimitError):
        grid(8, 8).mpe(best=1000, memory_limit=10**6)


def exchanges(model: lg.ParfactorGraph, graph: lg.FactorGraph) -> list[list[int]]:
    """For each exchange of individuals that evidence allows, where each variable goes."""
    domains = model.domains
    moves = []
    for images in product(*(permutations(range(domain.size)) for domain in domains)):
        image = dict(zip(domains, images, strict=True))
        moved = []
        for number in range(model.variable_count):
            prv, individuals = model.locate(number)
            logvars = model.prvs[prv].logvars
            chosen = zip(logvars, individuals, strict=True)
            place = tuple([image[logvar.domain][individual] for logvar, individual in chosen])
            moved.append(model.number((prv, place)))
        if all(graph.evidence.get(moved[v]) == state for v, state in graph.evidence.items()):
            moves.append(moved)
    return moves


def classes(
    model: lg.ParfactorGraph, graph: lg.FactorGraph
) -> dict[tuple[int, ...], tuple[Fraction, int]]:
    """An assignment of each class that is possible, its weight, and how many are in the class."""
    moves = exchanges(model, graph)
    weights = listed(graph, list(range(graph.variable_count)))
    orbits: Counter[tuple[int, ...]] = Counter()
    for states, value in weights.items():
        if value:
            orbits[min(tuple([states[v] for v in moved]) for moved in moves)] += 1
    return {states: (Fraction(weights[states]), count) for states, count in orbits.items()}


@given(
    st.sampled_from([1, 2]).flatmap(relational_models),
    st.randoms(use_true_random=False),
    st.sampled_from([1, 4, 1000]),
)
def test_classes_of_assignments(model: lg.ParfactorGraph, random: Random, best: int) -> None:
    """Each class is listed once, with its weight and its size: PRVs in no factor, counting
    variables and evidence included. Pairs that can be exchanged are refused."""
    prv_of = [model.prvs[model.locate(v)[0]] for v in range(model.variable_count)]
    single = [v for v, prv in enumerate(prv_of) if len(prv.logvars) < 2]
    given = {}
    for v in random.sample(single, min(random.randrange(4), len(single))):
        given[model.name(v)] = random.choice(prv_of[v].states)
    try:
        model.mpe(given=given, best=best)
    except lg.ZeroWeightError:
        pass
    except lg.ComputationError as refused:
        assert "individuals which can be exchanged" in str(refused)
        assert len(single) < model.variable_count
        return
    graph = model.given(given).ground()
    expected = classes(model, graph)
    if not expected:
        with pytest.raises(lg.ZeroWeightError):
            model.mpe(given=given, best=best)
        return
    answer = model.mpe(given=given, best=best, exact=True)
    moves = exchanges(model, graph)
    found = {}
    for one, size in zip(answer, answer.counts, strict=True):
        canonical = min(tuple([one.states[v] for v in moved]) for moved in moves)
        found[canonical] = (one.weight, size)
        assert one.weight == weight(graph, one.states)
    assert len(found) == len(answer) == min(best, len(expected))
    assert all(expected[canonical] == pair for canonical, pair in found.items())
    largest = sorted([w for w, _ in expected.values()], reverse=True)
    assert list(answer.weights) == largest[:best]
    assert answer.more_alike == (len(largest) > best and largest[best] == largest[best - 1])
    floats = model.mpe(given=given, best=best)
    for one, other in zip(floats, answer, strict=True):
        assert one.log_weight == pytest.approx(other.log_weight, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [2, 3])
def test_every_family(size: int) -> None:
    """Parfactors of several logvars, counted individuals; what is refused has pairs."""
    answered = set()
    for name, model in families(size):
        if model.variable_count > 9:
            continue
        try:
            answer = model.mpe(best=5, exact=True)
        except lg.ComputationError as refused:
            assert 'method="ground"' in str(refused)
            assert any(len(prv.logvars) > 1 for prv in model.prvs)
            continue
        answered.add(name)
        expected = sorted([w for w, _ in classes(model, model.ground()).values()], reverse=True)
        assert list(answer.weights) == expected[:5], name
        pairs = zip(answer.weights, answer.counts, strict=True)
        total = sum([Fraction(w or 0) * count for w, count in pairs])
        assert total <= cast(Fraction, model.partition(exact=True).z)
    assert {"star", "unordered pairs", "different links", "counting the others"} <= answered


def test_counts_are_binomial_coefficients() -> None:
    """Any number of the individuals may be in the one state: all assignments are alike."""
    X = lg.LogVar("X", 10**4)
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", X)], [1, 1])])
    answer = model.mpe(best=3, given={"S.1": "true"})
    numbers = [sum([state == "true" for state in one.values()]) for one in answer]
    assert len(set(numbers)) == 3
    assert answer.counts == tuple([comb(10**4 - 1, number - 1) for number in numbers])
    assert answer.ties == ((0, 1, 2),)
    assert answer.more_alike


def test_what_is_refused() -> None:
    model = lg.datasets.smokers(3)
    with pytest.raises(lg.ComputationError, match=r"Friends.*can be exchanged"):
        model.mpe(best=2)
    ground = model.mpe(best=9, method="ground", exact=True)
    assert list(ground.weights) == possible(model.ground())[:9]
    large = lg.datasets.epid(1000)
    with pytest.raises(lg.ComputationError):
        large.mpe(best=2)
    states = [str(state) for state in range(9)]
    wide = lg.prv("S", lg.LogVar("X", 100), states=states)
    with pytest.raises(lg.MemoryLimitError, match="S"):
        lg.ParfactorGraph.of([lg.parfactor([wide], range(1, 10))]).mpe(best=2)
