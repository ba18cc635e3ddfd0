"""Tables in files, as DuckDB reads them: Parquet, folders of Parquet files, and CSV.

Columns are called by their place, c0, c1, … So no name in a file can confuse SQL, which does not
tell capital letters apart.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from liftgraph.data.table_files import SUFFIXES
from liftgraph.data.templates.on_disk.engine import asked, create, first_row, literal
from liftgraph.data.templates.on_disk.sources import Source
from liftgraph.errors import InputError, reason
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import open_regular
from liftgraph.io.parquet.pages import opened
from liftgraph.model.memory_limit import MEMORY_LIMIT

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

_PARQUET = ".parquet"
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_GAPS_ONLY = '"NULL"'  # the type of a Parquet column that has no value
_AS_TEXT = ("VARCHAR", "BOOLEAN", "UBIGINT", "HUGEINT", "UHUGEINT", "DATE", "UUID", _GAPS_ONLY)
_EXACT_BELOW = {"FLOAT": 2**24, "DOUBLE": 2**53}  # larger integers are rounded in floats
_CSV = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = ''"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table in a file. ``names``: its columns; ``rows``: SQL that stands for it, after FROM."""

    where: str
    names: tuple[str, ...]
    rows: str


def is_path(table: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a table is given by the path of its file."""
    return isinstance(table, str | os.PathLike)


def table_file(where: str, path: str | os.PathLike[str]) -> TableFile:
    """The table in a file or a folder of files. ``where``: what it is, for error messages."""
    file = Path(os.fspath(path))
    place = f"{where}: {path}"
    with _reading(place):
        if not file.exists():
            raise InputError(f"{place}: expected a Parquet or CSV file, got nothing")
        for part in _parts(place, file):
            with open_regular(part, place):  # no pipe, which can be read only once, or never
                pass
        if file.name.endswith(SUFFIXES):
            names, rows = _csv_header(place, file), _csv_rows
        else:
            names, rows = _parquet_names(place, _parts(place, file)), _parquet_rows
        columns = [f"c{index}" for index in range(len(names))]
        return TableFile(place, names, f"{rows(file, columns)} AS f({', '.join(columns)})")


@contextmanager
def _reading(place: str) -> Iterator[None]:
    """Turns what goes wrong while a file is read into errors that name it."""
    import duckdb
    from pyarrow import ArrowException

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except (duckdb.Error, ArrowException, UnicodeError, csv.Error) as error:
        problem = " ".join(str(error).split())
        raise InputError(f"{place}: expected Parquet or CSV, got {problem}") from None
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {reason(error)}") from None


def _parts(place: str, path: Path) -> list[Path]:
    """The Parquet files of a folder, in the order of their names; or the file itself."""
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if file.name.endswith(_PARQUET)]
    visible = sorted(file for file in files if not file.name.startswith((".", "_")))
    if not visible:
        raise InputError(f"{place}: expected Parquet files in a folder, got none")
    return visible


def _parquet_names(place: str, files: Sequence[Path]) -> tuple[str, ...]:
    with opened(files[0], Allowance(place, MEMORY_LIMIT), place) as source:
        names = tuple(source.file.schema_arrow.names)
    if not names:
        raise InputError(f"{place}: expected columns, got none")
    return names


def _parquet_rows(path: Path, columns: Sequence[str]) -> str:
    listed = ", ".join(map(exact_path, _parts(str(path), path)))
    return f"read_parquet([{listed}], hive_partitioning = false)"


def _csv_header(place: str, path: Path) -> tuple[str, ...]:
    opening: Any = gzip.open if path.suffix == ".gz" else open
    with opening(path, "rt", encoding="utf-8-sig", newline="") as stream:
        names = next((cells for cells in csv.reader(stream, strict=True) if cells), [])
    if not names or "" in names or len(set(names)) < len(names):
        came = shortened(", ".join(names) or "none")
        raise InputError(f"{place}: expected different names for columns, got {came}")
    return tuple(names)


def _csv_rows(path: Path, columns: Sequence[str]) -> str:
    """The rows of a CSV file; those of a single column without empty lines."""
    types = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    rows = f"read_csv([{exact_path(path)}], columns = {{{types}}}, {_CSV})"
    return rows if len(columns) > 1 else f"(SELECT c0 FROM {rows} WHERE c0 IS NOT NULL)"


def exact_path(path: Path) -> str:
    """A path in SQL, without patterns: each special letter is a set of one."""
    letters = (f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))
    return literal("".join(letters))


def staged_file(engine: Engine, table: str, file: TableFile, columns: Sequence[str]) -> Source:
    """Make a table of the names in some columns of a file, in the order of its rows."""
    places = [_place(file, name) for name in columns]
    with _reading(file.where):
        kinds = [str(row[1]) for row in asked(engine, f"DESCRIBE SELECT * FROM {file.rows}")]
        named = [_named(file, columns[k], place, kinds[place]) for k, place in enumerate(places)]
        for name, place in zip(columns, places, strict=True):
            _check_integers(engine, file, name, f"c{place}", kinds[place])
        selected = ", ".join(f"{sql} AS c{k}" for k, (sql, _) in enumerate(named))
        create(engine, table, f"SELECT {selected} FROM {file.rows}")
    return Source(file.where, table, tuple(columns), tuple(integers for _, integers in named))


def _place(file: TableFile, name: str) -> int:
    if name not in file.names:
        came = shortened(", ".join(file.names))
        raise InputError(f"{file.where}: expected a column {name}, got {came}")
    return file.names.index(name)


def _named(file: TableFile, name: str, place: int, kind: str) -> tuple[str, bool]:
    """SQL for the names in a column of some type; and whether they are integers, not text."""
    column = f"c{place}"
    if kind in _INTEGERS:
        return f"CAST({column} AS BIGINT)", True
    if kind in _AS_TEXT:
        return f"CAST({column} AS VARCHAR)", False
    if kind in _EXACT_BELOW:
        return f"CASE WHEN NOT isnan({column}) THEN CAST({column} AS BIGINT) END", True
    if kind.startswith("DECIMAL"):
        return f"CAST(CAST({column} AS HUGEINT) AS VARCHAR)", False
    raise InputError(f"{file.where}, column {name}: expected names or integers, got {kind}")


def _check_integers(engine: Engine, file: TableFile, name: str, column: str, kind: str) -> None:
    """Refuse numbers with a fraction, and floats that may have been rounded."""
    conditions = [f"{column} <> trunc({column})"]
    if kind in _EXACT_BELOW:
        conditions = [f"abs({column}) >= {_EXACT_BELOW[kind]}", *conditions]
    elif not kind.startswith("DECIMAL"):
        return
    present = f"{column} IS NOT NULL AND NOT isnan(CAST({column} AS DOUBLE))"
    wrong = f"{present} AND ({' OR '.join(conditions)})"
    row = first_row(engine, f"SELECT {column} FROM {file.rows} WHERE {wrong} LIMIT 1")
    if row is not None:
        problem = f"expected names or integers, got {row[0]} of type {kind}"
        raise InputError(f"{file.where}, column {name}: {problem}")
