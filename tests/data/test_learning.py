"""Potentials learnt from data are what a counter over the rows finds, whatever the tables are."""

from __future__ import annotations

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import brute_force
from tests.databases import cursor_of
from tests.strategies import factor_graphs

import liftgraph as lg
from liftgraph import InputError, Source, ZeroWeightError, learn, learn_bayesian_network
from liftgraph.data.learning.possible import check_possible
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.query import Query

STATES = {"A": ("true", "false"), "B": ("0", "1", "2"), "C": ("only",), "D.x y": ("ä", "'", "b")}
SCOPES = [["A"], ["B", "A"], ["D.x y", "C", "B"], ["A", "D.x y"], ["C"]]
Row = dict[str, Any]
Rows = list[tuple[list[Row], str | None]]  # of each source, and which column has its counts


def potentials(graph: lg.FactorGraph, factor: int) -> dict[tuple[str, ...], Fraction]:
    """The potential of each assignment of a factor's arguments, by their states' names."""
    scope, table = graph.factors[factor].parts
    state_sets = [graph.states(variable) for variable in scope]
    places = product(*(range(len(states)) for states in state_sets))
    return {
        tuple(
            states[state] for states, state in zip(state_sets, place, strict=True)
        ): table.potential(place)
        for place in places
    }


def twin(scope: Sequence[str], tables: Rows) -> Counter[tuple[str, ...]]:
    """Look at one row after the other."""
    counted: Counter[tuple[str, ...]] = Counter()
    for rows, counts in tables:
        for row in rows:
            values = tuple(row.get(variable) for variable in scope)
            if None not in values:
                weight = 1 if counts is None else Fraction(row[counts])
                counted[values] += weight  # type: ignore[index, assignment]
    return counted


@st.composite
def row_lists(draw: st.DrawFn, scopes: Sequence[Sequence[str]]) -> Rows:
    """Some tables, of which the first observes every variable; values may be missing."""
    tables = []
    for table_index in range(draw(st.integers(1, 3))):
        observed = list(STATES) if table_index == 0 else draw(st.sampled_from(scopes))
        counts = draw(st.sampled_from([None, "how often"]))
        fields: dict[str, st.SearchStrategy[Any]] = {
            name: st.sampled_from([*STATES[name], *STATES[name], None]) for name in observed
        }
        if counts is not None:
            fields[counts] = st.integers(0, 10**25).map(str) | st.sampled_from(["0.1", "1/3", "2"])
        tables.append((draw(st.lists(st.fixed_dictionaries(fields), max_size=12)), counts))
    return tables


def sources(tables: Rows) -> list[Source]:
    """As columns: a list of no rows would have no columns."""
    everything = [*STATES, "how often"]
    return [
        Source(
            {
                name: [row[name] for row in rows]
                for name in everything
                if (not rows and name != "how often")
                or (rows and name in rows[0])
                or name == counts
            },
            counts=counts,
        )
        for rows, counts in tables
    ]


@given(row_lists(SCOPES), st.sampled_from([0, 1, "0.5", Fraction(1, 3)]))
def test_potentials_are_what_a_counter_finds(tables: Rows, prior: Any) -> None:
    try:
        learnt = learn(SCOPES, sources(tables), states=STATES, prior=prior)
    except ZeroWeightError:
        assert nothing_is_possible(SCOPES, tables)
        return
    expected_unsupported = []
    for factor, scope in enumerate(SCOPES):
        counted = twin(scope, tables)
        if not any(counted.values()):
            expected_unsupported.append(tuple(scope))
        added = Fraction(prior) or (0 if any(counted.values()) else 1)
        expected = {
            states: counted[states] + added for states in product(*(STATES[v] for v in scope))
        }
        assert potentials(learnt.graph, factor) == expected
        support = learnt.factors[factor]
        assert support.zeros == sum(value == 0 for value in expected.values())
        complete = [
            sum(all(row[name] is not None for name in scope) for row in rows)
            for rows, _ in tables
            if not rows or rows[0].keys() >= set(scope)
        ]
        assert [rows.used for rows in support.rows] == complete
    assert learnt.unsupported == tuple(expected_unsupported)


