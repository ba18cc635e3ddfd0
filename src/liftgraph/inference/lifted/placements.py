"""Where the logvars of a parfactor may be: in which parts, and which of them are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, pairwise, product
from math import factorial, prod

from liftgraph.inference.lifted.parts import Parts
from liftgraph.inference.lifted.terms import UnliftableError, generated
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.lifted.logvars import Domain, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, Parfactor, logvars_of
from liftgraph.model.lifted.renamings import symmetries

_LARGEST_GROUP = 720
_TRIED = 4  # renamings for each swap
Block = tuple[int, int]  # a part, and which of the individuals there


@dataclass(frozen=True)
class Placement:
    """A block for each logvar: those in the same block stand for the same individual.

    ``block``: of each logvar; numbers from 0, or -1 - part if the part has one individual only.
    ``parts`` and ``cliques``: of the blocks from 0. ``group``: permutations of the blocks.
    """

    block: dict[LogVar, int]
    parts: tuple[int, ...]
    cliques: tuple[int, ...]
    group: tuple[Permutation, ...]

    def part_of(self, block: int) -> int:
        """The part of a block."""
        return self.parts[block] if block >= 0 else -1 - block


@dataclass(frozen=True)
class _Choice:
    """What decides on the blocks of a parfactor's logvars.

    ``options``: the parts of each logvar. ``linked``: classes of logvars that have to do with
    each other. ``apart``: pairs that must be different; ``rising``: pairs whose individuals must
    be listed in increasing order, since no group says which orders are the same.
    """

    parts: Parts
    options: list[tuple[int, ...]]
    linked: list[int]
    apart: set[frozenset[int]]
    rising: set[tuple[int, int]]


def placements(
    parfactor: Parfactor, parts: Parts, domains: Mapping[Domain, int]
) -> Iterator[Placement]:
    """All placements of a parfactor's logvars, one of those that its swaps take to each other."""
    logvars = parfactor.logvars
    if not logvars:
        yield Placement({}, (), (), ((),))
        return
    group = unordered_group(parfactor)
    choice = _choice(parfactor, parts, domains, group is None)
    identity = tuple(range(len(logvars)))
    for chosen in _blocks(choice, ()):
        if group is None or len(group) == 1:
            yield _placement(logvars, chosen, choice, [identity])
            continue
        shape = _shape(chosen)
        images = [_shape([chosen[swap.index(v)] for v in identity]) for swap in group]
        if shape == min(images):
            stabiliser = [s for s, image in zip(group, images, strict=True) if image == shape]
            yield _placement(logvars, chosen, choice, stabiliser)


def _choice(
    parfactor: Parfactor, parts: Parts, domains: Mapping[Domain, int], listed: bool
) -> _Choice:
    number = {logvar: place for place, logvar in enumerate(parfactor.logvars)}
    options = [parts.by_domain[domains[logvar.domain]] for logvar in parfactor.logvars]
    apart = {
        frozenset((number[one], number[other]))
        for each in parfactor.constraints
        for one, other in combinations(constrained(each), 2)
        if one in number and other in number
    }
    rising: set[tuple[int, int]] = set()
    for each in parfactor.constraints if listed else ():
        if isinstance(each, Unordered):
            rising.update(pairwise(number[logvar] for logvar in each.logvars))
            for part in parts.by_domain[domains[each.logvars[0].domain]]:
                if parts.listed[part].size > 1:
                    names = ", ".join(logvar.name for logvar in each.logvars)
                    raise UnliftableError(part, f"{{{names}}} has too many orders to be counted")
    return _Choice(parts, options, linked_logvars(parfactor), apart, rising)


