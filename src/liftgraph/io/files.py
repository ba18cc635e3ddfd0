"""Reading and writing bytes, gzipped if the name ends in .gz; a failed write leaves no file."""

from __future__ import annotations

import gzip
import os
import zlib
from codecs import BOM_UTF8
from pathlib import Path
from threading import get_ident

from liftgraph.errors import InputError, ParseError

END = "the end of the file"  # what errors say came, if nothing did
_GZIPPED = b"\x1f\x8b"  # how gzipped data begin; text never does


def read_bytes(path: Path | str) -> bytes:
    """The content of a file, unpacked if its name ends in .gz."""
    try:
        content = Path(path).read_bytes()
        if Path(path).suffix == ".gz":
            return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ParseError(str(path), 1, f"expected gzipped data, got {error}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {_reason(error)}") from None
    if content.startswith(_GZIPPED):
        raise ParseError(str(path), 1, "expected text, got gzipped data without .gz in its name")
    return content


def read_text(path: Path | str) -> str:
    """The content of a file in UTF-8, unpacked if its name ends in .gz."""
    content = read_bytes(path)
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


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a whole file, compressed if its name ends in .gz; equal content gives equal files."""
    packed = gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content
    try:
        target = Path(os.path.realpath(path))  # a link stays a link: what it points to is written
        partial = target.with_name(f".{os.getpid()}.{get_ident()}.partial")
        try:
            partial.write_bytes(packed)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be written: {_reason(error)}") from None


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
