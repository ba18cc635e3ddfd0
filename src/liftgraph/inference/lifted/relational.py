"""The distributions of the variables of each PRV, by shard: no individuals are listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.placements import placements
from liftgraph.inference.lifted.shards import ShardIndex, members
from liftgraph.model.answers.relational import Individuals
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import PRV, Parfactor
from liftgraph.model.lifted.substitutions import exists, in_order, substitutions


def shards_of(shards: ShardIndex, prv: PRV) -> list[int]:
    """The shards of a PRV, without those that have no variables.

    They are where an argument of a parfactor about this PRV alone may be.
    """
    ones = Table.of([1] * len(prv.states))
    alone = Parfactor((prv.atom,), prv.logvars, ones, prv.constraints)
    found: dict[int, None] = {}
    for placement in placements(alone, shards.parts, shards.domain):
        blocks = [placement.block[logvar] for logvar in prv.logvars]
        parts = [placement.part_of(block) for block in blocks]
        found[shards.axis(prv, parts, blocks)[0]] = None
    return [*found]


@dataclass(frozen=True, eq=False)
class ShardRows:
    """The variables of a PRV as rows. ``group_of``: the group of each of its shards."""

    shards: ShardIndex
    prv_index: int
    group_of: Mapping[int, int]

    @property
    def _prv(self) -> PRV:
        return self.shards.model.prvs[self.prv_index]

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the logvars."""
        return tuple([logvar.name for logvar in self._prv.logvars])

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self._prv.size

    def __iter__(self) -> Iterator[tuple[Individuals, int]]:
        domains = [logvar.domain for logvar in self._prv.logvars]
        for numbers in in_order(self._prv.pattern) if domains else [()]:
            pairs = zip(domains, numbers, strict=True)
            yield tuple([domain.individual(n) for domain, n in pairs]), self._group(numbers)

    def _group(self, numbers: tuple[int, ...]) -> int:
        return self.group_of[self.shards.shard((self.prv_index, numbers))]

    def find(self, individuals: Individuals) -> int | None:
        """The group of the variable of individuals; None if there is none."""
        pairs = zip(self._prv.logvars, individuals, strict=True)
        numbers = tuple([logvar.domain.find(name) for logvar, name in pairs])
        return self._group(numbers) if exists(self._prv.pattern, numbers) else None

    def columns(self) -> list[list[str]]:
        """The individuals of all rows, a column for each logvar."""
        chosen = zip(self._prv.logvars, substitutions(self._prv.pattern), strict=False)
        return [[*map(logvar.domain.individual, numbers.tolist())] for logvar, numbers in chosen]

    def groups(self) -> NDArray[np.int64]:
        """The group of each row, int64 (n,)."""
        groups = np.zeros(self.size, dtype=np.int64)
        start = self.shards.model.variable_start[self.prv_index]
        for member in members(self.shards, {self.prv_index}):
            groups[member.variables - start] = self.group_of[member.shard]
        return groups
