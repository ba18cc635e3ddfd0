"""Lifted explanations: their weight is counted, not listed, and their memory is as predicted."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from decimal import Context, Decimal
from itertools import product
from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import different, unordered
from liftgraph.datasets import clique, employee, epid, smokers, workshops
from liftgraph.inference import methods
from liftgraph.inference.lifted import decisions
from liftgraph.inference.lifted.colourings import NO_VARIABLE, States, potential_counts
from liftgraph.inference.lifted.compile import compile_model
from liftgraph.inference.lifted.terms import Term, World
from liftgraph.inference.tensor.tensors import Given, Take
from liftgraph.inference.weight import log_weight, weight
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.relational import relational_models

X, M = lg.LogVar("X", 5), lg.LogVar("M", 3)
Y, Z, W = lg.LogVar("Y", X), lg.LogVar("Z", X), lg.LogVar("W", X)


@st.composite
def states_of_shards(draw: st.DrawFn, world: World) -> dict[int, States]:
    """Any states of all shards, the same in all orders that denote the same variable."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states = {}
    for index, shard in enumerate(world.shards):
        shape = [world.sizes[part] for part in shard.parts]
        states[index] = np.full(shape, NO_VARIABLE)
        for individuals in product(*map(range, shape)):
            if all_differ(list(zip(shard.parts, individuals, strict=True))):
                state = random.integers(shard.values)
                for swap in shard.swaps:
                    states[index][tuple(individuals[place] for place in swap)] = state
    return states


def all_differ(individuals: list[tuple[int, int]]) -> bool:
    return len(set(individuals)) == len(individuals)


def listed_potentials(world: World, term: Term, states: dict[int, States]) -> Counter[int]:
    """The potentials of a term's factors, looked up for one substitution after the other."""
    tensor, counts = term.tensor, Counter[int]()
    rows = tensor.lookup.array() if isinstance(tensor, Take) else np.arange(tensor.entries)
    given = tensor.operand if isinstance(tensor, Take) else tensor
    assert isinstance(given, Given)
    for individuals in product(*(range(world.sizes[part]) for part in term.parts)):
        chosen = list(zip(term.cliques, individuals, strict=True))
        images = [tuple(individuals[v] for v in swap) for swap in term.swaps]
        if all_differ(chosen) and individuals == min(images):
            index = [states[s][tuple(individuals[v] for v in logvars)] for s, logvars in term.axes]
            entry = np.ravel_multi_index(index, tensor.shape) if index else 0
            counts[int(given.integers.ravel()[rows[entry]])] += 1
    return counts


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # many models are not liftable
@given(st.sampled_from([2, 3]).flatmap(relational_models), st.data())
def test_potentials_are_counted_as_if_listed(model: lg.ParfactorGraph, data: st.DataObject) -> None:
    try:
        compiled = compile_model(model, {})
    except lg.ComputationError:
        assume(False)
    states = data.draw(states_of_shards(compiled.world))
    for term in compiled.shattered.terms:
        expected = listed_potentials(compiled.world, term, states)
        assert potential_counts(compiled.world, [term], states) == expected


@given(st.sampled_from([2, 3]).flatmap(relational_models), st.sampled_from([1, 7]))
def test_cases_are_decided_in_chunks(model: lg.ParfactorGraph, chunk: int) -> None:
    graph = model.ground()
    try:
        best = cast(lg.Assignment, brute_force(graph, Query("explanation")))
    except lg.ZeroWeightError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "CHUNK", chunk)
        exact, floats = (model.mpe(exact=exact, method="lifted") for exact in (True, False))
    assert exact.weight == best.weight == weight(graph, exact.states)
    assert log_weight(graph, floats.states) == pytest.approx(best.log_weight, rel=1e-12, abs=1e-12)
    assert floats.log_weight == pytest.approx(log_weight(graph, floats.states), rel=1e-15)


