"""How long tasks take, side by side; each task is timed as if it were run for the first time."""

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

Result = TypeVar("Result")


def best_times(
    tasks: Sequence[Callable[[], Result]], repeats: int
) -> tuple[list[float], list[Result]]:
    """The shortest time of each task, in seconds, and its last result.

    The tasks take turns, so that a busy moment of the machine does not hit one of them alone.
    """
    best = [float("inf")] * len(tasks)
    results: list[Any] = [None] * len(tasks)
    gc.collect()
    gc.freeze()  # collections that walk all libraries would empty the processor's caches
    for _ in range(repeats):
        for task_index, task in enumerate(tasks):
            gc.collect()
            start = time.perf_counter()
            results[task_index] = task()
            best[task_index] = min(best[task_index], time.perf_counter() - start)
    gc.unfreeze()
    return best, results


def lifting(
    graph: FactorGraph, algorithm: Algorithm = "alpha-acp", tolerance: object = None
) -> Callable[[], ParfactorGraph]:
    """The task of lifting a graph, with nothing in its cache."""
    return lambda: lift(replace(graph), algorithm, tolerance)


def lifted_query(model: ParfactorGraph, variable: str | int) -> Callable[[], Marginal]:
    """The task of answering a query on a lifted model, with nothing in its cache."""
    return lambda: query(unasked(model), variable, method="lifted")


def graph_query(graph: FactorGraph, variable: str | int, method: str) -> Callable[[], Marginal]:
    """The task of answering a query on a graph, with nothing in its cache."""
    return lambda: query(replace(graph), variable, method=method)


def unasked(model: ParfactorGraph) -> ParfactorGraph:
    """The same model with nothing in its cache."""
    return replace(model)
