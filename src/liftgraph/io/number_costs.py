"""How much memory the numbers of a text take, in bytes; see ``allowance``."""

from __future__ import annotations

import re

from liftgraph.io.allowance import Allowance
from liftgraph.io.number_text import NumberText
from liftgraph.model.ground.table import Table

BYTE_COST = 14  # of a byte: its kinds and marks, and the bounds of a token on every second byte
_COMMENT_COST = 100
_LINE_COST = 16
_NUMBER_COST = 80  # in arrays: its value, and where it is in a table
_SPECIAL_COST = 600  # of a number that is not a short decimal, apart from its digits
_DIGIT_COPIES = 4  # while tables are made and normalised
_POWER_COST = 6000  # of a long number with a large exponent: more digits than its text
_LONGEST = 18  # letters of a number that is surely not special
_POWER = re.compile(rb"[eE][+-]?\d{4}")


def take_comments(allowance: Allowance, data: bytes) -> None:
    """Take what finding comments needs."""
    if comments := data.count(b"#"):
        size = _COMMENT_COST * comments + _LINE_COST * data.count(b"\n")
        allowance.take(size, f"its text has {comments:,} comments")


def take_numbers(allowance: Allowance, text: NumberText) -> None:
    """Take what parsing the numbers of a text, and putting them into tables, needs."""
    lengths = text.ends - text.starts
    long = lengths[lengths > _LONGEST]
    special = len(long) + text.data.count(b"/") + text.data.count(b"+")
    powers = 0
    if b"e" in text.data or b"E" in text.data:
        powers = sum(1 for _ in _POWER.finditer(text.data))
    size = _NUMBER_COST * len(lengths) + _SPECIAL_COST * (special + powers)
    size += 4 * int(long.sum()) + _POWER_COST * min(powers, len(long))
    allowance.take(size, f"it has {len(lengths):,} numbers")


def take_digits(allowance: Allowance, table: Table) -> None:
    """Take the digits of long integers: a common denominator may make them longer than the text."""
    if table.integers.dtype == object:
        bits = sum(integer.bit_length() for integer in table.integers.ravel().tolist())
        allowance.take(_DIGIT_COPIES * bits // 8, "the digits of its potentials")
