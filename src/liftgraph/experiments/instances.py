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

    Which factors are scaled differs from family to family and from size to size; those scaled
    with one p are so with every larger one, by the same scale.
    """
    own = int(Draws(seed, f"{family} {d} scales").integers(1, 0, 2**31)[0])
    graph = scaled(template(family, d, seed, settings.commutative).ground(), p, own)
    return permuted(graph, own) if settings.permuted else graph


def queries(family: str, d: int, seed: int) -> dict[str, str]:
    """The variables asked for, by PRV: those of one individual, the same for every p.

    >>> list(queries("employee", 8, seed=0))
    ['Rev', 'Com', 'Sal']
    """
    model = template(family, d, seed)
    who = int(Draws(seed, f"{family} queries").uniform(1)[0] * d)
    number = {prv.name: place for place, prv in enumerate(model.prvs)}
    individuals = {prv.name: (who, 0)[: len(prv.logvars)] for prv in model.prvs}
    return {name: model.name((number[name], individuals[name])) for name in ASKED[family]}


def asked_variables(graph: FactorGraph, family: str, d: int, seed: int) -> dict[str, int]:
    """The same by their indices in a graph, so that no table of names is part of a query's time."""
    return {prv: graph.variable(name) for prv, name in queries(family, d, seed).items()}


def smallest_first(
    families: Iterable[str], sizes: Mapping[str, Sequence[int]], largest: float
) -> list[Cell]:
    """All families with the sizes of each kind of measurement, up to a largest one.

    >>> smallest_first(["clique"], {"ground": [4, 8], "lifted": [4, 64]}, largest=8)
    [('clique', 4, 'ground'), ('clique', 4, 'lifted'), ('clique', 8, 'ground')]
    """
    every = [(f, n, kind) for kind, own in sizes.items() for n in own for f in families]
    return sorted([cell for cell in every if cell[1] <= largest], key=lambda cell: cell[1])
