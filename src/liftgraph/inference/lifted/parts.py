"""Domains cut into parts: individuals that evidence and question do not tell apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from liftgraph.inference.lifted.terms import choices
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place

Individual = tuple[int, int]  # a domain and a number in it
Evidence = Mapping[Place, int]


@dataclass(frozen=True)
class Part:
    """Individuals of a domain; ``members`` None stands for all that are in no other part."""

    domain: int
    size: int
    members: tuple[int, ...] | None


@dataclass(frozen=True)
class Parts:
    """The parts of all domains. ``of``: the part of each individual that is listed in one."""

    listed: tuple[Part, ...]
    of: dict[Individual, int]
    by_domain: tuple[tuple[int, ...], ...]
    rest: tuple[int | None, ...]

    def part(self, domain: int, individual: int) -> int:
        """The part of an individual."""
        found = self.of.get((domain, individual), self.rest[domain])
        assert found is not None
        return found

    def first(self, part: int) -> int:
        """The number of a part's first individual; -1 if they are not listed."""
        members = self.listed[part].members
        return members[0] if members else -1


def partition(
    model: ParfactorGraph,
    evidence: Evidence,
    apart: Iterable[Place] = (),
    ground: Iterable[int] = (),
) -> Parts:
    """Cut domains so that variables with individuals from the same parts have the same evidence.

    ``apart``: variables whose individuals are told from all others. ``ground``: domains whose
    individuals are all told apart. Only individuals that are mentioned are looked at: they are
    refined by what was observed of them, like colours; where refined parts still differ in what
    was observed, their individuals are told apart.
    """
    number = {domain: place for place, domain in enumerate(model.domains)}
    domains = [[number[v.domain] for v in prv.logvars] for prv in model.prvs]
    single = {each for prv, found in apart for each in zip(domains[prv], found, strict=True)}
    for domain in ground:
        single.update((domain, each) for each in range(model.domains[domain].size))
    facts = [
        (prv, tuple(zip(domains[prv], found, strict=True)), state)
        for (prv, found), state in evidence.items()
        if found
    ]
    mentioned = dict.fromkeys(each for _, found, _ in facts for each in found)
    while True:
        colours = _refined(model, facts, [*mentioned, *single], single)
        parts = _parts(model, colours)
        uneven = _uneven(model, parts, facts)
        if not uneven:
            return parts
        single |= uneven


def _refined(
    model: ParfactorGraph,
    facts: Sequence[tuple[int, tuple[Individual, ...], int]],
    mentioned: Iterable[Individual],
    single: set[Individual],
) -> dict[Individual, int]:
    """Colours of individuals, refined by those of others that facts mention along with them."""
    order = sorted(set(mentioned))
    number = {each: place for place, each in enumerate(order)}
    colours = {each: number[each] if each in single else -1 - each[0] for each in order}
    classes = 0
    while len(set(colours.values())) > classes:
        classes = len(set(colours.values()))
        seen: dict[Individual, list[tuple[object, ...]]] = defaultdict(list)
        for prv, found, state in facts:
            around = tuple([colours[each] for each in found])
            for place, each in enumerate(found):
                seen[each].append(_role(model.prvs[prv], prv, state, around, place, found))
        keys = {each: (colours[each], tuple(sorted(map(repr, seen[each])))) for each in order}
        names: dict[object, int] = {}
        colours = {each: names.setdefault(key, len(names)) for each, key in keys.items()}
    return colours


def _role(
    prv: PRV,
    number: int,
    state: int,
    around: tuple[int, ...],
    place: int,
    found: tuple[Individual, ...],
) -> tuple[object, ...]:
    """What a fact says of the individual at a place; in an unordered set all places are one."""
    same = tuple(each == found[place] for each in found)
    for places in prv.pattern.unordered:
        if place in places:
            others = sorted(around[each] for each in places if each != place)
            rest = tuple(c for p, c in enumerate(around) if p not in places)
            return number, state, min(places), tuple(others), rest
        around = _sorted_in([places], around)
    return number, state, place, around, same


