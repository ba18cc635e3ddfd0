"""Columns of 0 and 1 with gaps: states and missing values, whatever a library makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import liftgraph as lg
from liftgraph.cli import main

GAPS = [1, 0, None, 1]
COLUMNS: list[Any] = [
    GAPS,
    np.array([1, 0, np.nan, 1]),
    np.array([1, 0, np.nan, 1], dtype=np.float32),
    np.ma.array([1, 0, 0, 1], mask=[False, False, True, False]),
    pd.Series([1.0, 0.0, None, 1.0]),
    pd.Series(GAPS, dtype="Int64"),
    pd.Series(GAPS, dtype="Float64"),
    pd.Series(GAPS, dtype="category"),
    pd.Series(GAPS, dtype=object),
    pd.Series(GAPS, dtype="double[pyarrow]"),
    pl.Series(GAPS),
    pl.Series([1.0, 0.0, None, 1.0]),
]


def names(column: Any) -> str:
    return f"{type(column).__module__.partition('.')[0]} {getattr(column, 'dtype', 'list')}"


@pytest.mark.parametrize("column", COLUMNS, ids=names)
def test_a_column_with_gaps_has_states_and_missing_values(column: Any) -> None:
    other = [0, 0, 1, 1]
    learnt = lg.learn([["A", "B"]], lg.Source({"A": column, "B": other}))
    assert learnt.graph.states("A") == ("0", "1")
    expected = [[1, 0], [1, 1]]  # rows 0, 1 and 3
    assert learnt.graph.factors[0].parts[1] == lg.Table.of(expected)
    predicted = learnt.graph.predict({"A": column}, "B")
    assert predicted["P(B=1)"] == [0.5, 0.0, pytest.approx(1 / 3), 0.5]
    person = lg.LogVar("X", lg.Domain("person"))
    template = lg.Template([lg.rule([lg.prv("Smokes", person, states=["0", "1"])], [3, 7])])
    people = {"X": ["a", "b", "c", "d"], "Smokes": column}
    model = template.instantiate({"person": people["X"]}, evidence={"Smokes": people})
    assert isinstance(model, lg.ParfactorGraph)
    assert model.evidence == {(0, (0,)): 1, (0, (1,)): 0, (0, (3,)): 1}


def test_rows_of_a_frame_with_gaps_are_evidence() -> None:
    frame = pd.DataFrame({"A": [1, None], "B": [0, 1]})
    graph = lg.learn([["A", "B"]], lg.Source({"A": [1, 0, 1], "B": [0, 0, 1]})).graph
    assert graph.query("B", given={"A": frame["A"][0]}, exact=True).exact == (
        graph.query("B", given={"A": "1"}, exact=True).exact
    )
    with pytest.raises(lg.InputError, match="got nan"):
        graph.query("B", given={"A": frame["A"][1]})
    for value in (0.5, "1.5", "1.0x", 2.0):
        with pytest.raises(lg.InputError, match="expected a state of A"):
            graph.query("B", given={"A": value})


def test_states_that_differ_only_in_their_decimals_stay_apart() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["1", "1.0", "2"])
    builder.add_factor(["A"], [1, 2, 3])
    graph = builder.build()
    for state, number in (("1", 1), ("1.0", 2), (1, 1), (1.0, 2), (2.0, 3), ("2.00", 3)):
        assert graph.partition(given={"A": state}, exact=True).z == number


def test_files_that_pandas_wrote_with_gaps_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = lg.learn([["A", "B"]], lg.Source({"A": [1, 0, 1], "B": [0, 0, 1]})).graph
    lg.write(graph, tmp_path / "model.json")
    rows = tmp_path / "rows.csv"
    pd.DataFrame({"A": [1, 0, None]}).to_csv(rows, index=False)
    assert "1.0" in rows.read_text()
    assert main(["predict", str(tmp_path / "model.json"), str(rows), "B"]) == 0
    out = capsys.readouterr().out.split()
    assert [float(line.split(",")[-1]) for line in out[1:]] == [0.5, 0.0, pytest.approx(1 / 3)]


def test_files_with_gaps_have_the_states_of_files_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """pandas writes 1.0 beside a missing value, and 1 otherwise."""
    north, south = tmp_path / "north.csv", tmp_path / "south.csv"
    pd.DataFrame({"A": [1, 0, None], "B": [0, 0, 1]}).to_csv(north, index=False)
    pd.DataFrame({"A": [1, 0, 1], "B": [0, 1, 1]}).to_csv(south, index=False)
    (tmp_path / "edges.csv").write_text("parent,child\nA,B\n")
    model, again = tmp_path / "model.json", tmp_path / "again.json"
    edges = str(tmp_path / "edges.csv")
    assert main(["learn", edges, str(north), str(south), "-o", str(model)]) == 0
    graph = lg.read_graph(model)
    assert graph.states("A") == ("0", "1")
    assert graph.cpd("B").table == lg.Table.of([["1/2", "1/2"], ["2/3", "1/3"]])
    options = ["--conditional", "-o", str(again)]
    assert main(["learn", str(model), str(north), str(south), *options]) == 0
    assert lg.read_graph(again) == graph
    capsys.readouterr()
