"""Colours in the terminal: few, and none where text goes into a file or a pipe.

``NO_COLOR`` in the environment turns them off, ``FORCE_COLOR`` turns them on everywhere; the first
one wins. Both count if they are not empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TextIO

HEADING, BAR, ERROR, NOTE = "1", "36", "1;31", "33"  # bold, cyan, bold red, yellow
_BARS = re.compile("[█▉▊▋▌▍▎▏]+")
_KEY = re.compile(r"\S+(?: \S+)*(?=  )")  # of a table: its text comes after two blanks


def has_colours(stream: TextIO) -> bool:
    """Whether text on a stream is coloured."""
    if os.environ.get("NO_COLOR"):
        return False
    modern = os.name != "nt" or "WT_SESSION" in os.environ  # older consoles print the codes
    return bool(os.environ.get("FORCE_COLOR")) or (modern and is_terminal(stream))


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal that does more than print letters."""
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def painted(text: str, style: str) -> str:
    """Text in a style, and back to the usual one.

    >>> painted("error", ERROR)
    '\\x1b[1;31merror\\x1b[0m'
    """
    return f"\x1b[{style}m{text}\x1b[0m"


def decorated(lines: Sequence[str]) -> list[str]:
    """Lines of tables and answers: headings and keys in bold, bars in colour.

    A heading stands at the margin, and ends with a colon or has an indented line below it.

    >>> decorated(["P(Sick)", "  true   0.75"]), decorated(["variables  9"])
    (['\\x1b[1mP(Sick)\\x1b[0m', '  true   0.75'], ['\\x1b[1mvariables\\x1b[0m  9'])
    """
    return [_decorated(*pair) for pair in zip(lines, [*lines[1:], ""], strict=True)]


def _decorated(line: str, below: str) -> str:
    if line.startswith(" "):
        return _BARS.sub(lambda bar: painted(bar[0], BAR), line)
    key = _KEY.match(line)
    if key is not None:
        return painted(key[0], HEADING) + line[key.end() :]
    is_heading = line and (line.endswith(":") or below.startswith(" "))
    return painted(line, HEADING) if is_heading else line
