"""What is timed is what the rows say: first queries and first liftings, each of its own model."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import liftgraph as lg
from liftgraph import datasets
from liftgraph.experiments import (
    Settings,
    asking,
    evaluation,
    sizes,
    timing,
    tolerance,
    treewidth,
)

QUICK = Settings(quick=True, repeats=1)


def test_tasks_take_turns_and_the_shortest_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, order = iter([0, 5, 5, 7, 7, 10, 10, 16]), list[str]()
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    times, _ = timing.best_times([lambda: order.append("a"), lambda: order.append("b")], 2)
    assert (times, order) == ([3, 2], ["a", "b", "a", "b"])


def test_the_mean_over_queries_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "best_times", lambda tasks, repeats: ([1.0, 2.0, 6.0], tasks))
    asked = {"Rev": "Rev", "Com": "Com.1", "Sal": "Sal.1"}
    assert asking.mean_query_seconds(datasets.employee(2), asked, 1) == 3.0


@pytest.mark.parametrize(
    ("study", "cell", "liftings"),
    [
        (evaluation, ("employee", 4, 0.1, 0), 4),
        (sizes, ("employee", 4, "acp"), 1),
        (tolerance, ("employee", 4, "0.1", 0), 1),
    ],
)
def test_every_time_is_that_of_a_first_query_and_a_first_lifting(
    monkeypatch: pytest.MonkeyPatch, study: Any, cell: Any, liftings: int
) -> None:
    kept: dict[str, list[object]] = {"lifting": [], "query": []}
    lift, query = timing.lift, timing.query  # type: ignore[attr-defined]

    def lifting(graph: lg.FactorGraph, *arguments: Any) -> lg.ParfactorGraph:
        kept["lifting"].append(len(graph.cache))
        lifted: lg.ParfactorGraph = lift(graph, *arguments)
        return lifted

    def asked(model: Any, *arguments: Any, method: Any) -> Any:
        kept["query"].append(len(model.cache))
        return query(model, *arguments, method=method)

    monkeypatch.setattr(timing, "lift", lifting)
    monkeypatch.setattr(timing, "query", asked)
    study.measure(cell, replace(QUICK, repeats=2))
    assert kept["lifting"] == [0] * liftings
    models = 2 if study is evaluation else 1
    assert kept["query"] == [0] * (2 * 3 * models)  # repeats × queries


def test_times_are_those_of_their_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(tasks: Any, repeats: int) -> Any:
        return [1.0, 2.0], [task() for task in tasks]

    monkeypatch.setattr(evaluation, "best_times", told)
    monkeypatch.setattr(asking, "best_times", told)
    for row in evaluation.measure(("employee", 4, 0.1, 0), QUICK):
        time = {"acp": 1.0, "alpha-acp": 2.0}[row["algorithm"]]
        assert row["offline_seconds"] == row["query_seconds"] == time


@pytest.mark.parametrize("method", ["ground", "lifted", "written"])
def test_first_queries_on_graphs_find_nothing_prepared(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    kept: list[tuple[type, int]] = []
    query = timing.query  # type: ignore[attr-defined]

    def asked(model: Any, *arguments: Any, method: Any) -> Any:
        kept.append((type(model), len(model.cache)))
        return query(model, *arguments, method=method)

    monkeypatch.setattr(timing, "query", asked)
    treewidth.measure(("clique", 4, method), replace(QUICK, repeats=3))
    kind = lg.ParfactorGraph if method == "written" else lg.FactorGraph
    assert kept == [(kind, 0)] * 3


@pytest.mark.parametrize(
    ("study", "cell"),
    [(evaluation, ("employee", 16, 0.15, 1)), (sizes, ("employee", 64, "acp"))],
)
def test_query_times_are_those_of_the_lifted_model_of_the_row(
    monkeypatch: pytest.MonkeyPatch, study: Any, cell: Any
) -> None:
    asked: list[int] = []

    def recorded(model: lg.ParfactorGraph, variable: Any) -> Any:
        asked.append(len(model.parfactors))
        return timing.lifted_query(model, variable)

    monkeypatch.setattr(asking, "lifted_query", recorded)
    rows = study.measure(cell, QUICK)
    assert asked == [row["parfactors"] for row in rows]
    assert max(asked) > 3
