"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

import liftgraph as lg

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_examples_print_what_the_readme_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for code, shown in zip(blocks("python"), blocks("text"), strict=True):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == shown


def test_every_command_in_the_readme_exists() -> None:
    from liftgraph.cli.parser import make_parser

    usage = make_parser().format_help()
    commands = re.findall(r"^liftgraph (\w+)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    assert len(commands) == 8
    assert all(re.search(rf"^ +{command}\b", usage, flags=re.MULTILINE) for command in commands)


def test_the_map_of_the_source_is_complete() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    source = ROOT / "src" / "liftgraph"
    for path in source.rglob("*.py"):
        name = str(path.relative_to(source))
        listed = name in contributing or path.name in contributing or "__" in path.name
        folder = f"`{path.relative_to(source).parts[0]}/`" in contributing
        assert listed or folder, name
    for name in re.findall(r"^\| `([\w/]+\.py)` \|", contributing, flags=re.MULTILINE):
        assert (source / name).exists(), name


def test_the_example_model_is_what_its_script_makes() -> None:
    script = runpy.run_path(str(ROOT / "examples" / "epidemic.py"))
    assert lg.read(ROOT / "examples" / "epidemic.json") == script["epidemic"]()


def test_pictures_and_files_that_are_linked_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
