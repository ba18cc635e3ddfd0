"""Predicting a variable in every row of a table, beside pyAgrum and pgmpy.

Worlds are drawn from a network; half of the values are missing, in a number of patterns, and all
rows are distinct. liftgraph predicts all rows at once. pyAgrum keeps its inference object: for each
row the evidence is set and the posterior read. pgmpy's ``predict_probability`` makes the joint
distribution of everything that is missing, which no machine could hold here; it gets rows in which
only the asked variable is missing, and so does liftgraph for comparison. For the other rows
pgmpy's engine is kept, and asked for the one variable. The peers get some of the rows, of all
patterns alike, and their times are scaled up to all rows. Times are CPU time of the process.
Needs the extra ``peers``, and pandas.

    python benchmarks/predicting.py [--rows N] [--patterns N] [NETWORK]
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas as pd
from pgmpy_networks import networks, read_by_pgmpy, read_by_pyagrum

import liftgraph as lg

_PYAGRUM_ROWS, _PGMPY_ROWS = 1000, 200
_REPEATS = 3
_DRAWN = 6  # worlds for each distinct row


@dataclass(frozen=True)
class Rows:
    """A network as three libraries have it, and rows of its worlds.

    ``complete``: all values but those of the ``asked`` variable; ``frame``: half of them missing.
    """

    graph: lg.FactorGraph
    pgmpy: Any
    pyagrum: Any
    complete: pd.DataFrame
    frame: pd.DataFrame
    asked: str


@dataclass(frozen=True)
class Peer:
    """``seconds``: for all rows, scaled up from ``rows`` of them. ``beside``: those of liftgraph.

    ``difference``: the largest one between a probability of both.
    """

    title: str
    seconds: float
    rows: int
    beside: float
    difference: float

    @property
    def faster(self) -> float:
        """How many times as fast liftgraph is."""
        return self.seconds / self.beside

    def __str__(self) -> str:
        return (
            f"  {self.title:<42}{self.seconds:>9.1f} s  {self.faster:>8,.0f}×"
            f"  scaled up from {self.rows:,} rows, differs by {self.difference:.0e}"
        )


@dataclass(frozen=True)
class Result:
    """``seconds``: of liftgraph, for all rows."""

    rows: int
    patterns: int
    seconds: float
    peers: list[Peer]

    def __str__(self) -> str:
        title = f"{self.rows:,} distinct rows, {self.patterns} patterns of missing values"
        return "\n".join([f"{title}: {self.seconds:.2f} s", *map(str, self.peers)])


def measure(name: str = "alarm", row_count: int = 100_000, pattern_count: int = 50) -> Result:
    """liftgraph and its peers on the same rows."""
    rows = sampled(name, row_count, pattern_count)
    ours, predicted = timed(lambda: rows.graph.predict(rows.frame, rows.asked), _REPEATS)
    complete, certain = timed(lambda: rows.graph.predict(rows.complete, rows.asked), _REPEATS)
    peers = [
        peer(rows, "pyAgrum, a loop", rows.frame, ask_pyagrum, _PYAGRUM_ROWS, ours, predicted),
        peer(rows, "pgmpy, a loop", rows.frame, ask_pgmpy, _PGMPY_ROWS, ours, predicted),
        peer(
            rows,
            "pgmpy's predict_probability, one missing",
            rows.complete,
            predict_by_pgmpy,
            _PGMPY_ROWS,
            complete,
            certain,
        ),
    ]
    return Result(row_count, pattern_count, ours, peers)


def sampled(name: str, row_count: int, pattern_count: int) -> Rows:
    """Distinct rows drawn from a network; each pattern leaves out half of the variables."""
    graph = lg.read_graph(networks()[name])
    model = read_by_pgmpy(networks()[name])
    with tempfile.TemporaryDirectory() as folder:
        by_pyagrum = read_by_pyagrum(graph, Path(folder))
    generator = np.random.default_rng(7)
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    asked = names[generator.integers(len(names))]
    others = [name for name in names if name != asked]
    states = [np.array(graph.states(graph.variable(name)), dtype=object) for name in others]
    worlds = draw_worlds(model, others, states, _DRAWN * row_count, generator)
    missing = np.zeros((pattern_count, len(others)), dtype=bool)
    for pattern in missing:
        pattern[generator.choice(len(others), len(others) // 2, replace=False)] = True
    observed = np.where(missing[np.arange(len(worlds)) % pattern_count], -1, worlds)
    first = np.sort(np.unique(observed, axis=0, return_index=True)[1])[:row_count]
    if len(first) < row_count:
        raise SystemExit(f"only {len(first):,} distinct rows were drawn")
    complete, frame = (_frame(others, states, rows[first]) for rows in (worlds, observed))
    return Rows(graph, model, by_pyagrum, complete, frame, asked)


def draw_worlds(
    model: Any,
    names: list[str],
    states: list[Any],
    count: int,
    generator: np.random.Generator,
) -> Any:
    """Worlds drawn from a network, all at once: the indices of states, (count, names)."""
    drawn: dict[str, Any] = {}
    for name in networkx.topological_sort(model):
        cpd = model.get_cpds(name)
        shares = cpd.values[(slice(None), *[drawn[parent] for parent in cpd.variables[1:]])]
        reached = np.cumsum(shares.reshape(cpd.cardinality[0], -1), axis=0)
        last = cpd.cardinality[0] - 1
        drawn[name] = np.minimum((generator.random(count) > reached).sum(axis=0), last)
    columns = []
    for name, ours in zip(names, states, strict=True):
        place = [list(ours).index(str(state)) for state in model.get_cpds(name).state_names[name]]
        columns.append(np.array(place, dtype=np.int8)[drawn[name]])
    return np.stack(columns, axis=1)


def _frame(names: list[str], states: list[Any], indices: Any) -> pd.DataFrame:
    """A frame of the states with these indices, None for -1."""
    named = [np.array([*column, None], dtype=object) for column in states]
    return pd.DataFrame(
        {n: s[indices[:, place]] for place, (n, s) in enumerate(zip(names, named, strict=True))}
    )


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """The least CPU time of several runs, and the result."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def peer(
    rows: Rows,
    title: str,
    frame: pd.DataFrame,
    ask: Callable[[Rows, pd.DataFrame], Any],
    count: int,
    ours: float,
    predicted: pd.DataFrame,
) -> Peer:
    """What a peer takes for some of the rows, scaled up to all of them."""
    some = frame[:count]  # patterns take turns, so these have all of them
    ask(rows, some[:2])  # what is done once does not count
    seconds, theirs = timed(lambda: ask(rows, some), _REPEATS)
    states = rows.graph.states(rows.graph.variable(rows.asked))
    answers = predicted[[f"P({rows.asked}={state})" for state in states]][: len(some)]
    difference = float(np.abs(answers.to_numpy() - np.array(theirs)).max())
    return Peer(title, seconds * len(frame) / len(some), len(some), ours, difference)


