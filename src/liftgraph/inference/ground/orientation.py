"""Arrows in a factor graph: factors that sum to a constant over a variable of their own.

Take away, again and again, a variable that is in one factor only and sums to a positive constant
there, together with that factor. What is taken away is barren unless something asked or observed
is at it or below it (Shachter 1986). All factors of a Bayesian network are taken away; those of a
graph without arrows stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.inference.ground.examined import Examined
from liftgraph.model.ground.factor_graph import FactorGraph, pointers

_FEW = 20_000  # integers that are listed as rows, which are quicker to read
_WIDE = 200  # leaves that are taken away together


class Rows(Protocol):
    """Rows of integers."""

    def __getitem__(self, index: int, /) -> Sequence[int]:
        """One row."""


class _LongRows:
    """Rows that are read where they lie."""

    def __init__(self, start: NDArray[np.int64], entries: NDArray[np.int32]) -> None:
        self._start, self._entries = start.data, entries.data

    def __getitem__(self, index: int, /) -> Sequence[int]:
        row: list[int] = self._entries[self._start[index] : self._start[index + 1]].tolist()
        return row


def rows(start: NDArray[np.int64], entries: NDArray[np.int32]) -> Rows:
    """The rows ``entries[start[i]:start[i + 1]]``; many are read where they lie."""
    if len(entries) > _FEW:
        return _LongRows(start, entries)
    ends, listed = start.tolist(), entries.tolist()
    return [listed[ends[i] : ends[i + 1]] for i in range(len(ends) - 1)]


class Orientation(NamedTuple):
    """Which factors have arrows, and which have zeros.

    ``scopes``: the variables of each factor. ``own``: for each variable, the factor taken away
    with it; ``owner``: for each factor, the variable taken away with it; -1 where there is none.
    ``has_zero``: whether a factor has an entry that is zero. ``complete``: whether every variable
    has its own factor and every factor an owner; ``positive``: whether no factor has a zero, as far
    as that was examined: not if arrows are complete, since then few zeros matter.
    """

    scopes: Rows
    own: Sequence[int]
    owner: Sequence[int]
    has_zero: Callable[[int], bool]
    complete: bool
    positive: bool


_ORIENTATIONS: Memo[None, Orientation] = Memo("orientations", most=1)


def orientation(graph: FactorGraph) -> Orientation:
    """The arrows of a graph, whatever was observed; kept with the graph."""
    return _ORIENTATIONS.get(graph.cache, None, lambda: _oriented(graph))


def factors_of_variables(graph: FactorGraph, chosen: NDArray[np.bool_]) -> Rows:
    """The chosen factors, bool (m,), of each variable."""
    factors = np.flatnonzero(chosen)
    arity = np.diff(graph.scope_ptr)
    edges = np.repeat(chosen, arity)
    keys = graph.scope[edges].astype(np.int64) << 32
    keys |= np.repeat(factors, arity[factors])
    keys.sort()
    start = pointers(np.bincount(keys >> 32, minlength=graph.variable_count))
    return rows(start, keys.astype(np.int32))  # the lower half


def _oriented(graph: FactorGraph) -> Orientation:
    examined = Examined(graph)
    scopes = rows(graph.scope_ptr, graph.scope)
    own, owner = _peeled(graph, scopes, examined.sums_to_constant)
    complete = bool(min(own.min(initial=0), owner.min(initial=0)) >= 0)
    kinds = graph.table_id.data
    positive = not complete and not any(map(examined.has_zero, np.unique(graph.table_id).tolist()))

    def has_zero(factor: int) -> bool:
        return examined.has_zero(kinds[factor])

    return Orientation(scopes, _listed(own), _listed(owner), has_zero, complete, positive)


def _listed(integers: NDArray[np.int32]) -> Sequence[int]:
    """Integers for reading one by one; many are read where they lie."""
    return integers.data if len(integers) > _FEW else integers.tolist()


class _Peeling(NamedTuple):
    """What is left while variables are taken away, with arrays that change.

    ``degree``: int64 (n,), how many factors of each variable are left; ``total``: int64 (n,), the
    sum of their indices: if one is left, this is the one. ``own`` and ``owner``: as in
    ``Orientation``, int32.
    """

    degree: NDArray[np.int64]
    total: NDArray[np.int64]
    own: NDArray[np.int32]
    owner: NDArray[np.int32]


def _peeled(
    graph: FactorGraph, scopes: Rows, is_constant: Callable[[int, int], bool]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Take away what can be: all leaves at once while there are many, then one by one.

    The factor taken away with each variable, int32 (n,), and the variable taken away with each
    factor, int32 (m,).
    """
    count = graph.variable_count
    factors = np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
    # Sums of indices are below 2^53 for up to 10^8 factors: floats add them exactly.
    total = np.bincount(graph.scope, factors, minlength=count).astype(np.int64)
    degree = np.bincount(graph.scope, minlength=count)
    own = np.full(count, -1, dtype=np.int32)
    owner = np.full(graph.factor_count, -1, dtype=np.int32)
    left = _Peeling(degree, total, own, owner)
    leaves = np.flatnonzero(degree == 1)
    while len(leaves) >= _WIDE:
        leaves = _peel_together(graph, left, leaves, is_constant)
    if not len(leaves):
        return own, owner
    return _peel_one_by_one(graph, left, leaves.tolist(), scopes, is_constant)


