"""Which lifted operator comes next: the cheapest one that applies, until no logvar is left."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from liftgraph.display import format_bytes
from liftgraph.errors import MemoryLimitError
from liftgraph.inference.lifted.operators import OPERATORS
from liftgraph.inference.lifted.operators.algebra import merge, repeat
from liftgraph.inference.lifted.operators.count import is_ready
from liftgraph.inference.lifted.operators.protocol import Operator, Pool, Step
from liftgraph.inference.lifted.shards import ShardIndex, short_shard_name, short_term_name
from liftgraph.inference.lifted.terms import Slot, Term, UnliftableError, World
from liftgraph.inference.tensor.elimination_order import BEYOND_MEMORY

_CHEAP = 64  # reading this many entries takes no noticeable time
_NEVER = 2  # the rank of what cannot be done
_FEW = 8  # individuals: telling them apart is worth a try for ground elimination, not here
_CONTEXTUAL = 1  # the rank of counting per individual: it may block later steps
Candidate = tuple[int, int]  # an operator, by its place in the list, and one of its candidates


class BeyondAnyMachineError(MemoryLimitError):
    """A step would make a table that no machine could hold, though it counts few individuals."""

    def __init__(self) -> None:
        super().__init__(f"needs more than {format_bytes(int(BEYOND_MEMORY))}")
        self.needed = BEYOND_MEMORY


@dataclass(frozen=True)
class Eliminated:
    """What is left when no term has a logvar any more, and the steps that led there."""

    terms: list[Term]
    steps: list[Step]


@dataclass
class _State:
    """Terms while shards are eliminated; candidates for the next step wait in a queue.

    ``fresh``: what candidates would do, for those around which nothing has changed; the others are
    examined again when their turn comes, in the order of their earlier ``keys`` (rank and cost).
    ``seen``: how many shards were counted when a far-reaching candidate was examined.
    """

    pool: Pool
    operators: Sequence[Operator]
    steps: list[Step] = field(default_factory=list)
    queue: list[tuple[int, int, int, int]] = field(default_factory=list)
    fresh: dict[Candidate, Step | None] = field(default_factory=dict)
    keys: dict[Candidate, tuple[int, int]] = field(default_factory=dict)
    seen: dict[Candidate, int] = field(default_factory=dict)
    terms_so_far: int = 0


def eliminate_logvars(
    shards: ShardIndex, terms: Sequence[Term], operators: Sequence[Operator] = OPERATORS
) -> Eliminated:
    """Apply operators until no term has a logvar, the cheapest applicable one first.

    Raises UnliftableError if no operator applies to a term with logvars. It raises
    BeyondAnyMachineError early, by a rule that is not a theorem: a table beyond any machine that
    counts few individuals at a time is not made small by telling these apart, which only makes it
    larger. With the usual operators, models with at most two logvars in each parfactor never get
    stuck: shards of two places can always be summed out, and then shards of one place can be
    counted.
    """
    state = _State(Pool(shards, shards.world), operators)
    for term in terms:
        ready = repeat(shards.world, term)
        _commit(state, ready)
        _add(state, ready)
    while state.queue:
        rank, cost, operator_index, subject = heapq.heappop(state.queue)
        candidate = (operator_index, subject)
        if _is_outdated(state, candidate):
            _look_at(state, candidate)
            rank, cost = state.keys.get(candidate, (_NEVER, 0))
            far_reaching = operators[operator_index].far_reaching
            if far_reaching or not _is_about_the_cheapest(state, rank, cost):
                continue
        step = state.fresh[candidate]
        if step is not None and (rank, cost) == state.keys[candidate]:
            _apply(state, step)
    _check_not_stuck(state)
    return Eliminated(list(state.pool.terms.values()), state.steps)


def _is_outdated(state: _State, candidate: Candidate) -> bool:
    """Whether something has changed since a candidate was examined: a term around it, or, if its
    cost depends on what is counted anywhere, that."""
    if candidate not in state.fresh:
        return True
    far_reaching = state.operators[candidate[0]].far_reaching
    return far_reaching and state.seen.get(candidate) != len(state.pool.world.counted)


def _is_about_the_cheapest(state: _State, rank: int, cost: int) -> bool:
    """Whether no candidate can be much cheaper; looking for it would take longer than it saves."""
    return rank == 0 and bool(state.queue) and cost <= 2 * state.queue[0][1] + _CHEAP


def _add(state: _State, term: Term) -> None:
    """Add a term; the candidates that it concerns have to be examined again."""
    term_index = state.terms_so_far
    state.terms_so_far += 1
    state.pool.terms[term_index] = term
    for shard, logvars in term.axes:
        if state.pool.world.shards[shard].counting is not None:
            state.pool.counters.setdefault(shard, set()).add(term_index)
        if logvars:
            state.pool.holders.setdefault(shard, set()).add(term_index)
    _touch_around(state, term_index, term)


def _remove(state: _State, term_index: int) -> Term:
    term = state.pool.terms.pop(term_index)
    for shard, logvars in term.axes:
        if state.pool.world.shards[shard].counting is not None:
            state.pool.counters[shard].discard(term_index)
        if logvars:
            state.pool.holders[shard].discard(term_index)
    _touch_around(state, term_index, term)
    return term


def _touch_around(state: _State, term_index: int, term: Term) -> None:
    """Mark the candidates that a term concerns: they have to be examined again.

    They wait for their turn with their earlier cost, or with a lower bound on it.
    """
    if not term.parts:
        return
    for operator_index, operator in enumerate(state.operators):
        for subject, least in operator.candidates(state.pool, term_index, term):
            candidate = (operator_index, subject)
            if state.fresh.pop(candidate, None) is None and candidate in state.keys:
                continue  # it is already waiting
            cost = state.keys[candidate][1] if candidate in state.keys else least
            state.keys[candidate] = 0, cost
            heapq.heappush(state.queue, (0, cost, operator_index, subject))


def _look_at(state: _State, candidate: Candidate) -> None:
    """Find out what a candidate would do and cost."""
    operator_index, subject = candidate
    operator = state.operators[operator_index]
    step = operator.apply(state.pool, subject)
    state.fresh[candidate] = step
    if operator.far_reaching:
        state.seen[candidate] = len(state.pool.world.counted)
    if step is None:
        state.keys.pop(candidate, None)
        return
    rank = _CONTEXTUAL if _counts_per_individual(state.pool.world, step.result) else 0
    cost = operator.cost(state.pool, step)
    state.keys[candidate] = rank, cost
    heapq.heappush(state.queue, (rank, cost, operator_index, subject))


def _counts_per_individual(world: World, term: Term) -> bool:
    """Whether a term has a new counting variable that depends on other logvars."""
    return any(
        logvars and slot.shard not in world.counted
        for shard, logvars in term.axes
        for counting in [world.shards[shard].counting]
        if counting is not None
        for slot in counting.slots
    )


def _apply(state: _State, step: Step) -> None:
    """Replace terms by the result of a step, and commit to its counting variables."""
    if not state.pool.terms.keys() >= set(step.replaced):
        return  # it was planned for terms that another step has replaced in the meantime
    for term_index in step.replaced:
        _remove(state, term_index)
    _check_size(state.pool.world, step.result)
    state.steps.append(step)
    _commit(state, step.result)
    _add(state, step.result)


def _check_size(world: World, term: Term) -> None:
    """Refuse to go on with a table beyond any machine, if few individuals are counted in it."""
    if term.tensor.entries <= BEYOND_MEMORY:
        return
    countings = [world.shards[shard].counting for shard, _ in term.axes]
    if all(counting is None or counting.individuals <= _FEW for counting in countings):
        raise BeyondAnyMachineError


def _commit(state: _State, term: Term) -> None:
    """From now on, the slots of a term's counting variables are always counted jointly."""
    pool = state.pool
    for shard, _ in term.axes:
        counting = pool.world.shards[shard].counting
        for slot in counting.slots if counting is not None else ():
            old = pool.world.counted.get(slot.shard)
            _check_slot(pool.shards, old, shard, slot)
            if old == shard:
                continue
            pool.world.counted[slot.shard] = shard
            for holder in pool.holders.get(slot.shard, ()):
                _touch_around(state, holder, pool.terms[holder])
            for holder in list(pool.counters.get(old, ())) if old is not None else ():
                merged = merge(pool.world, _remove(state, holder), shard)
                state.steps.append(Step("count", (holder,), merged))
                _add(state, merged)


