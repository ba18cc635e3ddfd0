"""One model, many users: threads that ask at once, copies, and pickles in other processes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.model.query import Query
from tests.relational import families
from tests.soak.area import Area, Case, expect
from tests.soak.asking import METHODS, answer_of, answers, values_of
from tests.soak.models import graph_of, permuted_graph, smaller_graphs, symmetric_graph
from tests.soak.relational_models import model_of, relational_model, smaller_models

THREADS = 6
MOST = {"transitivity": 5}  # individuals of a family
KINDS = ("marginals", "partition", "explanation")
# What another process does: it asks the model again, and runs the plan that came with it.
OTHER = """
import pickle, sys
from tests.soak.asking import answers, values_of
model, methods, plans = pickle.load(sys.stdin.buffer)
ran = [values_of(plan.run()) for plan in plans]
pickle.dump((answers(model, methods), ran), sys.stdout.buffer)
"""


def _draw(random: Random) -> Case:
    kind = random.choice(["graph", "permuted", "model", "model", "family", "family"])
    order = random.randrange(1000)
    if kind == "family":
        size = random.choice([4, 4, 4, 5, 6])
        name = random.choice([name for name, _ in families(size)])
        # Transitivity tells all individuals apart: six of them need more than the memory limit.
        return {"family": name, "size": min(size, MOST.get(name, size)), "order": order}
    if kind == "model":
        return {"model": relational_model(random), "order": order}
    graph = symmetric_graph(random) if kind == "graph" else permuted_graph(random)
    return {"graph": graph, "order": order}


def _model(case: Case) -> Any:
    """A new model each time, that remembers nothing."""
    if "family" in case:
        return dict(families(case["size"]))[case["family"]]
    return graph_of(case["graph"]) if "graph" in case else model_of(case["model"])


def _methods(case: Case) -> tuple[str, ...]:
    """Models that are too large to be grounded are asked by lifted inference alone."""
    return ("lifted",) if "family" in case else METHODS


def _check_threads(case: Case) -> None:
    """All threads ask all questions in an order of their own; nothing is known beforehand."""
    model, expected = _model(case), answers(_model(case), _methods(case))

    def asked(number: int) -> dict[tuple[str, str], Any]:
        order = Random(case["order"] + number).sample(list(expected), len(expected))
        return {key: answer_of(model, *key) for key in order}

    with ThreadPoolExecutor(THREADS) as threads:
        for found in threads.map(asked, range(THREADS)):
            _expect_equal("threads", found, expected)


def _check_copies(case: Case) -> None:
    """Copies of a model, of its lifted model, and of plans, made after these were asked."""
    methods = _methods(case)
    expected = answers(_model(case), methods)
    model = _model(case)
    lifted = [lg.lift(model, tolerance=0)] if isinstance(model, lg.FactorGraph) else []
    for original in (model, *lifted):
        new = copy.copy(original)
        answers(original, methods)
        for copied in (new, *_copies(original)):
            expect(copied == original, "a copy that is not equal")
            _expect_equal("a copy", answers(copied, methods), expected)
    for kind, plan in _plans(model, expected).items():
        right = values_of(plan.run())
        for copied in _copies(plan):
            expect(values_of(copied.run()) == right, f"a copy of a plan, {kind}: another answer")


def _possible(expected: Any) -> bool:
    return bool(expected["partition", "lifted"] != "ZeroWeightError")


def _plans(model: Any, expected: Any) -> dict[str, Any]:
    """Plans of lifted inference, if there is anything to be answered."""
    if not _possible(expected):
        return {}
    return {kind: methods.plan(model, Query(kind, exact=True), method="lifted") for kind in KINDS}


def _copies(model: Any) -> Iterator[Any]:
    makers: tuple[Callable[[Any], Any], ...] = (
        copy.copy,
        copy.deepcopy,
        lambda value: pickle.loads(pickle.dumps(value)),
    )
    for make in makers:
        yield make(model)


def _check_pickles(case: Case) -> None:
    """Another process, in which text has other hashes, answers the same."""
    model, methods = _model(case), _methods(case)
    expected = answers(model, methods)
    plans = _plans(model, expected)
    sent = pickle.dumps((model, methods, list(plans.values())))
    done = subprocess.run(
        [sys.executable, "-c", OTHER], input=sent, capture_output=True, check=False
    )
    complaint = done.stderr.decode(errors="replace").strip().split("\n")[-1]
    expect(done.returncode == 0, f"the other process fails: {complaint}")
    found, ran = pickle.loads(done.stdout)
    _expect_equal("another process", found, expected)
    for (kind, plan), answer in zip(plans.items(), ran, strict=True):
        same = values_of(plan.run()) == answer
        expect(same, f"a plan in another process, {kind}: another answer")


def _expect_equal(who: str, found: Any, expected: Any) -> None:
    for key, right in expected.items():
        expect(found[key] == right, f"{who}: {key}: expected {right}, got {found[key]}")


def _smaller(case: Case) -> Iterator[Case]:
    if "family" in case:
        if case["size"] > 4:
            yield {**case, "size": case["size"] - 1}
        return
    key, smaller = ("graph", smaller_graphs) if "graph" in case else ("model", smaller_models)
    for description in smaller(case[key]):
        yield {**case, key: description}


AREAS = (
    Area("threads", _draw, _check_threads, _smaller),
    Area("copies", _draw, _check_copies, _smaller),
    Area("pickles", _draw, _check_pickles, _smaller, seconds=60),
)
