"""The numbers in a text, all at once and exactly.

Tokens are read as bytes in whole-array operations, so that reading a file costs little more than
splitting it. Tokens that these cannot read (more than 18 digits, fractions, signs) are parsed one
by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import MAX_DIGITS, decimal_value, parse_decimal, parse_rational
from liftgraph.io.number_text import DIGIT, EXPONENT, OTHER, POINT, SIGN, NumberText

_MAX_DIGITS = 18  # 10**18 fits in an int64
_MAX_EXPONENT_DIGITS = 3
_DIVISION = Context(prec=28)
_BLOCK = 1 << 14  # tokens at a time, so that temporary arrays stay in the cache
_POWERS = 10 ** np.arange(_MAX_DIGITS + 1, dtype=np.int64)
# The low halves of a word's last d bytes: the first digit has the lowest byte.
_LAST_DIGITS = np.array(
    [0x0F0F0F0F0F0F0F0F & ~(2 ** (8 * (8 - d)) - 1) for d in range(9)], dtype=np.uint64
)
_JOINS = [
    (np.uint64(10), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10000), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
]


@dataclass(frozen=True)
class Numerals:
    """The values of tokens: ``mantissa * 10**exponent``, int64 (tokens,) each.

    Integers below 10**18 have exponent 0, and no other mantissa ends in 0.
    ``special``: the distinct values that do not fit; such a token has mantissa -1, and its
    exponent is the index of its value in this list. So two tokens have the same value exactly if
    they have the same mantissa and exponent.
    ``whole``: bool (tokens,), which tokens are spelt with digits only.
    """

    mantissa: NDArray[np.int64]
    exponent: NDArray[np.int64]
    special: list[Fraction]
    whole: NDArray[np.bool_]

    def value(self, index: int) -> Fraction:
        """The value of a token."""
        mantissa, exponent = int(self.mantissa[index]), int(self.exponent[index])
        return self.special[exponent] if mantissa < 0 else decimal_value(mantissa, exponent)

    def take(self, places: NDArray[np.int64]) -> Numerals:
        """The numerals at these places."""
        mantissa, exponent = self.mantissa[places], self.exponent[places]
        return replace(self, mantissa=mantissa, exponent=exponent, whole=self.whole[places])


def parse_numerals(text: NumberText, first: int) -> Numerals:
    """The values of all tokens from ``first`` on; anything but a number is refused."""
    count = len(text.starts) - first
    mantissa, exponent, whole = (np.empty(count, kind) for kind in (np.int64, np.int64, bool))
    numerals = Numerals(mantissa, exponent, [], whole)
    codes, words = np.frombuffer(text.data, dtype=np.uint8), _words(text.data)
    special: list[NDArray[np.int64]] = []
    for start in range(0, count, _BLOCK):
        block = slice(start, min(start + _BLOCK, count))
        starts, ends = text.starts[first:][block], text.ends[first:][block]
        span = slice(int(starts[0]), int(ends[-1]) + 1)
        parsed = _parse_block(
            codes[span], text.kinds[span], words[span], starts - starts[0], ends - starts[0]
        )
        numerals.mantissa[block], numerals.exponent[block], numerals.whole[block], odd = parsed
        special.append(start + np.flatnonzero(odd))
    _parse_singly(text, first, np.concatenate([*special, np.empty(0, np.int64)]), numerals)
    return numerals


def _parse_block(
    codes: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    words: NDArray[np.uint64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Mantissas and exponents of some tokens, which are digits only, and which are special."""
    special = np.zeros(len(starts), dtype=bool)
    if kinds.max() <= DIGIT and (ends - starts).max() <= _MAX_DIGITS:
        mantissa = _integers(words, ends, ends - starts)
        return mantissa, np.zeros(len(starts), np.int64), ~special, special
    special[_owners(kinds == OTHER, starts, ends)[0]] = True
    point, mantissa_ends = _landmarks(kinds, starts, ends, special)
    decimals = np.maximum(mantissa_ends - point - 1, 0)
    whole = point - starts
    whole[(whole == 1) & (codes[starts] == ord("0"))] = 0
    special |= mantissa_ends - starts < 1 + (point < mantissa_ends)
    special |= whole + decimals > _MAX_DIGITS
    exponent = _exponents(codes, words, mantissa_ends, ends, special) - decimals
    whole[special] = decimals[special] = 0
    mantissa = _integers(words, point, whole)
    if decimals.any():
        mantissa = mantissa * _POWERS[decimals] + _integers(words, mantissa_ends, decimals)
    _canonicalise(codes, mantissa, exponent, mantissa_ends)
    return mantissa, exponent, (point == ends) & ~special, special


