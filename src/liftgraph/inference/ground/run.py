"""Ground variable elimination: the baseline, and the last resort of lifted inference."""

from __future__ import annotations

from typing import Any

import numpy as np

from liftgraph.cache import Cache, Memo
from liftgraph.inference.ground.plan import GroundPlan, table_bits
from liftgraph.inference.ground.reduction import Reduction, impossible
from liftgraph.inference.ground.steps import entries
from liftgraph.inference.normalising import Normalised, beside_fixed, normalised
from liftgraph.inference.tensor.contraction import (
    Progress,
    backtrack,
    backward,
    contract,
    forward,
    unit,
)
from liftgraph.inference.weight import log_weight, product_of_powers, weight
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.weights import Explanation, Partition
from liftgraph.model.ground.table import Table
from liftgraph.semiring import LOG, MAX_EXACT, MAX_LOG, Semiring, exact_semiring
from liftgraph.semiring.pairs import log_of_product

METHOD = "ground"
# The tensor of each table, by semiring.
_TENSORS: Memo[tuple[type, Table], Any] = Memo("tensors", most=4096)


def run_ground(ground: GroundPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    if ground.query.kind == "explanation":
        return _explanation(ground, progress)
    if ground.query.kind == "marginals":
        return _all_marginals(ground, progress)
    semiring = _summing(ground)
    results = forward(semiring, ground.plan, _tensors(ground, semiring), progress=progress)
    root, scope = ground.plan.root, ground.plan.scopes[-1]
    kept = tuple(v for v in ground.variables if v not in ground.reduction.fixed)
    axes = tuple(scope.index(variable) for variable in kept)
    shape = tuple(ground.reduction.sizes[variable] for variable in kept)
    weights = normalised(semiring.arrange(results[root], axes, shape))
    partition = _partition(ground, weights)
    if ground.query.kind == "partition":
        return partition
    return _marginal(ground, ground.variables, weights, partition.log_z)


def _summing(ground: GroundPlan) -> Semiring[Any]:
    if not ground.query.exact:
        return LOG
    steps = max(len(ground.plan.steps), 1)
    bits = sum(table_bits(ground.reduction))
    return exact_semiring(bits * ground.plan.operations // steps)


def _tensors(ground: GroundPlan, semiring: Semiring[Any]) -> list[Any]:
    """The tables of the reduction as tensors; each table is evaluated once for all queries."""
    parts = ground.reduction.parts
    made: dict[int, Any] = {}
    for number in ground.reduction.part_ids:
        if number not in made:
            whole = _evaluated(parts[number].table, semiring, ground.graph.cache)
            made[number] = semiring.part(whole, parts[number].index)
    return [made[number] for number in ground.reduction.part_ids] or [unit(semiring, ())]


def _evaluated(table: Table, semiring: Semiring[Any], cache: Cache) -> Any:
    return _TENSORS.get(cache, (type(semiring), table), lambda: semiring.evaluate(table.integers))


def _partition(ground: GroundPlan, weights: Normalised) -> Partition:
    constants = ground.reduction.constants
    log_z = log_of_product(constants, [(weights.log_sum, 1)])
    if weights.sum is None:
        return Partition(log_z, None, METHOD)
    return Partition(log_z, weights.sum * product_of_powers(constants), METHOD)


def _marginal(
    ground: GroundPlan, variables: tuple[int, ...], weights: Normalised, log_z: float
) -> Marginal:
    """The distribution of the asked variables; a fixed one is in its state for sure."""
    graph, fixed = ground.graph, ground.reduction.fixed
    states = tuple(graph.states(variable) for variable in variables)
    place = tuple(fixed.get(variable, slice(None)) for variable in variables)
    probabilities, fractions = beside_fixed(weights, [len(names) for names in states], place)
    names = tuple(map(graph.name, variables))
    return Marginal(names, states, probabilities, fractions, log_z, METHOD)


def _all_marginals(ground: GroundPlan, progress: Progress) -> Marginals:
    """One pass forwards and one backwards give the marginals of all variables."""
    semiring, plan = _summing(ground), ground.plan
    tensors = _tensors(ground, semiring)
    results = forward(
        semiring, plan, tensors, keeping=True, progress=lambda done: progress(done / 3)
    )
    total = normalised(results[plan.root])
    log_z = _partition(ground, total).log_z
    found = dict.fromkeys(ground.reduction.fixed, total)
    smallest = _smallest_tables(ground.reduction)
    for table, around in backward(
        semiring, plan, results, lambda done: progress((1 + 2 * done) / 3)
    ):
        scope = plan.scopes[table]
        for variable in smallest.get(table, ()):
            belief = contract(
                semiring, around, scope, tensors[table], scope, (variable,), plan.sizes
            )
            found[variable] = normalised(belief)
    return _listed(ground, found, log_z)


def _listed(ground: GroundPlan, found: dict[int, Normalised], log_z: float) -> Marginals:
    """The distributions of all variables in the order of the graph."""
    graph = ground.graph
    variables = range(graph.variable_count)
    listed = []
    for variable in variables:
        marginal = _marginal(ground, (variable,), found[variable], log_z)
        own = Distribution(marginal.states[0], marginal.probabilities, marginal.fractions)
        listed.append(own)
    names = tuple(map(graph.name, variables))
    return Marginals(names, np.arange(len(names)), tuple(listed), log_z, METHOD)


def _smallest_tables(reduction: Reduction) -> dict[int, list[int]]:
    """For some tables the free variables that have no smaller table to be read off."""
    smallest: dict[int, tuple[int, int]] = {}
    for table, scope in enumerate(reduction.scopes):
        size = entries(scope, reduction.sizes)
        for variable in scope:
            smallest[variable] = min(smallest.get(variable, (size, table)), (size, table))
    variables: dict[int, list[int]] = {}
    for variable, (_, table) in smallest.items():
        variables.setdefault(table, []).append(variable)
    return variables


def _explanation(ground: GroundPlan, progress: Progress) -> Explanation:
    """Maximise forwards, then read the states backwards."""
    semiring: Any = MAX_EXACT if ground.query.exact else MAX_LOG
    tensors = _tensors(ground, semiring)
    results = forward(semiring, ground.plan, tensors, keeping=True, progress=progress)
    largest = results[ground.plan.root]
    if (largest == 0 if ground.query.exact else np.isneginf(largest)).all():
        raise impossible()
    found = backtrack(semiring, ground.plan, results) | ground.reduction.fixed
    graph = ground.graph
    states = tuple(found[variable] for variable in range(graph.variable_count))
    assignment = {graph.name(v): graph.states(v)[state] for v, state in enumerate(states)}
    exact = weight(graph, states) if ground.query.exact else None
    return Explanation(states, assignment, log_weight(graph, states), exact, METHOD)
