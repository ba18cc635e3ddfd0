"""Predictions of tables: every kind of table, missing values, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import cursor_of
from tests.strategies import factor_graphs

import liftgraph as lg

COLUMNS: dict[str, list[Any]] = {
    "Epid": ["true", None, "false", "true"],
    "Test": ["low", "high", None, "low"],
}


@pytest.fixture
def graph() -> lg.FactorGraph:
    """An epidemic, a sick person, and a test that is never high for the healthy."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Epid", "Sick"])
    builder.add_variable("Test", ["low", "high"])
    builder.add_factor(("Epid",), ["0.1", "0.9"])
    builder.add_factor(("Epid", "Sick"), [["0.5", "0.5"], ["0.2", "0.8"]])
    builder.add_factor(("Sick", "Test"), [["0.25", "0.75"], [1, 0]])
    return builder.build()


def one_by_one(graph: lg.FactorGraph, columns: dict[str, list[Any]], asked: str) -> list[Any]:
    """The naive twin: a query for each row; None where a row is impossible."""
    answers: list[Any] = []
    for row in zip(*columns.values(), strict=True):
        evidence = {n: v for n, v in zip(columns, row, strict=True) if v is not None}
        try:
            answers.append(graph.query(asked, given=evidence).probabilities.tolist())
        except lg.ZeroWeightError:
            answers.append(None)
    return answers


def test_a_prediction_has_states_and_probabilities(graph: lg.FactorGraph) -> None:
    predicted = graph.predict(COLUMNS, "Sick", "Test", ignore=["Test"])
    assert list(predicted) == [
        *["Sick", "P(Sick=true)", "P(Sick=false)"],
        *["Test", "P(Test=low)", "P(Test=high)"],
    ]
    for name in ("Sick", "Test"):
        columns = [predicted[f"P({name}={s})"] for s in graph.states(graph.variable(name))]
        shares = [list(row) for row in zip(*columns, strict=True)]
        expected = one_by_one(graph, {"Epid": COLUMNS["Epid"]}, name)
        np.testing.assert_allclose(shares, expected, rtol=1e-12)
        states = graph.states(graph.variable(name))
        assert predicted[name] == [states[int(np.argmax(row))] for row in shares]


@pytest.mark.parametrize(
    "table",
    [
        [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
        pd.DataFrame(COLUMNS, index=[7, 7, 2, 3]),
        pd.DataFrame(COLUMNS).astype("category"),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
        cursor_of(COLUMNS),
    ],
    ids=lambda table: type(table).__name__,
)
def test_the_answer_is_a_table_of_the_same_kind(graph: lg.FactorGraph, table: Any) -> None:
    expected = graph.predict(COLUMNS, "Sick")
    predicted = graph.predict(table, "Sick")
    if isinstance(table, list):
        assert predicted == [
            dict(zip(expected, row, strict=True)) for row in zip(*expected.values(), strict=True)
        ]
        return
    if isinstance(table, pd.DataFrame):
        assert list(predicted.index) == list(table.index)
    lists = predicted if isinstance(predicted, dict) else _lists(predicted)
    assert lists == expected
    if not isinstance(predicted, dict):
        kind = pl.DataFrame if isinstance(table, pl.LazyFrame) else type(table)
        assert isinstance(predicted, kind)


def _lists(frame: Any) -> dict[str, list[Any]]:
    names = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    return {
        name: frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()
        for name in names
    }


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_empty_tables_and_tables_without_columns(graph: lg.FactorGraph, kind: Any) -> None:
    predicted = graph.predict(kind({"Epid": []}), "Sick")
    columns = predicted if isinstance(predicted, dict) else _lists(predicted)
    assert columns == {"Sick": [], "P(Sick=true)": [], "P(Sick=false)": []}
    bare = graph.predict(pd.DataFrame(index=[5, 6]), "Sick")
    assert bare["P(Sick=true)"].tolist() == pytest.approx([0.1 * 0.5 + 0.9 * 0.2] * 2)


@given(factor_graphs(named=False).filter(lambda graph: graph.variable_count > 1), st.data())
@settings(max_examples=30)
def test_predictions_are_those_of_queries(graph: lg.FactorGraph, data: st.DataObject) -> None:
    asked = str(data.draw(st.integers(0, graph.variable_count - 1)))
    rows = data.draw(st.integers(0, 5))
    columns = {
        name: data.draw(
            st.lists(st.sampled_from([None, *graph.states(v)]), min_size=rows, max_size=rows)
        )
        for v, name in enumerate(map(graph.name, range(graph.variable_count)))
        if name != asked and v not in graph.evidence
    }
    predicted = graph.predict(columns, asked, impossible="missing")
    states = graph.states(int(asked))
    expected = one_by_one(graph, columns, asked) if columns else []
    for row, shares in enumerate(expected):
        ours = [predicted[f"P({asked}={state})"][row] for state in states]
        if shares is None:
            assert {*ours, predicted[asked][row]} == {None}
        else:
            np.testing.assert_allclose(ours, shares, rtol=1e-9, atol=1e-300)
            assert ours[states.index(predicted[asked][row])] == max(ours)


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame])
def test_values_of_asked_variables_are_compared_and_no_evidence(
    graph: lg.FactorGraph, kind: Any
) -> None:
    table = {"Epid": ["true", "false", None], "Sick": ["false", None, "true"]}
    predicted = graph.predict(kind(table), "Sick", "Test")
    columns = predicted if isinstance(predicted, dict) else _lists(predicted)
    observed = [value if isinstance(value, str) else None for value in columns["Sick observed"]]
    columns["Sick observed"] = observed  # pandas has NaN where a value is missing
    without = graph.predict({"Epid": table["Epid"]}, "Sick", "Test")
    assert columns == {**without, "Sick observed": table["Sick"]}
    assert [*columns].index("Sick observed") == 3
    assert "Sick observed" not in graph.predict({"Sick": [None, None]}, "Sick")
    assert graph.predict(table, "Test") == graph.predict(table, "Test", ignore=[])