def _owners(
    marked: NDArray[np.bool_], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens that have marked bytes, and where those bytes are."""
    places = np.flatnonzero(marked)
    owners = np.searchsorted(starts, places, side="right") - 1
    inside = (owners >= 0) & (places < ends[owners])
    return owners[inside], places[inside]


def _landmarks(
    kinds: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    special: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each token's decimal point is (the end of its mantissa if none) and its mantissa ends.

    Tokens with a second point or ``e``, a point after the ``e``, or a sign that is not right
    after the ``e`` are marked as special.
    """
    mantissa_ends = ends.copy()
    owners, places = _owners(kinds == EXPONENT, starts, ends)
    special[owners[1:][owners[1:] == owners[:-1]]] = True
    mantissa_ends[owners] = places
    signed, signs = _owners(kinds == SIGN, starts, ends)
    special[signed[signs != mantissa_ends[signed] + 1]] = True
    point = mantissa_ends.copy()
    owners, places = _owners(kinds == POINT, starts, ends)
    special[owners[1:][owners[1:] == owners[:-1]]] = True
    special[owners[places > mantissa_ends[owners]]] = True
    point[owners] = np.minimum(places, mantissa_ends[owners])
    return point, mantissa_ends


def _exponents(
    codes: NDArray[np.uint8],
    words: NDArray[np.uint64],
    marks: NDArray[np.int64],
    ends: NDArray[np.int64],
    special: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """The integer after the ``e`` of each token, 0 if there is no ``e``."""
    exponent = np.zeros(len(ends), dtype=np.int64)
    having = np.flatnonzero((marks < ends) & ~special)
    behind = codes[np.minimum(marks[having] + 1, len(codes) - 1)]
    digits = ends[having] - marks[having] - 1 - ((behind == ord("+")) | (behind == ord("-")))
    special[having] = (digits < 1) | (digits > _MAX_EXPONENT_DIGITS)
    size = _integers(words, ends[having], np.where(special[having], 0, digits))
    exponent[having] = np.where(behind == ord("-"), -size, size)
    return exponent


def _words(data: bytes) -> NDArray[np.uint64]:
    """A view of the text in which entry i holds the eight bytes before byte i."""
    return np.ndarray(len(data) + 1, dtype="<u8", buffer=bytes(8) + data, strides=(1,))


def _integers(
    words: NDArray[np.uint64], ends: NDArray[np.int64], digits: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The integers that the last ``digits`` bytes before each end spell, at most 18."""
    values = _eight_digits(words[ends], np.minimum(digits, 8))
    for done in range(8, int(digits.max(initial=0)), 8):
        more = np.flatnonzero(digits > done)
        above = _eight_digits(words[ends[more] - done], np.minimum(digits[more] - done, 8))
        values[more] += 10**done * above
    return values


def _eight_digits(words: NDArray[np.uint64], digits: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers that the last digits of each word spell: bytes join to pairs, pairs to fours."""
    values = words & _LAST_DIGITS[digits]
    for factor, shift, mask in _JOINS:
        values = (values * factor + (values >> shift)) & mask
    return values.view(np.int64)


def _canonicalise(
    codes: NDArray[np.uint8],
    mantissa: NDArray[np.int64],
    exponent: NDArray[np.int64],
    mantissa_ends: NDArray[np.int64],
) -> None:
    """Move zeros between mantissas and exponents until equal values are spelt equally."""
    last = codes[mantissa_ends - 1]
    ending = np.flatnonzero((exponent != 0) & ((last == ord("0")) | (last == ord("."))))
    part, places = mantissa[ending], exponent[ending]
    for zeros in (16, 8, 4, 2, 1):
        quotient = part // _POWERS[zeros]
        divides = quotient * _POWERS[zeros] == part
        part = np.where(divides, quotient, part)
        places += zeros * divides
    mantissa[ending] = part
    exponent[ending] = np.where(part == 0, 0, places)
    large = np.flatnonzero((exponent > 0) & (exponent < _MAX_DIGITS))
    large = large[mantissa[large] < _POWERS[_MAX_DIGITS - exponent[large]]]
    mantissa[large] *= _POWERS[exponent[large]]
    exponent[large] = 0


def _parse_singly(
    text: NumberText, first: int, indices: NDArray[np.int64], numerals: Numerals
) -> None:
    """Parse the tokens that whole-array operations cannot, and fill in their values."""
    special: dict[Fraction, int] = {}
    parsed: dict[str, tuple[int, int]] = {}
    for index in indices.tolist():
        token = text.token(first + index)
        if token not in parsed:
            try:
                value = _short_decimal(token) or parse_rational(token)
            except InputError as error:
                raise text.error(first + index, str(error)) from None
            if isinstance(value, Fraction):
                value = _decimal(value) or (-1, special.setdefault(value, len(special)))
            parsed[token] = value
        numerals.mantissa[index], numerals.exponent[index] = parsed[token]
    numerals.special.extend(special)


def _short_decimal(token: str) -> tuple[int, int] | None:
    """The canonical mantissa and exponent of a short decimal's token; None for any other token."""
    if "/" in token:
        return None
    mantissa, exponent = parse_decimal(token)
    digits = str(mantissa).rstrip("0") or "0"
    zeros = len(str(mantissa)) - len(digits)
    if len(digits) > _MAX_DIGITS or not -MAX_DIGITS < exponent + zeros <= MAX_DIGITS - len(digits):
        return None
    return _canonical(int(digits), exponent + zeros)


def _decimal(value: Fraction) -> tuple[int, int] | None:
    """The canonical mantissa and exponent of a short decimal; None for any other value."""
    decimal = _DIVISION.divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(decimal) != value:
        return None
    _, digits, exponent = decimal.normalize(_DIVISION).as_tuple()
    if len(digits) > _MAX_DIGITS or not isinstance(exponent, int):
        return None
    return _canonical(int("".join(map(str, digits))), exponent)


def _canonical(mantissa: int, exponent: int) -> tuple[int, int]:
    """Zeros moved back into a mantissa that does not end in 0, if it is an integer below 10**18."""
    if mantissa == 0:
        return 0, 0
    if 0 < exponent <= _MAX_DIGITS - len(str(mantissa)):
        return mantissa * 10**exponent, 0
    return mantissa, exponent
