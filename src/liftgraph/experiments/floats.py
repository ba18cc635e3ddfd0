"""What it costs to compare tables in floats: groups that are missed, and groups that are wrong.

Potentials are scaled by integers, or by tenths or sevenths, most of which are not floats: then all
factors remain exchangeable. Or potentials are perturbed by up to a millionth: then no factors are.
Tables are grouped by each comparison in floats and, exactly, by α-ACP.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from liftgraph.datasets import perturbed, scaled
from liftgraph.experiments.asking import (
    compression,
    graph_size,
    mean_query_seconds,
    worst_log_odds_error,
)
from liftgraph.experiments.float_comparisons import COMPARISONS, representatives
from liftgraph.experiments.instances import FAMILIES, asked_variables, template
from liftgraph.experiments.study import Cell, Row, Settings
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.lifting.lift import lift

EXACT = "exact (α-ACP)"
DATA: dict[str, Callable[[FactorGraph, int], FactorGraph]] = {
    "scaled by integers": lambda graph, seed: scaled(graph, 0.5, seed),
    "scaled by tenths": lambda graph, seed: scaled(graph, 0.5, seed, unit="1/10"),
    "scaled by sevenths": lambda graph, seed: scaled(graph, 0.5, seed, unit="1/7"),
    "perturbed by 1e-6": lambda graph, seed: perturbed(graph, "1e-6", seed),
}
SIZE, QUICK_SIZE = 256, 16
CELL = ("family", "d", "data", "comparison")
COLUMNS = (
    *CELL,
    *("variables", "factors", "prvs", "parfactors", "query_seconds", "log_odds_error"),
)


def cells(settings: Settings) -> list[Cell]:
    """Families, kinds of data and comparisons."""
    d = QUICK_SIZE if settings.quick else SIZE
    comparisons = (EXACT, *COMPARISONS)
    return [(family, d, data, c) for data in DATA for family in FAMILIES for c in comparisons]


def measure(cell: Cell, settings: Settings) -> list[Row]:
    """The size of the model, the mean time of its queries, and the worst of its answers.

    Wrong answers are the subject of this study: they are measured, not refused.
    """
    family, d, data, comparison = cell
    graph = DATA[data](template(family, d, settings.seed).ground(), settings.seed)
    asked = asked_variables(graph, family, d, settings.seed)
    model = _grouped(graph, comparison)
    measured = {
        "log_odds_error": worst_log_odds_error(model, graph, asked),
        "query_seconds": mean_query_seconds(model, asked, settings.repeats),
    }
    size = {**dict(zip(CELL, cell, strict=True)), **graph_size(graph)}
    return [{**size, **compression(model), **measured}]


def _grouped(graph: FactorGraph, comparison: str) -> ParfactorGraph:
    """The model in which factors are exchangeable if a comparison says so for their tables."""
    if comparison == EXACT:
        return lift(graph, "alpha-acp")
    chosen = representatives(graph.tables, COMPARISONS[comparison])
    # ACP does not ignore scales: these tables are equal if they have the same representative.
    tables = [Table(graph.tables[index].integers, Fraction(1 + index)) for index in chosen]
    return lift(replace(graph, potentials=tuple(tables)), "acp")
