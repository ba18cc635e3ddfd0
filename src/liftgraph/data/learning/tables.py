"""From counts to tables: counts as they are, or distributions; and what supports them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.learnt import RowCounts, Scope, Support
from liftgraph.errors import InputError
from liftgraph.model.ground.table import Table


def counted_table(factor: int, scope: Scope, total: NDArray[Any], child: int | None) -> Table:
    """The table that counts give: distributions of the ``child``, an argument, if there is one."""
    try:
        return _table(total, child)
    except InputError as error:
        raise InputError(f"{named_factor(factor, scope)}: {error}") from None


def support(
    scope: Scope, rows: tuple[RowCounts, ...], total: NDArray[Any], table: Table, child: int | None
) -> Support:
    """What supports a factor. ``total``: its counts; ``child``: as for ``_table``."""
    unobserved, zeros = (int(np.count_nonzero(n == 0)) for n in (total, table.integers))
    uniform, states = 0, 1
    if child is not None:
        states = total.shape[child]
        constant = table.integers.max(axis=child) == table.integers.min(axis=child)
        uniform = int(np.count_nonzero((total.sum(axis=child) == 0) & constant))
    return Support(scope, rows, total.size, unobserved, zeros, uniform, states)


def _table(total: NDArray[Any], child: int | None) -> Table:
    """Counts as potentials: as they are, or relative to their sums over the child's states.

    If nothing was counted, they are ones: a table of zeros would make the whole model impossible.
    """
    if child is None:
        return Table.of(total if total.any() else np.ones(total.shape, dtype=np.int64))
    sums = total.sum(axis=child, keepdims=True)
    rows = np.where(sums == 0, 1, total).astype(object)
    divide = np.frompyfunc(Fraction, 2, 1)
    return Table.of(divide(rows, rows.sum(axis=child, keepdims=True)))


def named_factor(factor: int, scope: Scope) -> str:
    """A factor in error messages."""
    return f"factor {factor} ({', '.join(scope)})"
