"""A lifted model without logvars, in which the individuals of each part are counted or ranked.

What is left are tables over single variables and counting variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from math import prod

import numpy as np

from liftgraph.errors import ComputationError
from liftgraph.inference.ground.refusal import beyond_every_order
from liftgraph.inference.joint_states.ranked_individuals import (
    RankedIndividuals,
    contexts_of,
    ranked_individuals,
)
from liftgraph.inference.lifted.compile import check_size
from liftgraph.inference.lifted.elimination import eliminate_logvars
from liftgraph.inference.lifted.facts import Evidence, take_observations
from liftgraph.inference.lifted.observations import observations
from liftgraph.inference.lifted.operators.algebra import merge, repeat, slots_counted
from liftgraph.inference.lifted.operators.count import Count
from liftgraph.inference.lifted.operators.sum_out import weights
from liftgraph.inference.lifted.parts import cut_domains
from liftgraph.inference.lifted.shards import ShardIndex, members, short_shard_name
from liftgraph.inference.lifted.shattering import Shattered, shatter
from liftgraph.inference.lifted.terms import Slot, Term, UnliftableError, World
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError
from liftgraph.inference.tensor.counting import histograms_at_most
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.tensors import Scope, Tensor, given
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import Planning


@dataclass(frozen=True)
class Individuals:
    """A model whose individuals are all counted or ranked: ``tables`` over counting variables and
    single ones, and the ``ranked`` parts."""

    shattered: Shattered
    tables: list[Tensor]
    scopes: list[Scope]
    ranked: list[RankedIndividuals]

    @property
    def world(self) -> World:
        """The shards."""
        return self.shattered.shards.world

    @property
    def all_tables(self) -> list[Tensor]:
        """Also those of single individuals."""
        return [*self.tables, *chain.from_iterable([part.tables for part in self.ranked])]


def counted_individuals(
    model: ParfactorGraph, evidence: Evidence, wanted: int, memory_limit: int
) -> Individuals:
    """All PRVs about the individuals of a part counted jointly, in every term, or ranked."""
    planning = Planning(memory_limit)
    take_observations(planning, len(evidence), model.evidence.likelihoods.values())
    observed = observations(model, evidence)
    parts = cut_domains(model, observed.by_place)
    check_size(model, parts, {}, planning)
    try:
        shattered = shatter(model, parts, observed)
    except UnliftableError as reason:
        raise _refused(reason.reason) from None
    shards, world = shattered.shards, shattered.shards.world
    free = sorted({member.shard for member in members(shards)} - shards.observed.keys())
    about = _about(shards, free)
    alone, others = _alone(world, shattered.terms)
    countings = dict[int, int]()
    met = _met(world, others)
    ranked = [part for part in about if _pays(world, about[part], met, alone.get(part, ()))]
    for part, shards_about in about.items():
        counted = [s for s in shards_about if part not in ranked or s in met]
        if counted:
            countings[part] = _counting(world, counted)
    others += chain.from_iterable([terms for part, terms in alone.items() if part not in ranked])
    for counting in countings.values():
        others = [merge(world, term, counting) for term in others]
    try:
        left = eliminate_logvars(shards, others, [Count()]).terms
    except UnliftableError as reason:
        raise _refused(reason.reason) from None
    search = Search(memory_limit // FLOAT_BYTES)
    try:
        individuals = [
            ranked_individuals(
                world, tuple(about[part]), countings.get(part), alone.get(part, []), wanted, search
            )
            for part in ranked
        ]
    except BeyondMemoryError as beyond:
        name = short_shard_name(shards, beyond.variable)
        raise beyond_every_order(memory_limit, name) from None
    labels = {*countings.values(), *[shard for shard in free if not world.shards[shard].parts]}
    covered = chain.from_iterable([one.scope for one in individuals])
    tables, scopes = _tables(world, left, labels, set(covered))
    return Individuals(shattered, tables, scopes, individuals)


def _tables(
    world: World, terms: Sequence[Term], labels: AbstractSet[int], covered: AbstractSet[int]
) -> tuple[list[Tensor], list[Scope]]:
    """The tables of terms without logvars, and tables of ones for labels that nothing covers."""
    tables = [term.tensor for term in terms]
    scopes: list[Scope] = [tuple([shard for shard, _ in term.axes]) for term in terms]
    covered = {*covered, *chain.from_iterable(scopes)}
    assert covered <= labels
    for label in sorted(labels - covered):
        is_counting = world.shards[label].counting is not None
        ones = given(np.ones(1 if is_counting else world.shards[label].values, dtype=np.int64))
        tables.append(weights(world, label).tensor if is_counting else ones)
        scopes.append((label,))
    if not tables:
        return [given(np.ones((), dtype=np.int64))], [()]
    return tables, scopes


def _about(shards: ShardIndex, free: Sequence[int]) -> dict[int, list[int]]:
    """The free shards about each part; those about several individuals that can be exchanged are
    refused."""
    world, about = shards.world, dict[int, list[int]]()
    for shard in free:
        parts = world.shards[shard].parts
        if len(parts) > 1:
            name = short_shard_name(shards, shard)
            raise _refused(f"{name} is about {len(parts)} individuals which can be exchanged")
        for part in parts:
            about.setdefault(part, []).append(shard)
    return about


def _alone(world: World, terms: Sequence[Term]) -> tuple[dict[int, list[Term]], list[Term]]:
    """The terms with one logvar and no histogram, by its part, and all others."""
    alone, others = dict[int, list[Term]](), list[Term]()
    for term in [repeat(world, term) for term in terms]:
        counts = any(world.shards[shard].counting is not None for shard, _ in term.axes)
        if len(term.parts) == 1 and not counts:
            alone.setdefault(term.parts[0], []).append(term)
        else:
            others.append(term)
    return alone, others


def _met(world: World, terms: Sequence[Term]) -> set[int]:
    """The shards that some terms have, or count."""
    counted = chain.from_iterable(slots_counted(world, terms))
    return {*[slot.shard for slot in counted], *[shard for t in terms for shard, _ in t.axes]}


def _pays(world: World, about: Sequence[int], met: set[int], terms: Sequence[Term]) -> bool:
    """Whether ranking private shards of a part makes tables smaller than counting them.

    Ranked individuals have one table for all contexts; counted ones have one for each term.
    """
    sizes = {shard: world.shards[shard].values for shard in (*about, *contexts_of(terms))}
    individuals = world.sizes[world.shards[about[0]].parts[0]]
    counted = prod([sizes[shard] for shard in about if shard in met])
    contexts = [prod([sizes[shard] for shard in contexts_of([term])]) for term in terms]
    ranking = prod([sizes[shard] for shard in contexts_of(terms)])
    ranking *= histograms_at_most(individuals, counted)
    counting = histograms_at_most(individuals, prod([sizes[shard] for shard in about]))
    return ranking < counting * max(contexts, default=1)


def _counting(world: World, shards: Sequence[int]) -> int:
    """The counting variable over some shards about one part, which are counted from now on."""
    counting = world.counting([Slot(shard, (0,)) for shard in shards])
    world.counted |= dict.fromkeys(shards, counting)
    return counting


def _refused(reason: str) -> ComputationError:
    return ComputationError(
        "the best few assignments cannot be listed up to exchanging individuals:"
        f' {reason}; method="ground" lists single assignments'
    )
