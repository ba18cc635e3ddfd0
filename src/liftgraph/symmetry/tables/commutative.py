"""Which arguments of a table may be permuted freely."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from liftgraph.model.ground.table import Table
from liftgraph.symmetry.tables.axis_sums import sums_on_each_axis

Positions = tuple[int, ...]


def commutative_sets(table: Table) -> tuple[Positions, ...]:
    """The sets of arguments which may be permuted freely, as a partition of the positions.

    A table with a set of more than one position is commutative with respect to that set
    (DECOR, Luttermann et al. 2024c). An argument which commutes with no other is its own set.

    >>> commutative_sets(Table.of([[[1, 2], [2, 3]], [[4, 5], [5, 6]]]))
    ((0,), (1, 2))
    """
    return commuting_axes(table.integers)


def commuting_axes(values: NDArray[Any]) -> tuple[Positions, ...]:
    """The classes of "swapping these two axes does not change the array", by first position.

    This is an equivalence relation, since the swaps (i j) and (j k) generate (i k): an axis needs
    to be compared with only one axis of each class, and swaps generate every permutation.
    """
    sums = [axis_sums.tolist() for axis_sums in sums_on_each_axis(values)]
    classes: list[list[int]] = []
    for axis in range(values.ndim):
        for members in classes:
            if sums[members[0]] == sums[axis] and _commute(values, members[0], axis):
                members.append(axis)
                break
        else:
            classes.append([axis])
    return tuple(map(tuple, classes))


def _commute(values: NDArray[Any], i: int, j: int) -> bool:
    """Whether swapping two axes of the same size does not change the array."""
    return bool((values == values.swapaxes(i, j)).all())
