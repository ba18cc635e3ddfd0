"""Studies: which graphs they measure, what they time, and that answers are checked first."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import datasets
from liftgraph.experiments import (
    Settings,
    asking,
    closed_forms,
    evaluation,
    floats,
    sizes,
    tolerance,
    treewidth,
)
from liftgraph.experiments.float_comparisons import COMPARISONS, equal_ratios, representatives
from liftgraph.experiments.instances import ASKED, FAMILIES, instance, queries, template
from liftgraph.model.ground.table import collinear

QUICK = Settings(quick=True, repeats=1)


def untimed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in rows]


def test_the_grid_of_graphs_is_the_paper_s() -> None:
    cells = evaluation.cells(Settings(graphs=2))
    assert {d for _, d, _, _ in cells} == {2**k for k in range(1, 11)}
    assert {p for _, _, p, _ in cells} == {0.01, 0.05, 0.1, 0.15}
    assert len(cells) == len(set(cells)) == 10 * 4 * 2 * 4
    assert [d for _, d, _, _ in cells] == sorted(d for _, d, _, _ in cells)


@pytest.mark.parametrize("family", FAMILIES)
def test_three_to_four_queries_about_one_individual(family: str) -> None:
    assert 3 <= len(ASKED[family]) <= 4
    by_seed = [queries(family, 64, seed) for seed in range(20)]
    assert len({tuple(asked.values()) for asked in by_seed}) > 5  # not always about the same one
    graph = instance(family, 64, 0.15, 3, QUICK)
    for prv, name in by_seed[3].items():
        assert graph.has_variable(name)
        assert name.split(".")[0] == prv


def test_graphs_may_be_permuted_and_commutative() -> None:
    both = Settings(permuted=True, commutative=True)
    plain = instance("epid", 16, 0.15, 1, QUICK)
    varied = instance("epid", 16, 0.15, 1, both)
    assert plain.scope.tolist() == datasets.epid(16, seed=1).ground().scope.tolist()
    assert varied.scope.tolist() != plain.scope.tolist()
    assert lg.commutative_sets(varied.factors[1].table) == ((0, 1, 2),)


def test_other_factors_are_scaled_in_every_family_and_size_and_more_with_a_larger_p() -> None:
    def scaled_ones(family: str, d: int, p: float) -> list[int]:
        graph, plain = instance(family, d, p, 0, QUICK), template(family, d, 0).ground()
        return [j for j in range(2 * d) if graph.factors[j].parts != plain.factors[j].parts]

    assert scaled_ones("ds4", 64, 0.15) != scaled_ones("ds6", 64, 0.15)
    assert scaled_ones("ds4", 64, 0.15) != [j for j in scaled_ones("ds4", 128, 0.15) if j < 128]
    assert set(scaled_ones("ds4", 64, 0.05)) < set(scaled_ones("ds4", 64, 0.15))


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_a_cell_of_the_evaluation(family: str) -> None:
    rows = evaluation.measure((family, 16, 0.15, 1), QUICK)
    model = template(family, 16, 1)
    assert all(tuple(sorted(row)) == tuple(sorted(evaluation.COLUMNS)) for row in rows)
    assert [row["query"] for row in rows[::2]] == list(ASKED[family])
    for row in rows:
        assert (row["variables"], row["factors"]) == (model.variable_count, model.factor_count)
        assert row["offline_seconds"] > 0 < row["query_seconds"]
        expected = model.ground().query(queries(family, 16, 1)[row["query"]], exact=True)
        assert row["probability"] == pytest.approx(float(expected.exact["true"]), rel=1e-12)
        if row["algorithm"] == "alpha-acp":
            assert row["parfactors"] == len(model.parfactors)
        else:
            assert row["parfactors"] > len(model.parfactors)
    assert untimed(rows) == untimed(evaluation.measure((family, 16, 0.15, 1), QUICK))


@pytest.mark.parametrize("family", FAMILIES)
def test_permuted_and_commutative_graphs_are_measured_and_checked(family: str) -> None:
    """Answers are those of ground elimination on the same graph, or there would be no rows."""
    settings = Settings(repeats=1, permuted=True, commutative=True)
    rows = evaluation.measure((family, 8, 0.15, 2), settings)
    sizes_of = {row["algorithm"]: row["parfactors"] for row in rows}
    assert len(rows) == 2 * len(ASKED[family])
    assert sizes_of["alpha-acp"] == len(template(family, 8, 2).parfactors) <= sizes_of["acp"]


def test_no_time_counts_if_the_answer_is_not_the_checked_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(
        lg.ComputationError, match=r"P\(Epid\): got 0.5, the independent check says 0.6"
    ):
        asking.checked("P(Epid)", 0.5, 0.6)
    with pytest.raises(lg.ComputationError):
        asking.checked("P(Epid)", float("nan"), 0.6)
    assert asking.checked("P(Epid)", 0.0, 0.0) == 0
    right = asking.by_ground_elimination

    def wrong(graph: lg.FactorGraph, asked: asking.Asked) -> dict[str, float]:
        return {prv: probability * (1 + 1e-8) for prv, probability in right(graph, asked).items()}

    monkeypatch.setattr(evaluation, "by_ground_elimination", wrong)
    with pytest.raises(lg.ComputationError, match="independent check"):
        evaluation.measure(("employee", 4, 0.1, 0), QUICK)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_formulas_are_right_for_the_paper_s_families(family: str, d: int) -> None:
    model = template(family, d, seed=d)
    for prv in ASKED[family]:
        name = queries(family, d, seed=d)[prv]
        exact = model.ground().query(name, exact=True, method="ground").exact["true"]
        assert closed_forms.by_formula(family, model, prv) == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.parametrize("family", treewidth.FAMILIES)
@pytest.mark.parametrize("n", [2, 3, 6])
def test_formulas_are_right_for_the_textbook_models(family: str, n: int) -> None:
    model = treewidth.FAMILIES[family](n)
    exact = model.ground().query(model.name((0, (0,))), exact=True, method="ground").exact["true"]
    probability = closed_forms.by_formula(family, model, model.prvs[0].name)
    assert probability == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.long
def test_a_cell_of_each_extended_study() -> None:
    parfactors = {}
    for algorithm in sizes.SIZES:
        rows = sizes.measure(("ds4", 1024, algorithm), QUICK)
        assert {row["algorithm"] for row in rows} == {algorithm}
        assert (rows[0]["offline_seconds"] is None) == (algorithm == "written")
        assert all(set(row) == set(sizes.COLUMNS) for row in rows)
        parfactors[algorithm] = rows[0]["parfactors"]
    assert parfactors["written"] == parfactors["alpha-acp"] == 2 < parfactors["acp"]
    for method in treewidth.SIZES:
        (row,) = treewidth.measure(("clique", 8, method), QUICK)
        assert row["probability"] == pytest.approx(0.5, abs=0.01)
        assert set(row) == set(treewidth.COLUMNS)
    (refused,) = treewidth.measure(("clique", 32, "ground"), QUICK)
    assert refused["seconds"] is None
    assert "GiB" in refused["refused"]
    (row,) = treewidth.measure(("clique", 64, "lifted"), QUICK)  # ground is refused there
    assert row["refused"] is None
    (row,) = treewidth.measure(("clique", 4096, "written"), QUICK)  # and so is grounding
    assert row["refused"] is None


@pytest.mark.long
def test_floats_lose_groups_or_find_wrong_ones() -> None:
    parfactors, errors = {}, {}
    for comparison in (floats.EXACT, *COMPARISONS):
        for data in ("scaled by tenths", "perturbed by 1e-6"):
            (row,) = floats.measure(("employee", 16, data, comparison), QUICK)
            parfactors[comparison, data] = row["parfactors"]
            errors[comparison, data] = row["log_odds_error"]
    assert parfactors[floats.EXACT, "scaled by tenths"] == 3
    assert parfactors["equal ratios", "scaled by tenths"] > 3
    assert parfactors[floats.EXACT, "perturbed by 1e-6"] == 48
    assert errors[floats.EXACT, "perturbed by 1e-6"] < 1e-9
    assert parfactors["close shares", "perturbed by 1e-6"] == 3
    assert errors["close shares", "perturbed by 1e-6"] > 1e-9


@given(st.lists(st.lists(st.integers(1, 6), min_size=3, max_size=3), min_size=1, max_size=6))
def test_ratios_of_small_integers_are_exact(values: list[list[int]]) -> None:
    """Scaled by powers of two, floats make no mistake: the comparison must agree with integers."""
    tables = [
        lg.Table.of([Fraction(v) * Fraction(2) ** (index - 3) for v in entries])
        for index, entries in enumerate(values)
    ]
    expected = [
        next(i for i, other in enumerate(tables) if collinear(table, other)) for table in tables
    ]
    assert representatives(tables, equal_ratios) == expected


def test_a_tolerance_groups_what_noise_tells_apart_within_its_bound() -> None:
    rows = [
        row for epsilon in ("0", "0.1") for row in tolerance.measure(("ds4", 16, epsilon, 0), QUICK)
    ]
    exact, near = rows
    assert (exact["parfactors"], near["parfactors"]) == (32, 2)
    assert exact["log_odds_bound"] == 0
    assert 1e-9 < near["log_odds_error"] < near["log_odds_bound"]


def test_log_odds_of_nearly_certain_answers_can_be_compared() -> None:
    (row,) = tolerance.measure(("epid", 64, "0.1", 1), QUICK)
    assert 0 < row["log_odds_error"] < row["log_odds_bound"]
    graph = datasets.perturbed(template("epid", 64, 1).ground(), tolerance.NOISE, 1)
    assert graph.query("Epid").probabilities.max() == 1.0  # as a float


def test_formulas_are_refused_for_what_they_do_not_say() -> None:
    with pytest.raises(lg.InputError, match="smokers: expected Smokes, got Friends"):
        closed_forms.by_formula("smokers", datasets.smokers(4), "Friends")


def test_treewidth_is_checked_by_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treewidth, "by_formula", lambda *_: 0.4)
    with pytest.raises(lg.ComputationError, match="independent check"):
        treewidth.measure(("clique", 4, "written"), QUICK)


def test_sizes_are_checked_by_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "by_formula", lambda *_: 0.4)
    with pytest.raises(lg.ComputationError, match="independent check"):
        sizes.measure(("ds4", 4, "alpha-acp"), QUICK)


def test_the_check_knows_nothing_of_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    methods: list[str] = []
    query = asking.query  # type: ignore[attr-defined]

    def recorded(*arguments: Any, method: Any) -> Any:
        methods.append(method)
        return query(*arguments, method=method)

    monkeypatch.setattr(asking, "query", recorded)
    asking.by_ground_elimination(datasets.employee(3).ground(), {"Rev": "Rev"})
    assert methods == ["ground"]


def test_differences_are_relative() -> None:
    assert asking.checked("P", 1e-6 * (1 + 1e-10), 1e-6) == pytest.approx(1e-10, rel=1e-3)
    with pytest.raises(lg.ComputationError):
        asking.checked("P", 1e-6 * (1 + 2e-9), 1e-6)


def test_differences_are_told() -> None:
    model, asked = datasets.employee(3), {"Rev": "Rev"}
    right = asking.by_ground_elimination(model.ground(), asked)["Rev"]
    (row,) = asking.asked_rows("", {"x": model}, asked, {"Rev": right * (1 - 1e-10)}, 1)
    assert row["difference"] == pytest.approx(1e-10, rel=1e-3)


def test_log_odds_are_checked_by_ground_elimination(monkeypatch: pytest.MonkeyPatch) -> None:
    methods: set[tuple[type, str]] = set()
    partition = asking.partition  # type: ignore[attr-defined]

    def recorded(model: Any, *, given: Any, method: Any) -> Any:
        methods.add((type(model), method))
        return partition(model, given=given, method=method)

    monkeypatch.setattr(asking, "partition", recorded)
    graph = datasets.employee(3).ground()
    asking.worst_log_odds_error(lg.lift(graph), graph, {"Rev": "Rev"})
    assert methods == {(lg.ParfactorGraph, "lifted"), (lg.FactorGraph, "ground")}


def test_the_given_graph_itself_is_asked_for_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    given_graphs: list[lg.FactorGraph] = []
    check = asking.by_ground_elimination

    def made(*arguments: Any) -> lg.FactorGraph:
        given_graphs.append(instance(*arguments))
        return given_graphs[0]

    def checked(graph: lg.FactorGraph, asked: asking.Asked) -> dict[str, float]:
        assert graph is given_graphs[0]
        return check(graph, asked)

    monkeypatch.setattr(evaluation, "instance", made)
    monkeypatch.setattr(evaluation, "by_ground_elimination", checked)
    evaluation.measure(("employee", 4, 0.1, 0), QUICK)
    assert given_graphs


def test_an_error_beyond_its_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tolerance, "worst_log_odds_error", lambda *_: 9.0)
    with pytest.raises(lg.ComputationError, match=r"off by 9.0, more than the bound"):
        tolerance.measure(("ds4", 4, "0.1", 0), QUICK)


def test_noise_has_the_seed_of_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def perturbed(graph: lg.FactorGraph, noise: object, seed: int) -> lg.FactorGraph:
        seeds.append(seed)
        return datasets.perturbed(graph, noise, seed)

    monkeypatch.setattr(tolerance, "perturbed", perturbed)
    tolerance.measure(("employee", 4, "0", 7), QUICK)
    assert seeds == [7]


def test_the_worst_of_all_log_odds_counts() -> None:
    graph = datasets.employee(4).ground()
    noisy = datasets.perturbed(graph, "0.1", seed=3)
    model, asked = lg.lift(noisy), {"Rev": "Rev", "Com": "Com.1", "Sal": "Sal.1"}
    odds = {
        name: [np.log(p[0] / p[1]) for p in (g.query(name).probabilities for g in (graph, noisy))]
        for name in asked.values()
    }
    expected = max(abs(mine - theirs) for mine, theirs in odds.values())
    assert asking.worst_log_odds_error(model, graph, asked) == pytest.approx(expected, rel=1e-9)


# ---- which cells there are


@pytest.mark.parametrize("study", [sizes, treewidth, tolerance, floats])
def test_cells_are_complete_different_and_smallest_first(study: Any) -> None:
    families = treewidth.FAMILIES if study is treewidth else FAMILIES
    complete, quick = study.cells(Settings()), study.cells(QUICK)
    for cells in (complete, quick):
        assert len(set(cells)) == len(cells)
        assert {cell[0] for cell in cells} == set(families)
        assert [cell[1] for cell in cells] == sorted(cell[1] for cell in cells)
    assert len(quick) <= len(complete)
    assert max(cell[1] for cell in quick) < max(cell[1] for cell in complete)


def test_seeds_follow_the_first_one() -> None:
    assert {cell[3] for cell in tolerance.cells(Settings(seed=5, graphs=2))} == {5, 6}
    assert Settings(quick=True, seed=4).seeds == range(4, 5)


# ---- comparisons in floats


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("equal shares", 0, 1e-12),
        ("cosine distance < 1e-9", 1e-5, 1e-3),
        ("close shares", 1e-6, 1e-3),
        ("cosine distance = 0", 0, 1e-3),
        ("equal ratios", 0, 1e-12),
    ],
)
def test_what_comparisons_tell_apart(name: str, near: float, far: float) -> None:
    table = np.array([1.0, 2.0, 4.0])
    others = np.array([table, table * (1, 1, 1 + near), table * (1, 1, 1 + far), table[::-1]])
    alike = COMPARISONS[name](table * 4, others * np.array([[1], [2], [8], [2]]))
    assert alike.tolist() == [True, True, False, False]


def test_the_first_representative_is_taken() -> None:
    tables = [lg.Table.of([1, 1 + Fraction(k, 10**6)]) for k in (0, 30, 15)]
    assert representatives(tables, COMPARISONS["close shares"]) == [0, 1, 0]


@pytest.mark.long
def test_scaled_data_stay_exchangeable_and_perturbed_do_not() -> None:
    for data in floats.DATA:
        (row,) = floats.measure(("employee", 4, data, floats.EXACT), QUICK)
        assert row["parfactors"] == (12 if data.startswith("perturbed") else 3)
    graph = datasets.employee(64).ground()
    for data, unit in (("scaled by tenths", 10), ("scaled by sevenths", 7)):
        scales = {table.scale.denominator for table in floats.DATA[data](graph, 0).tables}
        assert unit in scales
