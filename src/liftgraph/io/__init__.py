"""Files in and out, by suffix; a further .gz packs and unpacks."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from liftgraph.errors import InputError
from liftgraph.io import blog, documents, uai
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.grounding import as_graph
from liftgraph.model.parfactor_graph import ParfactorGraph

_FORMATS: dict[str, ModuleType] = {".uai": uai, ".json": documents, ".blog": blog}


def read(path: Path | str) -> FactorGraph | ParfactorGraph:
    """Read a model in the format its name tells: model.uai, model.json or model.blog, each with
    or without .gz. A JSON file may have a lifted model, a BLOG file always has one."""
    model: FactorGraph | ParfactorGraph = format_of(path).read(path)
    return model


def read_graph(path: Path | str) -> FactorGraph:
    """Read a factor graph; a lifted model is ground."""
    return as_graph(read(path))


def write(model: FactorGraph | ParfactorGraph, path: Path | str) -> None:
    """Write a model in the format its name tells; see the format for what it can keep."""
    if format_of(path) is uai and isinstance(model, ParfactorGraph):
        raise InputError(f"{path}: UAI files have no logvars: write model.ground() instead")
    format_of(path).write(model, path)


def format_of(path: Path | str) -> ModuleType:
    """The module that reads and writes files of this name."""
    name = Path(path).name.removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix not in _FORMATS:
        expected = ", ".join(_FORMATS)
        raise InputError(f"{path}: expected a name ending in {expected} (or these and .gz)")
    return _FORMATS[suffix]
