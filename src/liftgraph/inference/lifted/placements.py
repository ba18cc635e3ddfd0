"""Where the logvars of a parfactor may be: in which parts, and which of them are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise, product
from math import factorial, prod

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.lifted.nesting import outer_logvars, outermost_first
from liftgraph.inference.lifted.parts import Parts
from liftgraph.inference.lifted.terms import UnliftableError, generated
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.lifted.logvars import Domain, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, Parfactor, logvars_of
from liftgraph.model.lifted.renamings import symmetries

_MOST_ORDERS = 720
_TRIED = 4  # how many renamings are tried for each swap
Block = tuple[int, int]  # a part, and which of the individuals there


@dataclass(frozen=True)
class Placement:
    """A block for each logvar: those in the same block stand for the same individual.

    ``block``: that of each logvar, from 0, or -1 - part if the part has one individual only.
    ``parts`` and ``cliques``: those of the blocks from 0. ``swaps``: a group of permutations of the
    blocks, the identity first.
    """

    block: dict[LogVar, int]
    parts: tuple[int, ...]
    cliques: tuple[int, ...]
    swaps: tuple[Permutation, ...]

    def part_of(self, block: int) -> int:
        """The part of a block."""
        return self.parts[block] if block >= 0 else -1 - block


@dataclass(frozen=True)
class _Rules:
    """What determines the blocks of a parfactor's logvars.

    ``domains``: that of each logvar. ``outer``: the logvar that each one is nested in; ``order``:
    the order in which they are placed, outer ones first. ``linked``: a class for each logvar;
    logvars of one class are linked. ``apart``: pairs that must be different; ``rising``: pairs
    whose individuals must be listed in increasing order, since no swaps say which orders are the
    same.
    """

    parts: Parts
    domains: list[int]
    outer: list[int | None]
    order: list[int]
    linked: list[int]
    apart: set[frozenset[int]]
    rising: set[tuple[int, int]]


def placements(
    parfactor: Parfactor, parts: Parts, domains: Mapping[Domain, int]
) -> Iterator[Placement]:
    """The placements of a parfactor's logvars, one from each orbit of its swaps."""
    logvars = parfactor.logvars
    if not logvars:
        yield Placement({}, (), (), ((),))
        return
    swaps = unordered_swaps(parfactor)
    rules = _rules(parfactor, parts, domains, swaps is None)
    identity = tuple(range(len(logvars)))
    for blocks in _blocks(rules, {}):
        if swaps is None or len(swaps) == 1:
            yield _placement(logvars, blocks, rules, [identity])
            continue
        shape = _shape(blocks)
        images = [_shape([blocks[swap.index(v)] for v in identity]) for swap in swaps]
        if shape == min(images):
            stabiliser = [s for s, image in zip(swaps, images, strict=True) if image == shape]
            yield _placement(logvars, blocks, rules, stabiliser)


def part_choices(parfactor: Parfactor, parts: Parts, domains: Mapping[Domain, int]) -> int:
    """How many choices of parts there are for a parfactor's logvars, counted ones included."""
    outer = outer_logvars(parfactor, parts.nesting, domains)
    logvars = (*parfactor.logvars, *parfactor.counted)
    nested = {logvar: [v for v in logvars if outer.get(v) == logvar] for logvar in outer.values()}

    def ways(logvar: LogVar, around: int | None) -> int:
        options, inner = parts.inside[domains[logvar.domain], around], nested.get(logvar)
        if not inner:
            return len(options)
        return sum(prod(ways(v, part) for v in inner) for part in options)

    return prod(ways(logvar, None) for logvar in logvars if logvar not in outer)


def _rules(
    parfactor: Parfactor, parts: Parts, domains: Mapping[Domain, int], listed: bool
) -> _Rules:
    position = {logvar: place for place, logvar in enumerate(parfactor.logvars)}
    outer = outer_logvars(parfactor, parts.nesting, domains)
    order = outermost_first(parfactor.logvars, outer)
    apart = {
        frozenset((position[first], position[second]))
        for constraint in parfactor.constraints
        for first, second in combinations(constrained(constraint), 2)
        if first in position and second in position
    }
    sets = [c.logvars for c in parfactor.constraints if isinstance(c, Unordered)]
    rising: set[tuple[int, int]] = set()
    for logvars in sets if listed else ():
        rising.update(pairwise(position[logvar] for logvar in logvars))
        for part_index, part in enumerate(parts.listed):
            if part.domain == domains[logvars[0].domain] and part.size > 1:
                raise UnliftableError(part_index, _why_listed(sets))
    return _Rules(
        parts,
        [domains[logvar.domain] for logvar in parfactor.logvars],
        [position[outer[v]] if v in outer else None for v in parfactor.logvars],
        [position[logvar] for logvar in order],
        linked_logvars(parfactor),
        apart,
        rising,
    )


def _why_listed(sets: Sequence[Sequence[LogVar]]) -> str:
    """Why the orders of unordered sets are listed instead of being swapped."""
    orders = _order_count(sets)
    names = " and ".join(f"{{{', '.join(v.name for v in logvars)}}}" for logvars in sets)
    if orders > _MOST_ORDERS:
        return f"the logvars of {names} have {orders:,} orders, more than the {_MOST_ORDERS} tried"
    return f"swaps of the logvars of {names} rename others in too many ways to try them all"


