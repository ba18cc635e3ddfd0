"""Elimination orders beside cotengra's contraction trees: what they cost and how long they take.

    python benchmarks/orders.py MODEL.uai ...

Needs the extra ``peers``. A file beside the model with the further suffix .evid is its evidence.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cotengra

import liftgraph as lg
from liftgraph.inference.ground.plan import pattern_of
from liftgraph.inference.tensor.contraction_tree import contraction_tree
from liftgraph.io import uai
from liftgraph.model.memory_limit import Planning
from liftgraph.model.query import Query


def report(path: Path) -> None:
    graph = lg.read_graph(path)
    evidence = path.with_name(path.name.removesuffix(".gz") + ".evid")
    if evidence.exists():
        graph = uai.read_evidence(graph, evidence)
    reduction = pattern_of(graph, Query("partition"), (), Planning(2**62)).reduction
    start = time.perf_counter()
    plan = contraction_tree(reduction.scopes, reduction.sizes)
    ours = time.perf_counter() - start
    inputs = [tuple(map(str, scope)) for scope in reduction.scopes]
    sizes = {str(variable): size for variable, size in enumerate(reduction.sizes)}
    start = time.perf_counter()
    optimiser = cotengra.RandomGreedyOptimizer(max_repeats=32, seed=0)
    tree = optimiser.search(inputs, (), sizes)
    theirs = time.perf_counter() - start
    print(
        f"{path.name.split('.')[0]:<18}{plan.operations:>12.3g}{plan.largest:>12.3g}"
        f"{1e3 * ours:>9.0f} ms{tree.total_flops():>14.3g}{tree.max_size():>12.3g}"
        f"{1e3 * theirs:>9.0f} ms",
        flush=True,
    )


def main() -> None:
    print(f"{'':<18}{'liftgraph':>24}{'':>12}{'cotengra, 32 random greedy trees':>36}")
    print(
        f"{'model':<18}{'entries':>12}{'largest':>12}{'time':>12}{'products':>14}{'largest':>12}{'time':>12}"
    )
    for file in sys.argv[1:]:
        report(Path(file))


if __name__ == "__main__":
    main()
