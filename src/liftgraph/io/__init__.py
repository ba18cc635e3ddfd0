"""Files in and out, by suffix; a further .gz packs and unpacks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from liftgraph.errors import InputError
from liftgraph.io import native, uai
from liftgraph.model.factor_graph import FactorGraph

_FORMATS: dict[str, ModuleType] = {".uai": uai, ".json": native}


def read(path: Path | str) -> FactorGraph:
    """Read a factor graph in the format its name tells: model.uai, model.json, either with .gz."""
    graph: FactorGraph = format_of(path).read(path)
    return graph


def write(graph: FactorGraph, path: Path | str) -> None:
    """Write a factor graph in the format its name tells; see the format for what it can keep."""
    format_of(path).write(graph, path)


def format_of(path: Path | str) -> ModuleType:
    """The module that reads and writes files of this name."""
    name = Path(path).name.removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix not in _FORMATS:
        expected = ", ".join(_FORMATS)
        raise InputError(f"{path}: expected a name ending in {expected} (or these and .gz)")
    return _FORMATS[suffix]
