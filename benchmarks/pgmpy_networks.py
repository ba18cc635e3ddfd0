"""Ground elimination beside pgmpy's variable elimination on pgmpy's own example networks.

Both answer the same random queries in one process, each query once before its time counts, so
that what either side keeps for later is there. The answers are compared. Needs the extra ``peers``.

    python benchmarks/pgmpy_networks.py [--queries N] [--seconds S] [NETWORK ...]
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import random
import signal
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.resources import files
from statistics import mean
from typing import Any

import numpy as np

import liftgraph as lg

Evidence = dict[str, str]


def networks() -> dict[str, Any]:
    """The networks inside the installed pgmpy, by name, smallest file first."""
    folder = files("pgmpy").joinpath("utils", "example_models")
    found = [path for path in folder.iterdir() if path.name.endswith(".bif.gz")]
    found.sort(key=lambda path: len(path.read_bytes()))
    return {path.name.removesuffix(".bif.gz"): path for path in found}


def read_network(path: Any) -> Any:
    from pgmpy.readwrite import BIFReader

    text = gzip.decompress(path.read_bytes()).decode()
    return BIFReader(string=text).get_model()


def factor_graph(model: Any) -> lg.FactorGraph:
    """The same network here: its decimals exactly, each conditional distribution summing to 1."""
    builder = lg.FactorGraphBuilder()
    for cpd in model.get_cpds():
        builder.add_variable(cpd.variable, [str(s) for s in cpd.state_names[cpd.variable]])
    for cpd in model.get_cpds():
        values = np.array([Fraction(repr(float(v))) for v in cpd.values.ravel()], dtype=object)
        values = values.reshape(cpd.values.shape)
        builder.add_factor(cpd.variables, values / values.sum(axis=0))
    return builder.build()


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


def compare(name: str, model: Any, queries: int, seconds: float) -> None:
    """Print how long both take for the same queries on one network, and how far they differ."""
    generator = random.Random(name)
    graph = factor_graph(model)
    nodes = sorted(model.nodes())
    times: list[tuple[float, float, float]] = []
    notes: set[str] = set()
    for number in range(queries):
        world = sample(model, generator)
        target, *observed = generator.sample(nodes, min(len(nodes), 1 + (number % 2) * 4))
        evidence = {variable: world[variable] for variable in observed}
        result = one_query(model, graph, target, evidence, seconds)
        if isinstance(result, str):
            notes.add(result)
        else:
            times.append(result)
    theirs = 1e3 * mean(their_time for their_time, _, _ in times)
    ours = 1e3 * mean(our_time for _, our_time, _ in times)
    worst = max(difference for _, _, difference in times)
    print(
        f"{name:<12}{graph.variable_count:>6}{theirs:>12.1f}{ours:>12.1f}"
        f"  {theirs / ours:6.1f}×{worst:>11.1e}  {', '.join(sorted(notes))}",
        flush=True,
    )


def one_query(
    model: Any, graph: lg.FactorGraph, target: str, evidence: Evidence, seconds: float
) -> tuple[float, float, float] | str:
    """Seconds of both sides and the difference of their answers, or what went wrong."""
    from pgmpy.inference import VariableElimination

    def ask_pgmpy() -> Any:
        return VariableElimination(model).query([target], evidence, show_progress=False).values

    def ask_liftgraph() -> Any:
        given = {variable: str(state) for variable, state in evidence.items()}
        return lg.query(graph, target, given=given, method="ground").probabilities

    timed(ask_pgmpy, seconds)
    timed(ask_liftgraph, seconds)
    theirs, expected, problem = timed(ask_pgmpy, seconds)
    ours, found, our_problem = timed(ask_liftgraph, seconds)
    if problem or our_problem:
        return f"pgmpy: {problem or 'fine'}, liftgraph: {our_problem or 'fine'}"
    return theirs, ours, float(abs(expected - found).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NETWORK")
    parser.add_argument("--queries", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for one query")
    options = parser.parse_args()
    print("milliseconds a query; with every second query four observed variables")
    print(f"{'network':<12}{'vars':>6}{'pgmpy':>12}{'liftgraph':>12}  faster by  difference")
    for name, path in networks().items():
        if not options.names or name in options.names:
            compare(name, read_network(path), options.queries, options.seconds)


if __name__ == "__main__":
    main()
