"""Ground variable elimination: the baseline, and the last resort of lifted inference."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from liftgraph.cache import Memo
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.ground.reduction import SlicedPiece, Source, impossible
from liftgraph.inference.normalising import beside_fixed, normalised
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.backward import backward
from liftgraph.inference.tensor.contraction import contract
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.tensors import Root, Tensor, entries
from liftgraph.inference.weight import log_weight, product_of_powers, weight
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.weights import Explanation, Partition
from liftgraph.model.plans import Progress
from liftgraph.model.query import KINDS
from liftgraph.semiring import (
    FlowSemiring,
    MaxSemiring,
    Normalised,
    Semiring,
    choose_semiring,
)
from liftgraph.semiring.pairs import log_of_product

METHOD = "ground"
T = TypeVar("T")
# The tensor of each whole piece of a potential, in a semiring.
_TENSORS: Memo[tuple[Semiring[Any], Source], Any] = Memo("tensors", most=4096)


def run_ground(plan: GroundPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    exact = plan.query.exact
    if KINDS[plan.query.kind].maximises:
        return _explanation(plan, choose_semiring("maximum", exact), progress)
    semiring = choose_semiring("sum", exact, _step_bits(plan) if exact else 0)
    if KINDS[plan.query.kind].of_all:
        return _all_marginals(plan, semiring, progress)
    return _distribution(plan, semiring, progress)


def _step_bits(plan: GroundPlan) -> int:
    """How many bits a step reads, on average."""
    tree, pieces = plan.section.tree, plan.reduction.pieces
    bits = sum([pieces[piece_id].bits for piece_id in plan.reduction.piece_ids])
    return bits * tree.operations // max(len(tree.steps), 1)


def _distribution(
    plan: GroundPlan, semiring: FlowSemiring[T], progress: Progress
) -> Partition | Marginal:
    """The total weight, or its share of each joint state of the asked variables."""
    result = _forward(plan, semiring, progress)[plan.section.result]
    scope = plan.section.kept
    kept = [v for v in plan.variables if v not in plan.reduction.fixed]
    axes = tuple([scope.index(variable) for variable in kept])
    shape = tuple([plan.reduction.sizes[variable] for variable in kept])
    weights = normalised(semiring, semiring.arrange(result, axes, shape))
    partition = _partition(plan, weights)
    if not KINDS[plan.query.kind].takes_variables:
        return partition
    return _marginal(plan, plan.variables, weights, partition.log_z)


def _forward(plan: GroundPlan, semiring: Semiring[T], progress: Progress) -> Values[T]:
    """The values of the plan's tensors."""
    section = plan.section
    order: list[Tensor] = list(section.products if plan.reduction.scopes else section.tensors)
    return forward(
        semiring,
        order,
        [Root(section.result, 1)],
        known=_tables(plan, semiring),
        keeping=plan.keeping,
        progress=progress,
    )


def _tables(plan: GroundPlan, semiring: Semiring[T]) -> Values[T]:
    """The values of the tables; each piece is evaluated once for all queries."""
    piece_ids, pieces = plan.reduction.piece_ids, plan.reduction.pieces
    parts = {i: _evaluated(plan, semiring, pieces[i]) for i in set(piece_ids)}
    values = Values(semiring)
    for tensor, piece_id in zip(plan.section.tensors, piece_ids, strict=False):
        values[tensor] = parts[piece_id]
    return values


def _evaluated(plan: GroundPlan, semiring: Semiring[T], piece: SlicedPiece) -> T:
    def evaluated() -> T:
        return semiring.evaluate(piece.integers)

    if piece.source is None:
        return evaluated()
    whole: T = _TENSORS.get(plan.graph.cache, (semiring, piece.source), evaluated)
    return semiring.part(whole, piece.slices)


def _partition(plan: GroundPlan, weights: Normalised) -> Partition:
    constants = plan.reduction.constants
    log_z = log_of_product(constants, [(weights.log_sum, 1)])
    if weights.sum is None:
        return Partition(log_z, None, METHOD)
    return Partition(log_z, weights.sum * product_of_powers(constants), METHOD)


def _marginal(
    plan: GroundPlan, variables: tuple[int, ...], weights: Normalised, log_z: float
) -> Marginal:
    """The distribution of the asked variables; a fixed variable is in its state for certain."""
    graph, fixed = plan.graph, plan.reduction.fixed
    states = tuple([graph.states(variable) for variable in variables])
    place = tuple([fixed.get(variable, slice(None)) for variable in variables])
    probabilities, fractions = beside_fixed(weights, [len(names) for names in states], place)
    names = tuple(map(graph.name, variables))
    return Marginal(names, states, probabilities, fractions, log_z, METHOD)


def _all_marginals(plan: GroundPlan, semiring: FlowSemiring[T], progress: Progress) -> Marginals:
    """One pass forwards and one backwards give the marginals of all variables."""
    section = plan.section
    values = _forward(plan, semiring, lambda done: progress(done / 3))
    total = normalised(semiring, values[section.result])
    beliefs = dict.fromkeys(plan.reduction.fixed, total)
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
        for variable in variables:
            belief = contract(
                semiring, trace.adjoint, scope, trace.value, scope, (variable,), section.tree.sizes
            )
            beliefs[variable] = normalised(semiring, belief)
    return _listed(plan, beliefs, _partition(plan, total).log_z)


def _listed(plan: GroundPlan, beliefs: dict[int, Normalised], log_z: float) -> Marginals:
    """The distributions of all variables in the order of the graph."""
    variables = range(plan.graph.variable_count)
    listed = []
    for variable in variables:
        marginal = _marginal(plan, (variable,), beliefs[variable], log_z)
        distribution = Distribution(marginal.states[0], marginal.probabilities, marginal.fractions)
        listed.append(distribution)
    names = tuple(map(plan.graph.name, variables))
    return Marginals(names, np.arange(len(names)), tuple(listed), log_z, METHOD)


def _smallest_tables(plan: GroundPlan) -> dict[int, list[int]]:
    """For each table, the free variables that cannot be read off a smaller table."""
    reduction, smallest = plan.reduction, dict[int, tuple[int, int]]()
    for table, scope in enumerate(reduction.scopes):
        size = entries(scope, reduction.sizes)
        for variable in scope:
            smallest[variable] = min(smallest.get(variable, (size, table)), (size, table))
    variables: dict[int, list[int]] = {}
    for variable, (_, table) in smallest.items():
        if variable < plan.graph.variable_count:
            variables.setdefault(table, []).append(variable)
    return variables


def _explanation(plan: GroundPlan, semiring: MaxSemiring[T], progress: Progress) -> Explanation:
    """Maximise forwards, then read the states backwards."""
    values = _forward(plan, semiring, progress)
    if not semiring.possible(values[plan.section.result]):
        raise impossible()
    chosen = backtrack(semiring, plan.section.products, values) | plan.reduction.fixed
    graph = plan.graph
    states = tuple([chosen[variable] for variable in range(graph.variable_count)])
    assignment = {graph.name(v): graph.states(v)[state] for v, state in enumerate(states)}
    exact = weight(graph, states) if plan.query.exact else None
    return Explanation(states, assignment, log_weight(graph, states), exact, METHOD)
