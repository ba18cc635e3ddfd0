"""Most probable joint states of some variables of a lifted model, or of all variables of a PRV.

All other shards are summed out by lifted operators. The shards that are asked for are not: they are
counted, apart from all others, until no logvar is left. What remains are tables over single
variables and counting variables. A histogram stands for as many joint states as there are ways to
choose which individuals are in which cell, and these all have the same weight: so its table is
maximised as it is, and only the total weight counts the ways.

Where what is asked for would have to be counted jointly with what is not, the individuals of a
domain are told apart instead: then it costs more, and is no less right.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain

import numpy as np

from liftgraph.inference.answer_memory import STATE_BYTES, weight_bytes
from liftgraph.inference.joint_states.asked import Asked, asked_of
from liftgraph.inference.joint_states.choosing import Strategy, chosen
from liftgraph.inference.joint_states.plan import JointStatePlan, joint_state
from liftgraph.inference.joint_states.problem import Problem
from liftgraph.inference.lifted.compile import WithoutLogvars, check_room, without_logvars
from liftgraph.inference.lifted.decisions import decided
from liftgraph.inference.lifted.facts import Evidence, take_observations
from liftgraph.inference.lifted.operators import Operator
from liftgraph.inference.lifted.operators.count import Count
from liftgraph.inference.lifted.operators.sum_out import SumOut, weights
from liftgraph.inference.lifted.partial_maxima import with_partial_maxima
from liftgraph.inference.lifted.plan import check_powers
from liftgraph.inference.lifted.shards import ShardIndex, members, short_shard_name
from liftgraph.inference.lifted.terms import Slot, World
from liftgraph.inference.tensor.tensors import Scope, Tensor, given, in_order
from liftgraph.model.answers.joint_states import JointState
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query

_NAME_BYTES = 200  # a variable of a PRV that is asked for: its name, its numbers
_DECISION_BYTES = 100  # the same, while its state is chosen


class _AskedShards(Container[int]):
    """The shards of what is asked for, and the counting variables of these."""

    def __init__(self, asked: Asked, shards: ShardIndex) -> None:
        self._world, self._whole = shards.world, asked.whole
        self._single = {shards.shard(place) for place in asked.places}

    def __contains__(self, shard: object) -> bool:
        index = int(shard)  # type: ignore[call-overload]
        counting = self._world.shards[index].counting
        if counting is not None:
            return counting.slots[0].shard in self
        return index in self._single or self._world.shards[index].key[0] in self._whole


def plan_lifted_map(
    model: ParfactorGraph, query: Query, evidence: Evidence, memory_limit: int
) -> JointStatePlan:
    """Plan a most probable joint state; refused if it needs more bytes than the limit."""
    asked = asked_of(model, query.variables)
    planning = Planning(memory_limit)
    take_observations(planning, len(evidence), model.evidence.likelihoods.values())
    compiled = without_logvars(
        with_partial_maxima(model), evidence, asked.places, partial(_operators, asked), planning
    )
    check_room(compiled.left, planning)
    problem = _problem(compiled, asked)
    check_powers(in_order(problem.tables))
    shards = compiled.shattered.shards
    besides = (STATE_BYTES + _NAME_BYTES + _DECISION_BYTES) * asked.count
    besides += weight_bytes(compiled.shattered.constants) if query.exact else 0
    name = partial(short_shard_name, shards)
    strategy = chosen(problem, query.exact, planning, besides, name)
    carry_out = partial(_run, model, query, asked, compiled, strategy)
    names = [*map(str, query.variables)]
    how = ("lifted", model.log_odds_bound)
    return JointStatePlan(query, how, names, strategy, besides, carry_out)


def _operators(asked: Asked, shards: ShardIndex) -> list[Operator]:
    kept = _AskedShards(asked, shards)
    return [Count(kept=kept), SumOut(kept=kept)]


def _problem(compiled: WithoutLogvars, asked: Asked) -> Problem:
    """The tables that are left, and in how many ways their histograms occur."""
    shards, terms = compiled.shattered.shards, compiled.left.terms
    world, kept = shards.world, _AskedShards(asked, shards)
    tables = [term.tensor for term in terms]
    scopes: list[Scope] = [tuple([shard for shard, _ in term.axes]) for term in terms]
    ways = dict[int, Tensor]()
    for shard in dict.fromkeys(chain.from_iterable(scopes)):
        if world.shards[shard].counting is not None:
            tensor = weights(world, shard).tensor
            if shard in kept:
                ways[shard] = tensor
            else:
                tables.append(tensor)
                scopes.append((shard,))
    if not tables:
        tables, scopes = [given(np.ones((), dtype=np.int64))], [()]
    sizes = [shard.values for shard in world.shards]
    covered = set(chain.from_iterable(scopes))
    return Problem(tables, scopes, sizes, frozenset([s for s in covered if s in kept]), ways)


def _run(
    model: ParfactorGraph,
    query: Query,
    asked: Asked,
    compiled: WithoutLogvars,
    strategy: Strategy,
    progress: Progress,
) -> JointState:
    """Carry out a plan."""
    shattered = compiled.shattered
    found = strategy.run(query.exact, {}, progress)
    state_of = _states(asked, compiled, found.states)
    numbers = list(asked.numbers())
    prv_of = np.searchsorted(model.variable_start, numbers, side="right") - 1
    return joint_state(
        found,
        [*shattered.constants, *shattered.free],
        [*asked.indices()],
        [*asked.names()],
        list(map(state_of.__getitem__, numbers)),
        [model.prvs[prv].states for prv in prv_of.tolist()],
        ("lifted", model.log_odds_bound),
        _choices(asked, compiled),
    )


def _states(asked: Asked, compiled: WithoutLogvars, found: Mapping[int, int]) -> dict[int, int]:
    """The state of each variable that is asked for, by number; 0 where any state is as good."""
    shards = compiled.shattered.shards
    by_shard, states = decided(shards.world, found), dict[int, int]()
    for place in asked.places:
        shard = shards.shard(place)
        states[asked.model.number(place)] = (
            int(by_shard[shard]) if shard in by_shard else shards.observed.get(shard, 0)
        )
    for member in members(shards, asked.whole):
        if member.shard in by_shard:
            state = by_shard[member.shard][member.index]
        else:
            state = np.array(shards.observed.get(member.shard, 0))
        in_order = np.broadcast_to(state, member.variables.shape).tolist()
        states.update(zip(member.variables.tolist(), in_order, strict=True))
    return states


def _choices(asked: Asked, compiled: WithoutLogvars) -> Iterator[tuple[Fraction, int]]:
    """What share of the total weight each state has of variables that are asked for and are in no
    factor, and how many such variables there are."""
    shards = compiled.shattered.shards
    world, prvs = shards.world, shards.model.prvs
    inside = {shard for term in compiled.shattered.terms for shard, _ in term.axes}
    inside |= {slot.shard for shard in inside for slot in _slots(world, shard)}
    for place in asked.places:
        shard = shards.shard(place)
        if shard not in inside and shard not in shards.observed:
            yield Fraction(1, world.shards[shard].values), 1
    unobserved = [index for index, prv in enumerate(prvs) if prv.observed is None]
    for index, (states, times) in zip(unobserved, compiled.shattered.free, strict=True):
        if index in asked.whole:
            yield 1 / states, times


def _slots(world: World, shard: int) -> Sequence[Slot]:
    counting = world.shards[shard].counting
    return () if counting is None else counting.slots
