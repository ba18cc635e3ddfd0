"""Which variables of a factor graph stand for a PRV: what names with dots may not tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from liftgraph.model.arrays import digits
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.substitutions import Numbering


@dataclass(frozen=True, eq=False)
class GroundPRV:
    """The variables of a PRV, one after the other: ``first`` is the index of the first one.

    ``numbering``: the substitutions of its logvars that they stand for, in their order.
    """

    prv: PRV
    first: int
    numbering: Numbering

    def individuals(self) -> list[list[str]]:
        """The individuals of all variables, a column for each logvar."""
        listed = self.numbering.listed
        code = np.arange(self.numbering.total) if listed is None else listed
        columns = digits(code, [logvar.size for logvar in self.prv.logvars])
        return [
            [*map(logvar.domain.individual, column.tolist())]
            for logvar, column in zip(self.prv.logvars, columns, strict=True)
        ]

    def names(self) -> list[str]:
        """The names of all variables: the PRV and its individuals, joined by dots."""
        if not self.prv.logvars:
            return [self.prv.name] * self.numbering.total
        rows: Iterable[tuple[str, ...]] = zip(*self.individuals(), strict=True)
        return [".".join((self.prv.name, *parts)) for parts in rows]
