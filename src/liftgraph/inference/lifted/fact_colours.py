"""Colours of the individuals that facts mention: colour passing on evidence alone.

Individuals are the variables of an incidence and facts its factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.symmetry.colours.engines.registry import engine_named
from liftgraph.symmetry.colours.incidence import Incidence, distinct_kinds, incidence_of
from liftgraph.symmetry.colours.initial import Colour, initial_colours
from liftgraph.symmetry.tables.symmetries import Symmetries

Individual = tuple[int, int]  # a domain and an index in it
Role = tuple[int, ...]  # the places of an individual in a fact
FEW = 20  # for at most this many facts, dictionaries cost less than an incidence


class Fact(NamedTuple):
    """A variable that was observed: its PRV, its individuals and the observed state."""

    prv: int
    individuals: tuple[Individual, ...]
    state: int


class FactRow(NamedTuple):
    """A fact as a factor: its distinct individuals in the order of their roles.

    ``sort``: what facts must share to be alike, apart from their individuals: PRV and roles.
    """

    sort: tuple[int, tuple[Role, ...]]
    individuals: tuple[Individual, ...]
    state: int


def fact_row(prv: PRV, fact: Fact) -> FactRow:
    """The fact as a factor; every place of an unordered set counts as its first place."""
    place_of = {place: min(places) for places in prv.pattern.unordered for place in places}
    roles: dict[Individual, Role] = {}
    for place, individual in enumerate(fact.individuals):
        role = *roles.get(individual, ()), place_of.get(place, place)
        roles[individual] = tuple(sorted(role))
    ordered = sorted(roles, key=roles.__getitem__)
    sort = fact.prv, tuple(roles[individual] for individual in ordered)
    return FactRow(sort, tuple(ordered), fact.state)


def fact_colours(rows: Sequence[FactRow], single: Set[Individual]) -> dict[Individual, int]:
    """The same colour for individuals that facts do not tell apart, numbered in their order.

    ``single``: individuals that are told apart from all others.
    """
    mentioned = {individual for row in rows for individual in row.individuals}
    individuals = sorted(mentioned | single)
    apart = [individual if individual in single else individual[:1] for individual in individuals]
    colours = _numbered(individuals, apart)
    if all(len(row.individuals) == 1 for row in rows):  # one round is enough
        return _after_a_round(rows, colours)
    if len(rows) > FEW:
        return _numbered(individuals, _stable_colours(rows, colours))
    groups = 0
    while len(set(colours.values())) > groups:
        groups = len(set(colours.values()))
        colours = _after_a_round(rows, colours)
    return colours


def _numbered(individuals: Iterable[Individual], keys: Iterable[object]) -> dict[Individual, int]:
    """A number for each individual: the same where the keys are the same."""
    numbers: dict[object, int] = {}
    return {
        individual: numbers.setdefault(key, len(numbers))
        for individual, key in zip(individuals, keys, strict=True)
    }


def _after_a_round(
    rows: Sequence[FactRow], colours: Mapping[Individual, int]
) -> dict[Individual, int]:
    """The colours after each individual has received the messages of its facts."""
    told: dict[Individual, list[Any]] = {individual: [] for individual in colours}
    for row in rows:
        roles = row.sort[1]
        around = sorted(zip(roles, (colours[i] for i in row.individuals), strict=True))
        for individual, role in zip(row.individuals, roles, strict=True):
            told[individual].append((row.sort, row.state, tuple(around), role))
    keys = ((colours[i], tuple(sorted(heard))) for i, heard in told.items())
    return _numbered(told, keys)


def _stable_colours(rows: Sequence[FactRow], colours: Mapping[Individual, int]) -> list[int]:
    """The stable colours that colour passing reaches from these, in the same order."""
    sorts = list(dict.fromkeys(row.sort for row in rows))
    index_of = {sort: index for index, sort in enumerate(sorts)}
    sort_of = np.array([index_of[row.sort] for row in rows], dtype=np.int32)
    stable = engine_named("auto").refine(
        _incidence(rows, list(colours), [_symmetries(roles) for _, roles in sorts], sort_of),
        initial_colours(np.array(list(colours.values()), dtype=np.int32)),
        initial_colours(sort_of, np.array([row.state for row in rows], dtype=np.int32)),
        False,
    )
    listed: list[int] = stable.variables.tolist()
    return listed


def _incidence(
    rows: Sequence[FactRow],
    individuals: Sequence[Individual],
    symmetries: Sequence[Symmetries],
    sort_of: Colour,
) -> Incidence:
    """Individuals as variables and facts as factors; ``symmetries``: those of each sort of fact."""
    index_of = {individual: index for index, individual in enumerate(individuals)}
    arguments = [index_of[individual] for row in rows for individual in row.individuals]
    kinds, kind_of_sort = distinct_kinds(symmetries)
    return incidence_of(
        len(individuals),
        pointers(np.array([len(row.individuals) for row in rows])),
        np.array(arguments, dtype=np.int32),
        kinds,
        kind_of_sort[sort_of],
    )


def _symmetries(roles: Sequence[Role]) -> Symmetries:
    """Individuals with the same role may be permuted. Precondition: equal roles are adjacent."""
    together = groupby(range(len(roles)), key=roles.__getitem__)
    return Symmetries(tuple(tuple(positions) for _, positions in together))
