"""The command line, as programs and people use it."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liftgraph as lg
from liftgraph.cli import main, progress

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "liftgraph", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """The JSON answer of a command."""
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    """What a command prints: its output if it is meant to succeed, else its error."""
    assert main(list(arguments)) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "info", EXAMPLE)
    assert (answer["variables"], answer["factors"], answer["edges"]) == (9, 9, 21)
    assert "variables  9" in told(capsys, 0, "info", EXAMPLE)


def test_info_lists_variables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    graph = lg.read_graph(EXAMPLE).given({"Epid": "true"})
    observed = str(tmp_path / "observed.json")
    lg.write(graph, observed)
    listed = ask(capsys, "info", observed, "--variables")["variables"]
    assert [entry["name"] for entry in listed] == [*graph]
    assert all(tuple(entry["states"]) == graph.states(entry["name"]) for entry in listed)
    assert [e["name"] for e in listed if e.get("observed") == "true"] == ["Epid"]
    lines = told(capsys, 0, "info", observed, "--variables").splitlines()
    assert [line.split()[0] for line in lines] == [*graph]
    assert lines[graph["Epid"].index].endswith("true, false  (observed true)")
    lifted = tmp_path / "lifted.blog"
    lifted.write_text(
        "type P; guaranteed P [1000000]; random Boolean K(P, P);"
        "parfactor P X, P Y . MultiArrayPotential[[1, 2]] (K(X, Y));"
    )
    (prv,) = ask(capsys, "info", str(lifted), "--variables")["prvs"]
    assert (prv["name"], len(prv["logvars"]), prv["variables"]) == ("K", 2, 10**12)
    text = told(capsys, 0, "info", str(lifted), "--variables")
    assert text.startswith("K(")
    assert text.endswith(")  true, false  (1,000,000,000,000 variables)\n")


def test_lift(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = ask(capsys, "lift", EXAMPLE)
    counts = [answer[key] for key in ("variables", "factors", "variable_groups", "rounds")]
    assert counts == [9, 9, 4, 2]
    assert answer["factor_groups"] == 4
    assert answer["seconds"] > 0
    assert (answer["tolerance"], answer["log_odds_bound"]) == ("0", 0)
    for engine in ("arrays", "compiled"):
        groups = ask(capsys, "lift", EXAMPLE, "--engine", engine)["variable_groups"]
        assert groups == answer["variable_groups"]
    text = told(capsys, 0, "lift", EXAMPLE)
    assert "variables  9 in 4 groups" in text
    assert "groups are exact" in text
    # Alice is not like Bob any more, and neither is what belongs to her.
    assert ask(capsys, "lift", EXAMPLE, "--given", "Sick.alice=true")["variable_groups"] == 7
    evidence = tmp_path / "evidence.evid"
    sick = lg.read_graph(EXAMPLE).variable("Sick.alice")
    evidence.write_text(f"1 {sick} 0")
    assert ask(capsys, "lift", EXAMPLE, "--evidence", str(evidence))["variable_groups"] == 7


def test_lift_algorithms_and_tolerance(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "scaled.uai"
    tables = "4 1 2 3 4\n4 7 21 14 28\n4 100 202 299 401"
    model.write_text(f"MARKOV 4 2 2 2 2 3\n2 0 1\n2 1 2\n2 3 1\n{tables}")
    groups = {
        algorithm: ask(capsys, "lift", str(model), "--algorithm", algorithm)["factor_groups"]
        for algorithm in ("cp", "acp", "alpha-acp")
    }
    assert groups == {"cp": 3, "acp": 3, "alpha-acp": 2}
    near = ask(capsys, "lift", str(model), "--tolerance", "1/50")
    assert near["factor_groups"] == 1
    assert near["tolerance"] == "1/50"
    assert 0 < near["log_odds_bound"] < 0.04
    assert "no log odds change by more than" in told(
        capsys, 0, "lift", str(model), "--tolerance", "0.02"
    )
    assert "below 1, got 3" in told(capsys, 2, "lift", EXAMPLE, "--tolerance", "3")


def test_lift_shows_rounds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = ask(capsys, "lift", EXAMPLE, "--rounds")
    assert answer["groups_by_round"] == [[1, 4], [4, 4], [4, 4]]
    assert "groups_by_round" not in ask(capsys, "lift", EXAMPLE)
    lines = told(capsys, 0, "lift", EXAMPLE, "--rounds").splitlines()
    assert [line.split() for line in lines[-3:]] == [
        ["0", "1", "4"],
        ["1", "4", "4"],
        ["2", "4", "4"],
    ]
    builder = lg.FactorGraphBuilder()
    builder.add_variables(101)
    for variable in range(100):
        builder.add_factor([variable, variable + 1], [[1, 2], [2, 5]])
    model = tmp_path / "path.json"
    lg.write(builder.build(), model)
    text = told(capsys, 0, "lift", str(model), "--rounds")
    assert "…" in text
    assert text.splitlines()[-1].split() == ["51", "51", "50"]
    assert len(ask(capsys, "lift", str(model), "--rounds")["groups_by_round"]) == 52


def test_lift_tells_the_lifted_model(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "lift", EXAMPLE)
    assert answer["logvars"] == {"X": 2, "Y": 2}
    assert (answer["prvs"], answer["parfactors"], answer["ground_variables"]) == (4, 4, 1)
    assert answer["verified"] is True
    text = told(capsys, 0, "lift", EXAMPLE)
    assert "verified by grounding it again" in text
    assert "  Treat(X, Y) ∈ {true, false}" in text


@pytest.mark.parametrize("name", ["lifted.json", "lifted.json.gz", "lifted.blog"])
def test_lifted_models_are_stored_and_taken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    stored = str(tmp_path / name)
    told(capsys, 0, "lift", EXAMPLE, "-o", stored)
    for command in ("info", "logz", "marginals", "mpe", "lift"):
        assert told(capsys, 0, command, stored)
    given_epidemic = ("Sick.alice", "--given", "Epid=true", "--exact")
    expected = ask(capsys, "query", EXAMPLE, *given_epidemic)["exact"]
    assert ask(capsys, "query", stored, *given_epidemic)["exact"] == expected
    expected = ask(capsys, "logz", EXAMPLE, "--exact")["z"]
    assert ask(capsys, "logz", stored, "--exact")["z"] == expected
    if name != "lifted.blog":
        assert lg.read_graph(stored) == lg.read_graph(EXAMPLE)
    ground = str(tmp_path / "ground.uai")
    notes = ask(capsys, "convert", stored, ground)["notes"]
    assert "the model was ground" in notes[0]
    assert ask(capsys, "logz", ground, "--exact")["z"] == expected
    told(capsys, 0, "convert", stored, str(tmp_path / "again.blog"))


def test_lifted_models_have_their_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "expected a name ending in" in told(capsys, 2, "lift", EXAMPLE, "-o", "lifted.txt")
    error = told(capsys, 2, "lift", EXAMPLE, "-o", str(tmp_path / "lifted.uai"))
    assert "expected .json or .blog for a lifted model" in error
    blog = str(tmp_path / "ground.blog")
    assert "liftgraph lift" in told(capsys, 2, "convert", EXAMPLE, blog)
    large = tmp_path / "large.blog"
    large.write_text(
        "type P; guaranteed P [1000000]; random Boolean K(P, P);"
        "parfactor P X, P Y . MultiArrayPotential[[1, 2]] (K(X, Y));"
    )
    assert ask(capsys, "info", str(large))["variables"] == 10**12
    assert "1,000,000,000,000 as 1 PRV" in told(capsys, 0, "info", str(large))
    assert "GiB: it has 1,000,000,000,000 variables" in told(
        capsys, 1, "logz", str(large), "--method", "ground"
    )
    assert ask(capsys, "logz", str(large))["log_z"] == pytest.approx(10**12 * math.log(3))
    answer = ask(capsys, "query", str(large), "K.7.123456", "--given", "K.7.7=true", "--exact")
    assert answer["exact"] == ["1/3", "2/3"]


def test_evidence_files_fit_lifted_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored, evidence = str(tmp_path / "lifted.json"), tmp_path / "some.evid"
    ask(capsys, "lift", EXAMPLE, "-o", stored)
    evidence.write_text("2 0 1 3 0")
    answers = [
        ask(capsys, "logz", model, "--evidence", str(evidence), "--exact", "--method", method)["z"]
        for model in (EXAMPLE, stored)
        for method in ("auto", "lifted", "ground")
    ]
    assert len(set(answers)) == 1
    large = tmp_path / "large.blog"
    large.write_text(
        "type P; guaranteed P [1000000]; random Boolean K(P, P); random Boolean E;"
        "parfactor P X, P Y . MultiArrayPotential[[1, 2, 3, 4]] (K(X, Y), E);"
    )
    evidence.write_text("1 1000007 1")
    answer = ask(capsys, "query", str(large), "E", "--evidence", str(evidence))
    assert answer["method"] == "lifted"
    clash = "expected one state for K.2.8, got both"
    options = ["--evidence", str(evidence), "--given", "K.2.8=true"]
    assert clash in told(capsys, 2, "query", str(large), "E", *options)


def test_query(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "query", EXAMPLE, "Sick.alice", "--given", "Epid=true", "Travel.bob=false")
    assert answer["variables"] == ["Sick.alice"]
    assert answer["states"] == [["true", "false"]]
    assert answer["probabilities"] == pytest.approx([0.75, 0.25])
    assert answer["method"] == "ground"  # few factors matter
    assert set(answer) == {"variables", "states", "probabilities", "method", "seconds"}
    assert "true   0.75" in told(capsys, 0, "query", EXAMPLE, "Sick.alice", "--given", "Epid=true")


def test_joint_exact_query_with_an_observed_variable(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("query", EXAMPLE, "Epid", "Sick.alice", "--exact", "--given", "Epid=true")
    answer = ask(capsys, *asked)
    assert answer["exact"] == [["3/4", "1/4"], ["0", "0"]]
    assert answer["probabilities"] == [[0.75, 0.25], [0.0, 0.0]]


def test_marginals_in_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "marginals", EXAMPLE, "--given", "Epid=true", "--exact")
    assert answer["marginals"]["Sick.bob"] == [0.75, 0.25]
    assert answer["exact"]["Sick.bob"] == ["3/4", "1/4"]
    assert answer["exact"]["Epid"] == ["1", "0"]
    text = told(capsys, 0, "marginals", EXAMPLE, "--format", "uai", "--given", "Epid=true")
    name, numbers = text.splitlines()
    assert name == "MAR"
    assert numbers.startswith("9 2 1.0 0.0 2 ")
    assert "Sick.bob        true 0.75  false 0.25" in told(
        capsys, 0, "marginals", EXAMPLE, "--given", "Epid=true"
    )


def test_logz_in_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "logz", EXAMPLE, "--exact")
    # Epid 10; Travel 4 a person, Sick 10, Treat 10 twice; and Alice's five tables count twice.
    z = 10 * (4 * 10 * 10 * 10) ** 2 * 2**4
    assert answer["z"] == str(z)
    assert answer["log10_z"] == pytest.approx(math.log10(z))
    text = told(capsys, 0, "logz", EXAMPLE, "--format", "uai")
    assert text.startswith("PR\n")
    assert float(text.split()[1]) == pytest.approx(math.log10(z))
    assert "log10 Z" in told(capsys, 0, "logz", EXAMPLE)


def test_mpe_in_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "mpe", EXAMPLE, "--given", "Epid=true")
    assert answer["assignment"]["Epid"] == "true"
    assert answer["assignment"]["Sick.alice"] == "true"
    assert told(capsys, 0, "mpe", EXAMPLE, "--format", "uai") == "MPE\n9 1 1 1 1 1 1 1 1 1\n"
    assert "log weight" in told(capsys, 0, "mpe", EXAMPLE)


@pytest.mark.parametrize("question", ["marginals", "logz", "mpe"])
def test_the_uai_format_has_no_place_for_bounds(
    question: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "near.json")
    lg.write(lg.datasets.perturbed(lg.datasets.epid(8).ground(), "0.01"), path)
    asked = (question, path, "--tolerance", "0.05", "--method", "lifted")
    assert 0 < json.loads(told(capsys, 0, *asked, "--format", "json"))["log_odds_bound"] < 10
    assert "off by up to" in told(capsys, 0, *asked)
    error = told(capsys, 2, *asked, "--format", "uai")
    assert "expected an exact answer for the UAI format, got one that may be off" in error
    assert "--method ground" in error


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["query", EXAMPLE, "Epid"], {"variables", "states", "probabilities"}),
        (["marginals", EXAMPLE], {"marginals", "states", "log_z"}),
        (["logz", EXAMPLE], {"log_z", "log10_z"}),
        (["mpe", EXAMPLE], {"assignment", "log_weight"}),
    ],
)
def test_keys_of_json_answers(
    capsys: pytest.CaptureFixture[str], arguments: list[str], keys: set[str]
) -> None:
    always = {"method", "seconds"}
    exact = {"query": "exact", "marginals": "exact", "logz": "z", "mpe": "weight"}[arguments[0]]
    assert set(ask(capsys, *arguments)) == keys | always
    assert set(ask(capsys, *arguments, "--exact")) == keys | always | {exact}
    assert set(ask(capsys, *arguments, "--explain")) == keys | always | {"plan"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["query", EXAMPLE, "Sick.alice", "--given", "Epid=true", "Travel.bob=true"],
        ["query", "--given", "Epid=true", "Travel.bob=true", EXAMPLE, "Sick.alice"],
        ["query", EXAMPLE, "--given", "Epid=true", "Travel.bob=true", "Sick.alice"],
        ["query", EXAMPLE, "--given", "Epid=true", "--given", "Travel.bob=true", "Sick.alice"],
        ["query", EXAMPLE, "Sick.alice", "--given=Epid=true", "--given=Travel.bob=true"],
    ],
)
def test_arguments_come_in_any_order(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert ask(capsys, *arguments)["probabilities"] == pytest.approx([0.75, 0.25])


def test_explain_goes_to_stderr_and_into_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logz", EXAMPLE, "--explain", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("lifted variable elimination")
    assert json.loads(captured.out)["plan"] == captured.err.rstrip("\n")


def test_convert_there_and_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    there, back = str(tmp_path / "model.uai.gz"), str(tmp_path / "model.json.gz")
    assert main(["convert", EXAMPLE, there]) == 0
    assert "no names" in capsys.readouterr().err
    done = ask(capsys, "convert", there, back)
    assert done == {
        "source": there,
        "target": back,
        "variables": 9,
        "factors": 9,
        "notes": [],
    }
    assert lg.read(back) == lg.read(there)
    assert ask(capsys, "convert", back, there)["notes"] == []  # indices are no names
    same = str(tmp_path / "same.json")
    assert main(["convert", EXAMPLE, same]) == 0
    assert Path(same).read_bytes() == Path(EXAMPLE).read_bytes()


def test_lost_names_of_states_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)  # called 0 and 1, but their states true and false
    source, target = str(tmp_path / "model.json"), str(tmp_path / "model.uai")
    lg.write(builder.build(), source)
    assert len(ask(capsys, "convert", source, target)["notes"]) == 1
    assert ask(capsys, "convert", target, source)["notes"] == []


def test_evidence_from_a_file_and_from_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.evid"
    path.write_text("1 0 0")
    answer = ask(capsys, "query", EXAMPLE, "Sick.alice", "--evidence", str(path))
    assert answer["probabilities"] == pytest.approx([0.75, 0.25])
    error = told(capsys, 2, "logz", EXAMPLE, "--evidence", str(path), "--given", "Epid=false")
    assert "expected one state for Epid, got both true and false" in error


def test_names_with_equals_signs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("a=b", ["x=y", "z"])
    builder.add_factor(["a=b"], [1, 3])
    path = str(tmp_path / "model.json")
    lg.write(builder.build(), path)
    answer = ask(capsys, "query", path, "a=b", "--given", "a=b=x=y")
    assert answer["probabilities"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["query", EXAMPLE, "Sick.alise"], 2, "did you mean Sick.alice?"),
        (["query", EXAMPLE, "Epid", "Epid"], 2, "expected distinct variables"),
        (["query", EXAMPLE, "Epid", "--given", "Epid"], 2, "expected VAR=STATE, got Epid"),
        (["query", EXAMPLE, "Epid", "--given", "Epid=maybe"], 2, "expected a state of Epid"),
        (["query", EXAMPLE, "Epid", "--given", "Epod=true"], 2, "did you mean Epid?"),
        (["query", EXAMPLE, "Epid", "--tolerance", "x"], 2, "tolerance: expected a non-negative"),
        (
            ["draw", EXAMPLE, "-o", "x.svg", "--exact"],
            2,
            "--exact and --method for a plan, a marginal or beliefs",
        ),
        (
            ["draw", EXAMPLE, "-o", "x.svg", "--what", "lifted", "--method", "ground"],
            2,
            "--exact and --method for a plan, a marginal or beliefs only",
        ),
        (["info", "missing.uai"], 2, "missing.uai: cannot be read"),
        (["info", "model.xyz"], 2, "expected a name ending in .uai, .json"),
        (["convert", EXAMPLE, "/nowhere/model.uai"], 2, "cannot be written"),
        (["logz", EXAMPLE, "--method", "lifted", "--memory", "10"], 1, "the limit is 10 bytes"),
        (["marginals", EXAMPLE, "--memory", "100"], 1, "the limit is 100 bytes"),
        (["info", EXAMPLE, "--memory", "100k"], 1, "needs 256.0 KiB, the limit is 97.7 KiB"),
        (["convert", EXAMPLE, "m.uai", "--memory", "100k"], 1, "the limit is 97.7 KiB"),
        (["lift", EXAMPLE, "--memory", "100k"], 1, "the limit is 97.7 KiB"),
        (["learn", EXAMPLE, "x.csv", "-o", "m.json", "--memory", "100k"], 1, "limit is 97.7 KiB"),
    ],
)
def test_errors_are_one_line_on_stderr(
    capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, problem: str
) -> None:
    error = told(capsys, status, *arguments)
    assert problem in error
    assert error.startswith("liftgraph: ")
    assert error.count("\n") == 1


def test_impossible_evidence_cannot_be_computed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 1 2 1 1 0 2 0 1")
    for command in (["query", str(path), "0"], ["marginals", str(path)], ["logz", str(path)]):
        assert "nothing is possible" in told(capsys, 1, *command, "--given", "0=0")
    assert "nothing is possible" in told(capsys, 1, "mpe", str(path), "--given", "0=0", "--exact")


def test_an_empty_model_has_weight_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 0 0")
    assert ask(capsys, "logz", str(path))["log_z"] == 0
    assert ask(capsys, "marginals", str(path))["marginals"] == {}
    assert ask(capsys, "mpe", str(path))["assignment"] == {}
    assert "variables  0" in told(capsys, 0, "info", str(path))


@pytest.mark.parametrize(
    "command", ["info", "query", "marginals", "logz", "mpe", "lift", "convert"]
)
def test_help_shows_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, "--help"]) == 0
    assert f"example:\n  liftgraph {command} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "explains"),
    [
        (["qurey", EXAMPLE], "liftgraph --help"),
        (["logz", EXAMPLE, "Epid"], "liftgraph logz --help"),
        (["query", EXAMPLE, "Epid", "-g", "Epid=true"], "liftgraph query --help"),
    ],
)
def test_misuse_names_the_help_that_explains(
    capsys: pytest.CaptureFixture[str], arguments: list[str], explains: str
) -> None:
    assert main(arguments) == 2
    assert re.search(rf"[( ]{explains} explains\)\n$", capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [["nonsense"], ["logz"], ["logz", EXAMPLE, "--memory", "x"]])
def test_bad_usage_exits_with_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("liftgraph: ")
    assert done.stderr.count("\n") == 1


def test_the_installed_command_runs_and_prints_nothing_but_the_answer() -> None:
    done = run("logz", EXAMPLE, "--format", "uai")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("PR\n")
    failed = run("info", "missing.uai")
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    assert failed.stdout == ""


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m liftgraph marginals {EXAMPLE} --json; echo $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({command}) | true"], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == "0"


@pytest.mark.parametrize(
    ("redirection", "arguments", "status"),
    [
        (">&-", f"info {EXAMPLE}", 1),
        ("2>&-", f"info {EXAMPLE}", 0),
        ("2>&-", "info missing.uai", 2),
        ("2>/dev/full", "info missing.uai", 2),
        (">/dev/full", f"info {EXAMPLE}", 1),
    ],
)
def test_closed_and_full_streams_give_no_traceback(
    redirection: str, arguments: str, status: int
) -> None:
    command = f"{sys.executable} -m liftgraph {arguments} {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", TERMINAL], capture_output=True, text=True, check=True
    )
    assert "computing" in shown.stdout
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.reporting() as report:
        report.stage("computing")
        report.done(0.5)
    assert not sys.stderr.isatty()


# Answers a query on a pseudo-terminal, without patience, and prints what that shows.
TERMINAL = f"""
import os, pty, sys
def answer():
    import time
    from liftgraph.cli import main, progress, questions
    progress._PATIENCE = 0.0
    quick = questions.run
    def slow(planned, done):
        done(0.5)
        time.sleep(0.5)
        return quick(planned, done)
    questions.run = slow
    os._exit(main(["logz", {EXAMPLE!r}]))
