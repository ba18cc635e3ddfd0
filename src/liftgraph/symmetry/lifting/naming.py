"""The vocabulary of a lifted model: its domains, logvars and PRVs.

Names come from the variables, where these show any: ``Treat.alice.m1`` shows a PRV Treat and
individuals alice and m1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.individuals import PartsOfNames
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.lifting.name_arrays import (
    NameArrays,
    Texts,
    are_increasing,
    are_same,
    ranks,
    share_a_text,
)
from liftgraph.symmetry.structure.components import Integers, Labels, ranks_within
from liftgraph.symmetry.structure.coordinates import Coordinate, Rank
from liftgraph.symmetry.structure.factor_rows import Groups
from liftgraph.symmetry.structure.structure import Structure

LETTERS = "XYZUVW"
NameParts = list[Texts]  # for each part after the first dot, the text in each member's name


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``domains``: by their number in the structure. ``prvs``: one for each group of variables.
    ``orders``: for each group, the indices of its coordinates in the order of its PRV's logvars."""

    domains: dict[int, Domain]
    prvs: list[PRV]
    orders: list[tuple[int, ...]]


def vocabulary(graph: FactorGraph, structure: Structure, names: NameArrays | None) -> Vocabulary:
    """Domains, and a PRV for each group. Precondition: the structure is complete.

    ``names``: those of the graph, if it has any.
    """
    domains, order_of = _domains(graph, structure, names)
    prvs, orders = [], []
    listed = zip(prv_names(graph, structure.groups), structure.groups.variables, strict=True)
    for group, (name, members) in enumerate(listed):
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


def by_name(names: NameArrays | None, groups: Groups) -> Rank:
    """The rank of members of a group by their names; by their indices if there are no names.

    So m1 and m2 get the same numbers for every person, in whatever order variables are listed.
    """

    def rank(group: int, cells: Integers) -> Labels:
        if names is None:
            return ranks_within(cells)
        return ranks(names.whole(groups.variables[group]), cells)[0]

    return rank


def _domains(
    graph: FactorGraph, structure: Structure, names: NameArrays | None
) -> tuple[dict[int, Domain], dict[int, tuple[int, ...]]]:
    """The domains, each with a letter and the individuals that names show; and for each group, the
    order of its coordinates in its names, if they show them.

    Groups with few coordinates are asked first, and all others have to agree: if a name shows
    another individual than its variable has, the individuals of the domain are numbered instead.
    """
    coordinates_of, sizes = structure.coordinates.of, structure.coordinates.sizes
    parts = {} if names is None else _name_parts(names, structure)
    individuals: dict[int, _Shown | None] = {}
    first_use: dict[int, int] = {}
    for group, own in sorted(coordinates_of.items(), key=_few_coordinates):
        first_member = int(structure.groups.variables[group][0])
        for coordinate in own:
            domain = coordinate.domain
            first_use[domain] = min(first_use.get(domain, first_member), first_member)
            if individuals.get(domain) is None:
                members = structure.groups.variables[group]
                individuals[domain] = _shown(parts.get(group), members, coordinate, sizes[domain])
    orders = {
        group: _order_in_names(parts.get(group), own, individuals)
        for group, own in coordinates_of.items()
    }
    for group, order in orders.items():
        if order is None:
            individuals |= {coordinate.domain: None for coordinate in coordinates_of[group]}
    letters = _letters()
    domains = {
        domain: Domain(next(letters), sizes[domain], _named(graph, individuals[domain]))
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


def _name_parts(names: NameArrays, structure: Structure) -> dict[int, NameParts]:
    """The parts of the names of each group after the first dot, if all names of the group begin
    alike and have equally many parts."""
    parts = {}
    for group in structure.coordinates.of:
        members = structure.groups.variables[group]
        counts = names.part_counts(members)
        if counts[0] > 1 and (counts == counts[0]).all():
            stems = names.part(members, 0)
            if are_same(stems, stems.chosen(np.zeros(len(members), dtype=np.int64))):
                parts[group] = [names.part(members, index) for index in range(1, int(counts[0]))]
    return parts


@dataclass(frozen=True, slots=True)
class _Shown:
    """The individuals that a part of names shows.

    ``coordinate``: the one they were found at. ``texts``: of the individuals, by number;
    ``variables``: for each of them, one whose name shows it, in the part with this index, counted
    from 1 on. ``increasing``: whether the texts are.
    """

    coordinate: Coordinate
    texts: Texts
    variables: NDArray[np.intp]
    part_index: int
    increasing: bool


def _shown(
    parts: NameParts | None, members: NDArray[np.intp], coordinate: Coordinate, size: int
) -> _Shown | None:
    """The texts of the part of the names that is the same exactly for the same individual."""
    member_of = np.full(size, -1)
    member_of[coordinate.individuals] = np.arange(len(members))
    if member_of.min() < 0:
        return None
    representatives = member_of[coordinate.individuals]
    for part_index, part in enumerate(parts or (), start=1):
        if are_same(part, part.chosen(representatives)):
            texts = part.chosen(member_of)
            increasing = are_increasing(texts)
            if increasing or ranks(texts, np.zeros(size, dtype=np.int64))[1]:
                return _Shown(coordinate, texts, members[member_of], part_index, increasing)
    return None


def _named(graph: FactorGraph, shown: _Shown | None) -> PartsOfNames | None:
    """The names of individuals, which are read when they are needed."""
    if shown is None or graph.names is None:
        return None
    return PartsOfNames(graph.names, shown.variables, shown.part_index, shown.increasing)


def _order_in_names(
    parts: NameParts | None,
    own: Sequence[Coordinate],
    individuals: Mapping[int, _Shown | None],
) -> tuple[int, ...] | None:
    """The coordinates in the order in which the names show them; as they are if names show none,
    and None if names show other individuals of the same domains.

    Coordinates without names come last.
    """
    shown = {index: individuals.get(coordinate.domain) for index, coordinate in enumerate(own)}
    named = {index: names for index, names in shown.items() if names is not None}
    if parts is None or not named:
        return tuple(shown)
    part_of: dict[int, int] = {}
    for index, names in named.items():
        free = [part for part in range(len(parts)) if part not in part_of.values()]
        part = _part_showing(parts, free, names, own[index])
        if part is None:
            strange = not any(share_a_text(p, n.texts) for p in parts for n in named.values())
            return tuple(shown) if strange else None
        part_of[index] = part
    return tuple(sorted(shown, key=lambda index: part_of.get(index, len(parts))))


def _part_showing(
    parts: NameParts, free: Sequence[int], shown: _Shown, coordinate: Coordinate
) -> int | None:
    """The first of the free parts that shows the individuals of a coordinate."""
    if shown.coordinate is coordinate and shown.part_index - 1 in free:
        return shown.part_index - 1  # where they were found
    texts = shown.texts.chosen(coordinate.individuals)
    return next((part for part in free if are_same(parts[part], texts)), None)


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