S, R, Q = lg.prv("S", X), lg.prv("R", X), lg.prv("Q", X, states=("a", "b", "c"))
F, G = lg.prv("F", X, Y, where=different(X, Y)), lg.prv("G", X, M)
U = lg.prv("U", X, Y, where=unordered(X, Y))
T = lg.prv("T", X, Y, Z, where=unordered(X, Y, Z))
FOUR, EIGHT, MANY = [3, 1, 2, 5], [1, 9, 4, 2, 7, 3, 8, 5], [1 + k * k % 7 for k in range(24)]
APART, SETS = different(X, Y), unordered(X, Y)
FRIENDS = lg.crv(F, Y, where=APART)
PECULIAR = {
    "four different individuals": [
        lg.parfactor([S, R(Y), S(Z), Q(W)], MANY, different(X, Y, Z, W))
    ],
    "a path of pairs": [lg.parfactor([F, G(Y, M)], FOUR, APART), lg.parfactor([S], [1, 2])],
    "a path whose ends differ": [
        lg.parfactor([F, S(Z)], FOUR, different(X, Y, Z)),
        lg.parfactor([S, R], [1, 3, 4, 1]),
    ],
    "pairs beside others": [
        lg.parfactor([F, S, R(Z)], EIGHT, (*APART, *different(Y, Z))),
        lg.parfactor([S, S(Y)], [1, 2, 2, 1], SETS),
    ],
    "unordered triples": [
        lg.parfactor([T, S, S(Y), S(Z)], [1, 2, 2, 3, 2, 3, 3, 9] * 2, unordered(X, Y, Z))
    ],
    "unordered pairs": [lg.parfactor([U, S, S(Y)], [4, 2, 2, 3, 1, 5, 5, 3], SETS)],
    "both directions": [lg.parfactor([F, F(Y, X), S], EIGHT, APART)],
    "repeated by pairs": [lg.parfactor([S], [3, 1], unordered(Y, Z), [X, Y, Z])],
    "counted friends": [lg.parfactor([FRIENDS, S], MANY[:10], APART)],
    "only ties": [lg.parfactor([Q, Q(Y)], [1] * 9, APART)],
    "zeros": [lg.parfactor([S, R(Y)], [0, 1, 1, 0], APART), lg.parfactor([F, S], FOUR, APART)],
    "nothing is possible": [lg.parfactor([S, S(Y)], [0, 1, 1, 0], APART)],
}


