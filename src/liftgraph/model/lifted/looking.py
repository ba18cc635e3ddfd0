"""Looking around in a lifted model: what every one can be asked without any inference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from liftgraph.model.ground.names import States
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.parfactor import Parfactor
from liftgraph.model.lifted.variables import Variables
from liftgraph.model.lifted.views import LiftedVariable, ModelVariables, find, has

if TYPE_CHECKING:
    from liftgraph.model.lifted.factor_views import LiftedFactors


class Model(Protocol):
    """What looking around needs to know about a model; ``ParfactorGraph`` provides it."""

    @property
    def places(self) -> Variables:
        """The variables that the PRVs stand for."""

    @property
    def parfactors(self) -> tuple[Parfactor, ...]:
        """The parfactors."""

    @property
    def evidence(self) -> LiftedEvidence:
        """What was observed."""


class LookingAround:
    """The variables, PRVs and parfactors of a lifted model, by name.

    Variables are given by their name or index, PRVs by their name. If a PRV and a variable have
    the same name, it means the variable. Iterating is over the names of the variables. There is
    no ``len``: ``variable_count`` and ``len(prvs)`` say which one is meant.
    """

    __slots__ = ()

    @property
    def variables(self: Model) -> ModelVariables:
        """The names of the variables that it stands for, in the order of their indices."""
        return ModelVariables(self.places)

    @property
    def factors(self: Model) -> LiftedFactors:
        """The parfactors with their names; ``factors[0]`` is called φ1."""
        from liftgraph.model.lifted.factor_views import LiftedFactors

        return LiftedFactors(self.parfactors)

    def __getitem__(self: Model, variable: str | int) -> LiftedVariable:
        found = find(self.places, variable)
        return LiftedVariable(self.places, self.parfactors, self.evidence, *found)

    def __contains__(self: Model, variable: object) -> bool:
        return has(self.places, variable)

    def __iter__(self: Model) -> Iterator[str]:
        return iter(ModelVariables(self.places))

    def states(self: Model, variable: str | int) -> States:
        """The names of the states of a variable or a PRV."""
        return self.places.prvs[find(self.places, variable)[0]].states
