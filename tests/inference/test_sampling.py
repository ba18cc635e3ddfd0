"""Samples against enumeration: whole assignments by chi-squared, never against other samples."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import different, unordered
from liftgraph.datasets import clique, epid, smokers
from liftgraph.inference.sample import draw, plan_samples, sample_bytes
from liftgraph.inference.tensor.chance import Chance
from liftgraph.semiring import EXACT, choose_semiring
from tests.brute_force import weighted_worlds
from tests.chi_squared import assert_drawn_from, assert_follows
from tests.relational import families, relational_models, shuffled
from tests.strategies import bayesian_networks, factor_graphs, symmetric_graphs

SAMPLES = 3000
FEW = 2000  # assignments that are enumerated
MANY = 9000  # samples: NumPy's iterators work through 8,192 entries at a time


def sampled(model: Any, count: int = SAMPLES, **options: Any) -> lg.Sample | None:
    """A sample, unless everything has weight zero or the method does not answer."""
    try:
        return cast(lg.Sample, model.sample(count, seed=1, **options))
    except lg.ZeroWeightError:
        graph = model.ground() if isinstance(model, lg.ParfactorGraph) else model
        graph = graph.given(options.get("given") or {})
        assert not any(weight for _, weight in weighted_worlds(graph))
    except lg.ComputationError:
        assume(False)
    return None


def assert_counts_are_those_of_states(model: lg.ParfactorGraph, sample: lg.Sample) -> None:
    for prv, start in zip(model.prvs, model.variable_start, strict=False):
        states = sample.states[:, start : start + prv.size]
        counted = [(states == state).sum(axis=1) for state in range(len(prv.states))]
        assert np.array_equal([*sample.counts(prv.name).values()], counted)


@given(
    factor_graphs() | symmetric_graphs() | bayesian_networks().map(lambda network: network[0]),
    st.booleans(),
)
def test_ground_samples_follow_the_joint_distribution(graph: lg.FactorGraph, exact: bool) -> None:
    assume(prod(graph.cardinalities.tolist()) <= FEW)
    sample = sampled(graph, method="ground", exact=exact)
    if sample is not None:
        assert_follows(graph, sample.states)


@st.composite
def observed_models(draw: st.DrawFn) -> tuple[lg.ParfactorGraph, dict[str, str]]:
    """Models with two or three logvars a PRV, and evidence on individuals."""
    model = draw(relational_models(draw(st.sampled_from([2, 3]))))
    graph = model.ground()
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    observed = draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
    return model, {name: draw(st.sampled_from(graph.states(name))) for name in observed}


@given(observed_models(), st.booleans())
def test_lifted_samples_follow_the_joint_distribution(
    asked: tuple[lg.ParfactorGraph, dict[str, str]], exact: bool
) -> None:
    model, evidence = asked
    sample = sampled(model, method="lifted", exact=exact, given=evidence)
    if sample is not None:
        assert_follows(model.ground().given(evidence), sample.states)
        assert_counts_are_those_of_states(model, sample)


@st.composite
def observed_pairs(draw: st.DrawFn) -> tuple[lg.ParfactorGraph, dict[str, str]]:
    """Unordered pairs of four people, some of them observed: where two people are left of whom
    nothing is known, they have one pair in each sample."""
    A = lg.LogVar("A", 4)
    B = lg.LogVar("B", A)
    pair = lg.prv("F", A, B, where=unordered(A, B))
    table = draw(st.lists(st.integers(1, 5), min_size=2, max_size=2))
    model = lg.ParfactorGraph.of([lg.parfactor([pair], table, unordered(A, B))])
    names = draw(st.sets(st.sampled_from(["F.1.2", "F.1.3", "F.2.4"]), min_size=1))
    return model, {name: draw(st.sampled_from(["true", "false"])) for name in sorted(names)}


@given(observed_models() | observed_pairs(), st.booleans())
def test_many_lifted_samples(asked: tuple[lg.ParfactorGraph, dict[str, str]], exact: bool) -> None:
    model, evidence = asked
    sample = sampled(model, MANY, method="lifted", given=evidence, exact=exact)
    if sample is not None:
        assert_counts_are_those_of_states(model, sample)
        assert_follows(model.ground().given(evidence), sample.states)


@given(st.sampled_from([2, 3]).flatmap(relational_models), st.data())
def test_samples_of_lifted_graphs_have_the_graphs_variables(
    model: lg.ParfactorGraph, data: st.DataObject
) -> None:
    graph = data.draw(shuffled(model.ground(), named=data.draw(st.booleans())))
    assume(prod(graph.cardinalities.tolist()) <= FEW)
    lifted = graph.lift()
    for asked in (graph, lifted):
        sample = sampled(asked, method="lifted")
        if sample is not None:
            assert sample.names == tuple(graph.variables)
            assert_follows(graph, sample.states)
    sample = sampled(lifted, method="ground")
    if sample is not None:
        assert_follows(graph, sample.states)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (name, model)
        for name, model in families(3)
        if prod(len(prv.states) ** prv.size for prv in model.prvs) <= 1 << 12
    ],
)
def test_families(name: str, model: lg.ParfactorGraph) -> None:
    sample = model.sample(20_000, seed=2, method="lifted")
    assert_follows(model.ground(), sample.states)
    assert_counts_are_those_of_states(model, sample)


X, M = lg.LogVar("X", 3), lg.LogVar("M", 2)
Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
S, R, E = lg.prv("S", X), lg.prv("R", X), lg.prv("E")
F, G = lg.prv("F", X, Y, where=different(X, Y)), lg.prv("G", X, Y, where=different(X, Y))
U = lg.prv("U", X, Y, where=unordered(X, Y))
P = lg.LogVar("P", 2)
H, K, L = lg.prv("H", P, M), lg.prv("K", P, M), lg.prv("L", P)
APART, SETS = different(X, Y), unordered(X, Y)
FOUR, EIGHT = [3, 1, 2, 5], [1, 9, 4, 2, 7, 3, 8, 5]
PECULIAR = {
    "pairs given pairs": [
        lg.parfactor([K, H], FOUR),
        lg.parfactor([H, L], FOUR),
        lg.parfactor([K, L], FOUR),
    ],
    "directed pairs given unordered ones": [
        lg.parfactor([F, U], [1, 4, 3, 2], APART),
        lg.parfactor([U, S, S(Y)], [4, 2, 2, 3, 1, 5, 5, 3], SETS),
    ],
    "both directions": [lg.parfactor([F, F(Y, X), S], EIGHT, APART)],
    "counted friends": [
        lg.parfactor([lg.crv(F, Y, where=APART), S], [1, 4, 2, 5, 1, 3], APART),
        lg.parfactor([S, E], FOUR),
    ],
    "zeros": [lg.parfactor([S, R(Y)], [0, 1, 1, 0], APART), lg.parfactor([F, S], FOUR, APART)],
    "free variables": [lg.parfactor([S], [1, 3]), lg.parfactor([E], [1, 1])],
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", PECULIAR)
def test_peculiar_models(name: str, exact: bool) -> None:
    prvs = [R, U] if name == "free variables" else []
    model = lg.ParfactorGraph.of(PECULIAR[name], prvs)
    sample = model.sample(8000, seed=3, method="lifted", exact=exact)
    assert_follows(model.ground(), sample.states)
    assert_counts_are_those_of_states(model, sample)


def test_the_order_of_reading_changes_nothing() -> None:
    models = [lg.ParfactorGraph.of(parfactors) for parfactors in PECULIAR.values()]
    for model in models:
        names = [prv.name for prv in model.prvs]
        first, second = (model.sample(50, seed=4, method="lifted") for _ in range(2))
        counts = {name: first.counts(name) for name in names}
        listed = [first.column(name) for name in first.names]
        assert [second.column(name) for name in reversed(second.names)] == listed[::-1]
        for name in reversed(names):
            for state, count in second.counts(name).items():
                assert count.tolist() == counts[name][state].tolist()


@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_draws_are_independent_of_each_other(method: str) -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S, E], FOUR)])
    worlds = dict(weighted_worlds(model.ground()))
    total = sum(worlds.values())
    pairs = {
        (first, second): float(worlds[first] * worlds[second] / total**2)
        for first, second in product(worlds, repeat=2)
    }
    states = [*map(tuple, model.sample(40_000, seed=5, method=method).states.tolist())]
    assert_drawn_from(pairs, zip(states[::2], states[1::2], strict=True))
    half = len(states) // 2
    assert_drawn_from(pairs, zip(states[:half], states[half:], strict=True))


def count_graphs() -> Iterator[lg.FactorGraph]:
    """Graphs with potentials that elimination takes apart."""
    builder = lg.FactorGraphBuilder()
    names = builder.add_variables(5)
    for name, weights in zip(names, [(1, 2), (3, 1), (1, 1), (2, 5), (4, 3)], strict=True):
        builder.add_factor([name], weights)
    builder.add_count_factor(names, [1, 5, 0, 2, 7, 3])
    yield builder.build()
    child = builder.add_variable("alarm")
    builder.add_noisy_or(child, dict.fromkeys(names, "0.4"), leak="0.05")
    yield builder.build()
    yield builder.build().given({"alarm": True})
    weighted = lg.FactorGraphBuilder()
    some = weighted.add_variables(4)
    weighted.add_count_factor(some, lambda total: 1 + total * total, weights=[2, 1, 3, 2])
    weighted.add_gate(weighted.add_variable("loud"), some, [0, "0.2", "0.5", "0.7", 1])
    yield weighted.build()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_potentials_that_are_no_tables(method: str, exact: bool) -> None:
    for graph in count_graphs():
        sample = graph.sample(8000, seed=6, method=method, exact=exact)
        assert_follows(graph, sample.states)


def test_evidence_about_counts() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S, R], FOUR), lg.parfactor([S, E], FOUR)])
    graph = model.ground()
    shares = {
        world: weight
        for world, weight in weighted_worlds(graph)
        if sum(world[graph.variable(f"S.{n}")] == 0 for n in (1, 2, 3)) == 2
    }
    total = sum(shares.values())
    expected = {world: float(weight / total) for world, weight in shares.items() if weight}
    for asked in (model, graph):
        states = asked.sample(6000, seed=7, given={lg.count("S"): 2}).states
        assert_drawn_from(expected, map(tuple, states.tolist()))


def test_weights_that_no_float_holds() -> None:
    """Wide potentials are logarithms on the way; given one state, the other is nearly certain."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    huge = 10**400
    builder.add_factor(["A", "B"], [[huge, 1], [3, huge * 2]])
    builder.add_factor(["A"], [2, 1])
    graph = builder.build()
    assert_follows(graph, graph.sample(4000, seed=8).states)
    given_rare = graph.given({"A": "true"})
    assert set(given_rare.sample(100, seed=8).column("B")) == {"true"}


