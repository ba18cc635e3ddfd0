"""The quotient of a graph: its groups, how many members they have, and how these meet.

It is as large as there are groups, so it fits into memory where the graph does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.model.arrays import FrozenArrays
from liftgraph.model.ground.factor_graph import FactorGraph, checked_graph, pointers
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential, PotentialPool, shared
from liftgraph.model.notebook import Pictured
from liftgraph.model.tabular import Listed, Repeated, Tabular, Tabulated, Words, cell_text
from liftgraph.symmetry.colours.colouring import Algorithm, Colouring, check_colouring
from liftgraph.symmetry.colours.engines.grouping import spans
from liftgraph.symmetry.colours.initial import Colour

Scales = tuple[tuple[Fraction, int], ...]
_MANY = 12  # arguments whose numbers of states are listed


@dataclass(frozen=True, slots=True)
class Meeting:
    """How often members of two groups meet: each variable is in ``factors`` of the factors, and
    each factor has ``variables`` of the variables."""

    variable_group: int
    factor_group: int
    factors: int
    variables: int


@dataclass(frozen=True, eq=False, repr=False)
class Quotient(FrozenArrays, Tabulated, Pictured):
    """The groups of a colouring, numbered as its colours are, without their members.

    With g groups of variables, h groups of factors, and a arguments of h factors, one of each:

    ``state_sets``: distinct lists of states; ``state_set_id``: int32 (g,). ``observed``: int32
    (g,), the state in which the members were observed, -1 if in none. ``names``: of one member
    of each group of variables. ``variable_sizes`` and ``factor_sizes``: int64, members of each.
    ``potentials``: those that represent groups; ``potential_id``: int32 (h,).
    The arguments of group j are the groups ``arguments[start[j]:start[j + 1]]``, int32 (a,), in
    the order of its potential; ``start``: int64 (h + 1,).
    ``scales``: for each group of factors, by what its members multiply the potential, increasing,
    and how many do. ``tolerance``: how far, relatively, tables may be from that.
    State sets and potentials are in the order of the first groups that have them.
    """

    algorithm: Algorithm
    tolerance: Fraction
    state_sets: tuple[States, ...]
    state_set_id: NDArray[np.int32]
    observed: NDArray[np.int32]
    names: tuple[str, ...]
    variable_sizes: NDArray[np.int64]
    potentials: tuple[Potential, ...]
    potential_id: NDArray[np.int32]
    start: NDArray[np.int64]
    arguments: NDArray[np.int32]
    factor_sizes: NDArray[np.int64]
    scales: tuple[Scales, ...]

    @property
    def variable_group_count(self) -> int:
        """How many groups of variables there are."""
        return len(self.variable_sizes)

    @property
    def factor_group_count(self) -> int:
        """How many groups of factors there are."""
        return len(self.factor_sizes)

    @property
    def variable_count(self) -> int:
        """How many variables the graph has."""
        return int(self.variable_sizes.sum())

    @property
    def factor_count(self) -> int:
        """How many factors the graph has."""
        return int(self.factor_sizes.sum())

    @property
    def edge_count(self) -> int:
        """How many arguments all factors of the graph have together."""
        return int(np.diff(self.start) @ self.factor_sizes)

    @property
    def compression(self) -> Fraction:
        """How many edges of the graph there are for each argument of the groups of factors: what
        a lifted method can gain at most by treating the members of a group alike."""
        return Fraction(max(self.edge_count, 1), max(len(self.arguments), 1))

    @property
    def meetings(self) -> Iterator[Meeting]:
        """Which groups meet, and how often, group of variables by group.

        Where v variables meet f factors, v times ``factors`` equals f times ``variables``.
        """
        factor_group = np.repeat(np.arange(self.factor_group_count), np.diff(self.start))
        pairs = self.arguments.astype(np.int64) * self.factor_group_count + factor_group
        codes, counts = np.unique(pairs, return_counts=True)
        for code, variables in zip(codes.tolist(), counts.tolist(), strict=True):
            group, other = divmod(code, self.factor_group_count)
            edges = variables * int(self.factor_sizes[other])
            yield Meeting(group, other, edges // int(self.variable_sizes[group]), variables)

    def arguments_of(self, group: int) -> tuple[int, ...]:
        """The groups of the arguments of a group of factors."""
        return tuple(self.arguments[self.start[group] : self.start[group + 1]].tolist())

    @property
    def tabulars(self) -> tuple[Tabular, ...]:
        """The groups of variables, and those of factors."""
        return self._variable_table, self._factor_table

    @property
    def _variable_table(self) -> Tabular:
        headings = map(Words, ("group", "one of them", "states", "observed", "variables"))
        columns = self.state_set_id.tolist(), self.observed.tolist(), self.variable_sizes.tolist()
        rows = []
        for group, (kind, state, size) in enumerate(zip(*columns, strict=True)):
            states = self.state_sets[kind]
            observed = "" if state < 0 else states[state]
            rows.append((group, self.names[group], Listed("{}", states), observed, f"{size:,}"))
        return Tabular.of(headings, rows)

    @property
    def _factor_table(self) -> Tabular:
        headings = map(Words, ("group", "arguments", "shape", "scales", "factors"))
        shapes = [_shape_text(potential) for potential in self.potentials]
        rows = []
        for group, size in enumerate(self.factor_sizes.tolist()):
            shape = shapes[self.potential_id[group]]
            arguments = Listed("()", self.arguments_of(group))
            scales = Listed(
                "{}", [Repeated(n, cell_text(scale)) for scale, n in self.scales[group]]
            )
            rows.append((group, arguments, shape, scales, f"{size:,}"))
        return Tabular.of(headings, rows)

    def __str__(self) -> str:
        return f"{self!r}\n\n{super().__str__()}"

    def __repr__(self) -> str:
        return (
            f"Quotient({self.algorithm}:"
            f" {counted(self.variable_group_count, 'group')} of"
            f" {counted(self.variable_count, 'variable')}, {self.factor_group_count:,} of"
            f" {counted(self.factor_count, 'factor')};"
            f" {len(self.arguments):,} of {counted(self.edge_count, 'edge')})"
        )


@short_traceback
def quotient(graph: FactorGraph, colouring: Colouring) -> Quotient:
    """The quotient of a graph by a colouring of it.

    Count factors and noisy-ORs that are never expanded are represented by one of the members.

    >>> from liftgraph import colour_passing, datasets
    >>> graph = datasets.epidemic()
    >>> quotient(graph, colour_passing(graph))
    Quotient(alpha-acp: 4 groups of 9 variables, 4 of 9 factors; 8 of 21 edges)
    """
    if not isinstance(colouring, Colouring):
        raise InputError(f"expected a colouring, got {shortened(quoted(colouring))}")
    check_colouring(checked_graph(graph), colouring)
    return quotient_of(graph, colouring)


def quotient_of(graph: FactorGraph, colouring: Colouring) -> Quotient:
    """The quotient of a graph. Precondition: the colouring is one of this graph."""
    members, chosen = map(_first_members, (colouring.variable_colours, colouring.factor_colours))
    kinds = shared([graph.state_sets[index] for index in graph.state_set_id[members].tolist()])
    observed = np.full(graph.variable_count, -1, dtype=np.int32)
    observed[graph.evidence.variables] = graph.evidence.states
    potentials, potential_id = _potentials(graph, colouring, chosen)
    start, arguments = _arguments(graph, colouring, chosen)
    return Quotient(
        colouring.algorithm,
        colouring.tolerance,
        kinds.distinct,
        kinds.index.astype(np.int32),
        observed[members],
        tuple(map(graph.name, members.tolist())),
        np.bincount(colouring.variable_colours),
        potentials,
        potential_id,
        start,
        arguments,
        np.bincount(colouring.factor_colours),
        tuple(_scales(colouring, chosen)),
    )


def _first_members(colours: Colour) -> NDArray[np.intp]:
    """The first member of each group."""
    members = np.zeros(int(colours.max(initial=-1)) + 1, dtype=np.intp)
    members[colours[::-1]] = np.arange(len(colours))[::-1]
    return members


def _potentials(
    graph: FactorGraph, colouring: Colouring, chosen: NDArray[np.intp]
) -> tuple[tuple[Potential, ...], NDArray[np.int32]]:
    """The distinct potentials that represent groups, and which one each group has."""
    pool, classes = PotentialPool(), colouring.classes
    listed = []
    for factor in chosen.tolist():
        table = int(colouring.table_id[factor])
        potential: Potential = graph.potentials[graph.table_id[factor]]
        if table >= 0:
            potential = classes.representatives[classes.class_of[table]]
        listed.append(pool.add(potential))
    return tuple(pool), np.array(listed, dtype=np.int32)


def _arguments(
    graph: FactorGraph, colouring: Colouring, chosen: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where the arguments of each group of factors begin, and the groups that they are in."""
    first = graph.scope_ptr[chosen]
    arities = graph.scope_ptr[chosen + 1] - first
    places, scope_starts = spans(first, arities), np.repeat(first, arities)
    is_wide = np.repeat(colouring.table_id[chosen] < 0, arities)
    order = np.where(is_wide, places - scope_starts, colouring.argument_order[places])
    return pointers(arities), colouring.variable_colours[graph.scope[scope_starts + order]]


