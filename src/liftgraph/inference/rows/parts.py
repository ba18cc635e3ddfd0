"""What a group of rows leaves of a factor graph: independent parts, looked up row by row.

The rows observe the same variables, in different states. Which tables matter depends on the
variables only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from liftgraph.cache import Memo
from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.ground.pattern import fixed_variables
from liftgraph.inference.ground.pieces import Source, graph_pieces
from liftgraph.inference.ground.planning import take_reducing, take_walk
from liftgraph.inference.ground.reduction import Reduction, SlicedPiece, prune, reduce_graph
from liftgraph.inference.ground.relevance import relevant
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Planning

# Whether a piece of a potential has a zero.
_ZEROS: Memo[Source, bool] = Memo("pieces with zeros", most=4096)


class RowTable(NamedTuple):
    """A piece of a potential over ``scope``, its free variables; each row has a part of it.

    A piece of no potential that has an observed variable says what each row observes of it: one in
    its state and zero in the others, or ones where the value is missing.
    """

    scope: Scope
    piece: SlicedPiece


class Part(NamedTuple):
    """Tables that are independent of all others, given the observed variables.

    ``observed``: the variables whose states matter here, which differ from row to row, increasing.
    ``asked``: the free variable that is asked for. Without one, only whether the part has any
    weight matters.
    """

    tables: list[RowTable]
    observed: Scope
    asked: int | None


def parts_of(
    graph: FactorGraph,
    asked: int,
    observed: Collection[int],
    sometimes: Collection[int] = (),
    planning: Planning | None = None,
) -> list[Part]:
    """What matters for the distribution of a variable if these variables are observed.

    ``sometimes``: variables that are observed in some rows only. Parts without the asked variable
    are those that may have no weight in some rows, which are impossible then. ``planning``: what
    planning takes is charged there. Precondition: the graph itself observes none of the variables.
    Raises ``ZeroWeightError`` where nothing is possible, whatever the states are.
    """
    room = planning or Planning(MEMORY_LIMIT)
    take_walk(graph, room, len(observed))
    fixed = fixed_variables(graph, observed)
    doubtful = [variable for variable in sometimes if variable not in fixed]
    varying = frozenset([*observed, *doubtful])
    relevance = relevant(graph, observed, [asked, *doubtful])
    parts: list[Part] = []
    for place, factors in enumerate([relevance.factors, *relevance.unproven]):
        asked_here = [] if place or asked in fixed else [asked]
        kept = [] if place else [*asked_here, *doubtful]
        take_reducing(graph, room, factors)
        reduction = prune(graph, reduce_graph(graph, fixed, kept, factors), kept)
        for variable in kept[len(asked_here) :]:
            reduction.scopes.append((variable,))
            reduction.pieces.append(SlicedPiece(None, 1, (variable,)))
        parts += _connected(reduction, asked_here, varying)
    return [part for part in parts if part.asked is not None or _may_vanish(graph, part)]


def _may_vanish(graph: FactorGraph, part: Part) -> bool:
    sources = [table.piece.source for table in part.tables]
    return any(_has_zero(graph, source) for source in sources if source is not None)


def _has_zero(graph: FactorGraph, source: Source) -> bool:
    kind, place = source
    pieces = graph_pieces(graph).listed[kind]
    return _ZEROS.get(
        graph.cache, source, lambda: place in pieces.adds or not pieces.integers[place].all()
    )


def _connected(reduction: Reduction, wanted: Sequence[int], observed: frozenset[int]) -> list[Part]:
    """The parts of what is left of some factors; pruning may have cut them apart."""
    together: DisjointSets[int] = DisjointSets()
    for scope in reduction.scopes:
        together.join(scope)
    grouped: dict[int, list[RowTable]] = {}
    for table in map(RowTable, reduction.scopes, reduction.pieces):
        grouped.setdefault(together.find(table.scope[0]), []).append(table)
    asked = {together.find(variable): variable for variable in wanted}
    parts = [(tables, asked.get(root)) for root, tables in grouped.items()]
    parts += [([RowTable((), piece)], None) for piece in reduction.settled]
    return [Part(tables, _varying(tables, observed), root) for tables, root in parts]


def _varying(tables: Sequence[RowTable], observed: frozenset[int]) -> Scope:
    here = {variable for table in tables for variable in table.piece.observed}
    return tuple(sorted(observed & here))