def nothing_is_possible(scopes: Sequence[Sequence[str]], tables: Rows) -> bool:
    counted = {tuple(scope): twin(scope, tables) for scope in scopes}
    for assignment in product(*STATES.values()):
        states = dict(zip(STATES, assignment, strict=True))
        if all(
            not any(counts.values()) or counts[tuple(states[name] for name in scope)]
            for scope, counts in counted.items()
        ):
            return False
    return True


PARENTS = {"A": [], "B": ["A"], "C": ["B"], "D.x y": ["A", "B"]}


@settings(max_examples=50)
@given(row_lists([[*STATES]]), st.sampled_from([0, 1, "0.5"]))
def test_distributions_are_relative_frequencies(tables: Rows, prior: Any) -> None:
    learnt = learn_bayesian_network(PARENTS, sources(tables), states=STATES, prior=prior)
    assert own_factors(learnt.graph).tolist() == [0, 1, 2, 3]
    added = Fraction(prior)
    for factor, (child, above) in enumerate(PARENTS.items()):
        counted = twin([*above, child], tables)
        uniform = 0
        for parents in product(*(STATES[name] for name in above)):
            row = [counted[(*parents, state)] + added for state in STATES[child]]
            uniform += sum(row) == len(row) * added
            for state, value in zip(STATES[child], row, strict=True):
                expected = Fraction(value) / sum(row) if sum(row) else Fraction(1, len(row))
                assert potentials(learnt.graph, factor)[(*parents, state)] == expected
        assert learnt.factors[factor].uniform == uniform


@settings(max_examples=50)
@given(row_lists(SCOPES), st.randoms(use_true_random=False), st.integers(1, 10**20))
def test_the_order_of_rows_is_irrelevant_and_scales_carry_over(
    tables: Rows, shuffling: random.Random, scale: int
) -> None:
    rows = [{**row, "n": 1} for row in tables[0][0]]
    shuffled = [{**row, "n": scale} for row in shuffling.sample(rows, len(rows))]
    columns = {name: name for name in STATES}
    scopes = [["A", "B"], ["D.x y"]]
    empty: dict[str, list[Any]] = {name: [] for name in [*STATES, "n"]}
    states = {name: STATES[name] for name in ("A", "B", "D.x y")}
    once, often = (
        learn(scopes, Source(table or empty, columns, "n"), states=states).graph
        for table in (rows, shuffled)
    )
    for factor, scope in enumerate(scopes):
        supported = any(twin(scope, [(rows, None)]).values())
        expected = {
            states: value * (scale if supported else 1)
            for states, value in potentials(once, factor).items()
        }
        assert potentials(often, factor) == expected


@settings(max_examples=50)
@given(factor_graphs())
def test_any_structure_is_learnt_from_one_row(graph: lg.FactorGraph) -> None:
    first = {graph.name(v): [graph.states(v)[0]] for v in range(graph.variable_count)}
    learnt = learn(graph, Source(first or {"none": ["x"]}))
    assert learnt.graph.evidence == graph.evidence
    assert np.array_equal(learnt.graph.scope, graph.scope)
    for factor in range(graph.factor_count):
        scope, table = learnt.graph.factors[factor].parts
        assert table.potential([0] * len(scope)) == 1
        assert table.integers.sum() == 1


@given(factor_graphs(evidence=False))
def test_what_is_refused_is_impossible(graph: lg.FactorGraph) -> None:
    try:
        check_possible(graph)
    except ZeroWeightError:
        with pytest.raises(ZeroWeightError):
            brute_force(graph, Query("partition"))


def rows_of(counts: dict[tuple[Any, ...], int], *names: str) -> list[Row]:
    return [
        dict(zip(names, values, strict=True)) for values in counts for _ in range(counts[values])
    ]


BEHAVIOUR = {
    (epid, travel, sick): 1 + 3 * epid * sick + 2 * travel * sick + 5 * (1 - epid) * (1 - sick)
    for epid, travel, sick in product((0, 1), repeat=3)
}
PEOPLE = {"alice": 1, "bob": 7, "carol": 10}  # how often each was observed


