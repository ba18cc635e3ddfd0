"""Domains cut into parts: individuals that evidence and question do not tell apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from liftgraph.inference.lifted.fact_colours import Fact, Individual, fact_colours, fact_row
from liftgraph.inference.lifted.terms import choices
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place

Evidence = Mapping[Place, int]


@dataclass(frozen=True)
class Part:
    """Individuals of a domain; if ``members`` is None, all those that are in no other part."""

    domain: int
    size: int
    members: tuple[int, ...] | None


@dataclass(frozen=True)
class Parts:
    """The parts of all domains. ``of``: the part of each individual that is listed in one.

    ``by_domain``: the parts of each domain; ``rest``: the part of the individuals not listed.
    """

    listed: tuple[Part, ...]
    of: dict[Individual, int]
    by_domain: tuple[tuple[int, ...], ...]
    rest: tuple[int | None, ...]

    def part(self, domain: int, individual: int) -> int:
        """The part of an individual."""
        part = self.of.get((domain, individual), self.rest[domain])
        assert part is not None
        return part

    def first(self, part: int) -> int:
        """The index of a part's first individual; -1 if its individuals are not listed."""
        members = self.listed[part].members
        return members[0] if members else -1


def cut_domains(
    model: ParfactorGraph,
    evidence: Evidence,
    apart: Iterable[Place] = (),
    ground: Iterable[int] = (),
) -> Parts:
    """Cut domains so that variables with individuals from the same parts have the same evidence.

    ``apart``: variables whose individuals are told apart from all others. ``ground``: domains whose
    individuals are all told apart. Only individuals that facts mention are examined: colour
    passing groups them by their observations. Where observations still differ within a group,
    its individuals are told apart.
    """
    domain_index = {domain: index for index, domain in enumerate(model.domains)}
    domains = [[domain_index[logvar.domain] for logvar in prv.logvars] for prv in model.prvs]
    single = {
        individual
        for prv, individuals in apart
        for individual in zip(domains[prv], individuals, strict=True)
    }
    for domain in ground:
        single.update((domain, index) for index in range(model.domains[domain].size))
    facts = [
        Fact(prv, tuple(zip(domains[prv], individuals, strict=True)), state)
        for (prv, individuals), state in evidence.items()
        if individuals
    ]
    rows = [fact_row(model.prvs[fact.prv], fact) for fact in facts]
    while True:
        parts = _parts(model, fact_colours(rows, single))
        mixed = _observed_differently(model, parts, facts)
        if not mixed:
            return parts
        single |= mixed


def _parts(model: ParfactorGraph, colours: Mapping[Individual, int]) -> Parts:
    """A part for the individuals of each colour, and one for those without a colour."""
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for (domain, individual), colour in colours.items():
        members[domain, colour].append(individual)
    listed = [Part(domain, len(m), tuple(m)) for (domain, _), m in sorted(members.items())]
    mentioned = Counter(domain for domain, _ in colours)
    rest: list[int | None] = []
    for index, whole in enumerate(model.domains):
        left = whole.size - mentioned[index]
        rest.append(len(listed) if left else None)
        if left:
            listed.append(Part(index, left, None))
    by_domain: list[list[int]] = [[] for _ in model.domains]
    for part_index, part in enumerate(listed):
        by_domain[part.domain].append(part_index)
    of = {
        (part.domain, individual): part_index
        for part_index, part in enumerate(listed)
        for individual in part.members or ()
    }
    return Parts(tuple(listed), of, tuple(map(tuple, by_domain)), tuple(rest))


def _observed_differently(
    model: ParfactorGraph, parts: Parts, facts: Sequence[Fact]
) -> set[Individual]:
    """Individuals of parts whose variables were not all observed in the same state.

    They are those of the first such shard, from its smallest part of several individuals.
    """
    sizes = [part.size for part in parts.listed]
    states: dict[tuple[int, object], Counter[int]] = defaultdict(Counter)
    sample: dict[object, tuple[Individual, ...]] = {}
    for prv, individuals, state in facts:
        places = [parts.of[individual] for individual in individuals]
        key: tuple[int, object] = prv, shard_key(model.prvs[prv], places, individuals)
        states[key][state] += 1
        sample[key] = individuals
    for key, counts in states.items():
        individuals = sample[key]
        distinct = [parts.of[individual] for individual in dict.fromkeys(individuals)]
        places = [parts.of[individual] for individual in individuals]
        swaps = swaps_of(model.prvs[key[0]], places, individuals)
        size = choices(sizes, distinct) // len(swaps)
        if len(counts) > 1 or counts.total() < size:
            smallest = min((part for part in distinct if sizes[part] > 1), key=sizes.__getitem__)
            part = parts.listed[smallest]
            return {(part.domain, individual) for individual in part.members or ()}
    return set()


def arranged(prv: PRV, parts: Sequence[int], individuals: Sequence[object]) -> list[int]:
    """The order in which to list the places of a PRV: in unordered sets any order is the same.

    It is the order with the smallest parts and, among those, the smallest pattern of equalities.
    """
    places = list(range(len(parts)))
    sets = prv.pattern.unordered if len(parts) > 1 else ()
    if not sets:
        return places
    if len(set(individuals)) == len(individuals):
        orders = [[sorted(members, key=parts.__getitem__)] for members in sets]
    else:
        orders = [list(map(list, permutations(members))) for members in sets]
    candidates = []
    for chosen in product(*orders):
        order = list(places)
        for members, listed in zip(sets, chosen, strict=True):
            for place, source in zip(members, listed, strict=True):
                order[place] = source
        candidates.append((_pattern(order, parts, individuals), order))
    return min(candidates)[1]


def _pattern(
    order: Sequence[int], parts: Sequence[int], individuals: Sequence[object]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    first: dict[object, int] = {}
    equal = [first.setdefault(individuals[place], len(first)) for place in order]
    return tuple([parts[place] for place in order]), tuple(equal)


def shard_key(
    prv: PRV, parts: Sequence[int], individuals: Sequence[object]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What tells shards of a PRV apart: parts of its places, and which individuals are equal."""
    return _pattern(arranged(prv, parts, individuals), parts, individuals)


def swaps_of(prv: PRV, parts: Sequence[int], individuals: Sequence[object]) -> list[Permutation]:
    """The permutations of different individuals from the same part that lead to the same variable.

    Individuals are numbered in the order of their first place; the identity comes first.
    """
    distinct = list(dict.fromkeys(individuals))
    indices = [distinct.index(individual) for individual in individuals]
    sets = prv.pattern.unordered if len(distinct) > 1 else ()
    part = {index: parts[place] for place, index in enumerate(indices)}
    swaps = []
    for image in permutations(range(len(distinct))) if sets else [tuple(range(len(distinct)))]:
        moved = [image[index] for index in indices]
        if all(part[a] == part[b] for a, b in enumerate(image)) and (
            _sorted_in(sets, moved) == _sorted_in(sets, indices)
        ):
            swaps.append(image)
    return swaps


def _sorted_in(sets: Iterable[Sequence[int]], values: Sequence[int]) -> tuple[int, ...]:
    """The values, sorted within the places of each unordered set."""
    listed = list(values)
    for places in sets:
        for place, value in zip(places, sorted(values[p] for p in places), strict=True):
            listed[place] = value
    return tuple(listed)
