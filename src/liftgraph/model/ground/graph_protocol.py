"""What looking around in a factor graph needs to know about it; ``FactorGraph`` provides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cache
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential, Table


class Graph(Protocol):
    """A factor graph, as data: ``FactorGraph`` says what is in the arrays."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the variables, None if each is called by its index."""

    @property
    def scope_ptr(self) -> NDArray[np.int64]:
        """Where the arguments of each factor start."""

    @property
    def scope(self) -> NDArray[np.int32]:
        """The arguments of all factors."""

    @property
    def table_id(self) -> NDArray[np.int32]:
        """The potential of each factor."""

    @property
    def potentials(self) -> Sequence[Potential]:
        """The potentials."""

    @property
    def tables(self) -> Sequence[Table]:
        """The potentials as tables."""

    @property
    def evidence(self) -> Evidence:
        """What was observed."""

    @property
    def likelihood_count(self) -> int:
        """How many of the last factors are likelihoods that were given."""

    @property
    def cache(self) -> Cache:
        """What was computed from the graph."""

    @property
    def variable_count(self) -> int:
        """How many variables there are."""

    @property
    def factor_count(self) -> int:
        """How many factors there are."""

    def variable(self, name: str | int) -> int:
        """The index of a variable that is given by its name or index."""

    def has_variable(self, name: str) -> bool:
        """Whether there is a variable of this name."""

    def name(self, variable: str | int) -> str:
        """The name of a variable."""

    def states(self, variable: str | int) -> States:
        """The names of its states."""

    def scope_of(self, factor: int) -> tuple[int, ...]:
        """The variables of one factor."""
