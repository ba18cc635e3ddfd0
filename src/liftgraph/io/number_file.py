"""Files that have nothing but numbers (behind a first word), with errors that name the place."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.files import read_bytes
from liftgraph.io.number_text import Text, tokenise
from liftgraph.io.numerals import Numerals, parse_numerals

LIMIT = 2**31 - 1  # no file counts further than this


@dataclass(frozen=True)
class Tokens:
    """The numbers of a file, behind a first word or from the beginning."""

    text: Text
    words: int
    numerals: Numerals

    @property
    def count(self) -> int:
        return len(self.numerals.mantissa)

    def error(self, index: int, problem: str) -> ParseError:
        """An error at a number, or at the end of the file behind the last one."""
        return self.text.error(self.words + index, problem)

    def unexpected(self, index: int, expected: str) -> ParseError:
        """The error for a number that is not what was expected."""
        token = self.text.token(self.words + index) if index < self.count else "the end of the file"
        return self.error(index, f"expected {expected}, got {shortened(token)}")

    def integers(self, places: NDArray[np.int64] | slice) -> NDArray[np.int64]:
        """The numbers at these places, -1 for each that is not spelt as an integer."""
        return np.where(self.numerals.whole[places], self.numerals.mantissa[places], -1)

    def integer(self, index: int, what: str, limit: int = LIMIT) -> int:
        """The integer at this place, which must be below the limit."""
        found = self.integers(slice(index, index + 1)).tolist()
        if not found or not 0 <= found[0] < limit:
            raise self.unexpected(index, what)
        return int(found[0])


def read_tokens(path: Path | str, first_words: tuple[str, ...] = ()) -> Tokens:
    """Read a file of numbers; if first words are given, it must begin with one of them."""
    text = tokenise(str(path), read_bytes(path).removeprefix(BOM_UTF8))
    if first_words and (len(text.starts) == 0 or text.token(0) not in first_words):
        came = shortened(text.token(0)) if len(text.starts) else "the end of the file"
        raise text.error(0, f"expected {' or '.join(first_words)}, got {came}")
    words = 1 if first_words else 0
    return Tokens(text, words, parse_numerals(text, words))
