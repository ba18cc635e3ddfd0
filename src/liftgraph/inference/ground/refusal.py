"""Early refusal: plans that counts alone show to need too much, before anything is planned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.display import counted, format_count
from liftgraph.errors import MemoryLimitError
from liftgraph.inference.ground.pieces import sum_if_constant
from liftgraph.inference.tensor.elimination_order import beyond_memory
from liftgraph.inference.tensor.memory import TENSOR_BYTES, VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.treewidth_bound import least_treewidth
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.query import KINDS, Query
from liftgraph.symmetry.structure.components import components

_MANY = 5_000  # variables of a graph whose treewidth is bounded before it is planned
_WIDEST_FACTOR = 8  # pairs of arguments that are further apart in a factor are left out
# A bound on the treewidth of the whole graph, whatever is asked and observed.
_TREEWIDTHS: Memo[None, int] = Memo("bounds on the treewidth", most=1)
_EXAMINED = 10_000  # potentials whose sums are examined, those of most factors first
_ROUNDS = 40  # of taking away what pruning may take away
_WITHIN_REACH = 2**10  # times the limit: some machine might have this much memory


class HopelessError(MemoryLimitError):
    """Other ways to eliminate the same tables need not be tried: their number alone is too large,
    or quick orders pass the limit by far (``elimination_order`` says by what rule), or a single
    table passes it in the best order that a longer search found."""


class DenseError(HopelessError):
    """Variables are too densely connected: every order that was found makes too large a table."""


def too_dense(needs: str, needed: int, limit: int, reason: str, advice: str = "") -> DenseError:
    """The error for tables that are too large in the best order. ``advice``: more ways out.

    >>> print(too_dense("needs", 2**42, 2**32, "a table over 36 variables has 2^36 entries"))
    ... # doctest: +NORMALIZE_WHITESPACE
    too densely connected for exact elimination: needs 4.0 TiB, the limit is 4.0 GiB: a table over
    36 variables has 2^36 entries; observe more variables, or allow more memory
    """
    way_out = "observe more variables" + advice
    way_out += ", or allow more memory" if needed <= _WITHIN_REACH * limit else ""
    size = beyond_limit(needs, needed, limit, reason).args[0]
    error = DenseError(f"too densely connected for exact elimination: {size}; {way_out}")
    error.needed = needed
    return error


def check_counts(graph: FactorGraph, query: Query, variables: Sequence[int], limit: int) -> None:
    """Refuse a plan whose answer, or whose steps, take more bytes than the limit.

    Every elimination has a step for each table but one. The bound holds for all plans: what it
    refuses would be refused at the end of planning, too.
    """
    answer_entries = prod(len(graph.states(variable)) for variable in variables)
    if FLOAT_BYTES * answer_entries > limit:
        reason = f"it has {format_count(answer_entries)} entries"
        raise beyond_limit(
            "the answer alone needs at least", FLOAT_BYTES * answer_entries, limit, reason
        )
    if variables:  # what cannot matter to them is not eliminated
        return
    keeps = KINDS[query.kind].of_all  # whatever is asked of all variables needs all values
    step_bytes = TENSOR_BYTES + VALUE_BYTES * keeps
    if step_bytes * (graph.factor_count + graph.variable_count) <= limit:
        return
    needed = step_bytes * (_least_tables(graph, prunes=not keeps) - 1)
    if needed > limit:
        counts = (
            f"{counted(graph.variable_count, 'variable')} and"
            f" {counted(graph.factor_count, 'factor')}"
        )
        refused = beyond_limit("needs at least", needed, limit, f"the factor graph has {counts}")
        raise HopelessError(*refused.args)


def check_tables(table_count: int, limit: int) -> None:
    """Refuse to eliminate tables if the steps alone, one for each but one, take too many bytes."""
    needed = TENSOR_BYTES * (table_count - 1)
    if needed > limit:
        reason = f"{table_count:,} tables are left by evidence and pruning"
        raise beyond_limit("needs at least", needed, limit, reason)


def check_treewidth(
    graph: FactorGraph,
    observed: Collection[int],
    asked: Sequence[int],
    limit: int,
    factors: Callable[[], NDArray[np.bool_]] | None = None,
) -> None:
    """Refuse to eliminate a large graph whose treewidth proves that every order passes the limit.

    ``observed``: variables beside those of the graph's own evidence; ``asked``: none for questions
    about the whole graph. ``factors``: the only ones that are looked at, bool (m,); all if None.
    Leaving out factors only lowers the bound, and so does taking away what pruning might.

    If no result of a contraction and no factor has more than w variables, each product has at most
    3w / 2, since each of them is in two of the two operands and the result; and every order makes
    a product with at least one more variable than the treewidth.
    """
    if graph.variable_count <= _MANY or graph.edge_count <= graph.variable_count:
        return
    least = int(graph.cardinalities[graph.cardinalities > 1].min(initial=2))
    widest_factor = int(np.diff(graph.scope_ptr).max())

    def fits(treewidth: int) -> bool:
        width = (2 * (treewidth + 1) + 2) // 3
        return width <= widest_factor or FLOAT_BYTES * least**width <= limit

    everything = np.ones(graph.factor_count, dtype=np.bool_)
    if fits(graph.variable_count - 1):
        return
    if fits(_TREEWIDTHS.get(graph.cache, None, lambda: _treewidth(graph, everything))):
        return
    looked_at = everything if factors is None else factors()
    treewidth = _question_treewidth(graph, observed, asked, looked_at)
    if not fits(treewidth):
        entries = least ** ((2 * (treewidth + 1) + 2) // 3)
        reason = (
            f"the treewidth is at least {treewidth}, so the largest table has at least"
            f" {format_count(entries)} entries in every order"
        )
        raise too_dense("needs at least", FLOAT_BYTES * entries, limit, reason)


def _question_treewidth(
    graph: FactorGraph,
    observed: Collection[int],
    asked: Sequence[int],
    factors: NDArray[np.bool_],
) -> int:
    """A lower bound on the treewidth of what certainly matters for a question."""
    free = graph.cardinalities > 1
    free[graph.evidence.variables] = False
    free[[*observed]] = False
    tables = np.array([isinstance(potential, Table) for potential in graph.potentials], dtype=bool)
    chosen = tables[graph.table_id] & factors
    prunable = free.copy()
    prunable[[*asked]] = False
    matter = _unpruned(graph, prunable, chosen, np.zeros(graph.factor_count, dtype=np.bool_))
    return _treewidth(graph, matter, free, asked)


def _treewidth(
    graph: FactorGraph,
    factors: NDArray[np.bool_],
    free: NDArray[np.bool_] | None = None,
    asked: Sequence[int] = (),
) -> int:
    """A lower bound on the treewidth of some factors, and of what is connected with some variables.

    ``free``: bool (n,), the variables that are not observed, all if None.
    """
    factor = np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
    scope = graph.scope.astype(np.int64)
    stays = factors[factor] if free is None else factors[factor] & free[scope]
    factor, scope = factor[stays], scope[stays]
    pairs = [
        np.stack([scope[:-apart], scope[apart:]])[:, factor[:-apart] == factor[apart:]]
        for apart in range(1, min(_WIDEST_FACTOR, len(scope)))
    ]
    first, second = np.concatenate([np.empty((2, 0), dtype=np.int64), *pairs], axis=1)
    if asked:
        root = components(first, second, graph.variable_count)
        connected = np.isin(root[first], root[[*asked]])
        first, second = first[connected], second[connected]
    return least_treewidth(first, second, graph.variable_count)


def beyond_every_order(limit: int, name: str) -> DenseError:
    """The error for tables that pass the limit by far in every order that was tried.

    ``name``: that of the variable that is eliminated then.
    """
    entries = int(beyond_memory(limit // FLOAT_BYTES))
    reason = f"the largest table has over {format_count(entries)} entries, eliminating {name}"
    return too_dense("needs more than", FLOAT_BYTES * entries, limit, reason)


def _least_tables(graph: FactorGraph, prunes: bool) -> int:
    """How many tables are left by evidence and pruning, at least; other potentials do not count."""
    free = graph.cardinalities > 1
    free[graph.evidence.variables] = False
    varying = _varying(graph, free)
    counts = np.array([isinstance(potential, Table) for potential in graph.potentials], dtype=bool)
    if prunes:
        stays = _staying(graph, np.bincount(graph.table_id[varying]))
        left = _unpruned(graph, free, varying, stays[graph.table_id])
        return int(np.count_nonzero(left & counts[graph.table_id]))
    free[graph.scope] = False  # what is left are variables in no factor: they get a table each
    return int(np.count_nonzero(varying & counts[graph.table_id])) + int(np.count_nonzero(free))


def _varying(graph: FactorGraph, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which factors have a free variable, bool (m,)."""
    free_before = np.zeros(graph.edge_count + 1, dtype=np.int64)
    np.cumsum(free[graph.scope], out=free_before[1:])
    return np.diff(free_before[graph.scope_ptr]) > 0


