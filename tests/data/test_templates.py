"""Templates on data are what a loop over their rows builds, factor by factor."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any, cast

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import brute_force

import liftgraph as lg
from liftgraph.data.templates.rules import Rule
from liftgraph.model.lifted.logvars import Different, Unordered, constrained
from liftgraph.model.lifted.parfactor import Atom, atom_of
from liftgraph.model.query import Query

PERSON, PLACE = lg.Domain("person"), lg.Domain("place")
X, Y, Z = (lg.LogVar(name, PERSON) for name in "XYZ")
L = lg.LogVar("L", PLACE)
EPID, SICK = lg.prv("Epid", states=["low", "mid", "high"]), lg.prv("Sick", X)
HOT, VISITS = lg.prv("Hot", L), lg.prv("Visits", X, L)
KNOWS = lg.prv("Knows", X, Y, where=lg.different(X, Y))
PAIR = lg.prv("Pair", X, Y, where=lg.unordered(X, Y))
PEOPLE, PLACES = ["alice", "bob", "eve.x"], ["bar", "zoo"]
Data = dict[str, list[dict[str, Any]]]
Scope = tuple[str, ...]

FRIENDS = lg.relation("friends", "person", "friend")
VISITED = lg.relation("visited", "who", "where")
RULES = [
    lg.rule([EPID], [1, 2, 3]),
    lg.rule([SICK, EPID], range(1, 7)),
    lg.rule([SICK, SICK(Y)], [1, 2, 3, 4], where=lg.different(X, Y)),
    lg.rule([KNOWS, SICK], [1, 0, 3, 5], where=lg.different(X, Y)),
    lg.rule([SICK(X), SICK(Y)], [2, 1, 1, 3], where=lg.unordered(X, Y), over=FRIENDS(X, Y)),
    lg.rule([SICK(Y), SICK(X)], [2, 1, 7, 3], where=lg.different(X, Y), over=FRIENDS(X, Y)),
    lg.rule([KNOWS(Y, X), SICK(Y)], [2, 1, 7, 3], where=lg.different(X, Y), over=FRIENDS(X, Y)),
    lg.rule([PAIR(Y, X), SICK(Y)], [2, 1, 7, 3], where=lg.different(X, Y), over=FRIENDS(X, Y)),
    lg.rule([SICK(X)], [5, 7], over=FRIENDS(X, Y)),
    lg.rule([SICK(X), HOT], [5, 7, 1, 2], over=VISITED(X, L), repeated="once"),
    lg.rule([VISITS, EPID], [5, 7, 1, 2, 3, 4], over=VISITED(X, L), repeated="each"),
    lg.rule([VISITS, VISITS(Y, L)], [5, 7, 1, 2], where=lg.different(X, Y)),
]


def naive_rows(rule: Rule, data: Data) -> list[dict[lg.LogVar, str]]:
    """The substitutions of a rule, repeated as the rule says."""
    logvars, constraints = rule.parfactor.logvars, rule.parfactor.constraints
    if rule.over is None:
        names = [PEOPLE if v.domain == PERSON else PLACES for v in logvars]
        rows = [dict(zip(logvars, individuals, strict=True)) for individuals in product(*names)]
    else:
        columns = rule.over.relation.columns
        table = data[rule.over.relation.name]
        bound = list(zip(rule.over.logvars, columns, strict=True))
        rows = [{logvar: row[name] for logvar, name in bound} for row in table]
    kept = [row for row in rows if all(_differ(row, constraint) for constraint in constraints)]
    for constraint in constraints:
        if isinstance(constraint, Unordered):
            for row in kept:
                listed = sorted((row[v] for v in constraint.logvars), key=PEOPLE.index)
                row.update(zip(constraint.logvars, listed, strict=True))
    if rule.repeated == "each":
        return kept
    return [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in kept)]


def _differ(row: dict[lg.LogVar, str], constraint: Different | Unordered) -> bool:
    return all(row[a] != row[b] for a, b in combinations(constrained(constraint), 2))


def naive_name(atom: Atom, row: dict[lg.LogVar, str]) -> str:
    parts = [row[v] for v in atom.logvars]
    unordered = any(isinstance(constraint, Unordered) for constraint in atom.prv.constraints)
    return ".".join([atom.prv.name, *(sorted(parts, key=PEOPLE.index) if unordered else parts)])


def naive_factors(rules: list[Rule], data: Data) -> Counter[tuple[Scope, lg.Table]]:
    counted: Counter[tuple[Scope, lg.Table]] = Counter()
    for rule in rules:
        for row in naive_rows(rule, data):
            atoms = map(atom_of, rule.parfactor.arguments)
            counted[tuple(naive_name(atom, row) for atom in atoms), rule.parfactor.table] += 1
    return counted


def factors(graph: lg.FactorGraph) -> Counter[tuple[Scope, lg.Table]]:
    listed = [factor.parts for factor in graph.factors]
    return Counter((tuple(map(graph.name, scope)), table) for scope, table in listed)


def ground(model: lg.FactorGraph | lg.ParfactorGraph) -> lg.FactorGraph:
    return model.ground() if isinstance(model, lg.ParfactorGraph) else model


@st.composite
def data_for(draw: st.DrawFn) -> Data:
    people, places = st.sampled_from(PEOPLE), st.sampled_from(PLACES)
    pairs = st.tuples(people, people)
    friends = draw(st.lists(pairs, unique=True, max_size=9))
    if draw(st.booleans()):
        friends = [pair for pair in product(PEOPLE, PEOPLE) if pair[0] != pair[1]]
    visited = draw(st.lists(st.tuples(people, places), max_size=5))
    return {
        "friends": [{"person": a, "friend": b} for a, b in draw(st.permutations(friends))],
        "visited": [{"who": a, "where": b} for a, b in visited],
    }


def instantiated(
    rules: list[Rule], data: Data, **options: Any
) -> lg.FactorGraph | lg.ParfactorGraph:
    template = lg.Template(rules)
    used = {name: data[name] for name in template.relations}
    open_ = {domain.name for domain in template.domains}
    domains = {n: v for n, v in {"person": PEOPLE, "place": PLACES}.items() if n in open_}
    return template.instantiate(domains, used, **options)


some_rules = st.lists(st.sampled_from(RULES), min_size=1, max_size=4)


@given(some_rules, data_for())
def test_every_row_is_a_factor(rules: list[Rule], data: Data) -> None:
    model = instantiated(rules, data)
    graph = ground(model)
    assert factors(graph) == naive_factors(rules, data)
    names = set(graph.names or ())
    unary = {atom_of(a).prv for r in rules for a in r.parfactor.arguments} & {SICK, HOT}
    everybody = {SICK: PEOPLE, HOT: PLACES}
    for prv in unary:
        assert {f"{prv.name}.{individual}" for individual in everybody[prv]} <= names
    assert isinstance(model, lg.ParfactorGraph) == all(_for_everybody(r, data) for r in rules)


def _for_everybody(rule: Rule, data: Data) -> bool:
    """Whether the rows of a rule are none, all, or all without those of equal individuals."""
    rows = [tuple(row.items()) for row in naive_rows(rule, data)]
    all_rows = [tuple(row.items()) for row in naive_rows(replace(rule, over=None), data)]
    apart = [row for row in all_rows if len({name for _, name in row}) == len(row)]
    return sorted(rows, key=str) in ([], sorted(all_rows, key=str), sorted(apart, key=str))


@settings(max_examples=50)
@given(some_rules, data_for(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rules: list[Rule], data: Data, random: Any) -> None:
    mixed = {name: random.sample(rows, len(rows)) for name, rows in data.items()}
    assert instantiated(rules, mixed) == instantiated(rules, data)


@settings(max_examples=50)
@given(some_rules, data_for(), st.data())
def test_answers_are_those_of_enumeration(rules: list[Rule], data: Data, draws: Any) -> None:
    rules = [r for r in rules if not any(p in (KNOWS, VISITS) for p in _prvs(r))] or RULES[:2]
    states: dict[str, str] = draws.draw(
        st.dictionaries(st.sampled_from(PEOPLE), st.sampled_from(["true", "false"]), max_size=2)
    )
    observed = {"Sick": {"X": list(states), "value": list(states.values())}}
    has_sick = any(SICK in _prvs(r) for r in rules)
    model = instantiated(rules, data, evidence=observed if has_sick else {})
    graph = ground(model)
    expected = cast(lg.Marginals, brute_force(graph, Query("marginals", exact=True)))
    answers = model.marginals(exact=True, method="lifted")
    for name in graph.names or ():
        assert answers[name].exact == expected[name].exact


def _prvs(rule: Rule) -> list[lg.PRV]:
    return [atom_of(argument).prv for argument in rule.parfactor.arguments]


def test_a_complete_relation_is_no_relation() -> None:
    pairs = [(a, b) for a in PEOPLE for b in PEOPLE if a != b]
    friends = [{"person": a, "friend": b} for a, b in pairs]
    over = lg.rule([SICK(X), SICK(Y)], [1, 2, 3, 4], over=FRIENDS(X, Y))
    everybody = lg.rule([SICK(X), SICK(Y)], [1, 2, 3, 4], where=lg.different(X, Y))
    data: dict[str, Any] = {"domains": {"person": PEOPLE}}
    lifted = lg.Template([over]).instantiate(**data, relations={"friends": friends})
    assert lifted == lg.Template([everybody]).instantiate(**data)
    one_less = lg.Template([over]).instantiate(**data, relations={"friends": friends[1:]})
    assert isinstance(one_less, lg.FactorGraph)
    assert one_less.factor_count == 5
    none = lg.Template([over]).instantiate(**data, relations={"friends": []})
    assert isinstance(none, lg.ParfactorGraph)
    assert (none.variable_count, none.factor_count) == (3, 0)


def test_a_million_individuals_are_not_listed() -> None:
    rules = [
        lg.rule([SICK], [1, 2]),
        lg.rule([SICK(X), SICK(Y)], [3, 1, 1, 3], where=lg.different(X, Y)),
    ]
    seen = {"Sick": {"X": [3, 1_000_000], "value": [True, None]}}
    model = lg.Template(rules).instantiate({"person": 10**6}, evidence=seen)
    assert isinstance(model, lg.ParfactorGraph)
    assert model.factor_count == 10**6 + 10**6 * (10**6 - 1)
    assert model.evidence == {(0, (2,)): 0}


def test_variables_of_several_individuals_are_there_where_they_are_mentioned() -> None:
    people = [str(index) for index in range(100_000)]
    rule = lg.rule([KNOWS, SICK(Y)], [1, 2, 3, 4], over=FRIENDS(X, Y))
    friends = {"person": ["7", "99999"], "friend": ["99999", "7"]}
    seen = [{"X": "1", "Y": "2", "value": "true"}]
    model = lg.Template([rule]).instantiate(
        {"person": people}, {"friends": friends}, {"Knows": seen}
    )
    assert isinstance(model, lg.FactorGraph)
    names = [name for name in model.names or () if name.startswith("Knows")]
    assert names == ["Knows.1.2", "Knows.7.99999", "Knows.99999.7"]
    assert model.evidence == {model.variable("Knows.1.2"): 0}
    empty = lg.Template([rule]).instantiate({"person": people}, {"friends": {}}, {"Knows": seen})
    assert isinstance(empty, lg.FactorGraph)
    assert empty.variable_count == 100_001


def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table friends (person text, friend text)")
    connection.execute("create table people (name text, smokes text)")
    rows = [("alice", "bob"), ("bob", "carol")]
    connection.executemany("insert into friends values (?, ?)", rows)
    people = [("alice", "true"), ("bob", None), ("carol", "false"), ("dan", None)]
    connection.executemany("insert into people values (?, ?)", people)
    return connection


ALIKE = lg.rule([SICK(X), SICK(Y)], [3, 1, 1, 3], over=FRIENDS(X, Y))
TABLE = {"person": ["alice", "bob"], "friend": ["bob", "carol"]}
SEEN: dict[str, list[Any]] = {
    "name": ["alice", "bob", "carol", "dan"],
    "smokes": ["true", None, "false", None],
}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_every_kind_of_table_gives_the_same_model(frame: Any) -> None:
    template = lg.Template([ALIKE])
    with closing(database()) as connection:
        from_sql = template.instantiate(
            {"person": connection.execute("select name from people")},
            {"friends": connection.execute("select * from friends")},
            {"Sick": (connection.execute("select * from people"), ["name", "smokes"])},
        )
    assert from_sql.query("Sick.bob", exact=True).exact["true"] == Fraction(1, 2)
    model = template.instantiate(
        {"person": SEEN["name"]},
        {"friends": frame(TABLE)},
        {"Sick": (frame(SEEN), ["name", "smokes"])},
    )
    assert model == from_sql


def test_duckdb_relations_are_tables() -> None:
    connection = duckdb.connect()
    connection.execute("create table friends as select 'alice' as person, 'bob' as friend")
    model = lg.Template([ALIKE]).instantiate(relations={"friends": connection.table("friends")})
    assert ground(model).names == ("Sick.alice", "Sick.bob")


def test_a_cursor_may_serve_twice() -> None:
    with closing(database()) as connection:
        seen = connection.execute("select person, friend, 'true' as sick from friends")
        model = lg.Template([ALIKE]).instantiate(
            relations={"friends": seen}, evidence={"Sick": (seen, ["person", "sick"])}
        )
    assert isinstance(model, lg.FactorGraph)
    assert [model.name(v) for v in model.evidence] == ["Sick.alice", "Sick.bob"]


def test_a_cursor_may_be_a_domain_and_a_relation() -> None:
    ill = lg.relation("ill", "person")
    template = lg.Template([lg.rule([SICK], [1, 2]), lg.rule([SICK], [5, 1], over=ill(X))])
    with closing(database()) as connection:
        people = connection.execute("select distinct person from friends")
        model = template.instantiate({"person": people}, {"ill": people})
    assert isinstance(model, lg.ParfactorGraph)
    assert model.partition(exact=True).z == (1 * 5 + 2 * 1) ** model.variable_count > 1


@pytest.mark.parametrize("state", ["1", 1, np.int64(1), np.uint8(1)], ids=repr)
def test_the_state_of_a_single_variable_may_be_any_integer(state: object) -> None:
    level = lg.prv("Level", states=3)
    model = lg.Template([lg.rule([level], [1, 2, 3])]).instantiate(evidence={"Level": state})
    assert model.partition(exact=True).z == 2
    truth = lg.Template([lg.rule([lg.prv("Hot")], [1, 2])])
    assert truth.instantiate(evidence={"Hot": np.True_}) == truth.instantiate(
        evidence={"Hot": "true"}
    )


def test_the_last_of_very_many_individuals_is_found() -> None:
    many = 10**12
    seen = [{"X": many, "value": True}]
    model = lg.Template([lg.rule([SICK], [1, 2])]).instantiate({"person": many}, {}, {"Sick": seen})
    assert model.query(f"Sick.{many}", exact=True).exact == {"true": 1, "false": 0}
    assert model.query(f"Sick.{many - 1}", exact=True).exact == {
        "true": Fraction(1, 3),
        "false": Fraction(2, 3),
    }


def test_domains_are_whom_tables_mention_and_states_have_their_column() -> None:
    rules = [ALIKE, lg.rule([EPID, SICK], range(1, 7)), lg.rule([SICK, HOT], [1, 2, 3, 4])]
    seen = [{"X": 7, "Sick": False}, {"X": 7, "Sick": False}, {"X": 8, "Sick": None}]
    model = lg.Template(rules).instantiate(
        {"place": np.array(["bar"])},
        {"friends": pd.DataFrame({"person": [1, 2], "friend": [2, 3]})},
        {"Sick": seen, "Epid": "mid"},
    )
    assert isinstance(model, lg.FactorGraph)
    people = [f"Sick.{person}" for person in (1, 2, 3, 7, 8)]
    assert model.names == (*people, "Epid", "Hot.bar")
    assert model.evidence == {3: 1, 5: 1}


def test_logvars_may_have_their_own_domains_and_columns_their_names() -> None:
    W = lg.LogVar("W", ["monday", "friday"])
    busy = lg.prv("Busy", X, W)
    template = lg.Template([lg.rule([busy, SICK], [1, 2, 3, 4], over="shifts")])
    shifts = [{"X": "alice", "W": "friday", "hours": 3}]
    model = template.instantiate(relations={"shifts": shifts})
    assert ground(model).names == ("Busy.alice.friday", "Sick.alice")
    with pytest.raises(
        lg.InputError, match=r"row 0: expected an individual of domain W, got tuesday"
    ):
        template.instantiate(relations={"shifts": [{"X": "alice", "W": "tuesday"}]})


def instantiate(rule: Rule | list[Rule] = ALIKE, **data: Any) -> object:
    return lg.Template(rule).instantiate(**{"relations": {"friends": TABLE}} | data)  # type: ignore[arg-type]


FRIEND = {"person": "alice", "friend": "bob"}
OTHER = {"person": "bob", "friend": "bob"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"relations": {}}, "relation friends: expected a table, got none"),
        (
            {"relations": {"enemies": []}},
            "one of the template's relations .friends., got enemies",
        ),
        ({"evidence": {"Ill": []}}, "one of the template's PRVs .Sick., got Ill"),
        ({"domains": {"persons": 3}}, "one of the template's open domains .person., got persons"),
        ({"relations": [TABLE]}, "expected {relation: data}, got"),
        ({"domains": pd.DataFrame(SEEN)}, "expected {open domain: data}, got"),
        ({"relations": {"friends": 7}}, "relation friends: expected a data frame"),
        (
            {"relations": {"friends": {"person": ["a"]}}},
            "relation friends: expected a column friend, got person",
        ),
        (
            {"relations": {"friends": [FRIEND, FRIEND | {"friend": None}]}},
            "relation friends, row 1: expected a value in friend, got none",
        ),
        (
            {"relations": {"friends": [FRIEND | {"friend": 0.5}]}},
            "relation friends, column friend: row 0: expected names or integers, got the float 0.5",
        ),
        (
            {"relations": {"friends": [FRIEND, OTHER | {"friend": "eve"}, FRIEND]}},
            "relation friends: expected each row once, got alice, bob in rows 0 and 2",
        ),
        (
            {"relations": {"friends": [FRIEND, OTHER]}},
            "relation friends, row 1: expected Sick of different individuals, got bob, bob",
        ),
        (
            {"domains": {"person": ["alice", "bob"]}},
            "relation friends, row 1: expected an individual of domain person, got carol",
        ),
        (
            {"domains": {"person": ["alice", "bob", "alice"]}},
            "person: expected each individual once, got alice in rows 0 and 2",
        ),
        ({"domains": {"person": ["1", 1]}}, "expected each individual once, got 1 in rows 0 and 1"),
        ({"domains": {"person": ["a", None]}}, "domain person, row 1: expected the name"),
        ({"domains": {"person": []}}, "domain person: expected at least one individual, got none"),
        ({"domains": {"person": 0}}, "domain person: expected at least one individual, got 0"),
        ({"domains": {"person": "alice"}}, "domain person: expected a number of individuals"),
        ({"domains": {"person": SEEN}}, "domain person: expected one column, got name, smokes"),
        (
            {"relations": {"friends": []}},
            "domain person: expected at least one individual, got none",
        ),
        (
            {"evidence": {"Sick": {"X": ["bob"], "value": ["ill"]}}},
            r"evidence on Sick, row 0: expected a state of Sick \(true, false\), got ill",
        ),
        (
            {"evidence": {"Sick": {"X": ["bob", "al", "bob"], "value": [True, True, False]}}},
            r"expected one state for Sick.bob, got true and false in rows 0 and 2",
        ),
        (
            {"evidence": {"Sick": {"X": ["bob", None], "value": [True, None]}}},
            "evidence on Sick, row 1: expected a value in X, got none",
        ),
        (
            {"evidence": {"Sick": {"X": ["bob"]}}},
            "evidence on Sick: expected a column Sick or value, got X",
        ),
        (
            {"evidence": {"Sick": (SEEN, ["name"])}},
            "evidence on Sick: expected columns for X, the state, got name",
        ),
        ({"evidence": {"Sick": (SEEN, "name")}}, "expected names of columns in a list, got 'name'"),
        ({"evidence": {"Sick": "true"}}, "evidence on Sick: expected a data frame"),
        (
            {
                "domains": {"person": TABLE["person"] + ["carol"]},
                "evidence": {"Sick": (SEEN, ["name", "smokes"])},
            },
            "evidence on Sick, row 3: expected an individual of domain person, got dan",
        ),
    ],
    ids=str,
)
def test_data_that_make_no_sense_are_refused(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(lg.InputError, match=problem):
        instantiate(**data)


def test_variables_that_do_not_exist_are_not_observed() -> None:
    rule = lg.rule([KNOWS, SICK(X)], [1, 2, 3, 4], over=FRIENDS(X, Y))
    row = {"X": ["bob"], "Y": ["bob"], "value": [True]}
    with pytest.raises(lg.InputError, match=r"row 0: Knows needs X ≠ Y, got Knows.bob.bob"):
        instantiate(rule, evidence={"Knows": row})
    with pytest.raises(lg.InputError, match="friends, row 0: Knows needs X ≠ Y, got bob, bob"):
        instantiate(rule, relations={"friends": [OTHER]})


def test_names_that_would_be_the_same_are_refused() -> None:
    names = {"person": ["a", "a.b"], "friend": ["b.c", "c"]}
    rule = lg.rule([KNOWS, SICK(X)], [1, 2, 3, 4], over=FRIENDS(X, Y))
    with pytest.raises(lg.InputError, match=r"got Knows.a.b.c again .dots in names"):
        instantiate(rule, relations={"friends": names})


def test_models_too_large_to_ground_are_refused() -> None:
    everybody = lg.rule([KNOWS], [1, 2], where=lg.different(X, Y))
    with pytest.raises(lg.MemoryLimitError, match="Knows would have 999,999,000,000 variables"):
        instantiate(
            [ALIKE, everybody],
            domains={"person": 10**6},
            relations={"friends": [{"person": 1, "friend": 2}]},
        )
    pairs = lg.rule([SICK, SICK(Y)], [1, 2, 3, 4], where=lg.different(X, Y))
    with pytest.raises(lg.MemoryLimitError, match="Sick, Sick would have 999,999,000,000 factors"):
        instantiate(
            [ALIKE, pairs],
            domains={"person": 10**6},
            relations={"friends": [{"person": 1, "friend": 2}]},
        )


U, V = lg.LogVar("U", PERSON), lg.LogVar("V", PERSON)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda: lg.relation("friends"), "relation friends: expected different columns, got none"),
        (lambda: lg.relation("friends", "a", "a"), "expected different columns, got a, a"),
        (lambda: FRIENDS(X), "friends: expected a logvar for each of person, friend, got X"),
        (lambda: FRIENDS(X, X), "expected different logvars"),
        (lambda: lg.rule([SICK(Z)], [1, 2], over=FRIENDS(X, Y)), "among X, Y, got Z"),
        (
            lambda: lg.rule([SICK, SICK], [1, 2, 3, 4], over=FRIENDS(X, Y)),
            "different individuals only",
        ),
        (lambda: lg.rule([EPID], [1, 2, 3], over="friends"), "expected arguments with logvars"),
        (lambda: lg.rule([SICK], [1, 2, 3], over="people"), "expected a table of shape"),
        (lambda: lg.rule([SICK], [1, 2], over=FRIENDS), "expected a relation with its logvars"),  # type: ignore[arg-type]
        (lambda: lg.rule([SICK], [1, 2], repeated="twice"), "refuse, once, each, got twice"),  # type: ignore[arg-type]
        (lambda: lg.rule([SICK(X), SICK(Y)], [1, 2, 3, 4]), "different individuals only"),
        (
            lambda: lg.rule([SICK(X), SICK(Y)], [1, 2, 3, 4], lg.unordered(X, Y), FRIENDS(X, Y)),
            "the same if X and Y are swapped",
        ),
        (
            lambda: lg.rule(
                [KNOWS(X, U), KNOWS(Y, V)],
                [1, 2, 2, 4],
                lg.unordered(X, Y),
                lg.relation("r", *"abcd")(X, Y, U, V),
            ),
            "a rule over r: expected the same if only X and Y are swapped",
        ),
        (lambda: lg.rule(SICK, [1, 2]), "expected arguments in a list"),  # type: ignore[arg-type]
        (lambda: lg.rule([lg.crv(SICK, X)], [1]), "got a counting variable"),  # type: ignore[list-item]
        (lambda: lg.Template([lg.parfactor([SICK], [1, 2])]), "expected rules"),  # type: ignore[list-item]
        (
            lambda: lg.Template([lg.rule([SICK], [1, 2]), lg.rule([lg.prv("Sick", L)], [1, 2])]),
            "expected one PRV for each name",
        ),
    ],
)
def test_templates_that_make_no_sense_are_refused(wrong: Any, problem: str) -> None:
    with pytest.raises(lg.InputError, match=problem):
        wrong()


def test_as_many_rows_as_individuals_are_not_all_of_them_if_some_are_repeated() -> None:
    rule = lg.rule([SICK], [1, 2], over=lg.relation("seen", "who")(X), repeated="each")
    graph = lg.Template([rule]).instantiate(
        domains={"person": ["alice", "bob"]}, relations={"seen": {"who": ["alice", "alice"]}}
    )
    assert isinstance(graph, lg.FactorGraph)
    assert [factor.scope for factor in graph.factors] == [(0,), (0,)]
    assert graph.query("Sick.bob", exact=True).exact["true"] == Fraction(1, 2)


TRIPLES = lg.relation("triples", "x", "y", "z")


def triples(rule: Rule, *rows: str) -> lg.FactorGraph:
    table = [dict(zip("xyz", row, strict=True)) for row in rows]
    return ground(lg.Template([rule]).instantiate(relations={"triples": table}))


def test_variables_of_several_individuals_are_the_same_if_all_of_them_are() -> None:
    friend = lg.prv("Friend", X, Y)
    rule = lg.rule([friend(X, Z), friend(Y, Z)], [1, 2, 3, 4], over=TRIPLES(X, Y, Z))
    assert triples(rule, "abc").names == ("Friend.a.c", "Friend.b.c")
    with pytest.raises(lg.InputError, match=r"row 1: expected Friend of different .* got a, a, c"):
        triples(rule, "abc", "aac")
    either = lg.rule([PAIR(X, Y), PAIR(Y, Z)], [1, 2, 3, 4], over=TRIPLES(X, Y, Z))
    with pytest.raises(lg.InputError, match=r"row 1: expected Pair of different .* got a, b, a"):
        triples(either, "abc", "aba")


def test_errors_name_the_row_of_the_table_whatever_is_left_out_of_it() -> None:
    where = lg.different(X, Y)
    same = lg.rule([SICK(X), SICK(Z)], [1, 2, 3, 4], where, TRIPLES(X, Y, Z))
    with pytest.raises(lg.InputError, match=r"row 2: expected Sick of different .* got a, b, a"):
        triples(same, "aab", "abc", "aba")
    none = lg.rule([KNOWS(X, Z)], [1, 2], where, TRIPLES(X, Y, Z))
    with pytest.raises(lg.InputError, match=r"row 2: Knows needs X ≠ Z, got a, b, a"):
        triples(none, "aab", "abc", "aba")


def test_factors_of_repeated_rows_do_not_depend_on_the_order_of_rows() -> None:
    rule = lg.rule([SICK], [1, 2], over=lg.relation("seen", "who")(X), repeated="each")
    graph = ground(
        lg.Template([rule]).instantiate(
            domains={"person": ["a", "b", "c"]}, relations={"seen": {"who": ["c", "a", "c"]}}
        )
    )
    assert [graph.factors[factor].scope for factor in range(3)] == [(0,), (2,), (2,)]


def test_rows_of_everybody_with_themselves_are_not_those_of_different_people() -> None:
    """Among two people there are equally many rows of both."""
    friend = lg.prv("Friend", X, Y)
    template = lg.Template([lg.rule([friend], [1, 2], over=FRIENDS(X, Y))])
    selves = {"person": ["a", "b"], "friend": ["a", "b"]}
    assert ground(template.instantiate(relations={"friends": selves})).names == (
        "Friend.a.a",
        "Friend.b.b",
    )


def test_a_pair_is_one_variable_in_whichever_order_rows_name_it() -> None:
    rule = lg.rule(
        [PAIR(Y, X), SICK(Y)], [2, 1, 7, 3], where=lg.different(X, Y), over=FRIENDS(X, Y)
    )
    rows = {"person": ["a", "b", "c"], "friend": ["b", "a", "a"]}
    graph = ground(lg.Template([rule]).instantiate(relations={"friends": rows}))
    assert graph.names == ("Pair.a.b", "Pair.a.c", "Sick.a", "Sick.b", "Sick.c")
    scopes = [graph.factors[factor].scope for factor in range(3)]
    assert sorted(scopes) == [(0, 2), (0, 3), (1, 2)]
    seen = {"X": ["c", "a"], "Y": ["a", "b"], "Pair": [True, False]}
    observed = ground(
        lg.Template([rule]).instantiate(relations={"friends": rows}, evidence={"Pair": seen})
    )
    assert observed == graph.given({"Pair.a.c": "true", "Pair.a.b": "false"})


def test_each_individual_has_its_own_observedwhere_rows_are_not_all() -> None:
    template = lg.Template([ALIKE, lg.rule([SICK, EPID], range(1, 7))])
    seen = {"X": ["c", "d", "b", "a", "d"], "Sick": [None, False, False, True, False]}
    rows = {"person": ["a", "b", "c"], "friend": ["b", "c", "d"]}
    graph = template.instantiate(
        relations={"friends": rows}, evidence={"Sick": seen, "Epid": "high"}
    )
    assert isinstance(graph, lg.FactorGraph)
    evidence = {graph.name(v): graph.states(v)[s] for v, s in graph.evidence.items()}
    assert evidence == {"Epid": "high", "Sick.a": "true", "Sick.b": "false", "Sick.d": "false"}
    assert graph == graph.observing({}).given(evidence)
    assert graph.evidence.variables.tolist() == sorted(graph.evidence)
    again = {"X": ["c", "d", "d"], "Sick": [None, True, False]}
    with pytest.raises(lg.InputError, match=r"Sick\.d, got true and false in rows 1 and 2"):
        template.instantiate(relations={"friends": rows}, evidence={"Sick": again})
    columns = again, ["X", "X", "Sick"]
    with pytest.raises(lg.InputError, match="expected columns for X, the state, got X, X, Sick"):
        template.instantiate(relations={"friends": rows}, evidence={"Sick": columns})


def test_individuals_come_in_the_order_of_their_first_mention() -> None:
    rows = {"person": ["zoe", "bob"], "friend": ["eve", "ann"]}
    model = lg.Template([ALIKE]).instantiate(relations={"friends": rows})
    assert ground(model).names == ("Sick.zoe", "Sick.bob", "Sick.eve", "Sick.ann")


def test_an_unknown_individual_is_found_behind_those_that_come_again() -> None:
    rows = {"person": ["alice", "alice", "alice", "dan"], "friend": ["bob", "eve", "zoe", "bob"]}
    with pytest.raises(lg.InputError, match=r"row 3: expected an individual .* got dan"):
        instantiate(relations={"friends": rows}, domains={"person": ["alice", "bob", "eve", "zoe"]})


def test_variables_that_no_row_mentions_are_not_there() -> None:
    """Evidence names PRVs by their index in the model, which differs from that in the template."""
    person = lg.Domain("person")
    x, y = lg.LogVar("X", person), lg.LogVar("Y", person)
    knows, tired = lg.prv("Knows", x, y), lg.prv("Tired", x)
    met = lg.relation("met", "who", "whom")
    template = lg.Template(
        [
            lg.rule([knows, tired], [1, 2, 3, 4], over=met(x, y)),
            lg.rule([tired], [1, 2]),
        ]
    )
    seen = {"X": ["bob"], "value": ["true"]}
    model = template.instantiate(
        {"person": ["alice", "bob"]}, {"met": {"who": [], "whom": []}}, {"Tired": seen}
    )
    assert isinstance(model, lg.ParfactorGraph)
    assert [prv.name for prv in model.prvs] == ["Tired"]
    assert model.query("Tired.bob")["true"] == 1
    assert model.query("Tired.alice", exact=True).exact["true"] == Fraction(1, 3)
    assert model.partition(exact=True).z == 3
