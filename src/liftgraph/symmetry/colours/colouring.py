"""The result of colour passing, as data, and whether it belongs to a given graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.errors import InputError
from liftgraph.exact import log
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.notebook import Pictured
from liftgraph.symmetry.colours.incidence import aligned_incidence
from liftgraph.symmetry.colours.initial import Colour, dense, graph_colours
from liftgraph.symmetry.colours.messages import Messages, messages_of
from liftgraph.symmetry.tables.exchangeable import TableClasses
from liftgraph.symmetry.tables.symmetries import Symmetries

Algorithm = Literal["alpha-acp", "acp", "cp"]
ALGORITHMS: tuple[Algorithm, ...] = ("alpha-acp", "acp", "cp")


@dataclass(frozen=True, slots=True)
class Change:
    """What got a new colour in one round, which colour, and the number of groups after it.

    ``variables`` and ``factors``: intp, those with a new colour; their colours: int32, aligned.
    """

    variables: NDArray[np.intp]
    variable_colours: Colour
    factors: NDArray[np.intp]
    factor_colours: Colour
    variable_groups: int
    factor_groups: int


@dataclass(frozen=True, eq=False, repr=False)
class Colouring(Pictured):
    """Groups of variables and factors which colour passing does not distinguish.

    With n variables, m factors and e edges:

    ``variable_colours``: int32 (n,), ``factor_colours``: int32 (m,); members of a group have the
    same colour, numbered from 0 in a way that does not depend on the order of the input.
    ``argument_order``: int8 (e,), in the order of the graph's scopes: argument k of the aligned
    factor j is number ``argument_order[scope_ptr[j] + k]`` of its scope. In that order, factors
    of a group have arguments of the same colours, and the same table up to their scales.
    It is int32 if a factor has more arguments than int8 can number.
    ``classes``: the classes of the graph's tables, with representatives and alignments.
    ``table_id``: int32 (m,), the table of each factor among those in ``classes``; -1 for wide count
    factors, which are never expanded. ``wide``: the scales of these.
    ``symmetries``: of each class's representative.
    ``rounds``: the number of rounds, including the last one, which changed nothing.
    ``changes``: the initial colours and what changed in each round, if recorded.
    ``graph``: the graph which it colours.
    """

    algorithm: Algorithm
    variable_colours: Colour
    factor_colours: Colour
    argument_order: NDArray[np.integer[Any]]
    classes: TableClasses
    table_id: NDArray[np.int32]
    symmetries: tuple[Symmetries, ...]
    rounds: int
    changes: tuple[Change, ...] | None = None
    wide: Mapping[int, Fraction] = field(default_factory=dict)
    graph: FactorGraph | None = None

    @property
    def variable_group_count(self) -> int:
        """How many groups of variables there are."""
        return int(self.variable_colours.max(initial=-1)) + 1

    @property
    def factor_group_count(self) -> int:
        """How many groups of factors there are."""
        return int(self.factor_colours.max(initial=-1)) + 1

    @property
    def variable_groups(self) -> list[NDArray[np.intp]]:
        """The variables of each group, increasing."""
        return _members(self.variable_colours)

    @property
    def factor_groups(self) -> list[NDArray[np.intp]]:
        """The factors of each group, increasing."""
        return _members(self.factor_colours)

    def scale(self, factor: int) -> Fraction:
        """The factor's scale: its table is the representative of its group's tables times this."""
        if factor in self.wide:
            return self.wide[factor]
        return self.classes.alignments[int(self.table_id[factor])].scale

    @property
    def tolerance(self) -> Fraction:
        """How far, relatively, a table may be from its representative: 0 means exact."""
        return self.classes.tolerance

    @property
    def given_up(self) -> int:
        """The number of tables for which the search for other orders of their arguments was given
        up: these count as exchangeable only in the given order, so there may be more groups."""
        return len(self.classes.given_up)

    @property
    def log_odds_bound(self) -> float:
        """How much the log odds of any event can change if representatives replace the tables."""
        return float(self.log_odds_bounds.sum())

    @property
    def log_odds_bounds(self) -> NDArray[np.float64]:
        """The bound on the log odds for each factor on its own, float64 (m,).

        If all potentials are within factors 1 ± d of the representative's, so are the weights of
        all assignments, and sums of weights.
        """
        spread = [_log_spread(alignment.deviation) for alignment in self.classes.alignments]
        return np.array([*spread, 0.0])[self.table_id]

    def after(self, round_number: int) -> tuple[Colour, Colour]:
        """The colours of variables and of factors after a round; round 0 shows the initial colours.

        The numbers of colours are not comparable between rounds, but the groups are.
        """
        if self.changes is None:
            raise InputError("expected a colouring with its rounds recorded (record=True)")
        if not 0 <= round_number <= self.rounds:
            raise InputError(f"expected a round from 0 to {self.rounds}, got {round_number}")
        variables = np.empty_like(self.variable_colours)
        factors = np.empty_like(self.factor_colours)
        for change in self.changes[: round_number + 1]:
            variables[change.variables] = change.variable_colours
            factors[change.factors] = change.factor_colours
        return dense(variables), dense(factors)

    def messages(self, round_number: int) -> Messages:
        """The messages between variables and factors in a round; the first round is 1.

        Precondition: the rounds are recorded, and no count factor is too wide to have a table.
        """
        if round_number == 0:
            raise InputError(f"expected a round from 1 to {self.rounds}, got 0")
        before, after = self.after(round_number - 1), self.after(round_number)
        if self.graph is None:
            raise InputError("expected a colouring with its graph, made by colour_passing")
        if self.wide:
            wide = f"factor {min(self.wide)} is a count factor over many variables"
            raise InputError(f"expected factors with tables, but {wide}")
        incidence, _ = aligned_incidence(self.graph, self.table_id, self.classes, self.symmetries)
        return messages_of(self.graph, incidence, before, after)

    def __repr__(self) -> str:
        given_up = f", search given up for {counted(self.given_up, 'table')}" * bool(self.given_up)
        return (
            f"Colouring({self.algorithm}:"
            f" {counted(self.variable_group_count, 'group')} of variables,"
            f" {self.factor_group_count:,} of factors, {counted(self.rounds, 'round')}{given_up})"
        )


def _log_spread(deviation: Fraction) -> float:
    """log((1 + d) / (1 - d)), for a deviation below 1, however close to 0 or to 1."""
    if deviation < Fraction(1, 2):
        return math.log1p(float(deviation)) - math.log1p(-float(deviation))
    return log((1 + deviation) / (1 - deviation))


def _members(colours: Colour) -> list[NDArray[np.intp]]:
    order = np.argsort(colours, kind="stable")
    return np.split(order, np.cumsum(np.bincount(colours))[:-1]) if len(colours) else []


def check_colouring(graph: FactorGraph, colouring: Colouring) -> None:
    """Refuse groups that are not those of this graph: the sizes differ, or members of a group
    differ in states, in evidence or in what they meet."""
    variable_colours, factor_colours = colouring.variable_colours, colouring.factor_colours
    coloured = len(variable_colours), len(factor_colours)
    if coloured != (graph.variable_count, graph.factor_count):
        counts = f"{counted(coloured[0], 'variable')} and {counted(coloured[1], 'factor')}"
        raise InputError(f"expected a colouring of this graph, got one of {counts}")
    initial = graph_colours(graph)
    first = np.array([members[0] for members in colouring.variable_groups], dtype=np.intp)
    if (initial != initial[first][variable_colours]).any():
        raise InputError(
            "expected a colouring of this graph, got one with other states or evidence"
        )
    variables, factors = graph.scope, factor_of_edges(graph)
    if not (
        _meet_alike(variables, variable_colours, factor_colours[factors])
        and _meet_alike(factors, factor_colours, variable_colours[variables])
    ):
        raise InputError("expected a colouring of this graph, got one of another graph")


def _meet_alike(members: NDArray[np.integer], colours: Colour, met: Colour) -> bool:
    """Whether all members of a group meet equally many of each colour.

    ``members``: each member once for everything it meets; ``met``: the colours of that.
    """
    span = int(met.max(initial=0)) + 1
    keys, times = np.unique(members.astype(np.int64) * span + met, return_counts=True)
    member, other = np.divmod(keys, span)
    _, first, pair, meetings = np.unique(
        colours[member].astype(np.int64) * span + other,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    all_meet = np.bincount(colours)[colours[member[first]]] == meetings
    return bool(all_meet.all() and (times == times[first][pair]).all())


def factor_of_edges(graph: FactorGraph) -> NDArray[np.intp]:
    """The factor that each argument belongs to, intp (e,)."""
    return np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
