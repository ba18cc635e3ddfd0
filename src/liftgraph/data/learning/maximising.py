"""Expectation maximisation (Dempster, Laird and Rubin 1977) with exact inference.

Each iteration expects how often every assignment occurred, given what was observed and the present
parameters; and then counts. The log-likelihood never decreases, and neither does, with a prior,
the logarithm of the posterior density. Where it ends depends on the start: it is a local maximum
(or, rarely, a saddle), reached approximately.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from liftgraph.data.learning.em import EM, EMRun
from liftgraph.data.learning.expected_counts import Observed, expected_counts, weighted_log
from liftgraph.inference.ground.reduction import impossible
from liftgraph.semiring.protocol import Floats


@dataclass(frozen=True, eq=False)
class Distributions:
    """Which tables are learnt: distributions over an axis of each parameter's table.

    ``axes``: of each parameter, that of the child; ``added``: its pseudo-counts. ``fixed``: the
    tables of the other parameters, which are known.
    """

    axes: Mapping[int, int]
    added: Mapping[int, Floats]
    fixed: Mapping[int, Floats] = field(default_factory=dict)

    def maximised(self, counts: Mapping[int, Floats]) -> dict[int, Floats]:
        """The most probable tables given counts: uniform where nothing was counted."""
        learnt = {
            parameter: normalised(counts[parameter] + added, self.axes[parameter])
            for parameter, added in self.added.items()
        }
        return {**learnt, **self.fixed}

    def log_prior(self, tables: Mapping[int, Floats]) -> float:
        """The logarithm of the prior's density, up to a constant."""
        return sum([weighted_log(added, tables[p]) for p, added in self.added.items()])


def normalised(table: Floats, axis: int) -> Floats:
    """A table divided by its sums over an axis; uniform where these are zero."""
    sums = table.sum(axis=axis, keepdims=True)
    rows = np.where(sums > 0, table, 1.0)
    return np.asarray(rows / rows.sum(axis=axis, keepdims=True))


def best_run(
    data: Observed, learnt: Distributions, settings: EM
) -> tuple[dict[int, Floats], dict[int, Floats], list[EMRun]]:
    """The tables of the best run, the counts that they expect, and all runs."""
    best: tuple[dict[int, Floats], dict[int, Floats]] | None = None
    runs: list[EMRun] = []
    for restart in range(settings.restarts + 1):
        tables, counts, run = _run(data, learnt, _start(data, learnt, settings, restart), settings)
        if best is None or run.objectives[-1] > max([old.objectives[-1] for old in runs]):
            best = tables, counts
        runs.append(run)
    assert best is not None
    return (*best, runs)


def _start(data: Observed, learnt: Distributions, settings: EM, restart: int) -> dict[int, Floats]:
    """Positive tables: random ones; in the first run, near what the complete rows say."""
    random = np.random.default_rng([settings.seed, restart])
    gaps = data.with_gaps
    start: dict[int, Floats] = {}
    for parameter, added in learnt.added.items():
        counted = np.asarray(data.settled[parameter], dtype=np.float64) + added
        chance = random.exponential(size=counted.shape) + np.finfo(float).tiny
        if parameter not in gaps:
            start[parameter] = counted
        else:
            start[parameter] = chance if restart else counted + chance
    tables = {p: normalised(table, learnt.axes[p]) for p, table in start.items()}
    return {**tables, **learnt.fixed}


def _run(
    data: Observed, learnt: Distributions, tables: dict[int, Floats], settings: EM
) -> tuple[dict[int, Floats], dict[int, Floats], EMRun]:
    log_likelihoods: list[float] = []
    objectives: list[float] = []
    converged = False
    while True:
        counts, log_likelihood = expected_counts(data, tables)
        if log_likelihood == -math.inf:  # what is learnt starts positive: known tables forbid it
            raise impossible()
        log_likelihoods.append(log_likelihood)
        objectives.append(log_likelihood + learnt.log_prior(tables))
        gain = objectives[-1] - objectives[-2] if len(objectives) > 1 else math.inf
        converged = not data.plans or gain <= settings.tolerance
        if converged or len(objectives) > settings.iterations:
            run = EMRun(tuple(log_likelihoods), tuple(objectives), converged)
            return tables, counts, run
        tables = learnt.maximised(counts)
