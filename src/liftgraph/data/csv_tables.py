"""Tables in CSV files: the first line names the columns, and an empty cell is a missing value."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from liftgraph.display import counted
from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_text
from liftgraph.model.memory_limit import MEMORY_LIMIT

_BYTE_COST = 6
_CELL_COST = 90  # of a cell, apart from its letters


def read_csv(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> dict[str, list[str | None]]:
    """The columns of a CSV file (or .csv.gz) in UTF-8, as text; numbers stay as they are written.

    Cells are separated by commas, and quoted by double quotes where needed. Empty lines are
    skipped.
    """
    lines = csv_lines(path, memory_limit)
    columns: dict[str, list[str | None]] = {name: [] for name in next(lines)[1]}
    for _, cells in lines:
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell or None)
    return columns


def csv_lines(path: Path | str, memory_limit: int) -> Iterator[tuple[int, list[str]]]:
    """The names of the columns, then the cells of each row, each with its line in the file.

    There is always a first line, and all have as many cells.
    """
    allowance = Allowance(str(path), memory_limit)
    text = read_text(path, allowance, _BYTE_COST)
    cell_count = 1 + sum(map(text.count, ",\n\r"))
    allowance.take(_CELL_COST * cell_count, f"it has {cell_count:,} cells")
    lines = csv.reader(StringIO(text, newline=""), strict=True)
    width: int | None = None
    try:
        for cells in lines:
            if width is None:
                width = len(_header(path, cells))
            elif cells and len(cells) != width:
                problem = f"expected {counted(width, 'value')}, got {len(cells)}"
                raise ParseError(str(path), lines.line_num, problem)
            if cells:
                yield lines.line_num, cells
    except csv.Error as error:
        raise ParseError(str(path), lines.line_num, f"expected CSV, got {error}") from None
    if width is None:
        raise ParseError(str(path), 1, "expected the names of columns, got an empty file")


def _header(path: Path | str, cells: list[str]) -> list[str]:
    if "" in cells:
        problem = f"expected a name for column {cells.index('') + 1}, got none"
        hint = "pandas writes its index there; use to_csv(index=False)"
        raise ParseError(str(path), 1, f"{problem} ({hint})")
    if len(set(cells)) < len(cells) or not cells:
        problem = f"expected different names for columns, got {shortened(', '.join(cells))}"
        raise ParseError(str(path), 1, problem)
    return cells
