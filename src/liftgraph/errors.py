"""Every error liftgraph raises on purpose, in one small family, and how messages are shown.

Messages quote what came: names, numerals, file names. These may be long, or hold line breaks,
escape sequences of terminals, and bytes that are no text. ``str(error)`` is one line of at most
``LONGEST`` characters nevertheless; ``error.args`` has all of it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

E = TypeVar("E", bound=BaseException)
F = TypeVar("F", bound=Callable[..., Any])
LONGEST = 288  # characters of a message; with the name of the command before it, 299
_LONGEST_PATH = 120


def one_line(text: str, longest: int = LONGEST) -> str:
    """Text in one line: what cannot be printed is escaped, and a long text lacks its middle.

    >>> one_line("two\\nlines, \\x1b[31mred"), one_line("0123456789", longest=5)
    ('two\\\\nlines, \\\\x1b[31mred', '01…89')
    """
    start, end = printable(text[:longest]), printable(text[-longest:])
    if max(len(text), len(start)) <= longest:
        return start
    return start[: longest // 2] + "…" + end[len(end) - (longest - 1) // 2 :]


def printable(text: str) -> str:
    """Text in which line breaks, escape sequences and the like are spelt out."""
    if text.isprintable():
        return text
    letters = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(letters)


def quoted(value: object) -> str:
    """A value as messages quote it. Python prints no integers of more than some thousand digits.

    >>> quoted("Sick.bob"), quoted((1, 2))
    ("'Sick.bob'", '(1, 2)')
    """
    try:
        return repr(value)
    except ValueError:
        return f"{type(value).__name__} with very many digits"


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, without the path: ``No space left on device``."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


class LiftgraphError(Exception):
    """The base of all errors raised by liftgraph."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class InputError(LiftgraphError, ValueError):
    """The input makes no sense: a malformed file, an unknown name, a table which does not fit."""


class ParseError(InputError):
    """A file cannot be read. The message says where (line and column, if known), what was
    expected and what was found.

    >>> str(ParseError("model.uai", 14, "factor 3 needs 8 values, got 7", column=5))
    'model.uai:14:5: factor 3 needs 8 values, got 7'
    """

    def __init__(
        self, path: str, line: int | None, problem: str, column: int | None = None
    ) -> None:
        super().__init__(path, line, problem, column)
        self.path = path
        self.line = line
        self.column = column
        self.problem = problem

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.line, self.column) if number is not None]
        place = ":".join([one_line(self.path, _LONGEST_PATH), *numbers])
        return f"{place}: {one_line(self.problem, LONGEST - len(place) - 2)}"


class InputWarning(UserWarning):
    """A file was read although some of its numbers are not what its format says: the message says
    which, and what was taken instead."""


class ComputationError(LiftgraphError):
    """The question makes sense, but it cannot be answered."""


class ZeroWeightError(ComputationError):
    """Every assignment which agrees with the evidence has weight zero, so nothing is possible.

    ``observations``: some that contradict each other, as text, if they were looked for.
    """

    def __init__(self, problem: str, observations: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.observations = observations


class MemoryLimitError(ComputationError):
    """The plan needs more memory than is allowed. Raised before anything is allocated.

    ``needed``: how many bytes the best plan that was found needs, if that is known.
    """

    needed: float = math.inf


def without_frames(error: E) -> E:
    """An error to raise again, without the frames inside of liftgraph that it came through.

    ``LIFTGRAPH_TRACEBACK=full`` in the environment keeps them.
    """
    is_full = os.environ.get("LIFTGRAPH_TRACEBACK") == "full"
    return error if is_full else error.with_traceback(None)


def short_traceback(function: F) -> F:
    """A public function whose errors have one frame of liftgraph in their tracebacks: readers see
    the line that called it, and the message."""

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True  # pytest leaves this frame out, too
        try:
            return function(*arguments, **options)
        except LiftgraphError as error:
            raise without_frames(error) from None

    return cast(F, called)
