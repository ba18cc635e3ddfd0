"""What models list: sequences that are made as far as they are looked at, and their text.

Names come from files of strangers: each stays in its line, whatever characters it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import index as integer
from typing import TypeVar, overload

from liftgraph.display import counted, format_count
from liftgraph.errors import printable

T_co = TypeVar("T_co", covariant=True)
LINES = 40  # the most lines of each kind
_NAMES = 12  # the most names in a line
_STATES = 6  # the most states in braces


class Lazy(Sequence[T_co]):
    """A read-only sequence whose items are made when they are asked for.

    Slices are tuples. Printing it shows the first items and how many there are.
    """

    noun = "item"

    @property
    def size(self) -> int:
        """How many items there are; ``len`` refuses numbers beyond those of the machine."""
        raise NotImplementedError

    def item(self, index: int) -> T_co:
        """The item with an index. Precondition: there is one."""
        raise NotImplementedError

    def texts(self) -> Iterator[str]:
        """The items as one line of text each."""
        return map(str, self)

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        if isinstance(index, slice):
            return tuple(map(self.item, range(*index.indices(self.size))))
        place = integer(index)
        if not -self.size <= place < self.size:
            size = counted(self.size, self.noun)
            raise IndexError(f"expected an index of one of {size}, got {place}")
        return self.item(place % self.size)

    def __iter__(self) -> Iterator[T_co]:
        return map(self.item, range(self.size))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        pairs = zip(self, other, strict=True)
        return len(self) == len(other) and all(ours == theirs for ours, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{counted(self.size, self.noun)}: {first_few(self.texts(), self.size)}"


def first_few(texts: Iterable[str], count: int, most: int = _NAMES) -> str:
    """The first of some texts, in a line, and how many more there are.

    >>> first_few("abc", 3), first_few("abc", 3, most=2), first_few((), 0)
    ('a, b, c', 'a, b, … and 1 more', 'none')
    """
    dots = [f"… and {format_count(count - most)} more"] * (count > most)
    return ", ".join([*map(printable, islice(texts, most)), *dots]) or "none"


def in_braces(states: Sequence[str]) -> str:
    """States as a set, the first of many.

    >>> in_braces(("true", "false")), in_braces("abcdefgh")
    ('{true, false}', '{a, b, c, d, e, f, …}')
    """
    first = ", ".join(map(printable, states[:_STATES]))
    return f"{{{first}{', …' * (len(states) > _STATES)}}}"


def sections(listed: Iterable[tuple[str, int, Iterable[str]]]) -> str:
    """Titles, each with its first lines below it; ``listed``: titles, how many lines, the lines.

    >>> print(sections([("variables", 2, ["A", "B"]), ("factors", 0, [])]))
    variables
      A
      B
    """
    lines: list[str] = []
    for title, count, texts in listed:
        lines += [title, first_lines(texts, count, indent="  ")] * (count > 0)
    return "\n".join(lines) or "nothing"


def first_lines(texts: Iterable[str], count: int, indent: str = "") -> str:
    """The first of some texts, a line each, and how many more there are.

    >>> print(first_lines(map(str, range(50)), 50).splitlines()[-1])
    … and 10 more
    """
    dots = [f"… and {format_count(count - LINES)} more"] * (count > LINES)
    return "\n".join([f"{indent}{printable(text)}" for text in (*islice(texts, LINES), *dots)])
