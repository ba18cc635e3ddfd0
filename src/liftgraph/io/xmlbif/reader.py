"""Reading XMLBIF files with the parser of the standard library, which knows its position."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import error_at, read_bytes
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    families,
    network_graph,
)
from liftgraph.io.scanner import NAME_COST, NumberSpans, Word, numbers_within
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_INSIDE: dict[str, tuple[str, ...]] = {
    "the file": ("BIF",),
    "BIF": ("NETWORK",),
    "NETWORK": ("NAME", "PROPERTY", "VARIABLE", "DEFINITION"),
    "VARIABLE": ("NAME", "OUTCOME", "PROPERTY"),
    "DEFINITION": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
}
_BYTE_COST = 20  # of a byte, its copies in the parser, and marks of the numbers
_ATTRIBUTE_COST = 500
_PIECE_COST = 80
_MOST_DECLARED = 1000
_SPAN_COST = 300
_TOKEN_COST = 8  # of each byte in spans: the bounds of a token on every second byte
_TEXTS = ("NAME", "OUTCOME", "FOR", "GIVEN")


@dataclass(slots=True)
class _XMLElement:
    """A variable or a definition: the texts inside, by tag, and the table's place and spans."""

    place: int
    texts: dict[str, list[Word]] = field(default_factory=lambda: {tag: [] for tag in _TEXTS})
    table: int | None = None
    spans: range = range(0)


class _Handler:
    """Collects variables, definitions and spans of numbers as the parser proceeds.

    ``open``: the tags of open elements. ``pieces``: the text in the last one so far, which starts
    at ``word``.
    """

    def __init__(self, data: bytes, allowance: Allowance) -> None:
        self.data, self.allowance = data, allowance
        self.open = ["the file"]
        self.pieces: list[str] = []
        self.word = -1
        self.variables: list[_XMLElement] = []
        self.definitions: list[_XMLElement] = []
        self.networks = 0
        self.declared = 0  # letters of declared attributes
        self.current = _XMLElement(0)
        self.spans: list[tuple[int, int]] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.declared_entity
        self.parser.AttlistDeclHandler = self.declared_attribute
        self.parser.SkippedEntityHandler = self.skipped_entity

    @property
    def place(self) -> int:
        return self.parser.CurrentByteIndex

    def error(self, place: int, problem: str) -> ParseError:
        return error_at(self.allowance.path, self.data, place, problem)

    def declared_entity(self, name: str, *_: object) -> None:
        raise self.error(self.place, f"expected no declared entities, got {shortened(name)}")

    def declared_attribute(
        self, _: str, name: str, kind: str, default: str | None, *__: int
    ) -> None:
        """Defaults are copied to each element, so a file may declare a few short ones only."""
        self.declared += len(name) + len(default or "")
        if self.declared > _MOST_DECLARED:
            raise self.error(self.place, "expected few short attributes in a DTD, got more")

    def skipped_entity(self, name: str, *_: object) -> None:
        raise self.error(self.place, f"expected a known entity, got &{shortened(name)};")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        allowed = _INSIDE.get(self.open[-1], ())
        if tag not in allowed:
            expected = " or ".join(allowed) or "no element"
            problem = f"expected {expected} in {self.open[-1]}, got {shortened(tag)}"
            raise self.error(self.place, problem)
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
            if self.word < 0 and not piece.isspace():
                self.word = self.place + len(piece) - len(piece.lstrip())
            self.allowance.take(_PIECE_COST + 4 * len(piece), "the names of variables and states")
            self.pieces.append(piece)
        elif tag == "TABLE":
            self._numbers(piece)
        elif tag != "PROPERTY" and not piece.isspace():
            raise self.error(self.place, f"expected elements in {tag}, got {shortened(piece)}")

    def _numbers(self, piece: str) -> None:
        if piece.isspace():
            return
        raw, place = piece.encode(), self.place
        if not self.data.startswith(raw, place):
            raise self.error(place, f"expected plain numbers in UTF-8, got {shortened(piece)}")
        size = _SPAN_COST + _TOKEN_COST * len(raw)
        self.allowance.take(size, "the numbers of its tables")
        self.spans.append((place, place + len(raw)))
        self.current.spans = range(self.current.spans.start, len(self.spans))

    def end(self, tag: str) -> None:
        self.open.pop()
        if tag not in _TEXTS or self.open[-1] == "NETWORK":
            return
        text = "".join(self.pieces).strip()
        if not text:
            raise self.error(self.place, f"expected a name in {tag}, got none")
        self.allowance.take(NAME_COST, "the names of variables and states")
        self.current.texts[tag].append(Word(text, self.word))


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    network = _parsed(read_bytes(path, allowance, _BYTE_COST), allowance)
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
    listed = families(variables, scopes, network.error, allowance)
    numbers = numbers_within(network.data, network.spans, b"", allowance)
    distributions = [
        ListedDistribution(family, _places(network, element, family, numbers))
        for element, family in zip(network.definitions, listed, strict=True)
    ]
    return network_graph(variables, distributions, numbers, allowance)


def _parsed(data: bytes, allowance: Allowance) -> _Handler:
    attributes, path = data.count(b"="), allowance.path
    allowance.take(_ATTRIBUTE_COST * attributes, f"its elements have {attributes:,} attributes")
    handler = _Handler(data, allowance)
    try:
        handler.parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = f"expected XML, got {expat.ErrorString(error.code)}"
        raise ParseError(path, error.lineno, problem, error.offset + 1) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ParseError):
            raise
        problem = f"expected XML in a known encoding, got {shortened(str(error))}"
        raise ParseError(path, 1, problem) from None
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
