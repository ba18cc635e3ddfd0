"""Lifted queries beside ground elimination, and how they grow.

    python benchmarks/lifted_queries.py

Every query is a first one, on a model with nothing in its cache; making the model is not timed.
Answers are compared before a time counts.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator

import numpy as np
from graphs import smokers as ground_smokers

import liftgraph as lg
from liftgraph.datasets import clique, ds, employee, epid, scaled, smokers, workshops
from liftgraph.experiments.timing import best_times, graph_query, lifted_query

Make = Callable[[int], lg.ParfactorGraph]
FAMILIES: dict[str, tuple[Make, str]] = {
    "epidemic": (epid, "Sick.1"),
    "employee": (employee, "Sal.1"),
    "ds, n = 4": (ds, "R2.1"),
    "ds, n = 6": (lambda d: ds(d, 6), "R2.1"),
}
SIZES = (2, 8, 32, 128, 1024, 10**6)
LARGEST_GROUND = 1024


def lifted_seconds(model: lg.ParfactorGraph, variable: str, repeats: int = 7) -> float:
    return best_times([lifted_query(model, variable)], repeats)[0][0]


def ground_seconds(graph: lg.FactorGraph, variable: str) -> float:
    return best_times([graph_query(graph, variable, "ground")], 3)[0][0]


def family_lines(name: str, make: Make, variable: str) -> Iterator[str]:
    first = 0.0
    for d in SIZES:
        model = make(d)
        lifted = lifted_seconds(model, variable)
        first = first or lifted
        line = f"{name:10} d = {d:>9,}: {1000 * lifted:6.2f} ms, {lifted / first:4.2f}× of d = 2"
        if d <= LARGEST_GROUND:
            graph = model.ground()
            answer = model.query(variable, method="lifted").probabilities
            expected = graph.query(variable, method="ground").probabilities
            assert np.allclose(answer, expected, rtol=1e-9), (answer, expected)
            ground = ground_seconds(graph, variable)
            line += f"; ground elimination {ground / lifted:6.1f}×"
        yield line


def badly_lifted_line() -> str:
    graph = scaled(epid(1024).ground(), 0.15)
    model = lg.lift(graph, algorithm="acp")
    lifted = lifted_seconds(model, "Sick.1", 3)
    ground = ground_seconds(graph, "Sick.1")
    size = f"{len(model.prvs):,} PRVs, {len(model.parfactors):,} parfactors"
    times = f"{lifted:.2f} s; ground {ground / lifted:.1f}×"
    return f"ACP's epidemic, d = 1,024, p = 0.15 ({size}): {times}"


def large_lines() -> Iterator[str]:
    tasks: dict[str, Callable[[], lg.ParfactorGraph | lg.FactorGraph]] = {
        "clique of 2,000, from ground": lambda: clique(2000).ground(),
        "smokers, 1,000 people, from ground": lambda: ground_smokers(1000),
        "clique of 100,000": lambda: clique(100_000),
        "workshops 1,000 × 1,000": lambda: workshops(1000, 1000),
        "smokers, 2,000 people": lambda: smokers(2000),
        "smokers, 1,000,000 people": lambda: smokers(10**6),
    }
    for name, make in tasks.items():
        model = make()
        start = time.perf_counter()
        answer = model.query(0 if isinstance(model, lg.FactorGraph) else _first(model))
        took = time.perf_counter() - start
        assert answer.method == "lifted"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield f"{name:36} {took:6.2f} s, lifting included; peak so far {peak:.2f} GiB"


def _first(model: lg.ParfactorGraph) -> str:
    return model.name((0, (0,) * len(model.prvs[0].logvars)))


def main() -> None:
    for name, (make, variable) in FAMILIES.items():
        for line in family_lines(name, make, variable):
            print(line, flush=True)
    print(badly_lifted_line(), flush=True)
    for line in large_lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
