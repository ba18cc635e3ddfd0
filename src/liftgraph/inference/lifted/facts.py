"""Facts: which individuals were observed together, and in which states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.nesting import Individual, Nesting
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.variables import Place
from liftgraph.model.memory_limit import Planning

# What is noted about an observed variable while domains are cut, as measured.
_OBSERVATION_BYTES = 550
_SINGLED_OUT_BYTES = 1700  # likelihoods that no other variable has put it into a part of its own
Evidence = Mapping[Place, int]
Role = tuple[int, ...]  # the places of an individual in a fact
Sort = tuple[int, tuple[Role, ...]]  # a PRV, and the roles of the individuals
Equal = tuple[int, ...]  # for each place, the first place with the same individual


def take_observations(planning: Planning, states: int, likelihoods: Collection[Table] = ()) -> None:
    """Charge for observed variables: as evidence, as facts, and for the parts of individuals.

    ``states``: how many are in a state that is certain.
    """
    count = states + len(likelihoods)
    size = _OBSERVATION_BYTES * count + _SINGLED_OUT_BYTES * len({*likelihoods})
    planning.take(size, f"{count:,} variables are observed")


class Facts(NamedTuple):
    """The variables of a PRV that were observed: their individuals and the observed states.

    ``numbers``: those of the individuals, (places, n). They may be beyond 64 bits.
    """

    prv: int
    numbers: NDArray[Any]
    states: list[int]


def facts_of(nested: Nesting, evidence: Evidence) -> list[Facts]:
    """All facts, PRV by PRV."""
    chosen: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    states: dict[int, list[int]] = defaultdict(list)
    for (prv, individuals), state in evidence.items():
        chosen[prv].append(individuals)
        states[prv].append(state)
    facts = []
    for prv, listed in chosen.items():
        columns = [np.array(column) for column in zip(*listed, strict=True)]
        numbers = np.array(nested.numbers(prv, columns)).reshape(len(columns), len(listed))
        facts.append(Facts(prv, numbers, states[prv]))
    return facts


def equalities(domains: Sequence[int], numbers: NDArray[Any]) -> list[Equal]:
    """For each fact, which of its places have the same individual."""
    places, facts = numbers.shape
    if not places:
        return [()] * facts
    first = np.empty((places, facts), dtype=np.int64)
    for place in range(places):
        first[place] = place
        for other in range(place - 1, -1, -1):
            if domains[other] == domains[place]:
                first[place][numbers[other] == numbers[place]] = other
    return list(zip(*first.tolist(), strict=True))


def roles_of(prv: PRV, equal: Equal) -> dict[int, Role]:
    """The roles of the individuals of a fact, in their order; each by its first place.

    Every place of an unordered set counts as the first place of the set.
    """
    place_of = {place: min(places) for places in prv.pattern.unordered for place in places}
    roles: dict[int, Role] = {}
    for place, first in enumerate(equal):
        roles[first] = tuple(sorted((*roles.get(first, ()), place_of.get(place, place))))
    return {first: roles[first] for first in sorted(roles, key=roles.__getitem__)}


class FactRow(NamedTuple):
    """A fact as a factor: its distinct individuals in the order of their roles.

    ``sort``: what facts must share to be alike, apart from their individuals.
    """

    sort: Sort
    individuals: tuple[Individual, ...]
    state: int


def fact_rows(prvs: Sequence[PRV], nested: Nesting, facts: Sequence[Facts]) -> Iterator[FactRow]:
    """All facts, one by one."""
    for prv, numbers, states in facts:
        domains = nested.domains[prv]
        for column, equal, state in zip(
            numbers.T.tolist(), equalities(domains, numbers), states, strict=True
        ):
            roles = roles_of(prvs[prv], equal)
            individuals = tuple((domains[first], column[first]) for first in roles)
            yield FactRow((prv, tuple(roles.values())), individuals, state)
