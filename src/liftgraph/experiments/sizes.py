"""Beyond the paper's sizes: how far lifting and lifted queries go.

Models as written (``written``) need no lifting and have up to 2³⁰ individuals; models that are
lifted from a factor graph are as large as the graph. Formulas check every answer.
"""

from __future__ import annotations

from math import inf
from typing import Literal

from liftgraph.datasets import scaled
from liftgraph.experiments.asking import asked_rows, compression, graph_size
from liftgraph.experiments.closed_forms import by_formula
from liftgraph.experiments.instances import FAMILIES, queries, smallest_first, template
from liftgraph.experiments.study import Cell, Row, Settings
from liftgraph.experiments.timing import best_times, lifting
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colouring import Algorithm

SHARE = 0.1  # of scaled factors
SIZES = {
    "acp": [2**power for power in (10, 11, 12, 13, 14)],
    "alpha-acp": [2**power for power in (10, 11, 12, 13, 14, 15, 16)],
    "written": [2**power for power in (10, 12, 14, 16, 18, 20, 25, 30)],
}
QUICK_SIZE = 2**11
CELL = ("family", "d", "algorithm")
COLUMNS = (
    *CELL,
    *("variables", "factors", "prvs", "parfactors", "offline_seconds"),
    *("query", "query_seconds", "probability", "difference"),
)


def cells(settings: Settings) -> list[Cell]:
    """Families, sizes and where the lifted model comes from."""
    return smallest_first(FAMILIES, SIZES, QUICK_SIZE if settings.quick else inf)


def measure(cell: Cell, settings: Settings) -> list[Row]:
    """Offline and query times of one model; a model as written has no offline time."""
    family, d, algorithm = cell
    written = template(family, d, settings.seed)
    seconds, model = _lifted(written, algorithm, settings.seed)
    names = queries(family, d, settings.seed)
    expected = {prv: by_formula(family, written, prv) for prv in names}
    asked = {prv: _variable(model, written, name) for prv, name in names.items()}
    what = f"{family}, d = {d}, seed {settings.seed}"
    rows = asked_rows(what, {algorithm: model}, asked, expected, settings.repeats)
    size = {"family": family, "d": d, **graph_size(model), **compression(model)}
    return [{**size, "offline_seconds": seconds, **row} for row in rows]


def _lifted(
    written: ParfactorGraph, algorithm: Algorithm | Literal["written"], seed: int
) -> tuple[float | None, ParfactorGraph]:
    """The model an algorithm makes of the scaled graph, and how long that took, once."""
    if algorithm == "written":
        return None, written
    graph = scaled(written.ground(), SHARE, seed)
    (seconds,), (model,) = best_times([lifting(graph, algorithm)], repeats=1)
    return seconds, model


def _variable(model: ParfactorGraph, written: ParfactorGraph, name: str) -> str | int:
    """A variable by its index in the graph: no look-up of a name is part of a query's time."""
    return name if model is written else written.ground().variable(name)
