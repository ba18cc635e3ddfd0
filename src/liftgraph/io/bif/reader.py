"""Reading BIF files: one function per rule of the grammar."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import shortened
from liftgraph.io.bif.tokens import SYNTAX
from liftgraph.io.network import Distribution, Family, Variable, families, network_graph
from liftgraph.io.scanner import Numbers, Scanner, Word, numbers_within, scan
from liftgraph.model.ground.factor_graph import FactorGraph

_MISSING = -1
_NUMBERS = re.compile(rb'[^][{}();|"]*')
_ROW = re.compile(rb'[\s,]*(\()([^][{}();|"]*)\)([^][{}();|"]*);')
_PROPERTY = re.compile(rb'(?:"[^"\n]*"|[^";])*')


class _Row(NamedTuple):
    """The states of the parents, where the row is, and its span of numbers."""

    states: list[bytes]
    place: int
    span: int


class _Block(NamedTuple):
    """A probability block: its head, its rows, and the spans of its table or default."""

    scope: list[Word]
    rows: list[_Row]
    spans: dict[str, int]


def read(path: Path | str) -> FactorGraph:
    """Read a network: see ``network.py`` for the order of what comes out."""
    scanner = scan(path, SYNTAX)
    _pass_network(scanner)
    variables: list[Variable] = []
    blocks: list[_Block] = []
    while not scanner.at_end():
        if scanner.keyword("variable", "probability").text == "variable":
            variables.append(_variable(scanner))
        else:
            blocks.append(_probability(scanner))
    found = families(variables, [block.scope for block in blocks], scanner.error)
    numbers = numbers_within(scanner.path, scanner.data, scanner.spans, b",")
    states = [{s.encode(): i for i, s in enumerate(each.states)} for each in variables]
    distributions = [
        Distribution(family, _places(scanner, block, family, states, numbers))
        for block, family in zip(blocks, found, strict=True)
    ]
    return network_graph(variables, distributions, numbers)


def _pass_network(scanner: Scanner) -> None:
    scanner.keyword("network")
    if not scanner.accept(b"{"):
        scanner.name("the name of the network")
        scanner.expect(b"{")
    while not scanner.accept(b"}"):
        scanner.keyword("property")
        _pass_property(scanner)


def _pass_property(scanner: Scanner) -> None:
    scanner.skip_to(_PROPERTY)
    scanner.expect(b";")


def _variable(scanner: Scanner) -> Variable:
    name = scanner.name("the name of a variable")
    states: tuple[str, ...] | None = None
    scanner.expect(b"{")
    while not scanner.accept(b"}"):
        word = scanner.keyword("type", "property")
        if word.text == "property":
            _pass_property(scanner)
        elif states is None:
            states = _states(scanner)
        else:
            raise scanner.error(word.place, f"expected one type of {name.text}, got another")
    if states is None:
        raise scanner.error(name.place, f"expected a type of {name.text}, got none")
    return Variable(name, states)


def _states(scanner: Scanner) -> tuple[str, ...]:
    scanner.keyword("discrete")
    scanner.expect(b"[")
    count = scanner.integer("the number of states")
    scanner.expect(b"]")
    scanner.expect(b"{")
    states: list[str] = []
    while not scanner.accept(b"}"):
        states.append(scanner.name("the name of a state or }").text)
    scanner.expect(b";")
    if len(states) != int(count.text):
        raise scanner.error(count.place, f"expected {count.text} states, got {len(states)}")
    return tuple(states)


def _probability(scanner: Scanner) -> _Block:
    scanner.expect(b"(")
    block = _Block([scanner.name("the name of a variable")], [], {})
    scanner.accept(b"|")
    while not scanner.accept(b")"):
        block.scope.append(scanner.name("the name of a parent or )"))
    scanner.expect(b"{")
    _add_plain_rows(scanner, block.rows)
    while not scanner.accept(b"}"):
        _add_entry(scanner, block)
        _add_plain_rows(scanner, block.rows)
    return block


def _add_plain_rows(scanner: Scanner, rows: list[_Row]) -> None:
    """Read rows in one go each, as long as no name in them is in quotes."""
    while row := _ROW.match(scanner.data, scanner.place):
        states = row[2].replace(b",", b" ").split()
        rows.append(_Row(states, row.start(1), scanner.add_span(*row.span(3))))
        scanner.place = row.end()


def _add_entry(scanner: Scanner, block: _Block) -> None:
    """Read a row, a table, the default or a property."""
    place = scanner.place
    if scanner.accept(b"("):
        states: list[bytes] = []
        while not scanner.accept(b")"):
            states.append(scanner.name("the name of a state or )").text.encode())
        block.rows.append(_Row(states, place, scanner.numbers(_NUMBERS)))
    else:
        word = scanner.keyword("(", "table", "default", "property")
        if word.text == "property":
            scanner.skip_to(_PROPERTY)
        elif word.text in block.spans:
            raise scanner.error(word.place, f"expected one {word.text}, got another")
        else:
            block.spans[word.text] = scanner.numbers(_NUMBERS)
    scanner.expect(b";")


def _places(
    scanner: Scanner,
    block: _Block,
    family: Family,
    states: list[dict[bytes, int]],
    numbers: Numbers,
) -> NDArray[np.int64]:
    """Which number of the file is where in a block's table, int64 of the family's shape."""
    if "table" not in block.spans:
        starts = _row_starts(scanner, block, family, states, numbers)
        return np.arange(family.shape[0]).reshape(-1, *[1] * starts.ndim) + starts
    if block.rows or "default" in block.spans:
        raise scanner.error(family.place, "expected either a table or rows, got both")
    count = math.prod(family.shape)
    start = numbers.within(block.spans["table"], count, family.place)
    return np.arange(start, start + count).reshape(family.shape)


def _row_starts(
    scanner: Scanner,
    block: _Block,
    family: Family,
    states: list[dict[bytes, int]],
    numbers: Numbers,
) -> NDArray[np.int64]:
    """The first number for each combination of the parents' states."""
    size, *parents = family.shape
    known = [states[variable] for variable in family.scope[1:]]
    starts = np.full(math.prod(parents), _MISSING)
    for row in block.rows:
        number = _combination(scanner, row, known)
        if starts[number] != _MISSING:
            problem = "expected each combination of states once, got this again"
            raise scanner.error(row.place, problem)
        starts[number] = numbers.within(row.span, size, row.place)
    missing = starts == _MISSING
    if "default" in block.spans:
        starts[missing] = numbers.within(block.spans["default"], size, family.place)
    elif missing.any():
        first = np.unravel_index(int(missing.argmax()), parents)
        listed = b", ".join([*known[axis]][state] for axis, state in enumerate(first)).decode()
        raise scanner.error(family.place, f"expected probabilities for ({listed}), got none")
    return starts.reshape(parents)


def _combination(scanner: Scanner, row: _Row, known: list[dict[bytes, int]]) -> int:
    """The number of a combination of states, the last one changing fastest."""
    if len(row.states) != len(known):
        problem = f"expected states of {len(known)} parents, got {len(row.states)}"
        raise scanner.error(row.place, problem)
    number = 0
    for place, (state, states) in enumerate(zip(row.states, known, strict=True)):
        if state not in states:
            listed = shortened(b", ".join(states).decode())
            problem = f"expected one of {listed}, got {shortened(state.decode())}"
            raise scanner.error(_state(scanner, row, place).place, problem)
        number = number * len(states) + states[state]
    return number


def _state(scanner: Scanner, row: _Row, place: int) -> Word:
    """A row's state at this place: the row is read again, now with the places of its names."""
    scanner.place = row.place
    scanner.expect(b"(")
    return [scanner.name("the name of a state") for _ in range(place + 1)][-1]
