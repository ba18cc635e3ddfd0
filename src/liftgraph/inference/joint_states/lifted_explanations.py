"""The most probable assignments of a lifted model, up to exchanging individuals.

Individuals of a part are those that evidence does not tell apart. Where each variable is about at
most one of them, an assignment gives each individual a joint state of all PRVs about it, and
exchanging individuals changes anything but how many have which: so a class of assignments is a
histogram of joint states for each part, beside the states of variables about no such individual. It
stands for as many assignments as there are ways to choose which individuals are in which cell.

So all PRVs about a part are counted jointly, also those that no factor connects, and what is left
are tables over these counting variables, whose best few values are found. Where variables are about
several individuals that can be exchanged, classes are those of graphs up to isomorphism, which no
histogram describes: then the question is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import comb, prod
from typing import Any

import numpy as np

from liftgraph.errors import ComputationError
from liftgraph.inference.answer_memory import listing_bytes, weight_bytes
from liftgraph.inference.joint_states.best_few import BestFew, run_best_few
from liftgraph.inference.joint_states.explanations import ExplanationsPlan, explanations, fitting
from liftgraph.inference.lifted.compile import check_size
from liftgraph.inference.lifted.decisions import decided
from liftgraph.inference.lifted.elimination import eliminate_logvars
from liftgraph.inference.lifted.explanation import assignment
from liftgraph.inference.lifted.facts import Evidence
from liftgraph.inference.lifted.observations import observations
from liftgraph.inference.lifted.operators.algebra import merge
from liftgraph.inference.lifted.operators.count import Count
from liftgraph.inference.lifted.operators.sum_out import weights
from liftgraph.inference.lifted.parts import cut_domains
from liftgraph.inference.lifted.plan import check_powers
from liftgraph.inference.lifted.shards import ShardIndex, members, short_shard_name
from liftgraph.inference.lifted.shattering import Shattered, shatter
from liftgraph.inference.lifted.terms import Slot, UnliftableError, World
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.memory import peak_bytes
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.tensors import (
    Root,
    Scope,
    Tensor,
    given,
    in_order,
    power_bits,
)
from liftgraph.model.answers.explanations import Explanations
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query
from liftgraph.semiring import MaxSemiring, choose_semiring

_STATE_BYTES = 120  # a variable in an assignment: its state, and its name's entry
_COUNT_COPIES = 4  # of the histograms of a counting variable, while states are decided


@dataclass(frozen=True)
class _Counted:
    """A model whose individuals are all counted: tables over counting and single variables."""

    shattered: Shattered
    tables: list[Tensor]
    scopes: list[Scope]

    @property
    def world(self) -> World:
        """The shards."""
        return self.shattered.shards.world


def plan_lifted_explanations(
    model: ParfactorGraph, query: Query, evidence: Evidence, memory_limit: int
) -> ExplanationsPlan:
    """Plan the most probable assignments; refused if this needs more bytes than the limit."""
    listed = listing_bytes(model.places) + _STATE_BYTES * (query.best + 1) * model.variable_count
    if listed > memory_limit:
        reason = f"the model has {model.variable_count:,} variables"
        raise beyond_limit("the answer alone needs", listed, memory_limit, reason)
    counted = _counted(model, evidence, memory_limit)
    world, tables = counted.world, counted.tables
    order = in_order(tables)
    check_powers(order)
    bits = [tensor.bits for tensor in tables]
    besides = listed + peak_bytes(
        order, [Root(tensor, 1) for tensor in tables], exact=query.exact, maximises=True
    )
    histograms = [
        shard.values * prod(shard.counting.shape)
        for shard in world.shards
        if shard.counting is not None
    ]
    besides += _COUNT_COPIES * FLOAT_BYTES * max(histograms, default=0)
    if query.exact:
        besides += (query.best + 1) * weight_bytes(counted.shattered.constants, sum(bits))
    name = partial(short_shard_name, counted.shattered.shards)
    sizes = [shard.values for shard in world.shards]
    search = fitting(counted.scopes, sizes, bits, query, memory_limit, besides, name)
    carry_out = partial(_run, model, query, counted, search)
    needed = search.peak_bytes(query.exact) + besides
    how = ("lifted", model.log_odds_bound)
    return ExplanationsPlan(query, how, search, needed, carry_out)


def _counted(model: ParfactorGraph, evidence: Evidence, memory_limit: int) -> _Counted:
    """All PRVs about the individuals of a part counted jointly, in every term."""
    observed = observations(model, evidence)
    parts = cut_domains(model, observed.by_place)
    check_size(model, parts, {}, memory_limit)
    shattered = shatter(model, parts, observed)
    shards, world = shattered.shards, shattered.shards.world
    free = sorted({member.shard for member in members(shards)} - shards.observed.keys())
    jointly = _joint_countings(shards, free)
    terms = shattered.terms
    for counting in jointly:
        terms = [merge(world, term, counting) for term in terms]
    try:
        left = eliminate_logvars(shards, terms, [Count()]).terms
    except UnliftableError as reason:
        raise _refused(reason.reason) from None
    tables = [term.tensor for term in left]
    scopes: list[Scope] = [tuple([shard for shard, _ in term.axes]) for term in left]
    labels = {*jointly, *[shard for shard in free if not world.shards[shard].parts]}
    covered = set().union(*scopes)
    assert covered <= labels
    for label in sorted(labels - covered):
        is_counting = world.shards[label].counting is not None
        ones = given(np.ones(1 if is_counting else world.shards[label].values, dtype=np.int64))
        tables.append(weights(world, label).tensor if is_counting else ones)
        scopes.append((label,))
    if not tables:
        tables, scopes = [given(np.ones((), dtype=np.int64))], [()]
    return _Counted(shattered, tables, scopes)


def _joint_countings(shards: ShardIndex, free: Sequence[int]) -> list[int]:
    """A counting variable for each part that free shards are about; these are counted from now on.

    Shards about several individuals that can be exchanged are refused.
    """
    world, about = shards.world, dict[int, list[Slot]]()
    for shard in free:
        parts = world.shards[shard].parts
        if len(parts) > 1:
            name = short_shard_name(shards, shard)
            raise _refused(f"{name} is about {len(parts)} individuals which can be exchanged")
        for part in parts:
            about.setdefault(part, []).append(Slot(shard, (0,)))
    countings = [world.counting(slots) for slots in about.values()]
    for counting, slots in zip(countings, about.values(), strict=True):
        world.counted |= dict.fromkeys([slot.shard for slot in slots], counting)
    return countings


def _refused(reason: str) -> ComputationError:
    return ComputationError(
        "the best few assignments cannot be listed up to exchanging individuals:"
        f' {reason}; method="ground" lists single assignments'
    )


def _run(
    model: ParfactorGraph, query: Query, counted: _Counted, search: BestFew, progress: Progress
) -> Explanations:
    order = in_order(counted.tables)
    semiring: MaxSemiring[Any] = choose_semiring("maximum", query.exact, power_bits(order))
    values = forward(semiring, order, [Root(tensor, 1) for tensor in counted.tables])
    tables = [values[tensor] for tensor in counted.tables]
    found = run_best_few(search, semiring, tables, progress)
    return explanations(
        _classes(model, query, counted, found), query.best, ("lifted", model.log_odds_bound)
    )


def _classes(
    model: ParfactorGraph, query: Query, counted: _Counted, found: Iterator[dict[int, int]]
) -> Iterator[tuple[Assignment, int]]:
    """An assignment of each class, and how many are in the class."""
    shattered, world = counted.shattered, counted.world
    for chosen in found:
        states = decided(world, chosen, shattered.terms)
        yield (
            assignment(model, shattered, states, query.exact, ("lifted", model.log_odds_bound)),
            _size(world, chosen),
        )


def _size(world: World, chosen: Mapping[int, int]) -> int:
    """How many assignments have these histograms: in how many ways individuals are distributed."""
    size = 1
    for shard, value in chosen.items():
        counting = world.shards[shard].counting
        if counting is not None:
            counts = cell_counts(counting.individuals, prod(counting.shape))[value].tolist()
            size *= prod(map(comb, accumulate(counts), counts))
    return size
