"""Graphs that templates write to disk are those that they instantiate in memory."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import liftgraph as lg
from liftgraph.data.table_files import write_csv
from liftgraph.data.templates.on_disk import engine as engine_module
from liftgraph.data.templates.rules import Rule

PERSON, PLACE = lg.Domain("person"), lg.Domain("place")
X, Y, Z = (lg.LogVar(name, PERSON) for name in "XYZ")
L = lg.LogVar("L", PLACE)
W = lg.LogVar("W", ["monday", "friday"])
N = lg.LogVar("N", 3)
EPID, SICK = lg.prv("Epid", states=["low", "mid", "high"]), lg.prv("Sick", X)
HOT, VISITS = lg.prv("Hot", L), lg.prv("Visits", X, L)
FRIEND = lg.prv("Friend", X, Y)
KNOWS = lg.prv("Knows", X, Y, where=lg.different(X, Y))
PAIR = lg.prv("Pair", X, Y, where=lg.unordered(X, Y))
REVERSED = lg.prv("Reversed", X, Y, where=lg.unordered(Y, X))
TRIPLE = lg.prv("Triple", X, Y, Z, where=lg.unordered(X, Z))
BUSY, LEVEL = lg.prv("Busy", X, W), lg.prv("Level", N)
FRIENDS = lg.relation("friends", "person", "friend")
VISITED = lg.relation("visited", "who", "where")
SHIFTS = lg.relation("shifts", "who", "day", "level")
THREE = lg.relation("three", "a", "b", "c")
APART = lg.different(X, Y)

RULES = [
    lg.rule([EPID], [1, 2, 3]),
    lg.rule([], [7]),
    lg.rule([SICK, EPID], range(1, 7)),
    lg.rule([SICK, SICK(Y)], [1, 2, 3, 4], APART),
    lg.rule([KNOWS, SICK], [1, 0, 3, 5], APART),
    lg.rule([PAIR, EPID], range(1, 7), lg.unordered(X, Y)),
    lg.rule([REVERSED, EPID], range(1, 7), lg.unordered(Y, X)),
    lg.rule([TRIPLE, SICK(Y)], [1, 2, 3, 4], (*lg.different(X, Z),)),
    lg.rule([FRIEND, HOT], [1, 2, 3, 4]),
    lg.rule([LEVEL, SICK], [1, 2, 3, 4]),
    lg.rule([SICK(X), SICK(Y)], [2, 1, 1, 3], lg.unordered(X, Y), FRIENDS(X, Y)),
    lg.rule([SICK(X), SICK(Y)], [2, 1, 1, 3], lg.unordered(Y, X), FRIENDS(X, Y), "each"),
    lg.rule([SICK(Y), SICK(X)], [2, 1, 7, 3], (), FRIENDS(X, Y)),
    lg.rule([SICK(Y), SICK(X)], [2, 1, 7, 3], APART, FRIENDS(X, Y), "once"),
    lg.rule([KNOWS(Y, X), SICK(Y)], [2, 1, 7, 3], APART, FRIENDS(X, Y), "once"),
    lg.rule([PAIR(Y, X), SICK(Y)], [2, 1, 7, 3], APART, FRIENDS(X, Y), "each"),
    lg.rule([FRIEND(X, Y), SICK(Y)], [2, 1, 7, 3], (), FRIENDS(X, Y), "once"),
    lg.rule([SICK(X)], [5, 7], (), FRIENDS(X, Y), "once"),
    lg.rule([SICK(X), HOT], [5, 7, 1, 2], (), VISITED(X, L), "once"),
    lg.rule([VISITS, EPID], [5, 7, 1, 2, 3, 4], (), VISITED(X, L), "each"),
    lg.rule([VISITS, VISITS(Y, L)], [5, 7, 1, 2], APART),
    lg.rule([BUSY, LEVEL], [5, 7, 1, 2], (), SHIFTS(X, W, N), "once"),
    lg.rule([TRIPLE], ["0.1", "1/3"], (*lg.different(X, Z),), THREE(X, Y, Z), "each"),
    lg.rule([PAIR(X, Y), PAIR(Y, Z)], [1, 2, 3, 4], (), THREE(X, Y, Z), "once"),
    lg.rule([FRIEND(X, Z), FRIEND(Y, Z)], [1, 2, 3, 4], (), THREE(X, Y, Z), "once"),
]
DOMAIN_OF = {"person": PERSON, "place": PLACE}
COLUMNS = {"friends": "pp", "visited": "pl", "shifts": "pdn", "three": "ppp"}
NAMES = {
    "p": ["alice", "bob", "eve.x", "x"],
    "l": ["bar", "x.y"],
    "d": ["monday", "friday"],
    "n": ["1", "3"],
}


def ground(model: lg.FactorGraph | lg.ParfactorGraph) -> lg.FactorGraph:
    return model.ground() if isinstance(model, lg.ParfactorGraph) else model


def instantiated(template: lg.Template, **data: Any) -> lg.FactorGraph:
    return ground(template.instantiate(**data))


def written(template: lg.Template, **data: Any) -> lg.FactorGraph:
    """The graph that a template writes; it leaves nothing else behind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a 'graph' [1].fg.parquet"
        try:
            template.write(path, **data)
        except lg.LiftgraphError:
            assert list(Path(folder).iterdir()) == []
            raise
        assert list(Path(folder).iterdir()) == [path]
        assert "work" not in os.listdir(path)
        graph = lg.read(path)
    assert isinstance(graph, lg.FactorGraph)
    return graph


