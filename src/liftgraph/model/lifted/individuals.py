"""Names of individuals that are parts of names of variables, read when they are needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class PartsOfNames(Sequence[str]):
    """The names of individuals, by number: one part, between dots, of the name of a variable each.

    ``names``: of all variables; ``variables``: int (size,), one for each individual;
    ``part_index``: which part of its name. ``increasing``: whether the individuals are in the
    order of their names, so that one is found by bisection.

    >>> texts = PartsOfNames(("Epid", "Sick.alice", "Sick.bob"), np.array([1, 2]), 1, True)
    >>> list(texts), texts.find("bob"), texts == ("alice", "bob")
    (['alice', 'bob'], 1, True)
    """

    names: tuple[str, ...]
    variables: NDArray[np.intp]
    part_index: int
    increasing: bool

    def __len__(self) -> int:
        return len(self.variables)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[str, ...]: ...
    def __getitem__(self, number: int | slice) -> str | tuple[str, ...]:
        if isinstance(number, slice):
            return tuple(self)[number]
        return self.names[int(self.variables[number])].split(".")[self.part_index]

    def __iter__(self) -> Iterator[str]:
        for variable in self.variables.tolist():
            yield self.names[variable].split(".")[self.part_index]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, PartsOfNames | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, ([*self],)

    @property
    def as_listed(self) -> list[int]:
        """The numbers of the individuals in the order of their variables."""
        order: list[int] = np.argsort(self.variables, kind="stable").tolist()
        return order

    def find(self, text: str) -> int:
        """The number of an individual, or -1. Precondition: they are increasing."""
        number = bisect_left(self, text)
        return number if number < len(self) and self[number] == text else -1
