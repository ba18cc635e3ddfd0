"""The paper's evaluation: lifted variable elimination on the output of ACP and of α-ACP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from liftgraph.experiments.asking import asked_rows, by_ground_elimination, compression, graph_size
from liftgraph.experiments.instances import FAMILIES, asked_variables, instance
from liftgraph.experiments.published import SHARES, SIZES
from liftgraph.experiments.study import Cell, Row, Settings
from liftgraph.experiments.timing import best_times, lifting
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import Algorithm

ALGORITHMS: tuple[Algorithm, ...] = ("acp", "alpha-acp")
QUICK_SIZES = (2, 8, 32, 128)
QUICK_SHARES = (0.05, 0.15)
CELL = ("family", "d", "p", "seed")
COLUMNS = (
    *CELL,
    *("variables", "factors", "algorithm", "prvs", "parfactors", "offline_seconds"),
    *("query", "query_seconds", "probability", "difference"),
)


def cells(settings: Settings, families: Iterable[str] = tuple(FAMILIES)) -> list[Cell]:
    """Every graph: by size, share of scaled factors, seed and family."""
    sizes, shares = (QUICK_SIZES, QUICK_SHARES) if settings.quick else (SIZES, SHARES)
    return [
        (family, d, p, seed)
        for d in sizes
        for p in shares
        for seed in settings.seeds
        for family in families
    ]


def measure(cell: Cell, settings: Settings) -> list[Row]:
    """The times of one graph of the paper's families."""
    family, d, p, seed = cell
    graph = instance(family, d, p, seed, settings)
    return measure_graph(cell, graph, asked_variables(graph, family, d, seed), settings)


def measure_graph(
    cell: Cell, graph: FactorGraph, asked: Mapping[str, int], settings: Settings
) -> list[Row]:
    """The times of one graph, a row per algorithm and query; each row repeats the offline time.

    Both algorithms get the same graph, both models the same queries. Ground elimination on the
    graph itself checks the answers.
    """
    family, d, p, seed = cell
    tasks = [lifting(graph, algorithm) for algorithm in ALGORITHMS]
    offline, models = best_times(tasks, settings.repeats)
    lifted = {
        str(algorithm): {**compression(model), "offline_seconds": seconds}
        for algorithm, seconds, model in zip(ALGORITHMS, offline, models, strict=True)
    }
    expected = by_ground_elimination(graph, asked)
    what = f"{family}, d = {d}, p = {p}, seed {seed}"
    by_name = dict(zip(lifted, models, strict=True))
    rows = asked_rows(what, by_name, asked, expected, settings.repeats)
    size = {**dict(zip(CELL, cell, strict=True)), **graph_size(graph)}
    return [{**size, **row, **lifted[row["algorithm"]]} for row in rows]
