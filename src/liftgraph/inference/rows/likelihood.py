"""How probable the rows of a table are: the weight of each row's observations, normalised."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.errors import InputError
from liftgraph.exact import log
from liftgraph.inference.ground.pieces import graph_pieces
from liftgraph.inference.ground.reduction import impossible, sources_and_scopes
from liftgraph.inference.rows.passes import Shapes, evaluated, plan_stack, taken
from liftgraph.inference.rows.stacks import Arranged, Structure, Term, arranged
from liftgraph.model.arrays import codes
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.plans import Progress
from liftgraph.semiring.protocol import Floats
from liftgraph.semiring.rows import Rows, evaluate, logarithms

_MOST_ROWS = 1 << 20  # at a time


@dataclass(frozen=True, eq=False)
class Weights:
    """The tables of a graph as terms. ``values``: of each by its source, and ``log_scales``: the
    logarithm of what it is multiplied by."""

    structure: Structure
    values: Mapping[int, Rows]
    log_scales: Mapping[int, float]

    @property
    def shapes(self) -> Shapes:
        """The shapes of the tables, by source."""
        return {source: table.values.shape for source, table in self.values.items()}


_WEIGHTS: Memo[None, Weights] = Memo("terms for the likelihood of rows", most=1)


def log_likelihoods(
    graph: FactorGraph,
    states: NDArray[np.integer],
    memory_limit: int,
    progress: Progress = lambda share: None,
) -> Floats:
    """The logarithm of the probability of each row given the graph's evidence, (rows,).

    ``states``: (variables, rows), -1 where a value is missing. Rows that are not possible have
    -inf. Rows that agree in a part of the model share its elimination. Precondition: rows agree
    with the evidence. Raises ``ZeroWeightError`` if the evidence is impossible.
    """
    weights = _WEIGHTS.get(graph.cache, None, lambda: _weights(graph))
    own = np.full((graph.variable_count, 1), -1, dtype=np.int32)
    for variable, state in graph.evidence.items():
        own[variable] = state
    total = float(_log_weights(weights, own, memory_limit)[0])
    if total == -np.inf:
        raise impossible()
    row_count = states.shape[1]
    logs = np.zeros(row_count)
    at_a_time = memory_limit // max(weights.structure.row_bytes, 1)
    at_a_time = max(min(at_a_time, _MOST_ROWS), 1)
    for start in range(0, row_count, at_a_time):
        rows = slice(start, min(start + at_a_time, row_count))
        observed = np.where(own >= 0, own, states[:, rows])
        logs[rows] = _log_weights(weights, observed, memory_limit) - total
        progress(rows.stop / row_count)
    return logs


def _log_weights(weights: Weights, states: NDArray[np.integer], memory_limit: int) -> Floats:
    """The logarithm of the weight of each row, (rows,)."""
    parts: Arranged = arranged(weights.structure, states)
    logs = np.zeros(states.shape[1])
    for term, rows in parts.seen:
        values = weights.values[term.source]
        place = codes([states[variable, rows] for variable in term.scope], values.values.shape)
        logs[rows] += logarithms(taken(values, place)) + weights.log_scales[term.source]
    for stack in parts.stacks:
        plan = plan_stack(stack, weights.shapes, memory_limit)
        scale = math.fsum([weights.log_scales[source] for source, _ in stack.alike.terms])
        of_kind = np.empty(stack.states.shape[1])
        for chunk in evaluated(plan, weights.values, memory_limit, backward=False):
            of_kind[chunk.kinds] = chunk.log_weights + scale
        np.add.at(logs, stack.rows, of_kind[stack.kind])
    return logs


def _weights(graph: FactorGraph) -> Weights:
    """A Bayesian network has arrows, so that what is below all observations is left out."""
    pieces = graph_pieces(graph)
    child_of = _children(graph)
    numbers: dict[object, int] = {}
    values: dict[int, Rows] = {}
    log_scales: dict[int, float] = {}
    terms: list[Term] = []
    for factor in range(graph.factor_count):
        for (kind, place), scope in sources_and_scopes(graph, pieces, [factor]):
            source = numbers.setdefault((kind, place), len(numbers))
            if source not in values:
                values[source] = evaluate(pieces.listed[kind].integers[place])
                log_scales[source] = 0.0 if place else log(graph.potentials[kind].scale)
            terms.append(Term(source, scope, child_of.get(factor, -1)))
    covered = {variable for term in terms for variable in term.scope}
    for variable in set(range(graph.variable_count)) - covered:
        size = pieces.sizes[variable]
        source = numbers.setdefault(size, len(numbers))
        values[source] = evaluate(np.ones(size, dtype=np.int64))
        log_scales[source] = 0.0
        terms.append(Term(source, (variable,), -1))
    return Weights(Structure(terms, pieces.sizes), values, log_scales)


def _children(graph: FactorGraph) -> dict[int, int]:
    """The variable whose distribution each factor is; nothing if the graph is no network."""
    try:
        return {factor: child for child, factor in enumerate(own_factors(graph).tolist())}
    except InputError:
        return {}