@pytest.mark.parametrize("floats_up_to", [-1, 1 << 20])
@pytest.mark.parametrize("name", PECULIAR)
def test_the_weight_is_that_of_the_states(
    name: str, floats_up_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On pairs of floats as well, which are otherwise for longer weights."""
    monkeypatch.setattr("liftgraph.semiring.maximum._SHORT_WEIGHT", floats_up_to)
    model = lg.ParfactorGraph.of(PECULIAR[name])
    graph = model.ground()
    try:
        best = graph.mpe(exact=True, method="ground")
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            model.mpe(method="lifted")
        return
    exact, floats = model.mpe(exact=True, method="lifted"), model.mpe(method="lifted")
    assert exact.weight == best.weight == weight(graph, exact.states)
    assert floats.log_weight == pytest.approx(log_weight(graph, floats.states), rel=1e-15)
    assert floats.log_weight == pytest.approx(best.log_weight, rel=1e-12)


def path(n: int) -> lg.ParfactorGraph:
    """Pairs (X, Y) and (Y, Z): n² variables of each, n³ factors."""
    first, second, third = (lg.LogVar(name, n) for name in "ABC")
    pairs = lg.prv("F", first, second), lg.prv("G", second, third)
    return lg.ParfactorGraph.of([lg.parfactor(pairs, FOUR)])


def all_orders(n: int, places: int, ordered: bool) -> lg.ParfactorGraph:
    """Choices of different individuals: there are many without a variable."""
    logvars = [lg.LogVar("X", n)]
    logvars += [lg.LogVar(f"X{place}", logvars[0]) for place in range(1, places)]
    where = different(*logvars) if ordered else unordered(*logvars)
    return lg.ParfactorGraph.of([lg.parfactor([lg.prv("A", *logvars, where=where)], [1, 2], where)])


LARGE = {
    "clique": lambda: clique(3000),
    "smokers": lambda: smokers(60),
    "workshops": lambda: workshops(300, 20),
    "epidemic": lambda: epid(100),
    "employees": lambda: employee(300),
    "path": lambda: path(60),
    "orders": lambda: all_orders(6, 6, ordered=True),
    "sets": lambda: all_orders(20, 3, ordered=False),
    "lifted": lambda: lg.lift(smokers(20).ground()),
}


@pytest.mark.parametrize("kind", ["explanation", "marginals"])
@pytest.mark.parametrize("name", LARGE)
def test_memory_is_as_predicted(name: str, kind: str) -> None:
    """A clique of 3,000 has four million factors, a path of 60 individuals 216,000."""
    plan = methods.plan(LARGE[name](), Query(kind), method="lifted")
    plan.run()  # what is computed once and kept
    tracemalloc.start()
    try:
        plan.run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= plan.peak_bytes


@pytest.mark.parametrize("size", [10**12, 2**40])
def test_logvars_that_only_repeat_factors_are_of_any_size(size: int) -> None:
    N = lg.LogVar("N", size)
    model = lg.ParfactorGraph.of([lg.parfactor([S, S(Y)], FOUR, different(X, Y), [X, Y, N])])
    best = model.mpe(method="lifted")
    assert best.states == (1,) * 5
    assert best.log_weight == pytest.approx(20 * size * math.log(5), rel=1e-15)
    certain = model.marginals(method="lifted")
    assert certain["S.1"]["false"] == 1


@pytest.mark.parametrize("size", [10**12, 2**70])
def test_domains_without_variables_are_of_any_size(size: int) -> None:
    """There is no pair of different individuals of a single one, so no variable either."""
    N, single = lg.LogVar("N", size), lg.LogVar("O", 1)
    other = lg.LogVar("P", single)
    empty = lg.prv("E", N, single, other, where=different(single, other))
    model = lg.ParfactorGraph.of([lg.parfactor([S, lg.prv("A")], FOUR)], [empty])
    assert len(model.marginals(method="lifted")) == 6
    best = model.mpe(exact=True, method="lifted")
    assert best.weight == 5**5
    assert len(best.states) == 6


def test_a_domain_too_large_to_be_told_apart_is_refused() -> None:
    logvars = [lg.LogVar("N0", 10**12)]
    logvars += [lg.LogVar(f"N{place}", logvars[0]) for place in range(1, 7)]
    factor = lg.parfactor([S], [1, 2], unordered(*logvars), [X, *logvars])
    with pytest.raises(lg.MemoryLimitError, match="1,000,000,000,000 individuals of N0"):
        methods.plan(lg.ParfactorGraph.of([factor]), Query("explanation"), method="lifted")


def test_impossible_evidence_and_variables_in_no_factor() -> None:
    free = lg.prv("Free", X, states=("a", "b", "c"))
    model = lg.ParfactorGraph.of([lg.parfactor([S, S(Y)], [1, 1, 1, 0], different(X, Y))], [free])
    best = model.mpe(given={"Free.2": "c", "S.3": "false"}, exact=True, method="lifted")
    assert best.weight == 1
    assert best["Free.2"] == "c"
    with pytest.raises(lg.ZeroWeightError):
        model.mpe(given={"S.3": "false", "S.4": "false"}, method="lifted")


# How often 2 and 3 have to be multiplied so that the powers nearly agree: sums of convergents of
# log 3 / log 2. A float knows logarithms of such powers up to a hundredth.
NEARLY = [
    (201_748_142_097_744 + 125_743, 127_288_905_577_229 + 79_335),
    (201_748_142_097_744 + 176_251, 127_288_905_577_229 + 111_202),
    (107_439_159_469_411 + 377_229, 67_786_562_407_960 + 238_005),
    (107_439_159_469_411 + 528_753, 67_786_562_407_960 + 333_606),
    (630_138_897 + 301_994, 397_573_379 + 190_537),
    (630_138_897 + 85_137_581, 397_573_379 + 53_715_833),
    (817_501_974, 515_786_319),
]


def heavier(twos: int, threes: int) -> str:
    """Which power is larger, by long decimals; the other is smaller by a relative 1e-9 or more."""
    context = Context(prec=60)
    logs = [context.multiply(context.ln(Decimal(p)), n) for p, n in ((2, twos), (3, threes))]
    assert 1e-9 < abs(context.subtract(*logs)) < 1e-4
    return "true" if logs[0] > logs[1] else "false"


@pytest.mark.parametrize(("twos", "threes"), NEARLY)
def test_high_powers_that_nearly_tie_are_told_apart(twos: int, threes: int) -> None:
    A, B, E = lg.LogVar("A", twos), lg.LogVar("B", threes), lg.prv("E")
    for first, second in (([2, 1], [1, 3]), ([2, 2], [3, 9])):
        votes = [lg.parfactor([E], first, (), [A]), lg.parfactor([E], second, (), [B])]
        best = lg.ParfactorGraph.of(votes).mpe(method="lifted")
        assert best["E"] == (heavier(twos, threes) if first[1] == 1 else "false")


@pytest.mark.parametrize(("twos", "threes"), NEARLY)
@pytest.mark.parametrize("individuals", [2, 40])
def test_crowds_that_nearly_tie_are_told_apart(twos: int, threes: int, individuals: int) -> None:
    """All agree, by pairs; what they agree on is decided by maxima over a hidden variable."""
    crowd = lg.LogVar("P", individuals)
    other, state, hidden = lg.LogVar("Q", crowd), lg.prv("S", crowd), lg.prv("H", crowd)
    A, B = lg.LogVar("A", twos), lg.LogVar("B", threes)
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([state, state(other)], [1, 0, 0, 1], unordered(crowd, other)),
            lg.parfactor([state, hidden], [2, 1, 1, 1], (), [crowd, A]),
            lg.parfactor([state, hidden], [1, 1, 1, 3], (), [crowd, B]),
        ]
    )
    best = model.mpe(method="lifted")
    assert set(best.values()) == {heavier(twos, threes)}


def test_large_tables_to_high_powers_keep_their_digits() -> None:
    """More entries than get logarithms from decimal arithmetic, one of them a little larger."""
    times, states = 10**12, [str(state) for state in range(9000)]
    E, repeated = lg.prv("E", states=states), lg.LogVar("N", times)
    for largest in (5, 8999):
        table = np.full(9000, 3 * 10**16)
        table[largest] += 1
        model = lg.ParfactorGraph.of([lg.parfactor([E], table.tolist(), (), [repeated])])
        assert model.mpe(method="lifted")["E"] == str(largest)
        assert model.mpe(method="lifted").states == (largest,)
        answer = model.query("E", method="lifted").probabilities
        odds = math.exp(times * math.log1p(1 / (3 * 10**16)))
        assert answer[largest] / answer[0] == pytest.approx(odds, rel=1e-9)
