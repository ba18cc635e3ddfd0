"""All questions to random models, by all methods and in all numbers, beside enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import liftgraph as lg
from liftgraph.inference.weight import weight
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.relational import in_any_order
from tests.soak.area import Area, Case, WrongError, expect
from tests.soak.models import (
    graph_of,
    irregular_graph,
    permuted_graph,
    smaller_graphs,
    symmetric_graph,
)
from tests.soak.relational_models import model_of, naive_twin, relational_model, smaller_models

Model = lg.FactorGraph | lg.ParfactorGraph
QUESTIONS = ["query", "query", "joint", "probability", "marginals", "partition", "mpe"]
METHODS = ["auto", "lifted", "ground"]
CLOSE = 1e-9  # relative error of floats in models as small as these


def draw_question(random: Random, states: list[int]) -> Case:
    """A question about variables by number, with more evidence half of the time."""
    variables = random.sample(range(len(states)), min(len(states), random.randint(1, 4)))
    asked = {str(variable): random.randrange(states[variable]) for variable in variables}
    given = {
        str(variable): random.randrange(states[variable])
        for variable in range(len(states))
        if str(variable) not in asked and random.random() < 0.2
    }
    return {"kind": random.choice(QUESTIONS), "asked": asked, "given": given}


def _draw_graph(random: Random) -> Case:
    graph = random.choice([irregular_graph, symmetric_graph, permuted_graph])(random)
    return {"graph": graph, "question": draw_question(random, graph["states"])}


def _draw_model(random: Random) -> Case:
    model = relational_model(random)
    states = naive_twin(model_of(model)).cardinalities.tolist()
    order = random.choice([None, random.randrange(1000)])
    return {"model": model, "question": draw_question(random, states or [1]), "order": order}


def _check_graph(case: Case) -> None:
    graph = graph_of(case["graph"])
    check_answers(graph, graph, case["question"])


def _check_model(case: Case) -> None:
    """The model itself, or its ground graph in any order, which has to be lifted first."""
    model = model_of(case["model"])
    twin = naive_twin(model)
    if case["order"] is None:
        check_answers(model, twin, case["question"])
    else:
        random = np.random.default_rng(case["order"])
        shuffled = in_any_order(twin, random, named=True)
        check_answers(shuffled, shuffled, case["question"])


def check_answers(model: Model, twin: lg.FactorGraph, question: Case) -> None:
    """Ask a model by all methods; the twin is the same model, and enumerated."""
    new = {v: state for v, state in question["given"].items() if int(v) not in twin.evidence}
    named = {"asked": _by_name(twin, question["asked"]), "given": _by_name(twin, new)}
    expected = _outcome(lambda: _enumerated(twin, question["kind"], **named))
    for method in METHODS:
        for exact in (True, False):
            options = {"method": method, "exact": exact, "given": named["given"]}
            found = _outcome(lambda o=options: _ask(model, question["kind"], named["asked"], o))
            try:
                _compare(found, expected, twin, named["given"])
            except WrongError as wrong:
                numbers = "exact" if exact else "float"
                raise WrongError(f"{question['kind']}, {method}, {numbers}: {wrong}") from None


def _by_name(graph: lg.FactorGraph, states: dict[str, int]) -> dict[str, str]:
    """States of variables that a graph has, by their names."""
    indices = {int(variable): state for variable, state in states.items()}
    return {
        graph.name(v): graph.states(v)[state]
        for v, state in indices.items()
        if v < graph.variable_count and state < len(graph.states(v))
    }


def _outcome(ask: Any) -> Any:
    """An answer, or the error that says that nothing is possible."""
    try:
        return ask()
    except lg.ZeroWeightError:
        return lg.ZeroWeightError


def _ask(model: Model, kind: str, asked: dict[str, str], options: Case) -> Any:
    if kind == "probability" and asked:
        return model.probability(asked, **options)
    if kind in ("query", "joint"):
        variables = list(asked)[: 1 if kind == "query" else None]
        return model.query(*variables, **options) if asked else model.partition(**options)
    return model.ask("partition" if kind == "probability" else kind, **options)


def _enumerated(
    graph: lg.FactorGraph, kind: str, asked: dict[str, str], given: dict[str, str]
) -> Any:
    observed = graph.given(given)
    if kind == "probability" and asked:
        joint = brute_force(observed, Query("marginal", tuple(asked)))
        assert isinstance(joint, lg.Marginal)
        return joint.exact[tuple(asked.values()) if len(asked) > 1 else next(iter(asked.values()))]
    if kind in ("query", "joint") and asked:
        variables = list(asked)[: 1 if kind == "query" else None]
        return brute_force(observed, Query("marginal", tuple(variables)))
    names = {"marginals": "marginals", "mpe": "explanation"}
    return brute_force(observed, Query(names.get(kind, "partition")))


def _compare(found: Any, expected: Any, graph: lg.FactorGraph, given: dict[str, str]) -> None:
    if expected is lg.ZeroWeightError or found is lg.ZeroWeightError:
        expect(found is expected, f"expected {expected}, got {found}")
    elif isinstance(expected, Fraction):
        _compare_numbers(found, expected)
    elif isinstance(expected, lg.Marginal):
        _compare_marginals(found, expected)
    elif isinstance(expected, lg.Marginals):
        expect(set(found) == set(expected), "the marginals of other variables")
        for name in expected:
            _compare_marginals(found[name], expected[name])
    elif isinstance(expected, lg.Partition):
        _compare_logs(found.log_z, expected.log_z)
        expect(
            found.z in (None, expected.z), f"expected log Z = {expected.log_z}, got {found.log_z}"
        )
    else:
        _compare_explanations(found, expected, graph.given(given))


def _compare_numbers(found: Any, expected: Fraction) -> None:
    right = float(expected)
    if isinstance(found, Fraction):
        expect(found == expected, f"expected {float(expected)}, got {float(found)}")
    else:
        near = math.isclose(found, right, rel_tol=CLOSE, abs_tol=1e-300)
        expect(near and (found == 0) == (right == 0), f"expected {right!r}, got {found!r}")


def _compare_logs(found: float, expected: float) -> None:
    near = math.isclose(found, expected, rel_tol=CLOSE, abs_tol=CLOSE)
    expect(near, f"expected a logarithm of {expected!r}, got {found!r}")


def _compare_marginals(found: Any, expected: Any) -> None:
    expect(list(found) == list(expected), f"expected states {list(expected)}, got {list(found)}")
    for state, right in expected.exact.items():
        _compare_numbers(found[state] if found.fractions is None else found.exact[state], right)


def _compare_explanations(
    found: lg.Assignment, expected: lg.Assignment, graph: lg.FactorGraph
) -> None:
    variables = range(graph.variable_count)
    states = tuple(graph.state(v, found[graph.name(v)]) for v in variables)
    observed = all(states[v] == state for v, state in graph.evidence.items())
    expect(observed, f"an assignment against the evidence: {found}")
    best = expected.weight
    assert best is not None
    reached = weight(graph, states)
    _compare_logs(found.log_weight, expected.log_weight)
    if found.weight is not None:
        expect(found.weight == best == reached, f"expected weight {best}, got {reached}")
    ratio = float(reached / best)
    expect(math.isclose(ratio, 1, rel_tol=CLOSE), f"an assignment {ratio} times as probable")


def _smaller_graphs(case: Case) -> Iterator[Case]:
    yield from _smaller_questions(case)
    for graph in smaller_graphs(case["graph"]):
        yield {**case, "graph": graph}


def _smaller_models(case: Case) -> Iterator[Case]:
    yield from _smaller_questions(case)
    for model in smaller_models(case["model"]):
        yield {**case, "model": model}


def _smaller_questions(case: Case) -> Iterator[Case]:
    question = case["question"]
    for key in ("given", "asked"):
        for variable in question[key]:
            left = {v: state for v, state in question[key].items() if v != variable}
            if left or key == "given":
                yield {**case, "question": {**question, key: left}}


AREAS = (
    Area("irregular", _draw_graph, _check_graph, _smaller_graphs),
    Area("relational", _draw_model, _check_model, _smaller_models),
)
