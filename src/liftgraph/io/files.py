"""Reading bytes and text, gzipped if the name of the file ends in .gz.

Standard input has no name. Whether it is gzipped is seen from how it begins.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from liftgraph.errors import InputError, ParseError, reason
from liftgraph.io.allowance import Allowance

END = "the end of the file"  # what errors say came, if nothing did
_GZIPPED = b"\x1f\x8b"  # how gzipped data begin; text never does
_CHUNK = 1 << 16
_SMALLEST = 1 << 18  # what reading the smallest file takes: buffers, and objects of the libraries
_COPIES = 3  # of a text that are kept as text at the same time
KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
_WIDTHS = ((4, re.compile(rb"[\xf0-\xff]")), (2, re.compile(rb"[\xc4-\xff]")))


class StandardInput(str):
    """Stands for standard input where readers expect a path; messages call it by this text."""

    __slots__ = ()


STANDARD_INPUT = StandardInput("standard input")


def open_regular(path: Path | str, where: str | None = None) -> BinaryIO:
    """A file with a size, open; a pipe or a device is refused, and not waited for.

    ``where``: what errors name.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind != stat.S_IFREG:
        os.close(descriptor)
        raise InputError(f"{where or path}: expected a file, got {KINDS.get(kind, 'a device')}")
    return os.fdopen(descriptor, "rb", buffering=0)


def read_bytes(path: Path | str, allowance: Allowance, byte_cost: int) -> bytes:
    """The content of a file, unpacked if its name ends in .gz; read as far as is allowed.

    ``byte_cost``: how much memory the caller needs for each byte, this byte included.
    """
    packed = Path(path).suffix == ".gz" or isinstance(path, StandardInput)
    allowance.take(_SMALLEST, "the smallest file needs this")
    try:
        with _opened(path, packed) as stream:
            content = b"".join(_chunks(stream.read, allowance, byte_cost))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ParseError(str(path), 1, f"expected gzipped data, got {error}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {reason(error)}") from None
    if not packed and content.startswith(_GZIPPED):
        raise ParseError(str(path), 1, "expected text, got gzipped data without .gz in its name")
    return content


def _opened(path: Path | str, packed: bool) -> AbstractContextManager[Any]:
    """A stream of a file's content. Standard input stays open, for whoever it belongs to."""
    if not isinstance(path, StandardInput):
        return (gzip.open if packed else open)(path, "rb")
    if sys.stdin is None:
        raise ValueError("it is closed")
    stream: Any = sys.stdin.buffer
    begins_gzipped = stream.peek(1)[:1] == _GZIPPED[:1]  # a pipe may have no more so far
    return nullcontext(gzip.GzipFile(fileobj=stream) if begins_gzipped else stream)


def _chunks(read: Callable[[int], bytes], allowance: Allowance, byte_cost: int) -> Iterator[bytes]:
    length = 0
    while chunk := read(_CHUNK):
        length += len(chunk)
        allowance.take(byte_cost * len(chunk), f"its text has {length:,} bytes or more")
        yield chunk


def read_text(path: Path | str, allowance: Allowance, byte_cost: int) -> str:
    """The content of a file in UTF-8, unpacked if its name ends in .gz; see ``read_bytes``."""
    content = read_bytes(path, allowance, byte_cost)
    width = next((width for width, letter in _WIDTHS if letter.search(content)), 1)
    wider = _COPIES * (width - 1) * len(content)
    allowance.take(wider, f"its text has {len(content):,} bytes, some not of ASCII")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"expected UTF-8, got {content[error.start]:#x}"
        raise error_at(str(path), content, error.start, problem) from None


def error_at(path: str, content: bytes, place: int, problem: str) -> ParseError:
    """The error at a byte of a file, naming its line and column."""
    start = content.rfind(b"\n", 0, place) + 1
    column = len(content[start:place].removeprefix(BOM_UTF8).decode(errors="replace")) + 1
    return ParseError(path, content.count(b"\n", 0, start) + 1, problem, column)
