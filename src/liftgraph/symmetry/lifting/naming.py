"""The vocabulary of a lifted model: its domains, logvars and PRVs.

Names come from the variables, where these show any: ``Treat.alice.m1`` shows a PRV Treat and
individuals alice and m1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.structure.components import Labels, inverse_permutation
from liftgraph.symmetry.structure.coordinates import Coordinate
from liftgraph.symmetry.structure.factor_rows import Groups
from liftgraph.symmetry.structure.structure import Structure

LETTERS = "XYZUVW"
NameParts = list[list[str]]  # for each part after the first dot, the text in each member's name


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``domains``: by their number in the structure. ``prvs``: one for each group of variables.
    ``orders``: for each group, the indices of its coordinates in the order of its PRV's logvars."""

    domains: dict[int, Domain]
    prvs: list[PRV]
    orders: list[tuple[int, ...]]


def vocabulary(graph: FactorGraph, structure: Structure) -> Vocabulary:
    """Domains, and a PRV for each group. Precondition: the structure is complete."""
    domains, order_of = _domains(graph, structure)
    prvs, orders = [], []
    names = prv_names(graph, structure.groups)
    for group, (name, members) in enumerate(zip(names, structure.groups.variables, strict=True)):
        variable, order = int(members[0]), order_of.get(group, ())
        coordinates = structure.coordinates.of.get(group, ())
        logvars = logvars_over([domains[coordinates[index].domain] for index in order])
        by_coordinate = [logvars[order.index(index)] for index in range(len(coordinates))]
        constraints = (
            constraints_on(by_coordinate, structure.patterns[group]) if coordinates else ()
        )
        states, observed = graph.states(variable), graph.evidence.get(variable)
        prvs.append(PRV(name, tuple(logvars), constraints, states, observed))
        orders.append(order)
    return Vocabulary(domains, prvs, orders)


def logvars_over(domains: Sequence[Domain]) -> list[LogVar]:
    """A logvar over each domain: X, X', X'' if there are several over one."""
    uses: Counter[str] = Counter()
    logvars = []
    for domain in domains:
        logvars.append(LogVar(domain.name + "'" * uses[domain.name], domain))
        uses[domain.name] += 1
    return logvars


def constraints_on(logvars: Sequence[LogVar], pattern: Pattern) -> tuple[Constraint, ...]:
    """The constraints of a pattern, on these logvars."""
    pairs = (Different(logvars[a], logvars[b]) for a, b in sorted(pattern.different))
    sets = (Unordered(tuple(logvars[place] for place in places)) for places in pattern.unordered)
    return (*pairs, *sets)


def by_name(graph: FactorGraph, groups: Groups) -> Callable[[int], Labels]:
    """The rank of each member of a group by its name; by its index if there are no names.

    So m1 and m2 get the same numbers for every person, in whatever order variables are listed.
    """

    def rank(group: int) -> Labels:
        members = groups.variables[group]
        if graph.names is None:
            return np.arange(len(members))
        names = graph.names
        order = sorted(range(len(members)), key=lambda place: names[members[place]])
        return inverse_permutation(np.array(order))

    return rank


def _domains(
    graph: FactorGraph, structure: Structure
) -> tuple[dict[int, Domain], dict[int, tuple[int, ...]]]:
    """The domains, each with a letter and the individuals that names show; and for each group, the
    order of its coordinates in its names, if they show them.

    Groups with few coordinates are asked first, and all others have to agree: if a name shows
    another individual than its variable has, the individuals of the domain are numbered instead.
    """
    coordinates_of, sizes = structure.coordinates.of, structure.coordinates.sizes
    parts = {} if graph.names is None else _name_parts(graph.names, structure)
    individuals: dict[int, tuple[str, ...] | None] = {}
    first_use: dict[int, int] = {}
    for group, own in sorted(coordinates_of.items(), key=_few_coordinates):
        first_member = int(structure.groups.variables[group][0])
        for coordinate in own:
            domain = coordinate.domain
            first_use[domain] = min(first_use.get(domain, first_member), first_member)
            if individuals.get(domain) is None:
                individuals[domain] = _individuals(parts.get(group), coordinate, sizes[domain])
    orders = {
        group: _order_in_names(parts.get(group), own, individuals)
        for group, own in coordinates_of.items()
    }
    for group, order in orders.items():
        if order is None:
            individuals |= {coordinate.domain: None for coordinate in coordinates_of[group]}
    letters = _letters()
    domains = {
        domain: Domain(next(letters), sizes[domain], individuals[domain])
        for domain in sorted(first_use, key=lambda domain: (first_use[domain], domain))
    }
    unnamed = {group: tuple(range(len(own))) for group, own in coordinates_of.items()}
    return domains, {group: order or unnamed[group] for group, order in orders.items()}


