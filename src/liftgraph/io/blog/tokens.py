"""The tokens of a BLOG file (names, numbers, signs), with their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NoReturn

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END

_TOKEN_COST = 160  # of a token, apart from its letters
_LETTER_COST = 6
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]++|\\.)*+")
      | (?P<number>[+]?(?:\d+/\d+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))
      | (?P<name>[^\W\d][\w']*)
      | (?P<sign>!=|[][(),;:.&=<#-])""",
    re.VERBOSE | re.DOTALL,
)
IDENTIFIER = re.compile(r"[^\W\d][\w']*")


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind (name, string, number, sign or end), its text, and its line."""

    kind: str
    text: str
    line: int


@dataclass(slots=True)
class TokenStream:
    """The tokens of a file, taken one by one; the last one is of kind end."""

    allowance: Allowance
    tokens: list[Token]
    place: int = field(default=0)

    @property
    def next(self) -> Token:
        """The token to come."""
        return self.tokens[self.place]

    def take(self) -> Token:
        """Take the next token."""
        token = self.next
        self.place += token.kind != "end"
        return token

    def accept(self, text: str) -> bool:
        """Take the next token if it is this sign or keyword, and say whether it was."""
        comes = self.at(text)
        self.place += comes
        return comes

    def at(self, *texts: str) -> bool:
        """Whether the next token is one of these; a quoted name is neither a sign nor a keyword."""
        return self.next.kind != "string" and self.next.text in texts

    def expect(self, *texts: str) -> str:
        """Take the next token, which must be one of these."""
        if not self.at(*texts):
            self.fail(" or ".join(texts), self.next)
        return self.take().text

    def name(self, what: str, names: Collection[str] | None = None) -> str:
        """Take a name, which must be one of ``names`` unless that is None."""
        token = self.take()
        if token.kind not in ("name", "string") or (names is not None and token.text not in names):
            self.fail(what, token)
        return token.text

    def fail(self, expected: str, token: Token) -> NoReturn:
        """Refuse a token."""
        came = shortened(token.text)
        raise ParseError(self.allowance.path, token.line, f"expected {expected}, got {came}")


def token_stream(text: str, allowance: Allowance) -> TokenStream:
    """The tokens of a text. Names may be quoted; comments are left out."""
    tokens: list[Token] = []
    path = allowance.path
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ParseError(path, line, f"expected a word, got {text[place : place + 20]!r}")
        kind = str(match.lastgroup)
        if kind != "space":
            size = _TOKEN_COST + _LETTER_COST * (match.end() - place)
            allowance.take(size, "its names, numbers and signs", line)
        if kind == "string":
            tokens.append(Token(kind, _unquoted(path, line, match[0]), line))
        elif kind != "space":
            tokens.append(Token(kind, match[0], line))
        line += match[0].count("\n")
        place = match.end()
    tokens.append(Token("end", END, line))
    return TokenStream(allowance, tokens)


def _unquoted(path: str, line: int, text: str) -> str:
    try:
        name: str = json.loads(text)
        return name
    except ValueError:
        raise ParseError(path, line, f"expected a quoted name, got {shortened(text)}") from None
