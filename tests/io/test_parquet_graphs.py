"""Graphs on disk: nothing is lost, other programs read and write them, damage is refused."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import liftgraph as lg
from liftgraph import datasets
from liftgraph.cli import main
from liftgraph.io.parquet import rows
from tests.inference.test_counts import graphs as count_graphs
from tests.strategies import factor_graphs, symmetric_graphs

FILES = ("states", "variables", "tables", "factors", "edges", "evidence")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("graphs")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The epidemic with evidence, on disk."""
    path = tmp_path / "model.fg.parquet"
    lg.write(EPIDEMIC, path)
    return path


EPIDEMIC = datasets.epidemic().given({"Sick.alice": "true"})


@given(st.one_of(symmetric_graphs(), factor_graphs(), count_graphs()))
def test_what_is_written_reads_back_equal(folder: Path, graph: lg.FactorGraph) -> None:
    path = folder / "model.fg.parquet"
    lg.write(graph, path)
    again = lg.read_graph(f"{path}/")
    assert again == graph
    assert [table.measured for table in again.potentials] == [
        table.measured for table in graph.potentials
    ]
    assert sorted(file.name for file in folder.iterdir()) == [path.name]  # nothing is left behind


@settings(max_examples=20)
@given(factor_graphs(), st.randoms())
def test_rows_may_be_in_any_order_and_in_many_files(
    folder: Path, graph: lg.FactorGraph, random: Any
) -> None:
    path = folder / "shuffled.fg.parquet"
    lg.write(graph, path)
    for name in FILES:
        file = path / f"{name}.parquet"
        if not file.exists():
            continue
        table = parquet.read_table(file)
        order = random.sample(range(len(table)), len(table))
        file.unlink()
        file.mkdir()
        (file / "_SUCCESS").touch()
        for part, first in enumerate(range(0, max(len(order), 1), 2)):
            shuffled = table.take(pa.array(order[first : first + 2], pa.int64()))
            parquet.write_table(shuffled, file / f"part-{part}.parquet")
    assert lg.read_graph(path) == graph


def test_other_programs_read_it(written: Path) -> None:
    edges = duckdb.execute(f"select * from '{written}/edges.parquet' order by factor, position")
    assert [row[2] for row in edges.fetchall()] == EPIDEMIC.scope.tolist()
    names = pl.read_parquet(written / "variables.parquet")["name"].to_list()
    assert tuple(names) == EPIDEMIC.names


def by_duckdb(path: Path) -> None:
    """Two Booleans of three states and a pair of them, written by SQL."""
    path.mkdir()
    tables = {
        "states": "select 0 as states, ['low', 'middle', 'high'] as names",
        "variables": "select range as variable, 0 as states, 'V' || range as name from range(2)",
        "tables": 'select 0 as "table", [3, 3] as shape, '
        "['1', '2', '3', '4', '1/3', '6', '7', '8', '0.5'] as \"values\"",
        "factors": 'select 0::tinyint as factor, 0::utinyint as "table"',
        "edges": "select 0 as factor, 1 - range as position, range as variable from range(2)",
    }
    for name, query in tables.items():
        duckdb.sql(f"copy ({query}) to '{path}/{name}.parquet'")
    counts = "'liftgraph factor graph on disk' as format, 1 as version, 2 as variables"
    counts += ", 1 as factors, 2 as edges"
    duckdb.sql(f"copy (select {counts}) to '{path}/graph.json' (format json)")


def by_polars(path: Path) -> None:
    """The same in data frames."""
    path.mkdir()
    values = ["1", "2", "3", "4", "1/3", "6", "7", "8", "0.5"]
    frames: dict[str, dict[str, list[Any]]] = {
        "states": {"states": [0], "names": [["low", "middle", "high"]]},
        "variables": {"variable": [1, 0], "states": [0, 0], "name": ["V1", "V0"]},
        "tables": {"table": [0], "shape": [[3, 3]], "values": [values]},
        "factors": {"factor": [0], "table": [0]},
        "edges": {"factor": [0, 0], "position": [0, 1], "variable": [1, 0]},
    }
    for name, columns in frames.items():
        pl.DataFrame(columns).write_parquet(path / f"{name}.parquet")
    counts = {"variables": 2, "factors": 1, "edges": 2, "version": 1}
    counts_and_title = {"format": "liftgraph factor graph on disk", **counts}
    (path / "graph.json").write_text(json.dumps(counts_and_title))


