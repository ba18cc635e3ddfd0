"""Parametric factor graphs written directly: what they stand for, and what makes no sense."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import different, unordered
from liftgraph.model.ground.summary import info
from liftgraph.model.lifted.histograms import histogram_count, histogram_index, histograms
from liftgraph.model.lifted.substitutions import (
    Pattern,
    at_least,
    cliques,
    count,
    exists,
    in_order,
    numbering,
    orbit_representatives,
    substitutions,
)
from tests.relational import naive_ground, relational_models

X = lg.LogVar("X", 4)
Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
M = lg.LogVar("M", ["m1", "m2"])
E, S, R, T = lg.prv("E"), lg.prv("S", X), lg.prv("R", X), lg.prv("T", X, M)
A = lg.prv("A", X, Y)
F = lg.prv("F", X, Y, where=different(X, Y))
U = lg.prv("U", X, Y, where=unordered(X, Y))


@given(relational_models())
def test_grounding_is_one_factor_for_each_substitution(model: lg.ParfactorGraph) -> None:
    graph = model.ground()
    factors: Counter[tuple[tuple[str, ...], lg.Table]] = Counter()
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        factors[tuple(map(graph.name, scope)), table] += 1
    assert factors == Counter(naive_ground(model))
    assert graph.variable_count == model.variable_count
    assert graph.factor_count == model.factor_count
    for name in graph.names or ():
        assert model.name(model.locate(name)) == name


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    size = draw(st.integers(1, 4))
    places = range(draw(st.integers(1, 4)))
    pairs = st.tuples(st.sampled_from(places), st.sampled_from(places))
    apart = draw(st.frozensets(pairs.filter(lambda pair: pair[0] < pair[1]), max_size=4))
    together = draw(st.sampled_from([(), (tuple(places[:2]),), (tuple(places[:3]),)]))
    sets = tuple(members for members in together if len(members) > 1)
    inside = {pair for members in sets for pair in product(members, members)}
    # what differs from one of an unordered set differs from all of them
    closed = set(apart - inside)
    for members in sets:
        for a, b in apart - inside:
            if (a in members) != (b in members):
                outside = b if a in members else a
                closed |= {(min(outside, m), max(outside, m)) for m in members}
    return Pattern((size,) * len(places), frozenset(closed), sets)


@given(patterns())
def test_substitutions_are_those_that_satisfy_the_constraints(given_pattern: Pattern) -> None:
    expected = [
        row
        for row in product(*map(range, given_pattern.sizes))
        if all(row[a] != row[b] for a, b in given_pattern.different)
        and all(row[a] < row[b] for places in given_pattern.unordered for a, b in pairwise(places))
    ]
    assert rows_of(substitutions(given_pattern)) == expected
    assert [*in_order(given_pattern)] == expected
    for place, number in product(range(len(given_pattern.sizes)), range(max(given_pattern.sizes))):
        some = [row for row in expected if row[place] == number]
        assert [*in_order(given_pattern, {place: number})] == some
    assert count(given_pattern) == len(expected)
    numbered = numbering(given_pattern)
    columns = [np.array(column, dtype=np.int64) for column in zip(*expected, strict=True)]
    if expected:
        assert numbered.numbers(columns).tolist() == list(range(len(expected)))
    assert [numbered.substitution(number) for number in range(len(expected))] == expected
    wider = product(*(range(-1, size + 1) for size in given_pattern.sizes))
    assert [row for row in wider if exists(given_pattern, row)] == expected


@given(st.integers(1, 5), st.integers(1, 4))
def test_histograms_count_states(n: int, states: int) -> None:
    assignments = list(product(range(states), repeat=n))
    rows = {tuple(row.count(s) for s in range(states)) for row in assignments}
    assert list(map(tuple, histograms(n, states).tolist())) == sorted(rows)
    assert histogram_count(n, states) == len(rows)
    index = histogram_index(n, states)
    for assignment in assignments:
        histogram = tuple(assignment.count(state) for state in range(states))
        assert sorted(rows)[index[assignment]] == histogram


def test_a_million_individuals_cost_nothing() -> None:
    P = lg.LogVar("P", 1_000_000)
    Q = lg.LogVar("Q", P)
    sick, knows = lg.prv("Sick", P), lg.prv("Knows", P, Q, where=different(P, Q))
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([sick, E], [3, 1, 1, 5]),
            lg.parfactor([knows, sick, sick(Q)], range(8), different(P, Q)),
        ]
    )
    assert model.variable_count == 1_000_000 + 1 + 1_000_000 * 999_999
    assert model.locate("Sick.1000000") == (0, (999_999,))
    assert model.name((0, (41,))) == "Sick.42"
    with pytest.raises(lg.MemoryLimitError, match="variables"):
        model.ground()


def test_total_scale_is_the_product_of_all_scales() -> None:
    assert lg.parfactor([S], ["1/3", "2/3"]).total_scale == Fraction(1, 3) ** 4


def test_models_are_shown_as_in_a_paper() -> None:
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([E], ["0.1", "0.9"]),
            lg.parfactor([F, S, S(Y)], range(1, 9), different(X, Y)),
            lg.parfactor([S, S(Y), U], [1, 2, 3, 4, 3, 4, 5, 6], unordered(X, Y)),
            lg.parfactor([lg.crv(T, M), S], range(1, 7)),
        ]
    )
    assert str(model).splitlines() == [
        "domains",
        "  X = {1, 2, 3, 4}",
        "  M = {m1, m2}",
        "variables",
        "  E ∈ {true, false}",
        "  F(X, Y) ∈ {true, false} with X ≠ Y",
        "  S(X) ∈ {true, false}",
        "  U(X, Y) ∈ {true, false} with X < Y",
        "  T(X, M) ∈ {true, false}",
        "parfactors",
        "  φ1(E) = [0.1 0.9]",
        "  φ2(F(X, Y), S(X), S(Y)) = [1 2 3 4 5 6 7 8] for all X, Y with X ≠ Y",
        "  φ3(S(X), S(Y), U(X, Y)) = [1 2 3 4 3 4 5 6] for all X, Y with X < Y",
        "  φ4(#M[T(X, M)], S(X)) = [1 2 3 4 5 6] (from 0 true on) for all X",
    ]
    assert "as 5 PRVs" in model.summary()
    assert "#M[T(X, M)] of 2" in model.summary()


def make(*arguments: object, **options: object) -> object:
    values = options.pop("values", None)
    shape = [a.values if not isinstance(a, lg.PRV) else len(a.states) for a in arguments]  # type: ignore[attr-defined]
    table = np.arange(int(np.prod(shape))) if values is None else values
    return lg.parfactor(list(arguments), table, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: lg.LogVar("X", 0), "at least one individual, got 0"),
        (lambda: lg.LogVar("X", ["a", "a"]), "distinct individuals"),
        (lambda: lg.LogVar("X", 2.5), "logvar X: expected the names of individuals"),  # type: ignore[arg-type]
        (lambda: lg.Domain("X", 2, ("a",)), "domain X: expected 2 individuals, got 1"),
        (
            lambda: lg.Domain("X", ["a"]),  # type: ignore[arg-type]
            r"domain X: expected its number of individuals, got .*; a logvar takes their names",
        ),
        (lambda: lg.prv("F", "X"), "expected a logvar, got 'X'"),  # type: ignore[arg-type]
        (lambda: lg.prv("F", X, lg.LogVar("X", 9)), "different names, got X, X"),
        (lambda: different("X", "Y"), "expected a logvar, got 'X'"),  # type: ignore[arg-type]
        (lambda: lg.prv("F", X, Y, where=["X != Y"]), "expected different"),  # type: ignore[list-item]
        (lambda: S("X"), "logvars over its domains"),  # type: ignore[arg-type]
        (lambda: lg.crv("S", X), "expected a PRV"),  # type: ignore[arg-type]
        (lambda: lg.parfactor(S, [1, 2]), "in a list"),  # type: ignore[arg-type]
        (lambda: lg.ParfactorGraph.of([S]), "expected parfactors"),  # type: ignore[list-item]
        (lambda: lg.lift(make(S)), "expected a factor graph, got"),  # type: ignore[arg-type]
        (lambda: info(lg.ParfactorGraph.of(make(S))), "expected a factor graph, got Parf"),  # type: ignore[arg-type]
        (lambda: lg.LogVar("", 3), "expected a name"),
        (lambda: lg.prv("F", X, X), "different logvars"),
        (lambda: lg.prv("F", X, where=different(X, Y)), "constraints on its logvars, got X, Y"),
        (lambda: lg.prv("F", X, M, where=different(X, M)), "X, M to share one domain"),
        (lambda: S(M), "logvars over its domains"),
        (lambda: S(X, Y), "logvars over its domains"),
        (lambda: make(S, S(Y)), "S of different individuals only"),
        (lambda: make(S, S), "S of different individuals only"),
        (lambda: make(U, U(Y, X), where=different(X, Y)), "U of different individuals only"),
        (lambda: make(F), "F needs X ≠ Y"),
        (lambda: make(S, S(Y), where=unordered(X, Y)), "the same if X and Y are swapped"),
        (lambda: make(S, T, where=unordered(X, Y)), "constraints on its logvars"),
        (lambda: lg.crv(S, Y), "count over some of its logvars"),
        (lambda: lg.crv(S, X, where=unordered(X, Y)), "≠ on counted logvars"),
        (lambda: make(lg.crv(S, X), E, where=different(X, Y), logvars=[Y]), "#\\[S\\] counts 4"),
        (lambda: make(lg.crv(S, X), lg.prv("R", X)), "X in its counting variable only"),
        (lambda: lg.crv(T, X, X), "count over each logvar once"),
        (
            lambda: make(lg.crv(S, X), E, where=unordered(X, Y), logvars=[Y]),
            "counting variable only",
        ),
        (
            lambda: make(
                lg.crv(S, X, where=(*different(X, Y), *different(X, Z))),
                E,
                where=(*different(X, Y), *different(X, Z)),
                logvars=[Y, Z],
            ),
            "#\\[S\\] counts 2",
        ),
        (
            lambda: make(
                S,
                S(Y),
                R(Z),
                values=[1, 2, 3, 4, 3, 4, 5, 6],
                where=(*unordered(X, Y), *different(Y, Z)),
            ),
            "the same if X and Y are swapped",
        ),
        (
            lambda: make(
                lg.crv(R(Z), Z, where=different(X, Z)),
                S,
                S(Y),
                values=[1, 2, 2, 3] * 4,
                where=(*unordered(X, Y), *different(X, Z)),
            ),
            "the same if X and Y are swapped",
        ),
        (
            lambda: lg.ParfactorGraph.of(
                [make(S), make(lg.crv(lg.prv("R", lg.LogVar("X", 9)), lg.LogVar("X", 9)))]  # type: ignore[list-item]
            ),
            "one domain for each name",
        ),
        (lambda: make(S, values=[1, 2, 3]), "parfactor on S: expected a table of shape"),
        (lambda: make(S, logvars=[Y]), "all its logvars"),
        (lambda: lg.ParfactorGraph.of([make(S), make(lg.prv("S", M))]), "one PRV for each name"),  # type: ignore[list-item]
        (
            lambda: lg.ParfactorGraph.of([make(S), make(lg.prv("R", lg.LogVar("X", 9)))]),  # type: ignore[list-item]
            "one domain for each name, got different ones named X",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: object, message: str) -> None:
    with pytest.raises(lg.InputError, match=message):
        wrong()  # type: ignore[operator]


@pytest.mark.parametrize(
    "name", ["S.5", "S.0", "S", "S.1.1", "F.2.2", "U.3.2", "nobody", 99, -1, None]
)
def test_variables_that_do_not_exist_are_not_found(name: object) -> None:
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([F, S], range(4), different(X, Y)),
            lg.parfactor([U], [1, 2], unordered(X, Y)),
        ]
    )
    with pytest.raises(lg.InputError, match="expected"):
        model.locate(name)  # type: ignore[arg-type]


def test_constraints_that_tell_unordered_logvars_apart_are_refused() -> None:
    Z = lg.LogVar("Z", X)
    with pytest.raises(lg.InputError, match="the same constraints on X and Y"):
        lg.prv("B", X, Y, Z, where=(*unordered(X, Y), *different(X, Z)))


def test_unordered_sets_that_only_swap_together_are_refused() -> None:
    M = lg.LogVar("M", 3)
    N, A = lg.LogVar("N", M), lg.prv("A", X, M)
    with pytest.raises(lg.InputError, match="expected the same if X and Y are swapped"):
        lg.parfactor([A, A(Y, N)], [6, 5, 5, 4], (*unordered(X, Y), *unordered(M, N)))
    lg.parfactor([A, A(Y, N)], [6, 5, 5, 4], unordered(X, Y))  # here M and N go along


def test_counting_variables_count_once_and_on_their_own() -> None:
    pairs = lg.crv(U, X, Y, where=different(X, Y))
    with pytest.raises(lg.InputError, match="count each variable once"):
        lg.parfactor([pairs], range(pairs.values), different(X, Y))
    one, other = lg.crv(S(X), X, where=different(X, Y)), lg.crv(S(Y), Y, where=different(X, Y))
    with pytest.raises(lg.InputError, match=r"count on its own|of different individuals"):
        lg.parfactor([one, other], range(one.values**2), different(X, Y))


def test_variables_are_found_by_their_number() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([F, S], range(4), different(X, Y))])
    names = model.ground().names or ()
    assert [model.name(model.locate(number)) for number in range(len(names))] == list(names)


def test_names_that_would_be_the_same_are_refused() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S, lg.prv("S.1")], range(4))])
    with pytest.raises(lg.InputError, match=r"different names for all variables, got S\.1 twice"):
        model.ground()


def test_queries_take_lifted_models() -> None:
    model = lg.lift(lg.datasets.epidemic())
    given_epidemic = {"Epid": "true"}
    graph = lg.datasets.epidemic()
    expected = graph.query("Sick.alice", given=given_epidemic, exact=True)
    assert model.query("Sick.alice", given=given_epidemic, exact=True) == expected


@given(st.integers(3, 9), st.integers(1, 5))
def test_substitutions_of_a_circle_of_differences(length: int, size: int) -> None:
    """The chromatic polynomial of a cycle."""
    pairs = frozenset((min(i, j), max(i, j)) for i in range(length) for j in [(i + 1) % length])
    expected = (size - 1) ** length + (-1) ** length * (size - 1)
    assert count(Pattern((size,) * length, pairs)) == expected
    assert at_least(Pattern((size,) * length, pairs)) <= expected


def test_arguments_that_cannot_coincide_are_taken() -> None:
    assert lg.parfactor([A(X, X), A(Y, Z)], range(4), different(Y, Z)).size == 4 * 4 * 3
    with pytest.raises(lg.InputError, match="different individuals"):
        lg.parfactor([A(X, X), A(Y, Z)], range(4))


def test_models_too_large_to_ground_are_refused() -> None:
    P = lg.LogVar("P", 70)
    single = lg.prv("Single", P, states=1)
    wide = lg.ParfactorGraph.of([lg.parfactor([lg.crv(single, P)], [1])])
    with pytest.raises(lg.MemoryLimitError, match="70 arguments"):
        wide.ground()
    large = lg.ParfactorGraph.of([], [lg.prv("Large", lg.LogVar("L", 2**28))])
    with pytest.raises(lg.MemoryLimitError, match="268,435,456 variables"):
        large.ground()


@pytest.mark.parametrize("place", [(-1, ()), (9, ()), (0, ()), (0, (4,)), (0, (-1,)), (0, (1, 1))])
def test_places_that_do_not_exist_have_no_name(place: tuple[int, tuple[int, ...]]) -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([S], [1, 2])])
    with pytest.raises(lg.InputError, match="expected a PRV and its individuals"):
        model.name(place)


def test_many_states_are_counted() -> None:
    """Codes of histograms must not overflow."""
    X = lg.LogVar("X", 2)
    S = lg.prv("S", X, states=45)
    table = np.arange(histogram_count(2, 45))
    model = lg.ParfactorGraph.of(lg.parfactor([lg.crv(S, X)], table))
    again = lg.lift(model.ground())
    assert again.ground() == model.ground()
    assert len(again.prvs) == 1


def test_copies_are_read_only() -> None:
    model = lg.lift(lg.datasets.epidemic())
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert not again.origin.variables.flags.writeable


def test_individuals_are_found_by_name() -> None:
    domain = lg.Domain("X", 3, ("carol", "alice", "bob"))
    assert [domain.find(name) for name in ("alice", "bob", "carol", "dave", "1")] == [
        1,
        2,
        0,
        -1,
        -1,
    ]
    assert [lg.Domain("X", 3).find(name) for name in ("1", "3", "0", "4", "x")] == [
        0,
        2,
        -1,
        -1,
        -1,
    ]
    again = pickle.loads(pickle.dumps(domain))
    assert again == domain
    assert hash(again) == hash(domain)


def test_the_hash_of_a_domain_does_not_look_at_its_individuals() -> None:
    """A query hashes domains: it must not take longer the more individuals there are."""

    class Unhashable(str):
        __hash__ = None  # type: ignore[assignment]

    names = Unhashable("a"), Unhashable("b")
    assert hash(lg.Domain("X", 2, names)) == hash(lg.Domain("X", 2))
    assert lg.Domain("X", 2, names) != lg.Domain("X", 2)


@st.composite
def classes(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int]]:
    """Classes of places, and a size for each place: the same within a class."""
    listed = draw(st.lists(st.integers(0, 1), min_size=1, max_size=4))
    sizes = [draw(st.integers(1, 3)), draw(st.integers(1, 3))]
    return tuple(sizes[own] for own in listed), listed


def rows_of(columns: list[np.ndarray[Any, Any]]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(classes(), st.data())
def test_one_substitution_for_each_orbit(
    case: tuple[tuple[int, ...], list[int]], data: st.DataObject
) -> None:
    sizes, listed = case
    places = range(len(listed))
    within = [p for p in permutations(places) if all(listed[a] == listed[p[a]] for a in places)]
    swap = data.draw(st.sampled_from(within))
    group, image = [tuple(places)], swap
    while image != group[0]:
        group.append(image)
        image = tuple(swap[place] for place in image)
    every = [
        row
        for row in product(*map(range, sizes))
        if all(row[a] != row[b] for a, b in combinations(places, 2) if listed[a] == listed[b])
    ]
    columns = substitutions(cliques(sizes, listed))
    assert rows_of(columns) == every
    orbits = {frozenset(tuple(row[place] for place in image) for image in group) for row in every}
    assert rows_of(orbit_representatives(columns, sizes, group)) == sorted(map(min, orbits))


def test_names_of_lifted_models_are_found_without_a_dictionary_of_all() -> None:
    graph = lg.datasets.epid(8).ground()
    model = lg.lift(graph)
    for index, name in enumerate(graph.names or ()):
        assert model.locate(name) == model.locate(index)
    assert "index_by_name" not in vars(model.places)
    for unknown in ("Sick", "Sick.9", "Sick.1.1", "Treat.1", "Epid.1", ".", "nobody"):
        with pytest.raises(lg.InputError, match="expected a variable"):
            model.locate(unknown)


def test_names_that_show_no_individuals_are_found_too() -> None:
    graph = lg.datasets.epid(4).ground()
    odd = [f"{'Sick.1.' if index % 2 else ''}v{index}" for index in range(graph.variable_count)]
    model = lg.lift(replace(graph, names=tuple(odd)))
    assert [model.name(model.locate(name)) for name in odd] == odd


def test_potentials_by_what_they_mean() -> None:
    X = lg.LogVar("X", 3)
    sick, epidemic = lg.prv("Sick", X), lg.prv("Epid")
    colour = lg.prv("Colour", X, states=["red", "green", "blue"])
    counted = lg.parfactor(
        [lg.crv(sick, X), epidemic], lambda people, epid: people["true"] + 5 * (epid == "true")
    )
    assert counted == lg.parfactor([lg.crv(sick, X), epidemic], [5, 0, 6, 1, 7, 2, 8, 3])
    model = lg.ParfactorGraph.of([lg.parfactor([lg.crv(colour, X)], lambda of: of["red"] == 2)])
    assert model.probability({"Colour.1": "red", "Colour.2": "red"}, exact=True) == Fraction(1, 3)
    with pytest.raises(lg.InputError, match="expected a non-negative"):
        lg.parfactor([epidemic], lambda state: -1)