child, terminal = pty.fork()
if child == 0:
    answer()
seen = b""
while True:
    try:
        part = os.read(terminal, 1000)
    except OSError:
        part = b""
    if not part:
        break
    seen += part
sys.stdout.write(seen.decode(errors="replace"))
"""


def test_an_ambiguous_event_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("a", ["b=c", "x"])
    builder.add_variable("a=b", ["c", "d"])
    path = str(tmp_path / "model.json")
    lg.write(builder.build(), path)
    assert "expected one way to read" in told(capsys, 2, "logz", path, "--given", "a=b=c")


@pytest.mark.parametrize("suffix", [".bif", ".xmlbif", ".net", ".xdsl", ".fg", ".uai"])
def test_every_format_tells_what_it_cannot_keep(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str
) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable(states=3)
    builder.add_factor([0], ["1/3", "1/3", "1/3"])
    source, target = str(tmp_path / "model.json"), str(tmp_path / f"model{suffix}")
    lg.write(builder.build().given({0: "1"}), source)
    notes = " ".join(ask(capsys, "convert", source, target)["notes"])
    assert "no evidence: it was left out" in notes
    assert "written as fractions; --round rounds them" in notes
    assert lg.read_graph(target) == builder.build()
    notes = " ".join(ask(capsys, "convert", source, target, "--round")["notes"])
    assert "rounded to 17 digits" in notes
    assert "0.33333333333333333" in Path(target).read_text()
    assert "nothing was rounded" in ask(capsys, "convert", target, source, "--round")["notes"][0]
    message = told(capsys, 2, "lift", target, "-o", target)
    assert "expected .json or .blog for a lifted model" in message


def test_lifted_networks_are_ground_for_formats_of_networks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    person = lg.LogVar("P", 3)
    sick = lg.prv("Sick", person)
    model = lg.ParfactorGraph.of([lg.parfactor([sick], ["0.25", "0.75"])])
    source, target = str(tmp_path / "model.json"), str(tmp_path / "model.bif.gz")
    lg.write(model, source)
    assert ask(capsys, "convert", source, target)["notes"] == [
        "BIF files have no logvars: the model was ground"
    ]
    assert lg.read(target) == model.ground()


def test_trade_off_tries_tolerances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "noisy.json")
    lg.write(lg.datasets.perturbed(lg.datasets.epid(4).ground(), "0.01"), model)
    tried = ["trade-off", model, "Epid", "--tolerances", "0.1,0", "--given", "Sick.1=true"]
    assert main(tried) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0] == "17 variables and 13 factors"
    assert [line.split()[:2] for line in table[2:]] == [["0", "17"], ["0.1", "4"]]
    assert main([*tried, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["tolerance"], said["prvs"]) == (["0", "0.1"], [17, 4])
    assert said["error"][0] < 1e-9 < said["error"][1] < said["log_odds_bound"][1]
    assert main([*tried, "-o", str(tmp_path / "choices.svg")]) == 0
    assert "<svg" in (tmp_path / "choices.svg").read_text()
    assert main([*tried, "-o", str(tmp_path / "choices.gif")]) == 2
    assert "to end in .svg, .png, .pdf, .tex or .tikz" in capsys.readouterr().err
    assert main(["trade-off", model, "--tolerances", "nonsense"]) == 2
    assert "expected a non-negative number, got 'nonsense'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["query", "Epid"], ["marginals"], ["logz"], ["mpe"]])
def test_answers_up_to_a_tolerance_say_so(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "noisy.json")
    lg.write(lg.datasets.perturbed(lg.datasets.epid(4).ground(), "0.01"), model)
    asked = [command[0], model, *command[1:], "--tolerance", "0.1", "--method", "lifted"]
    assert main(asked) == 0
    assert "off by up to" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["log_odds_bound"] > 0
    assert main([*asked[:-4], "--json"]) == 0
    assert "log_odds_bound" not in json.loads(capsys.readouterr().out)


def test_loading_the_command_can_be_interrupted() -> None:
    """As if Ctrl-C came while NumPy is being loaded."""
    code = f"""
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from liftgraph.cli import main
sys.exit(main(["info", {EXAMPLE!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "liftgraph: interrupted\n")


def test_counts_are_asked_for_and_observed(capsys: pytest.CaptureFixture[str]) -> None:
    graph = lg.read(EXAMPLE)
    assert main(["query", EXAMPLE, "count:Sick=true", "Epid", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    joint = graph.query(lg.count("Sick"), "Epid")
    assert answer["variables"] == ["#Sick=true", "Epid"]
    assert np.allclose(np.ravel(answer["probabilities"]), joint.probabilities.ravel())
    assert main(["logz", EXAMPLE, "--given", "count:Treat=true=1..3", "--json"]) == 0
    given = {lg.count("Treat"): range(1, 4)}
    log_z = graph.partition(given=given).log_z
    assert json.loads(capsys.readouterr().out)["log_z"] == pytest.approx(log_z)
    assert main(["mpe", EXAMPLE, "--given", "count:Sick.alice,Sick.bob=true=1"]) == 0
    assert capsys.readouterr().out.count("Sick") == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["count:Sick"], "expected count:VAR,...=STATE, got count:Sick"),
        (["Epid", "--given", "count:Sick=true"], "expected count:VAR,...=STATE=NUMBER or"),
        (["Epid", "--given", "count:Sick=true=many"], "expected count:VAR,...=STATE=NUMBER or"),
        (["Epid", "--given", "count:Sick=true=9"], "expected a number from 0 to 2, got 9"),
    ],
)
def test_bad_counts_are_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    assert main(["query", EXAMPLE, *arguments]) == 2
    assert problem in capsys.readouterr().err
