"""Names for what a lifted model consists of, from the names of the variables where they show any.

``Treat.alice.m1`` shows a PRV Treat and individuals alice and m1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.logvars import Domain
from liftgraph.symmetry.structure.components import Labels
from liftgraph.symmetry.structure.coordinates import Coordinate
from liftgraph.symmetry.structure.structure import Groups, Structure

LETTERS = "XYZUVW"
Parts = list[list[str]]  # for each part of a name, that of each member


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


def named(
    graph: FactorGraph, found: Structure
) -> tuple[dict[int, Domain], dict[int, tuple[int, ...]]]:
    """The domains with a letter each, and with the individuals that names show; and the order of
    each group's coordinates, that of its names if they show them.

    A group with few coordinates is asked first. All others have to agree: where a name shows
    another individual than it has, the individuals are numbered.
    """
    sizes, variables = found.coordinates.sizes, found.groups.variables
    parts = {} if graph.names is None else _parts(graph.names, found)
    called: dict[int, tuple[str, ...] | None] = {}
    first: dict[int, int] = {}
    for group, own in sorted(found.coordinates.of.items(), key=_few_coordinates):
        for each in own:
            least = int(variables[group][0])
            first[each.domain] = min(first.get(each.domain, least), least)
            if called.get(each.domain) is None:
                called[each.domain] = _individuals(parts.get(group), each, sizes[each.domain])
    orders = {
        group: _name_order(parts.get(group), own, called)
        for group, own in found.coordinates.of.items()
    }
    wrong = {
        each.domain
        for group, order in orders.items()
        if order is None
        for each in found.coordinates.of[group]
    }
    letters = _letters()
    domains = {
        domain: Domain(next(letters), sizes[domain], None if domain in wrong else called[domain])
        for domain in sorted(first, key=lambda each: (first[each], each))
    }
    as_found = {group: tuple(range(len(own))) for group, own in found.coordinates.of.items()}
    return domains, {group: order or as_found[group] for group, order in orders.items()}


def _few_coordinates(item: tuple[int, tuple[Coordinate, ...]]) -> tuple[int, int, int]:
    group, own = item
    return len(own), len(own[0].individuals) if own else 0, group


def _letters() -> Iterator[str]:
    yield from LETTERS
    for number in count(1):
        yield from (f"{letter}{number}" for letter in LETTERS)


def _parts(names: Sequence[str], found: Structure) -> dict[int, Parts]:
    """The parts after the first dot of all names of a group, part by part, if the names of a
    group begin alike and have equally many parts."""
    parts = {}
    for group in found.coordinates.of:
        split = [names[member].split(".") for member in found.groups.variables[group].tolist()]
        stem, width = split[0][0], len(split[0])
        if width > 1 and all(each[0] == stem and len(each) == width for each in split):
            parts[group] = [list(column) for column in zip(*split, strict=True)][1:]
    return parts


def _individuals(parts: Parts | None, coordinate: Coordinate, size: int) -> tuple[str, ...] | None:
    """The part of the members' names that is the same exactly for the same individual, if any."""
    numbers = coordinate.individuals.tolist()
    for part in parts or ():
        called = dict(zip(numbers, part, strict=True))
        if len(set(called.values())) == size == len(called) and all(
            called[number] == shown for number, shown in zip(numbers, part, strict=True)
        ):
            return tuple(called[number] for number in range(size))
    return None


def _name_order(
    parts: Parts | None,
    own: Sequence[Coordinate],
    called: Mapping[int, tuple[str, ...] | None],
) -> tuple[int, ...] | None:
    """The coordinates in the order in which names show them; as they are where names show none,
    and None if they show other individuals of the same domains."""
    places = tuple(range(len(own)))
    known = {place: called.get(each.domain) for place, each in enumerate(own)}
    named = {place: names for place, names in known.items() if names is not None}
    if parts is None or not any(set(part) & set(n) for part in parts for n in named.values()):
        return places
    part_of: dict[int, int] = {}
    for place, names in named.items():
        shown = [names[number] for number in own[place].individuals.tolist()]
        free = (part for part in range(len(parts)) if part not in part_of.values())
        found = next((part for part in free if parts[part] == shown), None)
        if found is None:
            return None
        part_of[place] = found
    last = len(parts)  # coordinates without names come after those with
    return tuple(sorted(places, key=lambda place: part_of.get(place, last)))


def prv_names(graph: FactorGraph, found: Structure) -> list[str]:
    """A name for each group: its variable's, what its variables' names begin with, or V and the
    first index."""
    names = [_given_name(graph, members) for members in found.groups.variables]
    taken, used = set(names), Counter[str]()
    firsts = [int(members[0]) for members in found.groups.variables]
    for group in sorted(range(len(names)), key=firsts.__getitem__):
        name = names[group]
        used[name] += 1
        if used[name] > 1:
            while (new := f"{name}_{used[name]}") in taken:
                used[name] += 1
            taken.add(new)
            names[group] = new
    return names


def _given_name(graph: FactorGraph, members: NDArray[np.intp]) -> str:
    if graph.names is None:
        return f"V{members[0]}"
    name = graph.names[members[0]]
    return name if len(members) == 1 else name.partition(".")[0] or f"V{members[0]}"
