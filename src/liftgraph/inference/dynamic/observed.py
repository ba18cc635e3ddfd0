"""What was observed on each day, of individuals, of single variables and of counts; and what is
asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from liftgraph.display import format_count
from liftgraph.errors import InputError, quoted
from liftgraph.model.counts import Count, CountEvent, check_possible, event_of
from liftgraph.model.dynamic.dynamic import MOST_DAYS, Dynamic
from liftgraph.model.ground.likelihoods import add_distinct, likelihood, likelihood_in
from liftgraph.model.ground.names import is_count, state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, beyond_limit

DAY_BYTES = 4_000  # objects around a day and its distribution
Individual = tuple[PRV, int]  # with the number of the individual


@dataclass(frozen=True)
class Counted:
    """How many variables of a PRV are in a state. ``members``: the individuals, None for all."""

    title: str
    prv: PRV
    state: int
    members: frozenset[int] | None

    @property
    def largest(self) -> int:
        return self.prv.size if self.members is None else len(self.members)


Asked = PRV | Individual | Counted  # a single variable, one of an individual, or a count


@dataclass
class Day:
    """The observations of a day: states and likelihoods of single variables and of individuals, and
    counts."""

    single: dict[PRV, int] = field(default_factory=dict)
    individual: dict[Individual, int] = field(default_factory=dict)
    uncertain: dict[PRV | Individual, Table] = field(default_factory=dict)
    counts: list[tuple[Counted, CountEvent]] = field(default_factory=list)


def day_model(model: Dynamic) -> ParfactorGraph:
    """The PRVs of a day, to find variables in."""
    return ParfactorGraph.of([], model.prvs)


def days_of(model: Dynamic, observations: object, memory_limit: int = MEMORY_LIMIT) -> list[Day]:
    """What was observed, day by day. More days than the limit in bytes allows are refused."""
    variables = day_model(model)
    listed = _listed(observations)
    if len(listed) * DAY_BYTES > memory_limit:
        reason = f"there are {format_count(len(listed))} days"
        raise beyond_limit("the days need at least", len(listed) * DAY_BYTES, memory_limit, reason)
    days = []
    for number, observed in enumerate(listed):
        try:
            days.append(_day(variables, _own(model, observed)))
        except InputError as error:
            raise InputError(f"day {number}: {error}") from None
    return days


def _own(model: Dynamic, observed: object) -> object:
    """What was observed, under the names that the model has for variables."""
    if not model.names or not isinstance(observed, Mapping):
        return observed
    return dict([_own_pair(model, name, value) for name, value in observed.items()])


def _own_pair(model: Dynamic, name: Any, value: Any) -> tuple[Any, Any]:
    """An observation under the model's own names; an event is one of the count under its name."""
    own = own_name(model, name)
    if isinstance(name, Count) and isinstance(value, CountEvent):
        return own, replace(event_of(name, value), count=own)
    return own, value


def own_name(model: Dynamic, one: Any) -> Any:
    """A variable, or those of a count, under their names in the model."""
    if isinstance(one, Count):
        if isinstance(one.variables, str):
            return _own_count(model, one, one.variables)
        return replace(one, variables=tuple([own_name(model, v) for v in one.variables]))
    return model.names.get(one, one) if isinstance(one, str) else one


def _own_count(model: Dynamic, one: Count, stem: str) -> Count:
    """A count of all variables whose other names begin like that: a PRV may have only some."""
    own = [name for other, name in model.names.items() if other.partition(".")[0] == stem]
    if not own:
        return one
    variables = day_model(model)
    prvs = {variables.prvs[variables.locate(name)[0]] for name in own}
    if len(prvs) == 1 and next(iter(prvs)).size == len(own):
        return replace(one, variables=next(iter(prvs)).name)
    if one.among:
        raise InputError(f"{one}: expected variables of one PRV to count among, got several")
    return replace(one, variables=tuple(own))


