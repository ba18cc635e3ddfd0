"""JSON models, ground or lifted: the format is told by the document."""

from __future__ import annotations

from pathlib import Path

import msgspec

from liftgraph.io import lifted, native
from liftgraph.io.files import read_text
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.parfactor_graph import ParfactorGraph


class _Header(msgspec.Struct):
    format: str


def read(path: Path | str) -> FactorGraph | ParfactorGraph:
    """Read a factor graph or a parametric factor graph."""
    try:
        lifts = msgspec.json.decode(read_text(path), type=_Header).format == lifted.FORMAT
    except (msgspec.DecodeError, RecursionError):
        lifts = False  # reading it as a factor graph tells what is wrong
    return lifted.read(path) if lifts else native.read(path)


def write(model: FactorGraph | ParfactorGraph, path: Path | str) -> None:
    """Write a model so that it reads back equal."""
    if isinstance(model, ParfactorGraph):
        lifted.write(model, path)
    else:
        native.write(model, path)
