"""Reading Bayesian networks of Ergo, as in the UAI evaluation of 2006: ``.erg``.

::

    2                       the number of variables
    2 3                     how many states each has
    0                       how many parents each has, and which
    1 0
    /* Probabilities */
    2                       how many numbers follow, for each variable
    0.2 0.8
    6
    0.4 0.4 0.2
    0.1 0.3 0.6
    /* Names */
    Success
    Forecast
    /* Labels */
    yes no
    good moderate poor

The first parent is outermost, and the variable itself changes fastest. The explanations on the
right are not in the files. Sections behind the labels (where nodes are drawn) are skipped. Without
names, variables and states are named by their index.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import STATE_COST, Allowance
from liftgraph.io.files import END, error_at, read_text
from liftgraph.io.network import (
    DECLARATION_COST,
    Family,
    ListedDistribution,
    Variable,
    families,
    network_graph,
)
from liftgraph.io.scanner import BYTE_COST, NAME_COST, NumberSpans, Word, numbers_within
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.memory_limit import MEMORY_LIMIT

_SECTION = re.compile(rb"/\*[ \t]*(\w+)[ \t]*\*/")
_NAME = re.compile(rb"\S+")
_LINE = re.compile(rb"[^ \t\r\n][^\r\n]*")
_TOKEN_COST = 8
_INTEGER_COST = 100


class _Ergo(NamedTuple):
    """The sections of a file by their names, as bounds in its text; the first one has no name."""

    path: str
    data: bytes
    sections: dict[str, tuple[int, int]]

    def error(self, place: int, problem: str) -> ParseError:
        """The error at a byte of the file."""
        return error_at(self.path, self.data, place, problem)


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    text = read_text(path, allowance, BYTE_COST + _TOKEN_COST)
    file = _sections(str(path), text.encode())
    spans = [file.sections[""], file.sections["probabilities"]]
    numbers = numbers_within(file.data, spans, b"", allowance, repair)
    integers = _Integers(numbers)
    allowance.take(_INTEGER_COST * int(numbers.first[1]), "the parents of its variables")
    count = integers.take("the number of variables", len(file.data))
    sizes = [integers.take("a number of states", MAX_STATES + 1) for _ in range(count)]
    parents = [
        [integers.take("a parent", count) for _ in range(integers.take("parents", count + 1))]
        for _ in range(count)
    ]
    integers.end(int(numbers.first[1]), "/* Probabilities */")
    allowance.take((DECLARATION_COST + NAME_COST) * count, f"it has {count:,} variables")
    allowance.take(STATE_COST * sum(sizes), f"variables have {sum(sizes):,} states")
    variables = _variables(file, sizes, allowance)
    scopes = [
        [variables[index].name, *(variables[parent].name for parent in listed)]
        for index, listed in enumerate(parents)
    ]
    listed = families(variables, scopes, file.error, allowance)
    distributions = [_distribution(family, integers) for family in listed]
    integers.end(int(numbers.first[2]), "the end of the probabilities")
    return network_graph(variables, distributions, numbers, allowance)


def _sections(path: str, data: bytes) -> _Ergo:
    sections: dict[str, tuple[int, int]] = {}
    name, start = "", 0
    for mark in _SECTION.finditer(data):
        sections[name] = start, mark.start()
        name, start = mark[1].decode().lower(), mark.end()
        if name in sections:
            raise error_at(path, data, mark.start(), f"expected one section {name}, got another")
    sections[name] = start, len(data)
    if "probabilities" not in sections:
        place = len(data.rstrip())
        raise error_at(path, data, place, "expected /* Probabilities */, got none")
    return _Ergo(path, data, sections)


class _Integers:
    """The integers of a file, one after the other."""

    def __init__(self, numbers: NumberSpans) -> None:
        self.numbers, self.next = numbers, 0

    def take(self, what: str, limit: int) -> int:
        """The next number, which must be an integer below a limit."""
        numerals, place = self.numbers.numerals, self.next
        self.next += 1
        is_there = place < len(numerals.mantissa)
        value = int(numerals.mantissa[place]) if is_there and numerals.whole[place] else -1
        if not 0 <= value < limit:
            came = shortened(self.numbers.text.token(place)) if is_there else END
            raise self.numbers.text.error(place, f"expected {what} below {limit:,}, got {came}")
        return value

    def end(self, place: int, what: str) -> None:
        """Refuse numbers that are left in a section, or that were taken from the next one."""
        if self.next != place:
            text = self.numbers.text
            first = min(self.next, place)
            came = shortened(text.token(first)) if first < len(text.starts) else END
            raise text.error(first, f"expected {what}, got {came}")


def _distribution(family: Family, integers: _Integers) -> ListedDistribution:
    size, *parents = family.shape
    count = math.prod(family.shape)
    place = integers.next
    listed = integers.take("a number of probabilities", 2**62)
    start, left = integers.next, len(integers.numbers.numerals.mantissa) - integers.next
    if listed != count or left < count:
        came = f"{listed:,}" if listed != count else f"{left:,} until {END}"
        problem = f"expected {count:,} probabilities, got {came}"
        raise integers.numbers.text.error(place, problem)
    integers.next = start + count
    places = np.arange(start, start + count).reshape(*parents, size)
    return ListedDistribution(family, np.moveaxis(places, -1, 0))


def _variables(file: _Ergo, sizes: list[int], allowance: Allowance) -> list[Variable]:
    """The variables with the names and labels of a file, or with numbers for these."""
    names = [Word(str(index), 0) for index in range(len(sizes))]
    if "names" in file.sections:
        names = _names(file, len(sizes), allowance)
    if "labels" not in file.sections:
        return [
            Variable(name, tuple(map(str, range(size))))
            for name, size in zip(names, sizes, strict=True)
        ]
    labels = _words(file, "labels", _NAME, allowance)
    if len(labels) != sum(sizes):
        problem = f"expected {sum(sizes):,} labels, got {len(labels):,}"
        raise file.error(file.sections["labels"][0], problem)
    states = iter(word.text for word in labels)
    return [
        Variable(name, tuple(next(states) for _ in range(size)))
        for name, size in zip(names, sizes, strict=True)
    ]


def _names(file: _Ergo, count: int, allowance: Allowance) -> list[Word]:
    """The names of the variables, one a line (with spaces in them, perhaps) or all in a row."""
    for pattern in (_LINE, _NAME):
        names = _words(file, "names", pattern, allowance)
        if len(names) == count:
            return names
    problem = f"expected {count:,} names, got {len(names):,}"
    raise file.error(file.sections["names"][0], problem)


def _words(
    file: _Ergo, section: str, pattern: re.Pattern[bytes], allowance: Allowance
) -> list[Word]:
    def found() -> Iterator[Word]:
        for word in pattern.finditer(file.data, *file.sections[section]):
            allowance.take(NAME_COST + 6 * len(word[0]), "the names of variables and states")
            yield Word(word[0].decode().rstrip(), word.start())

    return list(found())
