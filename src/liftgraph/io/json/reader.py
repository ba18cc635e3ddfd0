"""Reading JSON files: a document says whether it has a graph or a lifted model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from liftgraph.errors import InputError, ParseError, quoted
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_text
from liftgraph.io.json.documents import Document, GraphDocument, LiftedDocument
from liftgraph.io.json.graphs import graph_of
from liftgraph.io.json.lifted_reader import model_of
from liftgraph.io.json.text import BYTE_COST, decode, take_values
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

AnyDocument = TypeVar("AnyDocument", bound=Document)
Built = TypeVar("Built")


class _Header(msgspec.Struct):
    format: str


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph | ParfactorGraph:
    """Read a factor graph or a parametric factor graph; errors name the place in the document."""
    allowance = Allowance(str(path), memory_limit)
    text = read_text(path, allowance, BYTE_COST)
    take_values(allowance, text)
    title = _title(path, text)
    if title == LiftedDocument.TITLE:
        return _built(path, text, LiftedDocument, partial(model_of, allowance=allowance))
    if title in (None, GraphDocument.TITLE):
        return _built(path, text, GraphDocument, partial(graph_of, allowance=allowance))
    expected = " or ".join(
        f"{kind.TITLE} {kind.VERSION}" for kind in (GraphDocument, LiftedDocument)
    )
    raise ParseError(str(path), None, f"expected {expected}, got {shortened(title)}")


def _title(path: Path | str, text: str) -> str | None:
    """What a document says it is; None if it does not say."""
    try:
        return msgspec.json.decode(text, type=_Header).format
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, RecursionError):
        return decode(path, text, _Header).format  # whose error names the line


def _built(
    path: Path | str, text: str, kind: type[AnyDocument], build: Callable[[AnyDocument], Built]
) -> Built:
    document = decode(path, text, kind)
    if (document.format, document.version) != (kind.TITLE, kind.VERSION):
        came = f"{shortened(document.format)} {shortened(quoted(document.version))}"
        raise ParseError(str(path), None, f"expected {kind.TITLE} {kind.VERSION}, got {came}")
    try:
        return build(document)
    except InputError as error:
        raise ParseError(str(path), None, str(error)) from None
