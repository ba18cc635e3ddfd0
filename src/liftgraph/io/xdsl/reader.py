"""Reading XDSL files, node by node."""

from __future__ import annotations

import re
from pathlib import Path

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_bytes
from liftgraph.io.network import DECLARATION_COST
from liftgraph.io.nodes import ListedNode, NodeNumbers, NumberList, graph_of_nodes
from liftgraph.io.scanner import NAME_COST, Word
from liftgraph.io.xml_parsing import BYTE_COST, XMLHandler, parse
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

NAME = "liftgraph_name"  # the property for names that are not identifiers
_NODES = ("cpt", "deterministic", "noisymax")
_INSIDE: dict[str, tuple[str, ...]] = {
    "the file": ("smile",),
    "smile": ("nodes", "extensions", "cases", "properties", "property"),
    "nodes": _NODES,
    "cpt": ("state", "parents", "probabilities", "property"),
    "deterministic": ("state", "parents", "resultingstates", "property"),
    "noisymax": ("state", "parents", "strengths", "parameters", "property"),
}
_SKIPPED = ("extensions", "cases", "properties")
_WORDS = ("parents", "resultingstates")
_NUMBERS = ("probabilities", "strengths", "parameters")
_ELEMENT_COST = 300  # of an open element in the parser
_WORD = re.compile(r"[^ \t\r\n]+")


class _Handler(XMLHandler):
    """Collects nodes and spans of numbers as the parser proceeds.

    ``skipped``: how many elements are open that mean nothing here. ``naming``: whether the open
    property is the name of a node. ``program``: which one wrote the file, if that is known.
    """

    def __init__(self, data: bytes, allowance: Allowance) -> None:
        super().__init__(data, allowance)
        self.nodes: list[ListedNode] = []
        self.has_nodes = False
        self.skipped = 0
        self.naming = False
        self.program = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.allowance.take(_ELEMENT_COST, "its elements")
        if self.skipped:
            self.skipped += 1
            self.program = attributes.get("app", "") if tag == "genie" else self.program
            return
        self._check(tag, attributes)
        if tag in _SKIPPED:
            self.skipped = 1
            return
        inside = self.open[-1]
        self.open.append(tag)
        self.pieces, self.word = [], -1
        if tag == "nodes":
            if self.has_nodes:
                raise self.error(self.place, "expected nodes once, got them again")
            self.has_nodes = True
        elif tag in _NODES:
            self.allowance.take(DECLARATION_COST, "its nodes")
            self.nodes.append(ListedNode(tag, self._id(tag, attributes)))
        elif tag == "state":
            self.nodes[-1].states.append(self._id(tag, attributes).text)
        elif tag in (*_WORDS, *_NUMBERS):
            self._new_list(tag)
        self.naming = tag == "property" and inside in _NODES and attributes.get("id") == NAME

    def _check(self, tag: str, attributes: dict[str, str]) -> None:
        allowed = _INSIDE.get(self.open[-1], ())
        if tag == "dynamic" or "dynamic" in attributes:
            raise self.error(
                self.place, "expected a network without time slices, got a dynamic one"
            )
        if self.open[-1] == "nodes" and tag not in allowed:
            came = shortened(f"{tag} {attributes.get('id', '')}".rstrip())
            problem = f"expected a cpt, deterministic or noisymax node, got {came}"
            raise self.error(self.place, problem)
        if tag not in allowed:
            raise self.unexpected(tag, allowed)

    def _id(self, tag: str, attributes: dict[str, str]) -> Word:
        name = attributes.get("id", "")
        if not name:
            raise self.error(self.place, f"expected an id of this {tag}, got none")
        self.allowance.take(NAME_COST + 6 * len(name), "the names of variables and states")
        return Word(name, self.place)

    def _new_list(self, tag: str) -> None:
        node = self.nodes[-1]
        if tag in node.words or tag in node.numbers:
            raise self.error(self.place, f"expected one {tag}, got another")
        if tag in _WORDS:
            node.words[tag] = []
        else:
            node.numbers[tag] = NumberList(self.place, range(len(self.spans), len(self.spans)))

    def text(self, piece: str) -> None:
        tag = self.open[-1]
        if self.skipped or (tag == "property" and not self.naming):
            return
        if tag in _WORDS or self.naming:
            self.keep(piece)
        elif tag in _NUMBERS:
            self.add_numbers(piece)
            listed = self.nodes[-1].numbers[tag]
            spans = range(listed.spans.start, len(self.spans))
            self.nodes[-1].numbers[tag] = listed._replace(spans=spans)
        elif not piece.isspace():
            raise self.error(self.place, f"expected elements in {tag}, got {shortened(piece)}")

    def end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        self.open.pop()
        if self.naming:
            self._name()
        elif tag in _WORDS:
            self.nodes[-1].words[tag] = self._words()
        self.naming = False

    def _name(self) -> None:
        name = "".join(self.pieces)
        if not name:
            raise self.error(self.place, f"expected a name as {NAME}, got none")
        self.nodes[-1].given_name = name

    def _words(self) -> list[Word]:
        """The words of the text in the element that ends, each with its place."""
        text = "".join(self.pieces).lstrip()
        plain = self.data.startswith(text.encode(), self.word) and text.isascii()
        found = [*_WORD.finditer(text)]
        self.allowance.take(NAME_COST * len(found) + 6 * len(text), "the names of parents")
        return [Word(word[0], self.word + word.start() * plain) for word in found]


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    network = _Handler(read_bytes(path, allowance, BYTE_COST), allowance)
    parse(network)
    nodes = network.nodes
    if not network.has_nodes:
        raise network.error(len(network.data.rstrip()), "expected nodes, got none")
    _refuse_another_order(network)
    numbers = NodeNumbers(network.data, network.spans)
    return graph_of_nodes(nodes, numbers, network.error, allowance, repair)


def _refuse_another_order(network: _Handler) -> None:
    """Refuse several parents in a file of aGrUM, which does not list them as GeNIe does."""
    if not network.program.startswith("aGrUM"):
        return
    for node in network.nodes:
        if len(node.parents) > 1:
            came = "a file of aGrUM, whose first parent changes fastest: exchange BIF files instead"
            problem = f"expected the last parent to change fastest, got {came}"
            raise network.error(node.identifier.place, problem)
