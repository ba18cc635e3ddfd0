"""Whether anything at all is possible: which states zero potentials leave to the variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ZeroWeightError
from liftgraph.model.ground.factor_graph import FactorGraph


def check_possible(graph: FactorGraph) -> None:
    """Refuse a graph in which some factor allows nothing that the other factors allow.

    Arc consistency: a state stays if every factor has a positive potential with states that stay.
    In a graph without cycles this decides whether some assignment has a positive weight; in
    others it is necessary. Evidence is ignored. Time: linear in the size of a table, each
    time one of its arguments loses a state.
    """
    stays = [np.ones(size, dtype=bool) for size in graph.cardinalities.tolist()]
    with_zeros = np.array([not table.integers.all() for table in graph.tables], dtype=bool)
    queue = np.flatnonzero(with_zeros[graph.table_id]).tolist()
    factors_of: dict[int, list[int]] = {}
    for factor in queue:
        for variable in graph.scope_of(factor):
            factors_of.setdefault(variable, []).append(factor)
    waiting = set(queue)
    while queue:
        factor = queue.pop()
        waiting.remove(factor)
        for variable in _narrowed(graph, factor, stays):
            again = [other for other in factors_of[variable] if other not in waiting]
            queue += again
            waiting.update(again)


def _narrowed(graph: FactorGraph, factor: int, stays: list[NDArray[np.bool_]]) -> list[int]:
    """Remove the states that a factor rules out; returns the variables that lost some."""
    scope, table = graph.factors[factor].parts
    axes = range(len(scope))
    positive = table.integers != 0
    for axis, variable in enumerate(scope):
        along_axis = [-1 if other == axis else 1 for other in axes]
        positive = positive & stays[variable].reshape(along_axis)
    if not positive.any():
        raise ZeroWeightError(
            "every assignment has weight zero: the observations of"
            f" {', '.join(map(graph.name, scope))} contradict the other factors"
            " (a pseudo-count makes everything possible)"
        )
    narrowed: list[int] = []
    for axis, variable in enumerate(scope):
        left = positive.any(axis=tuple(other for other in axes if other != axis))
        if not np.array_equal(left, stays[variable]):
            stays[variable] = left
            narrowed.append(variable)
    return narrowed
