"""Graphs on disk that are damaged or make no sense, and folders that cannot be written: errors of
one line, which name the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import liftgraph as lg
from liftgraph import datasets

pytest.importorskip("pyspark")

from pyspark.errors import PySparkRuntimeError

from liftgraph.distributed.on_spark import colour_on_spark
from liftgraph.distributed.session import session, spark_errors
from tests.scale.clusters import cluster

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about itself and others


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with cluster("local[2]") as started:
        yield started


@pytest.mark.parametrize(
    "name", ["graph.json", *(f"{name}.parquet" for name in
    ("states", "tables", "variables", "factors", "edges", "evidence"))],
)  # fmt: skip
def test_damage_is_named(name: str, spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "graph.parquet"
    lg.write(datasets.epidemic().given({"Epid": "true"}), source)
    content = (source / name).read_bytes()
    for damaged in (None, content[: len(content) // 2]):
        if damaged is None:
            (source / name).unlink()
        else:
            (source / name).write_bytes(damaged)
        with pytest.raises(lg.InputError, match=name):
            colour_on_spark(source, tmp_path / "colours", spark=spark)


def wrong_columns() -> Iterator[tuple[str, str, pa.Array, str]]:
    yield "factors", "table", pa.nulls(9, pa.int64()), "expected a table from 0 to 6, got none"
    yield "factors", "table", pa.array([9] * 9), "expected a table from 0 to 6, got 9"
    yield "factors", "table", pa.array([0.0] * 9), "expected integers in table, got double"
    yield "factors", "factor", pa.array([2**64 - 1] * 9, pa.uint64()), "9 rows about 0 from None"
    yield "variables", "nmae", pa.array(["a"] * 9), "among variable, states, name, got 'nmae'"
    yield (
        "variables",
        "states",
        pa.nulls(9, pa.int64()),
        "that is listed, got none",
    )
    yield "variables", "name", pa.array(["a"] * 9), "expected distinct names, got 'a' twice"
    yield (
        "variables",
        "name",
        pa.array(["1", *[None] * 8]),
        "expected distinct names, got '1' twice",
    )
    yield "variables", "name", pa.array(["", *[None] * 8]), "variable 0: expected a name, got an"
    yield "variables", "name", pa.array(range(9)), "expected text in name, got bigint"
    yield "edges", "position", pa.array([-1] * 21), "a variable at each of 1 positions, got 0 at 0"


@pytest.mark.parametrize(("name", "column", "values", "problem"), [*wrong_columns()])
def test_wrong_columns_are_named(
    name: str, column: str, values: pa.Array, problem: str, spark: Any, tmp_path: Path
) -> None:
    source = tmp_path / "graph.parquet"
    lg.write(datasets.epidemic(), source)
    replace_column(source / f"{name}.parquet", column, values)
    with pytest.raises(lg.ParseError, match=rf"^{source}/{name}.parquet: .*{problem}") as caught:
        colour_on_spark(source, tmp_path / "colours", spark=spark)
    assert "\n" not in str(caught.value)


def replace_column(file: Path, column: str, values: pa.Array) -> None:
    """Write a file again with other values in a column, or with a further one."""
    table = parquet.read_table(file)
    others = [name for name in table.column_names if name != column]
    parquet.write_table(table.select(others).append_column(column, values), file)


def test_columns_that_are_there_twice_are_named(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "graph.parquet"
    lg.write(datasets.epidemic(), source)
    table = parquet.read_table(source / "factors.parquet")
    parquet.write_table(table.append_column("table", table["table"]), source / "factors.parquet")
    with pytest.raises(lg.ParseError, match=r"factors.parquet: expected Parquet, got \[COLUMN_"):
        colour_on_spark(source, tmp_path / "colours", spark=spark)


def test_unsigned_integers_are_read(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "graph.parquet"
    lg.write(datasets.epidemic(), source)
    for name in ("variables", "factors", "edges"):
        table = parquet.read_table(source / f"{name}.parquet")
        for column in table.column_names:
            if column != "name":
                replace_column(source / f"{name}.parquet", column, table[column].cast(pa.uint64()))
    quotient = colour_on_spark(source, tmp_path / "colours", spark=spark)
    graph = lg.read_graph(source)
    assert quotient == lg.quotient(graph, lg.colour_passing(graph))


def test_an_output_that_cannot_be_written_is_named(spark: Any, tmp_path: Path) -> None:
    source, file = tmp_path / "graph.parquet", tmp_path / "file"
    lg.write(datasets.epidemic(), source)
    file.touch()
    with pytest.raises(lg.LiftgraphError, match=f"^{file}/x: Spark stopped: .*is not a directory"):
        colour_on_spark(source, file / "x", spark=spark)


def test_nothing_is_written_into_the_graph(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "graph.parquet"
    lg.write(datasets.epidemic(), source)
    for output in (source, source / "colours"):
        with pytest.raises(lg.InputError, match="expected a folder that is not in the graph's own"):
            colour_on_spark(source, output, spark=spark)


def test_spark_that_does_not_start_is_blamed_on_java_only_without_java(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})
    with pytest.raises(lg.InputError, match="and says above why"), spark_errors("Spark"):
        raise ended
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(lg.InputError, match="needs Java 17, got no Java"), spark_errors("Spark"):
        raise ended


@pytest.mark.parametrize("master", ["nonsense", "local[", "", 3, "http://host"])
def test_a_master_that_there_is_not_is_refused(
    master: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    expected = pytest.raises(lg.InputError, match="expected a master such as local")
    with expected, session(None, master):
        pass