def _sorted_in(sets: Iterable[Sequence[int]], values: Sequence[int]) -> tuple[int, ...]:
    """Values with those at the places of unordered sets in increasing order."""
    listed = list(values)
    for places in sets:
        for place, value in zip(places, sorted(values[each] for each in places), strict=True):
            listed[place] = value
    return tuple(listed)


def _parts(model: ParfactorGraph, colours: Mapping[Individual, int]) -> Parts:
    """Parts of individuals with the same colour, and of those without."""
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for (domain, individual), colour in colours.items():
        members[domain, colour].append(individual)
    listed = [Part(domain, len(m), tuple(m)) for (domain, _), m in sorted(members.items())]
    taken = Counter(domain for domain, _ in colours)
    rest: list[int | None] = []
    for number, whole in enumerate(model.domains):
        left = whole.size - taken[number]
        rest.append(len(listed) if left else None)
        if left:
            listed.append(Part(number, left, None))
    by_domain: list[list[int]] = [[] for _ in model.domains]
    for number, part in enumerate(listed):
        by_domain[part.domain].append(number)
    of = {
        (part.domain, each): number
        for number, part in enumerate(listed)
        for each in part.members or ()
    }
    return Parts(tuple(listed), of, tuple(map(tuple, by_domain)), tuple(rest))


def _uneven(
    model: ParfactorGraph,
    parts: Parts,
    facts: Sequence[tuple[int, tuple[Individual, ...], int]],
) -> set[Individual]:
    """Individuals of parts whose variables were not all observed in the same state.

    Of the first such shard, those of its smallest part that is not single.
    """
    sizes = [part.size for part in parts.listed]
    states: dict[tuple[int, object], Counter[int]] = defaultdict(Counter)
    sample: dict[object, tuple[Individual, ...]] = {}
    for prv, fact, state in facts:
        own = [parts.of[each] for each in fact]
        key: tuple[int, object] = prv, shard_key(model.prvs[prv], own, fact)
        states[key][state] += 1
        sample[key] = fact
    for key, counted in states.items():
        found = sample[key]
        own = [parts.of[each] for each in dict.fromkeys(found)]
        every = [parts.of[each] for each in found]
        size = choices(sizes, own) // len(swaps_of(model.prvs[key[0]], every, found))
        if len(counted) > 1 or counted.total() < size:
            part = min((part for part in own if sizes[part] > 1), key=lambda part: sizes[part])
            return {(parts.listed[part].domain, each) for each in parts.listed[part].members or ()}
    return set()


def arranged(prv: PRV, parts: Sequence[int], individuals: Sequence[object]) -> list[int]:
    """The places of a PRV in the order to list them in: in unordered sets any order is the same.

    It is the one in which the parts, and then which individuals are equal, come first.
    """
    places = list(range(len(parts)))
    sets = prv.pattern.unordered if len(parts) > 1 else ()
    if not sets:
        return places
    if len(set(individuals)) == len(individuals):
        orders = [[sorted(each, key=lambda place: parts[place])] for each in sets]
    else:
        orders = [list(map(list, permutations(each))) for each in sets]
    found = []
    for chosen in product(*orders):
        order = list(places)
        for each, listed in zip(sets, chosen, strict=True):
            for place, source in zip(each, listed, strict=True):
                order[place] = source
        found.append((_pattern(order, parts, individuals), order))
    return min(found)[1]


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
    numbers = [distinct.index(each) for each in individuals]
    sets = prv.pattern.unordered if len(distinct) > 1 else ()
    part = {number: parts[place] for place, number in enumerate(numbers)}
    found = []
    for image in permutations(range(len(distinct))) if sets else [tuple(range(len(distinct)))]:
        moved = [image[number] for number in numbers]
        if all(part[a] == part[b] for a, b in enumerate(image)) and (
            _sorted_in(sets, moved) == _sorted_in(sets, numbers)
        ):
            found.append(image)
    return found
