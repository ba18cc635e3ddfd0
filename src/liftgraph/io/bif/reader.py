"""Reading BIF files: one function per rule of the grammar."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.bif.tokens import SYNTAX
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    families,
    network_graph,
    network_of_arrows,
)
from liftgraph.io.scanner import NumberSpans, Scanner, Word, numbers_within, scan
from liftgraph.model.arrays import digits
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_ROW_COST = 200
_STATE_COST = 60  # of a state in a row, apart from its letters
_MISSING = -1
_NUMBERS = re.compile(rb'[^][{}();|"]*')
_ROW = re.compile(rb'[\s,]*(\()([^][{}();|"]*)\)([^][{}();|"]*);')
_NUMBER = re.compile(rb"[\s,:=]*[-+.\d]")
_PROPERTY = re.compile(rb'(?:"[^"\n]*+"|[^";]++)*+')


class _BlockRow(NamedTuple):
    """The states of the parents, the byte at which the row starts, and its span of numbers."""

    states: list[bytes]
    place: int
    span: int


class ProbabilityBlock(NamedTuple):
    """A probability block: its head, its rows, and the spans of its table or default."""

    scope: list[Word]
    rows: list[_BlockRow]
    spans: dict[str, int]


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, SYNTAX, allowance)
    _pass_network(scanner)
    variables: list[Variable] = []
    blocks: list[ProbabilityBlock] = []
    while not scanner.at_end():
        if scanner.keyword("variable", "probability").text == "variable":
            variables.append(_variable(scanner))
        else:
            blocks.append(probability_block(scanner))
    states = [
        {state.encode(): index for index, state in enumerate(variable.states)}
        for variable in variables
    ]
    return graph_of_blocks(scanner, variables, blocks, states, repair)


def graph_of_blocks(
    scanner: Scanner,
    variables: list[Variable],
    blocks: list[ProbabilityBlock],
    states: list[dict[bytes, int]],
    repair: bool,
    separators: bytes = b",",
) -> FactorGraph:
    """The factor graph of some variables and their probability blocks.

    ``states``: how rows call the states of each variable. ``separators``: between numbers.
    """
    allowance = scanner.allowance
    scopes = [block.scope for block in blocks]
    if not any(block.rows or block.spans for block in blocks):
        return network_of_arrows(variables, scopes, scanner.error, allowance)
    listed = families(variables, scopes, scanner.error, allowance)
    numbers = numbers_within(scanner.data, scanner.spans, separators, allowance, repair)
    distributions = [
        ListedDistribution(family, _places(scanner, block, family, states, numbers))
        for block, family in zip(blocks, listed, strict=True)
    ]
    return network_graph(variables, distributions, numbers, allowance)


def _pass_network(scanner: Scanner) -> None:
    scanner.keyword("network")
    if not scanner.accept(b"{"):
        scanner.name("the name of the network")
        scanner.expect(b"{")
    while not scanner.accept(b"}"):
        scanner.keyword("property")
        pass_property(scanner)


def pass_property(scanner: Scanner) -> None:
    """Pass anything up to a semicolon."""
    scanner.skip(_PROPERTY)
    scanner.expect(b";")


def _variable(scanner: Scanner) -> Variable:
    scanner.allowance.take(DECLARATION_COST, "its variables")
    name = scanner.name("the name of a variable")
    states: tuple[str, ...] | None = None
    scanner.expect(b"{")
    while not scanner.accept(b"}"):
        word = scanner.keyword("type", "property")
        if word.text == "property":
            pass_property(scanner)
        elif states is None:
            states = listed_states(scanner)
            scanner.expect(b";")
        else:
            raise scanner.error(
                word.place, f"expected one type of {shortened(name.text)}, got another"
            )
    if states is None:
        raise scanner.error(name.place, f"expected a type of {shortened(name.text)}, got none")
    return Variable(name, states)


def listed_states(scanner: Scanner) -> tuple[str, ...]:
    """The states that a type lists, as many as it says."""
    scanner.keyword("discrete")
    scanner.expect(b"[")
    count = scanner.integer("the number of states")
    scanner.expect(b"]")
    scanner.expect(b"{")
    states: list[str] = []
    while not scanner.accept(b"}"):
        states.append(scanner.name("the name of a state or }").text)
    if len(states) != int(count.text):
        raise scanner.error(count.place, f"expected {count.text} states, got {len(states)}")
    return tuple(states)


def probability_block(scanner: Scanner, *, table_is_bare: bool = False) -> ProbabilityBlock:
    """A probability block. ``table_is_bare``: whether a root's numbers need no word before them."""
    scanner.allowance.take(DECLARATION_COST, "its distributions")
    scanner.expect(b"(")
    block = ProbabilityBlock([scanner.name("the name of a variable")], [], {})
    scanner.accept(b"|")
    while not scanner.accept(b")"):
        block.scope.append(scanner.name("the name of a parent or )"))
    scanner.expect(b"{")
    _add_plain_rows(scanner, block.rows)
    while not scanner.accept(b"}"):
        _add_entry(scanner, block, table_is_bare and len(block.scope) == 1)
        _add_plain_rows(scanner, block.rows)
    return block