def linked_logvars(parfactor: Parfactor) -> list[int]:
    """A class for each logvar: those over one domain that arguments or constraints link.

    Whether two of them are the same must be known; independent ones need not be told apart.
    """
    if len(parfactor.logvars) < 2:
        return [*range(len(parfactor.logvars))]
    together = [set(constrained(constraint)) for constraint in parfactor.constraints]
    for argument in parfactor.arguments:
        logvars = set(logvars_of(argument))
        if isinstance(argument, CRV):
            touching = [linked for linked in together if not linked.isdisjoint(argument.counted)]
            logvars = logvars.union(*touching)
        together.append(logvars)
    classes: DisjointSets[int] = DisjointSets()
    for linked in together:
        if len(linked) < 2:
            continue
        by_domain: dict[Domain, list[int]] = {}
        for place, logvar in enumerate(parfactor.logvars):
            if logvar in linked:
                by_domain.setdefault(logvar.domain, []).append(place)
        for places in by_domain.values():
            classes.join(places)
    return [classes.find(place) for place in range(len(parfactor.logvars))]


def _blocks(rules: _Rules, chosen: Mapping[int, Block]) -> Iterator[tuple[Block, ...]]:
    """Blocks for logvars one by one: the block of an earlier logvar, or a new one in some part."""
    if len(chosen) == len(rules.order):
        yield tuple([chosen[place] for place in range(len(chosen))])
        return
    place = rules.order[len(chosen)]
    outer = rules.outer[place]
    around = None if outer is None else chosen[outer][0]
    mates = [p for p in chosen if rules.linked[p] == rules.linked[place]]
    for part in rules.parts.inside[rules.domains[place], around]:
        there = list(dict.fromkeys(chosen[p] for p in mates if chosen[p][0] == part))
        if rules.parts.listed[part].size > len(there):
            there.append((part, place))
        for block in there:
            same = [p for p in mates if chosen[p] == block]
            if not any(frozenset((p, place)) in rules.apart for p in same) and _rises(
                rules, chosen, place, part
            ):
                yield from _blocks(rules, {**chosen, place: block})


def _rises(rules: _Rules, chosen: Mapping[int, Block], place: int, part: int) -> bool:
    """Whether unordered sets are listed in increasing order where they must be: that of parts.

    Precondition: if there must be an order, each part has one individual.
    """
    below = [block[0] for p, block in chosen.items() if (p, place) in rules.rising]
    above = [block[0] for p, block in chosen.items() if (place, p) in rules.rising]
    return all(first < part for first in below) and all(part < other for other in above)


def _shape(chosen: Sequence[Block]) -> tuple[tuple[int, int], ...]:
    """Which parts, and which logvars share a block, whatever the numbers of the blocks."""
    first: dict[Block, int] = {}
    return tuple([(block[0], first.setdefault(block, len(first))) for block in chosen])


def _placement(
    logvars: Sequence[LogVar],
    chosen: Sequence[Block],
    rules: _Rules,
    stabiliser: Sequence[Permutation],
) -> Placement:
    """Number the blocks of parts with several individuals, and see how swaps permute them."""
    in_large_parts = [block for block in chosen if rules.parts.listed[block[0]].size > 1]
    numbers = {block: order for order, block in enumerate(dict.fromkeys(in_large_parts))}
    blocks = [numbers.get(block, -1 - block[0]) for block in chosen]
    clique: dict[int, tuple[int, int]] = {
        block: (rules.linked[place], chosen[place][0]) for place, block in enumerate(blocks)
    }
    clique_numbers = {key: order for order, key in enumerate(dict.fromkeys(clique.values()))}
    swaps: dict[Permutation, None] = {}
    for swap in stabiliser:
        image = {blocks[v]: blocks[swap[v]] for v in range(len(logvars))}
        swaps[tuple([image[block] for block in range(len(numbers))])] = None
    return Placement(
        dict(zip(logvars, blocks, strict=True)),
        tuple(block[0] for block in numbers),
        tuple(clique_numbers[clique[block]] for block in range(len(numbers))),
        tuple(swaps),
    )


def unordered_swaps(parfactor: Parfactor) -> tuple[Permutation, ...] | None:
    """The permutations of logvars that take factors of unordered sets to themselves.

    There is one for each order of each unordered set; None if there are too many, or if the
    renamings that were tried do not form a group of this order.
    """
    sets = [c.logvars for c in parfactor.constraints if isinstance(c, Unordered)]
    identity = tuple(range(len(parfactor.logvars)))
    orders = _order_count(sets)
    if orders == 1:
        return (identity,)
    if orders > _MOST_ORDERS:
        return None
    transpositions = [pair for logvars in sets for pair in pairwise(logvars)]
    renamings = [list(islice(symmetries(parfactor, pair), _TRIED)) for pair in transpositions]
    groups = (generated([identity, *generators]) for generators in product(*renamings))
    return next((group for group in groups if len(group) == orders), None)


def _order_count(sets: Sequence[Sequence[LogVar]]) -> int:
    return prod(factorial(len(logvars)) for logvars in sets)
