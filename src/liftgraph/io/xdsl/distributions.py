"""The nodes of an XDSL file, and their distributions: tables, functions and noisy-MAXes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.network import (
    Failure,
    Family,
    GivenDistribution,
    ListedDistribution,
    tables_of,
)
from liftgraph.io.scanner import NumberSpans, Word
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Table


class NumberList(NamedTuple):
    """The byte where an element of numbers begins, and the spans of its numbers."""

    place: int
    spans: range


@dataclass(slots=True)
class XDSLNode:
    """A node as a file lists it: the words and numbers in its elements, by tag."""

    kind: str
    identifier: Word
    states: list[str] = field(default_factory=list)
    words: dict[str, list[Word]] = field(default_factory=dict)
    numbers: dict[str, NumberList] = field(default_factory=dict)
    given_name: str | None = None

    @property
    def name(self) -> Word:
        """Its name: the id, unless it was given another one."""
        identifier = self.identifier
        return identifier if self.given_name is None else Word(self.given_name, identifier.place)

    @property
    def parents(self) -> list[Word]:
        """The ids of its parents."""
        return self.words.get("parents", [])


def distribution_of(
    node: XDSLNode, family: Family, numbers: NumberSpans, failure: Failure, allowance: Allowance
) -> ListedDistribution | GivenDistribution:
    """The distribution of a node given its parents."""
    if node.kind == "deterministic":
        return _function(node, family, failure)
    if node.kind == "noisymax":
        return _noisy_max(node, family, numbers, failure, allowance)
    size, *parents = family.shape
    start = _start(node, "probabilities", math.prod(family.shape), numbers, failure)
    places = np.arange(start, start + math.prod(family.shape)).reshape(*parents, size)
    return ListedDistribution(family, np.moveaxis(places, -1, 0))


def _start(node: XDSLNode, tag: str, count: int, numbers: NumberSpans, failure: Failure) -> int:
    """The index of the first number in an element, which must have this many."""
    if tag not in node.numbers:
        raise failure(node.identifier.place, f"expected {tag} of {_shown(node)}, got none")
    place, spans = node.numbers[tag]
    return numbers.within(spans.start, count, place, spans.stop)


def _shown(node: XDSLNode) -> str:
    return shortened(node.identifier.text)


def _function(node: XDSLNode, family: Family, failure: Failure) -> GivenDistribution:
    """A state for each combination of the parents' states: it is certain."""
    size, *parents = family.shape
    words = node.words.get("resultingstates", [])
    rows = math.prod(parents)
    if len(words) != rows:
        problem = f"expected {rows:,} resulting states of {_shown(node)}, got {len(words):,}"
        raise failure(node.identifier.place, problem)
    index = {state: number for number, state in enumerate(node.states)}
    for word in words:
        if word.text not in index:
            raise failure(
                word.place, f"expected a state of {_shown(node)}, got {shortened(word.text)}"
            )
    certain = np.zeros((size, rows), dtype=np.int64)
    certain[[index[word.text] for word in words], np.arange(rows)] = 1
    return GivenDistribution(family.scope, Table(certain.reshape(family.shape), Fraction(1)))


def _noisy_max(
    node: XDSLNode, family: Family, numbers: NumberSpans, failure: Failure, allowance: Allowance
) -> GivenDistribution:
    """The first state is the strongest effect and the last one is none, as in the leak's row."""
    size, *sizes = family.shape
    start = _start(node, "parameters", size * (sum(sizes) + 1), numbers, failure)
    rows = np.arange(start, start + size * (sum(sizes) + 1)).reshape(-1, size)
    strengths = _strengths(node, sizes, numbers, failure)
    bounds = [*accumulate(sizes, initial=0)]
    causes = []
    for order, (first, last) in zip(strengths, pairwise(bounds), strict=True):
        in_order = rows[first:last]
        table = _distribution(in_order.T, family, numbers, allowance)
        if table.integers[:-1, -1].any():
            place = int(in_order[-1, 0])
            problem = f"expected the last state of {_shown(node)} only, in the weakest of a parent"
            raise numbers.text.error(place, problem)
        states = np.argsort(order)  # where each state of the parent is in the order of strengths
        causes.append(Table(np.ascontiguousarray(table.integers.T[states]), table.scale))
    leak = _distribution(rows[-1:].T, family, numbers, allowance)
    resting = Table(np.ascontiguousarray(leak.integers[:, 0]), leak.scale)
    variable, *parents = family.scope
    if not causes:
        return GivenDistribution((variable,), resting)
    ranks = tuple(range(size - 1, -1, -1))
    return GivenDistribution((*parents, variable), NoisyMax(tuple(causes), resting, ranks))


def _distribution(
    places: NDArray[np.int64], family: Family, numbers: NumberSpans, allowance: Allowance
) -> Table:
    """The table of numbers at these places, whose columns are distributions; normalised."""
    listed = ListedDistribution(family._replace(shape=places.shape), places)
    return next(tables_of([listed], numbers, allowance))


def _strengths(
    node: XDSLNode, sizes: list[int], numbers: NumberSpans, failure: Failure
) -> list[NDArray[np.int64]]:
    """The states of each parent by number, from the strongest to the weakest."""
    if not sizes:
        return []
    start = _start(node, "strengths", sum(sizes), numbers, failure)
    numerals = numbers.numerals
    orders = []
    for size in sizes:
        places = slice(start, start + size)
        order = np.where(numerals.whole[places], numerals.mantissa[places], -1)
        if sorted(order.tolist()) != [*range(size)]:
            came = " ".join(map(numbers.text.token, range(start, start + size)))
            expected = f"expected the numbers of {size:,} states in some order"
            raise numbers.text.error(start, f"{expected}, got {shortened(came)}")
        orders.append(order)
        start += size
    return orders
