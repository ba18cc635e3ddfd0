"""What commands print, in pieces that they share."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def aligned(rows: dict[str, str]) -> str:
    """Lines of a key and its text, the texts one below the other."""
    width = max(map(len, rows), default=0)
    return "\n".join(f"{key:<{width}}  {row}" for key, row in rows.items())


def unless_none(key: str, value: object) -> dict[str, object]:
    """An entry of a JSON object, left out if there is no value."""
    return {} if value is None else {key: value}


def print_notes(notes: Iterable[str]) -> None:
    """Say on stderr what a written file does not keep."""
    for note in notes:
        print(f"liftgraph: note: {note}", file=sys.stderr)
