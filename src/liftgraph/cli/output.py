"""What commands print, in pieces that they share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from liftgraph.cli.colours import NOTE, decorated, has_colours, painted
from liftgraph.errors import one_line, printable


def show(text: object, *, end: str = "\n", file: TextIO | None = None) -> None:
    """Print text: names come from files of strangers, and must not steer the terminal.

    >>> show("a name\\x1b[2J")
    a name\\x1b[2J
    """
    lines = map(printable, str(text).split("\n"))
    print("\n".join(lines), end=end, file=file, flush=True)


def show_table(text: object, *, file: TextIO | None = None) -> None:
    """Print text for people: like ``show``, with colours on a terminal."""
    stream = sys.stdout if file is None else file
    if not has_colours(stream):
        return show(text, file=file)
    lines = [*map(printable, str(text).split("\n"))]
    return print("\n".join(decorated(lines)), file=file, flush=True)


def show_problem(text: str, style: str) -> None:
    """Print a line about this command on stderr, its beginning in a style on a terminal."""
    name = "liftgraph:"
    begun = painted(name, style) if has_colours(sys.stderr) else name
    print(f"{begun} {one_line(text)}", file=sys.stderr, flush=True)


def aligned(rows: Mapping[str, str]) -> str:
    """Lines of a key and its text, the texts one below the other, each in one line."""
    lines = [(printable(key), printable(row)) for key, row in rows.items()]
    width = max((len(key) for key, _ in lines), default=0)
    return "\n".join(f"{key:<{width}}  {row}" for key, row in lines)


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Lines of as many texts each, one below the other."""
    lines = [[*map(printable, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def unless_none(key: str, value: object) -> dict[str, object]:
    """An entry of a JSON object, left out if there is no value."""
    return {} if value is None else {key: value}


def print_notes(notes: Iterable[str]) -> None:
    """Say on stderr what a written file does not keep, or what was wrong in one that was read."""
    for note in notes:
        show_problem(f"note: {note}", NOTE)
