"""The README shows what really happens."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.cli.parser import make_parser
from tests.snippets import run_page

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_examples_print_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(README, "README.md") == README.count("```python") + 1  # and the commands


def test_it_is_read_in_a_minute() -> None:
    assert README.count("\n") <= 120


def test_every_command_is_in_the_table_of_commands() -> None:
    usage = make_parser().format_help()
    commands = re.findall(r"^    ([\w-]+)(?= |$)", usage, flags=re.MULTILINE)
    page = (ROOT / "docs" / "how-to" / "command-line.md").read_text()
    shown = re.findall(r"^\| `([\w-]+)[^`]*` \|", page, flags=re.MULTILINE)
    assert sorted(shown) == sorted(commands)


def test_the_map_of_the_source_is_complete_and_short() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    shown = contributing[contributing.index("## The map") : contributing.index("The documentation")]
    assert shown.count("\n") <= 60
    source = ROOT / "src" / "liftgraph"
    for path in source.rglob("*.py"):
        folder = path.parent.relative_to(source).as_posix()
        names = [f"`{path.name}`"] if folder == "." else [f"`{folder}/`", f"`{path.parent.name}/`"]
        is_format = folder.startswith("io/")  # a package for each format, one row for all
        assert is_format or "__" in path.name or any(name in shown for name in names), path
    for name in re.findall(r"`((?:model|symmetry|inference|io|plot|tests)/[\w/.]*)`", shown):
        assert (source / name).exists() or (ROOT / name).exists(), name


def test_the_example_model_is_what_its_script_makes() -> None:
    script = runpy.run_path(str(ROOT / "examples" / "epidemic.py"))
    assert lg.datasets.epidemic() == script["epidemic"]()


def test_pictures_and_files_that_are_linked_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
