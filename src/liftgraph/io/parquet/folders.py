"""Writing a folder as a whole: readers find the old one or the new one, never half of it.

The new folder is made in a partial folder beside the target, which is locked. Where the system can
exchange two names (Linux), there is always a folder under the name. Elsewhere the old one is moved
out of the way first; if the writer is killed right then, the next one puts it back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftgraph.errors import InputError, reason
from liftgraph.exact import shortened
from liftgraph.io.attributes import keep_attributes
from liftgraph.io.files import KINDS
from liftgraph.io.locks import lock
from liftgraph.io.parquet.layout import COUNTS, FILES
from liftgraph.io.writing import (
    EARLIER,
    is_named,
    open_to_lock,
    partial_names,
    remove_partial,
    sync_folder,
)

_NEW = "new"  # in a partial folder: what is written; after an exchange, what was there before
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2(2)
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}  # exchange names in this system
_MEANWHILE = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}  # others wrote or removed the target
_TRIES = 10


@dataclass(frozen=True, slots=True)
class NewFolder:
    """A folder that is being written. ``generation``: what its files have in common, and no others
    have."""

    path: Path
    generation: str


@contextmanager
def replacing(folder: Path | str) -> Iterator[NewFolder]:
    """A new folder to write into, which gets the name of the old one if nothing goes wrong.

    It keeps the owners and modes of the old one and its files. A folder with anything that is not
    of a graph on disk is refused: it would be lost.
    """
    target = Path(os.path.realpath(folder))
    try:
        _check_replaceable(folder, target)
        with _partial(target) as partial:
            new = partial / _NEW
            new.mkdir()
            yield NewFolder(new, secrets.token_hex(16))
            _check_replaceable(folder, target)  # the user may have put something there meanwhile
            _finish(new, target)
            _name(new, target)
            sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {reason(error)}") from None


def _check_replaceable(folder: Path | str, target: Path) -> None:
    for left in reversed(range(_TRIES)):
        before = _identity(target)
        try:
            if before is not None:
                _check_folder(folder, target)
            return
        except (InputError, OSError):  # perhaps of one that another writer just removed
            if before == _identity(target) or not left:
                raise


def _identity(target: Path) -> object:
    """A value that differs if another folder has the name."""
    with suppress(FileNotFoundError):
        status = target.lstat()
        return status.st_dev, status.st_ino, status.st_ctime_ns
    return None


def _check_folder(folder: Path | str, target: Path) -> None:
    if not target.is_dir():
        raise InputError(f"{folder}: expected a folder or a new name, got a file")
    if not os.access(target, os.W_OK):  # renaming would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    files = sorted(target.iterdir())
    others = [file.name for file in files if file.name not in FILES]
    if others or (files and target / COUNTS not in files):
        came = f"{shortened(others[0])} in it" if others else f"no {COUNTS} in it"
        raise InputError(f"{folder}: expected only a graph on disk to replace, got {came}")
    for file in files:
        kind = stat.S_IFMT(file.lstat().st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            came = f"{KINDS.get(kind, 'a device')}: {file.name}"
            raise InputError(f"{folder}: expected only a graph on disk to replace, got {came}")


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A folder of our own beside a target, locked; those of dead writers are removed."""
    for name in partial_names(str(target)):
        descriptor = _claimed(name)
        if descriptor is not None:
            break
    try:
        yield Path(name)
    finally:
        with suppress(OSError):
            remove_partial(name, str(target))
        if descriptor is not None and descriptor >= 0:
            os.close(descriptor)


def _claimed(name: str) -> int | None:
    """Make and lock a folder: what to close (-1: nothing), or None if another writer has it."""
    descriptor, claimed = -1, False
    try:
        os.mkdir(name, 0o700)
    except FileExistsError:
        return None
    try:
        if hasattr(os, "O_DIRECTORY"):
            descriptor = open_to_lock(name)
            # Another writer may have taken it for one left behind, before it was locked.
            if lock(descriptor) is False or not is_named(name, descriptor):
                return None
        claimed = True
        return descriptor
    except FileNotFoundError:
        return None
    finally:
        if not claimed:
            with suppress(OSError):  # it is gone, or another writer is about to remove it
                os.rmdir(name)
            if descriptor >= 0:
                os.close(descriptor)


def _finish(new: Path, target: Path) -> None:
    """Bring a folder to the disk, with the owners and modes of what it replaces."""
    for path in [*new.rglob("*"), new]:
        is_folder = path.is_dir()
        if is_folder and not hasattr(os, "O_DIRECTORY"):
            continue
        descriptor = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            model = _model(target, path.relative_to(new), is_folder)
            if model is not None:
                keep_attributes(str(model), os.stat(model), descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _model(target: Path, name: Path, is_folder: bool) -> Path | None:
    """The model of a new file or folder: the earlier one of its name, or else all others."""
    earlier = target / name
    if not (target / COUNTS).exists():  # nothing is replaced, or an empty folder
        return target if target.exists() and earlier == target else None
    if is_folder:
        return earlier if earlier.is_dir() else target
    return earlier if earlier.is_file() else target / COUNTS


def _name(new: Path, target: Path) -> None:
    """Give a written folder its name; what had the name is in the partial folder then."""
    for left in reversed(range(_TRIES)):
        try:
            if not os.path.lexists(target):
                os.rename(new, target)
            elif not _exchanged(new, target):
                _moved(new, target)
            return
        except OSError as error:
            if error.errno not in _MEANWHILE or not left:
                raise


def _exchanged(new: Path, target: Path) -> bool:
    """Exchange two names at once; False where the system cannot."""
    try:
        rename: Any = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    if rename(_HERE, os.fsencode(new), _HERE, os.fsencode(target), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number))


def _moved(new: Path, target: Path) -> None:
    """Exchange two names one after the other."""
    earlier = new.with_name(EARLIER)
    os.rename(target, earlier)
    try:
        os.rename(new, target)
    except BaseException:
        os.rename(earlier, target)
        raise
    os.rename(earlier, new)  # it has not to go back