@pytest.mark.parametrize("write", [by_duckdb, by_polars])
def test_other_programs_write_it(write: Callable[[Path], None], tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["V0", "V1"], ["low", "middle", "high"])
    builder.add_factor(["V1", "V0"], ["1", "2", "3", "4", "1/3", "6", "7", "8", "0.5"])
    write(tmp_path / "theirs.fg.parquet")
    assert lg.read(tmp_path / "theirs.fg.parquet") == builder.build()


def changed(written: Path, listing: str, **columns: list[Any]) -> None:
    """Replace some columns of a file."""
    file = written / f"{listing}.parquet"
    table = parquet.read_table(file)
    for column, values in columns.items():
        kept = [name for name in table.column_names if name != column]
        table = table.select(kept).append_column(column, pa.array(values))
    parquet.write_table(table, file)


def test_numbers_may_be_integers_or_floats_which_are_measured(written: Path) -> None:
    lists = [[int(n * t.scale) for n in t.integers.ravel().tolist()] for t in EPIDEMIC.tables]
    changed(written, "tables", values=lists)
    assert lg.read_graph(written) == EPIDEMIC
    floats = [[float(entry) / 4 for entry in entries] for entries in lists]
    changed(written, "tables", values=floats, measured=[None] * len(lists))
    again = lg.read_graph(written)
    assert all(table.measured for table in again.tables)
    assert [table.integers.tolist() for table in again.tables] == [
        table.integers.tolist() for table in EPIDEMIC.tables
    ]


@pytest.mark.parametrize("width", [pa.uint64(), pa.int64(), pa.uint8(), pa.int8()])
def test_integers_may_have_any_width(width: pa.DataType, written: Path) -> None:
    for name in FILES:
        file = written / f"{name}.parquet"
        table = parquet.read_table(file)
        for place, field in enumerate(table.schema):
            if pa.types.is_integer(field.type):
                table = table.set_column(place, field.name, table[field.name].cast(width))
        parquet.write_table(table, file)
    assert lg.read_graph(written) == EPIDEMIC


def test_integers_beyond_those_of_64_bits_are_refused(written: Path) -> None:
    changed(written, "edges", variable=pa.array([2**63, *[0] * 20], pa.uint64()))
    with pytest.raises(lg.ParseError, match=r"expected integers below 2\^63 in variable, got 9"):
        lg.read(written)


@pytest.mark.parametrize("name", FILES)
def test_a_column_that_is_there_twice_is_refused(name: str, written: Path) -> None:
    file = written / f"{name}.parquet"
    table = parquet.read_table(file)
    for column in table.column_names:
        parquet.write_table(table.append_column(column, table[column]), file)
        with pytest.raises(lg.ParseError, match=f"{name}.parquet: expected a column {column}, got"):
            lg.read(written)


def test_tables_without_values_are_refused(written: Path) -> None:
    parquet.write_table(pa.table({"table": range(7)}), written / "tables.parquet")
    with pytest.raises(lg.ParseError, match=r"tables.parquet: table 0: expected values in a list"):
        lg.read(written)


def test_a_list_of_states_that_is_there_twice_is_refused(written: Path) -> None:
    two = pa.table({"states": [0, 0], "names": [["true", "false"], ["low", "high"]]})
    parquet.write_table(two, written / "states.parquet")
    with pytest.raises(lg.ParseError, match=r"states.parquet: expected states 0 once, got them"):
        lg.read(written)


def test_variables_without_names_are_called_by_their_index(written: Path) -> None:
    changed(written, "variables", name=["Epid", *[None] * 8])
    assert lg.read_graph(written).names == ("Epid", *map(str, range(1, 9)))
    changed(written, "variables", name=pa.nulls(9, pa.string()))
    assert lg.read_graph(written).names is None


