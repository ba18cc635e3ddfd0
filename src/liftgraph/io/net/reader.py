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
from liftgraph.io.net.tokens import NAME, NODES, REFUSED, SYNTAX
from liftgraph.io.network import Distribution, Family, Variable, families, network_graph
from liftgraph.io.scanner import Numbers, Scanner, Word, numbers_within, scan
from liftgraph.model.ground.factor_graph import FactorGraph

_DATA = re.compile(rb'[^{};|="]*')
_VALUE = re.compile(rb'(?:"(?:[^"\\]|\\.)*"|[^";{}])*', re.DOTALL)
_PARENTHESIS = re.compile(rb"[()]")


@dataclass(slots=True)
class _File:
    """What a file declares; ``called``: the names of nodes, by identifier."""

    variables: list[Variable] = field(default_factory=list)
    called: dict[str, str] = field(default_factory=dict)
    potentials: list[tuple[list[Word], int | None]] = field(default_factory=list)


def read(path: Path | str) -> FactorGraph:
    """Read a network: see ``network.py`` for the order of what comes out."""
    scanner = scan(path, SYNTAX)
    found = _File()
    _declaration(scanner, found)
    while not scanner.at_end():
        _declaration(scanner, found)
    scopes = [_called(scanner, found, words) for words, _ in found.potentials]
    listed = families(found.variables, scopes, scanner.error)
    numbers = numbers_within(scanner.path, scanner.data, scanner.spans, b"()")
    distributions = [
        Distribution(family, None if span is None else _places(scanner, family, span, numbers))
        for family, (_, span) in zip(listed, found.potentials, strict=True)
    ]
    return network_graph(found.variables, distributions, numbers)


def _called(scanner: Scanner, found: _File, identifiers: list[Word]) -> list[Word]:
    """The names of nodes that a potential lists by their identifiers."""
    for identifier, place in identifiers:
        if identifier not in found.called:
            raise scanner.error(place, f"expected a node, got {shortened(identifier)}")
    return [Word(found.called[identifier], place) for identifier, place in identifiers]


def _declaration(scanner: Scanner, found: _File) -> None:
    word = scanner.keyword("net", "node", "potential", "discrete", *REFUSED)
    if word.text in REFUSED:
        expected = "expected a network of discrete nodes"
        raise scanner.error(word.place, f"{expected}, got {word.text}")
    if word.text == "discrete":
        scanner.keyword("node")
    if word.text in NODES:
        _node(scanner, found)
    elif word.text == "potential":
        found.potentials.append(_potential(scanner))
    else:
        for _ in _attributes(scanner):
            _pass_value(scanner)


def _attributes(scanner: Scanner) -> Iterator[Word]:
    """The names of attributes between braces; whoever asks reads what stands behind ``=``."""
    scanner.expect(b"{")
    seen: set[str] = set()
    while not scanner.accept(b"}"):
        name = scanner.name("the name of an attribute or }")
        if name.text in seen:
            raise scanner.error(name.place, f"expected one {name.text}, got another")
        seen.add(name.text)
        scanner.expect(b"=")
        yield name
        scanner.expect(b";")


def _pass_value(scanner: Scanner) -> None:
    scanner.skip_to(_VALUE)


def _node(scanner: Scanner, found: _File) -> None:
    identifier = scanner.name("the name of a node")
    if identifier.text in found.called:
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
    found.called[identifier.text] = name.text
    found.variables.append(Variable(name, states))


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


def _places(scanner: Scanner, family: Family, span: int, numbers: Numbers) -> NDArray[np.int64]:
    """Which number of the file is where in a table, int64 of the family's shape."""
    size, *parents = family.shape
    count = math.prod(family.shape)
    start = numbers.within(span, count, scanner.spans[span][0])
    _check_parentheses(scanner, span, [*parents, size], numbers)
    return np.moveaxis(np.arange(start, start + count).reshape(*parents, size), -1, 0)


def _check_parentheses(scanner: Scanner, span: int, shape: list[int], numbers: Numbers) -> None:
    """Refuse parentheses that do not enclose the numbers of one state after the other."""
    start, end = scanner.spans[span]
    if not scanner.data.startswith(b"(", start):
        raise scanner.error(start, "expected (, got a number")
    signs = [found.start() for found in _PARENTHESIS.finditer(scanner.data, start, end)]
    before = np.searchsorted(numbers.text.starts, signs).tolist()
    opened: list[int] = []
    for place, number in zip(signs, before, strict=True):
        if scanner.data[place] == ord("("):
            opened.append(number)
            if len(opened) > len(shape):
                problem = f"expected at most {len(shape)} parentheses inside each other, got more"
                raise scanner.error(place, problem)
        elif not opened:
            raise scanner.error(place, "expected ;, got )")
        else:
            first = opened.pop()
            expected = math.prod(shape[len(opened) :])
            if number - first != expected:
                problem = f"expected {expected:,} numbers in parentheses, got {number - first:,}"
                raise scanner.error(place, problem)
    if opened:
        raise scanner.error(end, "expected ), got ;")
