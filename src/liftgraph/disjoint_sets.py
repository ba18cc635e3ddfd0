"""Disjoint sets: which things belong together, from pairs that do."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class DisjointSets(Generic[Thing]):
    """A partition that grows coarser: sets are joined, and never divided (Tarjan 1975).

    Things need not be declared: a thing that was never joined is in a set of its own.

    >>> sets: DisjointSets[str] = DisjointSets()
    >>> sets.join("abc"), sets.join("de"), sets.join("cd")
    (None, None, None)
    >>> sets.find("e") == sets.find("a"), sets.find("x")
    (True, 'x')
    """

    def __init__(self) -> None:
        self._parent: dict[Thing, Thing] = {}

    def find(self, thing: Thing) -> Thing:
        """The representative of the set that a thing is in."""
        parent = self._parent
        while (above := parent.get(thing, thing)) != thing:
            parent[thing] = thing = parent.get(above, above)
        return thing

    def join(self, things: Iterable[Thing]) -> None:
        """Make one set of all sets that these things are in."""
        iterator = iter(things)
        first = next(iterator, None)
        if first is None:
            return
        root = self.find(first)
        for thing in iterator:
            self._parent[self.find(thing)] = root