def test_asked_values_are_no_evidence_beside_counts() -> None:
    """A lifted graph is grounded for a count; what is asked for is still not observed."""
    graph = lg.datasets.epid(4).ground()
    sick = [f"Sick.{person}" for person in range(1, 5)]
    rows = {"Epid": ["true", "false", None], sick[0]: ["true"] * 3}
    evidence: dict[Any, Any] = {lg.count(sick): 3}
    expected = graph.query("Epid", given={**evidence, sick[0]: "true"})["true"]
    for model in (graph, graph.lift(), lg.datasets.epid(4)):
        predicted = model.predict(rows, "Epid", given=evidence)
        assert predicted["P(Epid=true)"] == pytest.approx([expected] * 3)
        assert predicted["Epid observed"] == rows["Epid"]


def test_evidence_of_the_model_and_of_all_rows_stays(graph: lg.FactorGraph) -> None:
    table = {"Test": ["low", None]}
    observed = graph.given({"Epid": "true"}).predict(table, "Sick")
    assert observed == graph.predict(table, "Sick", given={"Epid": "true"})
    assert observed == graph.predict({**table, "Epid": [True, "true"]}, "Sick")
    agreeing = graph.given({"Epid": "true"}).predict({**table, "Epid": ["true", None]}, "Sick")
    assert agreeing == observed
    certain = graph.given({"Sick": "true"}).predict(table, "Sick")
    assert certain["P(Sick=true)"] == [1.0, 1.0]


def test_impossible_rows_are_refused_or_missing(graph: lg.FactorGraph) -> None:
    healthy = graph.given({"Sick": "false"})
    table = {"Test": ["low", "high", "high"]}
    with pytest.raises(lg.ZeroWeightError, match=r"^row 1 \(and 1 more row\): every assignment"):
        healthy.predict(table, "Epid")
    assert healthy.predict(table, "Epid", impossible="missing")["Epid"] == ["false", None, None]
    frame = healthy.predict(pd.DataFrame(table)[1:], "Epid", "Sick", impossible="missing")
    assert frame.isna().all(axis=None)
    assert frame["P(Sick=true)"].dtype == np.float64
    nothing = healthy.given({"Test": "high"})
    assert nothing.predict({"Epid": ["true"]}, "Sick", impossible="missing")["Sick"] == [None]
    assert nothing.predict({"Epid": []}, "Sick")["Sick"] == []


