"""The command that weighs the rows of a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.cli import main

EXAMPLE = "example:asia"
ROWS = "smoke,dysp,n,date\nyes,,2,1\n,no,1,2\n,,3,4\n"


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "rows.csv").write_text(ROWS)
    return str(tmp_path / "rows.csv")


def test_the_log_likelihood_is_printed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    columns = {"smoke": ["yes", "yes", None], "dysp": [None, None, "no"]}
    expected = lg.datasets.asia().log_likelihood(columns)
    options = ["--counts", "n", "--ignore", "date"]
    assert main(["likelihood", EXAMPLE, table, *options, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["log_likelihood"] == pytest.approx(expected)
    assert (said["rows"], said["impossible_rows"]) == (3, 0)
    assert main(["likelihood", EXAMPLE, table, *options]) == 0
    assert capsys.readouterr().out == f"log-likelihood  {expected:.12g}\nrows            3\n"


def test_evidence_is_given(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = {"bronc": "yes"}
    columns = {"smoke": ["yes", None], "dysp": [None, "no"]}
    expected = lg.datasets.asia().log_likelihood(columns, given=given)
    options = ["--ignore", "n", "--ignore", "date", "--given", "bronc=yes", "--json"]
    assert main(["likelihood", EXAMPLE, table, *options]) == 0
    assert json.loads(capsys.readouterr().out)["log_likelihood"] == pytest.approx(expected)


def test_impossible_rows_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.csv").write_text("tub,either\nyes,no\nyes,yes\nyes,no\n")
    path = str(tmp_path / "rows.csv")
    assert main(["likelihood", EXAMPLE, path]) == 0
    assert capsys.readouterr().out.split() == [
        *("log-likelihood", "-inf", "rows", "3", "impossible", "rows", "2")
    ]
    assert main(["likelihood", EXAMPLE, path, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"log_likelihood": None, "rows": 3, "impossible_rows": 2}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "column n: expected a variable, got 'n'"),
        (["--counts", "m"], "expected a column of counts (the columns are smoke, dysp, n, date)"),
        (["--counts", "date", "--ignore", "x"], "expected a column to ignore, got 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    table: str, capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    assert main(["likelihood", EXAMPLE, table, *options]) == 2
    assert problem in capsys.readouterr().err
