"""Writing whole files: whatever happens, a reader finds the old content or the new one.

The content goes into a partial file beside the target, reaches the disk, and is renamed. A partial
file is locked while it is written. So the next writer of the same target can tell those that
killed writers left behind, and removes them. Folders are written in the same way.
"""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path

from liftgraph.errors import InputError, reason
from liftgraph.io.attributes import keep_attributes
from liftgraph.io.locks import lock

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_PRIVATE, _AS_UMASK_SAYS = 0o600, 0o666
_SWEPT = 16  # partial files of one target that are looked for
_DAY = 24 * 60 * 60.0  # seconds: no writer takes longer
EARLIER = "earlier"  # in a partial folder: what is moved out of the way of a new one
_POSIX = os.name == "posix"  # Windows renames and removes a file only if nobody has it open


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a whole file, compressed if its name ends in .gz; equal content gives equal files.

    A link stays a link: what it points to is written. A file that is replaced keeps its mode and
    its owner as far as the system permits; its other names (hard links) keep the old content.
    Devices and pipes are written into.
    """
    packed = gzip.compress(content, mtime=0) if Path(path).suffix == ".gz" else content
    try:
        earlier = _status(path)
        target = os.path.realpath(path)
        if earlier is None or _is_plain(target, earlier):
            _replace(target, earlier, packed)
        else:
            _write_into(path, earlier, packed)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be written: {reason(error)}") from None


def _status(path: Path | str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:  # also a link to a file that does not exist yet
        return None


def _is_plain(target: str, earlier: os.stat_result) -> bool:
    """Whether a path leads to a file that has a name and is not what this process prints to."""
    found = _status(target)  # what descriptors in /dev/fd stand for may have no name
    named = found is not None and os.path.samestat(found, earlier)
    return named and stat.S_ISREG(earlier.st_mode) and _printed_to(earlier) is None


def _printed_to(earlier: os.stat_result) -> int | None:
    """The descriptor by which this process prints to a file, if it does."""
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(earlier, os.fstat(descriptor)):
                return descriptor
    return None


def _write_into(path: Path | str, earlier: os.stat_result, content: bytes) -> None:
    printed_to = _printed_to(earlier)  # opened again, a file would be written from its beginning
    descriptor = os.open(path, os.O_WRONLY) if printed_to is None else os.dup(printed_to)
    try:
        _write(descriptor, content)
    finally:
        os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _replace(target: str, earlier: os.stat_result | None, content: bytes) -> None:
    if earlier is not None and not os.access(target, os.W_OK):  # renaming would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    for partial in partial_names(target):
        if _replaced_by(partial, target, earlier, content):
            break
    sync_folder(os.path.dirname(target))


def partial_names(target: str) -> Iterator[str]:
    """Names for partial files and folders of a target, no longer than file systems permit.

    Those that killed writers left behind are removed first.
    """
    folder, name = os.path.split(target)
    digest = blake2b(os.fsencode(name), digest_size=8).hexdigest()
    names = (os.path.join(folder, f".liftgraph-{digest}-{n}.partial") for n in count())
    swept = [next(names) for _ in range(_SWEPT)]
    for partial in swept:
        remove_if_left_behind(partial, target)
    yield from swept
    yield from names  # all others are being written


def remove_if_left_behind(partial: str, target: str, ours: bool = False) -> None:
    """Remove what nobody is writing; without locks, if it is ours or a day old."""
    with suppress(OSError):  # there is none, or it is not ours to remove
        if not _POSIX:
            if ours or _is_old(os.stat(partial)):
                remove_partial(partial, target)
            return
        descriptor = open_to_lock(partial)
        try:
            locked = lock(descriptor)
            stale = locked or (locked is None and (ours or _is_old(os.fstat(descriptor))))
            # Its writer may have renamed it meanwhile, and another one taken the name. If it still
            # has the name, nobody else takes that as long as we hold the lock.
            if stale and is_named(partial, descriptor):
                remove_partial(partial, target)
        finally:
            os.close(descriptor)


def open_to_lock(partial: str) -> int:
    """A descriptor of a file or a folder, which a lock needs."""
    try:
        return os.open(partial, os.O_RDWR | _UNFOLLOWED)
    except IsADirectoryError:
        return os.open(partial, os.O_RDONLY | _UNFOLLOWED)


def remove_partial(partial: str, target: str) -> None:
    """Remove a partial file or folder; what had been moved out of its way goes back."""
    if not os.path.isdir(partial):
        os.unlink(partial)
        return
    earlier = os.path.join(partial, EARLIER)
    if os.path.isdir(earlier) and not os.path.lexists(target):
        os.rename(earlier, target)
    shutil.rmtree(partial)


def _is_old(status: os.stat_result) -> bool:
    return time.time() - status.st_mtime > _DAY


def _replaced_by(partial: str, target: str, earlier: os.stat_result | None, content: bytes) -> bool:
    """Replace a file by a partial one with this name; False if another writer has that name."""
    descriptor, created, replaced = -1, False, False
    try:
        descriptor = os.open(partial, _NEW, _AS_UMASK_SAYS if earlier is None else _PRIVATE)
        created = True
        if lock(descriptor) is False or not is_named(partial, descriptor):
            return False  # another writer took it for one left behind, before it was locked
        if earlier is not None:
            keep_attributes(target, earlier, descriptor)
        _write(descriptor, content)
        os.fsync(descriptor)
        if not _POSIX:
            os.close(descriptor)
            descriptor = -1
        os.replace(partial, target)
        replaced = True
    except FileExistsError:
        return False
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        if not replaced:
            remove_if_left_behind(partial, target, created)
    return True


def is_named(partial: str, descriptor: int) -> bool:
    found = _status(partial)
    return found is not None and os.path.samestat(found, os.fstat(descriptor))


def sync_folder(folder: Path | str) -> None:
    """Make a new name in a folder last, where the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
