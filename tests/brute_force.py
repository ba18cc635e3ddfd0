"""Every question answered by looking at every assignment, in exact arithmetic.

Nothing here is clever, so that it can be trusted: it is the oracle of the tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from liftgraph.errors import MemoryLimitError
from liftgraph.exact import log
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.weight import weight
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.weights import Assignment, Partition
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.query import Query

METHOD = "brute force"
_MAX_ASSIGNMENTS = 2**20


def brute_force(graph: FactorGraph, query: Query) -> Answer:
    """Answer a query exactly by enumeration; for a million assignments at most."""
    worlds = list(weighted_worlds(graph))
    total = sum((value for _, value in worlds), start=Fraction(0))
    if total == 0:
        raise impossible()
    if query.kind == "partition":
        return Partition(log(total), total, METHOD)
    if query.kind == "explanation":
        states, largest = max(worlds, key=lambda world: world[1])
        names = tuple(map(graph.name, range(graph.variable_count)))
        named = names, states, graph.state_set_id, graph.state_sets
        return Assignment(*named, log(largest), largest, METHOD)
    if query.kind == "marginals":
        variables = range(graph.variable_count)
        found = [_marginal(graph, (v,), worlds, total) for v in variables]
        listed = [Distribution(m.states[0], m.probabilities, m.fractions) for m in found]
        names = tuple(map(graph.name, variables))
        return Marginals(names, np.arange(len(names)), tuple(listed), log(total), METHOD)
    return _marginal(graph, tuple(map(graph.variable, query.variables)), worlds, total)


def weighted_worlds(graph: FactorGraph) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """All assignments that agree with the evidence, with their weights."""
    choices = [range(size) for size in graph.cardinalities.tolist()]
    for variable, state in graph.evidence.items():
        choices[variable] = range(state, state + 1)
    count = math.prod(map(len, choices))
    if count > _MAX_ASSIGNMENTS:
        raise MemoryLimitError(f"{count:,} assignments are too many to enumerate")
    for states in product(*choices):
        yield states, weight(graph, states)


def _marginal(
    graph: FactorGraph,
    variables: tuple[int, ...],
    worlds: list[tuple[tuple[int, ...], Fraction]],
    total: Fraction,
) -> Marginal:
    names = tuple(graph.states(variable) for variable in variables)
    fractions = np.full([len(states) for states in names], Fraction(0), dtype=object)
    for states, value in worlds:
        fractions[tuple([states[variable] for variable in variables])] += value / total
    return Marginal(
        tuple(map(graph.name, variables)),
        names,
        fractions.astype(np.float64),
        fractions,
        METHOD,
    )
