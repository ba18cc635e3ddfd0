"""The memory that reading a file may take: readers ask for it before they make anything large.

What they ask for is a bound, in bytes, on what they then use: a number for each byte of text, for
each number, name, entry of a table or individual. These were measured; ``tests/io/test_memory.py``
compares both. Most of it stays until the model is complete, and is not given back.
"""

from __future__ import annotations

from dataclasses import dataclass

from liftgraph.model.memory_limit import beyond_limit, checked_memory_limit

STATE_COST = 80  # of a state without a name of its own, which is called by its index


@dataclass(slots=True)
class Allowance:
    """How many bytes reading the file at ``path`` may take, and how many it has taken.

    ``borrowed``: those of them that are in use only for a while.

    >>> Allowance("m.blog", 1000).take(2000, "it is long", line=1)
    Traceback (most recent call last):
    liftgraph.errors.MemoryLimitError: m.blog:1: needs 2.0 KiB, the limit is 1000 bytes: it is long
    """

    path: str
    limit: int
    taken: int = 0
    borrowed: int = 0
    most_borrowed: int = 0

    def __post_init__(self) -> None:
        self.limit = checked_memory_limit(self.limit)

    def take(self, size: int, what: str, line: int | None = None) -> None:
        """Take some bytes, or refuse; ``what`` needs them, in words."""
        self.taken += size
        if self.taken > self.limit:
            place = self.path if line is None else f"{self.path}:{line}"
            raise beyond_limit(f"{place}: needs", self.taken, self.limit, what)

    def borrow(self, size: int, what: str) -> None:
        """Take some bytes for a while. Whoever gives back lowers ``borrowed``: the most counts."""
        self.borrowed += size
        if (more := self.borrowed - self.most_borrowed) > 0:
            self.most_borrowed = self.borrowed
            self.take(more, what)
