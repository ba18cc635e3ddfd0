"""What a step costs: the entries it reads, and those that later steps will have to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import prod

from liftgraph.inference.lifted.operators.protocol import Pool, Step
from liftgraph.inference.lifted.terms import Slot, Term, World
from liftgraph.inference.tensor.counting import histograms_at_most
from liftgraph.inference.tensor.tensors import Tensor


def entries_looked_at(pool: Pool, step: Step) -> int:
    """The entries from the terms of a step to its result, and the cost that new counts commit to.

    Precondition: the replaced terms are in the pool.
    """
    before = [pool.terms[term_index].tensor for term_index in step.replaced]
    return _work(step.result.tensor, before) + _commitment(pool, step.result, step.replaced)


def _work(result: Tensor, before: Iterable[Tensor]) -> int:
    """How many entries are read to get from some tensors to a result."""
    work, stack = 0, [result]
    seen = set(before)
    while stack:
        tensor = stack.pop()
        if tensor not in seen:
            seen.add(tensor)
            work += tensor.work
            stack.extend(tensor.operands)
    return work


def _commitment(pool: Pool, result: Term, gone: Collection[int]) -> int:
    """What new counting variables will cost at least: all tables of their slots must be counted.

    So must the variables of the same individual in these tables. ``gone``: terms to ignore.
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
        histograms = histograms_at_most(counting.individuals, prod(cells.values()))
        total += histograms
        for holder in holders:
            total += histograms * _entries_besides(world, pool.terms[holder], cells)
    return total


def _entries_besides(world: World, term: Term, counted: Collection[int]) -> int:
    """Entries of a term without some shards, once all other counted ones are counted in it."""
    entries = 1
    for shard in {shard for shard, _ in term.axes} - set(counted):
        entries *= world.shards[world.counted.get(shard, shard)].values
    return entries


def _beside(world: World, term: Term, slot: Slot) -> dict[int, int]:
    """The shards that are in a term with the same logvars as a slot's, and their states."""
    contexts = {logvars for shard, logvars in term.axes if shard == slot.shard}
    return {
        shard: world.shards[shard].values
        for shard, logvars in term.axes
        if logvars in contexts and world.shards[shard].counting is None
    }
