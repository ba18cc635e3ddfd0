"""A factor graph with its evidence taken in: tables are cut, and observed variables are gone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.model.ground.factor_graph import FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.table import Table
from liftgraph.symmetry.structure.components import row_numbers


class Conditioned(NamedTuple):
    """What evidence leaves of a graph.

    ``graph``: the free variables, with tables of coprime integers and scale 1. ``free``: int64,
    their indices in the given graph. ``constants``: what the weight is multiplied by: values and
    how often each occurs.
    """

    graph: FactorGraph
    free: NDArray[np.int64]
    constants: list[tuple[Fraction, int]]


def conditioned(graph: FactorGraph) -> Conditioned:
    """Take the evidence in. Precondition: the potentials are tables.

    Raises ``ZeroWeightError`` where a table is zero for every state that the evidence allows.
    """
    state = np.where(graph.cardinalities == 1, 0, -1)
    state[graph.evidence.variables] = graph.evidence.states
    free = np.flatnonzero(state < 0)
    index = np.cumsum(state < 0) - 1
    cut, table_id = _cut_tables(graph, state)
    tables, constants = _coprime(graph, cut, np.bincount(table_id, minlength=len(cut)))
    edge_is_free = state[graph.scope] < 0
    free_before = np.concatenate(([0], np.cumsum(edge_is_free)))
    arity = np.diff(free_before[graph.scope_ptr])
    pool = list(dict.fromkeys(tables))
    place = {table: index for index, table in enumerate(pool)}
    pool_id = np.array([place[table] for table in tables], dtype=np.int32)
    left = FactorGraph(
        graph.state_sets,
        graph.state_set_id[free],
        None,
        pointers(arity[arity > 0]),
        index[graph.scope[edge_is_free]].astype(np.int32),
        pool_id[table_id[arity > 0]],
        pool,
    )
    return Conditioned(left, free, constants)


def _cut_tables(
    graph: FactorGraph, state: NDArray[np.int64]
) -> tuple[list[tuple[int, tuple[int, ...]]], NDArray[np.int64]]:
    """The tables with the states of their observed arguments, -1 for free ones, and which of them
    each factor has: int64 (m,)."""
    cut: list[tuple[int, tuple[int, ...]]] = []
    table_id = np.empty(graph.factor_count, dtype=np.int64)
    bound = int(graph.cardinalities.max(initial=0)) + 1
    for factors, scopes in scopes_by_arity(graph.scope_ptr, graph.scope):
        columns = [graph.table_id[factors].astype(np.int64), *(state[scopes] + 1).T]
        numbers = row_numbers(columns, [len(graph.potentials), *[bound] * scopes.shape[1]])
        _, first, kind = np.unique(numbers, return_index=True, return_inverse=True)
        table_id[factors] = len(cut) + kind
        states = state[scopes[first]].tolist()
        tables = graph.table_id[factors[first]].tolist()
        cut += [(table, tuple(row)) for table, row in zip(tables, states, strict=True)]
    return cut, table_id


def _coprime(
    graph: FactorGraph, cut: list[tuple[int, tuple[int, ...]]], usage: NDArray[np.intp]
) -> tuple[list[Table], list[tuple[Fraction, int]]]:
    """The tables that are cut, and what they were divided by."""
    tables: list[Table] = []
    constants: Counter[Fraction] = Counter()
    for (table, states), times in zip(cut, usage.tolist(), strict=True):
        whole = graph.potentials[table].table()
        place = tuple([slice(None) if state < 0 else state for state in states])
        integers: NDArray[Any] = np.asarray(whole.integers[place])
        divisor = int(np.gcd.reduce(integers, axis=None))
        if divisor == 0:
            raise impossible()
        tables.append(Table(np.asarray(integers // divisor), Fraction(1)))
        constants[whole.scale * divisor] += times
    return tables, list(constants.items())