def test_a_million_people_are_not_written_out() -> None:
    sample = epid(1_000_000).sample(200, seed=9)
    sick = sample.counts("Sick")
    assert ((sick["true"] + sick["false"]) == 1_000_000).all()
    treated = sample.counts("Treat")
    treatments = epid(1_000_000).variable_count - 2_000_001
    assert ((treated["true"] + treated["false"]) == treatments).all()


def test_friendships_are_counted_without_listing_them() -> None:
    people = 2000
    sample = smokers(people).sample(3, seed=10)
    friends = sample.counts("Friends")
    assert ((friends["true"] + friends["false"]) == people * (people - 1)).all()


def test_histograms_follow_their_distribution() -> None:
    """A clique of 300: the number in a state, against the marginal of the count."""
    model = clique(300)
    name = model.prvs[0].name
    state = model.prvs[0].states[0]
    distribution = model.query(lg.count(name, state), exact=True).probabilities.tolist()
    shares = {k: probability for k, probability in enumerate(distribution) if probability}
    counts = model.sample(20_000, seed=11).counts(name)[state]
    assert_drawn_from(shares, counts.tolist())


def test_who_is_in_a_state_is_a_random_arrangement() -> None:
    """Two people far apart in the order of the model, against their joint distribution."""
    model = epid(40)
    sample = model.sample(4000, seed=12, given={"Epid": True})
    marginal = model.query("Sick.3", "Sick.17", given={"Epid": True}, exact=True)
    shares = {
        (a, b): float(marginal.probabilities[i, j])
        for i, a in enumerate(marginal.states[0])
        for j, b in enumerate(marginal.states[1])
    }
    pairs = zip(sample.column("Sick.3"), sample.column("Sick.17"), strict=True)
    assert_drawn_from(shares, pairs)


