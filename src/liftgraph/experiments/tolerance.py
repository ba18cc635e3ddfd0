"""Tolerance ε against noise: what is grouped, how fast answers get, and how far off they are.

Every potential is perturbed by up to 1 %, as if it were estimated from data, so that no two factors
are exchangeable any more. Ground elimination on the perturbed graph gives the right answers; no
error may exceed the bound on log odds that lifting with a tolerance gives.
"""

from __future__ import annotations

from liftgraph.datasets import perturbed
from liftgraph.errors import ComputationError
from liftgraph.experiments.asking import (
    compression,
    graph_size,
    mean_query_seconds,
    worst_log_odds_error,
)
from liftgraph.experiments.instances import FAMILIES, asked_variables, template
from liftgraph.experiments.study import Cell, Row, Settings
from liftgraph.experiments.timing import best_times, lifting

NOISE = "0.01"
ROUNDING = 1e-9  # of log odds, which are differences of logarithms of partition functions
TOLERANCES = ("0", "0.001", "0.002", "0.005", "0.01", "0.015", "0.02", "0.03", "0.05", "0.1")
QUICK_TOLERANCES = ("0", "0.01", "0.05")
SIZE, QUICK_SIZE = 64, 16
CELL = ("family", "d", "tolerance", "seed")
COLUMNS = (
    *CELL,
    *("variables", "factors", "prvs", "parfactors", "offline_seconds"),
    *("query_seconds", "log_odds_error", "log_odds_bound"),
)


def cells(settings: Settings) -> list[Cell]:
    """Families and tolerances."""
    d, tolerances = (QUICK_SIZE, QUICK_TOLERANCES) if settings.quick else (SIZE, TOLERANCES)
    return [
        (family, d, tolerance, seed)
        for seed in settings.seeds
        for family in FAMILIES
        for tolerance in tolerances
    ]


def measure(cell: Cell, settings: Settings) -> list[Row]:
    """The size of the model, times, the worst error of its answers, and the bound on it."""
    family, d, tolerance, seed = cell
    graph = perturbed(template(family, d, seed).ground(), NOISE, seed)
    asked = asked_variables(graph, family, d, seed)
    (offline,), (model,) = best_times([lifting(graph, tolerance=tolerance)], repeats=1)
    error = worst_log_odds_error(model, graph, asked)
    bound = model.log_odds_bound
    if error > bound + ROUNDING:
        raise ComputationError(f"{cell}: log odds are off by {error}, more than the bound {bound}")
    seconds = mean_query_seconds(model, asked, settings.repeats)
    size = {**dict(zip(CELL, cell, strict=True)), **graph_size(graph), **compression(model)}
    times = {"offline_seconds": offline, "query_seconds": seconds}
    return [{**size, **times, "log_odds_error": error, "log_odds_bound": bound}]
