"""Where the numbers of a text are: bytes between white space, found in whole-array operations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.io.files import error_at

SPACE, DIGIT, POINT, EXPONENT, SIGN, OTHER = range(6)
_LETTERS = {
    SPACE: b" \t\n\r\v\f",
    DIGIT: b"0123456789",
    POINT: b".",
    EXPONENT: b"eE",
    SIGN: b"+-",
}
_KINDS = bytearray([OTHER] * 256)  # the kind of each byte
for _kind, _letters in _LETTERS.items():
    for _letter in _letters:
        _KINDS[_letter] = _kind


@dataclass(frozen=True)
class NumberText:
    """The bytes of a file, and the bounds of its tokens, int64 (tokens,) each."""

    path: str
    data: bytes
    kinds: NDArray[np.uint8]  # of each byte
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def token(self, index: int) -> str:
        """A token as text."""
        token = self.data[self.starts[index] : self.ends[index]]
        return token.decode(errors="replace")

    def error(self, index: int, problem: str) -> ParseError:
        """The error at a token, or at the end of the text if there is no such token."""
        place = self.starts[index] if index < len(self.starts) else len(self.data.rstrip())
        return error_at(self.path, self.data, int(place), problem)


def tokenise(path: str, data: bytes) -> NumberText:
    """The tokens of a text: what is between white space; ``#`` starts a comment."""
    kinds = np.frombuffer(data.translate(_KINDS), dtype=np.uint8)
    inside = np.zeros(len(kinds) + 2, dtype=bool)
    np.not_equal(kinds, SPACE, out=inside[1:-1])
    _blank_comments(np.frombuffer(data, dtype=np.uint8), inside)
    bounds = np.flatnonzero(inside[1:] != inside[:-1])
    return NumberText(path, data, kinds, bounds[::2], bounds[1::2])


def tokenise_within(
    path: str, data: bytes, spans: NDArray[np.int64], separators: bytes
) -> NumberText:
    """The tokens within some spans of a text: what is between white space and separators.

    ``spans``: int64 (s, 2), increasing: where each starts and ends.
    """
    blank = bytes.maketrans(separators, b" " * len(separators))
    kinds = np.frombuffer(data.translate(blank).translate(_KINDS), dtype=np.uint8)
    change = np.zeros(len(kinds) + 1, dtype=np.int8)
    np.add.at(change, spans[:, 0], 1)
    np.subtract.at(change, spans[:, 1], 1)
    inside = np.zeros(len(kinds) + 2, dtype=bool)
    inside[1:-1] = (kinds != SPACE) & np.cumsum(change[:-1], dtype=np.int8).astype(bool)
    bounds = np.flatnonzero(inside[1:] != inside[:-1])
    return NumberText(path, data, kinds, bounds[::2], bounds[1::2])


def _blank_comments(codes: NDArray[np.uint8], inside: NDArray[np.bool_]) -> None:
    marks = np.flatnonzero(codes == ord("#"))
    if len(marks) == 0:
        return
    breaks = np.append(np.flatnonzero(codes == ord("\n")), len(codes))
    ends, first = np.unique(breaks[np.searchsorted(breaks, marks)], return_index=True)
    for mark, end in zip(marks[first].tolist(), ends.tolist(), strict=True):
        inside[mark + 1 : end + 1] = False
