"""What models with directions can do and be asked: interventions, ancestors, d-separation.

A model has directions if each variable has one factor that is its distribution given its parents,
its mechanism. These follow from the factors alone (``model/ground/bayesian_network.py`` and
``model/lifted/mechanisms.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from liftgraph.errors import InputError, quoted, short_traceback

if TYPE_CHECKING:
    from liftgraph.model.arrows import Arrows, Numbers

Model = TypeVar("Model", bound="Causal")
Answered = TypeVar("Answered")
Mentioned = str | int | Iterable[str | int]


@dataclass(frozen=True)
class Directed:
    """The arrows of a model, and which of its variables a name means.

    ``numbers``: of a name or index; several for a PRV. ``name``: of a number.
    ``observed``: the variables that the model itself observes; ``uncertain``: those of which it has
    likelihoods.
    """

    arrows: Arrows
    numbers: Callable[[str | int], Numbers]
    name: Callable[[int], str]
    observed: Numbers
    uncertain: Numbers = field(default_factory=lambda: np.array([], np.int64))

    def number(self, variable: str | int) -> int:
        """The number of a single variable."""
        return int(self.numbers(variable)[0])

    def names(self, variables: Numbers) -> tuple[str, ...]:
        """The names of variables."""
        return tuple(map(self.name, variables.tolist()))


class Causal:
    """Interventions, and what the arrows of a model say, for models with directions.

    Models without directions are refused, and the error says what is missing. Variables are given
    by name or index; in a lifted model, a PRV stands for all its variables.
    """

    __slots__ = ()

    @short_traceback
    def do(self: Model, interventions: Mapping[Any, Any]) -> Model:
        """This model after interventions, which set variables to states, whatever their parents.

        The mechanism of each of these variables is cut, and the variable is observed in its state.
        Evidence of the model, and evidence added later, is about what holds after the intervention.

        ``interventions``: variables by name or index, their states by name. In a lifted model, the
        name of a PRV means all its variables.

        >>> from liftgraph import datasets
        >>> datasets.asia().do({"smoke": "yes"}).parents("smoke")
        ()
        """
        return self._after(interventions)

    @short_traceback
    def parents(self, variable: str | int) -> tuple[str, ...]:
        """The parents of a variable, in the order of its mechanism; PRVs if it is a PRV."""
        found = self._directed_at(variable)
        return found.names(found.arrows.parents.of(found.numbers(variable)))

    @short_traceback
    def children(self, variable: str | int) -> tuple[str, ...]:
        """The children of a variable, in the order of the model; PRVs if it is a PRV."""
        found = self._directed_at(variable)
        return found.names(found.arrows.children.of(found.numbers(variable)))

    @short_traceback
    def ancestors(self, variable: str | int) -> tuple[str, ...]:
        """The parents of a variable, their parents and so on, in the order of the model."""
        from liftgraph.model.arrows import beyond

        found = self._directed_at(variable)
        return found.names(beyond(found.arrows.parents, found.number(variable)))

    @short_traceback
    def descendants(self, variable: str | int) -> tuple[str, ...]:
        """The children of a variable, their children and so on, in the order of the model."""
        from liftgraph.model.arrows import beyond

        found = self._directed_at(variable)
        return found.names(beyond(found.arrows.children, found.number(variable)))

    @short_traceback
    def markov_blanket(self, variable: str | int) -> tuple[str, ...]:
        """The parents of a variable, its children and their other parents: given these, it is
        independent of all other variables."""
        from liftgraph.model.arrows import blanket

        found = self._directed_at(variable)
        return found.names(blanket(found.arrows, found.number(variable)))

    @short_traceback
    def d_separated(self, first: Mentioned, second: Mentioned, given: Mentioned = ()) -> bool:
        """Whether arrows alone make variables independent, given others: d-separation (Pearl 1988).

        Each of the three is a variable or several. What the model observes counts as given, too,
        and a likelihood counts like a child that is observed.
        If it is false, the variables may be independent nevertheless: because of the numbers.

        >>> from liftgraph import datasets
        >>> graph = datasets.asia()
        >>> graph.d_separated("lung", "bronc"), graph.d_separated("lung", "bronc", given="smoke")
        (False, True)
        """
        from liftgraph.model.arrows import separated

        sets = [*map(_listed, (first, second, given))]
        found = self._directed_around([variable for listed in sets for variable in listed])
        one, other, known = [_all_numbers(found, listed) for listed in sets]
        known = np.union1d(known, found.observed)
        return separated(found.arrows, one, other, known, found.uncertain)

    def _after(self: Model, interventions: Mapping[Any, Any]) -> Model:
        raise NotImplementedError

    def _directed_at(self, variable: str | int) -> Directed:
        raise NotImplementedError

    def _directed_around(self, mentioned: Iterable[str | int]) -> Directed:
        """The arrows, as far as they decide which of these variables are d-separated."""
        raise NotImplementedError


def _listed(variables: Mentioned) -> list[str | int]:
    if isinstance(variables, Iterable) and not isinstance(variables, str):
        return [*variables]
    return [variables]


def _all_numbers(found: Directed, variables: Iterable[str | int]) -> Numbers:
    return np.concatenate([np.array([], np.int64), *map(found.numbers, variables)])


def after_interventions(answer: Callable[..., Answered]) -> Callable[..., Answered]:
    """The same question with one more option, ``do``: interventions that come before everything
    else that is asked or given."""

    @wraps(answer)
    def answered(
        model: Any, *arguments: Any, do: Mapping[Any, Any] | None = None, **options: Any
    ) -> Answered:
        if do is None:
            return answer(model, *arguments, **options)
        found = answer(intervened(model, do), *arguments, **options)
        return about_variables_of(model, found)

    return answered


def about_variables_of(model: Any, answer: Answered) -> Answered:
    """An answer after interventions, without variables that only say which others are set."""
    first: Callable[[int], Answered] | None = getattr(answer, "first", None)
    return answer if first is None else first(model.variable_count)


def intervened(model: Any, interventions: Mapping[Any, Any]) -> Any:
    """A model after interventions; what has no directions by its nature is refused."""
    if not isinstance(model, Causal):
        raise InputError(f"expected a model to intervene in, got {quoted(model)}")
    return model.do(interventions)


def check_interventions(written: object) -> None:
    """Refuse interventions that are not a mapping."""
    if not isinstance(written, Mapping):
        raise InputError(f"expected interventions as {{variable: state}}, got {quoted(written)}")


def disagreement(name: str, seen: str, done: str) -> InputError:
    """The error for a variable that a model observes in one state and that is set to another."""
    came = f"observed {name} = {seen} and do {name} = {done}"
    why = "evidence is about what holds after the intervention"
    return InputError(f"expected evidence that agrees with interventions, got {came} ({why})")


@contextmanager
def needing_directions() -> Iterator[None]:
    """What is refused in here is refused because a model has no directions."""
    try:
        yield
    except InputError as error:
        raise InputError(f"expected a model with directions; {error.args[0]}") from None
