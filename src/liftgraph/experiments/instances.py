"""The graphs of the paper's evaluation, and what is asked about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from liftgraph.datasets import ds, employee, epid, permuted, scaled
from liftgraph.datasets.random_numbers import Draws
from liftgraph.experiments.study import Cell, Settings
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

FAMILIES: dict[str, Callable[..., ParfactorGraph]] = {
    "epid": epid,
    "employee": employee,
    "ds4": partial(ds, n=4),
    "ds6": partial(ds, n=6),
}
# One PRV of each kind: three to four queries per graph, as in the paper.
ASKED = {
    "epid": ("Epid", "Travel", "Sick", "Treat"),
    "employee": ("Rev", "Com", "Sal"),
    "ds4": ("R0", "R1", "R2", "R5"),
    "ds6": ("R0", "R1", "R2", "R7"),
}


def template(family: str, d: int, seed: int, commutative: bool = False) -> ParfactorGraph:
    """A family's model with d individuals, as written with logvars."""
    return FAMILIES[family](d, seed=seed, commutative=commutative)


def instance(family: str, d: int, p: float, seed: int, settings: Settings) -> FactorGraph:
    """A factor graph of a family, each factor scaled with probability p.

    Which factors are scaled differs from family to family and from size to size. Factors that are
    scaled with some p are scaled by the same scale with every larger p.
    """
    graph = template(family, d, seed, settings.commutative).ground()
    return varied(graph, family, d, p, seed, settings)


def varied(
    graph: FactorGraph, family: str, d: int, p: float, seed: int, settings: Settings
) -> FactorGraph:
    """The graph of a family with each factor scaled with probability p, and permuted if wanted."""
    scale_seed = int(Draws(seed, f"{family} {d} scales").integers(1, 0, 2**31)[0])
    scaled_graph = scaled(graph, p, scale_seed)
    return permuted(scaled_graph, scale_seed) if settings.permuted else scaled_graph


def queries(family: str, d: int, seed: int) -> dict[str, str]:
    """The variables asked for, by PRV: those of one individual, the same for every p.

    >>> list(queries("employee", 8, seed=0))
    ['Rev', 'Com', 'Sal']
    """
    model = template(family, d, seed)
    individual = int(Draws(seed, f"{family} queries").uniform(1)[0] * d)
    variables = {
        prv.name: (prv_index, (individual, 0)[: len(prv.logvars)])
        for prv_index, prv in enumerate(model.prvs)
    }
    return {name: model.name(variables[name]) for name in ASKED[family]}


def asked_variables(graph: FactorGraph, family: str, d: int, seed: int) -> dict[str, int]:
    """The same by their indices in a graph: no look-up of a name is part of a query's time."""
    return {prv: graph.variable(name) for prv, name in queries(family, d, seed).items()}


def smallest_first(
    families: Iterable[str], sizes: Mapping[str, Sequence[int]], largest: float
) -> list[Cell]:
    """All families with the sizes of each kind of measurement, up to a largest one.

    >>> smallest_first(["clique"], {"ground": [4, 8], "lifted": [4, 64]}, largest=8)
    [('clique', 4, 'ground'), ('clique', 4, 'lifted'), ('clique', 8, 'ground')]
    """
    cells = [
        (family, size, measurement)
        for measurement, measured_sizes in sizes.items()
        for size in measured_sizes
        for family in families
        if size <= largest
    ]
    return sorted(cells, key=lambda cell: cell[1])
