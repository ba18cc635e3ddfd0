"""The words of a BLOG file, with their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NoReturn

from liftgraph.errors import ParseError
from liftgraph.exact import shortened

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>[+]?(?:\d+/\d+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))
      | (?P<name>[^\W\d][\w']*)
      | (?P<sign>!=|[][(),;:.&=<#-])""",
    re.VERBOSE | re.DOTALL,
)
IDENTIFIER = re.compile(r"[^\W\d][\w']*")
END = "the end of the file"


@dataclass(frozen=True, slots=True)
class Token:
    """A word: its kind (name, number, sign, end), its text, and its line."""

    kind: str
    text: str
    line: int


@dataclass(slots=True)
class Tokens:
    """The words of a file, taken one by one."""

    path: str
    words: list[Token]
    place: int = field(default=0)

    @property
    def next(self) -> Token:
        """The word to come."""
        return self.words[self.place]

    def take(self) -> Token:
        """Take the next word."""
        word = self.next
        self.place += word.kind != "end"
        return word

    def accept(self, text: str) -> bool:
        """Take the next word if it is this sign or keyword."""
        found = self.at(text)
        self.place += found
        return found

    def at(self, *texts: str) -> bool:
        """Whether the next word is one of these; a quoted name is no sign and no keyword."""
        return self.next.kind != "string" and self.next.text in texts

    def expect(self, *texts: str) -> str:
        """Take the next word, which has to be one of these."""
        if not self.at(*texts):
            self.fail(" or ".join(texts), self.next)
        return self.take().text

    def name(self, what: str, known: Collection[str] | None = None) -> str:
        """Take a name; of something known, if that is given."""
        word = self.take()
        if word.kind not in ("name", "string") or (known is not None and word.text not in known):
            self.fail(what, word)
        return word.text

    def fail(self, expected: str, word: Token) -> NoReturn:
        """Refuse a word."""
        came = shortened(word.text)
        raise ParseError(self.path, word.line, f"expected {expected}, got {came}")


def tokens(path: str, text: str) -> Tokens:
    """The words of a text. Names may be quoted; comments are left out."""
    words: list[Token] = []
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ParseError(path, line, f"expected a word, got {text[place : place + 20]!r}")
        kind, found = str(match.lastgroup), match[0]
        if kind == "string":
            words.append(Token(kind, _unquoted(path, line, found), line))
        elif kind != "space":
            words.append(Token(kind, found, line))
        line += found.count("\n")
        place = match.end()
    words.append(Token("end", END, line))
    return Tokens(path, words)


def _unquoted(path: str, line: int, text: str) -> str:
    try:
        name: str = json.loads(text)
        return name
    except ValueError:
        raise ParseError(path, line, f"expected a quoted name, got {shortened(text)}") from None
