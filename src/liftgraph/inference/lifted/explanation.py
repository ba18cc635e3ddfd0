"""The most probable explanation by lifted elimination: maximise forwards, then decide backwards."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.colourings import States, potential_counts
from liftgraph.inference.lifted.decisions import decide
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.shards import ShardIndex, members
from liftgraph.inference.lifted.shattering import Shattered
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.tensors import power_bits
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import variable_names
from liftgraph.model.plans import Progress
from liftgraph.semiring import choose_semiring
from liftgraph.semiring.pairs import log_of_product


def explanation(plan: LiftedPlan, progress: Progress) -> Assignment:
    """A most probable assignment of all variables of a model."""
    shard_states = _maximised(plan, progress)
    shattered = plan.compiled.shattered
    return assignment(plan.model, shattered, shard_states, plan.query.exact, plan.how)


def assignment(
    model: ParfactorGraph,
    shattered: Shattered,
    shard_states: dict[int, States],
    exact: bool,
    how: tuple[str, float],
) -> Assignment:
    """The assignment of all variables whose shards are in these states, which are dropped."""
    powers = _powers(shattered, shard_states)
    weight = product_of_powers(powers) if exact else None
    by_variable = _by_variable(shattered.shards, shard_states)
    shard_states.clear()
    prv = _prv_of_each(model)
    if model.origin is not None:
        by_variable = by_variable[model.origin.variables]
        prv = prv[model.origin.variables]
    names, states = variable_names(model.places), tuple(by_variable.tolist())
    state_sets = tuple([prv.states for prv in model.prvs])
    log_weight = log_of_product(powers)
    return Assignment(names, states, prv, state_sets, log_weight, weight, *how)


def _maximised(plan: LiftedPlan, progress: Progress) -> dict[int, States]:
    """The states of shards at which the weight is largest; what was computed is dropped."""
    semiring = choose_semiring("maximum", plan.query.exact, power_bits(plan.order))
    values = forward(semiring, plan.order, plan.asked, keeping=True, progress=progress)
    if not all(semiring.possible(values[root.tensor]) for root in plan.asked):
        raise impossible()
    return decide(semiring, plan.compiled, values)


def _powers(shattered: Shattered, states: Mapping[int, States]) -> list[tuple[Fraction, int]]:
    """The potentials of all factors at these states of shards, and how often each occurs."""
    counts = potential_counts(shattered.shards.world, shattered.terms, states)
    return [*shattered.constants, *((Fraction(v), times) for v, times in counts.items())]


def _by_variable(shards: ShardIndex, shard_states: Mapping[int, States]) -> States:
    """The state of each variable of the model, by index; arbitrary where nothing was decided."""
    states = np.zeros(shards.model.variable_count, dtype=np.int64)
    for shard_members in members(shards):
        shard = shard_members.shard
        if shard in shard_states:
            states[shard_members.variables] = shard_states[shard][shard_members.index]
        elif shard in shards.observed:
            states[shard_members.variables] = shards.observed[shard]
    return states


def _prv_of_each(model: ParfactorGraph) -> NDArray[np.int32]:
    """The PRV of each variable of the model, int32 (n,)."""
    return np.repeat(np.arange(len(model.prvs), dtype=np.int32), np.diff(model.variable_start))
