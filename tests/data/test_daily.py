"""Tables of observations, by day and by individual."""

from __future__ import annotations

from typing import Any

import pytest
from tests.inference.test_dynamic import epidemic

import liftgraph as lg


def test_rows_of_days_and_of_individuals_observe() -> None:
    positive = lg.count("Positive")
    by_day = [{"day": 1, "tests": 2}, {"day": 0, "tests": None}, {"day": 3, "tests": 1.0}]
    days = lg.daily_observations(by_day, {"tests": positive})
    assert days == [{}, {positive: 2}, {}, {positive: 1}]
    people = {"when": [0, 0, 1], "who": [1, 2, 1], "Positive": [True, False, "true"]}
    days = lg.daily_observations(people, day="when", individual="who")
    assert days == [{"Positive.1": "true", "Positive.2": "false"}, {"Positive.1": "true"}]
    assert len(epidemic(3).filter(days, lg.count("Infected"))) == 2
    assert lg.daily_observations({"day": []}) == []


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"tests": [1]}, {}, "expected a column day"),
        ({"day": [-1]}, {}, "row 0: expected a day from 0"),
        ({"day": [None]}, {}, "row 0: expected a day from 0"),
        ({"day": [0]}, {"observed": {"x": "A"}}, "expected a column x"),
        ({"day": [0], "n": ["a"]}, {"observed": {"n": lg.count("A")}}, "column n: expected"),
        ({"day": [0, 0], "A": ["x", "y"]}, {}, "row 1: expected one value of A on day 0"),
    ],
)
def test_bad_tables_are_named(table: Any, options: Any, message: str) -> None:
    with pytest.raises(lg.InputError, match=message):
        lg.daily_observations(table, **options)
