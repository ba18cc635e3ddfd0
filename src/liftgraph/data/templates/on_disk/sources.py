"""Tables inside DuckDB, wherever they come from: columns c0, c1, … of names, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liftgraph.data.columns import Column
from liftgraph.data.templates.on_disk.engine import create_from_arrow, first_row
from liftgraph.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine


@dataclass(frozen=True, slots=True)
class Source:
    """A table with columns c0, c1, … of names. ``where``: what it is, for error messages.

    ``names``: what the columns were called; ``integers``: whether they are integers, not text.
    """

    where: str
    table: str
    names: tuple[str, ...]
    integers: tuple[bool, ...]


def staged_columns(engine: Engine, table: str, where: str, columns: Sequence[Column]) -> Source:
    """Make a table of columns in memory."""
    arrays = {f"c{place}": _array(column) for place, column in enumerate(columns)}
    create_from_arrow(engine, table, arrays)
    return Source(where, table, tuple(arrays), (False,) * len(arrays))


def _array(column: Column) -> Any:
    """A column of text as an Arrow array."""
    import pyarrow as pa

    codes = pa.array(column.codes, mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(column.values, pa.large_string()))


def check_names(engine: Engine, source: Source, needed: int) -> None:
    """Refuse empty names, and missing ones in the first columns, of which so many are needed."""
    for place, name in enumerate(source.names):
        column = f"c{place}"
        empty = "false" if source.integers[place] else f"{column} = ''"
        missing = f"{column} IS NULL" if place < needed else "false"
        select = f"SELECT min(rowid) FILTER ({missing}), min(rowid) FILTER ({empty})"
        row = first_row(engine, f"{select} FROM {source.table}") or (None, None)
        if row[0] is not None:
            problem = f"expected a value in {name}, got none"
            raise InputError(f"{source.where}, row {row[0]}: {problem}")
        if row[1] is not None:
            problem = f"expected a name in {name}, got ''"
            raise InputError(f"{source.where}, row {row[1]}: {problem}")


def key(source: Source, place: int, integers: bool) -> str:
    """SQL for a column of a source ``s``: as integers, or as text.

    Precondition: a column of text is not asked for integers.
    """
    column = f"s.c{place}"
    return f"CAST({column} AS VARCHAR)" if source.integers[place] and not integers else column
