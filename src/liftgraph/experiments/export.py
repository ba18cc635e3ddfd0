"""Rows as tidy tables: CSV always, Parquet if pyarrow is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.experiments.study import Rows
from liftgraph.io.writing import write_bytes


def write_csv(rows: Rows, columns: Sequence[str], path: Path) -> None:
    """A line per row; floats have all their digits, and cells without a value are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode())


def check_parquet() -> None:
    """Refuse before anything is measured if Parquet could not be written."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError("Parquet needs pyarrow: pip install 'liftgraph[parquet]'") from None


def write_parquet(rows: Rows, columns: Sequence[str], path: Path) -> None:
    """The same as a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({column: [row[column] for row in rows] for column in columns})
    content = io.BytesIO()
    parquet.write_table(table, content)
    write_bytes(path, content.getvalue())
