"""Writing JSON files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from liftgraph.io.json.graphs import document_of_graph
from liftgraph.io.json.lifted_writer import document_of_model
from liftgraph.io.json.text import encode
from liftgraph.io.spelling import spelling
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


def write(model: FactorGraph | ParfactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a model so that it reads back equal; numbers are never rounded."""
    spell = spelling(False, path)
    if isinstance(model, ParfactorGraph):
        write_bytes(path, encode(document_of_model(model, spell)))
    else:
        write_bytes(path, encode(document_of_graph(model, spell)))


def losses(model: FactorGraph | ParfactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a JSON file does not keep of a model: nothing."""
    if rounded:
        yield "JSON files have every number exactly: nothing was rounded"