def linked_logvars(parfactor: Parfactor) -> list[int]:
    """Classes of logvars over one domain that arguments or constraints have to do with together.

    Whether two of them are the same must be known; independent ones need not be told apart.
    """
    number = {logvar: place for place, logvar in enumerate(parfactor.logvars)}
    together = [set(constrained(each)) for each in parfactor.constraints]
    for argument in parfactor.arguments:
        own = set(logvars_of(argument))
        if isinstance(argument, CRV):
            counted = set(argument.counted)
            own |= {v for each in together if each & counted for v in each}
        together.append(own)
    leader = list(range(len(number)))
    for each in together:
        for one, other in combinations([v for v in each if v in number], 2):
            if one.domain == other.domain:
                old, new = leader[number[one]], leader[number[other]]
                leader = [new if known == old else known for known in leader]
    return leader


def _blocks(choice: _Choice, chosen: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    """Blocks for logvars one after the other: of another one, or a new one in some part."""
    place = len(chosen)
    if place == len(choice.options):
        yield chosen
        return
    mates = [p for p in range(place) if choice.linked[p] == choice.linked[place]]
    for part in choice.options[place]:
        there = list(dict.fromkeys(chosen[p] for p in mates if chosen[p][0] == part))
        if choice.parts.listed[part].size > len(there):
            there.append((part, place))
        for block in there:
            same = [p for p in mates if chosen[p] == block]
            if not any(frozenset((p, place)) in choice.apart for p in same) and _rises(
                choice, chosen, part
            ):
                yield from _blocks(choice, (*chosen, block))


def _rises(choice: _Choice, chosen: tuple[Block, ...], part: int) -> bool:
    """Whether individuals of unordered sets are listed in their order, where this is asked for."""
    place = len(chosen)
    own = choice.parts.first(part)
    others = [choice.parts.first(part) for part, _ in chosen]
    before = [other for p, other in enumerate(others) if (p, place) in choice.rising]
    after = [other for p, other in enumerate(others) if (place, p) in choice.rising]
    return all(other < own for other in before) and all(own < other for other in after)


def _shape(chosen: Sequence[Block]) -> tuple[tuple[int, int], ...]:
    """Which parts, and which logvars together, whatever the blocks are called."""
    first: dict[Block, int] = {}
    return tuple([(block[0], first.setdefault(block, len(first))) for block in chosen])


def _placement(
    logvars: Sequence[LogVar],
    chosen: Sequence[Block],
    choice: _Choice,
    stabiliser: Sequence[Permutation],
) -> Placement:
    """Number the blocks of parts with several individuals, and see how swaps permute them."""
    several = [block for block in chosen if choice.parts.listed[block[0]].size > 1]
    number = {block: order for order, block in enumerate(dict.fromkeys(several))}
    blocks = [number.get(block, -1 - block[0]) for block in chosen]
    clique: dict[int, tuple[int, int]] = {
        block: (choice.linked[place], chosen[place][0]) for place, block in enumerate(blocks)
    }
    names = {each: order for order, each in enumerate(dict.fromkeys(clique.values()))}
    group: dict[Permutation, None] = {}
    for swap in stabiliser:
        image = {blocks[v]: blocks[swap[v]] for v in range(len(logvars))}
        group[tuple([image[block] for block in range(len(number))])] = None
    return Placement(
        dict(zip(logvars, blocks, strict=True)),
        tuple(block[0] for block in number),
        tuple(names[clique[block]] for block in range(len(number))),
        tuple(group),
    )


def unordered_group(parfactor: Parfactor) -> tuple[Permutation, ...] | None:
    """The permutations of logvars that take factors of unordered sets to themselves.

    One for each order of each unordered set; None if there are too many, or none are found.
    """
    sets = [each.logvars for each in parfactor.constraints if isinstance(each, Unordered)]
    identity = tuple(range(len(parfactor.logvars)))
    order = prod(factorial(len(each)) for each in sets)
    if order == 1:
        return (identity,)
    if order > _LARGEST_GROUP:
        return None
    swaps = [pair for each in sets for pair in pairwise(each)]
    tried = [list(islice(symmetries(parfactor, pair), _TRIED)) for pair in swaps]
    groups = (generated([identity, *chosen]) for chosen in product(*tried))
    return next((group for group in groups if len(group) == order), None)
