"""A factor graph cut down to what a question needs: evidence taken in, barren parts summed away.

Which variables are observed decides what is left. In which states they are only says where tables
are cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from liftgraph.cache import Memo
from liftgraph.errors import ZeroWeightError
from liftgraph.inference.ground.pieces import GraphPieces, Source, constant_sum, graph_pieces
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.ground.factor_graph import FactorGraph

_FEW_ARGUMENTS = 1 << 17  # of all factors of a graph whose scopes are kept as tuples
_SCOPES: Memo[None, list[Scope]] = Memo("scopes of factors", most=1)


class SlicedPiece(NamedTuple):
    """A piece of a potential with some of its axes at the states of observed variables.

    ``source``: which piece it is; None for a table of ones that is in no potential. ``bits``: of
    the longest integer of the whole piece. ``observed``: for each axis the variable in whose state
    it is, None for an axis that is free; empty if all are free. ``adds``: whether it only adds up
    indices.
    """

    source: Source | None
    bits: int
    observed: tuple[int | None, ...]
    adds: bool = False


@dataclass(frozen=True)
class Reduction:
    """Tables over variables that are still free, times constants, whatever states are observed.

    ``sizes``: the number of states of each variable of the graph, then of the hidden variables
    inside potentials. ``scopes``: free variables of each table; every variable that matters is
    in one. ``pieces``: what each table is. ``settled``: pieces without a free variable.
    ``sums``: positive factors of the total weight from pruning, and how often each occurs.
    """

    sizes: Sequence[int]
    scopes: list[Scope]
    pieces: list[SlicedPiece]
    settled: list[SlicedPiece]
    sums: list[tuple[Fraction, int]]


def reduce_graph(
    graph: FactorGraph,
    fixed: Collection[int],
    wanted: Iterable[int],
    factors: Sequence[int] | None = None,
) -> Reduction:
    """Slice the pieces of some factors, or of all, and set aside those that no longer vary.

    ``fixed``: the variables that are not free: observed, or with one state only. ``wanted``: free
    variables that must be in a table.
    """
    pieces = graph_pieces(graph)
    wholes: dict[Source, SlicedPiece] = {}
    scopes: list[Scope] = []
    listed: list[SlicedPiece] = []
    settled: list[SlicedPiece] = []
    for source, variables in sources_and_scopes(graph, pieces, factors):
        bits = pieces.listed[source[0]].bits[source[1]]
        free = tuple([variable for variable in variables if variable not in fixed])
        if not free:
            settled.append(SlicedPiece(source, bits, variables))
            continue
        scopes.append(free)
        if len(free) == len(variables):
            whole = wholes.get(source)
            if whole is None:
                adds = source[1] in pieces.listed[source[0]].adds
                whole = wholes[source] = SlicedPiece(source, bits, (), adds)
            listed.append(whole)
        else:
            observed = tuple([v if v in fixed else None for v in variables])
            listed.append(SlicedPiece(source, bits, observed))
    reduction = Reduction(pieces.sizes, scopes, listed, settled, [])
    _cover(reduction, wanted)
    return reduction


def sources_and_scopes(
    graph: FactorGraph, pieces: GraphPieces, factors: Sequence[int] | None
) -> Iterator[tuple[Source, Scope]]:
    """Each piece of some factors, or of all, and its variables."""
    chosen = range(graph.factor_count) if factors is None else factors
    kinds = graph.table_id.tolist() if factors is None else graph.table_id[[*factors]].tolist()
    for factor, kind, arguments in zip(chosen, kinds, factor_scopes(graph, factors), strict=True):
        if pieces.listed[kind].whole:
            yield (kind, 0), arguments
        else:
            for place, scope in enumerate(_scopes(pieces, factor, kind, arguments)):
                yield (kind, place), scope


def factor_scopes(graph: FactorGraph, factors: Sequence[int] | None = None) -> Iterator[Scope]:
    """The scopes of some factors, or of all; those of a small graph are kept."""
    ends, scope = graph.scope_ptr, graph.scope
    if graph.edge_count > _FEW_ARGUMENTS and factors is not None:
        return (tuple(scope[ends[f] : ends[f + 1]].tolist()) for f in factors)
    if graph.edge_count > _FEW_ARGUMENTS:
        return _all_scopes(ends.tolist(), scope.tolist())
    kept = _SCOPES.get(graph.cache, None, lambda: list(_all_scopes(ends.tolist(), scope.tolist())))
    return iter(kept) if factors is None else map(kept.__getitem__, factors)


def _all_scopes(ends: list[int], scope: list[int]) -> Iterator[Scope]:
    return (tuple(scope[start:end]) for start, end in pairwise(ends))


def _scopes(pieces: GraphPieces, factor: int, kind: int, arguments: Scope) -> list[Scope]:
    """The variables of each piece of a factor, hidden ones included."""
    parts, variables = pieces.listed[kind], arguments
    if pieces.hidden_start is not None:
        start = int(pieces.hidden_start[factor])
        variables = (*arguments, *range(start, start + len(parts.hidden)))
    return [tuple([variables[axis] for axis in axes]) for axes in parts.axes]


def _cover(reduction: Reduction, wanted: Iterable[int]) -> None:
    """Give every wanted variable that is in no table a table of ones."""
    covered = {variable for scope in reduction.scopes for variable in scope}
    for variable in wanted:
        if variable not in covered:
            reduction.scopes.append((variable,))
            reduction.pieces.append(SlicedPiece(None, 1, ()))


def impossible() -> ZeroWeightError:
    """The error for a model in which no assignment is possible."""
    return ZeroWeightError(
        "every assignment that agrees with the evidence has weight zero: nothing is possible"
    )


def prune(graph: FactorGraph, reduction: Reduction, kept: Collection[int]) -> Reduction:
    """Sum away variables that are in one table only and sum to a constant there, repeatedly.

    These are the barren nodes of a Bayesian network (Shachter 1986). Integer sums find them,
    whatever the direction of the edges. Variables with constant sums are ``kept`` if they are
    asked for.
    """
    holding: dict[int, set[int]] = {}
    for table, scope in enumerate(reduction.scopes):
        for variable in scope:
            holding.setdefault(variable, set()).add(table)
    removed: set[int] = set()
    sums: Counter[int] = Counter()
    queue = [variable for variable, tables in holding.items() if len(tables) == 1]
    while queue:
        variable = queue.pop()
        if variable in kept or len(holding[variable]) != 1:
            continue
        (table,) = holding[variable]
        constant = _constant_sum(graph, reduction, table, variable)
        if constant is None:
            continue
        sums[constant] += 1
        removed.add(table)
        for other in reduction.scopes[table]:
            holding[other].discard(table)
            if len(holding[other]) == 1:
                queue.append(other)
            elif not holding[other] and other != variable and other not in kept:
                sums[reduction.sizes[other]] += 1
    return _without(reduction, removed, sums, kept)


def _constant_sum(
    graph: FactorGraph, reduction: Reduction, table: int, variable: int
) -> int | None:
    """The sum of a table over a variable if it is the same everywhere, else None."""
    source, observed = reduction.pieces[table].source, reduction.pieces[table].observed
    if source is None:
        return reduction.sizes[variable]
    axis = reduction.scopes[table].index(variable)
    if observed:
        axis = [axis for axis, cut in enumerate(observed) if cut is None][axis]
    return constant_sum(graph, source, axis)


def _without(
    reduction: Reduction, removed: set[int], sums: Counter[int], kept: Collection[int]
) -> Reduction:
    if sums[0]:
        raise impossible()
    left = [table for table in range(len(reduction.scopes)) if table not in removed]
    pruned = replace(
        reduction,
        scopes=[reduction.scopes[table] for table in left],
        pieces=[reduction.pieces[table] for table in left],
        sums=[(Fraction(value), count) for value, count in sums.items() if count],
    )
    _cover(pruned, kept)
    return pruned