@pytest.mark.parametrize(
    ("table", "asked", "options", "problem"),
    [
        ({"Epid": ["true", "maybe"]}, ["Sick"], {}, "column Epid, row 1: expected a state of Epid"),
        ({"id": [1]}, ["Sick"], {}, "column id: expected a variable, got 'id'"),
        ({"Sick": [None, "ill"]}, ["Sick"], {}, "column Sick, row 1: expected a state"),
        ({"Sick": ["true"], "sick ": ["true"]}, ["Sick"], {}, "expected a variable"),
        ({"Epid": ["true"]}, ["Sick"], {"given": {"Epid": "false"}}, "row 0: expected false, as"),
        ({"Epid": ["true"]}, ["Sick"], {"ignore": ["id"]}, "expected a column to ignore, got 'id'"),
        ({"Epid": ["true"]}, ["Sick"], {"ignore": 3}, "expected names"),
        ({"Epid": ["true"]}, [], {}, "expected at least one variable to predict"),
        ({"Epid": ["true"]}, ["Sick", "Sick"], {}, "expected distinct variables"),
        ({"Epid": ["true"]}, ["Dead"], {}, "expected a variable, got 'Dead'"),
        ({"Epid": [0.5]}, ["Sick"], {}, "column Epid: row 0: expected names or integers"),
        ({"Epid": ["true"]}, ["Sick"], {"impossible": "nan"}, "expected impossible to be refuse"),
        ({"Epid": ["true"]}, ["Sick"], {"method": "guess"}, "expected an exact method"),
        ({"Epid": ["true"]}, ["Sick"], {"memory_limit": -1}, "expected a memory limit"),
        (7, ["Sick"], {}, "expected a data frame"),
    ],
)
def test_what_makes_no_sense_is_refused_naming_the_place(
    graph: lg.FactorGraph, table: Any, asked: list[str], options: Any, problem: str
) -> None:
    with pytest.raises(lg.InputError, match=problem):
        graph.predict(table, *asked, **options)


def test_columns_of_the_same_name_are_refused() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["b=c"])
    builder.add_variable("A=b", ["c"])
    with pytest.raises(lg.InputError, match="P\\(A=b=c\\) twice"):
        builder.build().predict({"A": []}, "A", "A=b", ignore=["A"])


def clique(people: int) -> lg.ParfactorGraph:
    """People who are all friends: hopeless without lifting."""
    person = lg.LogVar("X", people)
    other = lg.LogVar("Y", person)
    smokes = lg.prv("Smokes", person)
    alike = [[3, 1], [1, 3]]
    pairs = lg.parfactor([smokes, smokes(other)], alike, where=lg.different(person, other))
    return lg.ParfactorGraph.of([pairs])


def test_lifted_models_and_hopeless_graphs_are_asked_row_by_row() -> None:
    model = clique(30)
    table = {"Smokes.1": ["true", "false", None, "true"], "Smokes.2": ["true", "true", None, None]}
    expected = [
        model.query("Smokes.3", given={n: v[row] for n, v in table.items() if v[row]}).probabilities
        for row in range(4)
    ]
    for asked in (model, model.ground()):
        predicted = asked.predict(table, "Smokes.3", memory_limit=1 << 24)
        np.testing.assert_allclose(predicted["P(Smokes.3=true)"], [row[0] for row in expected])
    with pytest.raises(lg.MemoryLimitError):
        model.predict(table, "Smokes.3", method="ground", memory_limit=1 << 24)


def test_progress_reaches_the_end_and_memory_is_limited(graph: lg.FactorGraph) -> None:
    shares: list[float] = []
    table = {"Epid": ["true", None] * 5000, "Test": ["low", "high", None, None] * 2500}
    few = graph.predict(table, "Sick", memory_limit=1_000_000, progress=shares.append)
    assert few == graph.predict(table, "Sick")
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(lg.MemoryLimitError):
        graph.predict(table, "Sick", memory_limit=10)


def test_it_can_be_interrupted(graph: lg.FactorGraph) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        graph.predict(COLUMNS, "Sick", progress=stop)
