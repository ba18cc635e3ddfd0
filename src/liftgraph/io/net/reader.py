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
from liftgraph.io.net.tokens import NAME, NODES, REFUSED, SYNTAX
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    families,
    network_graph,
)
from liftgraph.io.scanner import NumberSpans, Scanner, Word, numbers_within, scan
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_SIGN_COST = 130  # of a parenthesis: its place, the numbers before it
_DATA = re.compile(rb'[^{};|="]*')
_VALUE = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^";{}]++)*+', re.DOTALL)
_PARENTHESIS = re.compile(rb"[()]")


@dataclass(slots=True)
class _Network:
    """What a file declares; ``names``: of nodes by identifier; ``potentials``: scopes and spans."""

    variables: list[Variable] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    potentials: list[tuple[list[Word], int | None]] = field(default_factory=list)


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, SYNTAX, allowance)
    network = _Network()
    _declaration(scanner, network)
    while not scanner.at_end():
        _declaration(scanner, network)
    scopes = [_names(scanner, network, identifiers) for identifiers, _ in network.potentials]
    listed = families(network.variables, scopes, scanner.error, allowance)
    numbers = numbers_within(scanner.data, scanner.spans, b"()", allowance)
    distributions = [
        ListedDistribution(family, _places(scanner, family, span, numbers))
        for family, (_, span) in zip(listed, network.potentials, strict=True)
    ]
    return network_graph(network.variables, distributions, numbers, allowance)


def _names(scanner: Scanner, network: _Network, identifiers: list[Word]) -> list[Word]:
    """The names of nodes that a potential lists by their identifiers."""
    for identifier, place in identifiers:
        if identifier not in network.names:
            raise scanner.error(place, f"expected a node, got {shortened(identifier)}")
    return [Word(network.names[identifier], place) for identifier, place in identifiers]


def _declaration(scanner: Scanner, network: _Network) -> None:
    word = scanner.keyword("net", "node", "potential", "discrete", *REFUSED)
    if word.text in REFUSED:
        expected = "expected a network of discrete nodes"
        raise scanner.error(word.place, f"{expected}, got {word.text}")
    if word.text == "discrete":
        scanner.keyword("node")
    if word.text in NODES:
        _node(scanner, network)
    elif word.text == "potential":
        network.potentials.append(_potential(scanner))
    else:
        for _ in _attributes(scanner):
            _pass_value(scanner)


def _attributes(scanner: Scanner) -> Iterator[Word]:
    """The names of attributes between braces; the caller reads what follows ``=``."""
    scanner.allowance.take(DECLARATION_COST, "its nodes and potentials")
    scanner.expect(b"{")
    seen: set[str] = set()
    while not scanner.accept(b"}"):
        name = scanner.name("the name of an attribute or }")
        if name.text in seen:
            raise scanner.error(name.place, f"expected one {shortened(name.text)}, got another")
        seen.add(name.text)
        scanner.expect(b"=")
        yield name
        scanner.expect(b";")


def _pass_value(scanner: Scanner) -> None:
    scanner.skip(_VALUE)


def _node(scanner: Scanner, network: _Network) -> None:
    identifier = scanner.name("the name of a node")
    if identifier.text in network.names:
        problem = f"expected a new node, got {shortened(identifier.text)} again"
        raise scanner.error(identifier.place, problem)
    name, states = identifier, None
    for attribute in _attributes(scanner):
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


def _potential(scanner: Scanner) -> tuple[list[Word], int | None]:
    """The variable of a potential with its parents, and its span of numbers if it has one."""
    scope = _head(scanner)
    span: int | None = None
    expression: Word | None = None
    for attribute in _attributes(scanner):
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
    scope = [scanner.name("the name of a node")]
    if scanner.accept(b"|"):
        while not scanner.accept(b")"):
            scope.append(scanner.name("the name of a parent or )"))
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
    _check_parentheses(scanner, span, [*parents, size], numbers)
    return np.moveaxis(np.arange(start, start + count).reshape(*parents, size), -1, 0)


def _check_parentheses(scanner: Scanner, span: int, shape: list[int], numbers: NumberSpans) -> None:
    """Refuse parentheses that do not enclose the numbers of the states one by one."""
    start, end = scanner.spans[span]
    if not scanner.data.startswith(b"(", start):
        raise scanner.error(start, "expected (, got a number")
    count = scanner.data.count(b"(", start, end) + scanner.data.count(b")", start, end)
    scanner.allowance.take(_SIGN_COST * count, f"its text has {count:,} parentheses in a row")
    signs = [sign.start() for sign in _PARENTHESIS.finditer(scanner.data, start, end)]
    numbers_before = np.searchsorted(numbers.text.starts, signs).tolist()
    opened: list[int] = []
    for place, count in zip(signs, numbers_before, strict=True):
        if scanner.data[place] == ord("("):
            opened.append(count)
            if len(opened) > len(shape):
                problem = f"expected at most {len(shape)} parentheses inside each other, got more"
                raise scanner.error(place, problem)
        elif not opened:
            raise scanner.error(place, "expected ;, got )")
        else:
            enclosed = count - opened.pop()
            expected = math.prod(shape[len(opened) :])
            if enclosed != expected:
                problem = f"expected {expected:,} numbers in parentheses, got {enclosed:,}"
                raise scanner.error(place, problem)
    if opened:
        raise scanner.error(end, "expected ), got ;")
