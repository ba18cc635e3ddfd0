"""What a Parquet file unpacks to, before anything of it is unpacked.

Its own sums are not believed. What a row group takes is charged by the headers of its pages: these
say how many bytes a page has when it is unpacked, and how many values, and a library unpacks no
more than that. Text that is in a dictionary stays there. What no header bounds is charged at its
worst. Reference: https://github.com/apache/parquet-format (``parquet.thrift``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from liftgraph.errors import InputError, ParseError, reason
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import open_regular
from liftgraph.io.parquet.compact import INT32, STRUCT, Compact, DamagedError, Struct
from liftgraph.io.parquet.footers import MAGIC, TEXT, Extent, Footer, Leaf, read_footer

BATCH = 1 << 17  # rows that are read together
_BUFFER = 1 << 20  # bytes of a column that are read together
_OPTIONS: dict[str, Any] = {
    "buffer_size": _BUFFER,
    "pre_buffer": False,
    "page_checksum_verification": True,
}
_HEADER, _LONGEST_HEADER = 1 << 8, 1 << 20  # bytes that are tried, and the most
_DATA, _DICTIONARY, _DATA_AGAIN = 0, 2, 3  # types of pages; the field of a header follows from it
_FIELDS = {_DATA: 5, _DICTIONARY: 7, _DATA_AGAIN: 8}
_PLAIN, _INDICES = {0}, {2, 8}  # encodings
_LENGTHS = {6}  # texts one after the other, as in plain ones, but never in a dictionary
_VALUE_BYTES = 24  # of a value beside itself: its levels, whether it is there, and room to grow
_ENTRY_BYTES = 32  # of a dictionary
_COPIES = 3  # of text: unpacked, as an array, and while that grows


@dataclass(frozen=True, slots=True)
class Source:
    """An open Parquet file; ``file``: as Arrow opened it."""

    footer: Footer
    stream: _Trimmed
    file: Any


@dataclass(slots=True)
class Chunk:
    """A column of a row group. ``values``: in all its pages; ``page``: the bytes of the largest,
    packed and unpacked; ``text``: the unpacked bytes of pages that are not indices;
    ``dictionary``: the bytes of its dictionary in memory."""

    leaf: Leaf
    values: int = 0
    page: int = 0
    unpacked: int = 0
    text: int = 0
    dictionary: int = 0
    encodings: frozenset[int] = frozenset()

    @property
    def coded(self) -> bool:
        """Whether it is read as indices into its dictionary, so that no text is copied."""
        indices = not self.encodings.isdisjoint(_INDICES)
        return self.leaf.kind == TEXT and indices and self.encodings <= _PLAIN | _INDICES

    def needs(self, rows: int | None) -> int:
        """The bytes that reading so many rows together may take; None: all of them."""
        all_values = rows is None or self.leaf.nested
        values = self.values if all_values else min(self.values, rows or 0)
        needed = self.page + self.dictionary + (_VALUE_BYTES + self.leaf.width) * values
        if self.leaf.kind == TEXT:
            needed += _COPIES * self.text
            bounded = self.coded or (self.encodings <= _PLAIN | _LENGTHS and not self.dictionary)
            if not bounded:  # each value may be as long as all of its page
                needed += values * max(self.unpacked, self.dictionary)
        return needed


class _Trimmed:
    """A file whose footer lacks its texts, as Arrow wants files."""

    def __init__(self, file: BinaryIO, footer: Footer) -> None:
        self._file, self._place, self._start = file, 0, footer.start
        self._end = footer.content + len(footer.content).to_bytes(4, "little") + MAGIC
        self._size = footer.start + len(self._end)
        self.closed, self.mode = False, "rb"

    def readable(self) -> bool:
        """Arrow asks for this."""
        return True

    def seekable(self) -> bool:
        """Arrow asks for this."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        self._place = offset + (0, self._place, self._size)[whence]
        return self._place

    def read(self, length: int = -1) -> bytes:
        """As many bytes, unless the file ends."""
        start = self._place
        end = self._size if length < 0 else min(start + length, self._size)
        content = self.pages(start, end - start)
        content += self._end[max(start - self._start, 0) : max(end - self._start, 0)]
        self._place = start + len(content)
        return content

    def pages(self, start: int, length: int) -> bytes:
        """Bytes before the footer."""
        if start >= self._start:
            return b""
        self._file.seek(start)
        return self._file.read(min(length, self._start - start))

    def close(self) -> None:
        """Arrow needs it no more; whoever opened the file closes it."""
        self.closed = True


