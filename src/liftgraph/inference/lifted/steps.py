"""What can be done next to the terms of a model, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from typing import Literal

from liftgraph.inference.lifted.count import Unit, count
from liftgraph.inference.lifted.operators import fold, rename, sum_out
from liftgraph.inference.lifted.terms import Shard, Slot, Term, World, generated
from liftgraph.inference.tensor.counting import histograms_at_most
from liftgraph.inference.tensor.tensors import Tensor, multinomials

Kind = Literal["sum out", "count"]


@dataclass
class Pool:
    """The terms of a model by number, and which of them have which shards.

    ``holders``: the terms that have a shard with logvars; ``counters``: a counting variable.
    """

    world: World
    terms: dict[int, Term] = field(default_factory=dict)
    holders: dict[int, set[int]] = field(default_factory=dict)
    counters: dict[int, set[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One choice: shards summed out of some terms, or logvars of a term counted.

    ``terms``: what it is applied to, ``result``: what it makes. ``factors``: the terms of which
    the shards are summed out at last. ``cost``: entries looked at.
    """

    kind: Kind
    shards: tuple[int, ...]
    terms: tuple[Term, ...]
    result: Term
    cost: int
    factors: tuple[Term, ...] = ()


def counts_per_individual(world: World, term: Term) -> bool:
    """Whether a term has a new counting variable that depends on other logvars."""
    return any(
        logvars and slot.shard not in world.counted
        for shard, logvars in term.axes
        for counting in [world.shards[shard].counting]
        if counting is not None
        for slot in counting.slots
    )


def sum_out_step(pool: Pool, shard: int) -> Step | None:
    """Sum a shard out of all terms that have it, if that is possible."""
    numbers = pool.holders.get(shard, ())
    given = pool.world.shards[shard]
    if not numbers or shard in pool.world.counted or _is_needed(pool, given):
        return None
    terms = [pool.terms[number] for number in sorted(numbers)]
    together = terms if given.counting is None else [*terms, weights(pool.world, shard)]
    factors = prepare(pool.world, together, shard)
    if factors is None:
        return None
    shards = (shard, *_private(pool, factors, shard, numbers))
    result = sum_out(pool.world, factors, shards)
    cost = _work(result, terms) + _commitment(pool, result, numbers)
    return Step("sum out", shards, tuple(terms), result, cost, tuple(factors))


def _private(
    pool: Pool, factors: Sequence[Term], shard: int, numbers: Collection[int]
) -> Iterator[int]:
    """Other shards that are in no other term, and can be summed out at the same time."""
    if len(factors[0].group) > 1:
        return
    places = len(factors[0].parts)
    axes = dict.fromkeys(axis for term in factors for axis in term.axes)
    times = Counter(other for other, _ in axes)
    countings = [pool.world.shards[other].counting for other, _ in axes]
    counted = {slot.shard for each in countings if each is not None for slot in each.slots}
    for other, logvars in axes:
        if other != shard and len(logvars) == places and times[other] == 1 and other not in counted:
            alone = pool.holders.get(other, set()) <= set(numbers)
            plain = pool.world.shards[other].counting is None and other not in pool.world.counted
            if alone and plain and len(pool.world.shards[other].swaps) == 1:
                yield other


def _is_needed(pool: Pool, shard: Shard) -> bool:
    """Whether some terms are still to be expressed by this counting variable."""
    return shard.counting is not None and any(
        pool.holders.get(slot.shard) for slot in shard.counting.slots
    )


def weights(world: World, shard: int) -> Term:
    """The term that says in how many ways each histogram of a counting variable comes about."""
    given = world.shards[shard]
    assert given.counting is not None
    places = tuple(range(len(given.parts)))
    tensor = multinomials(given.counting.number, prod(given.counting.shape), given.values)
    return Term(((shard, places),), tensor, given.parts, given.parts, (places,))


def prepare(world: World, terms: Sequence[Term], shard: int) -> list[Term] | None:
    """Terms made ready for a shard to be summed out, or None if its logvars do not allow it."""
    prepared = []
    for term in terms:
        ready = _only_logvars_of(world, term, shard)
        if ready is None:
            return None
        prepared.append(ready)
    swaps = [axis[1] for term in prepared for axis in term.axes if axis[0] == shard]
    swaps += [swap for term in prepared for swap in term.group]
    group = generated([*swaps, *world.shards[shard].swaps])
    return [fold(world, t, group) if len(t.group) < len(group) else t for t in prepared]


