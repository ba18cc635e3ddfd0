"""The variables that PRVs stand for: their numbers, their names, and which one a name means."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import Any

import numpy as np

from liftgraph.display import closest
from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import default_index, is_count, unknown_variable
from liftgraph.model.lifted.logvars import Domain, LogVar
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.substitutions import (
    Numbering,
    Pattern,
    exists,
    numbering,
    substitutions,
)

Place = tuple[int, tuple[int, ...]]  # a PRV and its individuals, by number
_COMPARED = 20_000  # the most individuals whose names are compared with one that does not exist
_SHOWN = 5  # the most PRVs of which a variable is named


@dataclass(frozen=True, eq=False, repr=False)
class Variables:
    """The variables of PRVs, PRV after PRV, in the order of the substitutions of their logvars.

    ``origin``: how the given graph lists and names them, if there was one.
    """

    prvs: tuple[PRV, ...]
    origin: Origin | None = None

    @cached_property
    def start(self) -> tuple[int, ...]:
        """The number of each PRV's first variable, and of all."""
        return (0, *accumulate(prv.size for prv in self.prvs))

    @property
    def count(self) -> int:
        """How many variables there are."""
        return self.start[-1]

    @cached_property
    def _patterns(self) -> dict[int, Pattern]:
        return {}

    def pattern(self, prv: int) -> Pattern:
        """Which substitutions of a PRV's logvars there are."""
        if prv not in self._patterns:
            self._patterns[prv] = self.prvs[prv].pattern
        return self._patterns[prv]

    @cached_property
    def _numberings(self) -> dict[int, Numbering]:
        return {}

    def numbering(self, prv: int) -> Numbering:
        """The numbers of the substitutions of a PRV's logvars."""
        if prv not in self._numberings:
            self._numberings[prv] = numbering(self.pattern(prv))
        return self._numberings[prv]

    @cached_property
    def prv_index(self) -> dict[str, int]:
        """The PRVs by their names."""
        return {prv.name: index for index, prv in enumerate(self.prvs)}

    @cached_property
    def by_stem(self) -> dict[str, list[int]]:
        """The PRVs by what the names of their variables begin with, as the first of each does; by
        the whole name if it is the only one. Precondition: an origin with names."""
        by_stem: dict[str, list[int]] = {}
        if self.origin is not None and self.origin.names is not None:
            for prv_index, prv in enumerate(self.prvs):
                if self.start[prv_index] < self.start[prv_index + 1]:
                    name = self.origin.names[self.origin.index_by_number[self.start[prv_index]]]
                    stem = name.partition(".")[0] if prv.logvars else name
                    by_stem.setdefault(stem, []).append(prv_index)
        return by_stem

    @cached_property
    def index_by_name(self) -> dict[str, int]:
        """The index of each variable in the given graph, if that has names."""
        names = () if self.origin is None else self.origin.names or ()
        return {name: index for index, name in enumerate(names)}


def locate(variables: Variables, name: str | int) -> Place:
    """The PRV and the individuals (by number) of a variable given by its name or index."""
    origin = variables.origin
    if is_count(name):
        index = int(name)
    elif origin is None:
        return _parsed(variables, name)
    elif origin.names is None:
        index = default_index(name) if isinstance(name, str) else -1
    else:
        place = _found_by_parts(variables, origin, origin.names, str(name))
        if place is not None:
            return place
        index = variables.index_by_name.get(str(name), -1)
    if not 0 <= index < variables.count:
        raise unknown(variables, name)
    number = index if origin is None else int(origin.variables[index])
    prv = bisect_right(variables.start, number) - 1
    return prv, variables.numbering(prv).substitution(number - variables.start[prv])


def _found_by_parts(
    variables: Variables, origin: Origin, names: Sequence[str], name: str
) -> Place | None:
    """The place of a variable whose name consists of a stem and the names of its individuals.

    Names mean what the given graph says: what the parts suggest is looked up there. Other names,
    which show no individuals, are not found.
    """
    stem, *parts = name.split(".")
    by_stem = variables.by_stem
    for prv in (*by_stem.get(name, ()), *(by_stem.get(stem, ()) if parts else ())):
        logvars = variables.prvs[prv].logvars
        for individuals in _individuals(logvars, parts if logvars else ()):
            place = prv, individuals
            if exists(variables.pattern(prv), individuals):
                number = number_of(variables, place)
                if names[origin.index_by_number[number]] == name:
                    return place
    return None


def _parsed(variables: Variables, name: str | int) -> Place:
    if not isinstance(name, str):
        raise unknown(variables, name)
    places = _places_named(variables, name)
    if len(places) > 1:
        raise InputError(f"expected a variable, got {quoted(name)}, which is the name of several")
    if not places:
        raise unknown(variables, name)
    return places[0]


def _places_named(variables: Variables, name: str) -> list[Place]:
    """All variables of a model without origin that have this name."""
    parts = name.split(".")
    stems = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    prvs = [variables.prv_index[stem] for stem in stems if stem in variables.prv_index]
    return [place for prv in prvs for place in _readings(variables, prv, name)]


def has_variable(variables: Variables, name: str) -> bool:
    """Whether there is a variable of this name, and only one."""
    origin = variables.origin
    if origin is None:
        return len(_places_named(variables, name)) == 1
    if origin.names is None:
        return 0 <= default_index(name) < variables.count
    by_parts = _found_by_parts(variables, origin, origin.names, name)
    return by_parts is not None or name in variables.index_by_name