def people(table_type: Any = pd.DataFrame) -> list[Source]:
    rows = rows_of(BEHAVIOUR, "epid", "travel", "sick")
    return [
        Source(
            table_type(rows * scale),
            {"Epid": "epid", f"Travel.{person}": "travel", f"Sick.{person}": "sick"},
            name=person,
        )
        for person, scale in PEOPLE.items()
    ]


def structure() -> list[list[str]]:
    return [["Epid"], *(["Epid", f"Travel.{person}", f"Sick.{person}"] for person in PEOPLE)]


def test_sources_of_different_size_are_interchangeable_for_alpha_acp_only() -> None:
    """Rows that are repeated k times give k times the table; ACP then finds no two alike."""
    learnt = learn(structure(), people(), counted_in={("Epid",): "alice"})
    for factor, scale in enumerate(PEOPLE.values(), 1):
        expected = {tuple(map(str, key)): scale * count for key, count in BEHAVIOUR.items()}
        assert potentials(learnt.graph, factor) == expected
    acp, alpha = (lg.colour_passing(learnt.graph, algorithm) for algorithm in ("acp", "alpha-acp"))
    assert len(set(acp.factor_colours)) == 1 + len(PEOPLE)
    assert len(set(acp.variable_colours)) == 1 + 2 * len(PEOPLE)
    assert len(set(alpha.factor_colours)) == 2
    assert len(set(alpha.variable_colours)) == 3


def test_relative_frequencies_have_no_scale_to_tell_apart() -> None:
    parents: dict[str, list[str]] = {"Epid": [], **{f"Travel.{person}": [] for person in PEOPLE}}
    parents |= {f"Sick.{person}": ["Epid", f"Travel.{person}"] for person in PEOPLE}
    learnt = learn_bayesian_network(parents, people())
    acp = lg.colour_passing(learnt.graph, "acp")
    assert len(set(acp.variable_colours)) == 3
    again = learn_bayesian_network(learnt.graph, people())
    assert again.graph == learnt.graph


def test_counts_of_sources_are_added_up() -> None:
    learnt = learn([["Epid"]], people())
    per_state = [sum(n for key, n in BEHAVIOUR.items() if key[0] == epid) for epid in (0, 1)]
    total = sum(PEOPLE.values())
    assert [*potentials(learnt.graph, 0).values()] == [total * count for count in per_state]
    some = learn([["Epid"]], people(), counted_in={("Epid",): ["carol", "bob", "bob"]})
    assert [*potentials(some.graph, 0).values()] == [17 * count for count in per_state]


def of_sqlite(rows: list[Row]) -> sqlite3.Cursor:
    return cursor_of({name: [row[name] for row in rows] for name in ("epid", "travel", "sick")})


@pytest.mark.parametrize(
    "table_type",
    [
        list,
        pl.DataFrame,
        pl.LazyFrame,
        pa.Table.from_pylist,
        of_sqlite,
        lambda rows: pd.DataFrame(rows).astype("category"),
        lambda rows: pd.DataFrame(rows).astype(str),
        lambda rows: pd.DataFrame(rows).astype(float),
        lambda rows: {name: np.array([row[name] for row in rows], np.int8) for name in rows[0]},
    ],
)
def test_every_kind_of_table_teaches_the_same(table_type: Any) -> None:
    assert learn(structure(), people(table_type)).graph == learn(structure(), people()).graph


def test_a_cursor_may_serve_several_people() -> None:
    cursor = of_sqlite(rows_of(BEHAVIOUR, "epid", "travel", "sick"))
    both = [Source(cursor, {"A": "sick"}), Source(cursor, {"B": "sick"})]
    graph = learn([["A"], ["B"]], both).graph
    assert graph.factors[0].table == graph.factors[1].table


def test_sums_beyond_64_bits_are_exact() -> None:
    table = {"A": ["x", "x", "y"], "n": [2**62, 2**62 + 1, 3]}
    learnt = learn([["A"]], [Source(table, counts="n"), Source(table, counts="n")])
    assert [*potentials(learnt.graph, 0).values()] == [2**64 + 2, 6]


