"""Observations of a dynamic model from a table with a row for each day, or for each individual and
day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liftgraph.data.columns import columns_of
from liftgraph.data.values import as_text, missing
from liftgraph.errors import InputError, quoted
from liftgraph.model.counts import Count
from liftgraph.model.dynamic.dynamic import MOST_DAYS


def daily_observations(
    table: object,
    observed: Mapping[str, Count | str] | None = None,
    *,
    day: str = "day",
    individual: str | None = None,
) -> list[dict[Any, Any]]:
    """What was observed on each day, in the form which questions about dynamic models take.

    ``table``: a data frame, a mapping of columns or a list of rows. ``observed``: what each column
    observes: a count, or a variable by its name; by default each column observes the variable of
    the same name. ``day``: the column with the days, integers from 0 on, in any order.
    ``individual``: the column with the individuals of the rows; then the other columns observe
    PRVs of these. A missing value means that nothing was observed.

    >>> from liftgraph import count
    >>> table = {"day": [0, 2], "tests": [3, None], "Weather": ["sun", "rain"]}
    >>> daily_observations(table, {"tests": count("Positive"), "Weather": "Weather"})
    [{#Positive=true: 3, 'Weather': 'sun'}, {}, {'Weather': 'rain'}]
    """
    columns = columns_of(table)
    keys = {name for name in (day, individual) if name is not None}
    chosen = observed if observed is not None else {n: n for n in columns if n not in keys}
    for name in (*keys, *chosen):
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise InputError(f"expected a column {name}, got none (the columns are {known})")
    numbers = [_day(row, value) for row, value in enumerate(columns[day])]
    days: list[dict[Any, Any]] = [{} for _ in range(max(numbers, default=-1) + 1)]
    for row, number in enumerate(numbers):
        one = None if individual is None else as_text(columns[individual][row])
        for name, what in chosen.items():
            value = columns[name][row]
            if not missing(value):
                key, seen = _observation(name, what, value, one)
                if days[number].setdefault(key, seen) != seen:
                    raise InputError(f"row {row}: expected one value of {key} on day {number}")
    return days


def _day(row: int, value: object) -> int:
    text = "" if missing(value) else as_text(value)
    if not text.isdecimal() or int(text) >= MOST_DAYS:
        raise InputError(f"row {row}: expected a day from 0 to {MOST_DAYS - 1:,}, got {value!r}")
    return int(text)


def _observation(
    column: str, what: Count | str, value: object, individual: str | None
) -> tuple[Any, Any]:
    """What is observed, and its value."""
    if isinstance(what, Count):
        text = as_text(value)
        if not text.isdecimal():
            raise InputError(f"column {column}: expected numbers from 0 on, got {quoted(value)}")
        return what, int(text)
    return (what if individual is None else f"{what}.{individual}"), as_text(value)
