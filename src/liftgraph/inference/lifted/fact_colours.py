"""Colours of the individuals that facts mention: colour passing on evidence alone.

Individuals are the variables of an incidence and facts its factors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.facts import (
    Equal,
    FactRow,
    Facts,
    Role,
    Sort,
    equalities,
    fact_rows,
    roles_of,
)
from liftgraph.inference.lifted.nesting import Individual, Nesting
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.symmetry.colours.engines.registry import engine_named
from liftgraph.symmetry.colours.incidence import distinct_kinds, incidence_of
from liftgraph.symmetry.colours.initial import initial_colours
from liftgraph.symmetry.tables.symmetries import Symmetries

Single = Mapping[Individual, Hashable]
FEW = 20  # for at most this many facts, dictionaries cost less than an incidence


def fact_colours(
    prvs: Sequence[PRV], nested: Nesting, facts: Sequence[Facts], single: Single
) -> dict[Individual, int]:
    """The same colour for individuals that facts do not tell apart, numbered in their order.

    Facts that mention no individuals are ignored. ``single``: individuals that are told apart from
    all others, except from those that have the same value here.
    """
    about = [of_prv for of_prv in facts if nested.domains[of_prv.prv]]
    if sum(len(of_prv.states) for of_prv in about) <= FEW:
        return _colours_of_few(list(fact_rows(prvs, nested, about)), single)
    return _colours_of_many(prvs, nested, about, single)


def _numbered(individuals: Iterable[Individual], keys: Iterable[object]) -> dict[Individual, int]:
    """A number for each individual: the same where the keys are the same."""
    numbers: dict[object, int] = {}
    return {
        individual: numbers.setdefault(key, len(numbers))
        for individual, key in zip(individuals, keys, strict=True)
    }


def _colours_of_few(rows: Sequence[FactRow], single: Single) -> dict[Individual, int]:
    """Round after round in dictionaries, until no colour splits any more."""
    mentioned = {individual for row in rows for individual in row.individuals}
    individuals = sorted(mentioned | single.keys())
    colours = _numbered(individuals, [(i[0], single.get(i)) for i in individuals])
    groups = 0
    while len(set(colours.values())) > groups:
        groups = len(set(colours.values()))
        colours = _after_a_round(rows, colours)
    return colours


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


class _Index(NamedTuple):
    """All individuals in their order: their numbers by domain, and where a domain starts."""

    numbers: dict[int, NDArray[Any]]
    start: dict[int, int]

    def positions(self, domain: int, numbers: NDArray[Any]) -> NDArray[np.int32]:
        """The positions of individuals, given by their numbers."""
        inside = np.searchsorted(self.numbers[domain], numbers)
        return (self.start[domain] + inside).astype(np.int32)


def _colours_of_many(
    prvs: Sequence[PRV], nested: Nesting, facts: Sequence[Facts], single: Single
) -> dict[Individual, int]:
    """The stable colours that colour passing reaches, on arrays."""
    index = _index(nested, facts, single)
    groups = list(_groups(prvs, nested, facts))
    arguments = [
        np.stack([index.positions(*column) for column in columns], axis=1)
        for _, columns, _ in groups
    ]
    individuals = [
        (domain, number) for domain, numbers in index.numbers.items() for number in numbers.tolist()
    ]
    sorts = list(dict.fromkeys(sort for sort, _, _ in groups))
    kinds, kind_of_sort = distinct_kinds([_symmetries(roles) for _, roles in sorts])
    # Groups whose individuals are equal at other places of an unordered set are of the same sort.
    sort_of_group = np.array([sorts.index(sort) for sort, _, _ in groups], dtype=np.int32)
    sort_of = np.repeat(sort_of_group, [len(a) for a in arguments])
    stable = engine_named("auto").refine(
        incidence_of(
            len(individuals),
            pointers(np.repeat([a.shape[1] for a in arguments], [len(a) for a in arguments])),
            np.concatenate([a.ravel() for a in arguments]),
            kinds,
            kind_of_sort[sort_of],
        ),
        initial_colours(_initial(index, single)),
        initial_colours(sort_of, np.concatenate([states for _, _, states in groups])),
        False,
    )
    return _numbered(individuals, stable.variables.tolist())


def _index(nested: Nesting, facts: Sequence[Facts], single: Single) -> _Index:
    columns: dict[int, list[NDArray[Any]]] = defaultdict(list)
    for prv, numbers, _ in facts:
        for domain, column in zip(nested.domains[prv], numbers, strict=True):
            columns[domain].append(column)
    for domain, number in single:
        columns[domain].append(np.array([number]))
    distinct = {domain: np.unique(np.concatenate(columns[domain])) for domain in sorted(columns)}
    ends = accumulate(map(len, distinct.values()), initial=0)
    return _Index(distinct, dict(zip(distinct, ends, strict=False)))


def _initial(index: _Index, single: Single) -> NDArray[np.int32]:
    """A colour for each domain, and one for each value of individuals that are told apart."""
    sizes = [len(numbers) for numbers in index.numbers.values()]
    colours = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    numbered = _numbered(single, [(i[0], value) for i, value in single.items()])
    for (domain, number), colour in numbered.items():
        position = index.positions(domain, np.array([number]))
        colours[position] = len(sizes) + colour
    return colours


def _groups(
    prvs: Sequence[PRV], nested: Nesting, facts: Sequence[Facts]
) -> Iterator[tuple[Sort, list[tuple[int, NDArray[Any]]], NDArray[np.int32]]]:
    """Facts of one sort: for each role, a domain and the individuals in it; and their states.

    A sort may have several groups, since unordered sets allow the same roles at other places.
    """
    for prv, numbers, states in facts:
        domains, rows = nested.domains[prv], defaultdict[Equal, list[int]](list)
        for row, equal in enumerate(equalities(domains, numbers)):
            rows[equal].append(row)
        for equal, chosen in rows.items():
            roles = roles_of(prvs[prv], equal)
            columns = [(domains[first], numbers[first][chosen]) for first in roles]
            observed = np.array(states, dtype=np.int32)[chosen]
            yield (prv, tuple(roles.values())), columns, observed


def _symmetries(roles: Sequence[Role]) -> Symmetries:
    """Individuals with the same role may be permuted. Precondition: equal roles are adjacent."""
    together = groupby(range(len(roles)), key=roles.__getitem__)
    return Symmetries(tuple(tuple(positions) for _, positions in together))
