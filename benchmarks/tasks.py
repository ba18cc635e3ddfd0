"""What ``before_after.py`` measures: a table of tasks, each with names that both versions have.

A new task is a line in ``TASKS``; what it needs is a small function.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from graphs import path

import liftgraph as lg
from liftgraph import datasets

FOLDER = tempfile.TemporaryDirectory()


@dataclass(frozen=True)
class Task:
    """Something to measure: ``make`` is not timed and runs before each ``run``, which gets it.

    So nothing that an earlier run has kept is there, unless ``make`` does it.
    """

    make: Callable[[], Any]
    run: Callable[[Any], Any]


def random_grid(size: int) -> lg.FactorGraph:
    """A square grid with a random table on each pair of neighbours."""
    random, builder = np.random.default_rng(size), lg.FactorGraphBuilder()
    builder.add_variables(size * size)
    index = np.arange(size * size).reshape(size, size)
    for left, right in ((index[:, :-1], index[:, 1:]), (index[:-1], index[1:])):
        for pair in zip(left.flat, right.flat, strict=True):
            builder.add_factor([int(v) for v in pair], random.integers(1, 100, (2, 2)).tolist())
    return builder.build()


def random_network(size: int) -> lg.FactorGraph:
    """A Bayesian network in which a variable has up to three parents among the ten before it."""
    random, builder = np.random.default_rng(size), lg.FactorGraphBuilder()
    builder.add_variables(size)
    for child in range(size):
        near = np.arange(max(0, child - 10), child)
        parents = random.choice(near, min(3, child), replace=False).tolist()
        shares = random.integers(1, 100, [2] * len(parents))
        builder.add_factor([*parents, child], np.stack([shares, 100 - shares], axis=-1).tolist())
    return builder.build()


def asked(model: Any, variable: str) -> Any:
    """The model after a first query."""
    model.query(variable)
    return model


def uai_file() -> str:
    """A file with about a hundred thousand entries."""
    name = str(Path(FOLDER.name) / "grid.uai")
    if not Path(name).exists():
        lg.write(random_grid(110), name)
    return name


def million_factors(scopes: Any) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(300_000)
    builder.add_factors(scopes, list(range(1, 9)))
    return builder.build()


def friends() -> dict[str, list[str]]:
    """The table of a relation with 50,000 rows: everybody and the next five people."""
    pairs = [(p, (p + step) % 10_000) for p in range(10_000) for step in range(1, 6)]
    return {"X": [f"p{x}" for x, _ in pairs], "Y": [f"p{y}" for _, y in pairs]}


def instantiated(rows: dict[str, list[str]]) -> Any:
    person = lg.Domain("person")
    x, y = lg.LogVar("X", person), lg.LogVar("Y", person)
    smokes = lg.prv("Smokes", x)
    alike = lg.rule([smokes(x), smokes(y)], [3, 1, 1, 4], over="friends")
    return lg.Template([lg.rule([smokes], [1, 2]), alike]).instantiate(relations={"friends": rows})


def epid() -> lg.ParfactorGraph:
    return datasets.epid(1024)


SICK = {f"Sick.{person}": "true" for person in range(20, 40)}
TASKS = {
    "colours: epid, 10^5 edges": Task(lambda: datasets.epid(2700).ground(), lg.colour_passing),
    "colours: scaled epid": Task(
        lambda: datasets.scaled(datasets.epid(2700).ground(), 0.1), lg.colour_passing
    ),
    "colours: path of 10,000": Task(lambda: path(10_000), lg.colour_passing),
    "colours: grid 100 × 100": Task(lambda: datasets.grid(100, 100), lg.colour_passing),
    "lift: epid": Task(lambda: epid().ground(), lg.lift),
    "lift: permuted employee": Task(
        lambda: datasets.permuted(datasets.employee(1024).ground()), lg.lift
    ),
    "lift: smokers, 100 people": Task(lambda: datasets.smokers(100).ground(), lg.lift),
    "first query: epid": Task(epid, lambda m: m.query("Sick.1")),
    "next query: epid": Task(lambda: asked(epid(), "Sick.1"), lambda m: m.query("Travel.2")),
    "first query: employee": Task(lambda: datasets.employee(1024), lambda m: m.query("Sal.1")),
    "next query: employee": Task(
        lambda: asked(datasets.employee(1024), "Sal.1"), lambda m: m.query("Com.2")
    ),
    "first query: ds": Task(lambda: datasets.ds(1024), lambda m: m.query("R2.1")),
    "next query: ds": Task(lambda: asked(datasets.ds(1024), "R2.1"), lambda m: m.query("R3.2")),
    "query: smokers, 500 people": Task(
        lambda: datasets.smokers(500), lambda m: m.query("Smokes.1")
    ),
    "query: epid, 20 observed": Task(epid, lambda m: m.query("Epid", given=SICK)),
    "joint query: epid": Task(epid, lambda m: m.query("Sick.1", "Sick.2", "Epid")),
    "exact query: epid": Task(epid, lambda m: m.query("Sick.1", exact=True)),
    "all marginals: epid": Task(epid, lg.FactorGraph.marginals),
    "mpe: epid": Task(epid, lg.FactorGraph.mpe),
    "partition: epid": Task(epid, lg.FactorGraph.partition),
    "query: epid graph, lifted first": Task(lambda: epid().ground(), lambda g: g.query("Sick.1")),
    "ground query: grid 8 × 8": Task(lambda: random_grid(8), lambda g: g.query(20)),
    "ground query: grid 12 × 12": Task(lambda: random_grid(12), lambda g: g.query(70)),
    "ground query: network of 60": Task(lambda: random_network(60), lambda g: g.query(30)),
    "ground marginals: grid 8 × 8": Task(lambda: random_grid(8), lg.FactorGraph.marginals),
    "ground marginals: network of 60": Task(lambda: random_network(60), lg.FactorGraph.marginals),
    "ground mpe: grid 12 × 12": Task(lambda: random_grid(12), lg.FactorGraph.mpe),
    "read: UAI, 10^5 entries": Task(uai_file, lg.read_graph),
    "build: 10^6 factors": Task(
        lambda: np.arange(1_000_000)[:, None] % 299_990 + np.array([0, 3, 7]), million_factors
    ),
    "template: 50,000 rows": Task(friends, instantiated),
}