def evidence(row: Any, names: list[str]) -> dict[str, str]:
    return {name: state for name, state in zip(names, row, strict=True) if isinstance(state, str)}


def ask_pyagrum(rows: Rows, frame: pd.DataFrame) -> list[Any]:
    """One inference object, with other evidence for each row."""
    import pyagrum

    inference = pyagrum.LazyPropagation(rows.pyagrum)
    inference.setTargets({rows.asked})
    names = list(frame.columns)
    answers = []
    for row in frame.itertuples(index=False, name=None):
        inference.setEvidence(evidence(row, names))
        answers.append(inference.posterior(rows.asked).toarray())
    return answers


def ask_pgmpy(rows: Rows, frame: pd.DataFrame) -> list[Any]:
    """One engine, a query for each row."""
    from pgmpy.inference import VariableElimination

    engine = VariableElimination(rows.pgmpy)
    names = list(frame.columns)
    return [
        engine.query([rows.asked], evidence(row, names), show_progress=False).values
        for row in frame.itertuples(index=False, name=None)
    ]


def predict_by_pgmpy(rows: Rows, frame: pd.DataFrame) -> Any:
    """What pgmpy offers for tables."""
    states = rows.graph.states(rows.graph.variable(rows.asked))
    predicted = rows.pgmpy.predict_probability(frame)
    return predicted[[f"{rows.asked}_{state}" for state in states]].to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="alarm", metavar="NETWORK")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--patterns", type=int, default=50)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    print(options.name, measure(options.name, options.rows, options.patterns), sep=": ")


if __name__ == "__main__":
    main()
