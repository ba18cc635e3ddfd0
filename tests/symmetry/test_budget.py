"""Searches that cost too much are given up: in any order of the input alike, and the result says
so; what was found is right all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.symmetry.tables import budget, exchangeable, labelling, near
from liftgraph.symmetry.tables.exchangeable import TableClasses, classes, find_alignment
from tests.symmetry.designs import four_by_four, paired, reed_muller, rotating

STEPS = (0, 1, 2, 5, 10, 20, 50, 100, 1000)


def allow(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Allow this many steps for every search, of whatever size."""
    for module in (labelling, near, exchangeable):
        monkeypatch.setattr(
            module, "most_entries", lambda size: steps * max(size, budget.LEAST_COUNTED)
        )


def shuffled(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return values.transpose(rng.permutation(values.ndim))


def noisy(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return np.asarray(1000 * values + rng.integers(0, 3, values.shape))


def groups(found: TableClasses) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(found.class_of == k).tolist()) for k in set(found.class_of)}


@pytest.mark.parametrize("steps", STEPS)
def test_near_classes_do_not_depend_on_the_order_under_any_budget(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, steps)
    rng = np.random.default_rng(3)
    kinds = [rotating(5), reed_muller(2), paired(3), paired(3).transpose(1, 0, 2, 3, 4, 5)]
    pool = [noisy(shuffled(values, rng), rng) for values in kinds for _ in range(3)]
    found = classes([lg.Table.of(values) for values in pool], tolerance="0.01")
    others = [lg.Table.of(shuffled(values, rng)) for values in pool]
    again = classes(others, tolerance="0.01")
    given_up = set(found.given_up)
    assert given_up == set(again.given_up)
    assert {g for g in groups(found) if not g & given_up} == {
        g for g in groups(again) if not g & given_up
    }
    if steps >= 100:
        assert not given_up
        assert len(groups(found)) == 3


def test_tables_that_are_given_up_are_apart_unless_they_are_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allow(monkeypatch, 0)
    values = rotating(5)
    turned, other = values.transpose(1, 2, 3, 4, 0), values.transpose(1, 0, 2, 3, 4)
    pool = [lg.Table.of(table) for table in (values, 3 * values, other, turned, np.ones((2,) * 5))]
    for tolerance in (0, "0.01"):
        found = classes(pool, tolerance=tolerance)
        assert groups(found) == {frozenset({0, 1, 3}), frozenset({2}), frozenset({4})}
        assert found.given_up == (0, 1, 2, 3)
    measured = [lg.Table.of(values * factor) for factor in (1.0, 1 + 1e-15, 0.1)]
    assert len(classes(measured).representatives) == 1
    with pytest.raises(lg.ComputationError, match="the search was given up"):
        find_alignment(pool[0], pool[2])
    with pytest.raises(lg.ComputationError, match="the search was given up"):
        find_alignment(pool[0], pool[2], tolerance="0.01")
    assert find_alignment(pool[0], pool[1]) is not None
    assert find_alignment(pool[0], pool[4], tolerance="0.01") is None


def test_graphs_that_only_a_search_tells_apart() -> None:
    rng = np.random.default_rng(0)
    graphs = [four_by_four(shrikhande) for shrikhande in (True, False)]
    pool = [lg.Table.of(shuffled(values, rng)) for values in graphs for _ in range(2)]
    found = classes(pool)
    assert groups(found) == {frozenset({0, 1}), frozenset({2, 3})}
    assert not found.given_up
    assert find_alignment(pool[0], pool[2]) is None


def test_a_hopeless_search_for_a_near_table_is_given_up() -> None:
    rng = np.random.default_rng(0)
    pool = [lg.Table.of(noisy(shuffled(reed_muller(4), rng), rng)) for _ in range(2)]
    found = classes(pool, tolerance="0.01")
    assert len(found.given_up) == 1
    assert len(found.representatives) == 2


def test_all_searches_together_have_a_budget_but_each_table_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(near, "MOST_ENTRIES_FOR_ALL", 0)
    rng = np.random.default_rng(4)
    pool = [lg.Table.of(noisy(shuffled(paired(3), rng), rng)) for _ in range(20)]
    assert not classes(pool, tolerance="0.01").given_up
    monkeypatch.setattr(near, "ALWAYS_ALLOWED", 0)
    assert len(classes(pool, tolerance="0.01").given_up) == 19


def graph_of(tables: list[NDArray[Any]]) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    for values in tables:
        variables = builder.add_variables(values.ndim)
        builder.add_factor(list(variables), values)
    return builder.build()


def test_results_say_what_was_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = graph_of([rotating(5), rotating(5).transpose(1, 0, 2, 3, 4)])
    note = "2 tables with too many orders of arguments to compare"
    assert not lg.colour_passing(graph).given_up
    assert note not in lg.lift(graph).summary()
    allow(monkeypatch, 0)
    graph = graph_of([rotating(5), rotating(5).transpose(1, 0, 2, 3, 4)])
    colouring = lg.colour_passing(graph)
    assert (colouring.given_up, colouring.factor_group_count) == (2, 2)
    assert "search given up for 2 tables" in repr(colouring)
    assert colouring.variable_group_count == graph.variable_count
    model = lg.lift(graph)
    assert model.ground() == graph
    assert note in model.summary()
    assert note in graph.explain(0, method="lifted").text
    assert graph.query(0, method="lifted") == graph.query(0, method="ground")
    path = str(tmp_path / "model.json")
    lg.write(graph, path)
    assert main(["lift", path]) == 0
    assert note in capsys.readouterr().out
    assert main(["lift", path, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["given_up"] == 2


@pytest.mark.parametrize(
    ("initial", "came"),
    [
        ([0, 1, 0], "got list"),
        (np.zeros(2, np.int32), r"got int32 of shape \(2,\)"),
        (np.zeros((3, 1), np.int32), r"got int32 of shape \(3, 1\)"),
        (np.zeros(3), r"got float64 of shape \(3,\)"),
        (np.array([0, -1, 2]), "none negative, got -1"),
        ("abc", "got str"),
    ],
    ids=["list", "short", "matrix", "floats", "negative", "text"],
)
def test_initial_colours_are_checked(initial: Any, came: str) -> None:
    graph = graph_of([np.array([[[1, 2], [2, 3]], [[2, 3], [3, 4]]])])
    with pytest.raises(lg.InputError, match=f"expected initial colours as an array of 3.*{came}"):
        lg.colour_passing(graph, initial=initial)
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        coloured = lg.colour_passing(graph, initial=np.array([7, 0, 7], dtype=kind))
        assert coloured.variable_colours.tolist() in ([0, 1, 0], [1, 0, 1])
