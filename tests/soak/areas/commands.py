"""The command: Ctrl-C at any moment is one line and status 130, and lost output is no success."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import liftgraph as lg
from tests.soak.area import Area, Case, expect
from tests.soak.areas.damage import is_one_line
from tests.soak.files import temporary_folder
from tests.soak.models import graph_of, symmetric_graph

COMMANDS = [
    ["--help"],
    ["info", "m.json"],
    ["query", "m.json", "V0"],
    ["query", "m.json", "V0", "--exact", "--explain"],
    ["marginals", "m.json"],
    ["mpe", "m.json", "--json"],
    ["logz", "m.json", "--method", "lifted"],
    ["lift", "m.json"],
]
WITHOUT_OUTPUT = [["convert", "m.json", "again.uai"]]
# The command, interrupted at a call; calls count from that of the command itself on, inside of
# which nothing is guarded yet.
INTERRUPTED = """
import signal, sys
import liftgraph_command
left = int(sys.argv.pop(1))
started = False
def count(frame, event, argument):
    global left, started
    started = started or frame.f_code is liftgraph_command.main.__code__
    left -= started and event == "call"
    if left == 0:
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "liftgraph"
sys.setprofile(count)
sys.exit(liftgraph_command.main())
"""
MOST_CALLS = 5.2  # decimal logarithm of the calls after which a command may be interrupted


def _draw(random: Random) -> Case:
    return {"graph": symmetric_graph(random), "command": random.choice(COMMANDS)}


def _draw_interrupt(random: Random) -> Case:
    return {
        "graph": symmetric_graph(random),
        "command": random.choice(COMMANDS + WITHOUT_OUTPUT),
        "call": 1 + int(10 ** random.uniform(0, MOST_CALLS)),
    }


def _run(case: Case, folder: Path, program: list[str], output: str) -> tuple[int, str]:
    """The exit status and what is said on stderr."""
    lg.write(graph_of(case["graph"]), folder / "m.json")
    with (folder / output).open("w") as stdout:
        done = subprocess.run(
            [sys.executable, *program, *case["command"]],
            cwd=folder,
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
        )
    return done.returncode, done.stderr.decode(errors="replace")


def _check_interrupt(case: Case) -> None:
    with temporary_folder() as folder:
        program = ["-c", INTERRUPTED, str(case["call"])]
        status, said = _run(case, folder, program, "output")
    last = said.strip().split("\n")[-1]
    if status in (0, 1) and "Traceback" not in said:  # it ended before, or the weight is zero
        return
    expect("Traceback" not in said, f"a traceback when interrupted: status {status}, {last}")
    expect(status == 130, f"another status when interrupted: {status}, {last}")
    expect(last.startswith("liftgraph: interrupted"), f"another message when interrupted: {last}")


def _check_full_output(case: Case) -> None:
    """Output that is lost is an error, in one line."""
    with temporary_folder() as folder:
        status, said = _run(case, folder, ["-m", "liftgraph"], "/dev/full")
    last = said.strip().split("\n")[-1]
    expect(status in (1, 2), f"lost output: status {status}, {last}")
    expect(is_one_line(last) and "Traceback" not in said, f"a traceback for lost output: {last}")


AREAS = (
    Area("interrupt", _draw_interrupt, _check_interrupt, seconds=60),
    Area("full-output", _draw, _check_full_output, seconds=60),
)
