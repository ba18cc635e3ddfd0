"""Columns of every kind of table are the same."""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases import DATABASE, cursor_of

from liftgraph import InputError
from liftgraph.data.columns import Column, column, columns_of, native_columns
from liftgraph.data.values import as_text, missing

COLUMNS: dict[str, list[Any]] = {"person": ["alice", "bob", None], "age": [3, 4, 5]}


@pytest.mark.parametrize(
    "table",
    [
        COLUMNS,
        [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
        cursor_of(COLUMNS),
    ],
    ids=lambda table: type(table).__name__,
)
def test_every_kind_of_table_has_the_same_columns(table: object) -> None:
    columns = columns_of(table)
    assert list(columns) == ["person", "age"]
    people = column(columns["person"])
    assert people.values == ("alice", "bob")
    assert people.codes.tolist() == [0, 1, -1]
    assert column(columns["age"]).values == ("3", "4", "5")


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
        (DATABASE.cursor(), "expected the cursor of a query"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column names"),
    ],
    ids=["number", "lengths", "rows", "cursor", "frame"],
)
def test_what_is_not_a_table_is_refused(table: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        columns_of(table)


def test_only_data_frames_need_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(InputError, match=r"liftgraph\[frames\]"):
        columns_of(pd.DataFrame({"a": [1]}))
    for rows in ([(1, 2), (3, 4)], "people"):
        with pytest.raises(InputError, match=r"expected a data frame, .* or an SQL cursor"):
            columns_of(rows)


@pytest.mark.parametrize(
    "value", [0.5, [1], (1,), float("inf"), b"a", 2.0**53, -(2.0**60)], ids=str
)
def test_what_has_no_name_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="expected names or integers"):
        column([value])


def test_integers_that_a_library_rounded_are_refused() -> None:
    people = pd.Series([2**53 + 1, 2**53, None])
    assert people[0] == people[1]  # two people became one
    with pytest.raises(InputError, match=r"row 0: .* integers of 2\^53 or more are rounded"):
        column(people)


def test_numbers_without_an_end_are_refused() -> None:
    for value in (10**5000, Decimal("1e5000"), Decimal("Infinity")):
        with pytest.raises(InputError, match="row 1: expected a"):
            column([1, value])


def test_equal_decimals_have_the_same_name_in_any_order() -> None:
    values = [Decimal("7.00"), Decimal("7"), Decimal("7.0"), 7, 7.0, "7", Decimal("-7.0")]
    for listed in (values, values[::-1]):
        assert {*column(listed).values} == {"7", "-7"}
    assert column([Decimal("0.50"), Decimal("0.5")]).values == ("0.5",)


@pytest.mark.parametrize("values", [[3, 1, 2], [True, False, True], ["x", "y", "z"]])
def test_what_is_masked_is_missing(values: list[Any]) -> None:
    array = np.ma.array(values, mask=[False, True, False])
    for masked in (array, native_columns({"a": array})["a"]):
        assert same(column(masked), [values[0], None, values[2]])
    assert columns_of({"a": array}) == {"a": [values[0], None, values[2]]}


def test_no_time_is_no_value() -> None:
    times = np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")
    spans = [np.timedelta64(1, "D"), np.timedelta64("NaT", "D")]
    for listed in (times, [*times], native_columns({"a": times})["a"], spans):
        assert column(listed).codes.tolist() == [0, -1]


def test_a_single_value_is_not_a_column() -> None:
    with pytest.raises(InputError, match=r"column a: expected a list of values, got array\(3\)"):
        columns_of({"a": np.array(3)})
    with pytest.raises(InputError, match="expected a data frame"):
        columns_of("")


def twin(values: list[Any]) -> tuple[list[str], list[int]]:
    """Look at one value after the other."""
    names: list[str] = []
    codes = []
    for value in values:
        if missing(value):
            codes.append(-1)
            continue
        if as_text(value) not in names:
            names.append(as_text(value))
        codes.append(names.index(as_text(value)))
    return names, codes


def same(coded: Column, values: list[Any]) -> bool:
    return ([*coded.values], coded.codes.tolist()) == twin(values)


@given(st.lists(st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, 1.0, "1"])))
def test_values_of_different_types_have_the_names_they_have_alone(values: list[Any]) -> None:
    assert same(column(values), values)


@st.composite
def integer_arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    dtype = np.dtype(draw(st.sampled_from(["i1", "u1", "i8", "u8"])))
    limits: Any = np.iinfo(dtype)
    anything = st.lists(st.integers(int(limits.min), int(limits.max)), max_size=9)
    return np.array(draw(anything | st.lists(st.integers(0, 3))), dtype=dtype)


@given(integer_arrays())
def test_arrays_are_coded_as_their_values_are(array: np.ndarray[Any, Any]) -> None:
    values = array.tolist()
    assert same(column(array), values)
    assert same(column(array > 1), [value > 1 for value in values])
    assert columns_of({"a": array}) == {"a": values}


@settings(max_examples=30)
@given(st.lists(st.none() | st.sampled_from(["a", "b", "ä ' ."]), min_size=1))
def test_text_in_frames_is_coded_as_its_values_are(values: list[Any]) -> None:
    series = pd.Series(values, dtype="str")
    chunks = pa.chunked_array([values, values[::-1]], pa.string())
    frames = [
        (pd.DataFrame({"a": series}), values),
        (pd.DataFrame({"a": series.astype("category")}), values),
        (pl.DataFrame({"a": values}, schema={"a": pl.String}), values),
        (pl.DataFrame({"a": values}, schema={"a": pl.Categorical}), values),
        (pa.table({"a": chunks}), values + values[::-1]),
        (pa.table({"a": chunks.dictionary_encode()}), values + values[::-1]),
    ]
    for frame, expected in frames:
        assert isinstance(native_columns(frame)["a"], Column)
        assert same(column(native_columns(frame)["a"]), expected)
        assert columns_of(frame)["a"] == expected


@pytest.mark.parametrize("series", [pd.Series, pl.Series, pa.array])
@given(
    st.lists(st.text("ab ü", min_size=1, max_size=2))
    | st.lists(st.text("ab", min_size=1, max_size=2) | st.none())
    | st.lists(st.integers(-(2**63), 2**63 - 1))
    | st.lists(st.booleans())
)
def test_libraries_number_values_as_a_loop_does(series: Any, values: list[Any]) -> None:
    codes_of: dict[str, int] = {}
    codes = [
        -1 if value is None else codes_of.setdefault(as_text(value), len(codes_of))
        for value in values
    ]
    for listed in (values, series(values)):
        coded = column(listed)
        assert (coded.values, coded.codes.tolist()) == (tuple(codes_of), codes)


@pytest.mark.parametrize("float_type", [np.float16, np.float32, np.float64, float])
def test_a_float_that_others_are_rounded_to_names_nobody(float_type: Any) -> None:
    digits = {np.float16: 11, np.float32: 24}.get(float_type, 53)
    assert column([float_type(2**digits - 1)]).values == (str(2**digits - 1),)
    assert float_type(2**digits) == float_type(2**digits + 1)
    with pytest.raises(InputError, match="are rounded in floats"):
        column([float_type(2**digits)])
