"""Counts, as data: how many variables are in a state, as a question, evidence or an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from numbers import Number
from operator import and_, or_
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import default_index, is_count

_SHOWN = 3  # the most variables that a count names


@dataclass(frozen=True)
class Count:
    """How many variables are in a state. Compared with an integer, it is an event.

    Counts are keys of evidence. ``==`` says whether two counts are the same; of a count and an
    integer it is an event, too. That is safe, because events have no truth value: a dict or a list
    that took the integer for the count would get an error, never a wrong entry.

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
    refusal: ClassVar[str] = "counts are not taken here; query(…, given={count: 3}) takes them"
    __array_ufunc__: ClassVar[None] = None  # NumPy's integers leave comparisons to counts

    def __post_init__(self) -> None:
        # Counts are keys, and 1, 1.0 and True are equal as such: states are text from here on.
        is_truth = isinstance(self.state, bool | np.bool_)
        text = str(self.state).lower() if is_truth else str(self.state)
        object.__setattr__(self, "state", text)

    def __ge__(self, number: int) -> CountEvent:
        return _event(self, checked_number(number), None)

    def __gt__(self, number: int) -> CountEvent:
        return _event(self, checked_number(number) + 1, None)

    def __le__(self, number: int) -> CountEvent:
        return _event(self, 0, checked_number(number) + 1)

    def __lt__(self, number: int) -> CountEvent:
        return _event(self, 0, checked_number(number))

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Number):
            return self.between(checked_number(other), checked_number(other))
        return self._key == other._key if isinstance(other, Count) else NotImplemented

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        if same is NotImplemented:
            return same
        return ~same if isinstance(same, CountEvent) else not same

    def __hash__(self) -> int:
        return hash(self._key)

    def between(self, least: int, most: int) -> CountEvent:
        """The event that the count is one of two integers, or between them.

        >>> Count("Sick").between(10, 12), ~Count("Sick").between(10, 12)
        (#Sick=true is 10 to 12, #Sick=true is 0 to 9 or 13 or more)
        """
        if checked_number(least) > checked_number(most):
            raise InputError(f"{self}: expected the smaller number first, got {least} and {most}")
        return _event(self, int(least), int(most) + 1)

    def _no_event(self, other: object = None) -> CountEvent:
        raise InputError(f"{self} is no event: put comparisons in brackets, (count >= 10) & …")

    __and__ = __rand__ = __or__ = __ror__ = __invert__ = _no_event

    @property
    def _key(self) -> tuple[object, ...]:
        return self.variables, self.state, self.weights, self.among

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


class _Event:
    """An event, which has a probability but is neither true nor false."""

    refusal: ClassVar[str] = "an event is no variable; observe it as {count: event}"

    def __bool__(self) -> bool:
        raise InputError(
            f"the event that {self} is neither true nor false: write count.between(10, 12) or"
            " range(10, 13) for 10 <= count <= 12, and (…) & (…), (…) | (…) and ~(…) for and, or"
            " and not"
        )


