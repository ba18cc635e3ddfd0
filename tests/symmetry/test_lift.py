"""Lifted models are as small as possible, ground to the given graph and keep its marginals."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.lifted.checks import check_parfactor
from liftgraph.model.query import Query
from liftgraph.symmetry.colours.colouring import ALGORITHMS
from liftgraph.symmetry.lifting import lift as lifting
from liftgraph.symmetry.lifting.lift import check_grounding
from liftgraph.symmetry.structure.components import components, distinct, row_numbers
from liftgraph.symmetry.structure.fitting import Occurrence, fit
from tests.brute_force import brute_force
from tests.relational import families, in_any_order, relational_models, shuffled
from tests.strategies import factor_graphs, symmetric_graphs

SYMMETRIC, PLAIN = [1, 2, 2, 5], [1, 2, 3, 5]
Edges = list[tuple[int, ...]]


def is_right(graph: lg.FactorGraph, model: lg.ParfactorGraph) -> None:
    """The model stands for the graph, its parfactors make sense, and both maps are inverse."""
    assert model.ground() == graph
    for parfactor in model.parfactors:
        check_parfactor("a parfactor", parfactor)
        times = sum(count for _, count in parfactor.scales)
        assert times in (0, parfactor.size)
    assert len({prv.name for prv in model.prvs}) == len(model.prvs)
    places = [model.locate(graph.name(variable)) for variable in range(graph.variable_count)]
    assert len(set(places)) == len(places) == model.variable_count
    for variable, (prv_index, individuals) in enumerate(places):
        assert model.locate(variable) == (prv_index, individuals)
        assert model.name((prv_index, individuals)) == graph.name(variable)
        assert model.prvs[prv_index].states == graph.states(variable)
        assert model.prvs[prv_index].observed == graph.evidence.get(variable)
    scales = [factor.table.scale for factor in graph.factors]
    if model.origin is not None and model.origin.near:
        return
    assert prod(parfactor.total_scale for parfactor in model.parfactors) == prod(scales)


def graph_of(edges: Edges, table: object, more: int = 0) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(max((max(edge) for edge in edges), default=-1) + 1 + more)
    for edge in edges:
        builder.add_factor(edge, table)
    return builder.build()


def ring(n: int, first: int = 0) -> Edges:
    return [(first + i, first + (i + 1) % n) for i in range(n)]


@pytest.mark.parametrize(("name", "n"), [(name, n) for n in (3, 4, 6) for name, _ in families(n)])
def test_families_are_found_again(name: str, n: int) -> None:
    source = dict(families(n))[name]
    for seed in range(3):
        graph = in_any_order(source.ground(), np.random.default_rng(seed))
        model = lg.lift(graph)
        is_right(graph, model)
        assert len(model.prvs) == len(source.prvs), str(model)
        assert len(model.parfactors) == len(source.parfactors), str(model)
        assert model.origin is not None
        assert not len(model.origin.singled_out)
        given_sizes = sorted(prv.size for prv in source.prvs)
        assert sorted(prv.size for prv in model.prvs) == given_sizes
        logvars = sum(len(prv.logvars) for prv in source.prvs)
        assert sum(len(prv.logvars) for prv in model.prvs) <= logvars


@given(st.data())
def test_random_relational_models_are_kept(data: st.DataObject) -> None:
    source = data.draw(relational_models())
    named = data.draw(st.booleans())
    graph = data.draw(shuffled(source.ground(), named=named))
    if graph.variable_count:
        observed = data.draw(st.lists(st.integers(0, graph.variable_count - 1), max_size=2))
        graph = graph.observing(dict.fromkeys(observed, 0))
    is_right(graph, lg.lift(graph, data.draw(st.sampled_from(ALGORITHMS))))


@settings(max_examples=40)
@given(st.data())
def test_marginals_are_the_same_before_and_after(data: st.DataObject) -> None:
    graph = data.draw(shuffled(data.draw(relational_models()).ground()))
    model = lg.lift(graph)
    question = Query("marginals", exact=True)
    try:
        expected = brute_force(graph, question)
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            brute_force(model.ground(), question)
        return
    assert brute_force(model.ground(), question) == expected


@given(symmetric_graphs() | factor_graphs(), st.sampled_from(ALGORITHMS))
def test_any_graph_is_kept(graph: lg.FactorGraph, algorithm: str) -> None:
    is_right(graph, lg.lift(graph, algorithm))  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [SYMMETRIC, PLAIN, [1, 1, 1, 1], [0, 1, 1, 0]])
@pytest.mark.parametrize(
    "edges",
    [
        ring(8),
        ring(4) + ring(4, 4),
        ring(6) + ring(3, 6) + ring(3, 9),
        [(i, j) for i in range(4) for j in range(4, 8)],
        [(v, v ^ bit) for v in range(16) for bit in (1, 2, 4, 8) if v < v ^ bit],
        [(i, (i + 1) % 5) for i in range(5)]
        + [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
        + [(i, i + 5) for i in range(5)],
        [(a, b) for a in range(16) for b in range(a) if a % 4 == b % 4 or a // 4 == b // 4],
        [(a, b) for a in range(13) for b in range(a) if (a - b) % 13 in (1, 3, 4, 9, 10, 12)],
    ],
    ids=["C8", "2C4", "C6+2C3", "K44", "Q4", "Petersen", "rook", "Paley"],
)
def test_graphs_that_colours_do_not_tell_apart(edges: Edges, table: list[int]) -> None:
    for seed in range(3):
        graph = in_any_order(graph_of(edges, table), np.random.default_rng(seed))
        is_right(graph, lg.lift(graph))


def test_a_ring_of_eight_is_not_a_product() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(8)
    builder.add_factors(np.array(ring(8)), [9, 1, 1, 3])
    graph = builder.build().given({0: "true", 4: "false"})
    model = lg.lift(graph)
    is_right(graph, model)
    asked = Query("marginal", (2,), exact=True)
    assert brute_force(model.ground(), asked) == brute_force(graph, asked)
    free = lg.lift(builder.build())
    assert len(free.prvs) == 5
    assert free.ground_variables == 2
    assert "singled out" in free.summary()


@pytest.mark.parametrize(("table", "prvs"), [(SYMMETRIC, 4), (PLAIN, 6)])
def test_copies_of_a_ring_are_lifted_side_by_side(table: list[int], prvs: int) -> None:
    """The hub, one of each ring, and the others: in pairs if there is no direction."""
    copies = 20
    edges = [edge for copy in range(copies) for edge in ring(5, 5 * copy)]
    hub = [(variable, 5 * copies) for variable in range(5 * copies)]
    builder = lg.FactorGraphBuilder()
    builder.add_variables(5 * copies + 1)
    builder.add_factors(np.array(edges), table)
    builder.add_factors(np.array(hub), [4, 1, 1, 1])
    model = lg.lift(builder.build())
    is_right(builder.build(), model)
    assert len(model.prvs) == prvs
    assert {domain.size for domain in model.domains} == ({copies, 2} if prvs == 4 else {copies})


@pytest.mark.parametrize("pairs", [True, False])
def test_rows_and_columns_of_four(pairs: bool) -> None:
    """Two ways to pair four variables: which way is told by the tables alone."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(4)
    for row in ((0, 1), (2, 3)):
        builder.add_factor(row, SYMMETRIC if pairs else PLAIN)
        if not pairs:
            builder.add_factor(row[::-1], PLAIN)
    for column in ((0, 2), (1, 3)):
        builder.add_factor(column, [3, 1, 1, 1])
    model = lg.lift(builder.build())
    is_right(builder.build(), model)
    assert (len(model.prvs), len(model.parfactors)) == (1, 2)


