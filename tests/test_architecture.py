"""The tree is the pipeline: imports point downwards, files and functions stay small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import liftgraph

SOURCE = Path(liftgraph.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
TOP = "the public names"  # a module that imports these imports everything
KNOW_THE_VERSION = {"cli", "experiments"}
TYPED_FROM_ABOVE = {"liftgraph.model.symmetric"}  # its methods return what registers with it
LAYERS = [
    {"errors"},
    {"exact", "semiring", "display", "cache", "disjoint_sets", "torch_devices"},
    {"model"},
    {"symmetry"},
    {"inference", "io"},
    {"plot", "data", "distributed"},
    {"adapters"},
    {"datasets"},
    {"experiments"},
    {TOP, "cli"},
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def without_types(tree: ast.Module) -> ast.Module:
    """A module without what it imports for its types only."""
    kept = [
        statement
        for statement in tree.body
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING")
    ]
    return ast.Module(kept, [])


MODULES = {module_name(path): path for path in TREES}


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """The modules of this package that a module imports, wherever it does: in functions, and for
    its types only, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("liftgraph"):
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in MODULES else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in MODULES)


IMPORTS = {
    name: set(imported_modules(without_types(tree) if name in TYPED_FROM_ABOVE else tree)) - {name}
    for name, tree in ((name, TREES[path]) for name, path in MODULES.items())
}


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else TOP


def test_imports_point_downwards() -> None:
    for module, imported in IMPORTS.items():
        part = part_of(module)
        if part in (TOP, "__main__"):
            continue
        for lower in map(part_of, imported):
            version = lower == TOP and part in KNOW_THE_VERSION
            assert version or lower == part or RANK[lower] < RANK[part], f"{module} imports {lower}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = {module: set(imported) for module, imported in IMPORTS.items() if module != "liftgraph"}
    while leaves := {module for module, imported in left.items() if not imported & left.keys()}:
        left = {module: imported for module, imported in left.items() if module not in leaves}
    assert not left


def test_files_and_functions_are_small() -> None:
    for path, tree in TREES.items():
        assert path.read_text().count("\n") <= 700, path
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno
                assert length < 60, f"{path}: {node.name}"


def test_every_package_says_what_happens_inside() -> None:
    for path, tree in TREES.items():
        if path.name == "__init__.py":
            assert isinstance(tree, ast.Module)
            story = ast.get_docstring(tree) or ""
            assert len(story) > 40, f"{path} has no story"


def test_no_key_is_an_identity() -> None:
    for path, tree in TREES.items():
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = {called.id for called in calls if isinstance(called, ast.Name)}
        assert "id" not in names, path