def _check_slot(shards: ShardIndex, old: int | None, new: int, slot: Slot) -> None:
    """Refuse to count the same variables over one logvar here and over another one there."""
    counting = None if old is None else shards.world.shards[old].counting
    if old is not None and counting is not None and slot not in counting.slots:
        names = f"{short_shard_name(shards, old)} and {short_shard_name(shards, new)}"
        part = shards.world.shards[slot.shard].parts[slot.places[0]]
        raise UnliftableError(part, f"{names} count the same variables in two ways")


def _check_not_stuck(state: _State) -> None:
    """Refuse to go on if terms still have logvars; the error names those of the smallest part.

    Terms that only wait for others are not to blame.
    """
    pool = state.pool
    left = {term_index: term for term_index, term in pool.terms.items() if term.parts}
    if not left:
        return
    stuck = {index: term for index, term in left.items() if not is_ready(pool.world, term)} or left
    parts = [part for term in stuck.values() for part in term.parts]
    smallest = min(parts, key=lambda part: (pool.world.sizes[part], part))
    term_index, term = next(
        (index, term) for index, term in stuck.items() if smallest in term.parts
    )
    name = short_term_name(pool.shards, term)
    reasons = [operator.why_not(pool, term_index) for operator in state.operators]
    raise UnliftableError(smallest, f"in φ({name}), {'; '.join(reasons)}")
