"""The bound on the treewidth is below every order's width, and refuses only what is proven."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.approximation import treewidth_min_fill_in

import liftgraph as lg
from liftgraph.inference.ground import refusal
from liftgraph.inference.ground.refusal import HopelessError
from liftgraph.inference.tensor import treewidth_bound
from liftgraph.inference.tensor.treewidth_bound import least_treewidth

VARIABLES = 6_000


@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), min_size=1, max_size=60),
    st.integers(1, 20),
)
def test_no_order_is_narrower_than_the_bound(pairs: list[tuple[int, int]], clusters: int) -> None:
    edges = np.array([pair for pair in pairs if pair[0] != pair[1]], dtype=np.int64).reshape(-1, 2)
    width, _ = treewidth_min_fill_in(nx.Graph(edges.tolist()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(treewidth_bound, "_CLUSTERS", clusters)
        assert least_treewidth(edges[:, 0], edges[:, 1], 20) <= max(width, 0)


@pytest.mark.parametrize("method", ["ground", "auto"])
def test_an_irregular_graph_is_refused_before_it_is_planned(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("liftgraph.inference.ground.pattern.reduce_graph", None)
    graph = irregular(VARIABLES)
    with pytest.raises(HopelessError, match="in every order"):
        graph.query(_in_a_cycle(graph), method=method, memory_limit=2**12)


def test_what_evidence_cuts_off_is_answered() -> None:
    graph = irregular(VARIABLES)
    asked = _in_a_cycle(graph)
    start, scope = graph.scope_ptr.tolist(), graph.scope.tolist()
    scopes = [scope[a:b] for a, b in pairwise(start)]
    near = {other: "true" for pair in scopes if asked in pair for other in pair if other != asked}
    answer = graph.query(asked, given=near, memory_limit=2**16)
    assert sum(answer.probabilities) == pytest.approx(1)


def test_what_is_below_the_question_is_answered() -> None:
    """A network with random parents is as wide, but barren for its first variable."""
    random = np.random.default_rng(1)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(VARIABLES)
    builder.add_factor((0,), [1, 3])
    for child in range(1, VARIABLES):
        parents = random.choice(child, min(child, 2), replace=False).tolist()
        builder.add_factor((*parents, child), np.tile([1, 3], (2,) * len(parents) + (1,)).tolist())
    graph = builder.build()
    everything = np.ones(graph.factor_count, dtype=np.bool_)
    assert refusal._treewidth(graph, everything) > 12
    answer = graph.query(0, memory_limit=2**20)
    assert answer.probabilities == pytest.approx([0.25, 0.75])


@cache
def irregular(count: int) -> lg.FactorGraph:
    """Random pairs of variables, twice as many, each with a table of its own."""
    random = np.random.default_rng(0)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(count)
    pairs = random.integers(0, count, (2 * count, 2))
    for first, second in pairs[pairs[:, 0] != pairs[:, 1]].tolist():
        builder.add_factor((first, second), random.integers(1, 1000, (2, 2)).tolist())
    return builder.build()


def _in_a_cycle(graph: lg.FactorGraph) -> int:
    """The variable of most factors."""
    return int(np.argmax(np.bincount(graph.scope)))