def test_grids_are_folded() -> None:
    edges: Edges = [(6 * i + j, 6 * i + j + 1) for i in range(6) for j in range(5)]
    edges += [(6 * i + j, 6 * i + j + 6) for i in range(5) for j in range(6)]
    model = lg.lift(graph_of(edges, SYMMETRIC))
    is_right(graph_of(edges, SYMMETRIC), model)
    assert len(model.prvs) < 36


@given(st.integers(4, 14), st.integers(0, 2**32 - 1), st.sampled_from([SYMMETRIC, PLAIN]))
def test_random_regular_graphs(n: int, seed: int, table: list[int]) -> None:
    random = np.random.default_rng(seed)
    ends = np.repeat(np.arange(n), 3 if n % 2 == 0 else 4)
    random.shuffle(ends)
    edges = {tuple(sorted(pair)) for pair in ends.reshape(-1, 2).tolist() if pair[0] != pair[1]}
    graph = graph_of(sorted(edges), table)
    is_right(graph, lg.lift(graph))


@pytest.mark.parametrize("arguments", [3, 4, 5])
def test_tables_with_symmetries_that_are_not_swaps(arguments: int) -> None:
    states = np.indices((2,) * arguments)
    rotated = sum(
        states[i] * (1 + states[(i + 1) % arguments] * (1 + 2 * states[(i + 2) % arguments]))
        for i in range(arguments)
    )
    edges: Edges = list(itertools.combinations(range(arguments + 1), arguments))
    for seed in range(4):
        graph = in_any_order(graph_of(edges, rotated), np.random.default_rng(seed))
        model = lg.lift(graph)
        is_right(graph, model)
        question = Query("marginals", exact=True)
        assert brute_force(model.ground(), question) == brute_force(graph, question)