@contextmanager
def opened(path: Path, allowance: Allowance, where: str | None = None) -> Iterator[Source]:
    """A Parquet file, its footer being charged before it is opened; damage is named.

    Whoever has it open reads one file, even if another one gets its name. ``where``: what errors
    name.
    """
    from pyarrow import ArrowException, parquet

    place = where or str(path)
    try:
        with open_regular(path, where) as file:
            footer = read_footer(file, allowance)
            stream = _Trimmed(file, footer)
            with parquet.ParquetFile(stream, **_OPTIONS) as arrow:
                yield Source(footer, stream, arrow)
    except (ArrowException, UnicodeError, DamagedError) as error:
        raise _damaged(place, error) from None
    except OSError as error:
        if error.errno is None:  # Arrow's own: a page or its checksum is damaged
            raise _damaged(place, error) from None
        raise InputError(f"{place}: cannot be read: {reason(error)}") from None


def _damaged(place: str, error: Exception) -> ParseError:
    return ParseError(place, None, f"expected Parquet, got {' '.join(str(error).split())}")


def row_groups(source: Source, allowance: Allowance, rows: int | None = BATCH) -> Iterator[Any]:
    """The batches of a file, text in dictionaries where its pages have it there.

    What reading ``rows`` together takes is charged for one group at a time; None: all are kept.
    """
    from pyarrow import parquet

    opened = allowance.borrowed
    for group, extents in enumerate(source.footer.groups):
        pairs = zip(source.footer.leaves, extents, strict=True)
        chunks = [_chunk(source.stream, leaf, extent) for leaf, extent in pairs]
        if rows is not None:
            allowance.borrowed = opened
        unpacked = sum([chunk.unpacked for chunk in chunks])
        needed = sum([chunk.needs(rows) for chunk in chunks])
        allowance.borrow(needed, f"its row group {group} unpacks to {unpacked:,} bytes")
        file = source.file
        if coded := [chunk.leaf.path for chunk in chunks if chunk.coded]:
            options = {**_OPTIONS, "metadata": file.metadata, "read_dictionary": coded}
            file = parquet.ParquetFile(source.stream, **options)
        yield from file.iter_batches(BATCH, row_groups=[group])


def _chunk(stream: _Trimmed, leaf: Leaf, extent: Extent) -> Chunk:
    """A column by the headers of its pages, as far as a library goes on: to the values expected."""
    chunk, start = Chunk(leaf), extent.start
    while start < extent.end and chunk.values < extent.values:
        header = _header(stream, start, extent.end)
        start += header.size + header.packed
        if min(header.packed, header.unpacked, header.values) < 0 or start > extent.end:
            raise DamagedError(f"a page of {header.packed:,} bytes in {leaf.path}")
        chunk.page = max(chunk.page, header.packed + header.unpacked)
        chunk.unpacked += header.unpacked
        if header.kind == _DICTIONARY:
            chunk.dictionary += _ENTRY_BYTES * header.values + _COPIES * header.unpacked
        elif header.kind in _FIELDS:
            chunk.values += header.values
            chunk.encodings |= {header.encoding}
            chunk.text += header.unpacked * (header.encoding not in _INDICES)
    return chunk


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a page: its own size, what follows, and how many values that has."""

    size: int
    kind: int
    unpacked: int
    packed: int
    values: int
    encoding: int


def _header(stream: _Trimmed, start: int, end: int) -> _Header:
    tried = _HEADER
    while True:
        try:
            return _parsed(Compact(stream.pages(start, min(tried, end - start))))
        except DamagedError:
            if tried >= min(_LONGEST_HEADER, end - start):
                raise
            tried *= 4  # its statistics may be long texts


def _parsed(content: Compact) -> _Header:
    fields = content.struct({(field, STRUCT): content.struct for field in _FIELDS.values()})
    kind, unpacked, packed = (fields.get((field, INT32), 0) for field in (1, 2, 3))
    inner: Struct = fields.get((_FIELDS.get(kind, 0), STRUCT), {})
    values = inner.get((1, INT32), 0)
    encoding = inner.get((4 if kind == _DATA_AGAIN else 2, INT32), 0)
    return _Header(content.place, kind, unpacked, packed, values, encoding)