def test_equal_lists_of_states_are_one(written: Path) -> None:
    two = pa.table({"states": [0, 1], "names": [["true", "false"]] * 2})
    parquet.write_table(two, written / "states.parquet")
    changed(written, "variables", states=[0, 1, 0, 1, 0, 1, 0, 1, 0])
    again = lg.read_graph(written)
    assert again == EPIDEMIC
    assert len(again.state_sets) == 1


@pytest.mark.parametrize("name", ["graph.json", *(f"{name}.parquet" for name in FILES)])
def test_damaged_files_are_named(name: str, written: Path) -> None:
    content = (written / name).read_bytes()
    for length in (0, 1, 4, len(content) // 2, len(content) - 3):
        (written / name).write_bytes(content[:length])
        with pytest.raises(lg.InputError, match=name) as caught:
            lg.read(written)
        assert "\n" not in str(caught.value)
    (written / name).unlink()
    with pytest.raises(lg.InputError, match=name):
        lg.read(written)


@pytest.mark.parametrize("name", ["graph.json", *(f"{name}.parquet" for name in FILES)])
def test_no_flipped_bit_changes_a_graph(name: str, written: Path) -> None:
    content = (written / name).read_bytes()
    random = np.random.default_rng(len(content))
    refused, names = 0, {content.find(word) for word in (b"name", b"addends")} - {-1}
    for place in [*names, *random.permutation(len(content))[:200].tolist()]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(random.integers(8))
        (written / name).write_bytes(flipped)
        try:
            assert lg.read(written, memory_limit=2**26) == EPIDEMIC  # nothing reads this bit
        except lg.LiftgraphError:
            refused += 1
    assert refused > 50


def wrong_contents() -> Iterator[tuple[str, dict[str, list[Any]], str]]:
    yield "variables", {"variable": [0, 0, 2, 3, 4, 5, 6, 7, 8]}, "got none for 1 and two"
    yield "variables", {"variable": [-1, 1, 2, 3, 4, 5, 6, 7, 8]}, "a variable from 0 to 8, got -1"
    yield "variables", {"states": [1] * 9}, "expected a number of states from 0 to 0, got 1"
    yield "variables", {"states": [0.0] * 9}, "expected integers in states, got double"
    yield "variables", {"states": [None, *[0] * 8]}, "expected an integer in each row of states"
    yield "variables", {"name": ["a"] * 9}, "expected distinct names"
    yield "variables", {"name": ["", *"abcdefgh"]}, "variable 0: expected a name"
    yield "factors", {"factor": [0, 1, 2, 3, 4, 5, 6, 7, 7]}, "got none for 8"
    yield "factors", {"table": [9] * 9}, "expected a table from 0 to "
    yield "factors", {"table": [0] * 9}, "expected 9 edges, as many as its tables have arguments"
    yield "edges", {"position": [7, *[0] * 20]}, "got position 7 of factor 0"
    yield "edges", {"variable": [99, *[0] * 20]}, "expected a variable from 0 to 8, got 99"
    yield "edges", {"variable": [0] * 21}, "expected distinct variables, got 0 twice"
    yield "evidence", {"variable": [9]}, "expected a variable from 0 to 8, got 9"
    yield "evidence", {"state": [2]}, "expected a state of variable 2, got 2"
    yield "states", {"names": [["true", "true"]]}, "states 0: expected 1 to"
    yield "states", {"names": [["a", "b", "c"]]}, r"expected a table of shape \(3,\), got \(2,\)"
    yield "states", {"states": [5]}, "expected states numbered from 0 on"
    yield "states", {"names": [2]}, "states 0: expected names in a list, got 2"
    yield "states", {"names": ["ab"]}, "states 0: expected names in a list, got 'ab'"
    yield "tables", {"addends": [3] * 7}, r"table 0: .* `\$.addends`"
    yield "tables", {"addends": [[{"adds": [1]}]] * 7}, r"table 0: .* `\$.addends\[0\]`"
    yield "tables", {"causes": [["x"]] * 7}, r"table 0: .* `\$.causes\[0\]`"
    yield "variables", {"nmae": ["a"] * 9}, "among variable, states, name, got 'nmae'"
    yield "tables", {"table": [1, 1, 2, 3, 4, 5, 6]}, "expected table 1 once"
    yield "tables", {"shape": [[2], [2], [7], [2], [2], [2], [2]]}, "table 0: |table 2: "
    yield "tables", {"values": [["x", "1"]] * 7}, "table 0: "
    yield "tables", {"values": [None] * 7}, "expected values in a list"


@pytest.mark.parametrize(("name", "columns", "problem"), [*wrong_contents()])
def test_what_makes_no_sense_is_refused(
    name: str, columns: dict[str, list[Any]], problem: str, written: Path
) -> None:
    count = len(parquet.read_table(written / f"{name}.parquet"))
    changed(written, name, **{column: values[:count] for column, values in columns.items()})
    with pytest.raises(lg.InputError, match=problem) as caught:
        lg.read(written)
    assert str(written) in str(caught.value)


@pytest.mark.parametrize("name", ["variables", "factors", "edges", "evidence"])
def test_missing_and_repeated_rows_are_refused(name: str, written: Path) -> None:
    file = written / f"{name}.parquet"
    table = parquet.read_table(file)
    for wrong in (table.slice(1), pa.concat_tables([table, table.slice(0, 1)])):
        parquet.write_table(wrong, file)
        with pytest.raises(lg.InputError, match=f"{name}.parquet"):
            lg.read(written)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", "expected the counts of a graph"),
        ('{"format": "x", "version": 1, "variables": 1, "factors": 1, "edges": 1}', "got x 1"),
        ('{"variables": 1}', "missing required field"),
        ("{" * 100_000, "at most 65,536 bytes"),
        (None, "was writing it interrupted"),
    ],
)
def test_counts_say_what_the_folder_is(content: str | None, problem: str, written: Path) -> None:
    if content is None:
        (written / "graph.json").unlink()
    else:
        (written / "graph.json").write_text(content)
    with pytest.raises(lg.InputError, match=problem):
        lg.read(written)


