"""The factors that parfactors stand for, as arrays, and their tables in the order of the scopes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import pieces
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
    """Factors with equally many arguments, before the orders of the given graph are restored.

    ``factors``: int64 (m,), by number, parfactor after parfactor. ``columns``: int64 (m,) for each
    argument, its variable by number. ``tables``: int64 (m,), indices into a pool. ``labels``: the
    axis of each argument in the table, the same for those that are counted together: permuting
    them changes nothing.
    """

    factors: Column
    columns: tuple[Column, ...]
    tables: Column
    labels: tuple[int, ...]


def instances(
    variables: Variables,
    parfactors: Sequence[Parfactor],
    pool: PotentialPool,
    without: Collection[int] = (),
) -> Iterator[Instances]:
    """The factors of all parfactors but those ``without``, each once, a piece at a time; their
    tables are added to a pool."""
    prv_index = variables.prv_index
    ground: dict[int, list[tuple[int, Parfactor]]] = defaultdict(list)  # by the number of arguments
    start = 0
    for index, parfactor in enumerate(parfactors):
        size = parfactor.size
        if index in without:
            pass
        elif parfactor.logvars or parfactor.counted:
            rows = [row for rows in argument_rows(variables, parfactor) for row in rows.T]
            table = np.broadcast_to(np.int64(pool.add(ground_table(parfactor))), (size,))
            labels = tuple(_labels(parfactor.arguments))
            for some in pieces(size):
                columns = tuple([row[some] for row in rows])
                numbers = np.arange(start + some.start, start + some.stop)
                yield Instances(numbers, columns, table[some], labels)
        else:
            ground[len(parfactor.arguments)].append((start, parfactor))
        start += size
    for arguments, factors in ground.items():
        yield _of_factors(variables, prv_index, pool, arguments, factors)


def _of_factors(
    variables: Variables,
    prv_index: dict[str, int],
    pool: PotentialPool,
    arguments: int,
    factors: Sequence[tuple[int, Parfactor]],
) -> Instances:
    """Parfactors without logvars, many at once: a model may have little else."""
    scopes = [prv_index[name] for _, p in factors for name in argument_names(p.arguments)]
    rows = np.array(variables.start)[np.array(scopes, np.intp)].reshape(len(factors), arguments)
    tables = np.array([pool.add(factor.table) for _, factor in factors])
    numbers = np.array([number for number, _ in factors])
    return Instances(numbers, tuple(rows.T), tables, tuple(range(arguments)))


def _labels(arguments: Sequence[Argument]) -> Iterator[int]:
    axis = 0
    for argument in arguments:
        yield from [axis] * width(argument)
        axis += width(argument)


def argument_rows(variables: Variables, parfactor: Parfactor) -> Iterator[NDArray[np.int64]]:
    """The variables of each argument of a parfactor's factors, by number: int64 (m, its width)."""
    size = parfactor.size
    chosen = dict(zip(parfactor.logvars, substitutions(parfactor.pattern), strict=True))
    for argument in parfactor.arguments:
        atom = atom_of(argument)
        prv = variables.prv_index[atom.prv.name]
        if isinstance(argument, Atom):
            numbers = _numbers(variables, prv, [chosen[logvar] for logvar in atom.logvars])
            yield np.broadcast_to(numbers, (size,))[:, None]
        else:
            logvars = (*parfactor.logvars, *argument.counted)
            about = [c for c in parfactor.constraints if set(constrained(c)) <= set(logvars)]
            joint = dict(zip(logvars, substitutions(pattern(logvars, about)), strict=True))
            numbers = _numbers(variables, prv, [joint[logvar] for logvar in atom.logvars])
            yield numbers.reshape(-1, argument.number)


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


@dataclass(frozen=True)
class OrderedTables:
    """Tables that are scaled and reordered, each once.

    ``scales``: by which tables may be multiplied. ``tables``: those of parfactors; ``pool``: those
    of factors; ``indices``: there, by the index of the parfactor's table, that of the scale, and
    the label at each place of the scope.
    """

    scales: tuple[Fraction, ...]
    tables: PotentialPool = field(default_factory=PotentialPool)
    pool: PotentialPool = field(default_factory=PotentialPool)
    indices: dict[tuple[int, ...], int] = field(default_factory=dict)


def ordered_tables(
    ordered: OrderedTables,
    factors: Instances,
    scale_id: NDArray[np.int32],
    places: Sequence[NDArray[np.integer[Any]]],
) -> Column:
    """The tables of some factors, int64 (m,), indices into the pool, to which they are added.

    ``scale_id``: int32 (m,), the scale of each factor; ``places``: int8 (m,) for each argument, its
    place in the given scope. Precondition: there are factors.
    """
    labels = _labels_by_place(factors.labels, places)
    code, first = _codes_of_rows([factors.tables, scale_id, *labels])
    indices = []
    for factor in first.tolist():
        at_place = [int(label[factor if len(label) > 1 else 0]) for label in labels]
        key = (int(factors.tables[factor]), int(scale_id[factor]), *at_place)
        if key not in ordered.indices:
            ordered.indices[key] = _added(ordered, *key)
        indices.append(ordered.indices[key])
    return np.array(indices, dtype=np.int64)[code]


def _added(ordered: OrderedTables, table_index: int, scale: int, *labels: int) -> int:
    """The index of a table of a parfactor, scaled, with its axes in the order of the labels."""
    table = ordered.tables[table_index].table()
    integers = table.integers.transpose(_axes(labels))
    return ordered.pool.add(Table(integers, table.scale * ordered.scales[scale], table.measured))


def _labels_by_place(
    labels: Sequence[int], places: Sequence[NDArray[np.integer[Any]]]
) -> Sequence[NDArray[np.integer[Any]]]:
    """The label at each place of the scopes of m factors, int8 (m,); int8 (1,) for each place if
    all factors have the same. ``places``: int8 (m,) for each label, where it is."""
    same = all((place == place[0]).all() for place in places)
    by_place = np.empty((len(places), 1 if same or not places else len(places[0])), dtype=np.int8)
    for place, label in zip(places, labels, strict=True):
        by_place[place[: by_place.shape[1]], np.arange(by_place.shape[1])] = label
    return list(by_place)


def _codes_of_rows(columns: Sequence[NDArray[Any]]) -> tuple[Column, Column]:
    """A number for each of m rows, equal for equal rows, from 0 on; and the first row of each.

    ``columns``: integers (m,), or (1,) if they are the same in all rows.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if (column != column[0]).any():
            code = code * (int(column.max()) + 1) + column
            if int(code.max()) > 4 * len(code) + 1000:
                code = np.unique(code, return_inverse=True)[1]
    first = np.full(int(code.max()) + 1, len(code))
    first[code[::-1]] = np.arange(len(code))[::-1]  # of equal codes, the last one written stays
    used = np.flatnonzero(first < len(code))
    number = np.empty(len(first), dtype=np.int64)
    number[used] = np.arange(len(used))
    return number[code], first[used]


def _axes(labels: Sequence[int]) -> list[int]:
    """The axes that a row of labels stands for; axes counted together may be in any order."""
    used: dict[int, int] = {}
    axes = []
    for label in labels:
        axes.append(label + used.get(label, 0))
        used[label] = used.get(label, 0) + 1
    return axes