def test_many_different_weights_are_added_exactly() -> None:
    weights = [f"{n}/7" for n in range(1, 50)]
    table = {"A": [n % 3 for n in range(49)], "n": weights}
    counted = potentials(learn([["A"]], Source(table, counts="n")).graph, 0)
    sums = [sum(Fraction(text) for text in weights[start::3]) for start in range(3)]
    assert [*counted.values()] == sums


def test_a_factor_without_arguments_counts_the_rows() -> None:
    table = {"A": ["x", None, "y"], "n": ["1/3", "1/3", "1/6"]}
    both = [Source(table), Source(table, counts="n")]
    assert potentials(learn([[]], both).graph, 0) == {(): 3 + Fraction(5, 6)}
    assert potentials(learn([[]], both, prior="0.5").graph, 0) == {(): 4 + Fraction(1, 3)}


def test_columns_that_observe_nothing_are_not_looked_at() -> None:
    frame = pd.DataFrame({"A": [1, 2], "measured": [0.1, 0.2], "what": [[], {}]})
    assert learn([["A"]], Source(frame)).graph.states(0) == ("1", "2")


def test_states_do_not_depend_on_the_order_of_the_data() -> None:
    table: dict[str, list[Any]] = {
        "A": [10, 9, -1],
        "B": [False, True, False],
        "C": ["b", "10", "9"],
    }
    backwards = {name: values[::-1] for name, values in table.items()}
    for data in (table, backwards):
        graph = learn([["A", "B", "C"]], Source(data)).graph
        assert graph.state_sets == (("-1", "9", "10"), ("true", "false"), ("10", "9", "b"))
    more = learn([["A"]], [Source(table), Source({"A": [11, 9, None]})]).graph
    assert more.states(0) == ("-1", "9", "10", "11")


@pytest.mark.parametrize(("first", "second"), [("True", True), ("1", "1.0"), ("Yes ", "yes")])
def test_sources_that_spell_a_state_in_two_ways_are_refused(first: str, second: Any) -> None:
    north, south = Source({"A": [first]}, name="north"), Source({"A": [second, "no"]}, name="south")
    for both in ([north, south], [south, north]):
        with pytest.raises(InputError, match=r"same states of A in all sources, got .* north"):
            learn([["A"]], both)
    states = [first, str(second).lower(), "no"]
    assert learn([["A"]], [north, south], states={"A": states}).graph.states(0) == tuple(states)
    genes = Source({"A": ["A", "a"]})  # told apart where both occur
    assert learn([["A"]], [genes, Source({"A": ["a"]})]).graph.states(0) == ("A", "a")


def test_the_report_names_what_is_not_supported() -> None:
    table = {"A": ["x", "y", None], "B": ["u", None, "u"], "C": [None, None, "w"]}
    learnt = learn([["A", "B"], ["B", "C"], ["A", "C"]], Source(table, name="north"))
    assert learnt.unsupported == (("A", "C"),)
    assert learnt.with_zeros == (("A", "B"),)
    assert [factor.rows[0].used for factor in learnt.factors] == [1, 1, 0]
    assert [factor.rows[0].skipped for factor in learnt.factors] == [2, 2, 3]
    assert str(learnt).splitlines() == [
        "3 factors: counts",
        "sources",
        "  north: 3 rows for 3 factors, up to 3 rows skipped because a value is missing",
        "not observed at all, so they say nothing",
        "  φ(A, C): no rows",
        "impossible because never observed",
        "  φ(A, B): 1 of 2",
    ]
    assert "φ(A, C)" in learnt._repr_html_()


def test_rows_that_count_nothing_are_told_from_none() -> None:
    table = {"A": ["x", "y", None], "n": [0, 0, 5]}
    learnt = learn([["A"]], Source(table, counts="n"))
    assert learnt.unsupported == (("A",),)
    assert "φ(A): 2 rows with a count of 0" in str(learnt)
    assert "φ(A): no rows" in str(learn([["A"]], Source({"A": []}), states={"A": 2}))