def check_same(template: lg.Template, **data: Any) -> None:
    """Both give the same graph, or both refuse the data."""
    try:
        expected = instantiated(template, **data)
    except lg.InputError as error:
        with pytest.raises(lg.InputError):
            print(error, written(template, **data))
        return
    assert written(template, **data) == expected


def draw_rows(draw: st.DrawFn, kinds: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    rows = st.lists(st.tuples(*[st.sampled_from(NAMES[kind]) for kind in kinds]), max_size=6)
    chosen = draw(rows)
    if kinds == "pp" and draw(st.integers(0, 3)) == 0:
        people = draw(st.sampled_from([NAMES["p"], NAMES["p"][:2]]))
        chosen = [pair for pair in product(people, people) if pair[0] != pair[1]]
        chosen += [(person, person) for person in people if draw(st.booleans())]
    return [dict(zip(columns, row, strict=True)) for row in chosen]


def draw_evidence(draw: st.DrawFn, prv: lg.PRV) -> Any:
    if not prv.logvars:
        return draw(st.sampled_from(prv.states))
    kind_of = {"person": "p", "place": "l", "W": "d", "N": "n"}
    kinds = "".join(kind_of[logvar.domain.name] for logvar in prv.logvars)
    names = tuple(logvar.name for logvar in prv.logvars)
    rows = draw_rows(draw, kinds, names)
    states = [*prv.states, "True", None]
    return [row | {"value": draw(st.sampled_from(states))} for row in rows]


@st.composite
def templates_with_data(draw: st.DrawFn) -> tuple[lg.Template, dict[str, Any]]:
    rules = draw(st.lists(st.sampled_from(RULES), min_size=1, max_size=4))
    more = draw(st.lists(st.sampled_from([SICK, VISITS, KNOWS, HOT]), max_size=1))
    template = lg.Template(rules, more)
    relations = {
        name: draw_rows(draw, COLUMNS[name], columns)
        for name, columns in {
            rule.over.relation.name: rule.over.relation.columns for rule in rules if rule.over
        }.items()
    }
    observed = [prv for prv in template.prvs if draw(st.integers(0, 3)) == 0]
    evidence = {prv.name: draw_evidence(draw, prv) for prv in observed}
    domains: dict[str, Any] = {}
    for domain in template.domains:
        everybody = NAMES["p" if domain.name == "person" else "l"]
        listed = draw(st.sampled_from([everybody, everybody[:1], 3, None, everybody, everybody]))
        if domain.is_open and listed is not None:
            domains[domain.name] = listed
    return template, {"domains": domains, "relations": relations, "evidence": evidence}


@given(templates_with_data())
def test_a_written_graph_is_the_instantiated_one(case: tuple[lg.Template, dict[str, Any]]) -> None:
    template, data = case
    check_same(template, **data)


PERSONS: dict[str, Any] = {"domains": {"person": ["alice", "bob"]}, "relations": {}}
GAPS_ONLY = [{"X": "alice", "Y": "bob", "value": None}, {"X": "bob", "Y": "alice", "value": None}]


@settings(max_examples=20)
@given(templates_with_data(), st.sampled_from(["csv", "parquet", "folder"]))
@example((lg.Template([RULES[4]]), PERSONS | {"evidence": {"Knows": GAPS_ONLY}}), "parquet")
def test_files_are_tables(case: tuple[lg.Template, dict[str, Any]], kind: str) -> None:
    template, data = case
    with tempfile.TemporaryDirectory() as folder:
        in_files = {part: dict(given) for part, given in data.items()}
        for part, given in data.items():
            for name, table in given.items():
                if isinstance(table, list) and table:
                    rows = [{"name": row} if isinstance(row, str) else row for row in table]
                    path = Path(folder) / f"{part}-{name}"
                    in_files[part][name] = stored(rows, path, kind)
        try:
            expected = instantiated(template, **data)
        except lg.InputError:
            with pytest.raises(lg.InputError):
                written(template, **in_files)
            return
        assert written(template, **in_files) == expected


def stored(rows: list[dict[str, Any]], path: Path, kind: str) -> Path:
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if kind == "csv":
        write_csv(columns, path.with_suffix(".csv"))
        return path.with_suffix(".csv")
    if kind == "parquet":
        parquet.write_table(pa.table(columns), path.with_suffix(".parquet"))
        return path.with_suffix(".parquet")
    path.mkdir()
    half = len(rows) // 2
    parquet.write_table(pa.table(columns)[:half], path / "part-0.snappy.parquet")
    parquet.write_table(pa.table(columns)[half:], path / "part-1.snappy.parquet")
    (path / "_SUCCESS").touch()
    return path


ALIKE = lg.rule([SICK(X), SICK(Y)], [3, 1, 1, 3], over=FRIENDS(X, Y))
TABLE = {"person": ["alice", "bob"], "friend": ["bob", "carol"]}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_every_kind_of_table_is_taken(frame: Any) -> None:
    seen = {"name": ["alice", "dan", "bob"], "sick": [True, None, False]}
    data = {
        "relations": {"friends": frame(TABLE)},
        "evidence": {"Sick": (frame(seen), ["name", "sick"])},
    }
    graph = written(lg.Template([ALIKE]), **data)
    assert graph == instantiated(lg.Template([ALIKE]), **data)
    assert graph.names == ("Sick.alice", "Sick.bob", "Sick.carol", "Sick.dan")
    assert {graph.name(v): s for v, s in graph.evidence.items()} == {"Sick.alice": 0, "Sick.bob": 1}


@pytest.mark.parametrize(
    "values",
    [
        np.array([5, 7, 5], dtype=np.int64),
        np.array([5, 7, 5], dtype=np.uint8),
        np.array([2**63 + 5, 7, 5], dtype=np.uint64),
        np.array([5.0, 7.0, -0.0]),
        np.array([5.0, 7.0, 5.0], dtype=np.float32),
        np.array([5.0, 7.5, 5.0]),
        np.array([5.0, 2.0**53, 5.0]),
        np.array([5.0, 2.0**24, 5.0], dtype=np.float32),
        np.array([5.0, np.nan, 5.0]),
        np.array([5.0, np.inf, 5.0]),
        np.array([True, False, True]),
        pa.array([5, 7, 5], pa.decimal128(5, 2)),
        pa.array(["5", "07", "7.0"]),
        pa.array(["5", "", "7.0"]),
        pa.array(["5", None, "7.0"]),
        pa.array([b"5", b"6", b"7"]),
        pa.array([1, 2, 3], pa.date32()),
        pa.array([[1], [2], [3]]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
    ],
    ids=str,
)
def test_values_of_every_type_have_the_same_names(values: Any, tmp_path: Path) -> None:
    met = lg.relation("met", "who", "whom")
    rule = lg.rule([FRIEND(X, Y)], [1, 2], over=met(X, Y), repeated="once")
    table = pa.table({"who": values, "whom": ["7", "x", "7"]})
    parquet.write_table(table, tmp_path / "met.parquet")
    only_integers = pa.table({"who": values, "whom": pa.array([1, 2, 3])})
    parquet.write_table(only_integers, tmp_path / "integers.parquet")
    for path, in_memory in (("met", table), ("integers", only_integers)):
        try:
            expected = instantiated(lg.Template([rule]), relations={"met": in_memory})
        except lg.InputError:
            with pytest.raises(lg.InputError, match=r"relation met: .*parquet"):
                written(lg.Template([rule]), relations={"met": tmp_path / f"{path}.parquet"})
            continue
        relations = {"met": str(tmp_path / f"{path}.parquet")}
        assert written(lg.Template([rule]), relations=relations) == expected


def test_individuals_by_number_are_found_in_integers_and_text(tmp_path: Path) -> None:
    rule = lg.rule([SICK], [1, 2], over=lg.relation("ill", "who")(X))
    template = lg.Template([rule, lg.rule([SICK, EPID], range(1, 7))])
    for values in ([1, 3], ["3", "2"], ["03"], [0], [4], ["+1"], ["three"], ["²"]):
        path = tmp_path / "ill.parquet"
        parquet.write_table(pa.table({"who": values}), path)
        data = {"domains": {"person": 3}, "relations": {"ill": {"who": values}}}
        check_same(template, **data)
        try:
            expected = instantiated(template, **data)
        except lg.InputError:
            with pytest.raises(lg.InputError, match=r"relation ill: .*row 0: .*domain person"):
                written(template, domains={"person": 3}, relations={"ill": path})
            continue
        assert written(template, domains={"person": 3}, relations={"ill": path}) == expected


def test_a_domain_may_be_a_file(tmp_path: Path) -> None:
    template = lg.Template([ALIKE, lg.rule([SICK, EPID], range(1, 7))])
    people = ["zoe", "carol", "bob", "alice"]
    write_csv({"name": people}, tmp_path / "people.csv")
    expected = instantiated(template, domains={"person": people}, relations={"friends": TABLE})
    domains = {"person": tmp_path / "people.csv"}
    assert written(template, domains=domains, relations={"friends": TABLE}) == expected
    numbers = pa.table({"id": pa.array([30, 10, 20])})
    parquet.write_table(numbers, tmp_path / "numbers.parquet")
    rows = pa.table({"person": pa.array([10, 20]), "friend": pa.array([20, 30])})
    parquet.write_table(rows, tmp_path / "friends.parquet")
    graph = written(
        template,
        domains={"person": tmp_path / "numbers.parquet"},
        relations={"friends": tmp_path / "friends.parquet"},
    )
    in_memory = {"domains": {"person": [30, 10, 20]}, "relations": {"friends": rows}}
    assert graph == instantiated(template, **in_memory)
    assert graph == written(template, **in_memory | {"domains": domains_file(tmp_path, numbers)})
    wrong: list[dict[str, list[Any]]] = [{"name": ["a", "a"]}, {"name": ["a"], "age": ["1"]}]
    for table in wrong:
        write_csv(table, tmp_path / "wrong.csv")
        domains = {"person": tmp_path / "wrong.csv"}
        with pytest.raises(lg.InputError, match=r"domain person: .*wrong\.csv: expected"):
            written(template, domains=domains, relations={"friends": TABLE})


def domains_file(folder: Path, table: pa.Table) -> dict[str, Path]:
    parquet.write_table(table, folder / "again.parquet")
    return {"person": folder / "again.parquet"}


def test_hostile_names_are_names(tmp_path: Path) -> None:
    person = lg.Domain("person'; DROP TABLE x")
    u, v = lg.LogVar('U"', person), lg.LogVar('u"', person)
    sick = lg.prv("S'ick\"; --", u)
    met = lg.relation("m'et", "a'\"b", "A'\"B")
    template = lg.Template([lg.rule([sick(u), sick(v)], [3, 1, 1, 3], over=met(u, v))])
    people = ["o'neil", 'q"x', "c0", "NULL", "null", " a,b ", "a\nb", "\\", "été"]
    rows: dict[str, list[Any]] = {
        "a'\"b": people[:-1],
        "A'\"B": people[1:],
        "c0": ["1"] * 8,
        "C0": ["2"] * 8,
    }
    states: dict[str, list[Any]] = {'U"': people[:3], sick.name: ["true", "false", None]}
    expected = instantiated(template, relations={"m'et": rows}, evidence={sick.name: states})
    for path in ("a'b.parquet", "a[1]*?.parquet", "a1xx.parquet", "x;y.csv", 'q"[!a].csv.gz'):
        file, seen = tmp_path / path, tmp_path / f"seen {path}"
        for table, target in ((rows, file), (states, seen)):
            if ".csv" in path:
                write_csv(table, target)
            else:
                parquet.write_table(pa.table(table), target)
        evidence = {sick.name: seen}
        assert written(template, relations={"m'et": file}, evidence=evidence) == expected


def test_names_may_be_left_out() -> None:
    template = lg.Template([ALIKE, lg.rule([KNOWS, SICK], [1, 0, 3, 5], APART)])
    data = {"relations": {"friends": TABLE}}
    nameless = written(template, **data, names=False)
    assert nameless.names is None
    assert nameless == replace(instantiated(template, **data), names=None)
    ambiguous = {"person": ["a", "a.b"], "friend": ["b.c", "c"]}
    rule = lg.rule([KNOWS], [1, 2], over=FRIENDS(X, Y))
    with pytest.raises(lg.InputError, match=r"got Knows.a.b.c again .dots in names"):
        written(lg.Template([rule]), relations={"friends": ambiguous})
    assert written(lg.Template([rule]), relations={"friends": ambiguous}, names=False)
    same = lg.Template([lg.rule([SICK], [1, 2]), lg.rule([lg.prv("Sick.bob")], [1, 2])])
    with pytest.raises(lg.InputError, match=r"got Sick.bob again"):
        written(same, domains={"person": ["alice", "bob"]})


FRIEND_ROW = {"person": "alice", "friend": "bob"}
SELF = {"person": "bob", "friend": "bob"}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"relations": {}}, "relation friends: expected a table, got none"),
        ({"relations": {"enemies": []}}, "one of the template's relations .friends., got enemies"),
        (
            {"relations": {"friends": "nowhere.csv"}},
            "friends: nowhere.csv: expected .* got nothing",
        ),
        ({"relations": {"friends": __file__}}, r"relation friends: .*\.py: expected Parquet"),
        ({"relations": {"friends": Path(__file__).parent}}, "expected Parquet files in a folder"),
        ({"relations": {"friends": [SELF]}}, "friends: expected Sick of different .* bob, bob"),
        (
            {"relations": {"friends": [FRIEND_ROW, FRIEND_ROW]}},
            "relation friends: expected each row once, got alice, bob again",
        ),
        (
            {"domains": {"person": ["alice", "bob"]}},
            "relation friends, row 1: expected an individual of domain person, got carol",
        ),
        ({"domains": {"person": 10**30}}, "relation friends, row 0: expected an individual"),
        ({"relations": {"friends": []}}, "domain person: expected at least one individual"),
        (
            {"evidence": {"Sick": {"X": ["bob"], "value": ["ill"]}}},
            r"evidence on Sick, row 0: expected a state of Sick \(true, false\), got ill",
        ),
        (
            {"evidence": {"Sick": {"X": ["bob", "bob"], "value": [True, False]}}},
            "evidence on Sick: expected one state for Sick.bob, got true and false",
        ),
        ({"memory_limit": -1}, "expected a memory limit in bytes, got -1"),
    ],
    ids=str,
)
def test_data_that_make_no_sense_are_refused(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(lg.InputError, match=problem):
        written(lg.Template([ALIKE]), **{"relations": {"friends": TABLE}} | data)


def test_states_in_files_are_checked(tmp_path: Path) -> None:
    template = lg.Template([ALIKE, lg.rule([EPID, SICK], range(1, 7))])
    relations = {"friends": TABLE}
    cases: list[tuple[dict[str, list[Any]], str]] = [
        ({"X": ["bob", "bob"], "value": ["True", "ill"]}, "row 1: expected a state of Sick"),
        ({"X": ["bob", "bob"], "value": ["true", "False"]}, "one state for Sick.bob, got true and"),
        ({"X": ["bob", None], "value": ["true", "false"]}, "row 1: expected a value in X"),
        ({"X": ["bob"], "state": ["true"]}, "expected a column Sick or value, got X, state"),
    ]
    for table, problem in cases:
        path = tmp_path / "seen.csv"
        write_csv(table, path)
        with pytest.raises(lg.InputError, match=f"evidence on Sick: .*seen.csv.*{problem}"):
            written(template, relations=relations, evidence={"Sick": path})
    many = {"X": ["bob"] * 20_000, "value": [f"{'t' * 20}{n}" for n in range(20_000)]}
    write_csv(many, tmp_path / "many.csv")
    with pytest.raises(lg.InputError, match="row 0: expected a state of Sick"):
        written(template, relations=relations, evidence={"Sick": tmp_path / "many.csv"})
    write_csv({"level": ["MID", None, "mid"]}, tmp_path / "epid.csv")
    evidence: Mapping[str, Any] = {"Epid": (tmp_path / "epid.csv", ["level"])}
    graph = written(template, relations=relations, evidence=evidence)
    assert graph == instantiated(template, relations=relations, evidence={"Epid": "mid"})


def test_a_graph_on_disk_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.fg.parquet"
    template = lg.Template([ALIKE])
    template.write(path, relations={"friends": TABLE})
    before = lg.read(path)
    with pytest.raises(lg.InputError):
        template.write(path, relations={"friends": [SELF]})
    assert lg.read(path) == before
    template.write(path, relations={"friends": [FRIEND_ROW]})
    assert lg.read(path) != before
    assert os.listdir(tmp_path) == ["model.fg.parquet"]
    counts = json.loads((path / "graph.json").read_text())
    assert (counts["variables"], counts["factors"], counts["edges"]) == (2, 1, 2)
    with pytest.raises(lg.InputError, match="name of a folder"):
        template.write(tmp_path / "model.gz", relations={"friends": TABLE})


def test_without_the_engine_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def without_duckdb(name: str) -> Any:
        return None if name == "duckdb" else real(name)

    monkeypatch.setattr(engine_module, "find_spec", without_duckdb)
    with pytest.raises(lg.InputError, match=r"pip install 'liftgraph\[duckdb\]'"):
        lg.Template([ALIKE]).write("model.fg.parquet", relations={"friends": TABLE})


def test_too_little_memory_is_said_in_one_line() -> None:
    people = [str(index) for index in range(200_000)]
    relations = {"friends": {"person": people, "friend": people[1:] + people[:1]}}
    with pytest.raises(lg.MemoryLimitError, match=r"needs more memory, the limit is 2.0 MiB"):
        written(lg.Template([ALIKE]), relations=relations, memory_limit=2**21)


def test_numbers_that_no_file_could_hold_are_refused() -> None:
    pairs = lg.rule([FRIEND, SICK], [1, 2, 3, 4])
    with pytest.raises(lg.MemoryLimitError, match=r"fewer than 2\^62"):
        written(lg.Template([pairs]), domains={"person": 10**10})


def test_all_substitutions_need_no_relation(tmp_path: Path) -> None:
    rules: list[Rule] = [
        lg.rule([KNOWS, SICK], [1, 0, 3, 5], APART),
        lg.rule([PAIR], [1, 2], lg.unordered(X, Y)),
        lg.rule([TRIPLE], [1, 2], lg.unordered(X, Z)),
    ]
    data = {"domains": {"person": 40}, "evidence": {"Pair": [{"X": 9, "Y": 2, "value": True}]}}
    check_same(lg.Template(rules), **data)


def many_friends(path: Path, rows: int, people: int) -> dict[str, Any]:
    """A file of friends and one of who was seen to be sick."""
    random = np.random.default_rng(0)
    pairs = np.unique(random.integers(0, people, (rows, 2)), axis=0)
    pairs = random.permutation(pairs[pairs[:, 0] != pairs[:, 1]])
    names = np.array([f"person {index}" for index in range(people)])
    friends = pa.table({"person": names[pairs[:, 0]], "friend": names[pairs[:, 1]]})
    parquet.write_table(friends, path / "friends.parquet")
    seen = pa.table({"X": names[::7], "value": random.choice(["true", "false"], len(names[::7]))})
    parquet.write_table(seen, path / "seen.parquet")
    return {
        "relations": {"friends": path / "friends.parquet"},
        "evidence": {"Sick": path / "seen.parquet"},
    }


def large_template() -> lg.Template:
    return lg.Template(
        [
            lg.rule([SICK], [1, 2]),
            lg.rule([KNOWS, SICK(X), SICK(Y)], range(1, 9), over=FRIENDS(X, Y)),
        ]
    )


@pytest.mark.long
def test_a_million_rows_need_little_memory(tmp_path: Path) -> None:
    data = many_friends(tmp_path, 10**6, 10**5)
    in_memory = {
        part: {name: parquet.read_table(path) for name, path in files.items()}
        for part, files in data.items()
    }
    expected = instantiated(large_template(), **in_memory)
    assert written(large_template(), **data, memory_limit=2**27) == expected


@pytest.mark.skipif(os.name != "posix", reason="Windows sends no signals to one process")
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    program = """
import os, signal, threading
import liftgraph as lg
signal.signal(signal.SIGINT, signal.default_int_handler)
X = lg.LogVar("X", lg.Domain("person"))
Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
pairs = lg.rule([lg.prv("Friend", X, Y), lg.prv("Sick", Z)], [1, 2, 3, 4])
threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    lg.Template([pairs]).write("model.fg.parquet", {"person": 100_000})
except KeyboardInterrupt:
    print("interrupted", os.listdir())
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == "interrupted []\n", ran.stderr