def test_huge_counts_are_refused_beforehand(written: Path) -> None:
    counts = json.loads((written / "graph.json").read_text())
    for name in ("variables", "factors", "edges"):
        (written / "graph.json").write_text(json.dumps({**counts, name: 2**62}))
        with pytest.raises(lg.LiftgraphError):
            lg.read(written)
        (written / "graph.json").write_text(json.dumps({**counts, name: -1}))
        with pytest.raises(lg.InputError, match="expected counts from 0 on"):
            lg.read(written)


def test_files_and_other_folders_are_not_graphs(tmp_path: Path) -> None:
    file = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": [1]}), file)
    with pytest.raises(lg.InputError, match=r"expected a folder with graph\.json, got a file"):
        lg.read(file)
    with pytest.raises(lg.InputError, match="got nothing there"):
        lg.read(tmp_path / "none.parquet")
    with pytest.raises(lg.InputError, match="expected a folder or a new name, got a file"):
        lg.write(EPIDEMIC, file)
    other = tmp_path / "other.parquet"
    other.mkdir()
    (other / "notes.txt").write_text("keep")
    for content in ({}, {"graph.json": "{}"}):
        for name, text in content.items():
            (other / name).write_text(text)
        with pytest.raises(lg.InputError, match=r"only a graph .* got notes.txt in it"):
            lg.write(EPIDEMIC, other)
    with pytest.raises(lg.InputError, match="not compressed"):
        lg.write(EPIDEMIC, tmp_path / "x.parquet.gz")
    with pytest.raises(lg.InputError, match="no logvars"):
        lg.write(datasets.epid(3), tmp_path / "x.parquet")
    with pytest.raises(lg.InputError, match="cannot be written"):
        lg.write(EPIDEMIC, tmp_path / "no" / "x.parquet")
    assert (other / "notes.txt").read_text() == "keep"
    (tmp_path / "part.parquet").mkdir()
    (tmp_path / "part.parquet" / "edges.parquet").touch()
    with pytest.raises(lg.InputError, match=r"only a graph .* got no graph\.json in it"):
        lg.write(EPIDEMIC, tmp_path / "part.parquet")


