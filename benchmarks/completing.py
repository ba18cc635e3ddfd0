"""Learning a network from rows with gaps, beside pyAgrum's EM; and with a latent variable, beside
pgmpy's.

Worlds are drawn from a network, and values go missing at random. Both sides start from parameters
of their own and run until an iteration gains next to nothing, but at most a given number of
iterations; what is compared is the time of one iteration and the log-likelihood in the end,
computed by liftgraph for both. pgmpy's EM knows latent variables only, so it gets complete rows
that lack one variable everywhere. Times are CPU time of the process.
Needs the extra ``peers``, and pandas.

    python benchmarks/completing.py [--rows N] [--missing SHARE] [NETWORK ...]
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyagrum
from pgmpy_networks import networks, read_by_pgmpy

import liftgraph as lg

_ITERATIONS = 200  # at most, of both sides


def drawn(network: Any, rows: int, missing: float) -> pd.DataFrame:
    """Worlds of a network with some values missing."""
    frame = network.simulate(rows, seed=1, show_progress=False).astype(str).astype(object)
    gaps = np.random.default_rng(2).random(frame.shape) < missing
    return frame.mask(gaps, None)


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a function returns, and the seconds of the processor it takes."""
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


def by_pyagrum(network: lg.FactorGraph, frame: pd.DataFrame) -> tuple[lg.FactorGraph, int, float]:
    """The network that pyAgrum's EM learns, its iterations, and its time."""
    template = lg.to_pyagrum(network)
    learner = pyagrum.BNLearner(frame.fillna("?"), template, ["?"])
    learner.useEMWithDiffCriterion(1e-4)
    learner.EMsetMaxIter(_ITERATIONS)
    learner.useSmoothingPrior(1e-9)
    learnt, seconds = timed(lambda: learner.learnParameters(template.dag()))
    return lg.from_pyagrum(learnt), learner.EMnbrIterations(), seconds


def compare(name: str, row_count: int, missing: float) -> None:
    """Print one line about a network."""
    pgmpy = read_by_pgmpy(networks()[name])
    graph = lg.from_pgmpy(pgmpy)
    frame = drawn(pgmpy, row_count, missing)
    settings = lg.EM(iterations=_ITERATIONS)
    ours, seconds = timed(lambda: lg.learn_bayesian_network(graph, frame, missing=settings))
    run = ours.best_run
    assert run is not None
    theirs, iterations, their_seconds = by_pyagrum(graph, frame)
    print(
        f"{name}: {graph.variable_count} variables, {row_count:,} rows,"
        f" {len(frame.drop_duplicates()):,} distinct, {missing:.0%} missing\n"
        f"  liftgraph {seconds:8.2f} s {run.iterations:3} iterations,"
        f" log-likelihood {ours.log_likelihood(frame):.3f}\n"
        f"  pyAgrum   {their_seconds:8.2f} s {iterations:3} iterations,"
        f" log-likelihood {theirs.log_likelihood(frame):.3f}"
    )


def compare_latent(name: str, latent: str, row_count: int) -> None:
    """Print one line about a network with one variable that is never observed."""
    from pgmpy.estimators import ExpectationMaximization
    from pgmpy.models import DiscreteBayesianNetwork

    pgmpy = read_by_pgmpy(networks()[name])
    graph = lg.from_pgmpy(pgmpy)
    frame = drawn(pgmpy, row_count, 0.0).drop(columns=[latent])
    settings = lg.EM(iterations=_ITERATIONS)
    ours, seconds = timed(lambda: lg.learn_bayesian_network(graph, frame, missing=settings))
    run = ours.best_run
    assert run is not None
    hidden = DiscreteBayesianNetwork(pgmpy.edges(), latents={latent})
    estimator = ExpectationMaximization(hidden, frame)
    size = {latent: len(graph.states(latent))}
    kept = {v: [*graph.states(v)] for v in frame.columns}

    def estimated() -> Any:
        return estimator.get_parameters(
            latent_card=size, max_iter=_ITERATIONS, atol=1e-9, n_jobs=1, seed=1, show_progress=False
        )

    tables, their_seconds = timed(estimated)
    for table in tables:
        kept.setdefault(table.variable, table.state_names[table.variable])
    hidden.add_cpds(*tables)
    theirs = lg.from_pgmpy(hidden)
    print(
        f"{name} without {latent}: {graph.variable_count} variables, {row_count:,} rows,"
        f" {len(frame.drop_duplicates()):,} distinct\n"
        f"  liftgraph {seconds:8.2f} s {run.iterations:3} iterations,"
        f" log-likelihood {ours.log_likelihood(frame):.3f}\n"
        f"  pgmpy     {their_seconds:8.2f} s at most {_ITERATIONS} iterations,"
        f" log-likelihood {theirs.log_likelihood(frame):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("networks", nargs="*", default=["asia", "sachs", "alarm"])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--missing", type=float, default=0.1)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    for name in options.networks:
        compare(name, options.rows, options.missing)
    compare_latent("asia", "either", options.rows)


if __name__ == "__main__":
    main()
