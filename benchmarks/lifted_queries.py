"""Lifted queries beside ground elimination, pgmpy and pyAgrum, and how they grow.

    python benchmarks/lifted_queries.py [--peers D]

Every query is a first one: nothing that an earlier one might have kept is there (the models are
made anew, outside of the time). Answers are compared before a time counts. Up to D individuals
(default 8; 0 for none) pgmpy and pyAgrum answer too, which needs the extra ``peers``.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from graphs import smokers as ground_smokers
from parametric import clique, ds, employee, epidemic, fresh, smokers, workshops

import liftgraph as lg

Make = Callable[[int], lg.ParfactorGraph]
FAMILIES: dict[str, tuple[Make, str]] = {
    "epidemic": (epidemic, "Sick.1"),
    "employee": (employee, "Sal.1"),
    "ds, n = 4": (ds, "R2.1"),
    "ds, n = 6": (lambda d: ds(d, 6), "R2.1"),
}
SIZES = (2, 8, 32, 128, 1024, 10**6)
LARGEST_GROUND = 1024


def seconds(task: Callable[[], object], rounds: int = 7) -> float:
    """The shortest time of a task."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - start)
    return best


def lifted_seconds(model: lg.ParfactorGraph, variable: str, rounds: int = 7) -> float:
    models = iter([fresh(model) for _ in range(rounds)])
    return seconds(lambda: lg.query(next(models), variable, method="lifted"), rounds)


def pgmpy_probabilities(graph: lg.FactorGraph, variable: str) -> Callable[[], object]:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteMarkovNetwork

    network = DiscreteMarkovNetwork()
    network.add_nodes_from([graph.name(v) for v in range(graph.variable_count)])
    for number in range(graph.factor_count):
        scope, table = graph.factor(number)
        names = [graph.name(v) for v in scope]
        network.add_edges_from([(a, b) for a in names for b in names if a < b])
        sizes = [len(graph.states(v)) for v in scope]
        network.add_factors(DiscreteFactor(names, sizes, table.integers.ravel().astype(float)))
    engine = VariableElimination(network)

    def answer() -> object:
        found = engine.query([variable], show_progress=False)
        return found.normalize(inplace=False).values

    return answer


def pyagrum_probabilities(graph: lg.FactorGraph, variable: str) -> Callable[[], object]:
    import pyagrum

    network = pyagrum.MarkovRandomField()
    for v in range(graph.variable_count):
        network.add(pyagrum.LabelizedVariable(graph.name(v), "", len(graph.states(v))))
    for number in range(graph.factor_count):
        scope, table = graph.factor(number)
        factor = network.addFactor([graph.name(v) for v in scope])
        for place in np.ndindex(table.integers.shape):
            states = {graph.name(v): int(s) for v, s in zip(scope, place, strict=True)}
            factor[states] = float(table.integers[place])

    def answer() -> object:
        inference = pyagrum.ShaferShenoyMRFInference(network)
        inference.addTarget(variable)
        inference.makeInference()
        return inference.posterior(variable).tolist()

    return answer


def peer_ratios(graph: lg.FactorGraph, variable: str, own: float) -> Iterator[str]:
    expected = lg.query(graph, variable, method="ground").probabilities
    peers = {"pgmpy": pgmpy_probabilities, "pyAgrum": pyagrum_probabilities}
    for name, prepare in peers.items():
        task = prepare(graph, variable)
        agrees = np.allclose(np.array(task()), expected, rtol=1e-6)
        ratio = seconds(task, 3) / own
        yield f"{name} {ratio:,.1f}×" if agrees else f"{name} is wrong: {task()}"


def family_lines(name: str, make: Make, variable: str, peers: int) -> Iterator[str]:
    first = 0.0
    for d in SIZES:
        model = make(d)
        own = lifted_seconds(model, variable)
        first = first or own
        line = f"{name:10} d = {d:>9,}: {1000 * own:6.2f} ms, {own / first:4.2f}× of d = 2"
        if d <= LARGEST_GROUND:
            graph = model.ground()
            answer = lg.query(model, variable, method="lifted").probabilities
            other = lg.query(graph, variable, method="ground").probabilities
            assert np.allclose(answer, other, rtol=1e-9), (answer, other)
            ground = seconds(partial(lg.query, graph, variable, method="ground"), 3)
            line += f"; ground elimination {ground / own:6.1f}×"
            if d <= peers:
                line += "; " + ", ".join(peer_ratios(graph, variable, own))
        yield line


def scaled_epidemic(d: int, p: float) -> lg.FactorGraph:
    """The epidemic with each factor scaled, with probability p, by 2 to 10."""
    random = np.random.default_rng(d)
    graph = epidemic(d).ground()
    builder = lg.FactorGraphBuilder()
    builder.add_variables([graph.name(v) for v in range(graph.variable_count)])
    for number in range(graph.factor_count):
        scope, table = graph.factor(number)
        scale = int(random.integers(2, 11)) if random.random() < p else 1
        builder.add_factor([graph.name(v) for v in scope], table.integers * scale)
    return builder.build()


def badly_lifted_line() -> str:
    graph = scaled_epidemic(1024, 0.15)
    model = lg.lift(graph, algorithm="acp")
    own = lifted_seconds(model, "Sick.1", 3)
    ground = seconds(lambda: lg.query(graph, "Sick.1", method="ground"), 3)
    size = f"{len(model.prvs):,} PRVs, {len(model.parfactors):,} parfactors"
    return f"ACP's epidemic, d = 1,024, p = 0.15 ({size}): {own:.2f} s; ground {ground / own:.1f}×"


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=int, default=8, metavar="D")
    peers = parser.parse_args().peers
    for name, (make, variable) in FAMILIES.items():
        for line in family_lines(name, make, variable, peers):
            print(line, flush=True)
    print(badly_lifted_line(), flush=True)
    for line in large_lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
