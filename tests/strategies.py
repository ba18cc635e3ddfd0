"""Random factor graphs for Hypothesis: small enough to enumerate, odd enough to break things."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from hypothesis import strategies as st

from liftgraph import FactorGraph, FactorGraphBuilder, Table

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
        known = pool.setdefault(shape, [])
        repeated = st.sampled_from(known) if known else st.nothing()
        known.append(draw(repeated | tables(shape)))
        builder.add_factor(scope, known[-1])
    graph = builder.build()
    if not evidence:
        return graph
    observed = (
        draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, max_size=3)) if sizes else []
    )
    return graph.given(
        {variable: draw(st.integers(0, sizes[variable] - 1)) for variable in observed}
    )
