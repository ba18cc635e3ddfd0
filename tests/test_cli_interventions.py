"""``--do`` on the command line is ``do`` in Python."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.cli import main
from tests.model.test_lifted_interventions import epidemic

ASIA = "example:asia"


def told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    """What a command prints: its output if it is meant to succeed, else its error."""
    assert main(list(arguments)) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(told(capsys, 0, *arguments, "--json"))


def test_all_questions_come_after_interventions(capsys: pytest.CaptureFixture[str]) -> None:
    graph = lg.datasets.asia()
    do, given = {"lung": "yes", "bronc": "no"}, {"dysp": "yes", "xray": "no"}
    events = ["--do", "lung=yes", "bronc=no", "--given", "dysp=yes", "xray=no", "--exact"]
    query = asked(capsys, "query", ASIA, "smoke", *events)
    expected = graph.query("smoke", do=do, given=given, exact=True)
    assert [*map(Fraction, query["exact"])] == [*expected.exact.values()]
    total = graph.partition(do=do, given=given, exact=True)
    assert Fraction(asked(capsys, "logz", ASIA, *events)["z"]) == total.z
    marginals = asked(capsys, "marginals", ASIA, *events)
    assert len(marginals["marginals"]) == 8
    best = asked(capsys, "mpe", ASIA, *events)
    assert best["assignment"] == dict(graph.mpe(do=do, given=given))


def test_individuals_and_prvs_are_set(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = epidemic(4)
    path = str(tmp_path / "model.json")
    lg.write(model, path)
    for name in ("Vaccinated", "Vaccinated.2"):
        found = asked(capsys, "query", path, "Sick.2", "--do", f"{name}=true", "--exact")
        expected = model.query("Sick.2", do={name: "true"}, exact=True)
        assert [*map(Fraction, found["exact"])] == [*expected.exact.values()]
        assert len(told(capsys, 0, "marginals", path, "--do", f"{name}=true").splitlines()) == 13
        sample = told(capsys, 0, "sample", path, "-n", "5", "--seed", "3", "--do", f"{name}=true")
        assert sample.splitlines()[0].split(",") == [*model.variables]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--do", "bronk=yes"], "did you mean bronc?"),
        (["--do", "bronc=maybe"], "expected a state of bronc (yes, no), got maybe"),
        (["--do", "bronc"], "expected VAR=STATE, got bronc"),
        (["--do", "bronc=yes", "bronc=no"], "expected one state for bronc, got both yes and no"),
        (["--do", "bronc=yes", "--given", "bronc=no"], "expected one state for bronc, got both"),
    ],
)
def test_interventions_that_make_no_sense(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    error = told(capsys, 2, "query", ASIA, "lung", *arguments)
    assert error.startswith("liftgraph: ")
    assert problem in error
    assert error.count("\n") == 1


def test_a_model_without_directions_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    error = told(capsys, 2, "query", "example:epidemic", "Epid", "--do", "Sick.alice=true")
    assert "expected a model with directions" in error