def _listed(observations: object) -> Sequence[object]:
    if isinstance(observations, Mapping):
        for day in observations:
            if not is_count(day) or not 0 <= day < MOST_DAYS:
                expected = f"days as integers from 0 to {MOST_DAYS - 1:,}"
                raise InputError(f"expected {expected}, got {quoted(day)}")
        return [observations.get(day) for day in range(max(observations, default=-1) + 1)]
    if isinstance(observations, Sequence) and not isinstance(observations, str):
        if len(observations) > MOST_DAYS:
            raise InputError(f"expected at most {MOST_DAYS:,} days, got {len(observations):,}")
        return observations
    raise InputError(f"expected observations for each day, got {quoted(observations)}")


def _day(variables: ParfactorGraph, observed: object) -> Day:
    day = Day()
    if observed is None:
        return day
    if not isinstance(observed, Mapping):
        raise InputError(f"expected a mapping of what was observed, got {quoted(observed)}")
    for name, value in observed.items():
        if isinstance(name, Count):
            counted, event = counted_of(variables, name), event_of(name, value)
            check_possible(event, counted.largest)
            day.counts.append((counted, event))
            continue
        place, individuals = variables.locate(name)
        prv = variables.prvs[place]
        called = name if isinstance(name, str) else variables.name((place, individuals))
        variable = (prv, individuals[0]) if prv.logvars else prv
        written = likelihood_in(value, partial(getattr, prv, "states"))
        if written is not None:
            add_distinct(day.uncertain, variable, called, likelihood(called, prv.states, written))
            continue
        state = state_index(called, prv.states, value)
        _observe(day.individual if prv.logvars else day.single, variable, state, called)
    return day


def _observe(states: dict[Any, int], variable: object, state: int, name: str) -> None:
    if states.setdefault(variable, state) != state:
        raise InputError(f"expected one state of {name}, got two")


def counted_of(variables: ParfactorGraph, count: Count) -> Counted:
    """A count, resolved: of all individuals of a PRV, or of some."""
    if count.weights is not None:
        raise InputError(f"{count}: expected a count without weights")
    if isinstance(count.variables, str):
        place = variables.places.prv_index.get(count.variables)
        if place is None:
            known = ", ".join([prv.name for prv in variables.prvs[:20]])
            raise InputError(f"expected a PRV to count ({known}), got {count.variables}")
        prv, members = variables.prvs[place], _among(variables.prvs[place], count)
    else:
        places = [variables.locate(variable) for variable in count.variables]
        if len({place for place, _ in places}) > 1 or len(set(places)) < len(places):
            raise InputError(f"{count}: expected distinct variables of one PRV")
        prv = variables.prvs[places[0][0]]
        members = frozenset(individuals[0] for _, individuals in places) if prv.logvars else None
    state = state_index(prv.name, prv.states, count.state)
    if members is not None and len(members) == prv.size:
        members = None
    return Counted(str(count), prv, state, members)


def _among(prv: PRV, count: Count) -> frozenset[int] | None:
    if not count.among:
        return None
    (name, individuals), *more = count.among
    if more or [logvar.name for logvar in prv.logvars] != [name]:
        logvars = ", ".join(logvar.name for logvar in prv.logvars)
        raise InputError(f"{count}: expected a logvar of {prv.name} ({logvars}), got {name}")
    numbers = {prv.logvars[0].domain.find(individual): individual for individual in individuals}
    if -1 in numbers:
        raise InputError(f"{count}: expected individuals of {name}, got {numbers[-1]}")
    return frozenset(numbers)


def asked_of(model: Dynamic, asked: Sequence[object]) -> tuple[tuple[Asked, ...], tuple[str, ...]]:
    """What is asked for, and its names."""
    variables = day_model(model)
    if not asked:
        raise InputError("expected something to ask for, such as a count, got nothing")
    found, names = list[Asked](), list[str]()
    for given in asked:
        variable = own_name(model, given)
        if isinstance(variable, Count):
            found.append(counted_of(variables, variable))
            names.append(str(given))
        else:
            place = variables.locate(variable)
            prv = variables.prvs[place[0]]
            found.append((prv, place[1][0]) if prv.logvars else prv)
            names.append(str(given))
    if len(set(found)) < len(found):
        raise InputError("expected distinct things to ask for, got one twice")
    return tuple(found), tuple(names)


def prv_of(asked: Asked) -> PRV:
    """The PRV that something asked for belongs to."""
    if isinstance(asked, Counted):
        return asked.prv
    return asked if isinstance(asked, PRV) else asked[0]
