"""How many groups a graph has at least, seen in its tables alone, before colours are passed.

Interchangeable tables have the same integers in some order. A factor whose integers no other factor
has is alone in its group; so a variable that is in it differs from one that is not.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table

_FEW = 64  # integers that are sorted


def fewest_groups(graph: FactorGraph) -> tuple[int, int]:
    """Lower bounds on the numbers of groups of variables that are in factors, and of factors.

    They hold for every algorithm, where tables count as proportional only if they are exactly so.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(4)
    >>> for left, entry in enumerate([2, 2, 5]):
    ...     _ = builder.add_factor([left, left + 1], [[1, entry], [3, 7]])
    >>> fewest_groups(builder.build())
    (2, 2)
    """
    kinds = _kinds(graph)
    return len(np.unique(_marked(graph, kinds))), len(np.unique(kinds))


def rigid_factors(graph: FactorGraph) -> NDArray[np.bool_]:
    """Which factors are alone in their groups, with variables that are, bool (m,).

    Precondition: that of ``fewest_groups``. Colours may show that others are, too.
    """
    kinds = _kinds(graph)
    marks = _marked(graph, kinds)
    _, place, sizes = np.unique(marks, return_inverse=True, return_counts=True)
    shared = np.zeros(graph.variable_count, dtype=np.bool_)
    shared[np.unique(graph.scope)] = sizes[place] > 1
    counts = np.append(0, np.cumsum(shared[graph.scope]))
    unshared: NDArray[np.bool_] = np.diff(counts[graph.scope_ptr]) == 0
    return unshared & _are_alone(kinds)


def _are_alone(kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
    alone: NDArray[np.bool_] = np.bincount(kinds, minlength=1)[kinds] == 1
    return alone


def _marked(graph: FactorGraph, kinds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """For each variable that is in a factor, a number for its factors that are alone, uint64.

    Different sets of factors may get the same number by chance: bounds are then lower than they
    could be.
    """
    alone = _are_alone(kinds)
    marks = np.random.default_rng(0).integers(1, 2**63, graph.factor_count, dtype=np.uint64) * alone
    sums = np.zeros(graph.variable_count, dtype=np.uint64)
    np.add.at(sums, graph.scope, np.repeat(marks, np.diff(graph.scope_ptr)))
    return sums[np.unique(graph.scope)]


def _kinds(graph: FactorGraph) -> NDArray[np.int64]:
    """For each factor, a number for the integers of its table, whatever their order, int64 (m,)."""
    return _multisets(graph)[graph.table_id]


def _multisets(graph: FactorGraph) -> NDArray[np.int64]:
    """A number for each potential, int64: equal where integers are the same in some order.

    Those of different sizes are not compared; potentials other than tables may all be alike.
    """
    by_size: dict[int, list[int]] = {}
    for index, potential in enumerate(graph.potentials):
        size = potential.integers.size if isinstance(potential, Table) else 0
        by_size.setdefault(size, []).append(index)
    numbers: dict[Hashable, int] = {}
    multisets = np.zeros(len(graph.potentials), dtype=np.int64)
    for size, alike in by_size.items():
        for index in alike:
            key = _multiset(graph.potentials[index]) if size and len(alike) > 1 else None
            multisets[index] = numbers.setdefault((size, key), len(numbers))
    return multisets


def _multiset(potential: object) -> Hashable:
    """What the integers of a table are, whatever their order: all of them, or their sum and maximum
    if they are many."""
    if not isinstance(potential, Table):
        return None
    integers = potential.integers.ravel()
    if integers.size <= _FEW:
        return tuple(sorted(integers.tolist()))
    # Sums that overflow do so in every order.
    return int(integers.sum()), int(integers.max())
