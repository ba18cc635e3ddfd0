"""High treewidth: where ground inference stops and lifted inference does not.

In these models, all variables of a clique, all smokers, or all people and workshops are connected.
So ground elimination needs tables of about 2ⁿ entries, while lifted inference only counts
individuals. Formulas check every answer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from liftgraph.datasets import clique, smokers, workshops
from liftgraph.errors import MemoryLimitError
from liftgraph.experiments.asking import checked, first_probability, graph_size
from liftgraph.experiments.closed_forms import by_formula
from liftgraph.experiments.instances import smallest_first
from liftgraph.experiments.study import Cell, Row, Settings
from liftgraph.experiments.timing import best_times, graph_query, lifted_query
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

FAMILIES: dict[str, Callable[[int], ParfactorGraph]] = {
    "clique": clique,
    "smokers": smokers,
    "workshops": lambda n: workshops(n, n),
}
SIZES = {
    "ground": (4, 8, 12, 16, 20, 24, 28, 32),
    "lifted": (4, 8, 16, 32, 64, 128, 256, 512, 1024),
    "written": (4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536),
}
QUICK_SIZE = 64
CELL = ("family", "n", "method")
ANSWER = ("seconds", "refused", "probability", "difference")
COLUMNS = (*CELL, "variables", "factors", *ANSWER)


def cells(settings: Settings) -> list[Cell]:
    """Families, sizes and methods."""
    return smallest_first(FAMILIES, SIZES, QUICK_SIZE if settings.quick else inf)


def measure(cell: Cell, settings: Settings) -> list[Row]:
    """The time of a first query, or why it was refused.

    The methods are ground elimination on the factor graph, lifted inference on the factor graph
    (the time includes lifting), and lifted inference on the model as written.
    """
    family, n, method = cell
    model = FAMILIES[family](n)
    unanswered = {
        **dict(zip(CELL, cell, strict=True)),
        **graph_size(model),
        **dict.fromkeys(ANSWER),
    }
    try:
        (seconds,), (answer,) = best_times([_task(model, method)], settings.repeats)
    except MemoryLimitError as error:
        return [{**unanswered, "refused": str(error)}]
    probability = first_probability(answer)
    expected = by_formula(family, model, model.prvs[0].name)
    difference = checked(f"{family}, n = {n}, {method}", probability, expected)
    answered = {"seconds": seconds, "probability": probability, "difference": difference}
    return [{**unanswered, **answered}]


def _task(model: ParfactorGraph, method: str) -> Callable[[], Marginal]:
    variable = model.name((0, (0,)))
    if method == "written":
        return lifted_query(model, variable)
    return graph_query(model.ground(), variable, method)
