"""Models with extreme numbers and sizes in all formats: ``write`` refuses, or ``read`` reads it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

import liftgraph as lg
from tests.soak.area import Area, Case
from tests.soak.areas.damage import write_in_all_formats
from tests.soak.files import bayesian_network, temporary_folder
from tests.soak.models import graph_of, irregular_graph, smaller_graphs
from tests.soak.relational_models import model_of, relational_model

DIGITS = [1, 20, 300, 1500, 1999, 2500, 3990]
DOMAINS = [10**3, 10**6, 2**31, 2**32 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**30]


def _number(random: Random) -> str:
    """A number with many digits before the point, behind it, or in its denominator."""
    digits = random.choice(DIGITS)
    long = str(random.randint(1, 9)) + "".join(random.choices("123456789", k=digits))
    small = random.randint(1, 9)
    return random.choice(
        [f"{small}", long, f"{small}/{long}", f"{small}e{digits}", f"{small}e-{digits}"]
    )


def _draw(random: Random) -> Case:
    kind = random.choice(["graph", "network", "domain", "model"])
    if kind == "domain":
        sizes = [random.choice(DOMAINS) for _ in range(random.randint(1, 2))]
        return {"sizes": sizes, "repeated": random.random() < 0.3}
    if kind == "model":
        model = relational_model(random)
        for parfactor in model["parfactors"]:
            parfactor["values"] = _some(random, parfactor["values"])
        return {"model": model}
    graph = {**irregular_graph(random), "evidence": {}}
    if kind == "network":
        graph = bayesian_network(random)
    for factor in graph["factors"]:
        factor["values"] = _some(random, factor["values"])
        if kind == "network":
            size = graph["states"][factor["scope"][-1]]
            factor["values"] = _normalised(factor["values"], size)
    return {"graph": graph}


def _some(random: Random, values: list[Any]) -> list[Any]:
    """Some values are extreme."""
    return [_number(random) if random.random() < 0.3 else value for value in values]


def _normalised(values: list[Any], size: int) -> list[Any]:
    """Rows that sum to one, of numbers that are short enough to be text."""
    rows = [[Fraction(v) for v in values[i : i + size]] for i in range(0, len(values), size)]
    quotients = [value / sum(row) for row in rows for value in row]
    return [[q.numerator, q.denominator] for q in quotients]


def _model(case: Case) -> Any:
    if "model" in case:
        return model_of(case["model"])
    if "graph" in case:
        factors = [
            {**f, "values": [Fraction(*v) if isinstance(v, list) else v for v in f["values"]]}
            for f in case["graph"]["factors"]
        ]
        return graph_of({**case["graph"], "factors": factors})
    logvars = [lg.LogVar(f"X{place}", size) for place, size in enumerate(case["sizes"])]
    about = logvars[: len(logvars) - case["repeated"]]
    return lg.ParfactorGraph.of([lg.parfactor([lg.prv("A", *about)], [1, 2], logvars=logvars)])


def _check(case: Case) -> None:
    try:
        model = _model(case)
    except lg.InputError:  # numbers or sizes that no model has
        return
    lifted = [lg.lift(model)] if isinstance(model, lg.FactorGraph) else []
    for written in (model, *lifted):
        with temporary_folder() as folder:
            write_in_all_formats(written, folder)


def _smaller(case: Case) -> Iterator[Case]:
    if "graph" in case:
        for graph in smaller_graphs(case["graph"]):
            shapes = [prod(graph["states"][v] for v in f["scope"]) for f in graph["factors"]]
            if shapes == [len(f["values"]) for f in graph["factors"]]:
                yield {**case, "graph": graph}


AREAS = (Area("round-trips", _draw, _check, _smaller, seconds=60),)
