"""The report on the experiments says what the rows beside it say."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from liftgraph.experiments import STUDIES
from liftgraph.experiments.study import Row

ROOT = Path(__file__).parent.parent
REPORT = (ROOT / "docs" / "experiments.md").read_text()


def value(text: str) -> str | int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def rows_of(study: str) -> list[Row]:
    with (ROOT / "experiments" / "results" / f"{study}.csv").open() as stream:
        return [{name: value(text) for name, text in row.items()} for row in csv.DictReader(stream)]


@pytest.mark.parametrize("study", STUDIES)
def test_the_tables_are_those_of_the_rows(study: str) -> None:
    rows = rows_of(study)
    assert set(rows[0]) == set(STUDIES[study].columns)
    assert STUDIES[study].summary(rows) in REPORT


def test_no_answer_was_off() -> None:
    for study in ("paper", "sizes", "treewidth"):
        differences = [row["difference"] for row in rows_of(study) if row["difference"] is not None]
        assert max(differences) < 1e-9
    assert all(
        row["log_odds_error"] <= row["log_odds_bound"] + 1e-9 for row in rows_of("tolerance")
    )


def test_every_figure_and_link_is_there() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", REPORT)
    assert {f"figures/{name}.svg" for study in STUDIES.values() for name in study.figures} <= set(
        targets
    )
    assert all((ROOT / "docs" / target).exists() for target in targets)
