"""What commands print, in pieces that they share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

from liftgraph.errors import one_line, printable


def show(text: object, *, end: str = "\n", file: TextIO | None = None) -> None:
    """Print text: names come from files of strangers, and must not steer the terminal.

    >>> show("a name\\x1b[2J")
    a name\\x1b[2J
    """
    lines = map(printable, str(text).split("\n"))
    print("\n".join(lines), end=end, file=file, flush=True)


def aligned(rows: Mapping[str, str]) -> str:
    """Lines of a key and its text, the texts one below the other, each in one line."""
    lines = [(printable(key), printable(row)) for key, row in rows.items()]
    width = max((len(key) for key, _ in lines), default=0)
    return "\n".join(f"{key:<{width}}  {row}" for key, row in lines)


def unless_none(key: str, value: object) -> dict[str, object]:
    """An entry of a JSON object, left out if there is no value."""
    return {} if value is None else {key: value}


def print_notes(notes: Iterable[str]) -> None:
    """Say on stderr what a written file does not keep."""
    for note in notes:
        print(f"liftgraph: {one_line(f'note: {note}')}", file=sys.stderr)
