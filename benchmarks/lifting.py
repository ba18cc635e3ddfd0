"""Lifting, verification included, beside colour passing alone: how both grow, and peak memory.

python benchmarks/lifting.py [LARGEST]     (edges of the largest graphs; default: 3000000)
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

from graphs import epidemic, hub, random_regular, ring, schools, smokers

import liftgraph as lg
from liftgraph.datasets import grid
from liftgraph.experiments.timing import best_times

LARGEST = 3_000_000
Make = Callable[[int], lg.FactorGraph]

# Graphs by about the number of their edges. The epidemic of 33,000 edges is the one with 1,024
# persons and 12,289 variables; smokers of 3 million edges are 1,000 people.
FAMILIES: dict[str, tuple[Make, tuple[int, ...]]] = {
    "epidemic": (epidemic, (33_000, 100_000, 300_000, 1_000_000, 3_000_000)),
    "smokers": (
        lambda edges: smokers(round((edges / 3) ** 0.5)),
        (30_000, 300_000, 3_000_000),
    ),
    "smokers, symmetric": (
        lambda edges: smokers(round((edges / 3) ** 0.5), symmetric=True),
        (30_000, 300_000, 3_000_000),
    ),
    "schools": (lambda edges: schools(edges // 800, 40, 10), (80_000, 800_000, 3_000_000)),
    "hub": (lambda edges: hub(edges // 2), (100_000, 1_000_000)),
    "ring": (lambda edges: ring(edges // 2), (2_000, 20_000)),
    "grid": (lambda edges: grid(*[round((edges / 4) ** 0.5)] * 2), (4_000, 16_000, 40_000)),
    "random": (lambda edges: random_regular(edges // 3), (30_000, 100_000)),
}


def peak(graph: lg.FactorGraph) -> float:
    """Bytes an edge at the peak of lifting, the graph itself not counted."""
    tracemalloc.start()
    lg.lift(graph)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / graph.edge_count


def lines(name: str, make: Make, sizes: list[int]) -> Iterator[str]:
    before: tuple[int, float] | None = None
    for size in sizes:
        graph = make(size)
        model = lg.lift(graph)
        tasks = partial(lg.colour_passing, graph), partial(lg.lift, graph)
        (colouring, lifting), _ = best_times(tasks, 3)
        line = f"{name:18} {graph.variable_count:>9,} variables {graph.edge_count:>9,} edges"
        line += f" {lifting:7.3f} s = {lifting / colouring:5.1f}× colour passing"
        line += f", {peak(graph):5.1f} bytes an edge"
        if before is not None:
            edges, seconds = before
            line += f", growth {lifting / seconds / (graph.edge_count / edges):4.2f}× of linear"
        before = graph.edge_count, lifting
        yield f"{line}; {len(model.prvs):,} PRVs, {len(model.parfactors):,} parfactors"


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST
    for name, (make, sizes) in FAMILIES.items():
        for line in lines(name, make, [size for size in sizes if size <= largest]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
