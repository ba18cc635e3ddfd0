"""Examples of the command run anywhere: those of its help, and the demo."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.cli.parser import make_parser


def help_examples() -> list[Any]:
    """The commands below ``example:`` in the help of each command, without ``liftgraph``."""
    parser = make_parser()
    assert parser._subparsers is not None
    (action,) = parser._subparsers._group_actions
    assert isinstance(action.choices, dict)
    return [_example(name, command) for name, command in action.choices.items()]


def _example(name: str, command: argparse.ArgumentParser) -> Any:
    start, line = str(command.epilog).split("\n")
    assert start == "example:"
    words = shlex.split(line.partition(" > ")[0])
    assert words[:2] == ["liftgraph", name]
    marks = [pytest.mark.long] if name == "experiment" else []
    return pytest.param(words[1:], marks=marks, id=name)


@pytest.mark.parametrize("arguments", help_examples())
def test_the_example_in_each_help_runs_in_an_empty_folder(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 0


def test_the_demo_runs_the_commands_that_it_shows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    commands = [line[2:] for line in shown.splitlines() if line.startswith("$ ")]
    assert len(commands) == shown.count("\n== ") > 2
    for command in commands:
        arguments = shlex.split(command)[1:]
        assert main(arguments) == 0
        untimed = capsys.readouterr().out.split("seconds")[0]
        assert untimed in shown


def test_examples_are_models_for_every_command_and_files_have_suffixes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "example:asia", "example:asia.json"]) == 0
    assert lg.read("example:asia.json") == lg.datasets.asia()
    capsys.readouterr()
    for model in ("example:asia", "example:asia.json"):
        assert main(["info", model]) == 0
        assert "variables  8" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["info", "example:alarm"], "expected the example asia or epidemic, got 'alarm'"),
        (["info", "example:patients"], "expected the example asia or epidemic, got 'patients'"),
        (["predict", "example:asia", "example:asia", "lung"], "expected the example patients"),
        (["convert", "example:asia", "example:asia"], "expected a name ending in"),
    ],
)
def test_examples_that_do_not_exist_are_refused(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert problem in told
    assert told.count("\n") == 1
