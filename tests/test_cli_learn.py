"""The command that learns potentials from tables."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.cli import main


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A structure and two tables, of which one has every row three times."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Epid", "Sick.alice", "Sick.bob"])
    builder.add_factor(["Epid"], ["0.5", "0.5"])
    for person in ("alice", "bob"):
        builder.add_factor(["Epid", f"Sick.{person}"], [["0.5", "0.5"]] * 2)
    lg.write(builder.build(), tmp_path / "structure.json")
    rows = "true,true,2\ntrue,false,1\nfalse,true,1\nfalse,false,5\n"
    (tmp_path / "alice.csv").write_text(f"Epid,Sick.alice,days\n{rows}")
    (tmp_path / "bob.csv").write_text(f"Epid,Sick.bob,days\n{3 * rows}")
    return tmp_path


def learn(files: Path, *options: str) -> int:
    names = ("structure.json", "alice.csv", "bob.csv")
    paths = [str(files / name) for name in names]
    return main(["learn", *paths, "-o", str(files / "model.json"), *options])


def test_counts_are_learnt(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn(files, "--counts", "days", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["sources"] == {str(files / "alice.csv"): 4, str(files / "bob.csv"): 12}
    assert said["unsupported"] == said["with_zeros"] == []
    graph = lg.read_graph(files / "model.json")
    tables = [graph.factors[factor].table for factor in range(3)]
    assert tables == [
        lg.Table.of(values) for values in ([12, 24], [[2, 1], [1, 5]], [[6, 3], [3, 15]])
    ]


def test_a_network_is_learnt(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn(files, "--counts", "days", "--conditional", "--prior", "1/2") == 0
    printed = capsys.readouterr().out
    assert "3 factors: relative frequencies given the parents, 1/2 added to each count" in printed
    graph = lg.read_graph(files / "model.json")
    assert graph.factors[1].table.potential((0, 0)) == Fraction(5, 8)  # 2 + 1/2 of 3 + 1


def test_what_a_format_does_not_keep_is_said(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    structure = lg.read_graph(files / "structure.json").given({"Epid": "true"})
    lg.write(structure, files / "structure.json")
    assert learn(files, "--counts", "days") == 0
    assert capsys.readouterr().err == ""
    output = ["-o", str(files / "model.uai")]
    assert learn(files, "--counts", "days", *output) == 0
    assert "note: UAI models have no evidence" in capsys.readouterr().err
    assert learn(files, "--counts", "days", *output, "--json") == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("no evidence" in note for note in notes)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--counts", "weeks"], "alice.csv: expected a column, got 'weeks'"),
        (["--prior", "-1"], "prior: expected a non-negative number, got '-1'"),
        (["-o", "model.txt"], "model.txt: expected a name ending in"),
    ],
)
def test_errors_are_one_line(
    files: Path, capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    assert learn(files, *options) == 2
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1
    assert not (files / "model.json").exists()


def test_edges_of_a_network_come_from_a_table(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "edges.csv").write_text("parent,child\nEpid,Sick.alice\n,Epid\n")
    paths = [str(files / name) for name in ("edges.csv", "alice.csv", "model.json")]
    assert main(["learn", *paths[:2], "-o", paths[2], "--prior", "bdeu:4"]) == 0
    assert "BDeu prior of sample size 4" in capsys.readouterr().out
    graph = lg.read_graph(files / "model.json")
    assert [*graph.variables] == ["Epid", "Sick.alice"]
    assert graph.cpd("Epid").table.potential((0,)) == Fraction(2 + 2, 4 + 4)
    assert graph.cpd("Sick.alice").table.potential((0, 1)) == Fraction(1 + 1, 2 + 2)


@pytest.mark.parametrize(
    ("edges", "prior", "problem"),
    [
        ("from,to\nA,B\n", "0", "expected columns parent and child, got from, to"),
        ("parent,child\nA,\n", "0", "row 0: expected a child, got none"),
        ("parent,child\nA,B\nB,A\n", "0", "this is not a Bayesian network"),
        ("parent,child\nA,B\nA,B\n", "0", "row 1: expected each edge once, got A → B twice"),
        ("parent,child\nA,B\nB,B\n", "0", "row 1: expected two variables, got B → B"),
        ("parent,child\nA,B\n", "bdeu:0", "expected a positive sample size of BDeu"),
        ("parent,child\nA,B\n", "jeffreys:1", "expected a number or bdeu:N, got jeffreys:1"),
    ],
)
def test_edges_and_priors_that_make_no_sense_are_refused(
    files: Path, capsys: pytest.CaptureFixture[str], edges: str, prior: str, problem: str
) -> None:
    (files / "edges.csv").write_text(edges)
    (files / "rows.csv").write_text("A,B\n1,2\n")
    paths = [str(files / name) for name in ("edges.csv", "rows.csv", "model.json")]
    assert main(["learn", *paths[:2], "-o", paths[2], "--prior", prior]) == 2
    assert problem in capsys.readouterr().err


def test_missing_values_are_completed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--missing", "em", "--restarts", "2", "--seed", "7", "--iterations", "50")
    (files / "bob.csv").write_text("Epid,Sick.bob,days\n,true,3\nfalse,false,6\n")
    assert learn(files, "--counts", "days", "--conditional", *options, "--json") == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert len(runs) == 3
    assert all(run["converged"] for run in runs)
    assert learn(files, "--counts", "days", "--conditional", *options) == 0
    assert "the best of 3 starts" in capsys.readouterr().out
    sources = [lg.Source(str(files / f"{name}.csv"), counts="days") for name in ("alice", "bob")]
    settings = lg.EM(restarts=2, seed=7, iterations=50)
    learnt = lg.learn_bayesian_network(
        lg.read_graph(files / "structure.json"), sources, missing=settings
    )
    written = lg.read_graph(files / "model.json")
    assert written.query("Epid").probabilities == pytest.approx(
        learnt.graph.query("Epid").probabilities, rel=1e-12
    )


EM = ["--conditional", "--missing", "em"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--missing", "em"], "expected a Bayesian network with --missing em: --conditional"),
        (["--restarts", "2"], "expected --missing em with --restarts"),
        (["--conditional", "--missing", "em", "--restarts", "-2"], "restarts: expected an integer"),
        (
            ["--conditional", "--missing", "em", "--tolerance", "nan"],
            "tolerance: expected a number",
        ),
    ],
)
def test_completing_that_makes_no_sense_is_refused(
    files: Path, capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    assert learn(files, *options) == 2
    assert problem in capsys.readouterr().err