def _scales(colouring: Colouring, chosen: NDArray[np.intp]) -> Iterator[Scales]:
    """By what the members of each group of factors multiply its potential."""
    tables = len(colouring.classes.alignments)
    known = colouring.table_id >= 0
    codes = colouring.factor_colours[known].astype(np.int64) * max(tables, 1)
    codes, counts = np.unique(codes + colouring.table_id[known], return_counts=True)
    counted_scales: list[list[tuple[Fraction, int]]] = [[] for _ in chosen]
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        group, table = divmod(code, tables)
        counted_scales[group].append((colouring.classes.alignments[table].scale, count))
    colours = colouring.factor_colours
    for factor, scale in colouring.wide.items():
        group = int(colours[factor])
        counted_scales[group].append((scale / colouring.wide[int(chosen[group])], 1))
    return map(scale_counts, counted_scales)


def scale_counts(scales: Sequence[tuple[Fraction, int]]) -> Scales:
    """Scales with how often they occur: each once, increasing.

    >>> scale_counts([(Fraction(2), 1), (Fraction(1), 3), (Fraction(2), 1)])
    ((Fraction(1, 1), 3), (Fraction(2, 1), 2))
    """
    counts: dict[Fraction, int] = {}
    for scale, count in scales:
        counts[scale] = counts.get(scale, 0) + count
    return tuple(sorted(counts.items()))


def _shape_text(potential: Potential) -> str:
    """The numbers of states of the arguments; of many, the first ones.

    >>> from liftgraph import Table
    >>> _shape_text(Table.of([[1, 2], [3, 4]])), _shape_text(Table.of([1] * 2**13, [2] * 13))
    ('2×2', '2×2×2×2×2×2×2×2×2×2×2×2×…')
    """
    shape = potential.shape
    return "×".join(map(str, shape[:_MANY])) + "×…" * (len(shape) > _MANY)
