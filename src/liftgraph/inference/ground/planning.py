"""The memory that planning ground elimination takes, charged before it is taken.

A graph is walked through to find what matters. What is left of it becomes tables with scopes; these
get an order, and contractions. The numbers are measured (``benchmarks/memory.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgraph.display import counted
from liftgraph.inference.ground.reduction import Reduction
from liftgraph.inference.tensor.planning_memory import ordering_bytes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.memory_limit import Planning

_SMALL = 2000  # variables, factors and arguments for which nothing is charged
# Arrays for each variable, factor and argument of a graph while it is walked through, and for pairs
# of arguments of a factor.
_WALKED_BYTES, _PAIR_BYTES = 50, 24
_WIDEST = 8  # arguments further apart are not looked at as pairs
_EXAMINED_BYTES = 500  # what is noted about a potential: its sums and zeros
_FIXED_BYTES = 200  # an observed variable, in sets and tuples
_SCOPE_BYTES, _ARGUMENT_BYTES = 100, 40  # a factor as a table with a scope, without its variables
_CUT_BYTES = 160  # such a table where some variables may be observed
_PIECE_BYTES = 550  # the objects around the integers of a potential
_PART_BYTES = 1500  # the pieces for an argument of a potential that is not a table
# The tables of a variable while some are pruned; and for each place of a scope.
_HOLDING_BYTES, _HELD_BYTES = 350, 80


def take_walk(graph: FactorGraph, planning: Planning, fixed: int) -> None:
    """Charge for finding what matters for a question. ``fixed``: how many variables it observes."""
    if _is_small(graph):
        return
    width = int(min(np.diff(graph.scope_ptr).max(initial=0), _WIDEST))
    size = _WALKED_BYTES * (graph.variable_count + graph.factor_count + graph.edge_count)
    size += _PAIR_BYTES * max(width - 2, 0) * graph.edge_count
    size += _EXAMINED_BYTES * len(graph.potentials)
    size += _FIXED_BYTES * (fixed + len(graph.evidence))
    planning.take(size, _size_of(graph))


def take_reducing(
    graph: FactorGraph, planning: Planning, factors: Sequence[int] | None = None
) -> None:
    """Charge for the tables of some factors, or of all, before they are listed and pruned."""
    if _is_small(graph):
        return
    factor_count, edges = graph.factor_count, graph.edge_count
    kinds: Sequence[int] = range(len(graph.potentials))
    if factors is not None:
        chosen = np.array(factors, dtype=np.int64)
        factor_count, edges = len(chosen), int(np.diff(graph.scope_ptr)[chosen].sum())
        kinds = np.unique(graph.table_id[chosen]).tolist()
    others = [p for p in map(graph.potentials.__getitem__, kinds) if not isinstance(p, Table)]
    tables = (_SCOPE_BYTES + _CUT_BYTES * (len(graph.evidence) > 0)) * factor_count
    pieces = _PIECE_BYTES * len(kinds) + _PART_BYTES * sum([len(p.shape) for p in others])
    pruning = _HOLDING_BYTES * min(edges, graph.variable_count) + _HELD_BYTES * edges
    reason = _size_of(graph) if factors is None else f"{factor_count:,} factors matter"
    listing = tables + _ARGUMENT_BYTES * edges + pieces
    planning.check(listing + pruning, reason)
    planning.take(listing, reason)


def check_ordering(reduction: Reduction, planning: Planning) -> None:
    """See to it that there is room for an order of elimination, before one is looked for."""
    if len(reduction.scopes) > _SMALL:
        least, passing = ordering_bytes(reduction.scopes)
        reason = f"{len(reduction.scopes):,} tables are left by evidence and pruning"
        planning.check(max(least, passing), reason)


def _is_small(graph: FactorGraph) -> bool:
    return graph.variable_count + graph.factor_count + graph.edge_count <= _SMALL


def _size_of(graph: FactorGraph) -> str:
    counts = counted(graph.variable_count, "variable"), counted(graph.factor_count, "factor")
    return f"the factor graph has {counts[0]} and {counts[1]}"
