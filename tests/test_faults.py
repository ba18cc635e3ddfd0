"""Streams that are full or closed, names that are no text, and an installation without a home."""

from __future__ import annotations

import csv
import io
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.cli.progress import reporting
from liftgraph.errors import LONGEST, one_line
from tests.processes import run_ordinary
from tests.test_signals import write_path_model

ROOT = Path(__file__).parent.parent
EXAMPLE = str(ROOT / "src/liftgraph/datasets/epidemic.json")
TERRIBLE = [
    "x" * 100_000,
    "two\nlines\r\x0b\x0c\x1c\x85\u2028\u2029",
    "\x1b[2J\x1b]0;title\x07",
    "\udcff\ud800",
    "\u202egnp.exe",
    "\x00" * 500,
    "🦊" * 1000,
]


def shell(command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = command.replace("liftgraph", f'"{sys.executable}" -m liftgraph', 1)
    return subprocess.run(["sh", "-c", command], cwd=cwd, capture_output=True, text=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["--help", "query --help", "--version"])
def test_help_that_cannot_be_printed_is_an_error(arguments: str) -> None:
    done = shell(f"liftgraph {arguments} > /dev/full")
    problem = "liftgraph: cannot write the answer: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, problem)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_plan_that_cannot_be_printed_is_an_error() -> None:
    assert shell("liftgraph logz example:epidemic --explain 2> /dev/full").returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_readers_may_leave() -> None:
    for command in ("liftgraph marginals example:epidemic", "liftgraph --help 2>&1"):
        done = shell(f"{command} | head -1")
        assert (done.stderr, done.stdout.count("\n")) == ("", 1)


@pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
def test_a_file_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """With stdin and stderr closed, a file that is opened would be descriptor 2."""
    command = f"liftgraph convert {EXAMPLE} model.json 0>&- 1>&- 2>&-"
    assert shell(command, tmp_path).returncode == 0
    assert (tmp_path / "model.json").read_bytes() == Path(EXAMPLE).read_bytes()


@pytest.mark.parametrize("text", TERRIBLE)
def test_every_message_is_one_short_printable_line(text: str) -> None:
    errors: list[lg.LiftgraphError] = [
        lg.InputError(text),
        lg.ZeroWeightError(f"before {text} after"),
        lg.ParseError(text, 14, text, column=5),
        lg.ParseError(f"/long/{text}/model.uai", 14, f"expected {text}, got 7", column=5),
    ]
    for error in errors:
        assert len(str(error)) <= LONGEST
        assert str(error).isprintable()
        assert len(str(error).splitlines()) == 1
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
        assert text in "".join(map(str, error.args))  # nothing is lost
    assert "/model.uai:14:5: expected " in str(errors[-1])
    assert str(errors[-1]).endswith(", got 7")
    assert str(errors[1]).startswith("before ")
    assert str(errors[1]).endswith(" after")


def test_short_messages_stay_as_they_are() -> None:
    for text in ("", "x" * LONGEST, "größer als φ₁ → ∞", "C:\\models\\new.json"):
        assert str(lg.InputError(text)) == text
    assert one_line("x" * (LONGEST + 1)) == "x" * 144 + "…" + "x" * 143


@pytest.mark.parametrize("text", TERRIBLE)
@pytest.mark.parametrize(
    "arguments",
    [
        ["{}"],
        ["query", EXAMPLE, "{}"],
        ["query", EXAMPLE, "Epid", "--given", "{}"],
        ["query", EXAMPLE, "Epid", "--given", "Epid={}"],
        ["query", EXAMPLE, "Epid", "--method", "{}"],
        ["query", EXAMPLE, "Epid", "--memory", "{}"],
        ["query", EXAMPLE, "Epid", "--{}"],
        ["query", EXAMPLE, "Epid", "--tolerance", "{}"],
        ["info", "{}"],
        ["info", "{}.uai"],
        ["convert", EXAMPLE, "/nowhere/{}.uai"],
        ["draw", EXAMPLE, "-o", "{}"],
        ["learn", EXAMPLE, "{}", "-o", "x.json"],
        ["experiment", "{}"],
    ],
)
def test_every_line_of_the_command_is_short(
    capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    assert main([argument.format(text) for argument in arguments]) in (1, 2)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("liftgraph: ")
    assert said.err.endswith("\n")
    assert len(said.err) <= 300
    assert said.err[:-1].isprintable()


def test_huge_objects_are_not_repeated() -> None:
    graph: Any = lg.read_graph(EXAMPLE)
    for huge in (np.arange(100_000.0), "x" * 10**6, {"Epid": ["\n"] * 10_000}, [["a"]] * 10_000):
        for ask in (
            lambda value=huge: graph.query(value),
            lambda value=huge: graph.query("Epid", given=value),
            lambda value=huge: lg.lift(graph, tolerance=value),
            lambda value=huge: lg.read(value),
        ):
            with pytest.raises(lg.LiftgraphError) as refused:
                ask()
            assert len(str(refused.value)) <= LONGEST


@pytest.mark.parametrize("name", [b"f\xff.json", b"\x1b[31m.json", b"two\nlines.json"])
@pytest.mark.parametrize("locale", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
@pytest.mark.skipif(sys.platform != "linux", reason="other systems want text")
@pytest.mark.long
def test_names_of_files_need_not_be_text(
    tmp_path: Path, name: bytes, locale: dict[str, str]
) -> None:
    def convert(source: bytes) -> subprocess.CompletedProcess[bytes]:
        command: list[str | bytes] = [sys.executable, "-m", "liftgraph", "convert"]
        environment = {**os.environ, "LC_ALL": "C", **locale}
        command += [source, b"new" + name]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment)

    shutil.copy(EXAMPLE, tmp_path / os.fsdecode(name))
    done = convert(name)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(os.listdir(os.fsencode(tmp_path))) == sorted([name, b"new" + name])
    done = convert(b"missing" + name)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


def test_names_are_no_markup_for_the_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("liftgraph.cli.progress._PATIENCE", 0.0)
    with reporting() as report:
        for name in ("[/red]model.uai", "[bold", *TERRIBLE):
            report.stage(f"reading {name}")


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A copy of the library that cannot be written, and a folder that can: ``results``."""
    for name in ("src", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_path_model(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "table.csv").write_text("0\ntrue\nfalse\n")
    for folder, _, files in os.walk(tmp_path):
        for file in files:
            os.chmod(os.path.join(folder, file), 0o444)
        os.chmod(folder, 0o555)
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize(
    "arguments",
    [
        ["query", "../path.json", "5"],
        *(
            pytest.param(arguments, marks=pytest.mark.long)
            for arguments in (
                ["lift", "../path.json", "--engine", "compiled"],
                ["draw", "example:epidemic", "-o", "{}/model.svg"],
                ["convert", "../path.json", "{}/model.uai", "--json"],
                ["learn", "../path.json", "../table.csv", "-o", "{}/model.json"],
            )
        ),
    ],
)
def test_a_read_only_installation_needs_no_home(
    read_only: Path, tmp_path_factory: pytest.TempPathFactory, arguments: list[str]
) -> None:
    results = str(tmp_path_factory.mktemp("results"))
    done = run_ordinary(
        *("-m", "liftgraph", *(argument.format(results) for argument in arguments)),
        cwd=read_only / "empty",
        env={"PYTHONPATH": str(read_only / "src"), "HOME": "/nonexistent"},
    )
    expected = "expected a source which observes" if arguments[0] == "learn" else ""
    assert expected in done.stderr
    assert (done.returncode, done.stderr.count("\n")) == ((2, 1) if expected else (0, 0))
    assert os.listdir(read_only / "empty") == []


@pytest.mark.long
def test_a_damaged_cache_of_compiled_code_is_not_used(tmp_path: Path) -> None:
    path, caches = write_path_model(tmp_path), tmp_path / "caches"
    command = [sys.executable, "-m", "liftgraph", "lift", str(path), "--engine", "compiled"]
    for _ in range(2):
        done = subprocess.run(
            [*command, "--json"],
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(caches)},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert '"variable_groups": 51' in done.stdout
        for file in caches.rglob("*.nb*"):
            file.write_bytes(b"garbage")
    assert any(caches.rglob("*.nbi"))


@pytest.mark.parametrize(
    "arguments",
    [
        "info",
        "query {name}",
        "marginals --explain",
        "mpe",
        "lift",
        "predict {folder}/observed.csv {name} -o {folder}/predicted.csv",
        "learn {folder}/observed.csv -o {folder}/learnt.json",
    ],
)
def test_names_of_strangers_do_not_steer_the_terminal(
    arguments: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, state = "A\x1b[2J\x07", "on\x9b31m\r"
    builder = lg.FactorGraphBuilder()
    for variable in (name, f"{name}B"):
        builder.add_variable(variable, [state, "off"])
    builder.add_factor([name, f"{name}B"], [1, 2, 3, 4])
    graph = builder.build()
    for model in (graph, lg.lift(graph)):
        lg.write(model, tmp_path / "model.json")
        observed = io.StringIO()
        csv.writer(observed).writerows([[name, f"{name}B"], [state, "off"]])
        (tmp_path / "observed.csv").write_bytes(observed.getvalue().encode())
        command, *options = arguments.format(name=name, folder=tmp_path).split(" ")
        assert main([command, str(tmp_path / "model.json"), *options]) == 0
        out, err = capsys.readouterr()
        assert all(line.isprintable() for line in (out + err).split("\n"))


def test_a_name_of_several_lines_is_a_line_of_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A\nB  true", ["true", "no\nlog weight 7"])
    builder.add_factor(["A\nB  true"], [1, 2])
    lg.write(builder.build(), tmp_path / "model.json")
    assert main(["mpe", str(tmp_path / "model.json")]) == 0
    assert capsys.readouterr().out.splitlines()[0] == r"A\nB  true  no\nlog weight 7"
