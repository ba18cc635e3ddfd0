"""The commands ``liftgraph map`` and ``liftgraph mpe --best``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.cli import main

MODEL = "example:epidemic"


def told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    assert main([*arguments]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def test_it_answers_as_the_library_does(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--given", "Sick.alice=true")
    shown = json.loads(
        told(capsys, 0, "map", MODEL, "Epid", "Sick.bob", *given, "--exact", "--json")
    )
    model = lg.read(lg.datasets.examples.example_file("epidemic", lg.datasets.examples.MODELS))
    best = model.map("Epid", "Sick.bob", given={"Sick.alice": "true"}, exact=True)
    assert shown["states"] == dict(best)
    assert shown["exact"] == str(best.fraction)
    assert shown["weight"] == str(best.weight)
    assert shown["probability"] == best.probability
    text = told(capsys, 0, "map", MODEL, "Epid", "--exact")
    assert text.splitlines()[-1].split() == ["probability", "9/10"]


def test_files_of_the_competitions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    query = tmp_path / "asia.uai.query"
    query.write_text("2 2 3\n")
    asked = ("map", "example:asia", "--query", str(query))
    assert told(capsys, 0, *asked, "--format", "uai") == "MMAP\n2 2 1 3 1\n"
    assert told(capsys, 0, *asked) == told(capsys, 0, "map", "example:asia", "smoke", "lung")
    for text, problem in [
        ("", "the number of variables that are asked for"),
        ("3 0 1", "expected 3 variables, got the end"),
        ("1 0 1", "expected the end"),
        ("1 8", "expected a variable below 8, got 8"),
        ("2 1 1", "expected distinct variables"),
        ("0", "at least one variable"),
    ]:
        query.write_text(text)
        assert problem in told(capsys, 2, *asked)


def test_the_best_few(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    best = ("mpe", "example:asia", "--best", "3", "--exact")
    shown = json.loads(told(capsys, 0, *best, "--json"))
    graph = lg.datasets.asia()
    for one, expected in zip(shown["assignments"], graph.mpe(best=3, exact=True), strict=True):
        assert one["assignment"] == dict(expected)
        assert one["weight"] == str(expected.weight)
        assert one["count"] == 1
    assert told(capsys, 0, *best).startswith("3 most probable assignments\n")
    assert "expected no --best" in told(capsys, 2, *best, "--format", "uai")
    assert "expected how many" in told(capsys, 2, "mpe", "example:asia", "--best", "0")
    model = tmp_path / "coins.blog.json"
    coin = lg.prv("Coin", lg.LogVar("X", 10))
    lg.write(lg.ParfactorGraph.of([lg.parfactor([coin], [2, 1])]), model)
    shown = json.loads(told(capsys, 0, "mpe", str(model), "--best", "3", "--json"))
    assert [one["count"] for one in shown["assignments"]] == [1, 10, 45]
