"""Which arguments of a table may be permuted freely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.table import Table
from liftgraph.symmetry.marginals import Marginals

Positions = tuple[int, ...]


def commutative_sets(table: Table) -> tuple[Positions, ...]:
    """The sets of arguments that may be permuted freely, as a partition of the positions.

    A table with a set of more than one position is commutative with respect to that set
    (Luttermann et al. 2024, DECOR). An argument that commutes with no other is its own set.

    >>> commutative_sets(Table.of([[[1, 2], [2, 3]], [[4, 5], [5, 6]]]))
    ((0,), (1, 2))
    """
    return commuting_axes(table.integers)


def commuting_axes(values: NDArray[Any]) -> tuple[Positions, ...]:
    """The classes of "swapping these two axes leaves the array as it is", by first position.

    This is an equivalence relation, as the swaps (i j) and (j k) generate (i k): an axis needs
    to be compared with one axis of each class only, and swaps generate every permutation.
    """
    marginals = Marginals(values)
    sets: list[list[int]] = []
    for axis in range(values.ndim):
        for known in sets:
            if np.array_equal(marginals.on(known[0]), marginals.on(axis)) and np.array_equal(
                values, values.swapaxes(known[0], axis)
            ):
                known.append(axis)
                break
        else:
            sets.append([axis])
    return tuple(map(tuple, sets))
