"""The naive twin of naming: every name is split, and texts are compared one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.structure.coordinates import Coordinate
from liftgraph.symmetry.structure.structure import Structure

NameParts = list[list[str]]  # for each part after the first dot, the text in each member's name


def rank_by_name(names: Sequence[str], cells: Sequence[int]) -> list[int]:
    """The rank of each name among those in the same cell."""
    return [
        sum(other < name for other, its in zip(names, cells, strict=True) if its == cell)
        for name, cell in zip(names, cells, strict=True)
    ]


def named_domains(
    graph: FactorGraph, structure: Structure
) -> tuple[dict[int, tuple[str, ...] | None], dict[int, tuple[int, ...]]]:
    """The individuals of each domain that names show, and the order of each group's coordinates.

    Groups with few coordinates are asked first, and all others have to agree.
    """
    coordinates_of, sizes = structure.coordinates.of, structure.coordinates.sizes
    parts = {} if graph.names is None else _name_parts(graph.names, structure)
    individuals: dict[int, tuple[str, ...] | None] = {}
    for group, own in sorted(coordinates_of.items(), key=_few_coordinates):
        for coordinate in own:
            domain = coordinate.domain
            if individuals.get(domain) is None:
                individuals[domain] = _individuals(parts.get(group), coordinate, sizes[domain])
    orders = {
        group: _order_in_names(parts.get(group), own, individuals)
        for group, own in coordinates_of.items()
    }
    for group, order in orders.items():
        if order is None:
            individuals |= {coordinate.domain: None for coordinate in coordinates_of[group]}
    unnamed = {group: tuple(range(len(own))) for group, own in coordinates_of.items()}
    return individuals, {group: order or unnamed[group] for group, order in orders.items()}


def _few_coordinates(item: tuple[int, tuple[Coordinate, ...]]) -> tuple[int, int, int]:
    group, coordinates = item
    return len(coordinates), len(coordinates[0].individuals) if coordinates else 0, group


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
