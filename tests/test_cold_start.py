"""What a process loads before it answers: no more than its command needs."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from liftgraph.cli.parser import _MODULES, load_command, make_parser

EXAMPLE = str(Path(__file__).parents[1] / "src/liftgraph/datasets/epidemic.json")
_RUN = """
import sys
from liftgraph_command import main
sys.argv[0] = "liftgraph"
status = main()
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(status)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a process has loaded when the command has ended."""
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def packages(modules: set[str]) -> set[str]:
    """The first two levels of their names."""
    return {".".join(module.split(".")[:2]) for module in modules}


def test_a_question_loads_no_other_command_and_no_other_format() -> None:
    modules = loaded("query", EXAMPLE, "Sick.alice")
    commands = {name for name in modules if name.startswith("liftgraph.cli.")}
    assert "liftgraph.cli.questions" in commands
    others = set(_MODULES.values()) - {"questions"}
    assert commands.isdisjoint({f"liftgraph.cli.{name}" for name in others})
    formats = {name.removeprefix("liftgraph.io.") for name in modules}
    assert "json" in formats
    assert formats.isdisjoint({"uai", "bif", "xmlbif", "net", "xdsl", "fg", "blog"})
    assert packages(modules).isdisjoint(
        {f"liftgraph.{name}" for name in ("plot", "data", "adapters", "datasets", "experiments")}
    )


@pytest.mark.parametrize(
    "arguments", [("query", EXAMPLE, "Sick.alice"), ("info", EXAMPLE), ("lift", EXAMPLE)]
)
def test_networks_and_large_libraries_are_not_loaded(arguments: tuple[str, ...]) -> None:
    large = {
        "http",
        "ssl",
        "email",
        "urllib.request",
        "xml",
        "logging",
        "asyncio",
        "multiprocessing",
    }
    libraries = {"matplotlib", "pandas", "polars", "pyarrow", "numba", "flint", "networkx"}
    assert loaded(*arguments).isdisjoint(large | libraries)


def test_counting_what_is_in_a_model_loads_no_inference() -> None:
    modules = loaded("info", EXAMPLE)
    assert packages(modules).isdisjoint({"liftgraph.inference", "liftgraph.symmetry"})
    assert len([name for name in modules if name.startswith("liftgraph")]) < 88


def test_the_version_and_the_library_load_no_numpy() -> None:
    code = "import sys, liftgraph; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    modules = loaded("--version")
    assert "numpy" not in modules
    assert len([name for name in modules if name.startswith("liftgraph")]) < 15


def commands_of(parser: argparse.ArgumentParser) -> list[str]:
    assert parser._subparsers is not None
    (action,) = parser._subparsers._group_actions
    assert isinstance(action.choices, dict)
    return list(action.choices)


def test_each_command_is_in_the_module_that_is_loaded_for_it() -> None:
    assert commands_of(make_parser()) == list(_MODULES)
    for name in _MODULES:
        assert name in commands_of(make_parser([name]))
        assert len(load_command([name])) == 1
    assert commands_of(make_parser(["--help"])) == commands_of(make_parser(["nonsense"]))
