"""Adding factors that depend on counts, gates and noisy-ORs: none of them is ever a large table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from liftgraph.errors import InputError, short_traceback
from liftgraph.model.ground.count_factors import (
    conditional_count,
    count_potential,
    noisy,
    noisy_max,
)
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential


class CountBuilder(ABC):
    """The part of ``FactorGraphBuilder`` that adds such factors."""

    @abstractmethod
    def add_factor(self, scope: Sequence[str | int], values: object) -> int:
        """Add one factor and return its index."""

    @abstractmethod
    def _variables(self, scope: Sequence[str | int]) -> list[int]: ...

    @abstractmethod
    def _states(self, variables: Sequence[int]) -> list[States]: ...

    @abstractmethod
    def _failure(self, row: int, problem: str) -> InputError: ...

    @short_traceback
    def add_count_factor(
        self,
        variables: Sequence[str | int],
        potentials: object,
        state: str | int | bool | None = "true",
        weights: Sequence[int] | None = None,
    ) -> int:
        """Add a factor which depends on how many variables are in a state; return its index.

        ``potentials``: the weight of each number from 0 on, as a list, a mapping (numbers without
        an entry weigh 0) or a function, such as ``at_least(2)``. ``weights``: what each variable
        in
        this state adds to the number, 1 by default. With ``state=None``, potentials are a mapping
        or a function of histograms: tuples which say how many variables are in each state.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> pumps = builder.add_variables(60)
        >>> builder.add_count_factor(pumps, lambda working: working >= 40)
        0
        """
        scope = self._variables(variables)
        made = partial(count_potential, self._states(scope), potentials, state, weights)
        return self._add_potential(scope, made)

    @short_traceback
    def add_gate(
        self,
        child: str | int,
        variables: Sequence[str | int],
        probabilities: object,
        state: str | int | bool = "true",
    ) -> int:
        """Add the distribution of a variable with two states given how many others are in a state.

        ``probabilities``: that the child is in this state, too, for each number from 0 on, as in
        ``add_count_factor``: ``at_least(2)`` is a 2-of-n gate.
        """
        scope = self._variables([*variables, child])
        made = partial(conditional_count, self._states(scope), probabilities, state)
        return self._add_potential(scope, made)

    @short_traceback
    def add_noisy_or(
        self,
        child: str | int,
        probabilities: Mapping[Any, object],
        leak: object = 0,
        state: str | int | bool = "true",
    ) -> int:
        """Add a noisy-OR: the child is in the state if a cause, or the leak, puts it there.

        ``probabilities``: that each cause alone does so, if it is in the state.
        """
        scope = self._variables([*probabilities, child])
        made = partial(noisy, self._states(scope), [*probabilities.values()], leak, state)
        return self._add_potential(scope, made)

    @short_traceback
    def add_noisy_and(
        self,
        child: str | int,
        probabilities: Mapping[Any, object],
        leak: object = 0,
        state: str | int | bool = "true",
    ) -> int:
        """Add a noisy-AND: the child is in the state unless a cause, or the leak, prevents it.

        ``probabilities``: that each cause prevents it, if the cause is not in the state.
        """
        scope = self._variables([*probabilities, child])
        made = partial(noisy, self._states(scope), [*probabilities.values()], leak, state, True)
        return self._add_potential(scope, made)

    @short_traceback
    def add_noisy_max(
        self, child: str | int, distributions: Mapping[Any, object], leak: object = None
    ) -> int:
        """Add a noisy-MAX: the child is in the last of the states which its causes give it.

        ``distributions``: for each cause, the distribution of the child in each of its states, if
        no other cause did anything. ``leak``: the distribution without causes; by default, the
        first state is certain.
        """
        scope = self._variables([*distributions, child])
        made = partial(noisy_max, self._states(scope), [*distributions.values()], leak)
        return self._add_potential(scope, made)

    def _add_potential(self, scope: Sequence[int], made: Callable[[], Potential]) -> int:
        try:
            potential = made()
        except InputError as error:
            raise self._failure(0, str(error)) from None
        return self.add_factor(scope, potential)
