"""Counts, as data: how many variables are in a state, as a question, evidence or an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import default_index, is_count

_SHOWN = 3  # the most variables that a count names


@dataclass(frozen=True)
class Count:
    """How many variables are in a state. Compared with an integer, it is an event.

    ``variables``: names or indices; or one name, that of a PRV (in a factor graph, the names of its
    variables begin with it). ``weights``: what each variable adds if it is in the state, 1 by
    default. ``among``: names of logvars, each with the individuals to count; by default all are
    counted.

    >>> Count("Sick"), Count(("A", "B"), "yes")
    (#Sick=true, #{A, B}=yes)
    """

    variables: tuple[str | int, ...] | str
    state: str | int | bool = "true"
    weights: tuple[int, ...] | None = None
    among: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        # Counts are keys, and 1, 1.0 and True are equal as such: states are text from here on.
        is_truth = isinstance(self.state, bool | np.bool_)
        text = str(self.state).lower() if is_truth else str(self.state)
        object.__setattr__(self, "state", text)

    def __ge__(self, number: int) -> CountEvent:
        return CountEvent(self, checked_number(number), None)

    def __gt__(self, number: int) -> CountEvent:
        return CountEvent(self, checked_number(number) + 1, None)

    def __le__(self, number: int) -> CountEvent:
        return CountEvent(self, 0, checked_number(number))

    def __lt__(self, number: int) -> CountEvent:
        return CountEvent(self, 0, checked_number(number) - 1)

    def __repr__(self) -> str:
        if isinstance(self.variables, str):
            listed = self.variables
        else:
            names = [*map(str, self.variables[:_SHOWN])]
            more = len(self.variables) - len(names)
            listed = "{" + ", ".join(names + [f"{more:,} more"] * (more > 0)) + "}"
        where = "; ".join(f"{name}: {', '.join(some[:_SHOWN])}" for name, some in self.among)
        weighted = " weighted" * (self.weights is not None)
        return f"#{listed}{f'[{where}]' * bool(where)}={self.state}{weighted}"


@dataclass(frozen=True)
class CountEvent:
    """That a count is at least one number, and at most another one unless that is None."""

    count: Count
    least: int
    most: int | None

    def holds(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """In which numbers the event consists."""
        below = True if self.most is None else numbers <= self.most
        return np.asarray((numbers >= self.least) & below)


def count(
    variables: Sequence[str | int] | str,
    state: str | int | bool = "true",
    *,
    weights: Sequence[int] | None = None,
    among: Mapping[str, Any] | None = None,
) -> Count:
    """How many variables are in a state: ``model.query(count("Sick", "true"))`` and more.

    ``variables``: a list of them, or the name of a PRV for all of its variables. ``weights``: what
    each variable of a list adds. ``among``: for some logvars of the PRV, by name, the individuals
    to count: one or a list.

    As evidence: ``given={count("Sick"): 37}``, or a ``range``. As an event of ``probability``:
    ``count("Sick") >= 40``.

    >>> count("Sick", among={"P": ["alice", "bob"]}) >= 1
    CountEvent(count=#Sick[P: alice, bob]=true, least=1, most=None)
    """
    if not isinstance(variables, str):
        if not isinstance(variables, Sequence) or not variables:
            expected = "variables to count in a list, or the name of a PRV"
            raise InputError(f"expected {expected}, got {quoted(variables)}")
        if any(isinstance(variable, bool | np.bool_) for variable in variables):
            raise InputError(f"expected names or indices to count, got {quoted(variables)}")
        variables = tuple(variables)
    if weights is not None and (isinstance(variables, str) or len(weights) != len(variables)):
        raise InputError(
            f"expected a weight for each of a list of variables, got {quoted(weights)}"
        )
    if among is not None and not (isinstance(among, Mapping) and isinstance(variables, str)):
        raise InputError(f"expected individuals by logvar of a PRV, got {quoted(among)}")
    parts = tuple([(name, _listed(some)) for name, some in (among or {}).items()])
    return Count(variables, state, None if weights is None else tuple(weights), parts)


def _listed(individuals: object) -> tuple[str, ...]:
    if isinstance(individuals, str) or is_count(individuals):
        return (str(individuals),)
    if not isinstance(individuals, Sequence):
        raise InputError(f"expected an individual or a list of them, got {quoted(individuals)}")
    return tuple(map(str, individuals))


def checked_number(number: object) -> int:
    """A number that a count is compared with."""
    if not is_count(number):
        raise InputError(f"expected an integer to compare a count with, got {quoted(number)}")
    return int(number)


def event_of(count: Count, value: object) -> CountEvent:
    """The event that a count is a number, in a range, or what another event says of it."""
    if isinstance(value, CountEvent):
        return CountEvent(count, value.least, value.most)
    if isinstance(value, range):
        if value.step != 1:
            raise InputError(f"expected a range without steps for {count}, got {value}")
        return CountEvent(count, value.start, value.stop - 1)
    number = default_index(value) if isinstance(value, str) else value
    if not is_count(number) or number < 0:
        raise InputError(f"expected an integer or a range for {count}, got {quoted(value)}")
    return CountEvent(count, int(number), int(number))


def check_possible(event: CountEvent, largest: int) -> None:
    """Refuse an observation that no number of the count agrees with."""
    if event.least > min(largest, largest if event.most is None else event.most):
        most = "…" if event.most is None else event.most
        came = event.least if event.least == event.most else f"{event.least} to {most}"
        raise InputError(f"{event.count}: expected a number from 0 to {largest:,}, got {came}")
