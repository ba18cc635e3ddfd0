"""Reading NET files: one function per rule of the grammar."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END
from liftgraph.io.net.tokens import NAME, NODES, REFUSED, SYNTAX
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    check_parentheses,
    families,
    network_graph,
)
from liftgraph.io.scanner import NumberSpans, Scanner, Word, numbers_within, scan
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_DECLARATIONS = ("net", "node", "potential", "discrete", *REFUSED)
_DATA = re.compile(rb'[^{};|="]*')
_VALUE = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^";{}]++)*+', re.DOTALL)
# Names such as ``A(m1)``, which some programs write: no white space before the parenthesis.
_ODD_NAME = re.compile(rb'(?:[^{}();|="\s\x00-\x1f]+\([^{}();|="\s\x00-\x1f]*\))+')
_HUGIN = "HR_"  # how attributes begin that only HUGIN writes


@dataclass(slots=True)
class _Network:
    """The declarations of a file.

    ``names``: of nodes by identifier; ``potentials``: scopes and spans. ``writer``: the program
    that wrote it, if that normalises the numbers of potentials.
    """

    variables: list[Variable] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    potentials: list[tuple[list[Word], int | None]] = field(default_factory=list)
    writer: str | None = None


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, SYNTAX, allowance)
    network = _Network()
    _parse(scanner, network)
    scopes = [_names(scanner, network, identifiers) for identifiers, _ in network.potentials]
    listed = families(network.variables, scopes, scanner.error, allowance)
    numbers = numbers_within(scanner.data, scanner.spans, b"()", allowance, repair)
    distributions = [
        ListedDistribution(family, _places(scanner, family, span, numbers))
        for family, (_, span) in zip(listed, network.potentials, strict=True)
    ]
    return network_graph(network.variables, distributions, numbers, allowance, network.writer)


def _names(scanner: Scanner, network: _Network, identifiers: list[Word]) -> list[Word]:
    """The names of nodes that a potential lists by their identifiers."""
    for identifier, place in identifiers:
        if identifier not in network.names:
            raise scanner.error(place, f"expected a node, got {shortened(identifier)}")
    return [Word(network.names[identifier], place) for identifier, place in identifiers]


def _parse(scanner: Scanner, network: _Network) -> None:
    """Read the declarations of a file, which may be those of a class without instances of others.

    In a class, attributes of the network stand among the declarations.
    """
    word = scanner.keyword(*_DECLARATIONS, "class")
    if word.text != "class":
        _declaration(scanner, network, word)
        while not scanner.at_end():
            _declaration(scanner, network, scanner.keyword(*_DECLARATIONS))
        return
    scanner.name("the name of the class")
    for attribute in _attributes(scanner, network, _DECLARATIONS):
        if attribute.text in _DECLARATIONS:
            _declaration(scanner, network, attribute)
        else:
            _pass_value(scanner)
    if not scanner.at_end():
        raise scanner.unexpected(f"one class and {END}")


def _declaration(scanner: Scanner, network: _Network, word: Word) -> None:
    if word.text in REFUSED:
        expected = "expected a network of discrete nodes"
        raise scanner.error(word.place, f"{expected}, got {word.text}")
    if word.text == "discrete":
        scanner.keyword("node")
    if word.text in NODES:
        _node(scanner, network)
    elif word.text == "potential":
        network.potentials.append(_potential(scanner, network))
    else:
        for _ in _attributes(scanner, network):
            _pass_value(scanner)


def _attributes(
    scanner: Scanner, network: _Network, declarations: tuple[str, ...] = ()
) -> Iterator[Word]:
    """The names of attributes between braces; the caller reads what follows ``=``.

    ``declarations``: words that begin something else, which the caller reads.
    """
    scanner.allowance.take(DECLARATION_COST, "its nodes and potentials")
    scanner.expect(b"{")
    seen: set[str] = set()
    while not scanner.accept(b"}"):
        name = scanner.name("the name of an attribute or }")
        if name.text in declarations:
            yield name
            continue
        if name.text in seen:
            raise scanner.error(name.place, f"expected one {shortened(name.text)}, got another")
        seen.add(name.text)
        if name.text.startswith(_HUGIN):
            network.writer = "HUGIN"
        scanner.expect(b"=")
        yield name
        scanner.expect(b";")


def _node_name(scanner: Scanner, what: str) -> Word:
    """Pass the name of a node, which may have parentheses if nothing is before them."""
    scanner.at_end()
    place = scanner.place
    if name := _ODD_NAME.match(scanner.data, place):
        scanner.take_name(name)
        return Word(name[0].decode(), place)
    return scanner.name(what)


def _pass_value(scanner: Scanner) -> None:
    scanner.skip(_VALUE)


def _node(scanner: Scanner, network: _Network) -> None:
    identifier = _node_name(scanner, "the name of a node")
    if identifier.text in network.names:
        problem = f"expected a new node, got {shortened(identifier.text)} again"
        raise scanner.error(identifier.place, problem)
    name, states = identifier, None
    for attribute in _attributes(scanner, network):
        if attribute.text == "states":
            states = _states(scanner)
        elif attribute.text == NAME:
            name = scanner.quoted("a name in quotes")
        else:
            _pass_value(scanner)
    if states is None:
        problem = f"expected states of {shortened(identifier.text)}, got none"
        raise scanner.error(identifier.place, problem)
    network.names[identifier.text] = name.text
    network.variables.append(Variable(name, states))


def _states(scanner: Scanner) -> tuple[str, ...]:
    scanner.expect(b"(")
    states: list[str] = []
    while not scanner.accept(b")"):
        states.append(scanner.name("a state or )").text)
    return tuple(states)


def _potential(scanner: Scanner, network: _Network) -> tuple[list[Word], int | None]:
    """The variable of a potential with its parents, and its span of numbers if it has one."""
    scope = _head(scanner)
    span: int | None = None
    expression: Word | None = None
    for attribute in _attributes(scanner, network):
        if attribute.text == "data":
            scanner.at_end()
            span = scanner.numbers(_DATA)
        else:
            expression = attribute if attribute.text == "model_data" else expression
            _pass_value(scanner)
    if expression is not None and span is None:
        raise scanner.error(expression.place, "expected data, got an expression only")
    return scope, span


def _head(scanner: Scanner) -> list[Word]:
    scanner.expect(b"(")
    scope = [_node_name(scanner, "the name of a node")]
    if scanner.accept(b"|"):
        while not scanner.accept(b")"):
            scope.append(_node_name(scanner, "the name of a parent or )"))
    elif not scanner.accept(b")"):
        raise scanner.unexpected("one variable and then | or )")
    return scope


def _places(
    scanner: Scanner, family: Family, span: int | None, numbers: NumberSpans
) -> NDArray[np.int64] | None:
    """The index of each entry among the file's numbers, int64 of the family's shape, if any."""
    if span is None:
        return None
    size, *parents = family.shape
    count = math.prod(family.shape)
    start = numbers.within(span, count, scanner.spans[span][0])
    check_parentheses(scanner.spans[span], [*parents, size], numbers, scanner.allowance)
    return np.moveaxis(np.arange(start, start + count).reshape(*parents, size), -1, 0)
