"""Ways to decide in floats whether tables are collinear.

An implementation that does not keep exact numbers has to choose one of them. Each compares a table,
float64 (k,), with m others, float64 (m, k), all positive, and returns bool (m,).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import Table

Floats = NDArray[np.float64]
Comparison = Callable[[Floats, Floats], NDArray[np.bool_]]


def equal_ratios(table: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether all quotients of entries are the same float."""
    ratios = table / others
    same: NDArray[np.bool_] = (ratios == ratios[:, :1]).all(axis=1)
    return same


def equal_shares(table: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether tables that are normalised to sum to 1 are the same floats."""
    same: NDArray[np.bool_] = (_shares(table) == _shares(others)).all(axis=1)
    return same


def close_shares(table: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether tables that are normalised to sum to 1 are close, by NumPy's default notion."""
    close: NDArray[np.bool_] = np.asarray(np.isclose(_shares(table), _shares(others)))
    same: NDArray[np.bool_] = np.asarray(close.all(axis=1))
    return same


def no_cosine_distance(table: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether the cosine distance is 0 in floats."""
    return np.equal(_cosine_distance(table, others), 0)


def small_cosine_distance(table: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether the cosine distance is below 10⁻⁹, which allows angles up to 4 · 10⁻⁵."""
    return np.less(_cosine_distance(table, others), 1e-9)


COMPARISONS: dict[str, Comparison] = {
    "equal ratios": equal_ratios,
    "equal shares": equal_shares,
    "cosine distance = 0": no_cosine_distance,
    "cosine distance < 1e-9": small_cosine_distance,
    "close shares": close_shares,
}


def representatives(tables: Sequence[Table], compare: Comparison) -> list[int]:
    """For each table, the index of the first representative that it seems collinear with.

    A table that seems collinear with none becomes a representative.

    >>> tables = [Table.of(["0.1", "0.3"]), Table.of(["0.7", "2.1"])]
    >>> representatives(tables, equal_ratios), representatives(tables, close_shares)
    ([0, 1], [0, 0])
    """
    by_shape: dict[tuple[int, ...], tuple[list[int], list[Floats]]] = {}
    chosen = []
    for table_index, table in enumerate(tables):
        values = np.array([float(int(v) * table.scale) for v in table.integers.flat])
        indices, others = by_shape.setdefault(table.shape, ([], []))
        alike = np.flatnonzero(compare(values, np.array(others))).tolist() if others else []
        if not alike:
            indices.append(table_index)
            others.append(values)
        chosen.append(indices[alike[0]] if alike else table_index)
    return chosen


def _shares(tables: Floats) -> Floats:
    shares: Floats = tables / tables.sum(axis=-1, keepdims=True)
    return shares


def _cosine_distance(table: Floats, others: Floats) -> Floats:
    lengths = np.linalg.norm(table) * np.linalg.norm(others, axis=1)
    distance: Floats = 1 - others @ table / lengths
    return distance