def test_seeds() -> None:
    model = epid(5)
    for method in ("ground", "lifted"):
        first, again = (model.sample(20, seed=3, method=method) for _ in range(2))
        assert np.array_equal(first.states, again.states)
        assert not np.array_equal(first.states, model.sample(20, seed=4, method=method).states)
        fresh = model.sample(20, method=method)
        assert fresh.seed != model.sample(20, method=method).seed
        assert np.array_equal(fresh.states, model.sample(20, seed=fresh.seed, method=method).states)


def test_observed_variables_are_in_their_state() -> None:
    model = epid(4)
    evidence = {"Epid": "false", "Sick.2": "true"}
    for asked in (model, model.given(evidence), model.ground()):
        sample = asked.sample(30, seed=1, given=evidence)
        assert set(sample.column("Epid")) == {"false"}
        assert set(sample.column("Sick.2")) == {"true"}


def test_impossible_evidence() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S, E], [1, 0, 0, 1])])
    impossible = {"S.1": True, "S.2": False}
    for asked, method in product((model, model.ground()), ("ground", "lifted", "auto")):
        with pytest.raises(lg.ZeroWeightError):
            asked.sample(5, given=impossible, method=method)


@pytest.mark.parametrize("count", [-1, 1.5, True, "ten", None])
def test_numbers_of_samples_are_refused(count: object) -> None:
    with pytest.raises(lg.InputError, match="expected a number of samples, got"):
        epid(3).sample(cast(int, count))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "one"])
def test_seeds_are_refused(seed: object) -> None:
    with pytest.raises(lg.InputError, match="expected a seed"):
        epid(3).sample(2, seed=cast(int, seed))


