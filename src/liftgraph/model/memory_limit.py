"""How much memory may be used, and what is said where that is not enough."""

from __future__ import annotations

from liftgraph.display import format_bytes, format_count
from liftgraph.errors import InputError, MemoryLimitError, quoted
from liftgraph.model.ground.names import is_count

MEMORY_LIMIT = 4 * 2**30  # bytes, unless another limit is given


def checked_memory_limit(limit: object) -> int:
    """A limit in bytes; anything else is refused."""
    if not is_count(limit) or limit < 0:
        raise InputError(f"expected a memory limit in bytes, got {quoted(limit)}")
    return int(limit)


def beyond_limit(needs: str, needed: int, limit: int, reason: str) -> MemoryLimitError:
    """The error for what takes more bytes than the limit. ``needs``: the words before the bytes.

    >>> str(beyond_limit("needs at least", 2**31, 2**20, "the model has 7 variables"))
    'needs at least 2.0 GiB, the limit is 1.0 MiB: the model has 7 variables'
    >>> str(beyond_limit("needs", 10_050, 10_000, "the largest table has 8 entries"))
    'needs 10,050 bytes, the limit is 10,000 bytes: the largest table has 8 entries'
    """
    shown, allowed = format_bytes(needed), format_bytes(limit)
    if shown == allowed:  # rounded, both look the same
        shown, allowed = f"{format_count(needed)} bytes", f"{format_count(limit)} bytes"
    return MemoryLimitError(f"{needs} {shown}, the limit is {allowed}: {reason}")