def _peel_together(
    graph: FactorGraph,
    left: _Peeling,
    leaves: NDArray[np.intp],
    is_constant: Callable[[int, int], bool],
) -> NDArray[np.intp]:
    """Take away all leaves that sum to a constant; those that are leaves then."""
    factors = left.total[leaves]
    axes = _axes(graph, factors, leaves)
    width = int(axes.max()) + 1
    codes, place = np.unique(graph.table_id[factors] * width + axes, return_inverse=True)
    constant = np.array([is_constant(*divmod(code, width)) for code in codes.tolist()])[place]
    factors, first = np.unique(factors[constant], return_index=True)
    left.own[leaves[constant][first]] = factors
    left.owner[factors] = leaves[constant][first]
    arity = np.diff(graph.scope_ptr)[factors]
    within = np.arange(arity.sum()) - np.repeat(np.cumsum(arity) - arity, arity)
    arguments = graph.scope[np.repeat(graph.scope_ptr[factors], arity) + within]
    np.subtract.at(left.degree, arguments, 1)
    np.subtract.at(left.total, arguments, np.repeat(factors, arity))
    met: NDArray[np.intp] = np.unique(arguments).astype(np.intp)
    return met[np.equal(left.degree[met], 1)]


def _axes(
    graph: FactorGraph, factors: NDArray[np.int64], variables: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Which argument of its factor each variable is, int64."""
    start, end = graph.scope_ptr[factors], graph.scope_ptr[factors + 1]
    axes = np.zeros(len(factors), dtype=np.int64)
    for axis in range(1, int((end - start).max(initial=0))):
        argument = graph.scope[np.minimum(start + axis, end - 1)]
        axes[argument == variables] = np.minimum(axis, end - start - 1)[argument == variables]
    return axes


def _peel_one_by_one(
    graph: FactorGraph,
    left: _Peeling,
    leaves: list[int],
    scopes: Rows,
    is_constant: Callable[[int, int], bool],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    degree, total, own, owner = (array.tolist() for array in left)
    kinds = graph.table_id.data
    while leaves:
        variable = leaves.pop()
        factor = total[variable]
        if degree[variable] != 1 or owner[factor] >= 0:
            continue
        scope = scopes[factor]
        if not is_constant(kinds[factor], scope.index(variable)):
            continue
        own[variable], owner[factor] = factor, variable
        for argument in scope:
            degree[argument] -= 1
            total[argument] -= factor
            if degree[argument] == 1:
                leaves.append(argument)
    return np.array(own, dtype=np.int32), np.array(owner, dtype=np.int32)
