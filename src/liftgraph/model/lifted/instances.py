"""The factors that parfactors stand for, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import PotentialPool, Table
from liftgraph.model.lifted.histograms import histogram_index
from liftgraph.model.lifted.logvars import constrained
from liftgraph.model.lifted.parfactor import (
    CRV,
    Argument,
    Atom,
    Parfactor,
    argument_names,
    atom_of,
    width,
)
from liftgraph.model.lifted.substitutions import Column, Pattern, pattern, substitutions
from liftgraph.model.lifted.variables import Variables


@dataclass(frozen=True, slots=True)
class Instances:
    """All factors, parfactor by parfactor, before the orders of the given graph are restored.

    ``arity``: int64 (m,); ``scope``: int64 (e,), variables by number; ``table``: int64 (m,).
    ``label``: int8 (e,), the axes of each factor's table, the same for those that are counted
    together: permuting them changes nothing.
    """

    arity: Column
    scope: Column
    table: Column
    label: NDArray[np.int8]


def instances(
    variables: Variables, parfactors: Sequence[Parfactor], tables: PotentialPool
) -> Instances:
    """The factors of all parfactors; their tables are added to a pool."""
    prv_index = {prv.name: index for index, prv in enumerate(variables.prvs)}
    parts = []
    for lifted, run in groupby(parfactors, lambda p: bool(p.logvars or p.counted)):
        if lifted:
            parts += [_of_parfactor(variables, prv_index, tables, parfactor) for parfactor in run]
        else:
            parts.append(_of_factors(variables, prv_index, tables, run))
    none = np.empty(0, dtype=np.int64)
    return Instances(
        np.concatenate([none, *(part.arity for part in parts)]),
        np.concatenate([none, *(part.scope for part in parts)]),
        np.concatenate([none, *(part.table for part in parts)]),
        np.concatenate([none.astype(np.int8), *(part.label for part in parts)]),
    )


def _of_parfactor(
    variables: Variables, prv_index: dict[str, int], tables: PotentialPool, parfactor: Parfactor
) -> Instances:
    size = parfactor.size
    columns = list(_arguments(variables, prv_index, parfactor, size))
    rows = np.array(columns, dtype=np.int64).reshape(len(columns), size).T
    label = np.array(list(_labels(parfactor.arguments)), dtype=np.int8)
    table = tables.add(ground_table(parfactor))
    arities = np.full(size, rows.shape[1])
    return Instances(arities, rows.ravel(), np.full(size, table), np.tile(label, size))


def _of_factors(
    variables: Variables,
    prv_index: dict[str, int],
    tables: PotentialPool,
    factors: Iterable[Parfactor],
) -> Instances:
    """Parfactors without logvars, many at once: a model may have little else."""
    start, arities, scope, table_ids = variables.start, [], [], []
    label: list[int] = []
    for factor in factors:
        scope += [start[prv_index[name]] for name in argument_names(factor.arguments)]
        arities.append(len(factor.arguments))
        label += range(len(factor.arguments))
        table_ids.append(tables.add(factor.table))
    arity, scopes, table = (np.array(c, dtype=np.int64) for c in (arities, scope, table_ids))
    return Instances(arity, scopes, table, np.array(label, dtype=np.int8))


def _labels(arguments: Sequence[Argument]) -> Iterator[int]:
    axis = 0
    for argument in arguments:
        yield from [axis] * width(argument)
        axis += width(argument)


def _arguments(
    variables: Variables, prv_index: dict[str, int], parfactor: Parfactor, size: int
) -> Iterator[Column]:
    """The variables at each place of a parfactor's factors, int64 (size,) each."""
    chosen = dict(zip(parfactor.logvars, substitutions(parfactor.pattern), strict=True))
    for argument in parfactor.arguments:
        atom = atom_of(argument)
        prv = prv_index[atom.prv.name]
        if isinstance(argument, Atom):
            numbers = _numbers(variables, prv, [chosen[logvar] for logvar in atom.logvars])
            yield np.broadcast_to(numbers, (size,))
        else:
            logvars = (*parfactor.logvars, *argument.counted)
            about = [c for c in parfactor.constraints if set(constrained(c)) <= set(logvars)]
            joint = dict(zip(logvars, substitutions(pattern(logvars, about)), strict=True))
            numbers = _numbers(variables, prv, [joint[logvar] for logvar in atom.logvars])
            yield from numbers.reshape(-1, argument.number).T


def _numbers(variables: Variables, prv: int, columns: Sequence[Column]) -> Column:
    """The numbers of a PRV's variables, in the order of the individuals in columns."""
    increasing = sorted_sets(variables.pattern(prv), columns)
    return variables.numbering(prv).numbers(increasing) + variables.start[prv]


def sorted_sets(pattern: Pattern, columns: Sequence[Column]) -> list[Column]:
    """Substitutions with the individuals in an unordered set increasing."""
    increasing = list(columns)
    for places in pattern.unordered:
        listed = np.sort(np.stack([columns[place] for place in places]), axis=0)
        for place, column in zip(places, listed, strict=True):
            increasing[place] = column
    return increasing


def ground_table(parfactor: Parfactor) -> Table:
    """The table of each factor of a parfactor, with the counted variables instead of histograms."""
    integers = parfactor.table.integers
    axis = 0
    for argument in parfactor.arguments:
        if isinstance(argument, CRV):
            index = histogram_index(argument.number, len(argument.atom.prv.states))
            integers = np.take(integers, index, axis=axis)
        axis += width(argument)
    return Table(integers, parfactor.table.scale, parfactor.table.measured)
