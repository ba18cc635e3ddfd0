"""What the command reads: models and tables from standard input, and evidence from files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.io.formats import format_named, format_names
from tests.io.test_foreign_networks import GOLDEN

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")
NAMES = ["Epid", "a=b", "two words", 'quo"ted', "com,ma", "Ümläut", "line\\n", "variable"]
STATES = ["yes=no", "empty", "1", "wéi,rd", "true"]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets standard input have some content."""

    def have(content: bytes) -> None:
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr(sys, "stdin", stream)

    return have


def told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    """What a command prints: its output if it is meant to succeed, else its error."""
    assert main(list(arguments)) == status
    captured = capsys.readouterr()
    if status:
        assert captured.err.count("\n") == 1
        assert captured.out == ""
    return captured.err if status else captured.out


def network() -> lg.FactorGraph:
    """A model that every format can hold."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_factor([0], ["1/4", "3/4"])
    builder.add_factor([0, 1], [["1/2", "1/2"], ["1/8", "7/8"]])
    return builder.build()


FOLDERS = {"parquet"}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", sorted({*format_names()} - FOLDERS))
def test_models_of_every_format_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stdin: Any, name: str, packed: bool
) -> None:
    path = tmp_path / f"model.{name}"
    if path.suffix in GOLDEN:  # not written by this library
        path.write_text(GOLDEN[path.suffix])
    elif path.suffix == ".dnet":
        path.write_text(GOLDEN[".dne"])
    else:
        lg.write(lg.lift(network()) if format_named(name).title == "BLOG" else network(), path)
    expected = told(capsys, 0, "logz", str(path), "--exact", "--json", "--reproducible")
    stdin(gzip.compress(path.read_bytes()) if packed else path.read_bytes())
    asked = ["logz", "-", "--exact", "--json", "--reproducible", "--input-format", name]
    assert told(capsys, 0, *asked) == expected


def test_folders_do_not_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], stdin: Any
) -> None:
    stdin(b"PAR1")
    error = told(capsys, 2, "info", "-", "--input-format", "parquet")
    assert (
        error == "liftgraph: standard input: expected a folder with graph.json, got nothing there\n"
    )


def test_a_format_that_no_name_tells_is_told_by_an_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stdin: Any
) -> None:
    odd = tmp_path / "model=1 (copy).txt"
    odd.write_bytes(Path(EXAMPLE).read_bytes())
    expected = told(capsys, 0, "info", EXAMPLE)
    assert told(capsys, 0, "info", str(odd), "--input-format", "json") == expected
    stdin(odd.read_bytes())
    told(capsys, 0, "convert", "-", str(tmp_path / "same.json"), "--input-format", "json")
    assert lg.read(tmp_path / "same.json") == lg.read(EXAMPLE)
    assert "standard input has no suffix: expected --input-format" in told(capsys, 2, "info", "-")
    error = told(capsys, 2, "info", "-", "--input-format", "jsn")
    assert "did you mean json?" in error


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "standard input:1: expected a JSON document, got an empty file"),
        (b"{", "standard input:1:2: expected"),
        (b"\n\xff\x00", "standard input:2:1: expected UTF-8, got 0xff"),
        (b"\x1f", "standard input:1: expected gzipped data"),
        (gzip.compress(b"{}" * 99, mtime=0)[:-9], "standard input:1: expected gzipped data"),
    ],
)
def test_bad_standard_input_is_told(
    capsys: pytest.CaptureFixture[str], stdin: Any, content: bytes, problem: str
) -> None:
    stdin(content)
    assert problem in told(capsys, 2, "info", "-", "--input-format", "json")


def test_standard_input_may_be_closed_and_come_in_pieces() -> None:
    command = f"{sys.executable} -m liftgraph logz - --input-format json --json --reproducible"
    closed = subprocess.run(["sh", "-c", f"{command} <&-"], capture_output=True, text=True)
    problem = "liftgraph: standard input: cannot be read: it is closed\n"
    assert (closed.returncode, closed.stderr) == (2, problem)
    begun = f"(head -c 1 {EXAMPLE}; sleep 0.2; tail -c +2 {EXAMPLE}) | {command}"
    whole = subprocess.run(["sh", "-c", begun], capture_output=True, text=True)
    assert json.loads(whole.stdout)["log_z"] == pytest.approx(lg.read(EXAMPLE).partition().log_z)


def test_tables_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stdin: Any
) -> None:
    rows = b"Epid,Sick.alice\ntrue,\n,false\n"
    (tmp_path / "rows.csv").write_bytes(rows)
    expected = told(capsys, 0, "predict", EXAMPLE, str(tmp_path / "rows.csv"), "Sick.bob")
    stdin(rows)
    assert told(capsys, 0, "predict", EXAMPLE, "-", "Sick.bob") == expected
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Epid")
    builder.add_factor(["Epid"], [1, 1])
    structure, learnt = str(tmp_path / "structure.json"), str(tmp_path / "learnt.json")
    lg.write(builder.build(), structure)
    stdin(b"Epid\ntrue\nfalse\ntrue\ntrue\n")
    told(capsys, 0, "learn", structure, "-", "-o", learnt)
    assert lg.read(learnt).query("Epid").probabilities == pytest.approx([0.75, 0.25])
    for twice in (["predict", "-", "-", "Epid"], ["learn", EXAMPLE, "-", "-", "-o", learnt]):
        assert "standard input (-) at most once" in told(capsys, 2, *twice)
    asked = ["query", EXAMPLE, "Epid", "--evidence", "-"]
    assert "--evidence: expected a file, got -" in told(capsys, 2, *asked)


def odd_model() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    for weight, name in enumerate(NAMES, start=1):
        builder.add_variable(name, STATES)
        builder.add_factor([name], [1, 2, 3, 4, weight])
    for pair in pairwise(NAMES):
        table = [[1 + (i * j) % 4 for i in range(5)] for j in range(5)]
        builder.add_factor(list(pair), table)
    return builder.build()


@settings(max_examples=20)  # each asks the command several times
@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(STATES)),
    st.randoms(),
)
def test_evidence_files_say_the_same_as_the_library(observed: dict[str, str], random: Any) -> None:
    """Whatever the layout, names may hold commas, quotes and equals signs."""
    literals: dict[str, Any] = {"true": True, "1": 1}
    objects = {v: random.choice([s, literals.get(s, s)]) for v, s in observed.items()}
    missing: dict[str, Any] = {name: None for name in NAMES if name not in observed}
    header = [*observed, *missing]
    contents = {
        "some.json": json.dumps(objects | missing, indent=random.choice([None, 1])),
        "rows.csv": _csv([["variable", "state"], *map(list, observed.items())]),
        "row.csv": _csv([header, [observed.get(name, "") for name in header]]),
    }
    z = str(odd_model().partition(given=observed, exact=True).z)
    with TemporaryDirectory() as folder:
        model = Path(folder, "model.json")
        lg.write(odd_model(), model)
        for name, content in contents.items():
            evidence = Path(folder, name)
            evidence.write_text(content, encoding="utf-8")
            asked = ["logz", str(model), "--exact", "--json", "--evidence", str(evidence)]
            with redirect_stdout(io.StringIO()) as printed:
                assert main(asked) == 0
            assert json.loads(printed.getvalue())["z"] == z


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("e.json", "", ":1: expected a JSON document, got an empty file"),
        ("e.json", "[1]", ": Expected `object`, got `array`"),
        ("e.json", '{"Epid": "true",\n"Epidd": "true"}', ":2: expected a variable, got 'Epidd'"),
        ("e.json", '{"Epid":\n"maybe"}', ":1: expected a state of Epid (true, false), got maybe"),
        ("e.json", '{"Epid": ["true"]}', ":1: expected a likelihood of Epid with 2 numbers"),
        ("e.json", '{"Epid": {"true": 1, "no": 2}}', ":1: expected a state of Epid (true, false)"),
        ("e.json", '{"Epid": [1, null]}', ":1: likelihood of Epid: expected a non-negative"),
        ("e.csv", 'Epid\n"1,2,3"\n', ":2: expected a likelihood of Epid with 2 numbers"),
        ("e.json", '{"Epid": 0.5}', ":1: expected a state of Epid, got 0.5"),
        ("e.json", '{"Epid": true, "Epid": false}', "expected distinct keys, got Epid 2 times"),
        ("e.csv", "", ":1: expected the names of columns, got an empty file"),
        ("e.csv", "variable,state\nEpid,true\n\nEpid,false\n", ":4: expected one state for Epid"),
        ("e.csv", "variable,state\nEpid,\n", ":2: expected a variable and its state"),
        ("e.csv", "variable,state\nEpid\n", ":2: expected 2 values, got 1"),
        ("e.csv", "Epid,Sick.bob\n", ":2: expected a row of states, got the end of the file"),
        ("e.csv", "Epid\ntrue\nfalse\n", ":3: expected one row of states, or the columns"),
        ("e.csv", "Epid,Epid\ntrue,true\n", ":1: expected different names for columns"),
        ("e.csv.gz", "Epid\ntrue\n", ":1: expected gzipped data"),
        ("e.txt", "Epid\ntrue\n", ":1:1: expected a non-negative number, got 'Epid'"),
    ],
)
def test_other_evidence_files_are_refused_by_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, content: str, problem: str
) -> None:
    (tmp_path / name).write_text(content)
    error = told(capsys, 2, "query", EXAMPLE, "Sick.alice", "--evidence", str(tmp_path / name))
    assert error.startswith(f"liftgraph: {tmp_path / name}:")
    assert problem in error


def test_several_files_of_evidence_must_agree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.CSV"
    first.write_text('{"Epid": "true"}')
    second.write_text("Epid,Travel.bob\n,false\n")
    asked = ["query", EXAMPLE, "Sick.alice", "--json", "--reproducible"]
    both = told(capsys, 0, *asked, "--evidence", str(first), "--evidence", str(second))
    assert both == told(capsys, 0, *asked, "--given", "Epid=true", "Travel.bob=false")
    second.write_text("variable,state\nEpid,false\n")
    error = told(capsys, 2, *asked, "--evidence", str(first), "--evidence", str(second))
    assert "expected one state for Epid, got both true and false" in error


def test_evidence_in_files_fits_lifted_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored, evidence = str(tmp_path / "lifted.json"), tmp_path / "e.json"
    told(capsys, 0, "lift", EXAMPLE, "-o", stored)
    evidence.write_text('{"Treat.alice.m1": "true", "Sick.bob": false}')
    ground, lifted = (
        told(capsys, 0, "logz", model, "--exact", "--evidence", str(evidence))
        for model in (EXAMPLE, stored)
    )
    assert ground == lifted


def test_events_are_no_files_of_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    error = told(capsys, 2, "query", "example:asia", "lung", "--evidence", "xray=yes")
    assert "--evidence: expected a file, got xray=yes (did you mean --given xray=yes?)" in error