def _few_coordinates(item: tuple[int, tuple[Coordinate, ...]]) -> tuple[int, int, int]:
    group, coordinates = item
    return len(coordinates), len(coordinates[0].individuals) if coordinates else 0, group


def _letters() -> Iterator[str]:
    yield from LETTERS
    for suffix in count(1):
        yield from (f"{letter}{suffix}" for letter in LETTERS)


def _name_parts(names: Sequence[str], structure: Structure) -> dict[int, NameParts]:
    """The parts of the names of each group after the first dot, if all names of the group begin
    alike and have equally many parts."""
    parts = {}
    for group in structure.coordinates.of:
        split = [names[member].split(".") for member in structure.groups.variables[group].tolist()]
        stem, width = split[0][0], len(split[0])
        if width > 1 and all(name[0] == stem and len(name) == width for name in split):
            parts[group] = [list(part) for part in zip(*split, strict=True)][1:]
    return parts


def _individuals(
    parts: NameParts | None, coordinate: Coordinate, size: int
) -> tuple[str, ...] | None:
    """The texts of the part of the names that is the same exactly for the same individual."""
    individuals = coordinate.individuals.tolist()
    for part in parts or ():
        text_of = dict(zip(individuals, part, strict=True))
        if len(set(text_of.values())) == size == len(text_of) and all(
            text_of[individual] == text for individual, text in zip(individuals, part, strict=True)
        ):
            return tuple(text_of[individual] for individual in range(size))
    return None


def _order_in_names(
    parts: NameParts | None,
    own: Sequence[Coordinate],
    individuals: Mapping[int, tuple[str, ...] | None],
) -> tuple[int, ...] | None:
    """The coordinates in the order in which the names show them; as they are if names show none,
    and None if names show other individuals of the same domains.

    Coordinates without names come last.
    """
    texts = {index: individuals.get(coordinate.domain) for index, coordinate in enumerate(own)}
    named = {index: names for index, names in texts.items() if names is not None}
    if parts is None or not any(set(part) & set(n) for part in parts for n in named.values()):
        return tuple(texts)
    part_of: dict[int, int] = {}
    for index, names in named.items():
        shown = [names[individual] for individual in own[index].individuals.tolist()]
        free = (part for part in range(len(parts)) if part not in part_of.values())
        part = next((part for part in free if parts[part] == shown), None)
        if part is None:
            return None
        part_of[index] = part
    return tuple(sorted(texts, key=lambda index: part_of.get(index, len(parts))))


def prv_names(graph: FactorGraph, groups: Groups) -> list[str]:
    """A different name for each group: that of its only variable, what the names of its variables
    begin with, or V and its first index; with a number if another group has that name."""
    names = [_group_name(graph, members) for members in groups.variables]
    taken, uses = set(names), Counter[str]()
    for group in sorted(range(len(names)), key=lambda group: int(groups.variables[group][0])):
        name = names[group]
        uses[name] += 1
        if uses[name] > 1:
            while (new := f"{name}_{uses[name]}") in taken:
                uses[name] += 1
            taken.add(new)
            names[group] = new
    return names


def _group_name(graph: FactorGraph, members: NDArray[np.intp]) -> str:
    if graph.names is None:
        return f"V{members[0]}"
    name = graph.names[members[0]]
    return name if len(members) == 1 else name.partition(".")[0] or f"V{members[0]}"
