"""The variables of models as samples list them: by PRV, and in the order of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.model.answers.sample import Block
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import variable_names

_SHOWN = 20  # PRVs that an error lists


@dataclass(frozen=True, eq=False)
class GraphVariables:
    """The variables of a factor graph, each a PRV without logvars."""

    graph: FactorGraph

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables."""
        return tuple(self.graph.variables)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each variable: its index."""
        return np.arange(self.graph.variable_count)

    @property
    def count(self) -> int:
        """How many variables there are."""
        return self.graph.variable_count

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return self.graph.variable_count

    def blocks(self) -> Iterator[Block]:
        """Each variable by itself."""
        return map(self.block, range(self.graph.variable_count))

    def block(self, name: str | int) -> Block:
        """A variable, by name or index."""
        index = self.graph.variable(name)
        prv = PRV(self.graph.name(index), states=self.graph.states(index))
        return Block(prv, range(index, index + 1))

    def variable(self, name: str | int) -> tuple[int, States]:
        """The number of a variable, and its states."""
        index = self.graph.variable(name)
        return index, self.graph.states(index)


@dataclass(frozen=True, eq=False)
class LiftedVariables:
    """The variables of a lifted model, PRV after PRV, and the order of the graph it comes from."""

    model: ParfactorGraph

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables."""
        return variable_names(self.model.places)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each variable, in the order of the given graph if there was one."""
        origin = self.model.origin
        return np.arange(self.model.variable_count) if origin is None else origin.variables

    @property
    def count(self) -> int:
        """How many variables there are."""
        return self.model.variable_count

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self.model.prvs)

    def blocks(self) -> Iterator[Block]:
        """The variables of each PRV."""
        return map(self._block, range(len(self.model.prvs)))

    def block(self, name: str | int) -> Block:
        """A PRV by its name."""
        index = self.model.places.prv_index.get(name) if isinstance(name, str) else None
        if index is None:
            known = [prv.name for prv in self.model.prvs]
            listed = ", ".join([*known[:_SHOWN], *["…"] * (len(known) > _SHOWN)])
            hint = did_you_mean(str(name), known) or f" (the model has {listed})"
            raise InputError(f"expected a PRV, got {quoted(name)}{hint}")
        return self._block(index)

    def _block(self, index: int) -> Block:
        start, end = self.model.variable_start[index : index + 2]
        return Block(self.model.prvs[index], range(start, end))

    def variable(self, name: str | int) -> tuple[int, States]:
        """The number of a variable, and its states."""
        place = self.model.locate(name)
        return self.model.number(place), self.model.prvs[place[0]].states
