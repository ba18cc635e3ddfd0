"""The command for a big run, as one types it: Ctrl-C in the middle, and the same command again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph import datasets
from tests.test_signals import BEFORE

pytest.importorskip("pyspark")


def test_the_command_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    folder = tmp_path / "empty folder"
    folder.mkdir()
    model = datasets.epid(20)
    lg.write(model.ground(), folder / "model.fg.parquet")
    command = [sys.executable, "-c", "import sys, liftgraph_command as c; sys.exit(c.main())"]
    command += ["lift", "model.fg.parquet/", "--engine", "spark", "--master", "local[2]"]
    command += ["-o", "OUT/", "--format", "json"]
    pipe = subprocess.PIPE
    interrupted = subprocess.Popen(
        command,
        cwd=folder,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        preexec_fn=BEFORE,
    )
    assert interrupted.stderr is not None
    hint = "liftgraph: if this is interrupted, the same command goes on from the last round\n"
    assert hint in iter(interrupted.stderr.readline, "")
    for line in interrupted.stderr:
        if "round 0" in line:
            os.killpg(interrupted.pid, signal.SIGINT)  # as a terminal does, to Java, too
            break
    output, errors = interrupted.communicate()
    assert (interrupted.returncode, output) == (130, "")
    assert "Traceback" not in errors
    assert "liftgraph: interrupted\n" in errors
    again = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert again.returncode == 0
    assert re.search(r"^liftgraph: going on after round \d", again.stderr, re.MULTILINE)
    shown = json.loads(again.stdout)
    assert (shown["variable_groups"], shown["factor_groups"], shown["lifted"]) == (4, 3, True)
    lifted = lg.read(folder / "OUT" / "lifted.json")
    assert isinstance(lifted, lg.ParfactorGraph)
    assert lifted.ground() == model.ground()
