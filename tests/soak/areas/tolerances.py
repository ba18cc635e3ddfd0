"""Answers up to a tolerance: none is further off than it says, beside enumeration.

The graph is asked, and so are the models to which all algorithms lift it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph.exact import log
from liftgraph.inference.weight import weight
from liftgraph.model.query import Query
from liftgraph.symmetry.colours.colouring import ALGORITHMS
from tests.brute_force import brute_force
from tests.soak.area import Area, Case, expect
from tests.soak.models import graph_of, permuted_graph, smaller_graphs, symmetric_graph

TOLERANCES = [None, "0", "1e-9", "0.001", "0.01", "0.1", "0.5", "0.99"]
ROUNDING = 1e-9


def noisy_graph(random: Random) -> Case:
    """A symmetric graph whose values are off by a little or not at all, as numerals or floats."""
    graph = random.choice([symmetric_graph, permuted_graph])(random)
    amount = random.choice([0, 1e-12, 1e-3, 1e-2, 0.3])
    measured = random.random() < 0.5
    for factor in graph["factors"]:
        noisy = [
            Fraction(v) * (1 + Fraction(amount * random.uniform(-1, 1))) for v in factor["values"]
        ]
        factor["values"] = [float(v) if measured else str(v) for v in noisy]
    return graph


def _draw(random: Random) -> Case:
    return {"graph": noisy_graph(random), "tolerance": random.choice(TOLERANCES)}


def _check(case: Case) -> None:
    graph, tolerance = graph_of(case["graph"]), case["tolerance"]
    right: Any = None
    best: Any = None
    try:
        right = brute_force(graph, Query("marginals"))
        best = brute_force(graph, Query("explanation"))
    except lg.ZeroWeightError:
        pass
    for method in ("auto", "lifted"):
        _check_answers(graph, graph, right, best, {"tolerance": tolerance, "method": method})
    for algorithm in ALGORITHMS:
        colouring = lg.colour_passing(graph, algorithm, tolerance)
        model = lg.lift(graph, algorithm, tolerance)
        bounds = [colouring.log_odds_bound, model.log_odds_bound]
        exact = not tolerance and not any(table.measured for table in graph.tables)
        sound = min(bounds) >= 0 and not (exact and any(bounds))
        expect(sound, f"{algorithm}: bounds that make no sense: {bounds}")
        _check_answers(model, graph, right, best, {})
        if model.variable_count <= 6:
            ground = model.ground()
            expect(ground == graph, f"{algorithm}: grounding gives another graph")


def _check_answers(model: Any, graph: lg.FactorGraph, right: Any, best: Any, options: Any) -> None:
    if right is None:
        _check_impossible(model, options)
        return
    _check_marginals(model.marginals(exact=True, **options), right)
    _check_explanation(graph, model.mpe(exact=True, **options), best)


def _check_impossible(model: Any, options: Any) -> None:
    try:
        found = model.partition(exact=True, **options)
    except lg.ZeroWeightError:
        return
    expect(False, f"expected weight zero, got {found}")


def _log_odds(p: Fraction) -> float:
    return log(p) - log(1 - p)


def _check_marginals(found: lg.Marginals, right: lg.Marginals) -> None:
    bound = found.log_odds_bound + ROUNDING
    expect(abs(found.log_z - right.log_z) <= bound, "log Z further off than its bound")
    for name, marginal in found.items():
        least, most = marginal.bounds
        for place, (state, expected) in enumerate(right[name].exact.items()):
            p = marginal.exact[state]
            inside = least[place] - 1e-12 <= expected <= most[place] + 1e-12
            expect(inside, f"a probability out of bounds: {name}={state} is {float(expected)}")
            certain = (p == 0) == (expected == 0) and (p == 1) == (expected == 1)
            expect(certain, f"certain or not: {name}={state} expected {expected}, got {p}")
            if 0 < p < 1:
                off = abs(_log_odds(p) - _log_odds(expected))
                expect(off <= bound, f"log odds further off than their bound: {off} > {bound}")


def _check_explanation(graph: lg.FactorGraph, found: lg.Assignment, best: lg.Assignment) -> None:
    variables = range(graph.variable_count)
    states = tuple(graph.state(v, found[graph.name(v)]) for v in variables)
    reached = weight(graph, states)
    bound = found.log_odds_bound + ROUNDING
    expect(reached > 0, "an explanation that is impossible")
    assert best.weight is not None
    expect(log(best.weight / reached) <= bound, "an explanation worse than its bound")


def _smaller(case: Case) -> Iterator[Case]:
    for graph in smaller_graphs(case["graph"]):
        yield {**case, "graph": graph}


AREAS = (Area("tolerances", _draw, _check, _smaller),)
