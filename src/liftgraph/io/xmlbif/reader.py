"""Reading XMLBIF files, element by element."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_bytes
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    families,
    network_graph,
    network_of_arrows,
)
from liftgraph.io.scanner import NAME_COST, NumberSpans, Word, numbers_within
from liftgraph.io.xml_parsing import BYTE_COST, XMLHandler, parse
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_INSIDE: dict[str, tuple[str, ...]] = {
    "the file": ("BIF",),
    "BIF": ("NETWORK",),
    "NETWORK": ("NAME", "PROPERTY", "VARIABLE", "DEFINITION"),
    "VARIABLE": ("NAME", "OUTCOME", "PROPERTY"),
    "DEFINITION": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
}
_TEXTS = ("NAME", "OUTCOME", "FOR", "GIVEN")


@dataclass(slots=True)
class _XMLElement:
    """A variable or a definition: the texts inside, by tag, and the table's place and spans."""

    place: int
    texts: dict[str, list[Word]] = field(default_factory=lambda: {tag: [] for tag in _TEXTS})
    table: int | None = None
    spans: range = range(0)


class _Handler(XMLHandler):
    """Collects variables, definitions and spans of numbers as the parser proceeds."""

    def __init__(self, data: bytes, allowance: Allowance) -> None:
        super().__init__(data, allowance)
        self.variables: list[_XMLElement] = []
        self.definitions: list[_XMLElement] = []
        self.networks = 0
        self.current = _XMLElement(0)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        allowed = _INSIDE.get(self.open[-1], ())
        if tag not in allowed:
            raise self.unexpected(tag, allowed)
        self.open.append(tag)
        self.pieces, self.word = [], -1
        self.networks += tag == "NETWORK"
        if self.networks > 1:
            raise self.error(self.place, "expected one NETWORK, got another")
        if tag in ("VARIABLE", "DEFINITION"):
            self._new(tag, attributes)
        elif tag == "TABLE":
            if self.current.table is not None:
                raise self.error(self.place, "expected one TABLE, got another")
            self.current.table = self.place
            self.current.spans = range(len(self.spans), len(self.spans))

    def _new(self, tag: str, attributes: dict[str, str]) -> None:
        self.allowance.take(DECLARATION_COST, "its variables and definitions")
        self.current = _XMLElement(self.place)
        (self.variables if tag == "VARIABLE" else self.definitions).append(self.current)
        kind = attributes.get("TYPE", "nature")
        if kind != "nature":
            problem = f"expected a variable of type nature, got {shortened(kind)}"
            raise self.error(self.place, problem)

    def text(self, piece: str) -> None:
        tag = self.open[-1]
        if tag in _TEXTS:
            self.keep(piece)
        elif tag == "TABLE":
            self.add_numbers(piece)
            self.current.spans = range(self.current.spans.start, len(self.spans))
        elif tag != "PROPERTY" and not piece.isspace():
            raise self.error(self.place, f"expected elements in {tag}, got {shortened(piece)}")

    def end(self, tag: str) -> None:
        self.open.pop()
        if tag not in _TEXTS or self.open[-1] == "NETWORK":
            return
        text = "".join(self.pieces).strip()
        if not text:
            raise self.error(self.place, f"expected a name in {tag}, got none")
        self.allowance.take(NAME_COST, "the names of variables and states")
        self.current.texts[tag].append(Word(text, self.word))


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    network = _parsed(read_bytes(path, allowance, BYTE_COST), allowance)
    variables = [
        Variable(
            _single(network, element, "NAME"),
            tuple(word.text for word in element.texts["OUTCOME"]),
        )
        for element in network.variables
    ]
    scopes = [
        [_single(network, element, "FOR"), *element.texts["GIVEN"]]
        for element in network.definitions
    ]
    if all(element.table is None for element in network.definitions):
        return network_of_arrows(variables, scopes, network.error, allowance)
    listed = families(variables, scopes, network.error, allowance)
    numbers = numbers_within(network.data, network.spans, b"", allowance, repair)
    distributions = [
        ListedDistribution(family, _places(network, element, family, numbers))
        for element, family in zip(network.definitions, listed, strict=True)
    ]
    return network_graph(variables, distributions, numbers, allowance)


def _parsed(data: bytes, allowance: Allowance) -> _Handler:
    handler = _Handler(data, allowance)
    parse(handler)
    if handler.networks == 0:
        raise handler.error(len(data.rstrip()), "expected a NETWORK, got none")
    return handler


def _single(network: _Handler, element: _XMLElement, tag: str) -> Word:
    words = element.texts[tag]
    if len(words) != 1:
        place = words[1].place if words else element.place
        raise network.error(place, f"expected one {tag}, got {len(words)}")
    return words[0]


def _places(
    network: _Handler, element: _XMLElement, family: Family, numbers: NumberSpans
) -> NDArray[np.int64]:
    """The index of each entry among the file's numbers, int64 of the family's shape."""
    if element.table is None:
        raise network.error(element.place, "expected a TABLE, got none")
    size, *parents = family.shape
    count = math.prod(family.shape)
    spans = element.spans
    start = numbers.within(spans.start, count, element.table, spans.stop)
    return np.moveaxis(np.arange(start, start + count).reshape(*parents, size), -1, 0)
