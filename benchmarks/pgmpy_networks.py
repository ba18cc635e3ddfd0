"""Ground elimination beside pgmpy's variable elimination on pgmpy's own example networks.

Both answer the same random queries in one process. Each query is asked once before its time
counts, so that what either library keeps for later is there. The answers are compared, also with
those of pyAgrum's lazy propagation. Needs the extra ``peers``.

    python benchmarks/pgmpy_networks.py [--queries N] [--seconds S] [NETWORK ...]
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import liftgraph as lg

Evidence = dict[str, str]


def networks() -> dict[str, Path]:
    """The networks inside the installed pgmpy, by name, smallest file first."""
    package = find_spec("pgmpy")
    if package is None or package.origin is None:
        raise SystemExit("needs pgmpy: pip install '.[peers]'")
    paths = [*Path(package.origin).parent.glob("utils/example_models/*.bif.gz")]
    paths.sort(key=lambda path: path.stat().st_size)
    return {path.name.removesuffix(".bif.gz"): path for path in paths}


def read_by_pgmpy(path: Path) -> Any:
    """The network as pgmpy reads it, with rows normalised that do not sum to one."""
    from pgmpy.readwrite import BIFReader

    model = BIFReader(string=gzip.decompress(path.read_bytes()).decode()).get_model()
    for distribution in model.get_cpds():
        distribution.normalize()
    return model


def read_by_pyagrum(graph: lg.FactorGraph, folder: Path) -> Any:
    """The network as pyAgrum reads it from XMLBIF: its BIF reader has single precision only."""
    import pyagrum

    lg.write(graph, folder / "model.xml")
    (folder / "model.xml").rename(folder / "model.bifxml")
    return pyagrum.loadBN(str(folder / "model.bifxml"))


def sample(model: Any, generator: random.Random) -> Evidence:
    """One world drawn from the network."""
    import networkx

    world: Evidence = {}
    for name in networkx.topological_sort(model):
        cpd = model.get_cpds(name)
        place = tuple(
            [slice(None)] + [cpd.state_names[p].index(world[p]) for p in cpd.variables[1:]]
        )
        world[name] = generator.choices(cpd.state_names[name], list(cpd.values[place]))[0]
    return world


class TooLongError(Exception):
    pass


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def timed(ask: Callable[[], np.ndarray[Any, Any]], seconds: float) -> tuple[float, Any, str]:
    start = time.perf_counter()
    try:
        with within(seconds):
            answer: Any = ask()
            problem = ""
    except TooLongError:
        answer, problem = None, f">{seconds:.0f} s"
    except (MemoryError, ValueError, lg.LiftgraphError) as error:
        answer, problem = None, type(error).__name__
    return time.perf_counter() - start, answer, problem


@dataclass(frozen=True)
class Network:
    """A network as three libraries have it."""

    graph: lg.FactorGraph
    pgmpy: Any
    pyagrum: Any


@dataclass(frozen=True)
class Result:
    """Seconds of a query in liftgraph and in pgmpy, and by how much pgmpy and pyAgrum differ."""

    ours: float
    theirs: float
    pgmpy: float
    pyagrum: float


def compare(name: str, path: Path, queries: int, seconds: float) -> None:
    """Print how long reading and queries on one network take, and how far answers differ."""
    start = time.perf_counter()
    graph = lg.read_graph(path)
    reading = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        network = Network(graph, read_by_pgmpy(path), read_by_pyagrum(graph, Path(folder)))
    generator = random.Random(name)
    nodes = sorted(network.pgmpy.nodes())
    results: list[Result] = []
    notes: set[str] = set()
    for query_index in range(queries):
        world = sample(network.pgmpy, generator)
        target, *observed = generator.sample(nodes, min(len(nodes), 1 + (query_index % 2) * 4))
        evidence = {variable: world[variable] for variable in observed}
        result = one_query(network, target, evidence, seconds)
        if isinstance(result, str):
            notes.add(result)
        else:
            results.append(result)
    print(f"{name:<12}{graph.variable_count:>6}{reading:>8.2f}", end="")
    if results:
        theirs = 1e3 * mean(result.theirs for result in results)
        ours = 1e3 * mean(result.ours for result in results)
        print(f"{theirs:>12.1f}{ours:>12.1f}{theirs / ours:9.1f}×", end="")
        print(f"{max(r.pgmpy for r in results):>10.1e}", end="")
        print(f"{max(r.pyagrum for r in results):>10.1e}", end="")
    print("  " + ", ".join(sorted(notes)), flush=True)


def one_query(network: Network, target: str, evidence: Evidence, seconds: float) -> Result | str:
    """Times and differences of a query, or what went wrong."""
    import pyagrum
    from pgmpy.inference import VariableElimination

    def ask_pgmpy() -> Any:
        engine = VariableElimination(network.pgmpy)
        return engine.query([target], evidence, show_progress=False).values

    def ask_liftgraph() -> Any:
        observed = {variable: str(state) for variable, state in evidence.items()}
        return network.graph.query(target, given=observed, method="ground").probabilities

    def ask_pyagrum() -> Any:
        inference = pyagrum.LazyPropagation(network.pyagrum)
        inference.setEvidence(evidence)
        inference.setTargets({target})
        inference.makeInference()
        return inference.posterior(target).toarray()

    timed(ask_pgmpy, seconds)
    timed(ask_liftgraph, seconds)
    theirs, expected, problem = timed(ask_pgmpy, seconds)
    ours, answer, our_problem = timed(ask_liftgraph, seconds)
    if problem or our_problem:
        return f"pgmpy: {problem or 'fine'}, liftgraph: {our_problem or 'fine'}"
    lazily = ask_pyagrum()
    return Result(ours, theirs, abs(expected - answer).max(), abs(lazily - answer).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NETWORK")
    parser.add_argument("--queries", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for one query")
    options = parser.parse_args()
    print("milliseconds a query; with every second query four observed variables")
    print(f"{'':<50}{'difference from':>30}")
    print(f"{'network':<12}{'vars':>6}{'read s':>8}{'pgmpy':>12}{'liftgraph':>12}", end="")
    print(f"{'faster':>10}{'pgmpy':>10}{'pyAgrum':>10}")
    for name, path in networks().items():
        if not options.names or name in options.names:
            compare(name, path, options.queries, options.seconds)


if __name__ == "__main__":
    main()
