"""Tables in files: CSV, compressed or not, and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from liftgraph.data.csv_tables import read_csv
from liftgraph.errors import InputError, ParseError
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.pages import opened, row_groups
from liftgraph.io.writing import write_bytes
from liftgraph.model.memory_limit import MEMORY_LIMIT

SUFFIXES = (".csv", ".csv.gz")
_PARQUET = ".parquet"
_WRITTEN = (*SUFFIXES, ".json", ".json.gz", _PARQUET)
_SPELT_COST = 3  # of a letter of text, were it spelt out in every row
_CELL_COST = 24  # of a cell, which may be a few bits in the file


def read_table(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> Any:
    """The table in a file: a mapping of columns from CSV, an Arrow table from Parquet."""
    if not str(path).endswith(_PARQUET):
        return read_csv(path, memory_limit=memory_limit)
    if find_spec("pyarrow") is None:
        raise InputError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow")
    return _read_parquet(Path(path), Allowance(str(path), memory_limit))


def _read_parquet(path: Path, allowance: Allowance) -> Any:
    """Text is kept as a dictionary: a small file may have the same long text in every row."""
    import pyarrow as pa
    from pyarrow import compute

    batches = []
    with opened(path, allowance) as source:
        missing = source.file.metadata.num_rows
        for batch in row_groups(source, allowance, None):
            missing -= len(batch)
            columns = [c.dictionary_encode() if _is_text(c.type) else c for c in batch.columns]
            allowance.take(_CELL_COST * batch.num_rows * batch.num_columns, "its cells")
            for column in columns:
                if pa.types.is_dictionary(column.type):
                    lengths = compute.binary_length(column.dictionary).take(column.indices)
                    spelt = compute.sum(lengths).as_py() or 0
                    allowance.take(_SPELT_COST * spelt, f"its text has {spelt:,} bytes or more")
            batches.append(pa.RecordBatch.from_arrays(columns, names=batch.schema.names))
        if missing:  # Arrow takes some damaged pages for empty ones
            raise ParseError(str(path), None, f"expected {missing:,} more rows")
        return pa.Table.from_batches(batches) if batches else source.file.schema_arrow.empty_table()


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_binary(kind))


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
