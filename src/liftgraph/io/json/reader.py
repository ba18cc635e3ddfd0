"""Reading JSON files: a document says whether it has a graph or a lifted model."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_text
from liftgraph.io.json.documents import GraphDocument, LiftedDocument, QuotientDocument
from liftgraph.io.json.graphs import graph_of
from liftgraph.io.json.lifted_reader import model_of
from liftgraph.io.json.text import BYTE_COST, built, take_values, title_of
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph | ParfactorGraph:
    """Read a factor graph or a parametric factor graph; errors name the place in the document."""
    allowance = Allowance(str(path), memory_limit)
    text = read_text(path, allowance, BYTE_COST)
    take_values(allowance, text)
    title = title_of(path, text)
    if title == LiftedDocument.TITLE:
        return built(path, text, LiftedDocument, partial(model_of, allowance=allowance))
    if title in (None, GraphDocument.TITLE):
        return built(path, text, GraphDocument, partial(graph_of, allowance=allowance))
    kinds = (GraphDocument, LiftedDocument)
    expected = " or ".join(f"{kind.TITLE} {kind.VERSION}" for kind in kinds)
    hint = ": lg.read_quotient reads it" * (title == QuotientDocument.TITLE)
    raise ParseError(str(path), None, f"expected {expected}, got {shortened(title)}{hint}")
