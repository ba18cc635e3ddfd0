"""Questions about counts and their events, asked for and observed, against all assignments."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import liftgraph as lg
from tests.inference.test_count_questions import a_question, check
from tests.soak.area import Area, Case
from tests.soak.files import few_assignments
from tests.soak.models import graph_of, irregular_graph, smaller_graphs, symmetric_graph
from tests.soak.relational_models import model_of, relational_model, smaller_models

METHODS = ("auto", "lifted", "ground")


def _draw(random: Random) -> Case:
    if random.random() < 0.5:
        description: Case = {"model": relational_model(random)}
    else:
        description = {"graph": random.choice([irregular_graph, symmetric_graph])(random)}
    return {**description, "seed": random.randrange(10**6), "method": random.choice(METHODS)}


def _check(case: Case) -> None:
    model = model_of(case["model"]) if "model" in case else graph_of(case["graph"])
    if model.variable_count and few_assignments(model):
        graph = model.ground() if isinstance(model, lg.ParfactorGraph) else model
        check(model, graph, *a_question(graph, Random(case["seed"]), model), case["method"])


def _smaller(case: Case) -> Iterator[Case]:
    if "model" in case:
        yield from ({**case, "model": smaller} for smaller in smaller_models(case["model"]))
    else:
        yield from ({**case, "graph": smaller} for smaller in smaller_graphs(case["graph"]))


AREAS = [Area("counts", _draw, _check, _smaller)]
