"""Small Parquet files that unpack to much are refused before they do, whatever they claim.

Peaks are those of processes: Arrow's memory is none that Python traces.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import liftgraph as lg
from liftgraph import datasets
from liftgraph.data.table_files import read_table
from tests.io.test_parquet_graphs import EPIDEMIC

MIB = 2**20
LIMIT = 10 * MIB
OVERHEAD = 16 * MIB  # of the process itself: pages of code, arenas, buffers


def repeated(text: str, count: int) -> pa.Array:
    """A text that is there once, and stands in many rows."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([text]))


def in_one_list(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def write(path: Path, name: str, columns: dict[str, pa.Array], **options: object) -> None:
    options = {"compression": "zstd", "write_statistics": False, **options}
    parquet.write_table(pa.table(columns), path / f"{name}.parquet", **options)
    if name == "variables":
        counts = json.loads((path / "graph.json").read_text())
        counts["variables"] = len(columns["variable"])
        (path / "graph.json").write_text(json.dumps(counts))


def names(path: Path) -> None:
    column = repeated("a" * 20_000, 20_000)
    zeros = pa.array(np.zeros(20_000, np.int8))
    write(path, "variables", {"variable": np.arange(20_000), "states": zeros, "name": column})


def states(path: Path) -> None:
    column = in_one_list(repeated("a" * 20_000, 20_000))
    write(path, "states", {"states": pa.array([0]), "names": column})


def values(path: Path) -> None:
    shape, column = pa.array([[20_000]]), in_one_list(repeated("1" * 20_000, 20_000))
    write(path, "tables", {"table": pa.array([0]), "shape": shape, "values": column})


def page(path: Path) -> None:
    columns = {"variable": pa.array([0]), "states": pa.array([0]), "name": ["a" * 100 * MIB]}
    write(path, "variables", columns, use_dictionary=False)


def numbers_in_a_list(path: Path) -> None:
    shape = in_one_list(pa.array(np.zeros(50 * MIB, np.int8)))
    write(path, "tables", {"table": pa.array([0]), "shape": shape})


def nulls_in_a_list(path: Path) -> None:
    write(path, "states", {"states": [0], "names": in_one_list(pa.nulls(50 * MIB, pa.string()))})


def prefixes(path: Path) -> None:
    column = [f"{'a' * MIB}{number}" for number in range(100)]
    columns = {"variable": np.arange(100), "states": np.zeros(100, np.int8), "name": column}
    one_page = {"data_page_size": 2**30, "write_batch_size": 2**20, "use_dictionary": False}
    write(path, "variables", columns, column_encoding={"name": "DELTA_BYTE_ARRAY"}, **one_page)


def key_values(path: Path) -> None:
    table = parquet.read_table(path / "states.parquet")
    table = table.replace_schema_metadata({"note": "y" * 60 * MIB})
    parquet.write_table(table, path / "states.parquet")


def columns(path: Path) -> None:
    table = pa.table({f"{number:x}": pa.array([], pa.int8()) for number in range(50_000)})
    parquet.write_table(table, path / "edges.parquet")


READ = """
import resource, sys
import liftgraph as lg
from liftgraph import datasets
lg.write(datasets.epidemic(), sys.argv[1] + ".small.parquet")
lg.read(sys.argv[1] + ".small.parquet")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(lg.read(sys.argv[1], memory_limit=int(sys.argv[2])))
except lg.MemoryLimitError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
MAKE: list[Callable[[Path], None]] = [
    names,
    states,
    values,
    page,
    numbers_in_a_list,
    nulls_in_a_list,
    prefixes,
    key_values,
    columns,
]


@pytest.mark.skipif(sys.platform != "linux", reason="peaks in KiB, as Linux has them")
@pytest.mark.parametrize("make", MAKE, ids=lambda make: make.__name__)
def test_what_unpacks_to_much_is_refused_before_it_does(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "m.fg.parquet"
    lg.write(datasets.epidemic(), path)
    make(path)
    if make is not key_values:
        assert sum(file.stat().st_size for file in path.iterdir()) < 8 * MIB
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), str(LIMIT)], capture_output=True, text=True
    )
    assert done.stderr == ""
    said, peak = done.stdout.splitlines()
    assert "the limit is 10.0 MiB" in said
    assert int(peak) * 1024 < LIMIT + OVERHEAD


def test_text_in_any_encoding_is_read(tmp_path: Path) -> None:
    """Other writers choose others, and one file may have several."""
    path = tmp_path / "m.fg.parquet"
    lg.write(EPIDEMIC, path)
    table = parquet.read_table(path / "variables.parquet")
    for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        for version in ("1.0", "2.0"):
            parquet.write_table(
                table,
                path / "variables.parquet",
                use_dictionary=False,
                column_encoding={"name": encoding},
                data_page_version=version,
                row_group_size=4,
            )
            assert lg.read(path) == EPIDEMIC
    file = path / "variables.parquet"
    file.unlink()
    file.mkdir()
    query = f"select * from '{tmp_path}/other.parquet' order by variable"
    parquet.write_table(table, tmp_path / "other.parquet")
    options = "format parquet, parquet_version v2"
    duckdb.sql(f"copy ({query} limit 4) to '{file}/0.parquet' ({options})")
    parquet.write_table(table.slice(4), file / "1.parquet", dictionary_pagesize_limit=1)
    assert lg.read(path) == EPIDEMIC


def test_tables_of_rows_keep_their_limit_too(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"a": repeated("a" * 20_000, 20_000)}), path, compression="zstd")
    assert path.stat().st_size < 2000
    with pytest.raises(lg.MemoryLimitError, match=r"rows.parquet: needs"):
        read_table(path, memory_limit=LIMIT)
    table = pa.table({"a": ["x", "y", None] * 10, "b": range(30)})
    for options in ({}, {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}}):
        parquet.write_table(table, path, row_group_size=7, **options)
        again = read_table(path, memory_limit=MIB)
        assert again.to_pydict() == table.to_pydict()
