"""What is asked for of a lifted model: single variables, and all variables of a PRV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from liftgraph.errors import InputError
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import (
    Place,
    Variables,
    locate,
    name_of,
    own_names,
)


def asked_of(model: ParfactorGraph, names: Sequence[str | int]) -> Asked:
    """What these names stand for."""
    return Asked(model, tuple([locate_all(model.places, name) for name in names]))


def locate_all(variables: Variables, name: str | int) -> Place | int:
    """The place of a variable; or the number of a PRV, if no variable has this name."""
    try:
        return locate(variables, name)
    except InputError:
        prv = variables.prv_index.get(name) if isinstance(name, str) else None
        if prv is None:
            raise
        return prv


@dataclass(frozen=True)
class Asked:
    """What is asked for, in order: variables, and PRVs (by number) that stand for all of theirs."""

    model: ParfactorGraph
    things: tuple[Place | int, ...]

    @cached_property
    def whole(self) -> frozenset[int]:
        """The PRVs all of whose variables are asked for."""
        return frozenset([one for one in self.things if isinstance(one, int)])

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The single variables that are asked for."""
        return tuple([one for one in self.things if not isinstance(one, int)])

    @property
    def count(self) -> int:
        """How many variables are asked for."""
        return len(self.places) + sum([self.model.prvs[prv].size for prv in self.whole])

    def numbers(self) -> Iterator[int]:
        """The numbers of the variables."""
        start = self.model.variable_start
        for one in self.things:
            if isinstance(one, int):
                yield from range(start[one], start[one + 1])
            else:
                yield self.model.number(one)

    def names(self) -> Iterator[str]:
        """The names of the variables."""
        places = self.model.places
        for one in self.things:
            if not isinstance(one, int):
                yield name_of(places, one)
            elif places.origin is None:
                yield from own_names(Variables((places.prvs[one],)))
            else:
                indices = places.origin.index_by_number[places.start[one] : places.start[one + 1]]
                listed = places.origin.names
                yield from [str(i) if listed is None else listed[i] for i in indices.tolist()]

    def indices(self) -> Iterator[int]:
        """The indices of the variables in the graph that the model stands for."""
        origin = self.model.origin
        for number in self.numbers():
            yield number if origin is None else int(origin.index_by_number[number])
