"""Potentials as rows of a table: exactly, as text, and never expanded.

``shape`` and ``values`` are all that a table needs, its last argument changing fastest. Values are
text (``0.3``, ``1/3``), integers, or floats, which are measured. Count factors and noisy-MAX have
further columns, as in JSON files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import rational
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.tables import potential_entry, potential_of
from liftgraph.io.parquet.layout import TABLES
from liftgraph.io.parquet.rows import BATCH, rows
from liftgraph.io.spelling import Spelling
from liftgraph.model.ground.table import Potential

_COLUMNS = ("shape", "values", "measured", "addends", "causes", "ranks")
_CELL_COST = 200  # of a value or a number in a list: a Python object, and its text


def read_potentials(folder: Path | str, allowance: Allowance) -> tuple[Potential, ...]:
    """The potentials of a graph on disk, by their index."""
    path = TABLES.in_folder(folder)
    potentials: dict[int, Potential] = {}
    for (indices,), columns in rows(folder, TABLES, allowance, _COLUMNS):
        for index, row in zip(indices.tolist(), _rows(columns, allowance), strict=True):
            if index in potentials:
                raise ParseError(str(path), None, f"expected table {index} once, got it twice")
            try:
                potentials[index] = potential_of(_entry(row), f"table {index}", allowance)
            except (InputError, msgspec.ValidationError) as error:
                raise ParseError(str(path), None, _located(index, error)) from None
    if potentials.keys() != set(range(len(potentials))):
        missing = min(set(range(len(potentials))) - potentials.keys())
        raise ParseError(str(path), None, f"expected tables from 0 on, got none for {missing}")
    return tuple(potentials[index] for index in range(len(potentials)))


def _located(index: int, error: Exception) -> str:
    problem = str(error)
    return problem if problem.startswith("table ") else f"table {index}: {problem}"


def _rows(columns: list[Any], allowance: Allowance) -> Iterator[dict[str, Any]]:
    """The rows of a batch as dictionaries, without what is missing."""
    present = [(name, column) for name, column in zip(_COLUMNS, columns, strict=True) if column]
    for _, column in present:
        allowance.take(_CELL_COST * _cells(column), "the values of its tables")
    lists = [column.to_pylist() for _, column in present]
    if not present:
        raise InputError("expected columns shape and values, got neither")
    for cells in zip(*lists, strict=True):
        listed = zip(present, cells, strict=True)
        yield {name: cell for (name, _), cell in listed if cell is not None}


def _cells(column: Any) -> int:
    """How many values there are in a column, in lists of lists, too."""
    import pyarrow as pa

    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return len(column) + _cells(column.flatten())
    if pa.types.is_struct(column.type):
        return sum(map(_cells, column.flatten()))
    return len(column)


def _entry(row: dict[str, Any]) -> TableEntry:
    """The JSON entry of a row, whose values are text in JSON."""
    values = row.get("values")
    if not isinstance(values, list) or any(value is None for value in values):
        raise InputError("expected values in a list, got none")
    fields = {
        "shape": row.get("shape", []),
        "values": [],
        "measured": row.get("measured", any(isinstance(value, float) for value in values)),
        "addends": [(added["adds"], added["arguments"]) for added in row.get("addends", ())],
        "ranks": row.get("ranks", []),
    }
    return msgspec.structs.replace(
        msgspec.convert(fields, TableEntry),
        values=[msgspec.Raw(msgspec.json.encode(_text(value))) for value in values],
        causes=[_entry(cause) for cause in row.get("causes", ())],
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    exact = rational(value)
    return f"{exact.numerator}/{exact.denominator}"


def potential_batches(potentials: Sequence[Potential], spell: Spelling) -> Iterator[Any]:
    """The rows of potentials as Arrow tables."""
    import pyarrow as pa

    for first in range(0, max(len(potentials), 1), BATCH):
        some = potentials[first : first + BATCH]
        listed = [_row(potential_entry(potential, spell)) for potential in some]
        numbered = [{"table": first + place, **row} for place, row in enumerate(listed)]
        yield pa.Table.from_pylist(numbered, schema=_schema())


def _row(entry: TableEntry) -> dict[str, Any]:
    """The row of an entry, which has only what is needed."""
    row: dict[str, Any] = msgspec.structs.asdict(entry)
    row["values"] = [bytes(value).decode().strip('"') for value in entry.values]
    row["addends"] = [{"adds": adds, "arguments": count} for adds, count in entry.addends]
    row["causes"] = [_row(cause) for cause in entry.causes]
    return {name: cell for name, cell in row.items() if cell != []}


def _schema() -> Any:
    """The columns of potentials, as this library writes them."""
    import pyarrow as pa

    numbers, text = pa.list_(pa.int64()), pa.list_(pa.string())
    table = [("shape", numbers), ("values", text), ("measured", pa.bool_())]
    addends = pa.list_(pa.struct([("adds", numbers), ("arguments", pa.int64())]))
    more = [("addends", addends), ("causes", pa.list_(pa.struct(table))), ("ranks", numbers)]
    return pa.schema([("table", pa.int32()), *table, *more])
