"""Which lifted operator comes next: the cheapest one that applies, until no logvar is left."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from liftgraph.inference.lifted.operators import merge, repeat
from liftgraph.inference.lifted.steps import (
    Kind,
    Pool,
    Step,
    count_step,
    counts_per_individual,
    sum_out_step,
)
from liftgraph.inference.lifted.terms import Slot, Term, UnliftableError, World

_CHEAP = 64  # entries that are looked at in no time
_NEVER = 2  # the rank of what cannot be done
_CONTEXTUAL = 1  # the rank of counting per individual: it may be in the way of what comes later


@dataclass(frozen=True)
class Eliminated:
    """What is left when no term has a logvar any more, and the steps that led there.

    ``stuck``: terms that no operator applies to; there are none if all went well.
    """

    terms: list[Term]
    steps: list[Step]
    stuck: list[Term]


@dataclass
class _State:
    """Terms while shards are eliminated; candidates for the next step wait in a queue.

    ``fresh``: what candidates would do, as far as nothing around them has changed; the others
    are looked at again when their turn comes, by the ``keys`` they had before. ``seen``: how many
    shards were counted when the counting of a term was looked at.
    """

    pool: Pool
    steps: list[Step] = field(default_factory=list)
    heap: list[tuple[int, int, Kind, int]] = field(default_factory=list)
    fresh: dict[tuple[Kind, int], Step | None] = field(default_factory=dict)
    keys: dict[tuple[Kind, int], tuple[int, int]] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    made: int = 0


def eliminate_logvars(world: World, terms: Sequence[Term]) -> Eliminated:
    """Apply lifted operators until no term has a logvar, the cheapest applicable one first.

    Shards are summed out where each of their variables is in one factor of a product; the other
    logvars of these factors are counted before. Where that is impossible, or dearer, logvars are
    counted. Models with at most two logvars in each parfactor never get stuck: shards of two
    places can always be summed out, and then shards of one place can be counted.
    """
    state = _State(Pool(world))
    for term in terms:
        ready = repeat(world, term)
        _commit(state, ready)
        _add(state, ready)
    while state.heap:
        rank, cost, kind, number = heapq.heappop(state.heap)
        if _is_outdated(state, kind, number):
            _look_at(state, kind, number)
            rank, cost = state.keys.get((kind, number), (_NEVER, 0))
            if kind == "count" or not _is_about_the_cheapest(state, rank, cost):
                continue
        step = state.fresh[kind, number]
        if step is not None and (rank, cost) == state.keys[kind, number]:
            _apply(state, kind, number, step)
    left = list(state.pool.terms.values())
    return Eliminated(left, state.steps, [term for term in left if term.parts])


def _is_outdated(state: _State, kind: Kind, number: int) -> bool:
    """Whether something has changed since a candidate was looked at: around it, or in what is
    counted, which the cost of counting depends on from afar."""
    if (kind, number) not in state.fresh:
        return True
    return kind == "count" and state.seen.get(number) != len(state.pool.world.counted)


def _is_about_the_cheapest(state: _State, rank: int, cost: int) -> bool:
    """Whether no candidate can be much cheaper; looking for it would take longer than it saves."""
    return rank == 0 and bool(state.heap) and cost <= 2 * state.heap[0][1] + _CHEAP


def _add(state: _State, term: Term) -> None:
    """Take in a term; candidates that it concerns have to be looked at again."""
    number = state.made
    state.made += 1
    state.pool.terms[number] = term
    for shard, logvars in term.axes:
        if state.pool.world.shards[shard].counting is not None:
            state.pool.counters.setdefault(shard, set()).add(number)
        if logvars:
            state.pool.holders.setdefault(shard, set()).add(number)
    if term.parts:
        _touch_around(state, number)


def _touch_around(state: _State, number: int) -> None:
    """Candidates that concern a term have to be looked at again."""
    term = state.pool.terms[number]
    for shard, logvars in term.axes:
        if logvars:
            _touch(state, "sum out", shard, term.tensor.entries)
    # A histogram of n individuals has n + 1 values at least: no count is cheaper than that.
    _touch(state, "count", number, min(state.pool.world.sizes[part] for part in term.parts))


def _remove(state: _State, number: int) -> Term:
    term = state.pool.terms.pop(number)
    for shard, logvars in term.axes:
        if state.pool.world.shards[shard].counting is not None:
            state.pool.counters[shard].discard(number)
        if logvars:
            state.pool.holders[shard].discard(number)
            _touch(state, "sum out", shard)
    state.fresh["count", number] = None
    return term


def _touch(state: _State, kind: Kind, number: int, least: int = 0) -> None:
    """A candidate has changed: it waits for its turn with the cost it had, or the least it has."""
    if state.fresh.pop((kind, number), None) is not None or (kind, number) not in state.keys:
        _, cost = state.keys.get((kind, number), (0, least))
        state.keys[kind, number] = 0, cost
        heapq.heappush(state.heap, (0, cost, kind, number))


def _look_at(state: _State, kind: Kind, number: int) -> None:
    """Find out what a candidate would do and cost."""
    step = sum_out_step(state.pool, number) if kind == "sum out" else count_step(state.pool, number)
    state.fresh[kind, number] = step
    if kind == "count":
        state.seen[number] = len(state.pool.world.counted)
    if step is None:
        state.keys.pop((kind, number), None)
        return
    rank = _CONTEXTUAL if counts_per_individual(state.pool.world, step.result) else 0
    state.keys[kind, number] = rank, step.cost
    heapq.heappush(state.heap, (rank, step.cost, kind, number))


def _apply(state: _State, kind: Kind, number: int, step: Step) -> None:
    """Replace terms by what a step makes of them, and commit to its counting variables."""
    gone = sorted(state.pool.holders[number]) if kind == "sum out" else [number]
    for each in gone:
        _remove(state, each)
    state.steps.append(step)
    _commit(state, step.result)
    _add(state, step.result)


def _commit(state: _State, term: Term) -> None:
    """From now on the slots of a term's counting variables are counted, always jointly."""
    world = state.pool.world
    for shard, _ in term.axes:
        counting = world.shards[shard].counting
        if counting is None:
            continue
        for slot in counting.slots:
            old = world.counted.get(slot.shard)
            _check_slot(world, old, slot)
            if old == shard:
                continue
            world.counted[slot.shard] = shard
            for holder in state.pool.holders.get(slot.shard, ()):
                _touch_around(state, holder)
            if old is not None:
                for holder in list(state.pool.counters.get(old, ())):
                    changed = _remove(state, holder)
                    merged = merge(world, changed, shard)
                    state.steps.append(Step("count", (), (changed,), merged, merged.tensor.work))
                    _add(state, merged)


def _check_slot(world: World, counting: int | None, slot: Slot) -> None:
    """Refuse to count the same variables by one of their logvars here, by another one there."""
    known = None if counting is None else world.shards[counting].counting
    if known is not None and slot not in known.slots:
        part = world.shards[slot.shard].parts[slot.places[0]]
        raise UnliftableError(part, "a PRV is counted over different logvars")
