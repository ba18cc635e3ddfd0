"""The command that predicts variables in each row of a table."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pandas as pd
import pytest

import liftgraph as lg
from liftgraph.cli import main

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")
ROWS = "Epid,Sick.alice,date\ntrue,,1\n,false,2\n,,\n"


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "people.csv").write_text(ROWS)
    return str(tmp_path / "people.csv")


def expected(given: dict[str, str]) -> list[str]:
    model = lg.read(EXAMPLE)
    answers = [
        model.query("Sick.bob", given={**given, **row})
        for row in ({"Epid": "true"}, {"Sick.alice": "false"}, {})
    ]
    lines = ["Sick.bob,P(Sick.bob=true),P(Sick.bob=false)"]
    for answer in answers:
        true, false = answer.probabilities.tolist()
        lines.append(f"{'true' if true > false else 'false'},{true},{false}")
    return lines


def close(text: str, lines: list[str]) -> bool:
    """Whether CSV has these states, and these probabilities up to rounding."""
    ours, theirs = (list(csv.reader(part)) for part in (text.splitlines(), lines))
    return ours[0] == theirs[0] and all(
        a[0] == b[0] and [*map(float, a[1:])] == pytest.approx([*map(float, b[1:])], rel=1e-12)
        for a, b in zip(ours[1:], theirs[1:], strict=True)
    )


def test_predictions_are_printed(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", EXAMPLE, table, "Sick.bob", "--ignore", "date"]) == 0
    assert close(capsys.readouterr().out, expected({}))


def test_predictions_are_written(table: str, tmp_path: Path) -> None:
    pd.read_csv(table, dtype=str).to_parquet(tmp_path / "people.parquet")
    evidence = ["--given", "Travel.bob=true", "--ignore", "date"]
    for source in (table, str(tmp_path / "people.parquet")):
        written = tmp_path / "predicted.csv.gz"
        assert main(["predict", EXAMPLE, source, "Sick.bob", *evidence, "-o", str(written)]) == 0
        text = gzip.decompress(written.read_bytes()).decode()
        assert close(text, expected({"Travel.bob": "true"}))


@pytest.mark.parametrize(
    ("name", "content", "options", "status", "problem"),
    [
        ("t.csv", b"Epid\nmaybe\n", [], 2, "column Epid, row 0: expected a state of Epid"),
        ("t.csv", b"id\n1\n", [], 2, "column id: expected a variable"),
        ("t.csv", b"", [], 2, "t.csv:1: expected the names of columns"),
        (
            "t.csv",
            b"Epid\ntrue\n",
            ["-o", "t.json"],
            2,
            "t.json: expected a name that ends in .csv",
        ),
        ("t.csv", b"Epid\ntrue\n", ["--memory", "300k"], 1, "needs"),
        ("t.csv", b"Epid\ntrue\n", ["--given", "Epid=false"], 2, "row 0: expected false, as"),
        ("t.parquet", b"Epid", [], 2, "t.parquet: expected Parquet"),
        ("nothing.parquet", None, [], 2, "nothing.parquet: cannot be read"),
    ],
)
def test_errors_are_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
    options: list[str],
    status: int,
    problem: str,
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["predict", EXAMPLE, str(tmp_path / name), "Sick.bob", *options]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert problem in captured.err
    assert captured.err.count("\n") == 1


def test_a_parquet_file_that_would_unpack_to_much_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same long text in every row takes almost nothing in the file."""
    path = tmp_path / "bomb.parquet"
    pd.DataFrame({"Epid": ["x" * 1000] * 100_000}).to_parquet(path)
    assert path.stat().st_size < 100_000
    assert main(["predict", EXAMPLE, str(path), "Sick.bob", "--memory", "50MB"]) == 1
    assert "its text has 100,000,000 bytes or more" in capsys.readouterr().err