def test_a_long_report_is_cut() -> None:
    scopes = [[f"V{index}"] for index in range(30)]
    table = {f"V{index}": [None] for index in range(30)}
    states = {f"V{index}": 2 for index in range(30)}
    learnt = learn(scopes, Source(table), states=states, prior="0.5")
    assert str(learnt).endswith("  φ(V9): no rows\n  … and 20 more")
    assert str(learnt).startswith("30 factors: counts, 1/2 added to each count\n")


def test_data_that_contradict_each_other_are_refused_at_once() -> None:
    north, south = Source({"A": ["x"], "B": ["u"]}), Source({"B": ["v"], "C": ["w"]})
    with pytest.raises(ZeroWeightError, match=r"the observations of [AB], [BC] contradict"):
        learn([["A", "B"], ["B", "C"]], [north, south])
    learnt = learn([["A", "B"], ["B", "C"]], [north, south], prior=1)
    assert learnt.with_zeros == ()


SICK = {"sick": ["yes", "no", "yes"], "n": [1, 2, 3]}


@pytest.mark.parametrize(
    ("sources", "options", "problem"),
    [
        (Source(SICK, {"A": "sik"}), {}, "source 1: expected a column, got 'sik' .*sick, n"),
        (Source(SICK, {"A": "sick"}, "m"), {}, "source 1: expected a column, got 'm'"),
        (Source([], {"A": "sick"}), {}, "got 'sick' .the columns are none"),
        (Source(SICK), {}, r"factor 0 \(A\): expected a source .* none observes A"),
        ([], {}, "expected at least one source, got none"),
        (
            Source(SICK, {"A": "sick"}, name="north"),
            {"states": {"A": ["yes", "maybe"]}},
            r"north, column sick, row 1: expected a state of A \(yes, maybe\), got no",
        ),
        (Source({"A": [1.5]}), {}, "source 1, column A: row 0: expected names or integers"),
        (Source({"A": ["a", []]}), {}, "source 1, column A: row 1: expected names or integers"),
        (Source({"A": "yes"}), {}, "source 1: column A: expected a list of values, got 'yes'"),
        (Source({"A": [None]}), {}, "no source has a value of A: expected its states"),
        (Source({"A": ["x"]}, {"A": "A"}, "A"), {}, "column A, row 0: expected a non-negative"),
        (Source({"A": ["x", "y"], "n": [1, -2]}, None, "n"), {}, "column n, row 1: .* '-2'"),
        (Source({"A": ["x", "y"], "n": [1, None]}, None, "n"), {}, "row 1: expected a count"),
        (Source({"A": ["x"], "n": [0.5]}, None, "n"), {}, "column n: row 0: .*counts are integers"),
        (Source({"A": ["x"], "n": [math.nan]}, None, "n"), {}, "row 0: expected a count"),
        (Source({"A": ["x"], "n": [0.5]}, None, "n"), {}, "column n: row 0: .* the float 0.5"),
        (Source({"A": ["x"], "n": [math.inf]}, None, "n"), {}, "the float inf"),
        (Source({"A": ["x"]}), {"states": {"B": 2}}, "expected a variable of the scopes, got 'B'"),
        (Source({"A": ["x"]}), {"states": {"A": []}}, "states of A: expected 1 to"),
        (Source({"A": ["x"]}), {"prior": 0.5}, "prior: expected integers, fractions"),
        (Source({"A": ["x"]}), {"prior": np.float32(0.1)}, "prior: .* as text"),
        (Source({"A": ["x"]}), {"prior": -1}, "prior: expected a non-negative"),
        (Source({"A": ["x"]}), {"counted_in": {("B",): "north"}}, r"one of the scopes, got \(B\)"),
        (Source({"A": ["x"]}), {"counted_in": {("A",): "north"}}, "among source 1, got 'north'"),
        (Source({"A": ["x"]}), {"counted_in": {("A",): []}}, "expected the names of sources"),
        (Source({"A": ["x"]}), {"counted_in": {"A": "north"}}, "a scope as a list of variables"),
        (
            [Source({"A": ["x"]}, name="north"), Source(SICK, name="south")],
            {"counted_in": {("A",): ["north", "south"]}},
            r"factor 0 \(A\): expected south to observe A too",
        ),
        ([Source(SICK, name="s"), Source(SICK, name="s")], {}, "different names, got s twice"),
        (Source(SICK, ["A"]), {}, "expected the column of each variable as a mapping"),  # type: ignore[arg-type]
        (Source(SICK, name=3), {}, "expected the name of a source, got 3"),  # type: ignore[arg-type]
        (Source({"A": ["x"]}), {"counted_in": {("A",): 3}}, "expected the names of sources, got 3"),
        (
            Source({"A": ["x"]}),
            {"states": ["x"]},
            "expected states, tied and .* as mappings",
        ),
        (
            Source({"A": ["x"] * 20, "n": ["9e3999"] * 20}, counts="n"),
            {},
            r"factor 0 \(A\): expected a number of at most 4000 digits",
        ),
        (SICK, {}, r"factor 0 \(A\): expected a source .* none observes A"),
        (7, {}, "source 1: expected a data frame, a mapping of columns, .*, got 7"),
        (
            [Source({"A": ["yes", "no"]}, name="north"), Source({"A": [1, 0]}, name="south")],
            {},
            "same states of A in all sources, got no, yes in north and 0, 1 in south",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(sources: Any, options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        learn([["A"]], sources, **options)


@pytest.mark.parametrize(
    ("structure", "problem"),
    [
        (["AB"], "expected a scope as a list of variables, got 'AB'"),
        ("AB", "expected a factor graph .* or a list of scopes"),
        ({"A": []}, "expected a factor graph .* or a list of scopes"),
        ([["A", "A"]], "expected different variables in a scope, got A, A"),
        ([[""]], "expected a name"),
        ([[f"V{index}" for index in range(30)]], r"got 30 arguments with 2.1e\+14"),
    ],
)
def test_what_is_not_a_structure_is_refused(structure: Any, problem: str) -> None:
    columns = {f"V{index}": "sick" for index in range(30)}
    with pytest.raises(InputError, match=problem):
        learn(structure, Source(SICK, {**columns, "A": "sick"}))


@pytest.mark.parametrize(
    ("parents", "problem"),
    [
        ([["A"]], r"expected edges as pairs of a parent and a child, got \['A'\]"),
        (["AB"], "expected edges as pairs of a parent and a child, got 'AB'"),
        ("AB", "expected a factor graph, the parents of each variable, or edges, got 'AB'"),
        ([("A", "B"), ("A", "B")], "expected each edge once, got A → B twice"),
        ([("A", "A")], "parents to come before their children, got the cycle A → A"),
        ([("A", "B"), ("B", "A")], "this is not a Bayesian network: .*cycle"),
        ([("A", 3)], "expected a name, got 3"),
        (nx.Graph([("A", "B")]), "expected a directed graph"),
        ({"A": ["B"]}, "expected the parents of B too"),
        ({"A": ["B"], "B": ["A"]}, "this is not a Bayesian network: .*cycle"),
        ({"A": ["A"]}, "expected different variables"),
        ({"A": "B", "B": []}, "expected a scope as a list of variables, got 'B'"),
    ],
)
def test_what_is_not_a_network_is_refused(parents: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        learn_bayesian_network(parents, Source({"A": [0, 1, 1], "B": [0, 0, 1]}))


def test_a_column_may_serve_variables_whose_states_are_in_another_order() -> None:
    source = Source({"x": ["u", "u", "v"]}, {"A": "x", "B": "x"})
    learnt = learn([["A"], ["B"]], source, states={"A": ["u", "v"], "B": ["v", "u"]})
    for factor in (0, 1):
        assert potentials(learnt.graph, factor) == {("u",): 2, ("v",): 1}


def test_scopes_that_differ_only_in_their_order_are_told_apart() -> None:
    table = {"A": ["x", "x", "y"], "B": ["x", "y", "y"], "C": ["y", "y", "y"]}
    scopes = [["A", "B"], ["B", "A"], ["C", "A"]]
    learnt = learn(scopes, Source(table), states={name: ["x", "y"] for name in "ABC"})
    for factor, scope in enumerate(scopes):
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        counted = twin(scope, [(rows, None)])
        expected = {states: counted[states] for states in product("xy", repeat=2)}
        assert potentials(learnt.graph, factor) == expected


def test_a_table_may_have_several_columns_of_counts() -> None:
    table = {"A": ["x", "y"], "here": [1, 2], "there": [30, 40]}
    both = [Source(table, counts=name, name=name) for name in ("here", "there")]
    assert potentials(learn([["A"]], both).graph, 0) == {("x",): 31, ("y",): 42}


def test_distributions_of_a_graph_are_those_of_its_children_wherever_they_stand() -> None:
    """Files have the child first, and a factor may have it between its parents."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    half = Fraction(1, 2)
    builder.add_factor(["A"], [half, half])
    builder.add_factor(["B", "A"], [half] * 4)
    builder.add_factor(["A", "C", "B"], [half, 0, half, 1, half, 1, half, 0])
    table = {
        "A": [True, True, True, False, False],
        "B": [True, True, False, True, False],
        "C": [True, False, False, True, True],
    }
    learnt = learn_bayesian_network(builder.build(), Source(table))
    assert learnt.graph.factors[1].scope == (1, 0)
    third = Fraction(1, 3)
    assert [*potentials(learnt.graph, 1).values()] == [2 * third, half, third, half]
    of_c = potentials(learnt.graph, 2)
    assert of_c["true", "true", "true"] == of_c["true", "false", "true"] == half
    assert of_c["true", "false", "false"] == of_c["false", "true", "false"] == 1


def test_states_of_a_graph_are_its_own() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["x", "y"])
    builder.add_factor(["A"], [1, 1])
    with pytest.raises(InputError, match="expected a variable of the scopes, got 'A'"):
        learn(builder.build(), Source({"A": ["x"]}), states={"A": ["y", "x"]})


def test_what_was_observed_is_told_from_what_a_prior_adds() -> None:
    learnt = learn([["A"]], Source({"A": ["x"]}), states={"A": ["x", "y"]}, prior=1)
    assert (learnt.factors[0].unobserved, learnt.factors[0].zeros) == (1, 0)
    nothing = learn([["A"]], Source({"A": []}), states={"A": ["x", "y"]})
    assert (nothing.factors[0].unobserved, nothing.factors[0].zeros) == (2, 0)


def test_contradictions_are_found_along_chains() -> None:
    """Every two factors have something in common; all three together have nothing."""
    equal = {"A": ["u", "v"], "B": ["u", "v"]}
    first, last = Source({"A": ["u"]}), Source({"C": ["v"]})
    middle = [Source(equal), Source({"B": ["u", "v"], "C": ["u", "v"]})]
    states = {name: ["u", "v"] for name in "ABC"}
    named: dict[Sequence[str], str] = {("A",): "source 1", ("C",): "source 2"}
    for scopes in permutations([["A"], ["A", "B"], ["B", "C"], ["C"]]):
        with pytest.raises(ZeroWeightError, match="contradict the other factors"):
            learn(scopes, [first, last, *middle], states=states, counted_in=named)


def test_what_was_learnt_is_asked_and_drawn_like_its_graph() -> None:
    table = {"Epid": ["true", "true", "false"], "Sick": ["true", "false", "false"]}
    learnt = learn_bayesian_network([("Epid", "Sick")], table)
    asked = learnt.query("Epid", given={"Sick": "false"}, exact=True)
    assert asked == learnt.graph.query("Epid", given={"Sick": "false"}, exact=True)
    assert (learnt.parents("Sick"), learnt.edges) == (("Epid",), (("Epid", "Sick"),))
    assert lg.draw(learnt).svg == lg.draw(learnt.graph).svg
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        learnt.nonsense  # noqa: B018


def test_misspelt_edges_are_answered_with_the_column_that_was_meant() -> None:
    table = {"smoking": ["yes", "no"], "cancer": ["no", "yes"]}
    with pytest.raises(InputError, match=r"smokng \(did you mean smoking\?\)"):
        learn_bayesian_network([("smokng", "cancer")], table)
    with pytest.raises(InputError, match=r"smokng \(did you mean smoking\?\): expected its states"):
        learn_bayesian_network([("smokng", "cancer")], table, missing=lg.EM())
