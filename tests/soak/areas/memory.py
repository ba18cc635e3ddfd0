"""What plans promise of memory: no more is taken, and a limit is kept or the question refused."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph import datasets
from liftgraph.inference import methods
from liftgraph.model.memory_limit import PLANNING_BYTES
from liftgraph.model.query import Query
from tests.relational import families
from tests.soak.area import Area, Case, expect
from tests.soak.files import temporary_folder
from tests.soak.models import graph_of

KINDS = ["marginal", "marginals", "partition", "explanation"]
OVERHEAD = 2**18  # what Python itself takes for objects that are not tables
CROWDS = ["star", "ordered pairs", "unordered pairs", "unordered pairs of pairs", "different links"]


def _random_graph(random: Random) -> Case:
    """A graph of medium size: pairs and triples of near variables, so that it can be answered."""
    states = [random.choice([2, 2, 3]) for _ in range(random.randint(20, 60))]
    width = random.randint(2, 9)
    factors = []
    for _ in range(random.randint(20, 90)):
        start = random.randrange(len(states) - width)
        scope = random.sample(range(start, start + width), random.randint(1, min(3, width)))
        count = 1
        for variable in scope:
            count *= states[variable]
        factors.append(
            {"scope": scope, "values": [str(random.randint(0, 9)) for _ in range(count)]}
        )
    return {"states": states, "factors": factors, "evidence": {}}


def _draw(random: Random) -> Case:
    """Irregular graphs, relational families, and datasets; a limit half of the time."""
    kind = random.choice(["graph", "family", "crowd", "dataset"])
    names = [name for name, _ in families(4)]
    model: Case = {"graph": _random_graph(random)}
    if kind == "family":
        model = {"family": random.choice(names), "size": random.choice([*range(4, 10), 30, 60])}
    elif kind == "crowd":
        model = {"family": random.choice(CROWDS), "size": random.choice([50, 100, 300])}
    elif kind == "dataset":
        model = {"epid": random.choice([10, 40, 160])}
    return {
        **model,
        "question": random.choice(KINDS),
        "method": random.choice(["auto", "lifted", "ground"]),
        "exact": random.random() < 0.4,
        "limit": random.choice([None, 2 ** random.randint(8, 24)]),
    }


def _model(case: Case) -> Any:
    if "graph" in case:
        return graph_of(case["graph"])
    if "epid" in case:
        return datasets.epid(case["epid"])
    return next(model for name, model in families(case["size"]) if name == case["family"])


def _traced(call: Callable[[], Any]) -> tuple[Any, int]:
    """What a call returns (None if it refuses), and the most memory that was taken meanwhile."""
    tracemalloc.start()
    try:
        try:
            answer = call()
        except (lg.MemoryLimitError, lg.ZeroWeightError):
            answer = None
        return answer, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _check(case: Case) -> None:
    model = _model(case)
    variables = (0,) if case["question"] == "marginal" else ()
    query = Query(case["question"], variables, case["exact"])
    limit = 2**27 if case["limit"] is None else case["limit"]
    ask = partial(methods.plan, model, query, method=case["method"], memory_limit=limit)
    plan, peak = _traced(ask)
    expect(peak <= limit + PLANNING_BYTES, f"planning beyond the limit: {peak} > {limit}")
    if plan is None:
        return
    expect(plan.peak_bytes <= limit, f"a plan beyond the limit: {plan.peak_bytes} > {limit}")
    _, peak = _traced(plan.run)
    promised = plan.peak_bytes + OVERHEAD
    problem = f"more memory than promised: {peak} > {promised} ({plan.method}, {query.kind})"
    expect(peak <= promised, problem)


def _draw_limit(random: Random) -> Case:
    suffix = random.choice([".json", ".uai", ".fg"])
    return {**_draw(random), "suffix": suffix, "limit": int(2 ** random.uniform(14, 24))}


def _check_lifting(case: Case) -> None:
    """Lifting, and reading, is refused or takes no more than its limit."""
    model, limit = _model(case), case["limit"]
    try:
        graph = model if isinstance(model, lg.FactorGraph) else model.ground(2**24)
    except lg.MemoryLimitError:
        return
    lg.lift(datasets.smokers(3).ground())  # imports what is imported late
    lifted, peak = _traced(partial(lg.lift, graph, memory_limit=limit))
    problem = f"lifting takes more than its limit: {peak} > {limit}"
    expect(lifted is None or peak <= limit + OVERHEAD, problem)
    with temporary_folder() as folder:
        path = folder / f"m{case['suffix']}"
        lg.write(graph, path)
        content, peak = _traced(partial(lg.read, path, memory_limit=limit))
    problem = f"reading takes more than its limit: {peak} > {limit} ({case['suffix']})"
    expect(content is None or peak <= limit + OVERHEAD, problem)


def _smaller(case: Case) -> Iterator[Case]:
    if "graph" in case:
        factors = case["graph"]["factors"]
        for count in (len(factors) // 2, len(factors) - 1):
            yield {**case, "graph": {**case["graph"], "factors": factors[:count]}}
    for size in ("size", "epid"):
        if case.get(size, 0) > 4:
            yield {**case, size: case[size] - max(1, case[size] // 4)}
    if case["exact"]:
        yield {**case, "exact": False}


AREAS = (
    Area("memory", _draw, _check, _smaller, seconds=60),
    Area("limits", _draw_limit, _check_lifting, _smaller, seconds=60),
)
