"""Thrift's compact protocol, as far as the footers and the pages of Parquet files need it.

A footer of a few bytes may describe millions of objects. So they are counted before a library makes
them. Reference: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

INT32, INT64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12  # the types that are looked into
Struct = dict[tuple[int, int], Any]  # values by the numbers and the types of fields
Readers = Mapping[tuple[int, int], Callable[[], Any]]
NOTHING: Readers = MappingProxyType({})
_TRUE, _FALSE, _BYTE, _DOUBLE, _SET, _MAP = 1, 2, 3, 7, 10, 11
_BITS = {4: 16, INT32: 32, INT64: 64}
_DEEPEST = 60  # structs in structs; Thrift itself refuses more than 64
_LONGEST_NUMBER = 10  # bytes


class DamagedError(ValueError):
    """The bytes are not what the protocol says."""


@dataclass(slots=True)
class Compact:
    """A place in some bytes. ``count``: called with the number of structs that are read of a list,
    and with the number of other objects, before they are passed."""

    content: bytes
    count: Callable[[int, int], None] = lambda structs, entries: None
    place: int = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """The numbers and types of the fields of a struct: read or skip each before the next."""
        number = 0
        while head := self._byte():
            kind = head & 15
            number = _signed(number + (head >> 4), 16) if head >> 4 else self.integer(16)
            yield number, kind

    def struct(self, inner: Readers = NOTHING) -> Struct:
        """The numbers and texts of a struct by their fields, and what ``inner`` reads of others.

        A field has a number and a type: Thrift skips one of another type than it expects. Where a
        field is there twice, the last one counts.
        """
        values: Struct = {}
        for field in self.fields():
            if field in inner:
                values[field] = inner[field]()
            elif field[1] in _BITS:
                values[field] = self.integer(_BITS[field[1]])
            elif field[1] == BINARY:
                values[field] = self.binary()
            else:
                self.skip(field[1])
        return values

    def structs(self, inner: Readers = NOTHING) -> list[Struct]:
        """The structs of a list."""
        length, kind = self.listed()
        if kind != STRUCT and length:
            raise DamagedError(f"a list of type {kind} for one of structs")
        self.count(length, 0)
        return [self.struct(inner) for _ in range(length)]

    def integer(self, bits: int) -> int:
        """A signed number: zigzag."""
        unsigned = self._unsigned() & (1 << bits) - 1
        return unsigned >> 1 ^ -(unsigned & 1)

    def binary(self) -> bytes:
        """Some bytes, or a text."""
        length = self._unsigned()
        self._pass(length)
        return self.content[self.place - length : self.place]

    def listed(self) -> tuple[int, int]:
        """How many entries a list has, and their type."""
        head = self._byte()
        length = self._unsigned() if head >> 4 == 15 else head >> 4
        if length > len(self.content):  # each has a byte at least
            raise DamagedError(f"a list of {length:,} in {len(self.content):,} bytes")
        return length, head & 15

    def skip(self, kind: int, depth: int = 0) -> None:
        """Go beyond the value of a field."""
        if kind in _BITS:
            self._unsigned()
        elif kind == BINARY:
            self._pass(self._unsigned())
        elif kind == STRUCT:
            self.count(0, 1)
            self._skip_struct(depth)
        elif kind in (LIST, _SET):
            length, entries = self.listed()
            self.count(0, length)
            for _ in range(length):
                self._skip_entry(entries, depth)
        elif kind == _MAP:
            self._skip_map(depth)
        elif kind in (_BYTE, _DOUBLE):
            self._pass(1 if kind == _BYTE else 8)
        elif kind not in (_TRUE, _FALSE):
            raise DamagedError(f"type {kind} of a field")

    def _skip_struct(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise DamagedError(f"more than {_DEEPEST} structs in each other")
        for _, kind in self.fields():
            self.skip(kind, depth + 1)

    def _skip_map(self, depth: int) -> None:
        length = self._unsigned()
        if length > len(self.content):
            raise DamagedError(f"a map of {length:,} in {len(self.content):,} bytes")
        self.count(0, 2 * length)
        kinds = self._byte() if length else 0
        for _ in range(length):
            self._skip_entry(kinds >> 4, depth)
            self._skip_entry(kinds & 15, depth)

    def _skip_entry(self, kind: int, depth: int) -> None:
        if kind in (_TRUE, _FALSE):
            self._pass(1)
        elif kind == STRUCT:
            self._skip_struct(depth + 1)
        else:
            self.skip(kind, depth + 1)

    def _unsigned(self) -> int:
        total = 0
        for shift in range(0, 7 * _LONGEST_NUMBER, 7):
            byte = self._byte()
            total |= (byte & 127) << shift
            if byte < 128:
                return total
        raise DamagedError(f"a number of more than {_LONGEST_NUMBER} bytes")

    def _byte(self) -> int:
        self._pass(1)
        return self.content[self.place - 1]

    def _pass(self, length: int) -> None:
        if self.place + length > len(self.content):
            raise DamagedError("the end of the bytes")
        self.place += length


def _signed(number: int, bits: int) -> int:
    half = 1 << bits - 1
    return (number + half) % (2 * half) - half


def number_text(number: int) -> bytes:
    """A signed number, as the protocol writes it."""
    unsigned = number << 1 ^ number >> 63
    digits = bytearray()
    while unsigned > 127:
        digits.append(unsigned & 127 | 128)
        unsigned >>= 7
    return bytes([*digits, unsigned])
