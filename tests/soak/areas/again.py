"""One graph asked again and again, compiled, and in rows: nothing leaks from one to the next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.soak.area import Area, Case, expect
from tests.soak.models import graph_of, irregular_graph, network, smaller_graphs

CLOSE = 1e-9
WAYS = ["auto", "ground", "lifted", "compiled", "compiled", "partition", "explain"]


def _states(random: Random, states: list[int], share: float) -> dict[str, int]:
    """States of a share of the variables; keys are text because JSON wants it so."""
    return {str(v): random.randrange(s) for v, s in enumerate(states) if random.random() < share}


def _draw_again(random: Random) -> Case:
    """Questions of few patterns in any order; some about a graph that was derived by evidence."""
    graph = random.choice([irregular_graph, network, network])(random)
    states = graph["states"]
    patterns = [
        (random.sample(range(len(states)), random.randint(1, min(2, len(states)))), share)
        for share in random.choices([0.0, 0.2, 0.4], k=3)
    ]
    derived = [_states(random, states, 0.2) for _ in range(2)]
    questions = []
    for _ in range(random.randint(2, 10)):
        asked, share = random.choice(patterns)
        questions.append(
            {
                "way": random.choice(WAYS),
                "exact": random.random() < 0.5,
                "evidence": random.choice([None, *derived]),
                "asked": asked,
                "given": _states(random, states, share),
            }
        )
    return {"graph": graph, "questions": questions}


def _check_again(case: Case) -> None:
    """The oracle forgets everything, and the graph nothing."""
    graph = graph_of(case["graph"])
    for question in case["questions"]:
        derived = graph if question["evidence"] is None else graph.observing(_of(question))
        given = {int(v): state for v, state in question["given"].items()}
        given = {v: state for v, state in given.items() if v not in derived.evidence}
        expected = _enumerated(derived, question["asked"], given)
        found = _outcome(lambda d=derived, g=given, q=question: _asked(d, q, g))
        if isinstance(found, lg.Marginal) and isinstance(expected, lg.Marginal):
            _compare(found, expected, question["way"])
        elif question["way"] != "explain":  # a plan need not know that nothing is possible
            impossible = expected is None
            expect((found is None) == impossible, f"{question['way']}: {expected}, got {found}")


def _of(question: Case) -> dict[int, int]:
    return {int(variable): state for variable, state in question["evidence"].items()}


def _asked(graph: lg.FactorGraph, question: Case, given: dict[int, int]) -> Any:
    asked, exact, way = question["asked"], question["exact"], question["way"]
    if way == "compiled":
        return graph.compile(*asked, given=list(given), exact=exact)(*given.values())
    if way == "partition":
        return graph.partition(given=given, exact=exact)
    if way == "explain":
        return graph.explain(*asked, given=given, exact=exact)
    return graph.query(*asked, given=given, exact=exact, method=way)


def _outcome(ask: Any) -> Any:
    """An answer, or None if nothing is possible."""
    try:
        return ask()
    except lg.ZeroWeightError:
        return None


def _enumerated(graph: lg.FactorGraph, asked: list[int], given: dict[int, int]) -> Any:
    observed = graph.observing({**graph.evidence, **given})
    return _outcome(lambda: brute_force(observed, Query("marginal", tuple(asked))))


def _compare(found: lg.Marginal, expected: lg.Marginal, way: str) -> None:
    for state, right in expected.exact.items():
        if found.fractions is not None:
            same = found.exact[state] == right
        else:
            same = _is_close(found[state], float(right))
        expect(same, f"{way}: expected {right} for {state}, got {found[state]!r}")


def _is_close(found: float, right: float) -> bool:
    return math.isclose(found, right, rel_tol=CLOSE, abs_tol=1e-300) and (found == 0) == (
        right == 0
    )


def _draw_rows(random: Random) -> Case:
    """Few kinds of rows, each often, with values missing here and there."""
    graph = random.choice([irregular_graph, network])(random)
    states = graph["states"]
    columns = [_states(random, states, random.choice([0.2, 0.6, 0.9])) for _ in range(5)]
    return {
        "graph": graph,
        "asked": random.sample(range(len(states)), random.randint(1, min(2, len(states)))),
        "rows": random.choices(columns, k=random.randint(1, 12)),
        "method": random.choice(["auto", "ground", "ground", "lifted"]),
    }


def _check_rows(case: Case) -> None:
    graph, asked = graph_of(case["graph"]), case["asked"]
    columns = [v for v in range(graph.variable_count) if v not in asked and v not in graph.evidence]
    rows = [{v: row[str(v)] for v in columns if str(v) in row} for row in case["rows"]]
    table = {
        graph.name(v): [graph.states(v)[row[v]] if v in row else None for row in rows]
        for v in columns
    }
    if not table:
        return
    predicted = graph.predict(table, *asked, method=case["method"], impossible="missing")
    for place, row in enumerate(rows):
        for variable in asked:
            expected = _enumerated(graph, [variable], row)
            for state in graph.states(variable):
                found = predicted[f"P({graph.name(variable)}={state})"][place]
                right = None if expected is None else expected[state]
                same = found is right if found is None or right is None else _is_close(found, right)
                expect(same, f"row {place}: expected {right}, got {found}")


def _smaller(case: Case) -> Iterator[Case]:
    """With a question or a row less, or a smaller graph of the same variables."""
    for key in case.keys() & {"questions", "rows"}:
        for index in range(len(case[key])):
            yield {**case, key: case[key][:index] + case[key][index + 1 :]}
    for graph in smaller_graphs(case["graph"]):
        if graph["states"] == case["graph"]["states"]:
            yield {**case, "graph": graph}


AREAS = (
    Area("again", _draw_again, _check_again, _smaller),
    Area("rows", _draw_rows, _check_rows, _smaller),
)
