"""Writing a folder as a whole: readers find the old one or the new one, never half of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from liftgraph.errors import InputError, reason
from liftgraph.exact import shortened
from liftgraph.io.parquet.layout import COUNTS, FILES
from liftgraph.io.writing import sync_folder


@contextmanager
def replacing(folder: Path | str) -> Iterator[Path]:
    """A new folder to write into, which gets the name of the old one if nothing goes wrong.

    A folder with anything that is not of a graph on disk is refused: it would be lost.
    """
    target = Path(os.path.realpath(folder))
    try:
        _check_replaceable(folder, target)
        partial = _beside(target, ".partial")
        try:
            partial.chmod(0o777 & ~_umask())
            yield partial
            _exchange(partial, target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {reason(error)}") from None


def _check_replaceable(folder: Path | str, target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{folder}: expected a folder or a new name, got a file")
    names = sorted(file.name for file in target.iterdir())
    others = [name for name in names if name not in FILES]
    if others or (names and COUNTS not in names):
        came = f"{shortened(others[0])} in it" if others else f"no {COUNTS} in it"
        raise InputError(f"{folder}: expected only a graph on disk to replace, got {came}")


def _umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def _exchange(partial: Path, target: Path) -> None:
    """Give a written folder its name; what had it before is removed."""
    for file in partial.rglob("*"):
        if file.is_file():
            _sync(file)
    sync_folder(partial)
    if not target.exists():
        partial.rename(target)
    else:
        earlier = _beside(target, ".earlier") / target.name
        target.rename(earlier)
        try:
            partial.rename(target)
        except OSError:
            earlier.rename(target)
            raise
        finally:
            if target.exists():
                shutil.rmtree(earlier.parent, ignore_errors=True)
    sync_folder(target.parent)


def _beside(target: Path, suffix: str) -> Path:
    """A new folder beside a target, whose name says what it belongs to."""
    return Path(mkdtemp(prefix=f".{target.name[:80]}-", suffix=suffix, dir=target.parent))


def _sync(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
