"""Tables in files: CSV, compressed or not, and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from liftgraph.data.csv_tables import read_csv
from liftgraph.errors import InputError, ParseError, reason
from liftgraph.io.allowance import Allowance
from liftgraph.io.writing import write_bytes
from liftgraph.model.memory_limit import MEMORY_LIMIT

SUFFIXES = (".csv", ".csv.gz")
_PARQUET = ".parquet"
_WRITTEN = (*SUFFIXES, ".json", ".json.gz", _PARQUET)
_UNPACKED_COST = 4  # of a byte of unpacked columns: they are read, and then coded
_SPELT_COST = 3  # of a letter of text, were it spelt out in every row
_CELL_COST = 24  # of a cell, which may be a few bits in the file


def read_table(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> Any:
    """The table in a file: a mapping of columns from CSV, an Arrow table from Parquet."""
    if not str(path).endswith(_PARQUET):
        return read_csv(path, memory_limit=memory_limit)
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise InputError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow") from None
    try:
        return _read_parquet(path, Allowance(str(path), memory_limit))
    except ArrowException as error:
        raise ParseError(str(path), None, f"expected Parquet, got {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {reason(error)}") from None


def _read_parquet(path: Path | str, allowance: Allowance) -> Any:
    """Text is kept as a dictionary: a small file may have the same long text in every row."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    with parquet.ParquetFile(path) as file:
        shape, names = file.metadata, file.schema_arrow.names
        unpacked = sum([shape.row_group(n).total_byte_size for n in range(shape.num_row_groups)])
        cells = shape.num_rows * shape.num_columns
        needed = _UNPACKED_COST * unpacked + _CELL_COST * cells
        allowance.take(needed, f"it has {cells:,} cells")
    table = parquet.read_table(path, read_dictionary=names)
    for column in table.itercolumns():
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
            spelt = compute.sum(lengths).as_py() or 0
            allowance.take(_SPELT_COST * spelt, f"its text has {spelt:,} bytes or more")
    return table


def check_csv_name(path: Path | str) -> None:
    """Refuse the name of a file to write that does not say CSV."""
    if not str(path).endswith(SUFFIXES):
        raise InputError(f"{path}: expected a name that ends in {' or '.join(SUFFIXES)}")


def write_csv(columns: Mapping[str, list[Any]], path: Path | str) -> None:
    """Write columns to a CSV file, compressed if its name ends in .gz; None is an empty cell."""
    check_csv_name(path)
    write_bytes(path, csv_text(columns).encode())


def check_table_name(path: Path | str) -> None:
    """Refuse the name of a table to write that tells no format."""
    if not str(path).endswith(_WRITTEN):
        raise InputError(f"{path}: expected a name that ends in {', '.join(_WRITTEN)}")


def write_table(columns: Mapping[str, list[Any]], path: Path | str) -> None:
    """Write columns to a file: as CSV, as JSON (a list of rows), or as Parquet."""
    check_table_name(path)
    if str(path).endswith(_PARQUET):
        write_bytes(path, _parquet_bytes(columns, path))
    elif str(path).endswith(SUFFIXES):
        write_csv(columns, path)
    else:
        write_bytes(path, json.dumps(rows_of(columns)).encode())


def rows_of(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """The rows of a table, from its columns.

    >>> rows_of({"A": ["yes", "no"], "B": [1, 2]})
    [{'A': 'yes', 'B': 1}, {'A': 'no', 'B': 2}]
    """
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _parquet_bytes(columns: Mapping[str, list[Any]], path: Path | str) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise InputError(f"{path}: writing Parquet needs pyarrow: pip install pyarrow") from None
    content = pa.BufferOutputStream()
    parquet.write_table(pa.table(dict(columns)), content)
    return bytes(content.getvalue())


def csv_text(columns: Mapping[str, list[Any]]) -> str:
    """Columns as CSV: their names, then the rows; floats with all of their digits.

    >>> print(csv_text({"Sick": ["true", None], "P(Sick=true)": [0.75, None]}), end="")
    Sick,P(Sick=true)
    true,0.75
    ,
    """
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
