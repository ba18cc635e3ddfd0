"""Colour passing beside a twin that sorts whole signatures and beside networkx's Weisfeiler-Leman.

python benchmarks/colour_passing.py [EDGES ...]     (default: 100000 1000000 10000000)
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from typing import TypeVar

import networkx as nx
import numpy as np
from graphs import epidemic, hub, path
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.datasets import grid

Result = TypeVar("Result")

SIZES = (100_000, 1_000_000, 10_000_000)
NETWORKX_LIMIT = 1_000_000  # edges; beyond that it takes minutes and all memory


def sorting_twin(graph: lg.FactorGraph) -> tuple[int, int, int]:
    """Colour passing by sorting all signatures in each round: groups of both sides, and rounds.

    For graphs whose tables are in order and have no symmetries, so that positions count.
    """
    arity = np.diff(graph.scope_ptr)
    place = np.arange(graph.edge_count) - np.repeat(graph.scope_ptr[:-1], arity)
    width = int(arity.max())
    by_variable = np.argsort(graph.scope, kind="stable")
    start = np.searchsorted(graph.scope[by_variable], np.arange(graph.variable_count + 1))
    variables = np.zeros(graph.variable_count, dtype=np.int64)
    factors = graph.table_id.astype(np.intp)
    count, groups = 0, (0, 0)
    while True:
        count += 1
        rows = np.full((graph.factor_count, 1 + width), -1, dtype=np.int64)
        rows[:, 0] = factors
        rows[np.repeat(np.arange(graph.factor_count), arity), 1 + place] = variables[graph.scope]
        factors = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        words = np.repeat(factors, arity) * width + place
        words = words[np.lexsort((words, graph.scope))]
        variables = sorted_signatures(variables, words, start)
        before, groups = groups, (int(variables.max()) + 1, int(factors.max()) + 1)
        if groups == before:
            return *groups, count


def sorted_signatures(
    old: NDArray[np.int64], words: NDArray[np.int64], start: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Numbers of the signatures: the old colour and the sorted words of each variable."""
    data, begins, ends = words.tobytes(), (8 * start[:-1]).tolist(), (8 * start[1:]).tolist()
    signatures = [
        (colour, data[begin:end])
        for colour, begin, end in zip(old.tolist(), begins, ends, strict=True)
    ]
    rank = {signature: place for place, signature in enumerate(sorted(set(signatures)))}
    return np.array([rank[signature] for signature in signatures])


def networkx_colours(graph: lg.FactorGraph, rounds: int) -> int:
    """Groups of variables after this many rounds, half of them from factors to variables."""
    bipartite = nx.Graph()
    bipartite.add_nodes_from(range(graph.variable_count), kind="v")
    factors = range(graph.variable_count, graph.variable_count + graph.factor_count)
    for node, table in zip(factors, graph.table_id.tolist(), strict=True):
        bipartite.add_node(node, kind=f"f{table}")
    for node in factors:
        scope = graph.scope_of(node - graph.variable_count)
        bipartite.add_edges_from((node, v, {"place": str(k)}) for k, v in enumerate(scope))
    hashes = nx.weisfeiler_lehman_subgraph_hashes(
        bipartite, node_attr="kind", edge_attr="place", iterations=2 * rounds
    )
    return len({hashes[variable][-1] for variable in range(graph.variable_count)})


def timed(task: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = task()
    return time.perf_counter() - start, result


def peak(graph: lg.FactorGraph) -> float:
    """Bytes an edge at the peak, the graph itself not counted."""
    tracemalloc.start()
    lg.colour_passing(graph)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / graph.edge_count


def epidemic_lines(sizes: list[int]) -> Iterator[str]:
    before: tuple[int, float] | None = None
    for size in sizes:
        graph = epidemic(size)
        runs = [timed(partial(lg.colour_passing, graph)) for _ in range(3)]
        ours, result = min(seconds for seconds, _ in runs), runs[0][1]
        theirs, groups = timed(partial(sorting_twin, graph))
        assert groups == (result.variable_group_count, result.factor_group_count, result.rounds)
        line = f"epidemic {graph.edge_count:>11,} edges {ours:8.3f} s"
        line += f", {peak(graph):5.1f} bytes an edge"
        line += f", sorting twin {theirs:7.2f} s = {theirs / ours:5.1f}×"
        if graph.edge_count < NETWORKX_LIMIT:
            slow, colours = timed(partial(networkx_colours, graph, result.rounds))
            line += f", networkx {slow:6.2f} s = {slow / ours:5.0f}× ({colours} groups)"
        if before is not None:
            edges, seconds = before
            line += f", growth {ours / seconds / (graph.edge_count / edges):.2f}× of linear"
        before = graph.edge_count, ours
        yield line


def other_lines() -> Iterator[str]:
    for name, graph in (
        ("path", path(10_000)),
        ("path", path(100_000)),
        ("hub", hub(1_000_000)),
        ("grid", grid(300, 300)),
        ("grid", grid(600, 600)),
    ):
        seconds, result = timed(partial(lg.colour_passing, graph, engine="auto"))
        line = f"{name:8} {graph.variable_count:>11,} variables {seconds:6.3f} s, {result}"
        if name == "path":
            slow, colours = timed(partial(networkx_colours, graph, 3))
            line += f"; networkx, stopped after 3 rounds: {slow:.2f} s, {colours} groups"
        yield line


def engine_lines() -> Iterator[str]:
    """The same graphs with one engine and the other, if numba is there."""
    if find_spec("numba") is None:
        yield "compiled: numba is not installed"
        return
    for name, graph in (("path", path(100_000)), ("grid", grid(600, 600))):
        engines = "arrays", "compiled", "compiled"  # the first compiled run compiles, or loads
        plain, loading, compiled = (
            timed(partial(lg.colour_passing, graph, engine=engine))[0] for engine in engines
        )
        yield (
            f"engines, {name}: arrays {plain:.3f} s, compiled {compiled:.3f} s ="
            f" {plain / compiled:.1f}×; its first run {loading:.3f} s"
        )


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    for line in chain(epidemic_lines(sizes), other_lines(), engine_lines()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
