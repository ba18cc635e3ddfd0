"""Files of numbers only, perhaps after a first word; errors name the place."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END, read_bytes
from liftgraph.io.number_costs import BYTE_COST, take_comments, take_numbers
from liftgraph.io.number_text import NumberText, tokenise
from liftgraph.io.numerals import Numerals, parse_numerals

LIMIT = 2**31 - 1  # no file counts further than this


@dataclass(frozen=True)
class NumberFile:
    """The numbers of a file; ``words``: how many words are before them, one or none."""

    text: NumberText
    words: int
    numerals: Numerals

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.numerals.mantissa)

    def error(self, index: int, problem: str) -> ParseError:
        """The error at a number, or at the end of the file if there is no such number."""
        return self.text.error(self.words + index, problem)

    def unexpected(self, index: int, expected: str) -> ParseError:
        """The error for a number that is not what was expected."""
        token = self.text.token(self.words + index) if index < self.count else END
        return self.error(index, f"expected {expected}, got {shortened(token)}")

    def integers(self, places: NDArray[np.int64] | slice) -> NDArray[np.int64]:
        """The numbers at these places, -1 for those that are not spelt as integers."""
        return np.where(self.numerals.whole[places], self.numerals.mantissa[places], -1)

    def integer(self, index: int, what: str, limit: int = LIMIT) -> int:
        """The integer at this place, which must be below the limit."""
        integers = self.integers(slice(index, index + 1)).tolist()
        if not integers or not 0 <= integers[0] < limit:
            raise self.unexpected(index, what)
        return int(integers[0])


def read_number_file(
    path: Path | str,
    allowance: Allowance,
    first_words: tuple[str, ...] = (),
    check: Callable[[NumberText], None] | None = None,
) -> NumberFile:
    """Read a file of numbers; if first words are given, it must begin with one of them.

    ``check``: refuses what is the text of something else.
    """
    data = read_bytes(path, allowance, BYTE_COST).removeprefix(BOM_UTF8)
    take_comments(allowance, data)
    text = tokenise(str(path), data)
    if check is not None:
        check(text)
    if first_words and (len(text.starts) == 0 or text.token(0) not in first_words):
        came = shortened(text.token(0)) if len(text.starts) else END
        raise text.error(0, f"expected {' or '.join(first_words)}, got {came}")
    words = 1 if first_words else 0
    take_numbers(allowance, text)
    return NumberFile(text, words, parse_numerals(text, words))
