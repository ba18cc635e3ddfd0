"""Lifted elimination, carried out: queries, all marginals, Z."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import TypeVar

import numpy as np

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.explanation import explanation
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.readings import Reading, read_off, readings
from liftgraph.inference.lifted.relational import ShardRows, shards_of
from liftgraph.inference.lifted.shards import members
from liftgraph.inference.normalising import beside_fixed, normalised, normalised_flow
from liftgraph.inference.tensor.backward import backward
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.tensors import Root, in_order
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.relational import ByPRV, PRVMarginals
from liftgraph.model.answers.weights import Partition
from liftgraph.model.lifted.variables import variable_names
from liftgraph.model.plans import Progress
from liftgraph.model.query import BY_PRV, KINDS
from liftgraph.semiring import EXACT, FlowSemiring, Normalised, choose_semiring
from liftgraph.semiring.pairs import log_of_product

T = TypeVar("T")


def run_lifted(plan: LiftedPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    if KINDS[plan.query.kind].maximises:
        return explanation(plan, progress)
    exact = plan.query.exact
    return _summed(plan, choose_semiring("sum", exact, plan.bits if exact else 0), progress)


def _summed(plan: LiftedPlan, semiring: FlowSemiring[T], progress: Progress) -> Answer:
    """Sum forwards, and trace the weight backwards where that is needed."""
    values = forward(semiring, plan.order, plan.asked, keeping=plan.backwards, progress=progress)
    kind = KINDS[plan.query.kind]
    if not kind.takes_variables:
        results = {root: normalised(semiring, values[root.tensor]) for root in plan.asked}
        log_z = _log_z(plan, values, results)
        if plan.query.kind == BY_PRV.name:
            return _by_prv(plan, semiring, values)
        if kind.of_all:
            return _all_marginals(plan, semiring, values, log_z)
        return Partition(log_z, _z(plan, results) if plan.query.exact else None, *plan.how)
    _check_possible(plan, semiring, values)
    if plan.kept:
        return _joint(plan, semiring, values)
    shard = plan.compiled.shattered.shards.shard(plan.places[0])
    distribution = _distributions(plan, semiring, values, [shard], plan.tables)[shard]
    return distribution.named(plan.names[0], *plan.how)


def _constants(compiled: Compiled) -> list[tuple[Fraction, int]]:
    return [*compiled.shattered.constants, *compiled.shattered.free]


def _check_possible(plan: LiftedPlan, semiring: FlowSemiring[T], values: Values[T]) -> None:
    """Refuse a distribution where some root is zero; what is not asked for is tried in floats, once
    for all questions with the same evidence."""
    if not all(semiring.possible(values[root.tensor]) for root in plan.asked):
        raise impossible()
    if plan.others:
        floats = choose_semiring("sum", exact=False)
        rest = forward(floats, in_order([root.tensor for root in plan.others]), plan.others)
        if not all(floats.possible(rest[root.tensor]) for root in plan.others):
            raise impossible()
        plan.compiled.possible.update(plan.others)


def _log_z(plan: LiftedPlan, values: Values[T], results: dict[Root, Normalised]) -> float:
    """The logarithm of the total weight. Precondition: the results of all roots."""
    exact = [root for root in results if root.tensor in values.integers]
    powers = [(Fraction(int(values.integers[root.tensor].sum())), root.times) for root in exact]
    logs = [(part.log_sum, root.times) for root, part in results.items() if root not in exact]
    return log_of_product([*_constants(plan.compiled), *powers], logs)


def _z(plan: LiftedPlan, results: dict[Root, Normalised]) -> Fraction:
    sums = [(Fraction(part.sum or 0), root.times) for root, part in results.items()]
    return product_of_powers([*_constants(plan.compiled), *sums])


def _joint(plan: LiftedPlan, semiring: FlowSemiring[T], values: Values[T]) -> Marginal:
    """The joint distribution of the kept variables; an observed one is certain."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    asked = [shards.shard(place) for place in plan.places]
    free = [shard for shard in asked if shard not in shards.observed]
    free_shape = tuple(compiled.world.shards[shard].values for shard in free)
    result = values[plan.asked[0].tensor] if free else semiring.unit(())
    axes = tuple(compiled.sections[0].kept.index(shard) for shard in free)
    weights = normalised(semiring, semiring.arrange(result, axes, free_shape))
    states = tuple(plan.model.prvs[prv].states for prv, _ in plan.places)
    index = tuple(shards.observed.get(shard, slice(None)) for shard in asked)
    probabilities, fractions = beside_fixed(weights, tuple(map(len, states)), index)
    return Marginal(tuple(plan.names), states, probabilities, fractions, *plan.how)


