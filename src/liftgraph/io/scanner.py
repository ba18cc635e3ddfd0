"""Words, signs and numbers of a text in turn, with errors that name line and column.

BIF and NET files are mostly numbers. These are only passed over here, a whole row at a time, and
read all at once afterwards (``numbers_within``), so that the rest needs no parser generator: the
grammars are a few lines each, one function per rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.files import error_at, read_text
from liftgraph.io.number_text import Text, tokenise_within
from liftgraph.io.numerals import Numerals, parse_numerals

END = "the end of the file"
_INTEGER = re.compile(rb"\d{1,9}\b")


class Word(NamedTuple):
    """A name as it stands in a file, and the byte it starts at."""

    text: str
    place: int


class Syntax(NamedTuple):
    """The tokens of a language, as regular expressions.

    ``comment``: comments and quoted texts, of which the former start with one of ``marks``.
    ``space``: what may stand between tokens. ``sign`` and ``word``: tokens. ``quoted``: a quoted
    text; ``escaped``: whether a backslash in it takes the next letter as it is.
    """

    comment: re.Pattern[str]
    marks: tuple[str, ...]
    space: re.Pattern[bytes]
    sign: re.Pattern[bytes]
    word: re.Pattern[bytes]
    quoted: re.Pattern[bytes]
    escaped: bool


@dataclass(slots=True)
class Scanner:
    """A text whose comments are blank, read up to a place; spans of numbers are for later."""

    path: str
    data: bytes
    syntax: Syntax
    place: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)

    def error(self, place: int, problem: str) -> ParseError:
        """An error at a byte of the file."""
        return error_at(self.path, self.data, place, problem)

    def unexpected(self, expected: str) -> ParseError:
        """The error for what comes next, which is not what was expected."""
        self._skip()
        place = min(self.place, len(self.data.rstrip()))
        return self.error(place, f"expected {expected}, got {self._shown()}")

    def _shown(self) -> str:
        for pattern in (self.syntax.quoted, self.syntax.sign, self.syntax.word):
            if found := pattern.match(self.data, self.place):
                return shortened(found[0].decode())
        rest = self.data[self.place :].decode(errors="replace")
        return repr(rest[:1]) if rest else END

    def _skip(self) -> None:
        found = self.syntax.space.match(self.data, self.place)
        self.place = found.end() if found else self.place

    def at_end(self) -> bool:
        """Whether nothing is left."""
        self._skip()
        return self.place == len(self.data)

    def accept(self, sign: bytes) -> bool:
        """Pass this sign, if it comes next."""
        self._skip()
        found = self.data.startswith(sign, self.place)
        self.place += len(sign) if found else 0
        return found

    def expect(self, sign: bytes) -> None:
        """Pass this sign, which has to come next."""
        if not self.accept(sign):
            raise self.unexpected(sign.decode())

    def keyword(self, *known: str) -> Word:
        """Pass one of these words, which has to come next."""
        self._skip()
        found = self.syntax.word.match(self.data, self.place)
        if found is None or found[0].decode() not in known:
            raise self.unexpected(" or ".join(known))
        self.place = found.end()
        return Word(found[0].decode(), found.start())

    def name(self, what: str) -> Word:
        """Pass a name, in quotes or not."""
        self._skip()
        place = self.place
        if found := self.syntax.word.match(self.data, place):
            self.place = found.end()
            return Word(found[0].decode(), place)
        return self.quoted(what)

    def quoted(self, what: str) -> Word:
        """Pass a text in quotes, which is not empty."""
        self._skip()
        found = self.syntax.quoted.match(self.data, self.place)
        if found is None or len(found[0]) == 2:
            raise self.unexpected(what)
        self.place = found.end()
        text = found[0][1:-1].decode()
        return Word(re.sub(r"\\(.)", r"\1", text) if self.syntax.escaped else text, found.start())

    def integer(self, what: str) -> Word:
        """Pass digits that tell the number of something, which is not very large."""
        self._skip()
        found = _INTEGER.match(self.data, self.place)
        if found is None:
            raise self.unexpected(what)
        self.place = found.end()
        return Word(found[0].decode(), found.start())

    def numbers(self, within: re.Pattern[bytes]) -> int:
        """Pass a stretch of numbers, which are read later on; returns the number of the span."""
        start = self.place
        self.skip_to(within)
        return self.add_span(start, self.place)

    def add_span(self, start: int, end: int) -> int:
        """Note a stretch of numbers, which are read later on; returns its number."""
        self.spans.append((start, end))
        return len(self.spans) - 1

    def skip_to(self, end: re.Pattern[bytes]) -> None:
        """Pass everything that this expression matches."""
        found = end.match(self.data, self.place)
        self.place = found.end() if found else self.place


def scan(path: Path | str, syntax: Syntax) -> Scanner:
    """A scanner at the start of a file in UTF-8."""
    text = read_text(path)

    def blanked(found: re.Match[str]) -> str:
        if not found[0].startswith(syntax.marks):
            return found[0]
        if found[0] == "/*":
            place = len(text[: found.start()].encode())
            problem = f"expected */ behind this comment, got {END}"
            raise error_at(str(path), text.encode(), place, problem)
        return re.sub(r"[^\n]", " ", found[0])

    if any(mark in text for mark in syntax.marks):
        text = syntax.comment.sub(blanked, text)
    return Scanner(str(path), text.encode(), syntax)


@dataclass(frozen=True)
class Numbers:
    """The numbers in the spans of a text: those of span i are ``first[i]`` to ``first[i + 1]``."""

    text: Text
    numerals: Numerals
    first: NDArray[np.int64]

    def within(self, span: int, count: int, place: int, end: int | None = None) -> int:
        """The first number in a span (or those before ``end``), which has to have so many."""
        found = int(self.first[span + 1 if end is None else end] - self.first[span])
        if found != count:
            problem = f"expected {count:,} numbers, got {found:,}"
            raise error_at(self.text.path, self.text.data, place, problem)
        return int(self.first[span])


def numbers_within(
    path: str, data: bytes, spans: list[tuple[int, int]], separators: bytes
) -> Numbers:
    """All numbers in some spans of a file, separated by white space or these letters."""
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    text = tokenise_within(path, data, bounds, separators)
    first = np.searchsorted(text.starts, np.append(bounds[:, 0], len(data)))
    return Numbers(text, parse_numerals(text, 0), first)
