"""Factors and their aligned arguments, arranged for colour passing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.symmetry.colours.engines.grouping import Indices, chunks
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.exchangeable import TableClasses
from liftgraph.symmetry.tables.orbits import smallest_images
from liftgraph.symmetry.tables.symmetries import Symmetries


@dataclass(frozen=True, slots=True)
class Kind:
    """Factors whose tables have as many arguments and the same symmetries.

    ``factors``: intp (m,), increasing. ``labels``: int64 (k,), the same for positions that
    commute. ``together``: the commuting sets of more than one position.
    """

    factors: Indices
    symmetries: Symmetries
    labels: NDArray[np.int64]
    together: tuple[Positions, ...]

    @property
    def arity(self) -> int:
        """How many arguments the factors have."""
        return len(self.labels)


@dataclass(frozen=True)
class Incidence:
    """Which variable is which argument of which factor, once the arguments are aligned.

    With n variables, m factors and e edges: ``start``: int64 (m + 1,); the aligned arguments of
    factor j are ``arguments[start[j]:start[j + 1]]``, int32 (e,). ``order``: int8 (e,), their
    numbers in the scope. ``kinds``: in canonical order; ``kind_of``: int32 (m,).
    """

    variable_count: int
    start: NDArray[np.int64]
    arguments: NDArray[np.int32]
    order: NDArray[np.int8]
    kinds: tuple[Kind, ...]
    kind_of: NDArray[np.int32]

    @property
    def width(self) -> int:
        """How many arguments a factor has at most."""
        return max((kind.arity for kind in self.kinds), default=0)

    @cached_property
    def factor_start(self) -> NDArray[np.int64]:
        """int64 (n + 1,): variable v is in ``factors[factor_start[v]:factor_start[v + 1]]``."""
        return pointers(np.bincount(self.arguments, minlength=self.variable_count))

    @cached_property
    def factors(self) -> NDArray[np.int32]:
        """int32 (e,): the factors of each variable, one variable after the other."""
        factor = np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))
        keys = self.arguments.astype(np.int64) << 32
        keys |= factor
        keys.sort()
        return keys.astype(np.int32)  # the lower half


def incidence(
    graph: FactorGraph,
    table: NDArray[np.int32],
    classes: TableClasses,
    symmetries: Sequence[Symmetries],
) -> Incidence:
    """The incidence of a graph when its tables are aligned with their representatives.

    ``table``: int32 (m,), the table of each factor among those classified; ``symmetries``: of
    each class.
    """
    distinct = sorted(set(symmetries), key=lambda each: (each.commuting, each.exchanges))
    number = {each: place for place, each in enumerate(distinct)}
    kind_of_class = np.array([number[each] for each in symmetries], dtype=np.int32)
    kind_of = kind_of_class[classes.class_of[table]]
    members = _members(kind_of, len(distinct))
    kinds = tuple(_kind(*each) for each in zip(members, distinct, strict=True))
    arguments, order = _aligned(graph, table, classes, kinds)
    return Incidence(graph.variable_count, graph.scope_ptr, arguments, order, kinds, kind_of)


def argument_order(aligned: Incidence, variable_colours: NDArray[np.int32]) -> NDArray[np.int8]:
    """The order of each factor's arguments that its colours and its table's symmetries make the
    same throughout a group: int8 (e,), numbers in the scope.
    """
    order = aligned.order.copy()
    for kind in aligned.kinds:
        if not (kind.together or kind.symmetries.exchanges):
            continue
        for factors in chunks(kind.factors):
            start = aligned.start[factors, None]
            rows = variable_colours[aligned.arguments[start + np.arange(kind.arity)]]
            inner = smallest_images(rows, kind.symmetries)[1]
            order[start + np.arange(kind.arity)] = aligned.order[start + inner]
    return order


def _aligned(
    graph: FactorGraph, table: NDArray[np.int32], classes: TableClasses, kinds: Sequence[Kind]
) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """The scopes in the order of the alignments, and that order."""
    width = max((kind.arity for kind in kinds), default=0)
    permutations = np.zeros((len(classes.alignments), width), dtype=np.int8)
    for row, alignment in zip(permutations, classes.alignments, strict=True):
        row[: len(alignment.permutation)] = alignment.permutation
    arguments = np.empty_like(graph.scope)
    order = np.empty(graph.edge_count, dtype=np.int8)
    for kind in kinds:
        for factors in chunks(kind.factors):
            start, rows = graph.scope_ptr[factors], table[factors]
            for position in range(kind.arity):
                number = permutations[rows, position]
                order[start + position] = number
                arguments[start + position] = graph.scope[start + number]
    return arguments, order


def _members(kind_of: NDArray[np.int32], kinds: int) -> list[Indices]:
    """The factors of each kind, increasing."""
    # Integers of 16 bits are sorted by radix, in linear time.
    order = np.argsort(kind_of.astype(np.int16) if kinds < 2**15 else kind_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(kind_of, minlength=kinds))[:-1])[:kinds]


def _kind(factors: Indices, symmetries: Symmetries) -> Kind:
    labels = np.zeros(sum(map(len, symmetries.commuting)), dtype=np.int64)
    for number, positions in enumerate(symmetries.commuting):
        labels[list(positions)] = number
    together = tuple(each for each in symmetries.commuting if len(each) > 1)
    return Kind(factors, symmetries, labels, together)
