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
)
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import Pattern, pattern, substitutions

Column = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Instances:
    """All factors, parfactor after parfactor, before the given graph's orders are restored.

    ``arity``: int64 (m,); ``scope``: int64 (e,), variables by number; ``table``: int64 (m,).
    ``label``: int8 (e,), the axes of each factor's table, the same for those that are counted
    together: permuting them changes nothing.
    """

    arity: Column
    scope: Column
    table: Column
    label: NDArray[np.int8]


def instances(model: ParfactorGraph, tables: PotentialPool) -> Instances:
    """The factors of all parfactors; their tables are added to a pool."""
    number = {each.name: place for place, each in enumerate(model.prvs)}
    parts = []
    for lifted, run in groupby(model.parfactors, lambda each: bool(each.logvars or each.counted)):
        if lifted:
            parts += [_of_parfactor(model, number, tables, each) for each in run]
        else:
            parts.append(_of_factors(model, number, tables, run))
    none = np.empty(0, dtype=np.int64)
    return Instances(
        np.concatenate([none, *(each.arity for each in parts)]),
        np.concatenate([none, *(each.scope for each in parts)]),
        np.concatenate([none, *(each.table for each in parts)]),
        np.concatenate([none.astype(np.int8), *(each.label for each in parts)]),
    )


def _of_parfactor(
    model: ParfactorGraph, number: dict[str, int], tables: PotentialPool, given: Parfactor
) -> Instances:
    size = given.size
    columns = list(_arguments(model, number, given, size))
    rows = np.array(columns, dtype=np.int64).reshape(len(columns), size).T
    label = np.array(list(_labels(given.arguments)), dtype=np.int8)
    table = tables.add(ground_table(given))
    arities = np.full(size, rows.shape[1])
    return Instances(arities, rows.ravel(), np.full(size, table), np.tile(label, size))


def _of_factors(
    model: ParfactorGraph,
    number: dict[str, int],
    tables: PotentialPool,
    factors: Iterable[Parfactor],
) -> Instances:
    """Parfactors without logvars, many at once: a model may have little else."""
    start, arities, scope, ids = model.variable_start, [], [], []
    label: list[int] = []
    for given in factors:
        scope += [start[number[name]] for name in argument_names(given.arguments)]
        arities.append(len(given.arguments))
        label += range(len(given.arguments))
        ids.append(tables.add(given.table))
    arity, variables, table = (np.array(each, dtype=np.int64) for each in (arities, scope, ids))
    return Instances(arity, variables, table, np.array(label, dtype=np.int8))


def _labels(arguments: Sequence[Argument]) -> Iterator[int]:
    place = 0
    for each in arguments:
        yield from [place] * _width(each)
        place += _width(each)


def _arguments(
    model: ParfactorGraph, number: dict[str, int], given: Parfactor, size: int
) -> Iterator[Column]:
    """The variables at each place of a parfactor's factors, int64 (size,) each."""
    free = dict(zip(given.logvars, substitutions(given.pattern), strict=True))
    for each in given.arguments:
        atom = atom_of(each)
        place = number[atom.prv.name]
        start = model.variable_start[place]
        if isinstance(each, Atom):
            columns = sorted_sets(atom.prv.pattern, [free[logvar] for logvar in each.logvars])
            found = model.numbering(place).numbers(columns) + start
            yield np.broadcast_to(found, (size,))
        else:
            all_logvars = (*given.logvars, *each.counted)
            about = [c for c in given.constraints if set(constrained(c)) <= set(all_logvars)]
            joint = substitutions(pattern(all_logvars, about))
            known = dict(zip(all_logvars, joint, strict=True))
            columns = sorted_sets(atom.prv.pattern, [known[logvar] for logvar in atom.logvars])
            rows = (model.numbering(place).numbers(columns) + start).reshape(-1, each.number)
            yield from rows.T


def sorted_sets(given: Pattern, columns: Sequence[Column]) -> list[Column]:
    """Substitutions with the individuals in an unordered set increasing."""
    found = list(columns)
    for places in given.unordered:
        listed = np.sort(np.stack([columns[place] for place in places]), axis=0)
        for place, column in zip(places, listed, strict=True):
            found[place] = column
    return found


def ground_table(given: Parfactor) -> Table:
    """The table of each of a parfactor's factors: histograms become states of all counted."""
    integers = given.table.integers
    axis = 0
    for each in given.arguments:
        if isinstance(each, CRV):
            index = histogram_index(each.number, len(each.atom.prv.states))
            integers = np.take(integers, index, axis=axis)
        axis += _width(each)
    return Table(integers, given.table.scale, given.table.measured)


def arity(given: Parfactor) -> int:
    """How many arguments each of a parfactor's factors has."""
    return sum(map(_width, given.arguments))


def _width(argument: Argument) -> int:
    return argument.number if isinstance(argument, CRV) else 1
