"""JSON models, ground or lifted: the format is told by the document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from liftgraph.errors import ParseError
from liftgraph.io import lifted, native
from liftgraph.io.files import read_text
from liftgraph.io.json_parts import decode
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

TITLE = "JSON"
LIFTED = True


class _Header(msgspec.Struct):
    format: str


def read(path: Path | str) -> FactorGraph | ParfactorGraph:
    """Read a factor graph or a parametric factor graph."""
    found = _format(path)
    if found == lifted.FORMAT:
        return lifted.read(path)
    if found not in (None, native.FORMAT):
        problem = f"expected {native.FORMAT} 1 or {lifted.FORMAT} 1, got {found}"
        raise ParseError(str(path), None, problem)
    return native.read(path)


def _format(path: Path | str) -> str | None:
    """What a document says it is; None if it does not say so."""
    try:
        return msgspec.json.decode(read_text(path), type=_Header).format
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, RecursionError):
        return decode(path, _Header).format  # which tells the line


def write(model: FactorGraph | ParfactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a model so that it reads back equal; numbers are never rounded."""
    if isinstance(model, ParfactorGraph):
        lifted.write(model, path)
    else:
        native.write(model, path)


def losses(model: FactorGraph | ParfactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a JSON file cannot keep: nothing."""
    if rounded:
        yield "JSON files have every number exactly: nothing was rounded"
