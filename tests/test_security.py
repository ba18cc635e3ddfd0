"""A file is data: reading one runs nothing, opens nothing else and connects to nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.io import uai
from liftgraph.io.formats import suffixes
from tests.io.test_foreign_networks import GOLDEN
from tests.test_architecture import TREES

CODE_FROM_DATA = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"}
OTHER_PROGRAMS = {"subprocess", "socket", "urllib.request", "http", "ctypes"}
SYSTEM_CALLS = {"folders.py": {"ctypes"}}  # exchanges two folders, for which Python has no name
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "read_pickle"}
FORBIDDEN_OPTIONS = {"allow_pickle", "shell"}
NETWORK = "BAYES 2 2 2 2 1 0 2 0 1 2 0.25 0.75 4 0.5 0.5 0.2 0.8"
READ_UNDER_AUDIT = """
import sys
import liftgraph as lg

path = sys.argv[1]
happened = []

def watch(event, details):
    # What has a number was opened before, by its name.
    opened_other = event == "open" and not f"{details[0]}/".startswith((f"{path}/", *"0123456789"))
    if watching and (opened_other or event.split(".")[0] in FORBIDDEN):
        happened.append((event, str(details)[:100]))

FORBIDDEN = {"exec", "compile", "import", "pickle", "marshal", "subprocess", "socket", "os"}
watching = False
sys.addaudithook(watch)
lg.read(path)  # loads what the format needs
watching = True
lg.read(path)
watching = False
print(happened)
"""


def imported(tree: ast.AST) -> set[str]:
    """What a module imports, with the packages that this is in: a.b, and a."""
    names = [
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    ]
    names += [
        f"{node.module}.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    ]
    return {".".join(name.split(".")[:depth]) for name in names for depth in (1, 2)}


def called(call: ast.Call) -> str:
    """The last part of the name of what is called; ``re.compile`` is not ``compile``."""
    if isinstance(call.func, ast.Attribute):
        return "" if call.func.attr == "compile" else call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def test_no_module_turns_data_into_code() -> None:
    for path, tree in TREES.items():
        used = imported(tree) - SYSTEM_CALLS.get(path.name, set())
        assert not used & (CODE_FROM_DATA | OTHER_PROGRAMS), path
        for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
            assert called(call) not in FORBIDDEN_CALLS, f"{path}:{call.lineno}"
            assert not FORBIDDEN_OPTIONS & {option.arg for option in call.keywords}, path


@pytest.mark.parametrize("suffix", suffixes())
def test_reading_a_file_touches_nothing_else(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "network.uai").write_text(NETWORK)
    path = tmp_path / f"model{suffix}"
    graph = uai.read(tmp_path / "network.uai")
    if suffix.replace("dnet", "dne") in GOLDEN:  # these are read and not written
        path.write_text(GOLDEN[suffix.replace("dnet", "dne")])
    else:
        lg.write(lg.lift(graph) if suffix == ".blog" else graph, path)
    reading = subprocess.run(
        [sys.executable, "-c", READ_UNDER_AUDIT, str(path)], capture_output=True, text=True
    )
    assert (reading.stdout, reading.stderr) == ("[]\n", "")
