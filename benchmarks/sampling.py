"""Samples beside those of pgmpy and pyAgrum, and of few people beside those of many.

All draw 10,000 samples of the same networks in one process, without evidence and given a leaf in
its rarer state. There, pgmpy rejects samples or weighs them, and pyAgrum rejects them; ours are
exact and not weighted. Then a thousand samples of more and more people, whose histograms are drawn.
Needs the extra ``peers``.

    python benchmarks/sampling.py [--samples N] [NETWORK ...]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pgmpy_networks import networks, read_by_pgmpy, read_by_pyagrum

import liftgraph as lg
from liftgraph.datasets import epid, smokers


def seconds(draw: Callable[[], Any]) -> float:
    """How long drawing takes, once everything that is kept is there."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        draw()
        start = time.perf_counter()
        draw()
    return time.perf_counter() - start


def rare_leaf(graph: lg.FactorGraph) -> dict[str, str]:
    """The rarest possible state of a variable without children, as evidence."""
    marginals = graph.marginals()
    leaves = [name for name in graph.variables if not graph.children(name)]
    shares = [
        (share, name, state)
        for name in leaves
        for state, share in zip(graph.states(name), marginals[name].probabilities, strict=True)
        if share > 0
    ]
    _, name, state = min(shares)
    return {name: state}


def network_row(name: str, path: Path, count: int, folder: Path) -> str:
    """How long each library takes for a network."""
    import pyagrum
    from pgmpy.factors.discrete import State
    from pgmpy.sampling import BayesianModelSampling

    graph = lg.read_graph(path)
    theirs = BayesianModelSampling(read_by_pgmpy(path))
    network = read_by_pyagrum(graph, folder)  # the generator does not keep it alive
    generator = pyagrum.BNDatabaseGenerator(network)
    given = rare_leaf(graph)
    ((variable, state),) = given.items()
    probability = graph.probability(given)
    evidence = [State(variable, state)]
    times = [
        seconds(lambda: graph.sample(count, seed=1)),
        seconds(lambda: theirs.forward_sample(size=count, seed=1, show_progress=False)),
        seconds(lambda: generator.drawSamples(count)),
        seconds(lambda: graph.sample(count, seed=1, given=given)),
        seconds(
            lambda: theirs.likelihood_weighted_sample(
                evidence=evidence, size=count, seed=1, show_progress=False
            )
        ),
    ]
    shown = "".join(f"{1000 * duration:10.1f}" for duration in times)
    return f"{name:<12}{graph.variable_count:>6}{shown}   {variable}={state}, P = {probability:.2g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=["asia", "alarm", "hailfinder"])
    parser.add_argument("--samples", type=int, default=10_000)
    options = parser.parse_args()
    found = networks()
    print(f"ms for {options.samples:,} samples")
    print(f"{'network':<12}{'vars':>6}{'liftgraph':>10}{'pgmpy':>10}{'pyagrum':>10}", end="")
    print(f"{'given':>10}{'weighted':>10}   (liftgraph, and pgmpy's likelihood weighting)")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.networks:
            print(network_row(name, found[name], options.samples, Path(folder)), flush=True)
    print("\nms for histograms in 1,000 samples")
    for people in (10, 100, 1000, 10_000, 100_000, 1_000_000):
        times = [
            seconds(partial(family(people).sample, 1000, seed=1)) for family in (epid, smokers)
        ]
        print(
            f"{people:>10,}  epid {1000 * times[0]:8.1f}  smokers {1000 * times[1]:8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
