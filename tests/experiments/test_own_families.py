"""The evaluation on models of one's own: which functions are taken, and which are refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.experiments import Settings, own_study, run_study

QUICK = Settings(quick=True, repeats=1)
MODULE = """
import liftgraph as lg

def company(d):
    person = lg.LogVar("E", d)
    boom, pay = lg.prv("Boom"), lg.prv("Pay", person)
    return lg.ParfactorGraph.of([lg.parfactor([boom, pay], [3, 1, 2, 5])])

def ground(d):
    return company(d).ground()

def broken(d):
    return d / 0

def refusing(d):
    return lg.datasets.epid(0)

def observed(d):
    return ground(d).given({"Boom": "true"})

def wrong(d):
    return d

number = 4
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with modules."""
    (tmp_path / "own_growth.py").write_text(MODULE)
    (tmp_path / "own_needy.py").write_text("import own_nowhere\n")
    (tmp_path / "own_leaving.py").write_text("raise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    yield tmp_path
    sys.modules.pop("own_growth", None)


def company(d: int, seed: int = 0) -> lg.ParfactorGraph:
    """One factor per person, with a table that the seed changes."""
    boom, pay = lg.prv("Boom"), lg.prv("Pay", lg.LogVar("E", d))
    return lg.ParfactorGraph.of([lg.parfactor([boom, pay], [3, 1, 2, 5 + seed])])


def test_rows_are_those_of_the_models(tmp_path: Path) -> None:
    study = own_study(company, sizes=[16, 2])
    results = run_study(study, QUICK, tmp_path, figures=False)
    assert list(dict.fromkeys(row["d"] for row in results.rows)) == [2, 16]
    for row in results.rows:
        assert row["variables"] == row["d"] + 1
        assert row["factors"] == row["d"]
        assert row["query"] in ("Boom", "Pay")
        answer = company(row["d"]).query(row["query"] + ".1" * (row["query"] == "Pay"))
        assert row["probability"] == pytest.approx(answer.probabilities[0])  # whatever the scales
        if row["algorithm"] == "alpha-acp":
            assert row["parfactors"] == 1
    assert "paper:" not in results.summary


@pytest.mark.long
def test_a_function_with_a_seed_gets_it(tmp_path: Path) -> None:
    study = own_study(company, sizes=[2])
    settings = Settings(graphs=2, repeats=1)
    rows = run_study(study, settings, tmp_path, figures=False).rows
    by_seed = {row["seed"]: row["probability"] for row in rows if row["query"] == "Boom"}
    for seed, probability in by_seed.items():
        assert probability == pytest.approx(company(2, seed).query("Boom").probabilities[0])
    assert len(set(by_seed.values())) == 2


def experiment(capsys: pytest.CaptureFixture[str], family: str, *more: str) -> Any:
    asked = [
        "experiment",
        "--family",
        family,
        "--quick",
        "--repeats",
        "1",
        "--no-figures",
        "--json",
    ]
    status = main([*asked, *more])
    captured = capsys.readouterr()
    return json.loads(captured.out) if status == 0 else (status, captured.err)


@pytest.mark.long
def test_the_command_loads_functions_of_the_working_directory(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    for family in ("own_growth:company", "own_growth:ground"):
        said = experiment(capsys, family, "--sizes", "2,4")
        assert (said["study"], said["measured"]) == (family, 4)
        again = experiment(capsys, family, "--sizes", "2,4,8")
        assert (again["measured"], again["kept"]) == (2, 4)
        assert "results.csv" in said["files"]
    installed = experiment(capsys, "liftgraph.datasets:employee", "--sizes", "2")
    assert installed["rows"] == 2 * 2 * 3  # shares, algorithms, PRVs


@pytest.mark.long
def test_another_source_does_not_continue_a_run(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    experiment(capsys, "own_growth:company", "--sizes", "2")
    (folder / "own_growth.py").write_text(MODULE.replace("[3, 1", "[4, 1"))
    sys.modules.pop("own_growth")
    status, error = experiment(capsys, "own_growth:company", "--sizes", "2")
    assert status == 2
    assert "journal.jsonl has source" in error


@pytest.mark.parametrize(
    ("family", "problem"),
    [
        ("own_growth", "expected a family as module:function, got own_growth"),
        ("own_growth:", "expected a family as module:function, got own_growth:"),
        ("own_nothing:company", "no module own_nothing in this folder, and none is installed"),
        ("own_growth.inner:f", "no module own_growth.inner"),
        ("own_growth:compny", "own_growth has no compny (did you mean company?)"),
        ("own_growth:number", "expected a function, got 4"),
        ("own_growth:broken", "own_growth:broken(2) fails: ZeroDivisionError: division by zero"),
        ("own_growth:refusing", "own_growth:refusing(2): epid: expected"),
        ("own_growth:wrong", "own_growth:wrong(2): expected a model, got 2"),
        ("own_growth:observed", "expected a model with variables and without evidence"),
        ("own_needy:f", "importing own_needy fails: ModuleNotFoundError"),
        ("own_leaving:f", "importing own_leaving fails: SystemExit"),
    ],
)
def test_what_is_no_family_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], folder: Path, family: str, problem: str
) -> None:
    status, error = experiment(capsys, family)
    assert status == 2
    assert problem in error
    assert error.count("\n") == 1


def test_settings_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    _, error = experiment(capsys, "own_growth:company", "--commutative")
    assert "expected no commutative factors" in error
    assert not (folder / "liftgraph-experiments").exists()
    assert main(["experiment", "--sizes", "2"]) == 2
    assert "expected --sizes for models of your own only" in capsys.readouterr().err


@pytest.mark.long
def test_figures_are_drawn_without_the_curves_of_the_paper(tmp_path: Path) -> None:
    study = own_study(company, sizes=[2, 4])
    results = run_study(study, QUICK, tmp_path)
    drawn = {path.name for path in results.files if path.suffix == ".svg"}
    assert drawn == {f"{name}.svg" for name in study.figures}
    assert "the paper" not in (tmp_path / "query_times.svg").read_text()
