"""Factors and their aligned arguments, arranged for colour passing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

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
    """Factors whose tables have equally many arguments and the same symmetries.

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
    factor j are ``arguments[start[j]:start[j + 1]]``, int32 (e,). ``kinds``: in canonical order;
    ``kind_of``: int32 (m,).
    """

    variable_count: int
    start: NDArray[np.int64]
    arguments: NDArray[np.int32]
    kinds: tuple[Kind, ...]
    kind_of: NDArray[np.int32]

    @property
    def factor_count(self) -> int:
        """How many factors there are."""
        return len(self.kind_of)

    @property
    def width(self) -> int:
        """The largest number of arguments of a factor."""
        return max((kind.arity for kind in self.kinds), default=0)

    @cached_property
    def factor_start(self) -> NDArray[np.int64]:
        """int64 (n + 1,): variable v is in ``factors[factor_start[v]:factor_start[v + 1]]``."""
        return pointers(np.bincount(self.arguments, minlength=self.variable_count))

    @cached_property
    def factors(self) -> NDArray[np.int32]:
        """int32 (e,): the factors of each variable, one variable after the other."""
        factor = np.repeat(np.arange(self.factor_count, dtype=np.int64), np.diff(self.start))
        keys = self.arguments.astype(np.int64) << 32
        keys |= factor
        keys.sort()
        return keys.astype(np.int32)  # the lower half


def incidence_of(
    variable_count: int,
    start: NDArray[np.int64],
    arguments: NDArray[np.int32],
    symmetries: Sequence[Symmetries],
    kind_of: NDArray[np.int32],
) -> Incidence:
    """The incidence of factors with these arguments; ``symmetries``: those of each kind.

    Precondition: the kinds are different and in canonical order.
    """
    members = _members(kind_of, len(symmetries))
    kinds = tuple(_kind(*kind) for kind in zip(members, symmetries, strict=True))
    return Incidence(variable_count, start, arguments, kinds, kind_of)


def aligned_incidence(
    graph: FactorGraph,
    table: NDArray[np.int32],
    classes: TableClasses,
    symmetries: Sequence[Symmetries],
) -> tuple[Incidence, NDArray[np.int8]]:
    """The incidence of a graph whose tables are aligned with their representatives, and the place
    of each aligned argument in its scope: int8 (e,).

    ``table``: int32 (m,), the table of each factor among those classified; ``symmetries``: of
    each class.
    """
    distinct, kind_of_class = distinct_kinds(symmetries)
    kind_of = kind_of_class[classes.class_of[table]]
    listed = incidence_of(graph.variable_count, graph.scope_ptr, graph.scope, distinct, kind_of)
    arguments, order = _aligned(listed, table, classes)
    return replace(listed, arguments=arguments), order


def distinct_kinds(
    symmetries: Sequence[Symmetries],
) -> tuple[list[Symmetries], NDArray[np.int32]]:
    """The distinct ones in canonical order, and the index of each among them: int32."""
    distinct = sorted(set(symmetries), key=lambda listed: (listed.commuting, listed.exchanges))
    index = {listed: place for place, listed in enumerate(distinct)}
    return distinct, np.array([index[listed] for listed in symmetries], dtype=np.int32)


def argument_order(
    incidence: Incidence, order: NDArray[np.int8], variable_colours: NDArray[np.int32]
) -> NDArray[np.int8]:
    """An order of each factor's arguments in which all factors of a group have the same colours,
    by symmetries of the table: int8 (e,), places in the scope.

    ``order``: int8 (e,), the places of the aligned arguments.
    """
    rearranged = order.copy()
    for kind in incidence.kinds:
        if not (kind.together or kind.symmetries.exchanges):
            continue
        for factors in chunks(kind.factors):
            start = incidence.start[factors, None]
            rows = variable_colours[incidence.arguments[start + np.arange(kind.arity)]]
            if not kind.symmetries.exchanges:
                start, rows = _out_of_order(start, rows, kind.together)
            inner = smallest_images(rows, kind.symmetries)[1]
            rearranged[start + np.arange(kind.arity)] = order[start + inner]
    return rearranged


def _out_of_order(
    start: NDArray[np.int64], rows: NDArray[np.int32], together: Sequence[Positions]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows in which some commuting entries do not increase, and where these rows start."""
    chosen = np.zeros(len(rows), dtype=np.bool_)
    for positions in together:
        for earlier, later in pairwise(positions):
            chosen |= rows[:, earlier] > rows[:, later]
    return start[chosen], rows[chosen]


def _aligned(
    incidence: Incidence, table: NDArray[np.int32], classes: TableClasses
) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """The arguments in the order of the alignments, and that order."""
    identity = np.arange(incidence.width, dtype=np.int8)
    permutations = np.tile(identity, (len(classes.alignments), 1))
    for row, alignment in zip(permutations, classes.alignments, strict=True):
        row[: len(alignment.permutation)] = alignment.permutation
    if (permutations == identity).all():
        first = np.repeat(incidence.start[:-1], np.diff(incidence.start))
        return incidence.arguments, (np.arange(len(first)) - first).astype(np.int8)
    arguments = np.empty_like(incidence.arguments)
    order = np.empty(len(arguments), dtype=np.int8)
    for kind in incidence.kinds:
        for factors in chunks(kind.factors):
            start, rows = incidence.start[factors], table[factors]
            for position in range(kind.arity):
                place = permutations[rows, position]
                order[start + position] = place
                arguments[start + position] = incidence.arguments[start + place]
    return arguments, order


def _members(kind_of: NDArray[np.int32], kinds: int) -> list[Indices]:
    """The factors of each kind, increasing."""
    # Integers of 16 bits are sorted by radix, in linear time.
    order = np.argsort(kind_of.astype(np.int16) if kinds < 2**15 else kind_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(kind_of, minlength=kinds))[:-1])[:kinds]


def _kind(factors: Indices, symmetries: Symmetries) -> Kind:
    labels = np.zeros(sum(map(len, symmetries.commuting)), dtype=np.int64)
    for label, positions in enumerate(symmetries.commuting):
        labels[list(positions)] = label
    together = tuple(positions for positions in symmetries.commuting if len(positions) > 1)
    return Kind(factors, symmetries, labels, together)
