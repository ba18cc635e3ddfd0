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
from msgspec import UNSET

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import rational
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.tables import potential_entry, potential_of
from liftgraph.io.parquet.layout import TABLES, Generation
from liftgraph.io.parquet.pages import BATCH
from liftgraph.io.parquet.rows import rows, text_bytes, value_count
from liftgraph.io.spelling import Spelling
from liftgraph.model.ground.table import Potential

_CELL_COST = 200  # of a value or a number in a list: a Python object, and its text


class _Addend(msgspec.Struct):
    """Arguments in a row that add the same to a sum, by state."""

    adds: list[int]
    arguments: int


class _Row(msgspec.Struct):
    """A potential as in a ``TableEntry``; columns that a file does not have are None."""

    values: list[Any] | None = None
    shape: list[int] | None = None
    measured: bool | None = None
    addends: list[_Addend] | None = None
    causes: list[_Row] | None = None
    ranks: list[int] | None = None


def read_potentials(
    folder: Path | str, allowance: Allowance, generation: Generation = UNSET
) -> tuple[Potential, ...]:
    """The potentials of a graph on disk, by their index."""
    path = TABLES.in_folder(folder)
    potentials: dict[int, Potential] = {}
    for (indices,), columns in rows(folder, TABLES, allowance, generation):
        listed = _listed(columns, allowance)
        for place, index in enumerate(indices.tolist()):
            if index in potentials:
                raise ParseError(str(path), None, f"expected table {index} once, got it twice")
            try:
                cells = {name: column[place] for name, column in listed.items()}
                entry = _entry(msgspec.convert(cells, _Row))
                potentials[index] = potential_of(entry, f"table {index}", allowance)
            except (InputError, msgspec.ValidationError) as error:
                raise ParseError(str(path), None, _located(index, error)) from None
    if potentials.keys() != set(range(len(potentials))):
        missing = min(set(range(len(potentials))) - potentials.keys())
        raise ParseError(str(path), None, f"expected tables from 0 on, got none for {missing}")
    return tuple(potentials[index] for index in range(len(potentials)))


def _located(index: int, error: Exception) -> str:
    """What is wrong with a table, which is named once."""
    problem = str(error).removesuffix(f" - at `table {index}`")
    return problem if problem.startswith("table ") else f"table {index}: {problem}"


def _listed(columns: list[Any], allowance: Allowance) -> dict[str, list[Any]]:
    """The cells of the columns that a batch has, by their names."""
    listed = {}
    for name, column in zip(TABLES.others, columns, strict=True):
        if column is not None:
            needed = _CELL_COST * value_count(column) + text_bytes(column)
            allowance.take(needed, "the values of its tables")
            listed[name] = column.to_pylist()
    return listed


def _entry(row: _Row) -> TableEntry:
    """The JSON entry of a row, whose values are text in JSON."""
    if row.values is None or any(value is None for value in row.values):
        raise InputError("expected values in a list, got none")
    is_measured = any(isinstance(value, float) for value in row.values)
    return TableEntry(
        row.shape or [],
        msgspec.Raw(msgspec.json.encode([_text(value) for value in row.values])),
        is_measured if row.measured is None else row.measured,
        [(added.adds, added.arguments) for added in row.addends or ()],
        [_entry(cause) for cause in row.causes or ()],
        row.ranks or [],
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
    values = msgspec.json.decode(entry.values, type=list[msgspec.Raw])
    row["values"] = [bytes(value).decode().strip('"') for value in values]
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