@pytest.mark.parametrize("people", [3, 4, 5])
def test_rotations_make_no_unordered_sets(people: int) -> None:
    """With three states, a table may be the same in every rotation, but not in reverse."""
    x, y, z = np.indices((3, 3, 3))
    table = lg.Table.of(1 + 1 * (x < y) + (y < z) + (z < x))
    builder = lg.FactorGraphBuilder()
    builder.add_variables(people, states=3)
    for scope in itertools.combinations(range(people), 3):
        builder.add_factor(scope, table)
    for seed in range(3):
        graph = in_any_order(builder.build(), np.random.default_rng(seed))
        is_right(graph, lg.lift(graph))


def test_all_choices_of_five() -> None:
    """More orders of the arguments than are tried one by one."""
    counts = np.indices((2,) * 5).sum(axis=0)
    edges: Edges = list(itertools.combinations(range(8), 5))
    graph = in_any_order(graph_of(edges, 1 + counts**2), np.random.default_rng(5))
    model = lg.lift(graph)
    is_right(graph, model)
    assert (len(model.prvs), len(model.parfactors)) == (1, 1)


def test_two_kinds_of_variables_with_the_same_colour() -> None:
    """C(X, M, W) has the same table with G(X, M) and with L(M, W), and X and W are as many."""
    X, M, W = (lg.LogVar(name, 3) for name in "XMW")
    C = lg.prv("C", X, M, W)
    parts = [lg.parfactor([C, other], PLAIN) for other in (lg.prv("G", X, M), lg.prv("L", M, W))]
    graph = in_any_order(lg.ParfactorGraph.of(parts).ground(), np.random.default_rng(0))
    model = lg.lift(graph)
    is_right(graph, model)
    assert len(model.prvs) == 5  # one of each M's nine is singled out, which tells G from L


def test_pairs_are_told_by_those_left_out() -> None:
    """Of four people, the two outside a pair tell as much as the two in it."""
    X = lg.LogVar("X", 4)
    Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
    S, F = lg.prv("S", X), lg.prv("F", X, Y, where=lg.different(X, Y))
    outside = lg.parfactor([S, F(Y, Z)], PLAIN, lg.different(X, Y, Z))
    source = lg.ParfactorGraph.of([outside, lg.parfactor([F], [1, 2], lg.different(X, Y))])
    graph = in_any_order(source.ground(), np.random.default_rng(1))
    model = lg.lift(graph)
    is_right(graph, model)
    assert (len(model.prvs), len(model.parfactors)) == (2, 2)


