"""Files in and out, by suffix; a further .gz packs and unpacks.

A format is a module with ``read`` and ``write``, a ``TITLE``, whether it takes ``LIFTED`` models
and evidence, and ``losses``: what it cannot keep of a model.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import ModuleType

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.io import bif, blog, documents, fg, net, uai, xmlbif
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.grounding import as_graph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_FORMATS: dict[str, ModuleType] = {
    ".uai": uai,
    ".json": documents,
    ".blog": blog,
    ".bif": bif,
    ".xmlbif": xmlbif,
    ".bifxml": xmlbif,
    ".xbif": xmlbif,
    ".xml": xmlbif,
    ".net": net,
    ".fg": fg,
}
SUFFIXES = tuple(_FORMATS)


def read(path: Path | str) -> FactorGraph | ParfactorGraph:
    """Read a model in the format its name tells: .uai, .json, .blog, .bif, .xmlbif (or .bifxml,
    .xbif, .xml), .net or .fg, each with or without .gz.

    A JSON file may have a lifted model, a BLOG file always has one.
    """
    model: FactorGraph | ParfactorGraph = format_of(path).read(path)
    return model


def read_graph(path: Path | str) -> FactorGraph:
    """Read a factor graph; a lifted model is ground."""
    return as_graph(read(path))


def write(model: FactorGraph | ParfactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a model in the format its name tells.

    Only JSON keeps everything. UAI and libDAI files name variables and states by number. What a
    format cannot hold is an error, evidence in formats for graphs included.

    ``rounded``: values without a finite decimal form are not written as fractions such as 1/3 but
    with 17 significant digits, in formats for which that makes a difference.
    """
    form = format_of(path)
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"{path}: expected a model to write, got {shortened(repr(model))}")
    if isinstance(model, ParfactorGraph) and not form.LIFTED:
        problem = f"{form.TITLE} files have no logvars: write model.ground() instead"
        raise InputError(f"{path}: {problem}")
    if isinstance(model, FactorGraph) and len(model.observed) and not form.LIFTED:
        problem = f"{form.TITLE} files have no evidence: write graph.observing({{}}) instead"
        raise InputError(f"{path}: {problem}")
    form.write(model, path, rounded=rounded)


def format_of(path: Path | str) -> ModuleType:
    """The module that reads and writes files of this name."""
    if not isinstance(path, str | PathLike):
        raise InputError(f"expected the name of a file, got {shortened(repr(path))}")
    name = Path(path).name.removesuffix(".gz")
    suffix = Path(name).suffix.lower()
    if suffix not in _FORMATS:
        expected = ", ".join(SUFFIXES)
        raise InputError(f"{path}: expected a name ending in {expected} (or these and .gz)")
    return _FORMATS[suffix]
