"""The models that every package is asked: families of any size, as plain lists for the workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import liftgraph
from liftgraph import datasets
from liftgraph.experiments.closed_forms import by_formula

SCALED = 0.1  # the share of factors that are scaled in the families of the paper
LIMIT_GROUND = 2**32  # bytes that ground elimination may take for reference

Graph = liftgraph.FactorGraph
Parametric = liftgraph.ParfactorGraph


class Instance(NamedTuple):
    """One model: its graph, and the same with logvars where the family has them."""

    graph: Graph
    parametric: Parametric | None


class Family(NamedTuple):
    """A model of any size; ``asked``: the queried variable and another one, to ask later."""

    title: str
    make: Callable[[int], Instance]
    asked: tuple[str, str]


def _ground(make: Callable[[int], Parametric], size: int) -> Instance:
    model = make(size)
    return Instance(model.ground(), model)


def _scaled(make: Callable[[int], Parametric], size: int) -> Instance:
    model = make(size)
    return Instance(datasets.scaled(model.ground(), SCALED, seed=0), model)


def _grid(size: int) -> Instance:
    """A grid with a factor on its first cell, without which every answer would be one half."""
    grid = datasets.grid(size, size)
    builder = liftgraph.FactorGraphBuilder()
    builder.add_variables(grid.variable_count)
    builder.add_factors(grid.scope.reshape(-1, 2), grid.tables[0])
    builder.add_factor([0], [1, 2])
    return Instance(builder.build(), None)


FAMILIES = {
    "epid": Family("epid(n)", partial(_scaled, datasets.epid), ("Sick.1", "Epid")),
    "employee": Family("employee(n)", partial(_scaled, datasets.employee), ("Sal.1", "Rev")),
    "ds4": Family("ds(n, 4)", partial(_scaled, partial(datasets.ds, n=4)), ("R2.1", "R0")),
    "ds6": Family("ds(n, 6)", partial(_scaled, partial(datasets.ds, n=6)), ("R2.1", "R0")),
    "clique": Family("clique(n)", partial(_ground, datasets.clique), ("S.1", "S.2")),
    "smokers": Family(
        "smokers(n)", partial(_ground, datasets.smokers), ("Smokes.1", "Friends.1.2")
    ),
    "workshops": Family(
        "workshops(n, n)",
        partial(_ground, lambda size: datasets.workshops(size, size)),
        ("Attends.1", "Hot.1"),
    ),
    "grid": Family("grid(n, n)", _grid, ("1", "2")),
}


def write_plain(graph: Graph, asked: tuple[str, str], path: Path) -> None:
    """Write a graph as the plain lists that ``worker.Model`` describes."""
    bounds = graph.scope_ptr.tolist()
    scope = graph.scope.tolist()
    lists: dict[str, Any] = {
        "names": [graph.name(variable) for variable in range(graph.variable_count)],
        "sizes": graph.cardinalities.tolist(),
        "scopes": [scope[a:b] for a, b in pairwise(bounds)],
        "table_ids": graph.table_id.tolist(),
        "tables": [_potentials(table) for table in graph.tables],
        "asked": [graph.variable(name) for name in asked],
    }
    path.write_text(json.dumps(lists))


def reference(family: str, instance: Instance, variable: str) -> list[float] | None:
    """The distribution to compare with: by formula, or else by ground elimination.

    None where there is no formula and ground elimination needs too much memory.
    """
    graph, parametric = instance
    if parametric is not None:
        first = by_formula(family, parametric, variable.split(".")[0])
        return [first, 1 - first]
    try:
        answer = graph.query(variable, method="ground", memory_limit=LIMIT_GROUND)
    except liftgraph.MemoryLimitError:
        return None
    probabilities: list[float] = answer.probabilities.tolist()
    return probabilities


def _potentials(table: liftgraph.Table) -> list[int]:
    """All families have integer potentials, scaled or not."""
    if table.scale.denominator != 1:
        raise ValueError(f"expected integer potentials, got a scale of {table.scale}")
    return [int(value) * table.scale.numerator for value in table.integers.flat]
