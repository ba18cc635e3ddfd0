"""The weight of a single assignment: the product of all factors there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from liftgraph.exact import log
from liftgraph.model.factor_graph import FactorGraph


def weight(graph: FactorGraph, states: Sequence[int]) -> Fraction:
    """The exact weight of an assignment of all variables, given as state indices."""
    potentials = _potentials(graph, states)
    return math.prod((value**count for value, count in potentials.items()), start=Fraction(1))


def log_weight(graph: FactorGraph, states: Sequence[int]) -> float:
    """The natural logarithm of an assignment's weight, -inf if that is zero."""
    potentials = _potentials(graph, states)
    if any(value == 0 for value in potentials):
        return -math.inf
    return math.fsum(count * log(value) for value, count in potentials.items())


def _potentials(graph: FactorGraph, states: Sequence[int]) -> Counter[Fraction]:
    """The potentials of all factors at an assignment, and how often each occurs."""
    places: Counter[tuple[int, tuple[int, ...]]] = Counter()
    ends, scope = graph.scope_ptr.tolist(), graph.scope.tolist()
    for factor, table in enumerate(graph.table_id.tolist()):
        arguments = scope[ends[factor] : ends[factor + 1]]
        places[table, tuple([states[variable] for variable in arguments])] += 1
    potentials: Counter[Fraction] = Counter()
    for (table, place), count in places.items():
        potentials[graph.tables[table].potential(place)] += count
    return potentials
