"""Owner, mode and access lists of a file or a folder, which stay when its content is replaced."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

_KEPT = ("user.", "system.posix_acl_", "security.selinux")
_LISTS = "system.posix_acl_access", "system.posix_acl_default"


def keep_attributes(path: str, earlier: os.stat_result, descriptor: int) -> None:
    """Give an open file or folder what another has, as far as the system permits, and no more.

    ``earlier``: the status of what is at the path. Whoever could not read that one cannot read
    the new one. Windows has none of this.
    """
    if not hasattr(os, "fchown"):
        return
    for owner in (earlier.st_uid, -1):  # one may give away a group, but not an owner
        with suppress(OSError):
            os.fchown(descriptor, owner, earlier.st_gid)
            break
    if hasattr(os, "listxattr"):
        _keep_extended(path, descriptor)
    os.fchmod(descriptor, _mode(earlier, os.fstat(descriptor)))


def _keep_extended(path: str, descriptor: int) -> None:
    for name in _LISTS:
        with suppress(OSError):  # it has none from the folder
            os.removexattr(descriptor, name)
    with suppress(OSError):  # the file system has no such attributes
        for name in os.listxattr(path):
            if name.startswith(_KEPT):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(path, name))


def _mode(earlier: os.stat_result, status: os.stat_result) -> int:
    """The earlier mode, without what it grants to another owner or another group."""
    mode = stat.S_IMODE(earlier.st_mode)
    if status.st_uid != earlier.st_uid:
        mode &= ~stat.S_ISUID
    if status.st_gid != earlier.st_gid:  # this group gets what everybody had
        others = mode & stat.S_IRWXO
        mode &= ~(stat.S_ISGID | stat.S_IRWXG) | others << 3
    return mode
