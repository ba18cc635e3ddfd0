"""Locks on open files, where the system has them: on POSIX, on Windows, or not at all.

The system drops a lock when the process that holds it ends, however it ends.
"""

from __future__ import annotations

import os
from typing import Any

_BEYOND = 2**30  # Windows locks bytes, and others cannot read these: one after the content


def lock(descriptor: int) -> bool | None:
    """Lock a file that is open for writing; False: another holds it, None: there are no locks."""
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    except (ImportError, OSError):  # a system or a file system without locks
        return None
    return True


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        windows: Any = msvcrt  # elsewhere, its stubs are empty
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            windows.locking(descriptor, windows.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
