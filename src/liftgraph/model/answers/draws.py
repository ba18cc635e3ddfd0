"""Where the states of samples come from: listed beforehand, or written out when they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.integer[Any]]


class Draws(Protocol):
    """The states of variables in samples.

    A block is a range of variables, by number, which have the same states: those of a PRV.
    """

    def states(self, block: range) -> Iterator[States]:
        """The states of the variables of a block, (samples, variables), some samples at a time."""

    def column(self, variable: int) -> States:
        """The state of a variable in each sample."""

    def counts(self, block: range, size: int) -> NDArray[np.int64]:
        """How many variables of a block have each of ``size`` states, by sample."""


@dataclass(frozen=True, eq=False)
class ListedDraws:
    """States that are listed: an array with a row for each sample, a column for each variable."""

    listed: States

    def __post_init__(self) -> None:
        self.listed.flags.writeable = False

    def states(self, block: range) -> Iterator[States]:
        """The states of the variables of a block, (samples, variables)."""
        yield self.listed[:, block.start : block.stop]

    def column(self, variable: int) -> States:
        """The state of a variable in each sample."""
        return self.listed[:, variable]

    def counts(self, block: range, size: int) -> NDArray[np.int64]:
        """How many variables of a block have each of ``size`` states, by sample."""
        part = self.listed[:, block.start : block.stop]
        return np.stack([(part == state).sum(axis=1) for state in range(size)], axis=1)