def test_names_of_prvs_are_distinct() -> None:
    builder = lg.FactorGraphBuilder()
    people = [f"Sick.{i}" for i in range(9)]
    builder.add_variables([*people, "Sick_2"])
    for place, name in enumerate(people):
        builder.add_factor([name, "Sick_2"], [1, 2, 3, 5 + place // 3])
    model = lg.lift(builder.build())
    is_right(builder.build(), model)
    assert sorted(prv.name for prv in model.prvs) == ["Sick", "Sick_2", "Sick_3", "Sick_4"]


def test_measured_and_exact_tables_in_one_group() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(3)
    builder.add_factor([0, 2], [1, 2, 3, 5])
    builder.add_factor([1, 2], [1.0, 2.0, 3.0, 5.0])
    (given_table,) = (parfactor.table for parfactor in lg.lift(builder.build()).parfactors)
    assert given_table.measured


@pytest.mark.parametrize("n", [10, 12, 15])
def test_counting_variables_over_many_arguments(n: int) -> None:
    """Histograms are numbered by counts: the tenth argument comes after the second."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"Com.{i}" for i in range(n)])
    builder.add_variable("Rev")
    counts = np.indices((2,) * (n + 1))
    trues = n - counts[:n].sum(axis=0)
    builder.add_factor([*range(n), n], 1 + trues**2 * (1 + counts[n]))
    builder.add_factors(np.arange(n)[:, None], [2, 3])
    graph = in_any_order(builder.build(), np.random.default_rng(n), named=True)
    model = lg.lift(graph)
    is_right(graph, model)
    assert len(model.prvs) == 2
    arguments = [argument for parfactor in model.parfactors for argument in parfactor.arguments]
    (counting,) = [argument for argument in arguments if isinstance(argument, lg.CRV)]
    assert counting.values == n + 1
    assert set(model.domains[0].individuals or ()) == {str(i) for i in range(n)}
    with_both = next(parfactor for parfactor in model.parfactors if len(parfactor.arguments) == 2)
    counts_first = isinstance(with_both.arguments[0], lg.CRV)
    entries = [(h, 0) if counts_first else (0, h) for h in range(n + 1)]
    true = [with_both.table.potential(entry) for entry in entries]
    assert [value / true[0] for value in true] == [1 + h**2 for h in range(n + 1)]


def test_names_are_those_of_the_variables() -> None:
    model = lg.lift(lg.datasets.epidemic())
    assert [prv.name for prv in model.prvs] == ["Epid", "Travel", "Sick", "Treat"]
    people, medications = model.domains
    assert people.individuals == ("alice", "bob")
    assert medications.individuals == ("m1", "m2")
    prv_index, individuals = model.locate("Treat.bob.m1")
    assert model.prvs[prv_index].name == "Treat"
    assert individuals == (1, 0)


@given(st.integers(0, 2**32 - 1))
def test_named_individuals_are_the_same_in_all_names(seed: int) -> None:
    X = lg.LogVar("X", ["dan", "eve", "bob", "ann"])
    Y, M = lg.LogVar("Y", X), lg.LogVar("M", ["m2", "m1", "m3"])
    sick, treat = lg.prv("Sick", X), lg.prv("Treat", M, X)
    knows = lg.prv("Knows", X, Y, where=lg.different(X, Y))
    source = lg.ParfactorGraph.of(
        [
            lg.parfactor([sick, treat], PLAIN),
            lg.parfactor([knows, sick, sick(Y)], [1, 2, 3, 4, 5, 6, 7, 11], lg.different(X, Y)),
        ]
    )
    graph = in_any_order(source.ground(), np.random.default_rng(seed), named=True)
    model = lg.lift(graph)
    is_right(graph, model)
    for variable in range(graph.variable_count):
        prv_index, individuals = model.locate(variable)
        prv = model.prvs[prv_index]
        substitution = zip(prv.logvars, individuals, strict=True)
        names = [logvar.domain.individual(individual) for logvar, individual in substitution]
        assert ".".join([prv.name, *names]) == graph.name(variable)


def test_names_that_contradict_each_other_are_not_taken() -> None:
    """Sick.ann has to do with Well.bob only, and the other way round."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Sick.ann", "Sick.bob", "Well.ann", "Well.bob"])
    builder.add_factor(["Sick.ann", "Well.bob"], PLAIN)
    builder.add_factor(["Sick.bob", "Well.ann"], PLAIN)
    model = lg.lift(builder.build())
    assert len(model.prvs) == 2
    assert model.domains[0].individuals is None


def test_evidence_and_single_individuals_split_groups() -> None:
    graph = lg.datasets.epidemic().given({"Sick.alice": "true"})
    model = lg.lift(graph)
    is_right(graph, model)
    observed = [prv for prv in model.prvs if prv.observed is not None]
    assert [prv.name for prv in observed] == ["Sick.alice"]


def test_evidence_on_some_individuals_splits_domains() -> None:
    """Three smokers of seven: friends within, between and outside of them."""
    people = dict(families(7))["smokers"].ground()
    graph = in_any_order(
        people.given({f"S.{i}": "true" for i in (1, 2, 3)}), np.random.default_rng(3)
    )
    model = lg.lift(graph)
    is_right(graph, model)
    assert sorted(domain.size for domain in model.domains) == [3, 4]
    assert sorted(prv.size for prv in model.prvs) == [3, 4, 6, 12, 12, 12]
    assert (len(model.parfactors), model.ground_variables) == (6, 0)


def test_measured_tables_are_lifted_up_to_the_tolerance() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(4)
    for variable, error in enumerate([0.0, 1e-14, -1e-14]):
        builder.add_factor([variable, 3], [[0.1 + error, 0.2], [0.3, 0.5]])
    graph = builder.build()
    model = lg.lift(graph)
    assert len(model.prvs) == 2
    assert model.origin is not None
    assert model.origin.tolerance == Fraction(1, 10**12)
    assert 0 < model.origin.log_odds_bound < 1e-11
    assert "no log odds change" in model.summary()
    assert all(parfactor.table.measured for parfactor in model.parfactors)
    is_right(graph, model)
    exact = lg.lift(graph, tolerance=0)
    is_right(graph, exact)
    assert len(exact.prvs) == 4
    far = replace(model.origin, tolerance=Fraction(1, 10**15))
    with pytest.raises(lg.ComputationError, match="does not stand for"):
        check_grounding(lg.ParfactorGraph(model.prvs, model.parfactors, far), graph)