def _only_logvars_of(world: World, term: Term, shard: int) -> Term | None:
    """A term with all logvars counted but those of a shard, listed in the order of its places."""
    blocks = {frozenset(logvars) for number, logvars in term.axes if number == shard}
    if len(blocks) != 1:
        return None
    while len(term.parts) > len(world.shards[shard].parts):
        block = next(logvars for number, logvars in term.axes if number == shard)
        extra = [logvar for logvar in range(len(term.parts)) if logvar not in block]
        clique = term.cliques[extra[0]]
        units = [(logvar,) for logvar in extra if term.cliques[logvar] == clique]
        counted = count(world, term, units)
        if counted is None:
            return None
        term = counted
    order = next(logvars for number, logvars in term.axes if number == shard)
    ordered = rename(world, term, order)
    return replace(ordered, cliques=ordered.parts)


def count_step(pool: Pool, number: int) -> Step | None:
    """Count logvars of a term, as many of a clique as possible."""
    term = pool.terms.get(number)
    if term is None:
        return None
    found: list[Step] = []
    for units in _candidates(pool.world, term):
        result = count(pool.world, term, units)
        if result is not None:
            cost = _work(result, [term]) + _commitment(pool, result, [number])
            found.append(Step("count", (), (term,), result, cost))
    return min(found, key=lambda step: (bool(step.result.parts), step.cost), default=None)


def _candidates(world: World, term: Term) -> Iterator[list[Unit]]:
    """Which logvars to count: those of a clique, all or with some of them as context."""
    cliques: dict[int, list[int]] = {}
    for logvar, clique in enumerate(term.cliques):
        cliques.setdefault(clique, []).append(logvar)
    for members in cliques.values():
        for size in range(len(members), 0, -1):
            for chosen in combinations(members, size):
                if _is_closed(term, members, chosen):
                    yield [(logvar,) for logvar in chosen]
    for shard, logvars in term.axes:
        counting = world.shards[world.counted[shard]].counting if shard in world.counted else None
        for slot in counting.slots if counting is not None else ():
            if slot.shard == shard and len(slot.places) > 1:
                yield [tuple([logvars[place] for place in slot.places])]


def _is_closed(term: Term, members: Sequence[int], chosen: Sequence[int]) -> bool:
    """Whether all other members of a clique are context: in every axis with a chosen one."""
    rest = set(members) - set(chosen)
    return all(rest <= set(logvars) for _, logvars in term.axes if set(chosen) & set(logvars))


def _work(result: Term, given: Sequence[Term]) -> int:
    """How many entries are looked at between given terms and a result."""
    known = {id(term.tensor) for term in given}
    work, stack = 0, [result.tensor]
    seen: set[int] = set()
    while stack:
        tensor: Tensor = stack.pop()
        if id(tensor) not in known and id(tensor) not in seen:
            seen.add(id(tensor))
            work += tensor.work
            stack.extend(tensor.operands)
    return work


def _commitment(pool: Pool, result: Term, gone: Collection[int]) -> int:
    """What new counting variables will cost at least: all tables of their slots are to be counted.

    So are the variables of the same individual in these tables. ``gone``: terms not to look at.
    """
    world, total = pool.world, 0
    for shard, _ in result.axes:
        counting = world.shards[shard].counting
        if counting is None or all(slot.shard in world.counted for slot in counting.slots):
            continue
        cells = dict(zip([slot.shard for slot in counting.slots], counting.shape, strict=True))
        holders: set[int] = set()
        for slot in counting.slots:
            for holder in pool.holders.get(slot.shard, set()).difference(gone):
                cells.update(_beside(world, pool.terms[holder], slot))
                holders.add(holder)
        histograms = histograms_at_most(counting.number, prod(cells.values()))
        total += histograms
        for holder in holders:
            total += histograms * _entries_besides(world, pool.terms[holder], cells)
    return total


def _entries_besides(world: World, term: Term, counted: Collection[int]) -> int:
    """Entries of a term without some shards, once all other counted ones are counted in it."""
    entries = 1
    for shard in {shard for shard, _ in term.axes} - set(counted):
        own = world.counted.get(shard, shard)
        entries *= world.shards[own].values
    return entries


def _beside(world: World, term: Term, slot: Slot) -> dict[int, int]:
    """The shards that are in a term with the same logvars as a slot's, and their states."""
    own = {logvars for shard, logvars in term.axes if shard == slot.shard}
    return {
        shard: world.shards[shard].values
        for shard, logvars in term.axes
        if logvars in own and world.shards[shard].counting is None
    }