def _distributions(
    plan: LiftedPlan,
    semiring: FlowSemiring[T],
    values: Values[T],
    wanted: Sequence[int],
    tables: Mapping[int, Reading],
) -> dict[int, Distribution]:
    """The distribution of a variable of each shard, read off these tables."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    tensors = {reading.term.tensor for reading in tables.values()}
    roots = [root.tensor for root in plan.asked]
    traces = backward(semiring, plan.order, roots, values, tensors)
    flows = {tensor: trace.flow for tensor, trace in traces}
    distributions: dict[int, Distribution] = {}
    for shard in wanted:
        states = plan.model.prvs[compiled.world.shards[shard].key[0]].states
        if shard in shards.observed:
            share = _certain(len(states), shards.observed[shard])
        elif shard not in tables:
            share = normalised(EXACT, np.ones(len(states), dtype=object))
        else:
            source = tables[shard]
            flow = read_off(compiled.world, source, flows[source.term.tensor])
            share = normalised_flow(semiring, flow)
        exact = share.fractions if plan.query.exact else None
        distributions[shard] = Distribution(states, share.probabilities, exact)
    return distributions


def _certain(states: int, state: int) -> Normalised:
    weights = np.zeros(states, dtype=object)
    weights[state] = 1
    return normalised(EXACT, weights)


def _all_marginals(
    plan: LiftedPlan, semiring: FlowSemiring[T], values: Values[T], log_z: float
) -> Marginals:
    """One pass forwards and one backwards give the distributions of all shards."""
    model, shards = plan.model, plan.compiled.shattered.shards
    shard_of = np.empty(shards.model.variable_count, dtype=np.int64)
    for member in members(shards):
        shard_of[member.variables] = member.shard
    shard_of = shard_of[: model.variable_count]  # hidden variables come after
    present = np.flatnonzero(np.bincount(shard_of)).tolist()
    tables = readings(plan.compiled, set(present))
    distributions = _distributions(plan, semiring, values, present, tables)
    group_of = np.zeros(len(shards.world.shards), dtype=np.int64)
    group_of[present] = np.arange(len(present))
    if model.origin is not None:
        shard_of = shard_of[model.origin.variables]
    listed = tuple(distributions[shard] for shard in present)
    return Marginals(variable_names(model.places), group_of[shard_of], listed, log_z, *plan.how)


def _by_prv(plan: LiftedPlan, semiring: FlowSemiring[T], values: Values[T]) -> ByPRV:
    """The distributions of all shards, PRV by PRV; their individuals are not listed."""
    shards = plan.compiled.shattered.shards
    of_prvs = [shards_of(shards, prv) for prv in plan.model.prvs]
    present = list(chain.from_iterable(of_prvs))
    tables = readings(plan.compiled, set(present))
    distributions = _distributions(plan, semiring, values, present, tables)
    by_prv: dict[str, PRVMarginals] = {}
    for index, (prv, own) in enumerate(zip(plan.model.prvs, of_prvs, strict=True)):
        rows = ShardRows(shards, index, {shard: group for group, shard in enumerate(own)})
        listed = tuple([distributions[shard] for shard in own])
        by_prv[prv.name] = PRVMarginals(prv.name, prv.states, rows, listed, *plan.how)
    return ByPRV(by_prv, *plan.how)
