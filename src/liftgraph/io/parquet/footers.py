"""The footer of a Parquet file: what it takes is charged before a library opens it.

Its length is in the last eight bytes. The objects in it are counted as they are passed.
Reference: https://github.com/apache/parquet-format (``parquet.thrift``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.compact import (
    BINARY,
    INT32,
    INT64,
    LIST,
    STRUCT,
    Compact,
    DamagedError,
    Struct,
    number_text,
)

MAGIC = b"PAR1"
TEXT, FIXED = 6, 7  # types of columns: bytes of any length, and of one
_END = 8  # bytes: the length of the footer, and four letters
_BYTE, _STRUCT, _ENTRY = 3, 750, 96  # what each takes in a library
_ELEMENT = 650  # more of a column of the schema
_SCHEMA, _GROUPS, _TEXTS = 2, 4, 5  # fields of a footer
_REPEATED = 2
_MOST_ELEMENTS, _DEEPEST = 1 << 16, 60  # columns and what they are in
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, TEXT: 4}
_WIDEST = 32  # bytes of numbers, as of long decimals


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column of values. ``nested``: whether a row may have many of them."""

    path: str
    kind: int
    width: int
    nested: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the pages of a column are in a row group, and how many values the footer claims."""

    start: int
    end: int
    values: int


@dataclass(frozen=True, slots=True)
class Footer:
    """A footer without its texts: ``content``. It is at ``start`` of the file.

    ``texts``: by their keys. One of them is a schema of Arrow's own, in which few bytes may stand
    for very many columns, and which says nothing that is needed.
    """

    start: int
    content: bytes
    texts: Mapping[bytes, bytes]
    leaves: tuple[Leaf, ...]
    groups: tuple[tuple[Extent, ...], ...]


def read_footer(file: BinaryIO, allowance: Allowance) -> Footer:
    """The footer of an open file."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(size - _END, 0))
    end = file.read(_END)
    length = int.from_bytes(end[:4], "little")
    start = size - _END - length
    if end[4:] != MAGIC or start < len(MAGIC):
        raise DamagedError("no footer at the end")
    what = f"its footer has {length:,} bytes"
    allowance.borrow(_BYTE * length, what)

    def count(structs: int, entries: int) -> None:
        allowance.borrow(_STRUCT * structs + _ENTRY * entries, what)

    file.seek(start)
    parsed = _parsed(Compact(file.read(length), count), start)
    allowance.borrow(_ELEMENT * len(parsed.leaves), what)
    return parsed


def _parsed(footer: Compact, start: int) -> Footer:
    schema: list[Struct] = []
    texts: dict[bytes, bytes] = {}
    listed: list[Struct] = []
    kept = bytearray()

    def columns() -> list[Struct]:
        return footer.structs({(3, STRUCT): footer.struct})

    for number, kind in footer.fields():
        begin = footer.place
        if (number, kind) == (_SCHEMA, LIST):
            schema = footer.structs()
        elif (number, kind) == (_GROUPS, LIST):
            listed = footer.structs({(1, LIST): columns})
        elif (number, kind) == (_TEXTS, LIST):
            texts = {_text(pair, 1): _text(pair, 2) for pair in footer.structs()}
        else:
            footer.skip(kind)
        if number != _TEXTS:
            kept += bytes([kind]) + number_text(number) + footer.content[begin : footer.place]
    leaves = tuple(_leaves(schema))
    groups = tuple([tuple(_extents(group.get((1, LIST), []), leaves, start)) for group in listed])
    return Footer(start, bytes([*kept, 0]), texts, leaves, groups)


def _text(pair: Struct, number: int) -> bytes:
    text: bytes = pair.get((number, BINARY), b"")
    return text


def _leaves(schema: Sequence[Struct]) -> Iterator[Leaf]:
    """The columns of values: elements are listed with their children after them."""
    if len(schema) > _MOST_ELEMENTS:
        raise DamagedError(f"{len(schema):,} columns")
    above: list[tuple[int, tuple[str, ...], bool]] = []  # children left, names, whether repeated
    for place, element in enumerate(schema):
        while above and above[-1][0] == 0:
            above.pop()
        names, nested = above[-1][1:] if above else ((), False)
        if above:
            above[-1] = (above[-1][0] - 1, names, nested)
        if place:
            names = (*names, _text(element, 4).decode())
            nested = nested or element.get((3, INT32)) == _REPEATED
        if children := element.get((5, INT32), 0):
            if len(above) > _DEEPEST:
                raise DamagedError(f"more than {_DEEPEST} columns in each other")
            above.append((children, names, nested))
        elif place:
            yield _leaf(".".join(names), element, nested)


def _leaf(path: str, element: Struct, nested: bool) -> Leaf:
    kind = element.get((1, INT32), -1)
    width = element.get((2, INT32), 0) if kind == FIXED else _WIDTHS.get(kind, -1)
    if not 0 <= width <= _WIDEST:
        raise DamagedError(f"values of {width:,} bytes in {path}")
    return Leaf(path, kind, width, nested)


def _extents(columns: Sequence[Struct], leaves: Sequence[Leaf], most: int) -> Iterator[Extent]:
    if len(columns) != len(leaves):
        raise DamagedError(f"{len(columns):,} columns in a row group, and {len(leaves):,} in all")
    for leaf, column in zip(leaves, columns, strict=True):
        described = column.get((3, STRUCT), {})
        start, dictionary = described.get((9, INT64), -1), described.get((11, INT64), 0)
        if 0 < dictionary < start:
            start = dictionary
        end = start + described.get((7, INT64), -1)
        if not 0 <= start <= end <= most:
            raise DamagedError(f"pages of {leaf.path} from {start:,} to {end:,}")
        yield Extent(start, end, described.get((5, INT64), 0))
