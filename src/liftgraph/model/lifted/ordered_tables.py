"""The tables of a ground graph's factors, with their axes in the order of the given scopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import PotentialPool, Table
from liftgraph.model.lifted.instances import Instances
from liftgraph.model.lifted.substitutions import Column


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
