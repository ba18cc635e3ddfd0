"""The words and signs of a text, one after the other; errors name line and column.

BIF and NET files are mostly numbers. These are only passed over here, a whole row at a time, and
read all at once afterwards (``numbers_within``). What is left needs no parser generator: the
grammars have few rules, and each rule is a function.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.errors import InputError, InputWarning, ParseError
from liftgraph.exact import parse_rational, shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END, error_at, read_text
from liftgraph.io.number_costs import take_numbers
from liftgraph.io.number_text import DIGIT, NumberText, tokenise_within
from liftgraph.io.numerals import Numerals, parse_numerals

BYTE_COST = 10  # of a byte of text with its comments, without them, and of marks of its numbers
NAME_COST = 250  # of a name, apart from its letters
_LETTER_COST = 6
_COMMENT_COST = 100
_SPAN_COST = 300
_TOKEN_COST = 8  # of each byte in spans: the bounds of a token on every second byte
REPAIR = "repair=True (on the command line --repair)"  # what reads numbers that are slightly wrong
_SMALL = Fraction(1, 100)  # how far below zero a number may be that was rounded
_INTEGER = re.compile(rb"\d{1,9}\b")


class Word(NamedTuple):
    """A name in a file, and the byte at which it starts."""

    text: str
    place: int


class Syntax(NamedTuple):
    """The tokens of a language, as regular expressions.

    ``comment``: comments and quoted texts; comments start with one of ``marks``. ``space``: what
    may be between tokens. ``sign`` and ``word``: tokens. ``quoted``: a quoted text; ``escaped``:
    whether a backslash in it escapes the next character.
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
    """A text whose comments are blank, read up to a place; ``spans`` of numbers are read later."""

    path: str
    data: bytes
    syntax: Syntax
    allowance: Allowance
    place: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)

    def error(self, place: int, problem: str) -> ParseError:
        """The error at a byte of the file."""
        return error_at(self.path, self.data, place, problem)

    def unexpected(self, expected: str) -> ParseError:
        """The error for a next token that is not what was expected."""
        self._skip()
        place = min(self.place, len(self.data.rstrip()))
        return self.error(place, f"expected {expected}, got {self._shown()}")

    def _shown(self) -> str:
        for pattern in (self.syntax.quoted, self.syntax.sign, self.syntax.word):
            if token := pattern.match(self.data, self.place):
                return shortened(token[0].decode())
        rest = self.data[self.place :].decode(errors="replace")
        return repr(rest[:1]) if rest else END

    def _skip(self) -> None:
        space = self.syntax.space.match(self.data, self.place)
        self.place = space.end() if space else self.place

    def at_end(self) -> bool:
        """Whether nothing is left."""
        self._skip()
        return self.place == len(self.data)

    def accept(self, sign: bytes) -> bool:
        """Pass this sign if it comes next, and say whether it did."""
        self._skip()
        comes = self.data.startswith(sign, self.place)
        self.place += len(sign) if comes else 0
        return comes

    def expect(self, sign: bytes) -> None:
        """Pass this sign, which must come next."""
        if not self.accept(sign):
            raise self.unexpected(sign.decode())

    def keyword(self, *keywords: str) -> Word:
        """Pass one of these words, which must come next."""
        self._skip()
        word = self.syntax.word.match(self.data, self.place)
        if word is None or word[0].decode() not in keywords:
            raise self.unexpected(" or ".join(keywords))
        self.place = word.end()
        return Word(word[0].decode(), word.start())

    def name(self, what: str) -> Word:
        """Pass a name, in quotes or not."""
        self._skip()
        place = self.place
        if word := self.syntax.word.match(self.data, place):
            self.take_name(word)
            return Word(word[0].decode(), place)
        return self.quoted(what)

    def take_name(self, name: re.Match[bytes]) -> None:
        """Pass a name that an expression matched here, and take what it needs."""
        length = name.end() - self.place
        self.allowance.take(NAME_COST + _LETTER_COST * length, "the names of variables and states")
        self.place += length

    def quoted(self, what: str) -> Word:
        """Pass a text in quotes, which must not be empty."""
        self._skip()
        quoted = self.syntax.quoted.match(self.data, self.place)
        if quoted is None or len(quoted[0]) == 2:
            raise self.unexpected(what)
        self.take_name(quoted)
        text = quoted[0][1:-1].decode()
        return Word(re.sub(r"\\(.)", r"\1", text) if self.syntax.escaped else text, quoted.start())

    def integer(self, what: str) -> Word:
        """Pass an integer of at most nine digits."""
        self._skip()
        digits = _INTEGER.match(self.data, self.place)
        if digits is None:
            raise self.unexpected(what)
        self.place = digits.end()
        return Word(digits[0].decode(), digits.start())

    def numbers(self, within: re.Pattern[bytes]) -> int:
        """Pass a span of numbers, which are read later; returns the index of the span."""
        start = self.place
        self.skip(within)
        return self.add_span(start, self.place)

    def add_span(self, start: int, end: int) -> int:
        """Note a span of numbers, which are read later; returns its index."""
        size = _SPAN_COST + _TOKEN_COST * (end - start)
        self.allowance.take(size, "the numbers of its tables")
        self.spans.append((start, end))
        return len(self.spans) - 1

    def skip(self, pattern: re.Pattern[bytes]) -> None:
        """Pass what this expression matches."""
        match = pattern.match(self.data, self.place)
        self.place = match.end() if match else self.place


