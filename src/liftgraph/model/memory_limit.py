"""How much memory may be used, and what is said where that is not enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from liftgraph.display import format_bytes, format_count
from liftgraph.errors import InputError, MemoryLimitError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.names import is_count

Bytes: TypeAlias = "int | str"  # a number of bytes, or text such as 8GiB
MEMORY_LIMIT = 4 * 2**30  # bytes, unless another limit is given
_SIZE = re.compile(r"(\d{1,30}(?:\.\d{1,30})?)\s*([kmgt]?)(i?)b?", re.ASCII)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
# Planning and refusing may take this many bytes before they count: so much is taken for models of
# some thousand factors, and numbers for less would not be worth their own cost.
PLANNING_BYTES = 16 * 2**20


class PlanningLimitError(MemoryLimitError):
    """Planning itself would take more memory than allowed; with more, it would not."""


def checked_memory_limit(limit: object) -> int:
    """A limit in bytes, given as a number of bytes or as text such as ``8GiB``.

    >>> checked_memory_limit("8GiB"), checked_memory_limit("1.5 MB"), checked_memory_limit(7)
    (8589934592, 1500000, 7)
    """
    if isinstance(limit, str):
        return parse_size(limit)
    if not is_count(limit) or limit < 0:
        raise InputError(f"expected a memory limit in bytes, got {shortened(quoted(limit))}")
    return int(limit)


def parse_size(text: str) -> int:
    """The number of bytes that a text says: ``500MB``, ``1.5GiB``, ``2g``, ``1000``."""
    match = _SIZE.fullmatch(text.strip().lower())
    if match is None or (match[3] and not match[2]):
        expected = "a memory limit such as 500MB or 8GiB"
        raise InputError(f"expected {expected}, got {shortened(quoted(text))}")
    base = 2**10 if match[3] else 10**3
    return int(Fraction(match[1]) * base ** _POWERS[match[2]])


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


@dataclass(slots=True)
class Planning:
    """How many bytes planning a question has taken, under the memory limit that answering has, too.

    Each step says what it will take before it takes it: a bound, computed from sizes. The first
    ``PLANNING_BYTES`` do not count. What a plan needs later must fit beside what is ``taken``.

    >>> Planning(2**20).take(2**25, "it is large")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    liftgraph.model.memory_limit.PlanningLimitError: planning alone needs 32.0 MiB, the limit ...
    """

    limit: int
    taken: int = 0

    def take(self, size: int, reason: str) -> None:
        """Take some bytes, or refuse."""
        self.check(size, reason)
        self.taken += size

    def check(self, size: int, reason: str) -> None:
        """Refuse where there is no room for this many bytes, which may be needed for a while."""
        needed = self.taken + size
        if needed > self.limit + PLANNING_BYTES:
            advice = f"{reason}; a larger limit allows more"
            error = beyond_limit("planning alone needs", needed, self.limit, advice)
            raise PlanningLimitError(*error.args)

    @property
    def left(self) -> int:
        """How many bytes the answer may take."""
        return self.limit - max(self.taken - PLANNING_BYTES, 0)

    def beyond(self, needed: int, reason: str) -> MemoryLimitError:
        """The error for an answer that takes more bytes than are left."""
        with_plan = self.limit - self.left
        included = f", with {format_bytes(with_plan)} for its plan" if with_plan else ""
        return beyond_limit("needs", needed + with_plan, self.limit, reason + included)
