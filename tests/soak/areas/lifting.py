"""Lifting by all algorithms and engines: grounding gives back the graph, and engines agree."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from random import Random

import numpy as np

import liftgraph as lg
from liftgraph.symmetry.colours.colouring import ALGORITHMS
from tests.relational import in_any_order
from tests.soak.area import Area, Case, expect
from tests.soak.areas.questions import check_answers
from tests.soak.areas.tolerances import noisy_graph
from tests.soak.models import graph_of, irregular_graph, smaller_graphs, symmetric_graph

ENGINES = ["auto", "arrays"] + ["compiled"] * (find_spec("numba") is not None)
TOLERANCES = [None, None, None, "0", "0.01", "0.3"]


def _draw(random: Random) -> Case:
    graph = random.choice([irregular_graph, symmetric_graph, symmetric_graph, noisy_graph])(random)
    return {
        "graph": graph,
        "algorithm": random.choice(ALGORITHMS),
        "tolerance": random.choice(TOLERANCES),
        "order": random.randrange(1000),
    }


def _check(case: Case) -> None:
    graph = graph_of(case["graph"])
    algorithm, tolerance = case["algorithm"], case["tolerance"]
    model = lg.lift(graph, algorithm, tolerance)
    expect(model.ground() == graph, "grounding does not give back the graph")
    expect(model.log_odds_bound >= 0, f"a bound below zero: {model.log_odds_bound}")
    colourings = [
        lg.colour_passing(graph, algorithm, tolerance, engine=engine) for engine in ENGINES
    ]
    for other in colourings[1:]:
        same = np.array_equal(colourings[0].variable_colours, other.variable_colours)
        expect(same, "engines find different groups of variables")
        same = np.array_equal(colourings[0].factor_colours, other.factor_colours)
        expect(same, "engines find different groups of factors")
    if model.log_odds_bound == 0:
        question = {"kind": "marginals", "asked": {}, "given": {}}
        check_answers(model, graph, question)
    if tolerance is None and not any(table.measured for table in graph.tables):
        shuffled = in_any_order(graph, np.random.default_rng(case["order"]))
        lifted = lg.lift(shuffled, algorithm)
        expect(lifted.ground() == shuffled, "grounding does not give back the graph in any order")


def _smaller(case: Case) -> Iterator[Case]:
    for graph in smaller_graphs(case["graph"]):
        yield {**case, "graph": graph}


AREAS = (Area("lifting", _draw, _check, _smaller),)
