"""Which arguments of a table may be permuted freely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import Table
from liftgraph.symmetry.tables.axis_sums import AxisSums

Positions = tuple[int, ...]
COMPARED_AT_ONCE = 64  # adding up this many entries takes as long as comparing them all


def commutative_sets(table: Table) -> tuple[Positions, ...]:
    """The sets of arguments that may be permuted freely, as a partition of the positions.

    A table with a set of more than one position is commutative with respect to that set
    (Luttermann et al. 2024, DECOR). An argument that commutes with no other is its own set.

    >>> commutative_sets(Table.of([[[1, 2], [2, 3]], [[4, 5], [5, 6]]]))
    ((0,), (1, 2))
    """
    return commuting_axes(table.integers)


def commuting_axes(values: NDArray[Any]) -> tuple[Positions, ...]:
    """The classes of "swapping these two axes does not change the array", by first position.

    This is an equivalence relation, since the swaps (i j) and (j k) generate (i k): an axis needs
    to be compared with only one axis of each class, and swaps generate every permutation.
    """
    sums = AxisSums(values)
    classes: list[list[int]] = []
    for axis in range(values.ndim):
        home = next((members for members in classes if _commute(sums, members[0], axis)), None)
        if home is None:
            classes.append([axis])
        else:
            home.append(axis)
    return tuple(map(tuple, classes))


def _commute(sums: AxisSums, i: int, j: int) -> bool:
    """Whether swapping two axes does not change the array. Sums of large arrays come first."""
    values = sums.array
    if values.shape[i] != values.shape[j]:
        return False
    if values.size > COMPARED_AT_ONCE and not np.array_equal(sums.on(i), sums.on(j)):
        return False
    return bool((values == values.swapaxes(i, j)).all())
