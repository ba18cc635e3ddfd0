"""Random factor graphs for Hypothesis: small enough to enumerate, odd enough to break things."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, Table
from liftgraph.inference import methods
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.model.query import Query

MAX_ASSIGNMENTS = 400


def potentials() -> st.SearchStrategy[int | str | Fraction]:
    """Exact ones: zeros, integers small and huge, fractions, and decimals as text."""
    return st.one_of(
        st.just(0),
        st.integers(0, 9),
        st.integers(0, 10**30),
        st.fractions(0, 100, max_denominator=50),
        st.decimals(0, 1000, places=3).map(str),
        st.sampled_from(["1e-3", "2.50", "1E5", ".5", "7/20", "1e-320"]),
    )


@st.composite
def tables(draw: st.DrawFn, shape: Sequence[int] | None = None) -> Table:
    if shape is None:
        shape = draw(st.lists(st.integers(1, 3), max_size=4))
    measured = st.floats(0, 1e6, allow_subnormal=False)
    entries = draw(st.sampled_from([potentials(), potentials(), measured]))
    return Table.of(draw(st.lists(entries, min_size=prod(shape), max_size=prod(shape))), shape)


@st.composite
def symmetric_tables(draw: st.DrawFn, max_arguments: int = 4) -> Table:
    """Tables that some permutation of their arguments leaves as they are, often no swap."""
    shape = draw(st.lists(st.sampled_from([2, 2, 2, 3]), min_size=1, max_size=max_arguments))
    entries = st.sampled_from(draw(st.sampled_from([[0, 1], [1, 2], [0, 1, 2, 3]])))
    flat = draw(st.lists(entries, min_size=prod(shape), max_size=prod(shape)))
    values = np.array(flat).reshape(shape)
    order = draw(st.permutations(range(len(shape))))
    if [shape[axis] for axis in order] == shape:
        image = values
        for _ in range(11):  # the order of a permutation of up to four arguments divides 12
            image = image.transpose(order)
            values = np.maximum(values, image)
    return Table.of(values)


@st.composite
def reordered(draw: st.DrawFn, table: Table) -> tuple[Table, list[int]]:
    """An exchangeable table, and its arguments as numbers of the given table's."""
    order = draw(st.permutations(range(len(table.shape))))
    scale = draw(st.sampled_from([Fraction(1), Fraction(7), Fraction(9), Fraction(1, 3)]))
    if not table.integers.any():
        scale = Fraction(1)
    integers = table.integers.transpose(order).copy()
    return Table(integers, table.scale * scale, table.measured), order


@st.composite
def symmetric_graphs(draw: st.DrawFn, evidence: bool = True) -> FactorGraph:
    """Graphs of few tables, each scaled and with its arguments in any order."""
    builder = FactorGraphBuilder()
    sizes = draw(st.lists(st.sampled_from([2, 2, 2, 3]), min_size=1, max_size=8))
    for size in sizes:
        builder.add_variable(states=size)
    pool = draw(st.lists(symmetric_tables(), min_size=1, max_size=3))
    for _ in range(draw(st.integers(1, 8))):
        table, order = draw(reordered(draw(st.sampled_from(pool))))
        unused = draw(st.permutations(range(len(sizes))))
        scope: list[int] = []
        for size in table.shape:
            fitting = [v for v in unused if sizes[v] == size and v not in scope]
            scope += fitting[:1]
        if len(scope) == len(order):
            builder.add_factor(scope, table)
    observed = draw(st.lists(st.integers(0, len(sizes) - 1), unique=True, max_size=2))
    events = {variable: draw(st.integers(0, sizes[variable] - 1)) for variable in observed}
    return builder.build().observing(events if evidence else {})


@st.composite
def factor_graphs(draw: st.DrawFn, evidence: bool = True, named: bool = True) -> FactorGraph:
    """Graphs with mixed ranges, one-state variables, shared tables, empty and repeated scopes."""
    builder = FactorGraphBuilder()
    sizes: list[int] = []
    for size in draw(st.lists(st.integers(1, 4), max_size=6)):
        if prod(sizes) * size <= MAX_ASSIGNMENTS:
            name = f"V{len(sizes)}.x" if named else None
            builder.add_variable(name, size)
            sizes.append(size)
    pool: dict[tuple[int, ...], list[Table]] = {}
    for _ in range(draw(st.integers(0, 6))):
        scope = draw(st.permutations(range(len(sizes))))[: draw(st.integers(0, 4))]
        shape = tuple(sizes[variable] for variable in scope)
        used = pool.setdefault(shape, [])
        repeated = st.sampled_from(used) if used else st.nothing()
        used.append(draw(repeated | tables(shape)))
        builder.add_factor(scope, used[-1])
    graph = builder.build()
    if not evidence:
        return graph
    observed = (
        draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=3)) if sizes else []
    )
    return graph.given(
        {variable: draw(st.integers(0, sizes[variable] - 1)) for variable in observed}
    )


def ground_plan(graph: lg.FactorGraph, query: Query, **options: Any) -> GroundPlan:
    """The plan of ground elimination, whatever lifting would make of it."""
    planned = methods.plan(graph, query, method="ground", **options)
    assert isinstance(planned, GroundPlan)
    return planned


@st.composite
def bayesian_networks(draw: st.DrawFn, max_variables: int = 5) -> tuple[FactorGraph, list[int]]:
    """Bayesian networks, and the factor of each variable; factors and arguments in any order."""
    builder = FactorGraphBuilder()
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=max_variables))
    for size in sizes:
        builder.add_variable(states=size)
    own = [0] * len(sizes)
    order = draw(st.permutations(range(len(sizes))))
    for variable in draw(st.permutations(range(len(sizes)))):
        before = order[: order.index(variable)]
        parents = before[: draw(st.integers(0, min(2, len(before))))]
        scope = draw(st.permutations([variable, *parents]))
        shape = [sizes[argument] for argument in scope]
        table = draw(_distributions(shape, scope.index(variable)))
        own[variable] = builder.add_factor(scope, table)
    return builder.build(), own


@st.composite
def _distributions(draw: st.DrawFn, shape: Sequence[int], axis: int) -> Table:
    """Conditional distributions of one argument, with finite decimals half of the time."""
    weights = draw(st.lists(st.integers(0, 9), min_size=prod(shape), max_size=prod(shape)))
    rows = np.moveaxis(np.array(weights, dtype=object).reshape(shape), axis, -1)
    if draw(st.booleans()):
        rows[..., 0] = 64 - rows[..., 1:].sum(axis=-1)
    rows[rows.sum(axis=-1) == 0] = 1
    fractions = [[Fraction(w, sum(row)) for w in row] for row in rows.reshape(-1, shape[axis])]
    values = np.array(fractions, dtype=object).reshape(rows.shape)
    return Table.of(np.moveaxis(values, -1, axis))
