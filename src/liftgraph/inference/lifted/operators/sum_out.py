"""Sum a shard out of the product of all terms that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from liftgraph.inference.lifted.operators.algebra import (
    counted_jointly,
    fold,
    product,
    rename,
    repeat,
)
from liftgraph.inference.lifted.operators.conversion import count
from liftgraph.inference.lifted.operators.costs import entries_looked_at
from liftgraph.inference.lifted.operators.protocol import Pool, Step
from liftgraph.inference.lifted.shards import logvar_names, short_shard_name, short_term_name
from liftgraph.inference.lifted.terms import Shard, Term, World, generated, mixes
from liftgraph.inference.tensor.contraction import SUM_OUT
from liftgraph.inference.tensor.tensors import multinomials

_TUPLES = {1: "individuals", 2: "pairs of individuals", 3: "triples of individuals"}


@dataclass(frozen=True)
class SumOut:
    """Inversion elimination, with the other logvars counted before.

    Candidates are shards. ``kept``: those that are not summed out.
    """

    name: str = SUM_OUT
    far_reaching: bool = False
    kept: Container[int] = frozenset()

    def candidates(self, pool: Pool, term_index: int, term: Term) -> list[tuple[int, int]]:
        """The shards of a term that have logvars; each costs at least the entries of the term."""
        least = term.tensor.entries if term_index in pool.terms else 0
        return [(shard, least) for shard, logvars in term.axes if logvars]

    def apply(self, pool: Pool, candidate: int) -> Step | None:
        """Sum a shard out of all terms that have it, if that is possible."""
        holders = sorted(pool.holders.get(candidate, ()))
        shard = pool.world.shards[candidate]
        if not holders or candidate in pool.world.counted or _is_needed(pool, shard):
            return None
        if candidate in self.kept:
            return None
        terms = [pool.terms[term_index] for term_index in holders]
        together = terms if shard.counting is None else [*terms, weights(pool.world, candidate)]
        factors = prepare(pool.world, together, candidate)
        if factors is None:
            return None
        private = _private(pool, factors, candidate, holders)
        shards = (candidate, *[shard for shard in private if shard not in self.kept])
        result = sum_out(pool.world, factors, shards)
        if mixes(pool.world, result, self.kept):
            return None
        return Step(self.name, tuple(holders), result, shards, tuple(factors))

    def cost(self, pool: Pool, step: Step) -> int:
        """The entries that are read, and the cost that new counting variables commit to."""
        return entries_looked_at(pool, step)

    def why_not(self, pool: Pool, term_index: int) -> str:
        """Why the shard with the most logvars cannot be summed out."""
        axes = pool.terms[term_index].axes
        shard = max(axes, key=lambda axis: len(axis[1]))[0]
        name = short_shard_name(pool.shards, shard)
        if shard in self.kept:
            return f"{name} is asked for"
        return f"{name} cannot be summed out, because {_obstacle(pool, shard, term_index)}"


def sum_out(world: World, terms: Sequence[Term], shards: Collection[int]) -> Term:
    """Sum shards out of the product of all terms that have them (group inversion).

    Precondition: the terms have the same logvars and swaps, and all of these logvars are in each
    of their axes of the shards, whose variables for different substitutions are different
    (lifted elimination; inversion elimination). Logvars left without an axis become a power.
    """
    first, *others = sorted(terms, key=lambda term: term.tensor.entries)
    gone = tuple(dict.fromkeys(axis for term in terms for axis in term.axes if axis[0] in shards))
    for term in others[:-1]:
        first = product(first, term, (), SUM_OUT)
    return repeat(world, product(first, others[-1] if others else None, gone, SUM_OUT))


def weights(world: World, index: int) -> Term:
    """The term that says in how many ways each histogram of a counting variable can occur."""
    shard = world.shards[index]
    assert shard.counting is not None
    places = tuple(range(len(shard.parts)))
    cells = prod(shard.counting.shape)
    tensor = multinomials(shard.counting.individuals, cells, shard.values)
    return Term(((index, places),), tensor, shard.parts, shard.parts, (places,))


def prepare(world: World, terms: Sequence[Term], shard: int) -> list[Term] | None:
    """Terms made ready for a shard to be summed out, or None if its logvars do not allow it."""
    prepared = []
    for term in terms:
        ready = _only_logvars_of(world, term, shard)
        if ready is None:
            return None
        prepared.append(ready)
    joint = counted_jointly(world, prepared)
    if joint is None:
        return None
    generators = [axis[1] for term in joint for axis in term.axes if axis[0] == shard]
    generators += [swap for term in joint for swap in term.swaps]
    swaps = generated([*generators, *world.shards[shard].swaps])
    return [fold(world, t, swaps) if len(t.swaps) < len(swaps) else t for t in joint]


def _only_logvars_of(world: World, term: Term, shard: int) -> Term | None:
    """A term with all logvars counted except those of a shard, which follow its places."""
    if len(_blocks(term, shard)) != 1:
        return None
    while len(term.parts) > len(world.shards[shard].parts):
        block = next(logvars for index, logvars in term.axes if index == shard)
        extra = [logvar for logvar in range(len(term.parts)) if logvar not in block]
        clique = term.cliques[extra[0]]
        units = [(logvar,) for logvar in extra if term.cliques[logvar] == clique]
        counted = count(world, term, units)
        if counted is None:
            return None
        term = counted
    order = next(logvars for index, logvars in term.axes if index == shard)
    ordered = rename(world, term, order)
    return Term(ordered.axes, ordered.tensor, ordered.parts, ordered.parts, ordered.swaps)


def _blocks(term: Term, shard: int) -> set[frozenset[int]]:
    """The sets of logvars that a shard has in a term."""
    return {frozenset(logvars) for index, logvars in term.axes if index == shard}


def _private(
    pool: Pool, factors: Sequence[Term], shard: int, holders: Collection[int]
) -> Iterator[int]:
    """Other shards that are in no other term, and can be summed out at the same time."""
    if len(factors[0].swaps) > 1:
        return
    places = len(factors[0].parts)
    axes = dict.fromkeys(axis for term in factors for axis in term.axes)
    times = Counter(index for index, _ in axes)
    countings = [pool.world.shards[index].counting for index, _ in axes]
    counted = {slot.shard for counting in countings if counting for slot in counting.slots}
    for index, logvars in axes:
        if index != shard and len(logvars) == places and times[index] == 1 and index not in counted:
            alone = pool.holders.get(index, set()) <= set(holders)
            plain = pool.world.shards[index].counting is None and index not in pool.world.counted
            if alone and plain and len(pool.world.shards[index].swaps) == 1:
                yield index


def _is_needed(pool: Pool, shard: Shard) -> bool:
    """Whether some terms must still be expressed by this counting variable."""
    return shard.counting is not None and any(
        pool.holders.get(slot.shard) for slot in shard.counting.slots
    )


def _obstacle(pool: Pool, shard: int, term_index: int) -> str:
    """Why a shard cannot be summed out of a term and others. Precondition: it cannot."""
    world = pool.world
    if shard in world.counted:
        return f"it is counted in {short_shard_name(pool.shards, world.counted[shard])}"
    counting = world.shards[shard].counting
    for slot in counting.slots if counting is not None else ():
        if pool.holders.get(slot.shard):
            return f"{short_shard_name(pool.shards, slot.shard)} is not counted in every factor"
    terms = {holder: pool.terms[holder] for holder in sorted(pool.holders[shard])}
    blocks = max(len(_blocks(term, shard)) for term in terms.values())
    if blocks > 1:
        places = len(world.shards[shard].parts)
        what = _TUPLES.get(places, f"choices of {places} individuals")
        return f"one factor has it for {blocks} different {what}"
    unprepared = (i for i, t in terms.items() if _only_logvars_of(world, t, shard) is None)
    stuck = next(unprepared, None)
    if stuck is None and prepare(world, [*terms.values()], shard) is None:
        return "the same variables would have to be counted in two ways"
    if stuck is None:
        return "what is asked for would have to be counted with what is not"
    names = logvar_names(pool.shards, terms[stuck].parts)
    (block,) = _blocks(terms[stuck], shard)
    extra = " and ".join(name for logvar, name in enumerate(names) if logvar not in block)
    where = "" if stuck == term_index else f" in φ({short_term_name(pool.shards, terms[stuck])})"
    return f"{extra} would have to be counted before{where}"
