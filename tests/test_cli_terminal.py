"""The command in a terminal: colours there and nowhere else, and a shell that completes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from liftgraph.cli import main
from liftgraph.cli.parser import make_parser

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")
STYLE = re.compile(r"\x1b\[[\d;]*m")
# Runs a command with its output and its errors on a pseudo-terminal, and prints what that shows.
TERMINAL = """
import os, pty, sys
from liftgraph.cli import main
child, terminal = pty.fork()
if child == 0:
    os._exit(main(sys.argv[1:]))
seen = b""
while True:
    try:
        part = os.read(terminal, 1000)
    except OSError:
        part = b""
    if not part:
        break
    seen += part
sys.stdout.buffer.write(seen)
"""
COMMANDS = [
    ["info", EXAMPLE],
    ["query", EXAMPLE, "Epid", "Sick.bob", "--exact"],
    ["marginals", EXAMPLE],
    ["lift", EXAMPLE, "--rounds", "--reproducible"],
    ["trade-off", EXAMPLE, "--tolerances", "0,0.1"],
    ["query", EXAMPLE, "nobody"],
]
needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of POSIX")


def shown(code: list[str], arguments: list[str], **environment: str) -> str:
    """What a command prints, on either stream, in an environment."""
    chosen = {**os.environ, "TERM": "xterm", **environment}
    done = subprocess.run(
        [sys.executable, *code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=chosen,
    )
    return done.stdout.decode().replace("\r\n", "\n")


@needs_terminal
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[::2]))
def test_colours_are_on_a_terminal_only(arguments: list[str]) -> None:
    plain = shown(["-m", "liftgraph"], arguments)
    coloured = shown(["-c", TERMINAL], arguments)
    assert "\x1b" not in plain
    assert STYLE.search(coloured)
    assert STYLE.sub("", coloured) == plain


@needs_terminal
def test_the_environment_turns_colours_off_and_on() -> None:
    asked = ["query", EXAMPLE, "Epid"]
    plain = shown(["-m", "liftgraph"], asked)
    for off in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        assert shown(["-c", TERMINAL], asked, **off) == plain
    forced = shown(["-m", "liftgraph"], asked, FORCE_COLOR="1")
    assert forced != STYLE.sub("", forced) == plain
    assert shown(["-m", "liftgraph"], asked, FORCE_COLOR="", NO_COLOR="") == plain


def test_output_for_programs_has_no_colours() -> None:
    for asked in (
        ["info", EXAMPLE, "--json"],
        ["query", EXAMPLE, "Epid", "--json"],
        ["marginals", EXAMPLE, "--format", "uai"],
        ["completion", "bash"],
    ):
        assert "\x1b" not in shown(["-m", "liftgraph"], asked, FORCE_COLOR="1")


# Prints what bash offers for the last word of a command line, one a line.
COMPLETED = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p liftgraph | sed -E 's/.* -F ([^ ]+) .*/\\1/')
$function
printf '%s\\n' "${COMPREPLY[@]}"
"""


def test_bash_completes_commands_options_choices_and_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "liftgraph.bash"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "epidemic.json").write_text("")

    def completed(*words: str) -> set[str]:
        command = ["bash", "--norc", "-c", COMPLETED, "bash", str(script), "liftgraph", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return set(done.stdout.split())

    parser = make_parser()
    assert parser._subparsers is not None
    (action,) = parser._subparsers._group_actions
    assert isinstance(action.choices, dict)
    assert completed("") == set(action.choices)
    assert completed("q") == {"query"}
    listed = re.findall(r"(?<=[ \[,])--[a-z-]+", action.choices["lift"].format_help())
    assert completed("lift", "--") == set(listed)
    assert completed("lift", "--algorithm", "a") == {"acp", "alpha-acp"}
    assert completed("info", "epi") == {"epidemic.json"}
    assert completed("query", "epidemic.json", "--evidence", "epi") == {"epidemic.json"}


def test_zsh_gets_a_script_too(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("#compdef liftgraph\n")


def test_a_missing_library_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "completion needs shtab: pip install 'liftgraph[completion]'" in capsys.readouterr().err
