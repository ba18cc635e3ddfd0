"""Bytes from and to files, gzipped where the name ends in .gz; a failed write leaves no file."""

from __future__ import annotations

import gzip
import os
import zlib
from contextlib import suppress
from pathlib import Path

from liftgraph.errors import InputError, ParseError


def read_bytes(path: Path | str) -> bytes:
    """The content of a file, unpacked if its name ends in .gz."""
    try:
        content = Path(path).read_bytes()
        return gzip.decompress(content) if Path(path).suffix == ".gz" else content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ParseError(str(path), 1, f"expected gzipped data, got {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a whole file, packed if its name ends in .gz; equal content gives equal files."""
    target = Path(path)
    packed = gzip.compress(content, mtime=0) if target.suffix == ".gz" else content
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(packed)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
