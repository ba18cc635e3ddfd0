"""Ctrl-C and other signals end the command in one line, whatever it is doing; nothing is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg

EXAMPLE = str(Path(__file__).parent.parent / "src/liftgraph/datasets/epidemic.json")
START = "import os, sys, liftgraph_command as c; os.write(2, b'.'); sys.exit(c.main())"
INTERRUPTED = "liftgraph: interrupted\n"


def long(*values: object) -> Any:
    """Values for a test that is tried only if there is time."""
    return pytest.param(*values, marks=pytest.mark.long)


# A signal comes at a moment: when a module is loaded, or when a function of ``os`` is called.
AT_A_MOMENT = """
import os, signal, sys, liftgraph_command
moment, number = sys.argv.pop(1), getattr(signal, sys.argv.pop(1))
def come():
    global come
    come = lambda: None
    os.kill(os.getpid(), number)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            come()
sys.meta_path.insert(0, Finder())
if hasattr(os, moment):
    original = getattr(os, moment)
    def called(*arguments):
        come()
        return original(*arguments)
    setattr(os, moment, called)
sys.exit(liftgraph_command.main())
"""


def _answer_signals() -> None:
    """Ignore no signals, even if these tests run in the background and were told to."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


BEFORE = None if sys.platform == "win32" else _answer_signals


def run(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, preexec_fn=BEFORE)


@pytest.mark.parametrize(
    "moment",
    ["liftgraph", "numpy", "replace", *(long(m) for m in ("liftgraph.cli", "fractions", "write"))],
)
def test_an_interrupt_is_one_line_and_leaves_nothing(tmp_path: Path, moment: str) -> None:
    done = run(AT_A_MOMENT, moment, "SIGINT", "convert", EXAMPLE, "model.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", ["mkdir", "fsync", long("pyarrow.parquet")])
def test_interrupted_writers_of_folders_leave_the_old_one(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "model.parquet"
    lg.write(lg.datasets.epidemic().given({"Epid": "true"}), path)
    done = run(AT_A_MOMENT, moment, "SIGINT", "convert", EXAMPLE, "model.parquet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)
    assert list(tmp_path.iterdir()) == [path]
    assert lg.read(path) == lg.datasets.epidemic().given({"Epid": "true"})


@pytest.mark.parametrize("moment", ["fstat", long("pyarrow.parquet")])
def test_interrupted_readers_of_folders_say_so(tmp_path: Path, moment: str) -> None:
    lg.write(lg.datasets.epidemic(), tmp_path / "model.parquet")
    done = run(AT_A_MOMENT, moment, "SIGINT", "info", "model.parquet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)


@pytest.mark.long
@pytest.mark.parametrize(
    ("moment", "arguments"),
    [
        ("matplotlib.figure", ["draw", EXAMPLE, "-o", "model.svg"]),
        ("matplotlib", ["draw", EXAMPLE, "-o", "model.svg"]),
        ("numba", ["lift", "path.json", "--engine", "compiled"]),
        ("numba.core.dispatcher", ["lift", "path.json", "--engine", "compiled"]),
        ("liftgraph.experiments", ["experiment", "--quick"]),
    ],
)
def test_other_libraries_are_interrupted_too(
    tmp_path: Path, moment: str, arguments: list[str]
) -> None:
    path = write_path_model(tmp_path)
    done = run(AT_A_MOMENT, moment, "SIGINT", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)
    assert list(tmp_path.iterdir()) == [path]


def write_path_model(folder: Path) -> Path:
    """A model with so many rounds that they are worth compiling."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(101)
    for variable in range(100):
        builder.add_factor([variable, variable + 1], [[1, 2], [2, 5]])
    lg.write(builder.build(), folder / "path.json")
    return folder / "path.json"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize(
    ("name", "status", "said"),
    [("SIGTERM", 143, "terminated"), long("SIGHUP", 129, "hung up")],
)
def test_other_signals_leave_nothing_either(
    tmp_path: Path, name: str, status: int, said: str
) -> None:
    done = run(AT_A_MOMENT, "replace", name, "convert", EXAMPLE, "model.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (status, f"liftgraph: {said}\n")
    assert list(tmp_path.iterdir()) == []


# What becomes of the interrupt is decided by code that is not ours.
DISTORTED = """
import os, signal, sys, liftgraph_command
how = sys.argv.pop(1)
import liftgraph.cli.info as info
def show(options):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    except KeyboardInterrupt:
        if how == "swallowed":
            return
        if how == "again":
            os.kill(os.getpid(), signal.SIGINT)
            raise
        raise {"import": ImportError, "input": info.__dict__["InputError"]}[how]("something else")
class Disposed:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
def dispose(options):
    Disposed()
from liftgraph.errors import InputError
info.InputError, info.show_info = InputError, dispose if how == "disposed" else show
sys.exit(liftgraph_command.main())
"""


@pytest.mark.parametrize(
    "how", ["input", "disposed", *(long(how) for how in ("import", "swallowed", "again"))]
)
def test_an_interrupt_stays_one_whatever_becomes_of_it(tmp_path: Path, how: str) -> None:
    done = run(DISTORTED, how, "info", EXAMPLE, cwd=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (130, INTERRUPTED, "")


# A signal comes when the work is done and Python tidies up.
TOO_LATE = """
import atexit, os, signal, sys, liftgraph_command
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.exit(liftgraph_command.main())
"""


def test_what_is_done_is_done(tmp_path: Path) -> None:
    done = run(TOO_LATE, "--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"liftgraph {lg.__version__}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_background_job_ignores_the_keyboard(tmp_path: Path) -> None:
    ignored = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{AT_A_MOMENT}"
    done = run(ignored, "replace", "SIGINT", "convert", EXAMPLE, "model.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert lg.read(tmp_path / "model.json") == lg.read(EXAMPLE)


def interrupted_after(seconds: float, folder: Path, *arguments: str) -> tuple[int, str]:
    """The status and the errors of a command that is interrupted so long after its first line."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=BEFORE,
    )
    assert process.stderr is not None
    process.stderr.read(1)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    return process.returncode, errors


def interrupt_often(folder: Path, count: int, *arguments: str) -> None:
    start = time.monotonic()
    assert run(START, *arguments, cwd=folder).returncode == 0
    whole = time.monotonic() - start
    kept = set(folder.iterdir())
    for moment in range(count):
        status, errors = interrupted_after(whole * (moment + 0.5) / count, folder, *arguments)
        assert (status, errors) in [(130, INTERRUPTED), (0, "")], errors  # or it was done by then
        assert set(folder.iterdir()) == kept


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_eight_moments_of_a_conversion(tmp_path: Path) -> None:
    interrupt_often(tmp_path, 8, "convert", EXAMPLE, "model.uai.gz", "--json")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "arguments",
    [
        ["query", EXAMPLE, "Epid"],
        ["draw", EXAMPLE, "-o", "model.svg"],
        ["lift", "path.json", "--engine", "compiled", "-o", "lifted.json"],
    ],
)
def test_sixty_moments_of_a_command(tmp_path: Path, arguments: list[str]) -> None:
    write_path_model(tmp_path)
    interrupt_often(tmp_path, 60, *arguments)
