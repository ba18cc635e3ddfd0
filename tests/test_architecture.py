"""The tree is the pipeline: imports point downwards, files and functions stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import liftgraph

SOURCE = Path(liftgraph.__file__).parent
FILES = sorted(path for path in SOURCE.rglob("*.py"))
TOP = "the public names"  # whoever imports them imports everything
# Questions are methods of models, and inference is loaded when the first one is asked.
# Pictures of models are drawn when a notebook first shows one.
UPWARDS = {"model/questions.py": {"inference"}, "model/notebook.py": {"plot"}}
KNOW_THE_VERSION = {"cli", "experiments"}
LAYERS = [
    {"errors"},
    {"exact", "semiring", "display", "cache", "disjoint_sets"},
    {"model"},
    {"symmetry"},
    {"inference", "io"},
    {"plot", "data"},
    {"adapters"},
    {"datasets"},
    {"experiments"},
    {TOP, "cli"},
]


def layer(part: str) -> int:
    return next(rank for rank, parts in enumerate(LAYERS) if part in parts)


def imported_parts(tree: ast.AST) -> set[str]:
    """The parts of this package that a module imports, wherever in the module."""
    modules: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            modules += [name.name for name in node.names]
    own = [module.split(".") for module in modules if module.split(".")[0] == "liftgraph"]
    return {parts[1] if len(parts) > 1 else TOP for parts in own} - {"__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part in ("__init__", "__main__"):
        return
    allowed = UPWARDS.get(path.relative_to(SOURCE).as_posix(), set())
    for imported in imported_parts(ast.parse(path.read_text())) - allowed:
        lower = layer(imported) < layer(part) or (imported == TOP and part in KNOW_THE_VERSION)
        assert lower or imported == part, f"{part} imports {imported}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_are_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or node.lineno) - node.lineno < 60, node.name
