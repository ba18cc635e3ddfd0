"""The variables of models as samples list them: by PRV, and in the order of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.model.answers.sample import Block, Variables
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States, is_count
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

    def first(self, count: int) -> Variables:
        """The first so many variables."""
        return self if count == self.count else FirstVariables(self, count)


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

    def first(self, count: int) -> Variables:
        """The first so many variables, in the order of the given graph if there was one."""
        if count == self.count:
            return self
        if self.model.origin is not None or count not in self.model.variable_start:
            return FirstVariables(self, count)
        prvs = self.model.prvs[: self.model.variable_start.index(count)]
        return LiftedVariables(ParfactorGraph(prvs, ()))


@dataclass(frozen=True, eq=False)
class FirstVariables:
    """The first ``count`` of some variables, in the order of the model. PRVs which are there as a
    whole are still blocks; the variables of others stand by themselves, under their own names."""

    whole: Variables
    count: int

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.whole.names[: self.count]

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """Their numbers."""
        return self.whole.numbers[: self.count]

    @cached_property
    def _blocks(self) -> list[Block]:
        name_of = dict(zip(self.numbers.tolist(), self.names, strict=True))
        blocks = []
        for block in self.whole.blocks():
            kept = [number for number in block.variables if number in name_of]
            if len(kept) == len(block.variables):
                blocks.append(block)
            else:
                single = ((n, PRV(name_of[n], states=block.prv.states)) for n in kept)
                blocks += [Block(prv, range(n, n + 1)) for n, prv in single]
        return blocks

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self._blocks)

    def blocks(self) -> Iterator[Block]:
        """Whole PRVs and single variables."""
        return iter(self._blocks)

    def block(self, name: str | int) -> Block:
        """A whole PRV or a single variable, by its name."""
        known = {block.prv.name: block for block in self._blocks}
        called = self.names[name] if is_count(name) and 0 <= name < self.count else name
        if called not in known:
            listed = ", ".join([*[*known][:_SHOWN], *["…"] * (len(known) > _SHOWN)])
            expected = f"one of the first {self.count:,} variables ({listed})"
            raise InputError(f"expected {expected}, got {quoted(name)}")
        return known[str(called)]

    def variable(self, name: str | int) -> tuple[int, States]:
        """The number of a variable, and its states."""
        number, states = self.whole.variable(name)
        if number not in self.numbers:
            expected = f"one of the first {self.count:,} variables"
            raise InputError(f"expected {expected}, got {quoted(name)}")
        return number, states

    def first(self, count: int) -> Variables:
        """The first so many variables."""
        return self.whole.first(count)
