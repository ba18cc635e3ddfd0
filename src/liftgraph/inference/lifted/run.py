"""Lifted elimination, carried out: queries, all marginals, Z."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.explanation import explanation
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.readings import read_off, readings
from liftgraph.inference.lifted.shards import members
from liftgraph.inference.normalising import Normalised, beside_fixed, normalised, normalised_flow
from liftgraph.inference.tensor.contraction import unit
from liftgraph.inference.tensor.evaluation import Progress, Values, converted, flows, forward
from liftgraph.inference.tensor.tensors import Root, in_order
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.weights import Partition
from liftgraph.model.lifted.variables import variable_names
from liftgraph.semiring import LOG, exact_semiring
from liftgraph.semiring.pairs import log_of_product


def run_lifted(plan: LiftedPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    if plan.query.kind == "explanation":
        return explanation(plan, progress)
    semiring = exact_semiring(plan.bits) if plan.query.exact else LOG
    values = forward(semiring, plan.order, plan.asked, keeping=plan.backwards, progress=progress)
    found = {id(root): normalised(_result(semiring, values, root)) for root in plan.asked}
    log_z = _log_z(plan, found)
    if plan.query.kind == "partition":
        return Partition(log_z, _z(plan, found) if plan.query.exact else None, *plan.how)
    if plan.query.kind == "marginals":
        return _all_marginals(plan, semiring, values, log_z)
    if plan.kept:
        return _joint(plan, semiring, values, log_z)
    shard = plan.compiled.shattered.shards.shard(plan.places[0])
    distribution = _distributions(plan, semiring, values, [shard])[shard]
    return distribution.named(plan.model.name(plan.places[0]), log_z, *plan.how)


def _result(semiring: Any, values: Values, root: Root) -> Any:
    return converted(semiring, values[id(root.tensor)])


def _constants(compiled: Compiled) -> list[tuple[Fraction, int]]:
    return [*compiled.shattered.constants, *compiled.shattered.free]


def _log_z(plan: LiftedPlan, found: dict[int, Normalised]) -> float:
    """The logarithm of the total weight; what was not asked for is computed in floats."""
    others = [root for root in plan.compiled.roots if id(root) not in found]
    values = forward(LOG, in_order([root.tensor for root in others]), others)
    rest = [(normalised(_result(LOG, values, root)).log_sum, root.times) for root in others]
    asked = [(found[id(root)].log_sum, root.times) for root in plan.asked]
    return log_of_product(_constants(plan.compiled), [*asked, *rest])


def _z(plan: LiftedPlan, found: dict[int, Normalised]) -> Fraction:
    sums = [(Fraction(found[id(root)].sum or 0), root.times) for root in plan.asked]
    return product_of_powers([*_constants(plan.compiled), *sums])


def _joint(plan: LiftedPlan, semiring: Any, values: Values, log_z: float) -> Marginal:
    """The joint distribution of the kept variables; an observed one is in its state for sure."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    numbers = [shards.shard(place) for place in plan.places]
    free = [shard for shard in numbers if shard not in shards.observed]
    shape = tuple(compiled.world.shards[shard].values for shard in free)
    result = _result(semiring, values, plan.asked[0]) if free else unit(semiring, ())
    axes = tuple(compiled.sections[0].kept.index(shard) for shard in free)
    weights = normalised(semiring.arrange(result, axes, shape))
    states = tuple(plan.model.prvs[prv].states for prv, _ in plan.places)
    index = tuple(shards.observed.get(shard, slice(None)) for shard in numbers)
    shape = tuple(len(each) for each in states)
    probabilities, fractions = beside_fixed(weights, shape, index)
    names = tuple(map(plan.model.name, plan.places))
    return Marginal(names, states, probabilities, fractions, log_z, *plan.how)


def _distributions(
    plan: LiftedPlan, semiring: Any, values: Values, wanted: Sequence[int]
) -> dict[int, Distribution]:
    """The distribution of a variable of each shard."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    found_in = readings(compiled, set(wanted))
    tensors = {id(source.term.tensor) for source in found_in.values()}
    roots = [root.tensor for root in plan.asked]
    flowing = flows(semiring, plan.order, roots, values, tensors)
    found: dict[int, Distribution] = {}
    for shard in wanted:
        states = plan.model.prvs[compiled.world.shards[shard].key[0]].states
        if shard in shards.observed:
            share = _certain(len(states), shards.observed[shard])
        elif shard not in found_in:
            share = normalised(np.ones(len(states), dtype=object))
        else:
            flow = flowing[id(found_in[shard].term.tensor)]
            share = normalised_flow(read_off(compiled.world, found_in[shard], flow))
        exact = share.fractions if plan.query.exact else None
        found[shard] = Distribution(states, share.probabilities, exact)
    return found


def _certain(states: int, state: int) -> Normalised:
    weights = np.zeros(states, dtype=object)
    weights[state] = 1
    return normalised(weights)


def _all_marginals(plan: LiftedPlan, semiring: Any, values: Values, log_z: float) -> Marginals:
    """One pass forwards and one backwards give the distributions of all shards."""
    model, shards = plan.model, plan.compiled.shattered.shards
    group = np.empty(model.variable_count, dtype=np.int64)
    for each in members(shards):
        group[each.variables] = each.shard
    present = np.flatnonzero(np.bincount(group)).tolist()
    found = _distributions(plan, semiring, values, present)
    number = np.zeros(len(shards.world.shards), dtype=np.int64)
    number[present] = np.arange(len(present))
    if model.origin is not None:
        group = group[model.origin.variables]
    listed = tuple(found[shard] for shard in present)
    return Marginals(variable_names(model.variables), number[group], listed, log_z, *plan.how)