def test_a_model_that_stands_for_another_graph_is_refused() -> None:
    graph = lg.datasets.epidemic()
    model = lg.lift(graph)
    assert model.origin is not None
    wrong_order = np.flip(model.origin.variables).copy()
    wrong_scale = (model.origin.scale_id + 1) % len(model.origin.scales)
    for origin in (
        replace(model.origin, variables=wrong_order),
        replace(model.origin, scale_id=wrong_scale.astype(np.int32)),
        replace(model.origin, factors=model.origin.factors[[1, 0, *range(2, 9)]]),
        replace(model.origin, names=(model.origin.names or ())[::-1]),
    ):
        with pytest.raises(lg.ComputationError, match="does not stand for the given graph"):
            check_grounding(lg.ParfactorGraph(model.prvs, model.parfactors, origin), graph)
    with pytest.raises(lg.ComputationError):
        check_grounding(model, graph.given({"Epid": "true"}))


def test_without_patience_everything_is_ground_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifting, "PATIENCE", 0)
    graph = graph_of(ring(9), SYMMETRIC)
    model = lg.lift(graph)
    is_right(graph, model)
    assert model.ground_variables == 9


@pytest.mark.parametrize("kind", ["empty", "no factors", "constants", "one state", "zeros"])
def test_degenerate_graphs(kind: str) -> None:
    builder = lg.FactorGraphBuilder()
    if kind != "empty":
        builder.add_variables(3, states=1 if kind == "one state" else 2)
    if kind == "constants":
        for value in (2, 2, 3, 0):
            builder.add_factor([], value)
    if kind in ("one state", "zeros"):
        values = [0] if kind == "one state" else [0, 0, 0, 0]
        builder.add_factor([0, 1], values)
        builder.add_factor([1, 2], values)
    graph = builder.build()
    model = lg.lift(graph)
    is_right(graph, model)
    assert str(model)
    assert model.summary()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(0, 0), (0, 1), (1, 0), (1, 1)], ([], [], 1)),
        ([(0, 1), (1, 0)], ([(0, 1)], [], 1)),
        ([(0, 1)], ([], [(0, 1)], 1)),
        ([(1, 0)], ([], [(1, 0)], 1)),
        ([(0, 1), (1, 0), (0, 1), (1, 0)], ([(0, 1)], [], 2)),
        ([(0, 1), (1, 0), (1, 0), (1, 0)], None),
        ([(0, 1), (0, 1), (0, 1), (1, 0)], None),
        ([(0, 0), (0, 1), (1, 1)], None),
        ([(0, 0), (0, 1), (1, 1), (1, 1)], None),
    ],
)
def test_rows_that_are_all_substitutions(
    rows: list[tuple[int, int]], expected: tuple[list[object], list[object], int] | None
) -> None:
    occurrences = [Occurrence(0, np.array(individuals)) for individuals in zip(*rows, strict=True)]
    described = fit(occurrences, len(rows), {0: 2})
    if expected is None:
        assert described is None
    else:
        assert described is not None
        pattern = described.pattern
        assert (sorted(pattern.different), list(pattern.unordered), described.copies) == expected


@given(
    st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 10**9, 2**40])] * 3), min_size=1, max_size=12),
    st.sampled_from([2**40 + 1, 2**41]),
)
def test_numbers_of_rows_are_in_their_order(rows: list[tuple[int, ...]], bound: int) -> None:
    """Three columns of 41 bits do not fit into 64."""
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    numbers = row_numbers(columns, [bound] * 3).tolist()
    for first, second in itertools.product(range(len(rows)), repeat=2):
        assert (rows[first] < rows[second]) == (numbers[first] < numbers[second])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.sampled_from([10, 10**6]))
def test_different_codes_are_counted(codes: list[int], bound: int) -> None:
    present, times = distinct(np.array(codes, dtype=np.int64), bound)
    assert dict(zip(present.tolist(), times.tolist(), strict=True)) == Counter(codes)
    assert present.tolist() == sorted(set(codes))


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20))
def test_components_are_what_edges_connect(count: int, edges: list[tuple[int, int]]) -> None:
    inside = [(a, b) for a, b in edges if a < count and b < count]
    expected = list(range(count))
    for _ in range(count):
        for a, b in inside:
            expected[a] = expected[b] = min(expected[a], expected[b])
    left, right = (np.array([edge[side] for edge in inside], dtype=np.int64) for side in (0, 1))
    assert components(left, right, count).tolist() == expected
