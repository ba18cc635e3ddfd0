"""Networks that files list node by node: each with its states, its parents and its distribution.

A distribution is a table, a function or a noisy-MAX, as GeNIe has them. XDSL, DSL and DNE files are
read into these nodes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    Variable,
    check_parentheses,
    families,
    network_graph,
    network_of_arrows,
    tables_of,
)
from liftgraph.io.scanner import NumberSpans, Word, numbers_within
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Table


class NumberList(NamedTuple):
    """The byte where a list of numbers begins, and the spans of its numbers.

    ``bounds``: where it is, if its parentheses may enclose the numbers of the states one by one.
    """

    place: int
    spans: range
    bounds: tuple[int, int] | None = None


@dataclass(slots=True)
class ListedNode:
    """A node as a file lists it: the words and numbers in its fields, by the tags of XDSL.

    ``kind``: ``cpt``, ``deterministic`` or ``noisymax``. ``given_name``: its name, if that is not
    the identifier.
    """

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


class NodeNumbers(NamedTuple):
    """The text of a file, the spans of its numbers, and what may be between numbers."""

    data: bytes
    spans: list[tuple[int, int]]
    separators: bytes = b""


def graph_of_nodes(
    nodes: Sequence[ListedNode],
    numbers: NodeNumbers,
    failure: Failure,
    allowance: Allowance,
    repair: bool,
) -> FactorGraph:
    """The factor graph of a network of nodes, in their order; parents are named by their ids."""
    names = _names(nodes, failure)
    variables = [Variable(node.name, tuple(node.states)) for node in nodes]
    scopes = [
        [node.name, *(_parent(names, word, failure) for word in node.parents)] for node in nodes
    ]
    if all(node.kind == "cpt" and not node.numbers for node in nodes):
        return network_of_arrows(variables, scopes, failure, allowance)
    compact = {index for index, node in enumerate(nodes) if node.kind == "noisymax"}
    listed = families(variables, scopes, failure, allowance, compact)
    spans = numbers_within(*numbers, allowance, repair)
    distributions = [
        distribution_of(node, family, spans, failure, allowance)
        for node, family in zip(nodes, listed, strict=True)
    ]
    return network_graph(variables, distributions, spans, allowance)


def _names(nodes: Sequence[ListedNode], failure: Failure) -> dict[str, str]:
    """The names of nodes by their ids, which must be different."""
    names: dict[str, str] = {}
    for node in nodes:
        if node.identifier.text in names:
            again = f"expected a new node, got {shortened(node.identifier.text)} again"
            raise failure(node.identifier.place, again)
        names[node.identifier.text] = node.name.text
    return names


def _parent(names: Mapping[str, str], word: Word, failure: Failure) -> Word:
    if word.text not in names:
        problem = f"expected a node of the network, got {shortened(word.text)}"
        raise failure(word.place, problem)
    return Word(names[word.text], word.place)


def distribution_of(
    node: ListedNode, family: Family, numbers: NumberSpans, failure: Failure, allowance: Allowance
) -> ListedDistribution | GivenDistribution:
    """The distribution of a node given its parents."""
    if node.kind == "deterministic":
        return _function(node, family, failure)
    if node.kind == "noisymax":
        return _noisy_max(node, family, numbers, failure, allowance)
    size, *parents = family.shape
    start = _start(node, "probabilities", math.prod(family.shape), numbers, failure)
    if bounds := node.numbers["probabilities"].bounds:
        check_parentheses(bounds, [*parents, size], numbers, allowance)
    places = np.arange(start, start + math.prod(family.shape)).reshape(*parents, size)
    return ListedDistribution(family, np.moveaxis(places, -1, 0))


def _start(node: ListedNode, tag: str, count: int, numbers: NumberSpans, failure: Failure) -> int:
    """The index of the first number in an element, which must have this many."""
    if tag not in node.numbers:
        raise failure(node.identifier.place, f"expected {tag} of {_shown(node)}, got none")
    place, spans, _ = node.numbers[tag]
    return numbers.within(spans.start, count, place, spans.stop)


def _shown(node: ListedNode) -> str:
    return shortened(node.identifier.text)


def _function(node: ListedNode, family: Family, failure: Failure) -> GivenDistribution:
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
    node: ListedNode, family: Family, numbers: NumberSpans, failure: Failure, allowance: Allowance
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
    node: ListedNode, sizes: list[int], numbers: NumberSpans, failure: Failure
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
