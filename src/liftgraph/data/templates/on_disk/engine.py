"""DuckDB: opened on a folder of its own, asked in SQL, interrupted when the user interrupts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from liftgraph.display import format_bytes
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.io.parquet.layout import GENERATION

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

Result = TypeVar("Result")
Row = tuple[Any, ...]
_THREAD_BYTES = 1 << 27  # of memory for each thread, which DuckDB's documentation recommends
_PATIENCE = 0.1  # seconds until DuckDB is interrupted again


def check_installed(path: Path | str) -> None:
    """Refuse to write a path if a library that this needs is missing."""
    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        needed = "pip install 'liftgraph[duckdb]'"
        raise InputError(f"{path}: graphs written from tables need duckdb and pyarrow: {needed}")


@contextmanager
def opened(folder: Path, path: Path | str, memory_limit: int) -> Iterator[Engine]:
    """DuckDB with its files in a new folder, which is removed at the end.

    ``path``: what errors name.
    """
    import duckdb

    try:
        folder.mkdir()
        with duckdb.connect(
            str(folder / "tables"), config=_options(folder, memory_limit)
        ) as engine:
            engine.execute("SET enable_progress_bar = false")
            yield engine
    except duckdb.OutOfMemoryException as error:
        limit = f"needs more memory, the limit is {format_bytes(memory_limit)}"
        raise MemoryLimitError(f"{path}: {limit}: {_first_line(error)}") from None
    except duckdb.IOException as error:
        raise InputError(f"{path}: cannot be written: {_first_line(error)}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _options(folder: Path, memory_limit: int) -> dict[str, Any]:
    return {
        "memory_limit": f"{memory_limit}B",
        "temp_directory": str(folder / "spilt"),
        "threads": max(min(os.cpu_count() or 1, memory_limit // _THREAD_BYTES), 1),
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")


def asked(engine: Engine, sql: str) -> list[Row]:
    """The rows of a query. Precondition: they are few."""
    rows: list[Row] = _working(engine, lambda: engine.execute(sql).fetchall())
    return rows


def first_row(engine: Engine, sql: str) -> Row | None:
    """The first row of a query, if there is one. Precondition: there are few."""
    return next(iter(asked(engine, sql)), None)


def _working(engine: Engine, work: Callable[[], Result]) -> Result:
    """What ``work`` returns: it runs beside the main thread, as DuckDB does not notice Ctrl-C."""
    with ThreadPoolExecutor(1) as threads:
        result = threads.submit(work)
        try:
            return result.result()
        except KeyboardInterrupt:
            while not result.done():  # an interrupt between two steps of DuckDB is lost
                engine.interrupt()
                wait([result], _PATIENCE)
            raise


def create(engine: Engine, table: str, select: str) -> int:
    """Make a table of the rows of a query, in their order; how many there are.

    Its ``rowid`` numbers them from 0 on. Precondition: the table is not there yet.
    """
    made = asked(engine, f"CREATE TABLE {table} AS {select}")
    return int(made[0][0])


def create_from_arrow(engine: Engine, table: str, columns: Mapping[str, Any]) -> int:
    """Make a table of Arrow arrays; how many rows there are."""
    import pyarrow as pa

    engine.register("arrow_table", pa.table(dict(columns)))
    try:
        return create(engine, table, "SELECT * FROM arrow_table")
    finally:
        engine.unregister("arrow_table")


def copy(engine: Engine, select: str, path: Path, row_group: int, generation: str) -> int:
    """Write the rows of a query into a Parquet file, in any order; how many there are.

    Integers are stored as differences, which take few bits where they increase. ``generation``: of
    the folder that the file is in.
    """
    options = f"FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE {row_group}"
    options += f", KV_METADATA {{{literal(GENERATION.decode())}: {literal(generation)}}}"
    engine.execute("SET preserve_insertion_order = false")
    copied = asked(engine, f"COPY ({select}) TO {literal(str(path))} ({options})")
    engine.execute("SET preserve_insertion_order = true")
    return int(copied[0][0])


def literal(text: str) -> str:
    """Text in SQL."""
    return "'" + text.replace("'", "''") + "'"
