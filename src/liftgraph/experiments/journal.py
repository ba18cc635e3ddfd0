"""What was measured so far, kept cell by cell, so that nothing is lost or measured twice.

A journal is a file of JSON lines. The first says what makes measurements comparable: the study, its
settings, versions, the machine. Then comes a line per cell, written at once when it is complete. An
interrupted run loses at most the cell in progress.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from liftgraph.errors import InputError, ParseError
from liftgraph.experiments.study import Cell, Row
from liftgraph.io.locks import lock
from liftgraph.io.writing import sync_folder

Header = dict[str, Any]
_CELL = b'{"cell": '


class Journal:
    """An open journal: the cells it has, and a place for more."""

    def __init__(self, stream: IO[bytes], cells: dict[Cell, list[Row]]) -> None:
        self._stream = stream
        self.cells = cells

    def add(self, cell: Cell, rows: list[Row]) -> None:
        """Keep a cell: when this returns, it is on the disk."""
        _append(self._stream, _line({"cell": cell, "rows": rows}))
        self.cells[cell] = rows


@contextmanager
def opened(path: Path, header: Header, columns: Sequence[str]) -> Iterator[Journal]:
    """The journal in a file, which may be new. One with another header is refused.

    ``columns``: those of every row; the first ones hold the values of its cell.
    """
    with path.open("a+b") as stream:
        if lock(stream.fileno()) is False:
            raise InputError(f"{path} is being written by another run")
        stream.seek(0)
        lines = stream.read().splitlines(keepends=True)
        torn = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        _check_torn(path, torn, len(lines), header)
        if lines:
            _check_header(path, _parsed(path, 1, lines[0]), header)
        cells = dict(_cells(path, lines[1:], columns))
        stream.truncate(sum(map(len, lines)))
        if not lines:
            _append(stream, _line(header))
            sync_folder(path.parent)
        yield Journal(stream, cells)


def _line(content: object) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _append(stream: IO[bytes], line: bytes) -> None:
    stream.write(line)
    stream.flush()
    os.fsync(stream.fileno())


def _check_torn(path: Path, torn: bytes, before: int, header: Header) -> None:
    """Refuse an incomplete last line, unless it is the beginning of the expected one."""
    begun = _CELL if before else _line(header)
    if not begun.startswith(torn[: len(begun)]):
        raise ParseError(str(path), before + 1, "expected a line of a journal")


def _cells(
    path: Path, lines: list[bytes], columns: Sequence[str]
) -> Iterator[tuple[Cell, list[Row]]]:
    for line_number, line in enumerate(lines, start=2):
        match _parsed(path, line_number, line):
            case {"cell": [*cell], "rows": [_, *_] as rows} if _belong(rows, cell, columns):
                yield tuple(cell), rows
            case _:
                raise ParseError(str(path), line_number, "expected a cell and its rows")


def _belong(rows: list[Any], cell: list[Any], columns: Sequence[str]) -> bool:
    """Whether these are rows with all columns, and of this cell."""
    return all(
        isinstance(row, dict)
        and set(row) == set(columns)
        and [row[column] for column in columns[: len(cell)]] == cell
        and not any(isinstance(value, list | dict) for value in row.values())
        for row in rows
    )


def _parsed(path: Path, line_number: int, line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ParseError(str(path), line_number, "expected a line of JSON") from None


def _check_header(path: Path, earlier: Any, header: Header) -> None:
    """Refuse another header: times of different machines, versions or settings do not mix."""
    expected = json.loads(_line(header))
    if not isinstance(earlier, dict):
        raise ParseError(str(path), 1, "expected the study and its settings")
    for key in {**earlier, **expected}:
        if earlier.get(key) != expected.get(key):
            problem = f"has {key} {earlier.get(key)!r}, this run {expected.get(key)!r}"
            raise InputError(f"{path} {problem}; choose another folder or remove it")
