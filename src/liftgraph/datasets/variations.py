"""Variations of a factor graph that make its symmetries harder to see, or blur them.

Each is a function from a graph to a graph with the same variables and the same evidence.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from liftgraph.datasets.random_numbers import Draws
from liftgraph.errors import InputError, quoted
from liftgraph.exact import rational
from liftgraph.model.ground.factor_graph import FactorGraph, scopes_by_arity
from liftgraph.model.ground.table import PotentialPool, Table

LARGEST_SCALE = 10


def scaled(graph: FactorGraph, p: float, seed: int = 0, unit: object = 1) -> FactorGraph:
    """The graph with each factor, with probability p, scaled by α · unit, α uniform in 1 … 10.

    No marginal changes. Factors with the same table before are still exchangeable, which α-ACP
    sees and ACP does not. ``unit``: 1 as in the paper, or a fraction such as 1/7.

    >>> from liftgraph import datasets
    >>> graph = datasets.employee(1000).ground()
    >>> len(graph.tables), len(scaled(graph, 0.5).tables)
    (3, 30)
    """
    if not isinstance(p, Real) or not 0 <= p <= 1:
        raise InputError(f"scaled: expected a probability from 0 to 1, got {quoted(p)}")
    draws = Draws(seed, "scales")
    chosen = draws.uniform(graph.factor_count) < p
    alpha = draws.integers(graph.factor_count, 1, LARGEST_SCALE)
    step = rational(unit)
    if not step:
        raise InputError(f"scaled: expected a positive unit, got {unit}")
    scales = [Fraction(1), *(factor * step for factor in range(1, LARGEST_SCALE + 1))]
    code = graph.table_id.astype(np.int64) * len(scales) + np.where(chosen, alpha, 0)
    distinct, table_index = np.unique(code, return_inverse=True)
    pairs = [divmod(table_and_scale, len(scales)) for table_and_scale in distinct.tolist()]
    tables = [_times(graph.tables[table_id], scales[scale_id]) for table_id, scale_id in pairs]
    return _with_tables(graph, tables, table_index)


def permuted(graph: FactorGraph, seed: int = 0) -> FactorGraph:
    """The graph with the arguments of every factor listed in a random order.

    >>> from liftgraph import colour_passing, datasets
    >>> graph = permuted(datasets.employee(100).ground())
    >>> colour_passing(graph, "acp"), len(colour_passing(graph, "cp").factor_groups) > 3
    (Colouring(acp: 3 groups of variables, 3 of factors, 2 rounds), True)
    """
    draws = Draws(seed, "orders")
    scope, table_id = graph.scope.copy(), graph.table_id.astype(np.int64)
    pool = PotentialPool()
    for factors, rows in scopes_by_arity(graph.scope_ptr, graph.scope):
        orders = np.argsort(draws.uniform(*rows.shape), axis=1, kind="stable")
        places = graph.scope_ptr[factors][:, None] + np.arange(rows.shape[1])
        scope[places] = np.take_along_axis(rows, orders, axis=1)
        table_id[factors] = _reordered(graph, table_id[factors], orders, pool)
    return replace(graph, scope=scope, table_id=table_id.astype(np.int32), potentials=tuple(pool))


def perturbed(graph: FactorGraph, noise: object, seed: int = 0) -> FactorGraph:
    """The graph with every potential of every factor changed by a share of at most ±noise.

    Shares are multiples of noise / 1000, so that tables stay exact.

    >>> from liftgraph import datasets
    >>> graph = perturbed(datasets.employee(3).ground(), "0.01")
    >>> len(graph.tables)
    9
    """
    step = rational(noise) / 1000
    if step >= Fraction(1, 1000):
        raise InputError(f"perturbed: expected noise below 1, got {noise}")
    draws = Draws(seed, "noise")
    tables = []
    for table_id in graph.table_id.tolist():
        table = graph.tables[table_id]
        shares = draws.integers(table.integers.size, -1000, 1000).tolist()
        entries = zip(map(int, table.integers.flat), shares, strict=True)
        changed = [value * table.scale * (1 + share * step) for value, share in entries]
        tables.append(replace(Table.of(changed, table.shape), measured=table.measured))
    return _with_tables(graph, tables, np.arange(graph.factor_count))


def _times(table: Table, scale: Fraction) -> Table:
    """The table times a scale; zeros stay as they are."""
    if not table.integers.any():
        return table
    return Table(table.integers, table.scale * scale, table.measured)


def _reordered(
    graph: FactorGraph, table_id: NDArray[np.int64], orders: NDArray[np.int64], pool: PotentialPool
) -> NDArray[np.int64]:
    """The numbers in the pool, int64 (m,), of the tables with their axes in these orders."""
    rows = np.column_stack([table_id, orders])
    distinct, row_index = np.unique(rows, axis=0, return_inverse=True)
    new_ids = []
    for old_id, *axes in distinct.tolist():
        table = graph.tables[old_id]
        new_ids.append(pool.add(Table(table.integers.transpose(axes), table.scale, table.measured)))
    return np.array(new_ids, dtype=np.int64)[row_index.ravel()]


def _with_tables(
    graph: FactorGraph, tables: list[Table], table_index: NDArray[np.int64]
) -> FactorGraph:
    """The graph with other tables; ``table_index``: int64 (m,), which of them each factor has."""
    pool = PotentialPool()
    pool_ids = np.array([pool.add(table) for table in tables], dtype=np.int32)
    return replace(graph, table_id=pool_ids[table_index], potentials=tuple(pool))