def scan(path: Path | str, syntax: Syntax, allowance: Allowance) -> Scanner:
    """A scanner at the start of a file in UTF-8."""
    text = read_text(path, allowance, BYTE_COST)
    comments = sum(text.count(mark) for mark in syntax.marks)

    def blanked(match: re.Match[str]) -> str:
        if not match[0].startswith(syntax.marks):
            return match[0]
        if match[0] == "/*":
            place = len(text[: match.start()].encode())
            problem = f"expected */ behind this comment, got {END}"
            raise error_at(str(path), text.encode(), place, problem)
        return "\n".join(" " * len(line) for line in match[0].split("\n"))

    if comments:
        size = _COMMENT_COST * (comments + text.count('"'))
        allowance.take(size, f"its text has {comments:,} comments")
        text = syntax.comment.sub(blanked, text)
    return Scanner(str(path), text.encode(), syntax, allowance)


@dataclass(frozen=True)
class NumberSpans:
    """The numbers in the spans of a text; those of span i start at index ``first[i]``.

    ``repair``: whether the file may have numbers that are slightly wrong; ``divided``: where rows
    were divided by sums that are not near one.
    """

    text: NumberText
    numerals: Numerals
    first: NDArray[np.int64]
    repair: bool = False
    divided: list[ParseError] = field(default_factory=list)

    def within(self, span: int, count: int, place: int, end: int | None = None) -> int:
        """The index of a span's first number; it (or all up to ``end``) must have ``count``."""
        numbers = int(self.first[span + 1 if end is None else end] - self.first[span])
        if numbers != count:
            problem = f"expected {count:,} numbers, got {numbers:,}"
            raise error_at(self.text.path, self.text.data, place, problem)
        return int(self.first[span])


def numbers_within(
    data: bytes,
    spans: list[tuple[int, int]],
    separators: bytes,
    allowance: Allowance,
    repair: bool = False,
) -> NumberSpans:
    """All numbers in some spans of a file; white space and the separators are between them.

    ``repair``: whether negative numbers that rounding left count as zero.
    """
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    text = tokenise_within(allowance.path, data, bounds, separators)
    take_numbers(allowance, text)
    if negative := _negative(text):
        if not repair:
            problem = f"expected a non-negative number, got {text.token(negative[0])!r}"
            raise text.error(negative[0], f"{problem}; {REPAIR} reads it as 0")
        text = _with_zeros(text, negative)
    first = np.searchsorted(text.starts, np.append(bounds[:, 0], len(data)))
    return NumberSpans(text, parse_numerals(text, 0), first, repair)


def _negative(text: NumberText) -> list[int]:
    """The tokens that are negative numbers near zero, which rounding leaves."""
    codes = np.frombuffer(text.data, dtype=np.uint8)
    signed = np.flatnonzero(codes[text.starts] == ord("-"))
    return [token for token in signed.tolist() if _is_small(text.token(token)[1:])]


def _is_small(numeral: str) -> bool:
    try:
        return 0 < parse_rational(numeral) <= _SMALL
    except InputError:
        return False


def _with_zeros(text: NumberText, tokens: list[int]) -> NumberText:
    """The text with zeros in place of these tokens, and a warning that says so."""
    data, kinds = bytearray(text.data), text.kinds.copy()
    for token in tokens:
        span = slice(int(text.starts[token]), int(text.ends[token]))
        data[span] = b"0" * (span.stop - span.start)
        kinds[span] = DIGIT
    count = counted(len(tokens), "negative number")
    came = text.error(tokens[0], f"got {text.token(tokens[0])}: {count} like this taken as 0")
    warnings.warn(str(came), InputWarning, stacklevel=2)
    return replace(text, data=bytes(data), kinds=kinds)
