"""Columns of every kind of table are the same."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from liftgraph import InputError
from liftgraph.data.columns import column, columns_of

COLUMNS: dict[str, list[Any]] = {"person": ["alice", "bob", None], "age": [3, 4, 5]}


def cursor() -> sqlite3.Cursor:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table people (person text, age integer)")
    rows = list(zip(*COLUMNS.values(), strict=True))
    connection.executemany("insert into people values (?, ?)", rows)
    return connection.execute("select person, age from people order by age")


@pytest.mark.parametrize(
    "table",
    [
        COLUMNS,
        [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
        cursor(),
    ],
    ids=lambda table: type(table).__name__,
)
def test_every_kind_of_table_has_the_same_columns(table: object) -> None:
    found = columns_of(table)
    assert list(found) == ["person", "age"]
    people = column(found["person"])
    assert people.values == ("alice", "bob")
    assert people.codes.tolist() == [0, 1, -1]
    assert column(found["age"]).values == ("3", "4", "5")


def test_missing_values_of_every_library() -> None:
    values = [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT, 0]
    with pytest.raises(InputError, match="expected a name"):
        column([*values, ""])
    assert column(values).codes.tolist() == [-1, -1, -1, -1, -1, 0]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (7, "expected a data frame"),
        ({"a": [1], "b": [1, 2]}, "expected columns of equal length"),
        ([{"a": 1}, {"b": 1}], "row 1: expected columns"),
        (sqlite3.connect(":memory:").cursor(), "expected the cursor of a query"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column names"),
    ],
    ids=["number", "lengths", "rows", "cursor", "frame"],
)
def test_what_is_no_table_is_refused(table: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        columns_of(table)


@pytest.mark.parametrize("value", [0.5, [1], float("inf")], ids=str)
def test_what_has_no_name_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="expected names or integers"):
        column([value])