def _add_plain_rows(scanner: Scanner, rows: list[_BlockRow]) -> None:
    """Read each row with one expression, as long as no name in it is in quotes."""
    while row := _ROW.match(scanner.data, scanner.place):
        states = row[2].replace(b",", b" ").split()
        size = _ROW_COST + _STATE_COST * len(states) + len(row[2])
        scanner.allowance.take(size, "the rows of its distributions")
        rows.append(_BlockRow(states, row.start(1), scanner.add_span(*row.span(3))))
        scanner.place = row.end()


def _add_entry(scanner: Scanner, block: ProbabilityBlock, is_bare: bool) -> None:
    """Read a row, a table, the default or a property."""
    place = scanner.place
    if is_bare and "table" not in block.spans and _NUMBER.match(scanner.data, place):
        block.spans["table"] = scanner.numbers(_NUMBERS)
    elif scanner.accept(b"("):
        states: list[bytes] = []
        while not scanner.accept(b")"):
            states.append(scanner.name("the name of a state or )").text.encode())
        block.rows.append(_BlockRow(states, place, scanner.numbers(_NUMBERS)))
    else:
        word = scanner.keyword("(", "table", "default", "property")
        if word.text == "property":
            scanner.skip(_PROPERTY)
        elif word.text in block.spans:
            raise scanner.error(word.place, f"expected one {word.text}, got another")
        else:
            block.spans[word.text] = scanner.numbers(_NUMBERS)
    scanner.expect(b";")


def _places(
    scanner: Scanner,
    block: ProbabilityBlock,
    family: Family,
    states: list[dict[bytes, int]],
    numbers: NumberSpans,
) -> NDArray[np.int64]:
    """The index of each entry among the file's numbers, int64 of the family's shape."""
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
    block: ProbabilityBlock,
    family: Family,
    states: list[dict[bytes, int]],
    numbers: NumberSpans,
) -> NDArray[np.int64]:
    """The index of the first number for each combination of the parents' states."""
    size, *parents = family.shape
    parent_states = [states[variable] for variable in family.scope[1:]]
    starts = np.full(math.prod(parents), _MISSING)
    for row in block.rows:
        combination = _combination(scanner, row, parent_states)
        if starts[combination] != _MISSING:
            problem = "expected each combination of states once, got this again"
            raise scanner.error(row.place, problem)
        starts[combination] = numbers.within(row.span, size, row.place)
    missing = starts == _MISSING
    if "default" in block.spans:
        starts[missing] = numbers.within(block.spans["default"], size, family.place)
    elif missing.any():
        first = digits(int(missing.argmax()), parents)
        names = [[*parent_states[axis]][state] for axis, state in enumerate(first)]
        expected = f"expected probabilities for ({shortened(b', '.join(names).decode())})"
        raise scanner.error(family.place, f"{expected}, got none")
    return starts.reshape(parents)


def _combination(scanner: Scanner, row: _BlockRow, parent_states: list[dict[bytes, int]]) -> int:
    """The index of a row's combination of states, where the last state changes fastest."""
    if len(row.states) != len(parent_states):
        problem = f"expected states of {len(parent_states)} parents, got {len(row.states)}"
        raise scanner.error(row.place, problem)
    combination = 0
    for parent, (state, states) in enumerate(zip(row.states, parent_states, strict=True)):
        if state not in states:
            expected = shortened(b", ".join(states).decode())
            problem = f"expected one of {expected}, got {shortened(state.decode())}"
            raise scanner.error(_place_of_state(scanner, row, parent), problem)
        combination = combination * len(states) + states[state]
    return combination


def _place_of_state(scanner: Scanner, row: _BlockRow, parent: int) -> int:
    """Where a row has the state of a parent; this scans the row again, up to there."""
    scanner.place = row.place
    scanner.expect(b"(")
    return [scanner.name("the name of a state") for _ in range(parent + 1)][-1].place
