"""How long things take, side by side; and what is timed, each as if it were the first time."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from liftgraph.inference.answer import query
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colouring import Algorithm
from liftgraph.symmetry.lifting.lift import lift

Found = TypeVar("Found")


def best_times(
    tasks: Sequence[Callable[[], Found]], repeats: int
) -> tuple[list[float], list[Found]]:
    """The shortest time of each task, in seconds, and what it found the last time.

    The tasks take turns, so that a busy moment of the machine does not hit one of them alone.
    """
    best = [float("inf")] * len(tasks)
    found: list[Any] = [None] * len(tasks)
    for _ in range(repeats):
        for number, task in enumerate(tasks):
            gc.collect()
            start = time.perf_counter()
            found[number] = task()
            best[number] = min(best[number], time.perf_counter() - start)
    return best, found


def lifting(
    graph: FactorGraph, algorithm: Algorithm = "alpha-acp", tolerance: object = None
) -> Callable[[], ParfactorGraph]:
    """The task of lifting a graph of which nothing was worked out before."""
    return lambda: lift(replace(graph), algorithm, tolerance)


def lifted_query(model: ParfactorGraph, variable: str | int) -> Callable[[], Marginal]:
    """The task of answering a query on a lifted model that was asked nothing before."""
    return lambda: query(unasked(model), variable, method="lifted")


def graph_query(graph: FactorGraph, variable: str | int, method: str) -> Callable[[], Marginal]:
    """The task of answering a query on a graph of which nothing was worked out before."""
    return lambda: query(replace(graph), variable, method=method)


def unasked(model: ParfactorGraph) -> ParfactorGraph:
    """The same model without anything that earlier queries might have kept for later ones."""
    return replace(model)