@dataclass(frozen=True, repr=False)
class CountEvent(_Event):
    """The event that a count is one of certain numbers.

    ``&``, ``|`` and ``~`` combine events of one count.

    ``bounds``: increasing; numbers from the first one on are among them, from the second one on
    they are not, and so on.

    >>> sick = Count("Sick")
    >>> event = (sick >= 10) & (sick != 12) | (sick < 3)
    >>> event, event.bounds
    (#Sick=true is 0 to 2 or 10 to 11 or 13 or more, (0, 3, 10, 12, 13))
    """

    count: Count
    bounds: tuple[int, ...]

    def holds(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which numbers the event consists of."""
        among = np.zeros(np.shape(numbers), dtype=np.bool_)
        for bound in self.bounds:
            among ^= np.asarray(numbers) >= bound
        return among

    @property
    def numbers(self) -> str:
        """The numbers that it consists of, in words."""
        runs = zip_longest(self.bounds[::2], self.bounds[1::2])
        return " or ".join([_in_words(first, end) for first, end in runs]) or "none"

    def __and__(self, other: CountEvent) -> Any:
        if not isinstance(other, CountEvent):
            return NotImplemented
        if other.count != self.count:
            return CountEvents((self, other))
        return self._combined(other, and_)

    def __or__(self, other: CountEvent) -> CountEvent:
        if not isinstance(other, CountEvent):
            return NotImplemented
        if other.count != self.count:
            raise _no_union(self, other)
        return self._combined(other, or_)

    def __invert__(self) -> CountEvent:
        from_zero = self.bounds[:1] == (0,)
        return CountEvent(self.count, self.bounds[1:] if from_zero else (0, *self.bounds))

    def __repr__(self) -> str:
        return f"{self.count} is {self.numbers}"

    def _combined(self, other: CountEvent, connective: Callable[[bool, bool], bool]) -> CountEvent:
        """The event of the same count whose numbers a connective takes from two."""
        points = sorted({*self.bounds, *other.bounds})
        mine, others = (event.holds(np.array(points)).tolist() for event in (self, other))
        inside = [*map(connective, mine, others)]
        changes = zip(points, inside, [False, *inside], strict=False)
        return CountEvent(self.count, tuple([point for point, now, was in changes if now != was]))


@dataclass(frozen=True, repr=False)
class CountEvents(_Event):
    """The event that events of different counts all happen. ``&`` adds further ones."""

    events: tuple[CountEvent, ...]

    def __and__(self, other: CountEvent | CountEvents) -> CountEvents:
        if not isinstance(other, CountEvent | CountEvents):
            return NotImplemented
        joint = {event.count: event for event in self.events}
        for event in (other,) if isinstance(other, CountEvent) else other.events:
            known = joint.get(event.count)
            joint[event.count] = event if known is None else known & event
        return CountEvents(tuple(joint.values()))

    __rand__ = __and__

    def __or__(self, other: object) -> CountEvents:
        raise _no_union(self, other)

    __ror__ = __or__

    def __invert__(self) -> CountEvents:
        raise InputError(f"~ takes an event of one count: write 1 - probability for not ({self})")

    def __repr__(self) -> str:
        return " and ".join(map(str, self.events))


def _no_union(one: object, other: object) -> InputError:
    return InputError(
        f"expected events of one count for |, got {one}, and {other}: the probability of A or B is"
        " P(A) + P(B) - P(A & B)"
    )


def _in_words(first: int, end: int | None) -> str:
    if end is None:
        return f"{first} or more"
    return str(first) if end == first + 1 else f"{first} to {end - 1}"


def _event(count: Count, first: int, end: int | None) -> CountEvent:
    """The event that a count is among the integers from the first one on, up to an end."""
    start = max(first, 0)
    if end is None:
        return CountEvent(count, (start,))
    return CountEvent(count, (start, end) if start < end else ())


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

    As evidence: ``given={count("Sick"): 37}``, or a ``range``, or an event. As an event of
    ``probability``: ``count("Sick") >= 40``, ``count("Sick").between(10, 12)``, or events joined
    with ``&``, ``|`` and ``~``.

    >>> count("Sick", among={"P": ["alice", "bob"]}) >= 1
    #Sick[P: alice, bob]=true is 1 or more
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


def counted_in(target: Count | CountEvent) -> Count:
    """A count, or the one that an event is about."""
    return target.count if isinstance(target, CountEvent) else target


def indicators(
    asked: Sequence[Count | CountEvent],
    observed: Sequence[CountEvent],
    sums: NDArray[np.int64],
    largest: int,
) -> NDArray[np.int64]:
    """A one for each way in which counts and events may turn out: axes that add up to ``sums``,
    then an axis for each that is asked for, the number of a count or the truth of an event; zeros
    where an observed event does not happen. ``largest``: the largest number that counts can be.

    >>> indicators([Count("A") >= 1], [Count("A") <= 1], np.arange(3), 2).tolist()
    [[0, 1], [1, 0], [0, 0]]
    """
    table = np.ones(sums.shape, dtype=np.int64)
    for event in observed:
        table *= event.holds(sums)
    for place, target in enumerate(asked):
        if isinstance(target, CountEvent):
            holds = target.holds(sums)
            turns_out = np.stack([holds, ~holds], axis=-1)
        else:
            turns_out = sums[..., None] == np.arange(largest + 1)
        axes = *sums.shape, *[1] * place, turns_out.shape[-1]
        table = table[..., None] * turns_out.reshape(axes)
    return table


def event_of(count: Count, value: object) -> CountEvent:
    """The event that a count is a number, in a range, or what an event says of this count."""
    if isinstance(value, CountEvent):
        if value.count != count:
            raise InputError(f"expected an event of {count}, got one of {value.count}")
        return value
    if isinstance(value, range):
        if value.step != 1:
            raise InputError(f"expected a range without steps for {count}, got {value}")
        return _event(count, value.start, value.stop)
    number = default_index(value) if isinstance(value, str) else value
    if not is_count(number) or number < 0:
        expected = "an integer or a range"
        raise InputError(f"expected {expected} for {count}, or an event of it, got {quoted(value)}")
    return _event(count, int(number), int(number) + 1)


def check_possible(event: CountEvent, largest: int) -> None:
    """Refuse an observation that no number of the count agrees with."""
    if not event.bounds or event.bounds[0] > largest:
        expected = f"a number from 0 to {largest:,}"
        raise InputError(f"{event.count}: expected {expected}, got {event.numbers}")
