"""The best few explanations against the sorted enumeration: weights, ties, and classes of them."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, groupby, product
from math import comb, prod
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.joint_states import best_few, best_multisets
from liftgraph.inference.joint_states.best_multisets import BestMultisets, multiset
from liftgraph.inference.lifted.nesting import nesting
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.inference.weight import log_weight, weight
from liftgraph.model.query import Query
from liftgraph.semiring import MAX_EXACT
from tests.inference.test_counts import graphs as count_graphs
from tests.inference.test_joint_states import grid, listed
from tests.relational import families, people, relational_models
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


def neighbours(individuals: int) -> lg.ParfactorGraph:
    """One PRV is counted, two are private, and one of these has a context."""
    X = lg.LogVar("X", individuals)
    Y = lg.LogVar("Y", X)
    season = lg.prv("Season")
    sick, tired, treated = [lg.prv(name, X) for name in ("Sick", "Tired", "Treated")]
    parfactors = [
        lg.parfactor([sick, sick(Y)], [10, 9, 9, 11], lg.unordered(X, Y)),
        lg.parfactor([sick, tired], [3, 2, 5, 7]),
        lg.parfactor([season, tired, treated], [1, 2, 3, 4, 8, 7, 6, 5]),
    ]
    return lg.ParfactorGraph.of(parfactors)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("best", [1, 20])
@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_memory_is_as_predicted(exact: bool, best: int, method: str) -> None:
    query = Query("explanations", (), exact, best)
    model = grid(7, 7) if method == "ground" else neighbours(100)
    plan = methods.plan(model, query, method=method)
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


def exchanges(model: lg.ParfactorGraph, graph: lg.FactorGraph) -> list[tuple[int, ...]]:
    """For each exchange of individuals that evidence allows, where each variable goes.

    Individuals of a nested domain are exchanged for each individual around them.
    """
    nested = nesting(model)
    places = [model.locate(number) for number in range(model.variable_count)]
    swaps = []
    for index, domain in enumerate(model.domains):
        outer = nested.outer[index]
        around = range(1 if outer is None else model.domains[outer].size)
        for alone, (one, other) in product(around, combinations(range(domain.size), 2)):
            image = {one: other, other: one}
            moved = []
            for prv, chosen in places:
                among = nested.individuals(prv, chosen)
                here = outer is None or (outer, alone) in among
                logvars = model.prvs[prv].logvars
                pairs = zip(logvars, chosen, strict=True)
                place = [image.get(i, i) if here and v.domain == domain else i for v, i in pairs]
                moved.append(model.number((prv, tuple(place))))
            swaps.append(tuple(moved))
    group = {tuple(range(model.variable_count)): None}
    for move in (queue := list(group)):
        for swap in swaps:
            further = tuple([swap[v] for v in move])
            if further not in group:
                group[further] = None
                queue.append(further)
    evidence = graph.evidence.items()
    return [m for m in group if all(graph.evidence.get(m[v]) == state for v, state in evidence)]


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
    st.sampled_from([1, 2]).flatmap(relational_models) | people(),
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
    graph = model.given(given).ground()
    try:
        answer = model.mpe(given=given, best=best, exact=True)
    except lg.ZeroWeightError:
        assert not possible(graph)
        return
    except lg.ComputationError as refused:
        assert "individuals which can be exchanged" in str(refused)
        assert len(single) < model.variable_count
        return
    expected = classes(model, graph)
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


@given(
    st.integers(1, 5),
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=3),
    st.sampled_from([1, 3, 8, 1000]),
    st.sampled_from([1, 1 << 16]),
)
def test_multisets(individuals: int, cells: list[list[int]], wanted: int, chunk: int) -> None:
    """The largest products for each histogram over cells, and the choices that they come from."""
    ranked = np.sort(np.array(cells, dtype=object), axis=1)[None, :, ::-1]
    plan = BestMultisets(individuals, (1, len(cells), 3), 4, wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_multisets, "CHUNK", chunk)
        (found,) = best_multisets.best_multisets(plan, MAX_EXACT, ranked)
    for number, histogram in enumerate(cell_counts(individuals, len(cells)).tolist()):
        each = [combinations_with_replacement(range(3), count) for count in histogram]
        chosen: list[list[Mapping[int, int]]]
        chosen = [list(map(Counter, ranks)) for ranks in product(*each)]
        weights = [_product(ranked[0], ranks) for ranks in chosen]
        expected = sorted([value for value in weights if value], reverse=True)[:wanted]
        assert [value for value in found[number] if value] == expected
        listed = []
        for rank, value in enumerate(expected):
            counts = multiset(plan, MAX_EXACT, ranked[0], number, rank).tolist()
            assert list(map(sum, counts)) == histogram
            assert _product(ranked[0], [dict(enumerate(row)) for row in counts]) == value
            listed.append(counts)
        assert len(set(map(str, listed))) == len(listed)


def _product(ranked: NDArray[Any], ranks: Sequence[Mapping[int, int]]) -> int:
    """The weight of individuals that have these ranks, in each cell."""
    return prod(
        [
            row[rank] ** count
            for row, counts in zip(ranked, ranks, strict=True)
            for rank, count in counts.items()
        ]
    )


def test_private_prvs_need_no_histogram() -> None:
    """Ten PRVs about each of 10,000 individuals would have histograms over 1,024 cells. The best
    assignments differ from the best one in a few states, of one individual or of several."""
    individuals = 10**4
    X = lg.LogVar("X", individuals)
    percent = [90 + place for place in range(10)]
    parfactors = [lg.parfactor([lg.prv(f"S{p}", X)], [100, p]) for p in percent]
    answer = lg.ParfactorGraph.of(parfactors).mpe(best=8, exact=True)
    shares = [cast(Fraction, value) / cast(Fraction, answer.weights[0]) for value in answer.weights]
    assert shares == [
        *[1, Fraction(99, 100), Fraction(99, 100) ** 2, Fraction(98, 100)],
        *[Fraction(99, 100) ** 3, *[Fraction(99 * 98, 10**4)] * 2, Fraction(97, 100)],
    ]
    assert answer.counts[:5] == (
        1,
        individuals,
        comb(individuals, 2),
        individuals,
        comb(individuals, 3),
    )
    assert sorted(answer.counts[5:7]) == [individuals, individuals * (individuals - 1)]
    assert answer.ties[5] == (5, 6)


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
    X = lg.LogVar("X", 100)
    Y = lg.LogVar("Y", X)
    wide = lg.prv("S", X, states=states)
    pairs = lg.parfactor([wide, wide(Y)], range(1, 82), lg.different(X, Y))
    with pytest.raises(lg.MemoryLimitError, match="S"):
        lg.ParfactorGraph.of([pairs]).mpe(best=2)
    private = lg.ParfactorGraph.of([lg.parfactor([wide], range(1, 10))])
    with pytest.raises(lg.MemoryLimitError, match="individuals of S"):
        private.mpe(best=500, memory_limit=10**7)
    first = lg.LogVar("X", 2)
    other = lg.LogVar("Y", first)
    apart = lg.different(first, other)
    pair = lg.prv("A", first, other, where=lg.unordered(first, other))
    counted = lg.parfactor([lg.crv(pair(first, other), other, where=apart)], [0, 1], apart)
    with pytest.raises(lg.ComputationError, match="counts an unordered set"):
        lg.ParfactorGraph.of([counted]).mpe(best=2)
