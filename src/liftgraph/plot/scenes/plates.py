"""Which logvars can have a plate: a rectangle around all that is repeated, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, permutations

from liftgraph.model.lifted.logvars import Domain, LogVar
from liftgraph.model.lifted.parfactor import PRV, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

Element = PRV | Parfactor
Repeated = frozenset[Domain]
Block = tuple[Repeated, ...]
_MOST_BLOCKS = 12
_TRIED = 6  # columns whose orders are tried one by one
_HIGHEST = 25  # PRVs or parfactors below each other


def plated_domains(model: ParfactorGraph) -> tuple[list[Domain], list[Block]]:
    """The domains that can be drawn as plates, and what is to stand where.

    A block is a row of columns, from left to right; a column has what is repeated for the same
    domains. What is not repeated stands left of all blocks.
    Two logvars over one domain in a PRV or parfactor cannot be drawn: they stand in the labels.
    Nor can plates that no order of the columns keeps together; the one with the least in it is
    given up then, and all of them if too much would stand in a column.
    """
    elements: list[Element] = [*model.prvs, *model.parfactors]
    domains = [domain for domain in model.domains if all(_once(domain, e) for e in elements)]
    while True:
        kinds = Counter((type(element), repeated(element, domains)) for element in elements)
        blocks = _blocks(dict.fromkeys(kind for _, kind in kinds if kind), domains, model)
        if domains and max(kinds.values()) > _HIGHEST:
            domains = []
        elif blocks is None:
            sizes = Counter(d for each in elements for d in repeated(each, domains))
            domains.remove(min(domains, key=lambda d: sizes[d]))
        else:
            return domains, blocks


def repeated(element: Element, domains: Iterable[Domain]) -> Repeated:
    """For which of these domains there is one for each individual."""
    return frozenset(logvar.domain for logvar in element.logvars) & frozenset(domains)


def all_logvars(element: Element) -> tuple[LogVar, ...]:
    """The logvars of a PRV or parfactor, counted ones included."""
    return element.logvars + (element.counted if isinstance(element, Parfactor) else ())


def _once(domain: Domain, element: Element) -> bool:
    return sum(logvar.domain == domain for logvar in all_logvars(element)) <= 1


def _blocks(
    kinds: Iterable[Repeated], domains: Sequence[Domain], model: ParfactorGraph
) -> list[Block] | None:
    """Columns in orders that keep plates together and edges short; None if there are none."""
    links = [
        (repeated(atom_of(argument).prv, domains), repeated(each, domains))
        for each in model.parfactors
        for argument in each.arguments
    ]
    blocks: list[Block] = []
    for part in _connected(kinds, links):
        fitting = _orders(part, domains)
        if not fitting or len(blocks) == _MOST_BLOCKS:
            return None
        blocks.append(min(fitting, key=lambda order: _length(order, links)))
    return blocks


def _connected(
    kinds: Iterable[Repeated], links: Iterable[tuple[Repeated, Repeated]]
) -> list[list[Repeated]]:
    """Columns that have to do with each other: by plates, or by edges."""
    linked = set(links) | {(second, first) for first, second in links}
    parts: list[list[Repeated]] = []
    for kind in kinds:
        met = [p for p in parts if any(kind & other or (kind, other) in linked for other in p)]
        parts = [part for part in parts if part not in met] + [[*chain(*met), kind]]
    return parts


def _orders(part: Sequence[Repeated], domains: Sequence[Domain]) -> list[tuple[Repeated, ...]]:
    """All orders that keep plates together, unless there are too many to try."""
    if len(part) > _TRIED:
        return []
    return [o for o in permutations(part) if all(_consecutive(d, o) for d in domains)]


def _length(order: Iterable[Repeated], links: Iterable[tuple[Repeated, Repeated]]) -> int:
    """How many columns edges pass in all; what is not repeated stands left of all others."""
    place = {kind: number for number, kind in enumerate(order, 1)}
    return sum(abs(place.get(one, 0) - place[other]) for one, other in links if other in place)


def _consecutive(domain: Domain, order: Sequence[Repeated]) -> bool:
    places = [number for number, kind in enumerate(order) if domain in kind]
    return not places or places[-1] - places[0] < len(places)


def levels(blocks: Iterable[Block]) -> dict[Domain, int]:
    """How far out the rim of each plate is: those with a column in common differ."""
    found: dict[Domain, int] = {}
    for block in blocks:
        columns = {d: [kind for kind in block if d in kind] for kind in block for d in kind}
        for domain in sorted(columns, key=lambda d: (len(columns[d]), d.name)):
            inner = [found[d] for kind in columns[domain] for d in kind if d in found]
            found[domain] = max(inner, default=-1) + 1
    return found