def test_values_are_counted_in_lists_of_any_kind() -> None:
    nested = pa.array([["a", "b"], ["c"]])
    assert rows.value_count(nested) == 2 + 3
    assert rows.value_count(nested[:1]) == 1 + 2
    assert rows.value_count(pa.array([[1, 2]], pa.list_(pa.int8(), 2))) == 1 + 2
    assert rows.value_count(pa.array([{"a": 1, "b": [2, 3]}])) == 1 + 1 + 2
    assert rows.value_count(pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8()))) == 1
    assert rows.value_count(pa.nulls(3)) == 3


def test_small_graphs_need_little_memory(written: Path) -> None:
    assert lg.read(written, memory_limit=100_000) == EPIDEMIC


def test_an_interrupted_writer_leaves_the_old_graph(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liftgraph.io.parquet.writer.write_counts", interrupt)
    with pytest.raises(KeyboardInterrupt):
        lg.write(datasets.epidemic(), written)
    assert lg.read(written) == EPIDEMIC
    assert [*written.parent.iterdir()] == [written]


def test_memory_is_refused_before_it_is_taken_and_enough_is_enough(tmp_path: Path) -> None:
    graph = datasets.epid(300).ground()
    path = tmp_path / "large.fg.parquet"
    lg.write(graph, path)
    with pytest.raises(lg.MemoryLimitError, match="needs"):
        lg.read(path, memory_limit=2**20)
    limit = 2**20
    while True:
        try:
            pool = pa.system_memory_pool()
            pa.set_memory_pool(pool)
            tracemalloc.start()
            lg.read(path, memory_limit=limit)
            peak = tracemalloc.get_traced_memory()[1] + pool.max_memory()
            break
        except lg.MemoryLimitError:
            limit = limit * 9 // 8
        finally:
            tracemalloc.stop()
    assert peak <= limit


def test_pyarrow_is_named_where_it_is_missing(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "find_spec", lambda name: None)
    for act in (lambda: lg.read(written), lambda: lg.write(EPIDEMIC, written)):
        with pytest.raises(lg.InputError, match=r"liftgraph\[parquet\]"):
            act()


def test_commands_read_and_write_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.fg.parquet"
    assert main(["convert", "example:epidemic", str(path)]) == 0
    assert main(["info", f"{path}/"]) == 0
    assert main(["query", str(path), "Sick.bob", "--exact"]) == 0
    assert "P(Sick.bob)" in capsys.readouterr().out
    assert main(["convert", str(path), str(tmp_path / "again.json")]) == 0
    assert lg.read(tmp_path / "again.json") == datasets.epidemic()
    (path / "edges.parquet").unlink()
    assert main(["info", str(path)]) != 0
    assert "edges.parquet: expected a Parquet file" in capsys.readouterr().err


def test_shared_text_of_names_counts_for_each_variable(written: Path) -> None:
    counts = json.loads((written / "graph.json").read_text())
    (written / "graph.json").write_text(json.dumps({**counts, "variables": 2000}))
    names = pa.DictionaryArray.from_arrays(pa.array([0] * 2000), pa.array(["a" * 5000]))
    rows_of_names = {"variable": range(2000), "states": [0] * 2000, "name": names}
    parquet.write_table(pa.table(rows_of_names), written / "variables.parquet")
    with pytest.raises(lg.MemoryLimitError, match="the names of its variables"):
        lg.read(written, memory_limit=5_000_000)


def test_more_observations_than_expected_are_not_kept(written: Path) -> None:
    many = pa.table({"variable": np.full(10**6, 2), "state": np.zeros(10**6, np.int64)})
    parquet.write_table(many, written / "evidence.parquet")
    tracemalloc.start()
    try:
        with pytest.raises(
            lg.ParseError, match=r"evidence.parquet: expected 1 rows, got 1,000,000"
        ):
            lg.read(written)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_an_argument_that_is_missing_is_named(written: Path) -> None:
    edges = parquet.read_table(written / "edges.parquet").to_pydict()
    row = edges["position"].index(1)
    edges["position"][row] = 0
    parquet.write_table(pa.table(edges), written / "edges.parquet")
    expected = f"expected an argument at position 1 of factor {edges['factor'][row]}, got none"
    with pytest.raises(lg.ParseError, match=expected):
        lg.read(written)
