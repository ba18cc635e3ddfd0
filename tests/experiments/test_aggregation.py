"""Results put together: β, means, and tables of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from liftgraph.experiments import STUDIES
from liftgraph.experiments.aggregation import (
    CASES,
    Amortisation,
    amortisations,
    case,
    graphs,
    mean_by,
)
from liftgraph.experiments.published import MEAN, MILLISECONDS
from liftgraph.experiments.published import SIZES as PUBLISHED_SIZES

FIGURES = Path(__file__).parents[3] / "shared" / "paper" / "figures.json"


def evaluation_rows(offline: tuple[float, float], online: tuple[float, float]) -> list[Any]:
    cell = {"family": "epid", "d": 4, "p": 0.1, "seed": 0}
    return [
        {**cell, "algorithm": a, "parfactors": size, "offline_seconds": o, "query_seconds": t * f}
        for a, size, o, t in zip(("acp", "alpha-acp"), (9, 3), offline, online, strict=True)
        for f in (0.5, 1.5)  # two queries whose mean is the given time
    ]


@pytest.mark.parametrize(
    ("offline", "online", "beta", "case_index"),
    [
        ((4.0, 3.0), (2.0, 1.0), 0.0, 1),
        ((3.0, 4.0), (3.0, 1.0), 0.5, 2),
        ((3.0, 6.0), (3.0, 2.0), 3.0, 3),
        ((3.0, 33.0), (3.0, 1.0), 15.0, 4),
        ((3.0, 4.0), (1.0, 2.0), None, 5),
        ((4.0, 3.0), (1.0, 2.0), 0.0, 1),
    ],
)
def test_amortisation(
    offline: tuple[float, float], online: tuple[float, float], beta: float | None, case_index: int
) -> None:
    (graph,) = amortisations(evaluation_rows(offline, online))
    assert graph.beta == beta
    assert case(graph) == CASES[case_index]
    assert case(Amortisation("epid", 4, 0.1, 0, True, graph.overhead, graph.gain)) == CASES[0]


@pytest.mark.skipif(not FIGURES.exists(), reason="needs the paper's curves in ../shared")
def test_the_published_curves_are_those_of_the_paper() -> None:
    given_curves = json.loads(FIGURES.read_text())
    assert given_curves["d"] == list(PUBLISHED_SIZES)
    for key, curves in MILLISECONDS.items():
        theirs = given_curves[key if key == MEAN else f"p={key}"]
        assert {name: list(values) for name, values in curves.items()} == theirs


def test_the_summary_has_means_over_queries_and_the_paper_s_times() -> None:
    rows = [
        {**row, "prvs": 3, "factors": 20} for row in evaluation_rows((0.004, 0.003), (0.02, 0.001))
    ]
    times, _, amortisation = STUDIES["paper"].summary(rows).partition("\n\n")
    theirs = MILLISECONDS[MEAN]["acp"][1], MILLISECONDS[MEAN]["alpha-acp"][1]
    assert [float(cell) for cell in times.splitlines()[2].split("|")[1:-1]] == pytest.approx(
        [4, 20, 1, 20, *theirs, theirs[0] / theirs[1], 9, 3], rel=1e-2
    )
    cells = [cell.strip() for cell in amortisation.splitlines()[2].split("|")[1:-1]]
    assert cells == ["4", "4.00", "3.00", "1", "0", "1", "0", "0", "0", "0", "0"]


@pytest.mark.parametrize(
    ("overhead", "gain", "beta", "name"),
    [
        (0.0, -1.0, 0.0, "no overhead"),
        (1.0, 0.0, None, "never"),
        (1.0, 1.0, 1.0, "β ≤ 1"),
        (10.0, 1.0, 10.0, "β ≤ 10"),
        (-2.0, 1.0, 0.0, "no overhead"),
    ],
)
def test_amortisation_at_the_limits(
    overhead: float, gain: float, beta: float | None, name: str
) -> None:
    graph = Amortisation("epid", 4, 0.1, 0, False, overhead, gain)
    assert (graph.beta, case(graph)) == (beta, name)
    assert graph.quotient == (overhead / gain if gain > 0 else None)


def test_a_graph_counts_once_however_many_queries_it_has() -> None:
    rows = [
        {"family": f, "d": 4, "p": 0.1, "seed": s, "algorithm": "acp", "offline_seconds": t}
        for f, s, t, queries in (("epid", 0, 1.0, 4), ("epid", 1, 3.0, 1), ("ds4", 0, 8.0, 3))
        for _ in range(queries)
    ]
    assert mean_by(graphs(rows), "d", "offline_seconds") == {4: 4.0}
    assert list(mean_by([{"d": 8, "t": 1}, {"d": 2, "t": 1}], "d", "t")) == [2, 8]


def cells_of(table: str) -> list[list[str]]:
    return [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_the_median_of_beta_leaves_out_graphs_found_alike() -> None:
    def graph(d: int, seed: int, sizes: Any, offline: Any, online: Any) -> list[Any]:
        cell = {"family": "epid", "d": d, "p": 0.1, "seed": seed}
        return [
            {**cell, "algorithm": a, "parfactors": n, "offline_seconds": o, "query_seconds": q}
            for a, n, o, q in zip(("acp", "alpha-acp"), sizes, offline, online, strict=True)
        ]

    rows = [
        *graph(4, 0, (9, 3), (1, 3), (2, 1)),
        *graph(4, 1, (3, 3), (1, 9), (2, 1)),
        *graph(8, 0, (9, 3), (1, 3), (1, 2)),
    ]
    _, _, table = STUDIES["paper"].summary(rows).partition("\n\n")
    first, second = cells_of(table)
    assert first[3:] == ["2", "1", "0", "0", "1", "0", "0", "2.00"]
    assert second[3:] == ["1", "0", "0", "0", "0", "0", "1", "never"]


def test_the_summary_of_sizes() -> None:
    cells = (
        (2048, "alpha-acp", 3.0, 0.004),
        (1024, "acp", 1.0, 0.002),
        (1024, "written", None, 0.005),
    )
    names = "d", "algorithm", "offline_seconds", "query_seconds"
    rows = [{"family": "ds4", **dict(zip(names, cell, strict=True))} for cell in cells]
    assert cells_of(STUDIES["sizes"].summary(rows)) == [
        ["1,024", "1.00", "2.00", "–", "–", "5.00"],
        ["2,048", "–", "–", "3.00", "4.00", "–"],
    ]


def test_the_summary_of_floats() -> None:
    rows = [
        {"data": "x", "comparison": "y", "factors": 1000, "parfactors": n}
        | {"query_seconds": 0.001 * n, "log_odds_error": e}
        for n, e in ((1, 1e-12), (3, 2e-5))
    ]
    assert cells_of(STUDIES["floats"].summary(rows)) == [["x", "y", "2,000", "4", "2.00", "2e-05"]]


def test_the_summary_of_tolerance() -> None:
    rows = [
        {"tolerance": "0.1", "factors": 10, "parfactors": 2, "offline_seconds": 0.001}
        | {"query_seconds": 0.003, "log_odds_error": e, "log_odds_bound": b}
        for e, b in ((0.25, 0.5), (0.125, 0.75))
    ]
    cells = cells_of(STUDIES["tolerance"].summary(rows))
    assert cells == [["0.1", "20", "4", "1.00", "3.00", "0.25", "0.50"]]


def test_the_summary_of_treewidth() -> None:
    rows = [
        {"family": "clique", "n": 32, "variables": 32, "method": m, "seconds": s}
        for m, s in (("ground", None), ("lifted", 2.0))
    ]
    cells = cells_of(STUDIES["treewidth"].summary(rows))
    assert cells == [["clique", "32", "32", "refused", "2.00", "–"]]