def _staying(graph: FactorGraph, usage: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which potentials no variable sums out to a constant, bool (potentials,).

    Those of most factors are examined; ``usage``: how many factors have each.
    """
    stays = np.zeros(len(graph.potentials), dtype=bool)
    for index in np.argsort(-usage, kind="stable")[:_EXAMINED].tolist():
        potential = graph.potentials[index]
        if isinstance(potential, Table):
            sums = (
                sum_if_constant(potential.integers, axis) for axis in range(potential.integers.ndim)
            )
            stays[index] = all(constant is None for constant in sums)
    return stays


def _unpruned(
    graph: FactorGraph,
    free: NDArray[np.bool_],
    varying: NDArray[np.bool_],
    stays: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Factors that pruning leaves for certain, bool (m,).

    Whatever does not stay is taken away once a free variable is in no other factor. If that goes
    on for many rounds, along a chain, only factors that stay are certain.
    """
    if stays[varying].all():
        return varying
    factor = np.repeat(np.arange(graph.factor_count, dtype=np.int32), np.diff(graph.scope_ptr))
    left = varying.copy()
    for _ in range(_ROUNDS):
        counted = free[graph.scope] & left[factor]
        once = np.bincount(graph.scope[counted], minlength=graph.variable_count) == 1
        removed = factor[counted & once[graph.scope] & ~stays[factor]]
        if not len(removed):
            return left
        left[removed] = False
    return left & stays
