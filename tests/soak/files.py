"""Valid files of every format, of random models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain, product
from math import prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import liftgraph as lg
from tests.soak.area import Case
from tests.soak.models import graph_of, irregular_graph, sizes, symmetric_graph
from tests.soak.relational_models import model_of, relational_model

SUFFIXES = (".uai", ".json", ".blog", ".bif", ".xmlbif", ".net", ".xdsl", ".fg")
NETWORKS = (".bif", ".xmlbif", ".net", ".xdsl")  # formats of Bayesian networks
EVIDENCE = ".evid"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder with a short name, so that messages with file names stay short."""
    with TemporaryDirectory(prefix="soak") as name:
        yield Path(name)


def bayesian_network(random: Random) -> Case:
    """A Bayesian network; each factor is the distribution of its last argument."""
    states = sizes(random, 5, (1, 2, 2, 3))
    factors = []
    for variable, size in enumerate(states):
        parents = random.sample(range(variable), min(variable, random.randint(0, 2)))
        rows = [_distribution(random, size) for _ in product(*(range(states[p]) for p in parents))]
        factors.append({"scope": [*parents, variable], "values": [*chain(*rows)]})
    return {"states": states, "factors": factors, "evidence": {}}


def _distribution(random: Random, size: int) -> list[str]:
    weights = [random.randint(1, 8) for _ in range(size)]
    return [str(Fraction(weight, sum(weights))) for weight in weights]


def model_for(random: Random, suffix: str) -> lg.FactorGraph | lg.ParfactorGraph:
    """A random model that a format can hold."""
    if suffix in NETWORKS:
        return graph_of(bayesian_network(random))
    if suffix == ".blog" or (suffix == ".json" and random.random() < 0.5):
        return model_of(relational_model(random))
    description = random.choice([irregular_graph, symmetric_graph])(random)
    if suffix == ".json":
        graph = graph_of(description)
        return lg.lift(graph) if random.random() < 0.3 else graph
    return graph_of({**description, "evidence": {}})


def valid_text(random: Random, suffix: str) -> str:
    """The content of a file of a format."""
    if suffix == EVIDENCE:
        observed = random.sample(range(8), random.randint(0, 4))
        pairs = [f"{variable} {random.randrange(2)}" for variable in observed]
        return " ".join([str(len(pairs)), *pairs]) + "\n"
    while True:
        try:
            return text_of(model_for(random, suffix), suffix)
        except lg.InputError:  # a model that the format does not hold
            continue


def text_of(model: lg.FactorGraph | lg.ParfactorGraph, suffix: str) -> str:
    """What is written of a model."""
    with temporary_folder() as folder:
        path = folder / f"m{suffix}"
        lg.write(model, path)
        return path.read_text(encoding="utf-8")


def binary_variables(count: int) -> lg.FactorGraph:
    """A graph that evidence can be about."""
    return graph_of({"states": [2] * count, "factors": [], "evidence": {}})


def few_assignments(model: lg.FactorGraph | lg.ParfactorGraph) -> bool:
    """Whether a model is small enough to be answered at once."""
    if model.variable_count > 12 or model.factor_count > 1000:
        return False
    graph = model if isinstance(model, lg.FactorGraph) else model.ground()
    return bool(prod(graph.cardinalities.tolist()) <= 500)
