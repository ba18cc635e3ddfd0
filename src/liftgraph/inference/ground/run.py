"""Ground variable elimination: the baseline, and the last resort of lifted inference."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from liftgraph.inference.ground.pieces import graph_scales
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.ground.relevance import keep_possible
from liftgraph.inference.ground.values import Powers, settled, values_of
from liftgraph.inference.normalising import beside_fixed, normalised, normalised_flow
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.backward import backward, flows
from liftgraph.inference.tensor.evaluation import Values
from liftgraph.inference.tensor.tensors import entries
from liftgraph.inference.weight import log_weight, product_of_powers, weight
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.weights import Assignment, Partition
from liftgraph.model.plans import Progress
from liftgraph.model.query import KINDS
from liftgraph.semiring import FlowSemiring, MaxSemiring, Normalised, Semiring, choose_semiring
from liftgraph.semiring.pairs import log_of_product
from liftgraph.semiring.protocol import Number

T = TypeVar("T")


def run_ground(plan: GroundPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    exact = plan.query.exact
    if KINDS[plan.query.kind].maximises:
        return _explanation(plan, choose_semiring("maximum", exact), progress)
    semiring = choose_semiring("sum", exact, _step_bits(plan) if exact else 0)
    if KINDS[plan.query.kind].of_all:
        return _all_marginals(plan, semiring, progress)
    return run_sum(plan, semiring, progress)


def _step_bits(plan: GroundPlan) -> int:
    """How many bits a step reads, on average."""
    tree = plan.section.tree
    bits = sum([piece.bits for piece in plan.pattern.reduction.pieces])
    return bits * tree.operations // max(len(tree.steps), 1)


def _values(plan: GroundPlan, semiring: Semiring[T], progress: Progress) -> Values[T]:
    return values_of(plan.graph, plan.pattern, plan.states, semiring, progress)


def _settled(plan: GroundPlan) -> Powers:
    return settled(plan.graph, plan.pattern.reduction, plan.states)


def run_sum(
    plan: GroundPlan, semiring: FlowSemiring[T], progress: Progress
) -> Partition | Marginal:
    """The total weight, or its share of each joint state of the asked variables."""
    constants = _settled(plan)
    result = _values(plan, semiring, progress)[plan.section.result]
    scope, kept = plan.section.kept, plan.pattern.free
    if scope != kept:
        axes = tuple([scope.index(variable) for variable in kept])
        shape = tuple([plan.pattern.reduction.sizes[variable] for variable in kept])
        result = semiring.arrange(result, axes, shape)
    weights = normalised(semiring, result)
    if not KINDS[plan.query.kind].takes_variables:
        return _partition(plan, weights, constants)
    if plan.pattern.doubtful:
        keep_possible(plan.graph)
    return _marginal(plan, plan.variables, weights)


def _partition(plan: GroundPlan, weights: Normalised, constants: Powers) -> Partition:
    powers = _powers(plan, constants)
    log_z = log_of_product(powers, [(weights.log_sum, 1)])
    if weights.sum is None:
        return Partition(log_z, None, plan.method)
    return Partition(log_z, weights.sum * product_of_powers(powers), plan.method)


def _powers(plan: GroundPlan, constants: Powers) -> Powers:
    """What the weight of the tables is multiplied by."""
    return [*graph_scales(plan.graph), *plan.pattern.reduction.sums, *constants]


def _marginal(plan: GroundPlan, variables: tuple[int, ...], weights: Normalised) -> Marginal:
    """The distribution of the asked variables; a fixed variable is in its state for certain."""
    graph, fixed = plan.graph, plan.pattern.fixed
    states = tuple([graph.states(variable) for variable in variables])
    if fixed.isdisjoint(variables):
        probabilities, fractions = weights.probabilities, weights.fractions
    else:
        place = tuple([plan.state(v) if v in fixed else slice(None) for v in variables])
        probabilities, fractions = beside_fixed(weights, [len(names) for names in states], place)
    names = tuple(map(graph.name, variables))
    return Marginal(names, states, probabilities, fractions, plan.method)


def _all_marginals(plan: GroundPlan, semiring: FlowSemiring[T], progress: Progress) -> Marginals:
    constants = _settled(plan)
    listed, log_sum = _distributions(plan, semiring, progress)
    log_z = log_of_product(_powers(plan, constants), [(log_sum, 1)])
    names = tuple(plan.graph.variables)
    return Marginals(names, np.arange(len(names)), tuple(listed), log_z, plan.method)


def run_distributions(plan: GroundPlan, progress: Progress) -> tuple[list[Distribution], Number]:
    """The distributions of all variables, and the logarithm of the total weight of the tables."""
    exact = plan.query.exact
    semiring = choose_semiring("sum", exact, _step_bits(plan) if exact else 0)
    return _distributions(plan, semiring, progress)


def _distributions(
    plan: GroundPlan, semiring: FlowSemiring[T], progress: Progress
) -> tuple[list[Distribution], Number]:
    """One pass forwards and one backwards give the marginals of all variables."""
    section = plan.section
    values = _values(plan, semiring, lambda done: progress(done / 3))
    total = normalised(semiring, values[section.result])
    beliefs = dict.fromkeys(plan.pattern.fixed, total)
    read_off = {section.tensors[t]: (t, v) for t, v in _smallest_tables(plan).items()}
    traces = backward(
        semiring,
        section.products,
        [section.result],
        values,
        read_off,
        lambda done: progress((1 + 2 * done) / 3),
    )
    for tensor, trace in traces:
        table, variables = read_off[tensor]
        scope = section.tree.scopes[table]
        for variable, flow in zip(variables, flows(trace, scope, variables), strict=True):
            beliefs[variable] = normalised_flow(semiring, flow)
    return _listed(plan, beliefs), total.log_sum


def _listed(plan: GroundPlan, beliefs: dict[int, Normalised]) -> list[Distribution]:
    """The distributions of all variables in the order of the graph."""
    listed = []
    for variable in range(plan.graph.variable_count):
        marginal = _marginal(plan, (variable,), beliefs[variable])
        distribution = Distribution(marginal.states[0], marginal.probabilities, marginal.fractions)
        listed.append(distribution)
    return listed


def _smallest_tables(plan: GroundPlan) -> dict[int, list[int]]:
    """For each table, the free variables that cannot be read off a smaller table."""
    reduction, smallest = plan.pattern.reduction, dict[int, tuple[int, int]]()
    for table, scope in enumerate(reduction.scopes):
        size = entries(scope, reduction.sizes)
        for variable in scope:
            smallest[variable] = min(smallest.get(variable, (size, table)), (size, table))
    variables: dict[int, list[int]] = {}
    for variable, (_, table) in smallest.items():
        if variable < plan.graph.variable_count:
            variables.setdefault(table, []).append(variable)
    return variables


def _explanation(plan: GroundPlan, semiring: MaxSemiring[T], progress: Progress) -> Assignment:
    """Maximise forwards, then read the states backwards."""
    _settled(plan)
    values = _values(plan, semiring, progress)
    if not semiring.possible(values[plan.section.result]):
        raise impossible()
    chosen = backtrack(semiring, plan.section.products, values)
    graph = plan.graph
    chosen |= {v: plan.state(v) for v in plan.pattern.fixed}
    states = tuple([chosen[variable] for variable in range(graph.variable_count)])
    names = tuple(map(graph.name, range(graph.variable_count)))
    named = names, states, graph.state_set_id, graph.state_sets
    exact = weight(graph, states) if plan.query.exact else None
    return Assignment(*named, log_weight(graph, states), exact, plan.method)
