"""Names for what a lifted model consists of, from the names of the variables where they show any.

``Treat.alice.m1`` shows a PRV Treat and individuals alice and m1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.logvars import Domain
from liftgraph.symmetry.components import Labels
from liftgraph.symmetry.coordinates import Coordinate
from liftgraph.symmetry.structure import Groups, Structure

LETTERS = "XYZUVW"


def by_name(graph: FactorGraph, groups: Groups) -> Callable[[int], Labels]:
    """The rank of each member of a group by its name; by its index where there are no names.

    So m1 and m2 are numbered off alike for every person, however the variables are listed.
    """

    def rank(group: int) -> Labels:
        members = groups.variables[group]
        if graph.names is None:
            return np.arange(len(members))
        names = graph.names
        order = sorted(range(len(members)), key=lambda place: names[members[place]])
        ranks = np.empty(len(members), dtype=np.int64)
        ranks[order] = np.arange(len(members))
        return ranks

    return rank


def named_domains(graph: FactorGraph, found: Structure) -> dict[int, Domain]:
    """The domains with a letter each, and with the individuals that names show."""
    told_by: dict[int, tuple[tuple[int, int], int, Coordinate]] = {}
    for group, own in found.coordinates.of.items():
        for each in own:
            best = (len(own), len(each.individuals)), group, each
            if each.domain not in told_by or best[0] < told_by[each.domain][0]:
                told_by[each.domain] = best
    variables = found.groups.variables
    letters = _letters()
    domains = {}
    for domain in sorted(told_by, key=lambda each: (int(variables[told_by[each][1]][0]), each)):
        _, group, coordinate = told_by[domain]
        size = found.coordinates.sizes[domain]
        individuals = _individuals(graph, variables[group].tolist(), coordinate, size)
        domains[domain] = Domain(next(letters), size, individuals)
    return domains


def _letters() -> Iterator[str]:
    yield from LETTERS
    for number in count(1):
        yield from (f"{letter}{number}" for letter in LETTERS)


def _individuals(
    graph: FactorGraph, members: list[int], coordinate: Coordinate, size: int
) -> tuple[str, ...] | None:
    """The part of the members' names that is the same exactly for the same individual, if any."""
    if graph.names is None:
        return None
    names = [graph.names[member].split(".") for member in members]
    width = len(names[0])
    if width < 2 or any(len(each) != width or each[0] != names[0][0] for each in names):
        return None
    numbers = coordinate.individuals.tolist()
    for part in range(1, width):
        called = dict(zip(numbers, (each[part] for each in names), strict=True))
        if len(set(called.values())) == size == len(called) and all(
            called[number] == each[part] for number, each in zip(numbers, names, strict=True)
        ):
            return tuple(called[number] for number in range(size))
    return None


def coordinate_order(
    graph: FactorGraph, found: Structure, group: int, domains: dict[int, Domain]
) -> tuple[int, ...]:
    """The order of a group's coordinates: that of its names, if they show them all."""
    own = found.coordinates.of.get(group, ())
    places = tuple(range(len(own)))
    if graph.names is None or len(own) < 2:
        return places
    parts = graph.names[found.groups.variables[group][0]].split(".")[1:]
    called = [domains[each.domain].individual(int(each.individuals[0])) for each in own]
    if len(parts) != len(own) or sorted(parts) != sorted(called) or len(set(parts)) < len(parts):
        return places
    return tuple(called.index(part) for part in parts)


def prv_names(graph: FactorGraph, found: Structure) -> list[str]:
    """A name for each group: its variable's, what its variables' names begin with, or V and the
    first index."""
    taken: set[str] = set()
    names = []
    for members in found.groups.variables:
        if graph.names is None:
            name = f"V{members[0]}"
        elif len(members) == 1:
            name = graph.names[members[0]]
        else:
            name = graph.names[members[0]].partition(".")[0]
        names.append(_distinct(name or f"V{members[0]}", taken))
        taken.add(names[-1])
    return names


def _distinct(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(new for number in count(2) if (new := f"{name}_{number}") not in taken)