@pytest.mark.parametrize(
    ("option", "meant"),
    [("random_state", "seed=?"), ("evidence", "given=?"), ("size", "comes first")],
)
def test_options_of_others_are_refused(option: str, meant: str) -> None:
    with pytest.raises(lg.InputError, match=meant):
        epid(3).sample(2, **{option: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_nothing_and_no_samples(method: str) -> None:
    empty = lg.ParfactorGraph.of([]).sample(3, seed=1, method=method)
    assert empty.states.shape == (3, 0)
    assert empty.tables() == {}
    none = epid(3).sample(0, seed=1, method=method)
    assert none.states.shape == (0, epid(3).variable_count)
    assert none.counts("Sick")["true"].tolist() == []
    assert len(none.table("Sick")) == 0
    single = lg.ParfactorGraph.of([lg.parfactor([lg.prv("One", X, states=["a"])], [2])])
    assert single.sample(2, seed=1, method=method).counts("One")["a"].tolist() == [3, 3]


def test_memory_limits() -> None:
    with pytest.raises(lg.MemoryLimitError, match="ask for fewer samples"):
        epid(50).sample(1_000_000, seed=1, memory_limit=2**20)
    with pytest.raises(lg.MemoryLimitError):
        epid(50).ground().sample(1_000_000, seed=1, memory_limit=2**24)
    sample = epid(100_000).sample(10, seed=1, memory_limit=2**22)
    assert sample.counts("Sick")["true"].shape == (10,)
    for read in (lambda: sample.states, sample.to_frame, lambda: sample.table("Sick")):
        with pytest.raises(lg.MemoryLimitError):
            read()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("count", [1, 2000])
def test_no_more_memory_than_predicted(count: int, exact: bool) -> None:
    graphs = lg.datasets.asia(), lg.datasets.grid(5, 5), epid(8).ground()
    models: list[lg.FactorGraph | lg.ParfactorGraph] = [*graphs, epid(30), smokers(40)]
    for model, method in product(models, ("ground", "lifted")):
        if method == "ground" and isinstance(model, lg.ParfactorGraph):
            continue
        model.sample(count, seed=1, method=method, exact=exact)  # plans are kept from now on
        planned = plan_samples(model, None, exact, {"method": method})
        limit = sample_bytes(model, planned, count)
        with pytest.raises(lg.MemoryLimitError):
            draw(model, planned, count, 1, limit - 1)
        tracemalloc.start()
        try:
            draw(model, planned, count, 1, limit)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak <= limit


def test_chances_are_exact_beyond_words() -> None:
    third = 10**30
    weights = np.array([[third, 0, 2 * third]], dtype=object)
    chosen = Chance(1).states(weights, np.zeros(6000, dtype=np.int64))
    assert_drawn_from({0: 1 / 3, 2: 2 / 3}, chosen.tolist())


def test_zero_weights_are_never_chosen() -> None:
    weights = np.array([[0.0, 1e-300, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.9]])
    rows = np.array([0, 1, 2] * 2000)
    chosen = Chance(2).states(weights, rows)
    assert set(chosen[rows == 0]) == {1}
    assert set(chosen[rows == 1]) == {0}
    assert set(chosen[rows == 2]) == {1, 2}
    shares = Chance(2).shares(weights, np.arange(3), np.array([10**12, 7, 10**6]))
    assert shares[0].tolist() == [0, 10**12, 0]
    assert shares[1].tolist() == [7, 0, 0]
    assert shares.sum(axis=1).tolist() == [10**12, 7, 10**6]


@given(st.lists(st.lists(st.integers(0, 10**400), min_size=3, max_size=3), min_size=1))
def test_row_weights(rows: list[list[int]]) -> None:
    """As logarithms and as integers, each row is right up to a factor."""
    integers = np.array(rows, dtype=object)
    floats = choose_semiring("sum", exact=False)
    logs = floats.row_weights(floats.evaluate(integers))
    assert EXACT.row_weights(EXACT.evaluate(integers)).tolist() == rows
    for row, weights in zip(rows, logs, strict=True):
        largest = max(*row, 1)
        assert weights == pytest.approx([entry / largest for entry in row], rel=1e-9)


@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_likelihoods_and_interventions(method: str) -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S, R], FOUR), lg.parfactor([S, E], FOUR)])
    likely = {"S.2": [1, 5], "E": {"true": 3, "false": 1}}
    for asked in (model, model.ground()):
        sample = asked.sample(4000, seed=1, given=likely, method=method)
        assert_follows(model.ground().given(likely), sample.states)
    network = lg.datasets.asia()
    done = network.sample(4000, seed=2, do={"smoke": "yes"}, given={"dysp": "yes"}, method=method)
    assert_follows(network.do({"smoke": "yes"}).given({"dysp": "yes"}), done.states)
