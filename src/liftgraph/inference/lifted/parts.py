"""Domains cut into parts: individuals that evidence and question do not tell apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product, repeat

from liftgraph.inference.lifted.fact_colours import fact_colours
from liftgraph.inference.lifted.facts import Evidence, Facts, equalities, facts_of
from liftgraph.inference.lifted.nesting import Individual, Nesting, nesting
from liftgraph.inference.lifted.terms import choices
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place

# A PRV, the parts at its places, and which places have the same individual.
Key = tuple[int, tuple[tuple[int, ...], tuple[int, ...]]]


@dataclass(frozen=True)
class Part:
    """Individuals of a domain; if ``members`` is None, all those that are in no other part.

    ``outer``: for a nested domain, the part that the individuals around are in. ``size``: how many
    of the individuals there are, for each of those.
    """

    domain: int
    size: int
    members: tuple[int, ...] | None
    outer: int | None = None


@dataclass(frozen=True)
class Parts:
    """The parts of all domains. ``of``: the part of each individual that is listed in one.

    ``inside``: the parts of each domain; for a nested one, of each part of the domain around it.
    ``rest``: in the same way, the part of the individuals not listed. ``nesting``: what is nested
    in what, and so what the number of an individual means. ``observed``: the observation of the
    variables with individuals from the same parts, a state or a likelihood, and how many there are.
    """

    listed: tuple[Part, ...]
    of: dict[Individual, int]
    inside: dict[tuple[int, int | None], tuple[int, ...]]
    rest: dict[tuple[int, int | None], int]
    nesting: Nesting
    observed: dict[Key, tuple[int, int]]

    def parts_of(self, prv: int, individuals: Sequence[Individual]) -> list[int]:
        """The parts of the individuals of a variable."""
        around = self.nesting.around[prv]

        def part(place: int) -> int:
            listed = self.of.get(individuals[place])
            outer = around[place]
            if listed is not None:
                return listed
            return self.rest[individuals[place][0], None if outer is None else part(outer)]

        return [part(place) for place in range(len(individuals))]

    def beside(self, part: int) -> tuple[int, ...]:
        """The parts that a domain is split into, this one among them, around the same part."""
        return self.inside[self.listed[part].domain, self.listed[part].outer]

    @cached_property
    def by_domain(self) -> list[list[tuple[int, ...]]]:
        """The parts of each domain; for a nested one, of each part of the domain around it."""
        by_domain: list[list[tuple[int, ...]]] = [[] for _ in self.nesting.outer]
        for (domain, _), parts in self.inside.items():
            by_domain[domain].append(parts)
        return by_domain


def cut_domains(
    model: ParfactorGraph,
    evidence: Evidence,
    apart: Sequence[Place] = (),
    ground: Collection[int] = (),
) -> Parts:
    """Cut domains so that variables with individuals from the same parts have the same evidence.

    ``apart``: variables whose individuals are told apart from all others. ``ground``: domains whose
    individuals are all told apart. Only individuals that facts mention are examined: colour
    passing groups them by their observations. Where observations still differ within a group,
    its individuals are told apart.
    """
    about = any(chosen for _, chosen in (*evidence, *apart))
    nested = nesting(model, ground if about else range(len(model.domains)))
    single: dict[Individual, Hashable] = {}
    for prv, chosen in apart:
        single.update((individual, individual) for individual in nested.individuals(prv, chosen))
    for domain in ground:
        members = ((domain, index) for index in range(model.domains[domain].size))
        single.update((individual, individual) for individual in members)
    facts = facts_of(nested, evidence)
    while True:
        parts = _parts(model, nested, fact_colours(model.prvs, nested, facts, single))
        observed = _observations(model, parts, facts)
        mixed = _observed_differently(model, parts, observed)
        if mixed is None:
            same = {key: next(iter(states.items())) for key, states in observed.items()}
            return replace(parts, observed=same)
        single |= _told_apart(model, parts, mixed)


def _parts(model: ParfactorGraph, nested: Nesting, colours: Mapping[Individual, int]) -> Parts:
    """A part for the individuals of each colour, and one for those without a colour.

    Individuals of a nested domain have facts in common with those around them. So if they have one
    colour, those around them have one colour, too, and each of these has the same number of them.
    """
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for (domain, individual), colour in colours.items():
        members[domain, colour].append(individual)
    groups = [(domain, individuals) for (domain, _), individuals in sorted(members.items())]
    of = {
        (domain, individual): part_index
        for part_index, (domain, individuals) in enumerate(groups)
        for individual in individuals
    }
    listed: list[Part] = []
    for domain, individuals in groups:
        around = nested.outer[domain]
        if around is None:
            listed.append(Part(domain, len(individuals), tuple(individuals)))
            continue
        outer = of[around, individuals[0] // model.domains[domain].size]
        size = len(individuals) // len(groups[outer][1])
        listed.append(Part(domain, size, tuple(individuals), outer))
    return _with_the_rest(model, nested, listed, of)


def _with_the_rest(
    model: ParfactorGraph, nested: Nesting, listed: list[Part], of: dict[Individual, int]
) -> Parts:
    """Add a part for the individuals of each domain that are not listed, if there are any."""
    inside: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for part_index, part in enumerate(listed):
        inside[part.domain, part.outer].append(part_index)
    by_domain: dict[int | None, list[int | None]] = {None: [None]}
    rest: dict[tuple[int, int | None], int] = {}
    for domain in nested.outermost_first:
        by_domain[domain] = []
        for outer in by_domain[nested.outer[domain]]:
            parts = inside[domain, outer]
            left = model.domains[domain].size - sum(listed[part].size for part in parts)
            if left:
                rest[domain, outer] = len(listed)
                parts.append(len(listed))
                listed.append(Part(domain, left, None, outer))
            by_domain[domain].extend(parts)
    return Parts(tuple(listed), of, {k: tuple(v) for k, v in inside.items()}, rest, nested, {})


def _told_apart(
    model: ParfactorGraph, parts: Parts, part_index: int
) -> dict[Individual, Individual]:
    """Individuals of a part that are from now on told apart, and by what.

    They are all of them; in a nested domain, only the first one inside of each individual around
    them, which are still alike.
    """
    part = parts.listed[part_index]
    individuals = [(part.domain, member) for member in part.members or ()]
    if part.outer is None:
        return {individual: individual for individual in individuals}
    size = model.domains[part.domain].size
    first: dict[int, Individual] = {}
    for individual in individuals:
        first.setdefault(individual[1] // size, individual)
    return dict.fromkeys(first.values(), individuals[0])


def _observations(
    model: ParfactorGraph, parts: Parts, facts: Sequence[Facts]
) -> dict[Key, Counter[int]]:
    """How many variables of each shard were observed in which state."""
    observed: dict[Key, Counter[int]] = defaultdict(Counter)
    for prv, numbers, states in facts:
        domains = parts.nesting.domains[prv]
        columns = [
            [parts.of[domain, number] for number in column]
            for domain, column in zip(domains, numbers.tolist(), strict=True)
        ]
        places = zip(*columns, strict=True) if columns else repeat(())
        alike = Counter(zip(places, equalities(domains, numbers), states, strict=False))
        for (inside, equal, state), times in alike.items():
            observed[prv, shard_key(model.prvs[prv], inside, equal)][state] += times
    return observed


def _observed_differently(
    model: ParfactorGraph, parts: Parts, observed: Mapping[Key, Counter[int]]
) -> int | None:
    """A part whose variables were not all observed in the same state.

    It is the smallest one of several individuals in the first shard that has such variables.
    """
    sizes = [part.size for part in parts.listed]
    for (prv, (places, equal)), counts in observed.items():
        distinct = list(dict(zip(equal, places, strict=True)).values())
        swaps = swaps_of(model.prvs[prv], places, equal)
        size = choices(sizes, distinct) // len(swaps)
        if len(counts) > 1 or counts.total() < size:
            return min((part for part in distinct if sizes[part] > 1), key=sizes.__getitem__)
    return None


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
    if not sets:
        return [tuple(range(len(distinct)))]
    part = {index: parts[place] for place, index in enumerate(indices)}
    swaps = []
    for image in permutations(range(len(distinct))):
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
