"""A factor graph cut down to what a question needs: evidence taken in, barren parts summed away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cache, Memo
from liftgraph.errors import ZeroWeightError
from liftgraph.inference.ground.steps import Scope
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.semiring import Index

# What a table sums to over an axis, if that is the same everywhere.
_SUMS: Memo[tuple[Table, int], int | None] = Memo("constant sums", most=4096)


@dataclass(frozen=True, slots=True)
class Part:
    """A table with some of its arguments at a fixed state."""

    table: Table
    index: Index

    @property
    def integers(self) -> NDArray[Any]:
        return np.asarray(self.table.integers[self.index])


@dataclass(frozen=True)
class Reduction:
    """Tables over variables that are still free, times constants.

    ``sizes``: the number of states of each variable of the graph.
    ``scopes``: free variables of each table; every variable that matters is in one.
    ``parts``: distinct parts of tables; ``part_ids``: which one each table is.
    ``constants``: positive factors of the total weight and how often each occurs.
    ``fixed``: the state of each variable that is not free: observed, or with one state only.
    """

    sizes: list[int]
    scopes: list[Scope]
    parts: list[Part]
    part_ids: list[int]
    constants: list[tuple[Fraction, int]]
    fixed: dict[int, int]


def reduce_graph(graph: FactorGraph) -> Reduction:
    """Take in the evidence: slice the tables and set aside what no longer varies.

    Raises ``ZeroWeightError`` where a table is zero for every state that the evidence allows.
    """
    sizes = graph.cardinalities.tolist()
    fixed = dict.fromkeys(np.flatnonzero(graph.cardinalities == 1).tolist(), 0)
    fixed.update(graph.evidence)
    numbers: dict[tuple[int, tuple[int | None, ...]], int] = {}
    scopes: list[Scope] = []
    part_ids: list[int] = []
    settled: Counter[int] = Counter()  # parts without a free variable
    ends, scope, table_id = graph.scope_ptr.tolist(), graph.scope.tolist(), graph.table_id.tolist()
    for factor, table in enumerate(table_id):
        arguments = scope[ends[factor] : ends[factor + 1]]
        states = tuple([fixed.get(variable) for variable in arguments])
        number = numbers.setdefault((table, states), len(numbers))
        free = tuple([variable for variable in arguments if variable not in fixed])
        if free:
            scopes.append(free)
            part_ids.append(number)
        else:
            settled[number] += 1
    parts = [_part(graph.tables[table], states) for table, states in numbers]
    _cover(range(len(sizes)), sizes, fixed, scopes, part_ids, parts)
    scales = [(graph.tables[table].scale, count) for table, count in Counter(table_id).items()]
    values = Counter[int]()
    for number, count in settled.items():
        values[int(parts[number].integers)] += count
    return Reduction(sizes, scopes, parts, part_ids, scales + _checked(values), fixed)


def _part(table: Table, states: tuple[int | None, ...]) -> Part:
    return Part(table, tuple([slice(None) if state is None else state for state in states]))


def _cover(
    wanted: Iterable[int],
    sizes: list[int],
    fixed: Collection[int],
    scopes: list[Scope],
    part_ids: list[int],
    parts: list[Part],
) -> None:
    """Give every wanted free variable that is in no table a table of ones."""
    covered = {variable for scope in scopes for variable in scope}
    units: dict[int, int] = {}
    for variable in wanted:
        if variable not in covered and variable not in fixed:
            size = sizes[variable]
            if size not in units:
                units[size] = len(parts)
                parts.append(_part(_unit_table(size), (None,)))
            scopes.append((variable,))
            part_ids.append(units[size])


@lru_cache(maxsize=256)
def _unit_table(size: int) -> Table:
    return Table.of([1] * size)


def _checked(constants: Counter[int]) -> list[tuple[Fraction, int]]:
    if constants[0]:
        raise impossible()
    return [(Fraction(value), count) for value, count in constants.items() if count]


def impossible() -> ZeroWeightError:
    """The error for a model that leaves nothing possible."""
    return ZeroWeightError(
        "every assignment that agrees with the evidence has weight zero: nothing is possible"
    )


def prune(reduction: Reduction, kept: Collection[int], cache: Cache) -> Reduction:
    """Sum away variables that sit in one table only and sum to a constant there, again and again.

    These are the barren nodes of a Bayesian network (Shachter 1986), found by integer sums and
    so independent of any direction of its edges. ``cache`` remembers the sums of whole tables.
    """
    holding: dict[int, set[int]] = {}
    for table, scope in enumerate(reduction.scopes):
        for variable in scope:
            holding.setdefault(variable, set()).add(table)
    removed: set[int] = set()
    constants: Counter[int] = Counter()
    queue = [variable for variable, tables in holding.items() if len(tables) == 1]
    while queue:
        variable = queue.pop()
        if variable in kept or len(holding[variable]) != 1:
            continue
        (table,) = holding[variable]
        part = reduction.parts[reduction.part_ids[table]]
        constant = _constant_sum(part, reduction.scopes[table].index(variable), cache)
        if constant is None:
            continue
        constants[constant] += 1
        removed.add(table)
        for other in reduction.scopes[table]:
            holding[other].discard(table)
            if len(holding[other]) == 1:
                queue.append(other)
            elif not holding[other] and other != variable and other not in kept:
                constants[reduction.sizes[other]] += 1
    return _without(reduction, removed, constants, kept)


def _constant_sum(part: Part, free_axis: int, cache: Cache) -> int | None:
    """The sum of the whole table over an argument if it is the same everywhere, else None.

    Then it is the same for every part of the table, too.
    """
    free = [axis for axis, state in enumerate(part.index) if isinstance(state, slice)]
    axis, table = free[free_axis], part.table
    return _SUMS.get(cache, (table, axis), lambda: _sum_if_constant(table.integers, axis))


def _sum_if_constant(integers: NDArray[Any], axis: int) -> int | None:
    overflows = int(integers.max()) >= 2**62 // integers.shape[axis]
    wide = integers.astype(object) if overflows else integers
    sums = np.asarray(wide.sum(axis=axis)).ravel()
    return int(sums[0]) if (sums == sums[0]).all() else None


def _without(
    reduction: Reduction, removed: set[int], constants: Counter[int], kept: Collection[int]
) -> Reduction:
    left = [table for table in range(len(reduction.scopes)) if table not in removed]
    scopes = [reduction.scopes[table] for table in left]
    part_ids = [reduction.part_ids[table] for table in left]
    parts = list(reduction.parts)
    _cover(kept, reduction.sizes, reduction.fixed, scopes, part_ids, parts)
    return replace(
        reduction,
        scopes=scopes,
        parts=parts,
        part_ids=part_ids,
        constants=reduction.constants + _checked(constants),
    )