def unknown(variables: Variables, name: object) -> InputError:
    """The error for a variable that does not exist, with the one that was probably meant.

    Without the names of a given graph, a name is compared part by part: there may be too many
    variables to list them. If none is close, one variable of each PRV is named.
    """
    if variables.origin is not None:
        return unknown_variable(name, variables.origin.names, variables.count)
    meant = _meant(variables, name) if isinstance(name, str) else None
    examples = [*islice(_examples(variables), _SHOWN)]
    return unknown_variable(name, examples if meant is None else [meant], variables.count)


def _examples(variables: Variables) -> Iterator[str]:
    """The name of one variable of each PRV, found without numbering them all."""
    for index, prv in enumerate(variables.prvs):
        places = range(len(prv.logvars))
        for individuals in ((0,) * len(places), tuple(places), tuple(reversed(places))):
            if exists(variables.pattern(index), individuals):
                yield name_of(variables, (index, individuals))
                break


def _meant(variables: Variables, name: str) -> str | None:
    """The variable whose PRV and individuals have the most similar names, if there is one."""
    stem, *parts = name.split(".")
    for prv_name in closest(stem, variables.prv_index):
        prv = variables.prv_index[prv_name]
        domains = [logvar.domain for logvar in variables.prvs[prv].logvars]
        if len(domains) != len(parts):
            continue
        pairs = zip(domains, parts, strict=True)
        individuals = tuple([_similar(domain, part) for domain, part in pairs])
        if -1 not in individuals and exists(variables.pattern(prv), individuals):
            return name_of(variables, (prv, individuals))
    return None


def _similar(domain: Domain, text: str) -> int:
    """The individual with the most similar name, by number; -1 if none is similar."""
    if (same := domain.find(text)) >= 0 or domain.individuals is None:
        return same
    close = closest(text, islice(domain.individuals, _COMPARED))
    return domain.find(close[0]) if close else -1


def _readings(variables: Variables, prv: int, name: str) -> Iterator[Place]:
    """The variables of a PRV with this name; individuals may have dots in theirs."""
    logvars, stem = variables.prvs[prv].logvars, variables.prvs[prv].name
    if not logvars and name == stem:
        yield prv, ()
    if logvars and name.startswith(f"{stem}."):
        for individuals in _individuals(logvars, name[len(stem) + 1 :].split(".")):
            if exists(variables.pattern(prv), individuals):
                yield prv, individuals


def _individuals(logvars: Sequence[LogVar], parts: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """One individual for each logvar, by number, whose names joined by dots have these parts."""
    if not logvars:
        yield from [()] * (not parts)
        return
    for end in range(1, len(parts) - len(logvars) + 2):
        first = logvars[0].domain.find(".".join(parts[:end]))
        if first >= 0:
            yield from ((first, *rest) for rest in _individuals(logvars[1:], parts[end:]))


def number_of(variables: Variables, place: Place) -> int:
    """The number of a variable. Precondition: there is such a variable."""
    prv, individuals = place
    columns = [np.array([individual]) for individual in individuals]
    return variables.start[prv] + int(variables.numbering(prv).numbers(columns)[0])


def index_of(variables: Variables, place: Place) -> int:
    """The index of a variable in the ground model. Precondition: there is such a variable."""
    number = number_of(variables, place)
    return number if variables.origin is None else int(variables.origin.index_by_number[number])


def check_place(variables: Variables, place: Any) -> None:
    """Refuse what is not the place of a variable."""
    match place:
        case (prv, tuple(individuals)) if all(map(is_count, (prv, *individuals))):
            if 0 <= prv < len(variables.prvs) and exists(variables.pattern(prv), individuals):
                return
    raise InputError(f"expected a PRV and its individuals by number, got {quoted(place)}")


def name_of(variables: Variables, place: Place) -> str:
    """The name of the variable of a PRV and individuals: the one in the given graph, if any."""
    check_place(variables, place)
    origin = variables.origin
    if origin is None:
        prv, individuals = variables.prvs[place[0]], place[1]
        logvars = zip(prv.logvars, individuals, strict=True)
        return ".".join((prv.name, *(v.domain.individual(individual) for v, individual in logvars)))
    index = index_of(variables, place)
    return str(index) if origin.names is None else origin.names[index]


def own_names(variables: Variables) -> Iterator[str]:
    """The names of all variables by PRV and individuals, in the order of their numbers."""
    for prv in variables.prvs:
        if not prv.logvars:
            yield prv.name
        elif prv.size:
            chosen = zip(prv.logvars, substitutions(prv.pattern), strict=True)
            columns = [map(_names(v).__getitem__, column.tolist()) for v, column in chosen]
            yield from (".".join((prv.name, *parts)) for parts in zip(*columns, strict=True))


def _names(logvar: LogVar) -> Sequence[str]:
    """The names of the individuals of a logvar, by number."""
    names = logvar.domain.individuals
    return [*map(logvar.domain.individual, range(logvar.size))] if names is None else names


def distinct_names(variables: Variables) -> tuple[str, ...]:
    """The model's own names; refused if two are equal, since names of individuals may have dots."""
    names = tuple(own_names(variables))
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise InputError(f"expected different names for all variables, got {twice} twice")
    return names


def variable_names(variables: Variables) -> tuple[str, ...]:
    """The names of all variables, in the order of the graph they come from or of the model."""
    if variables.origin is None:
        return distinct_names(variables)
    return variables.origin.names or tuple(map(str, range(variables.count)))
