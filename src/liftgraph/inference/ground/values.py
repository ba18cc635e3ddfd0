"""With the states, everything gets its value: tables are cut, and the products computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeVar

from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.inference.ground.pattern import Pattern, States, state_of
from liftgraph.inference.ground.pieces import Source, graph_pieces
from liftgraph.inference.ground.reduction import Reduction, SlicedPiece, impossible
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.tensors import Adding, Root, Tensor
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.plans import Progress
from liftgraph.semiring import Semiring

T = TypeVar("T")
_ALL = slice(None)
Powers = list[tuple[Fraction, int]]
_FEW = 64  # entries that are evaluated again rather than kept
# The tensor of each whole piece of a potential, in a semiring.
_TENSORS: Memo[tuple[Semiring[Any], Source | None], Any] = Memo("tensors", most=4096)
# What the states that the question observes do not change, by the graph's own evidence.
_STEADY: Memo[tuple[Semiring[Any], Evidence], dict[Tensor, Any]] = Memo("steady values", most=1)


def values_of(
    graph: FactorGraph,
    pattern: Pattern,
    states: States,
    semiring: Semiring[T],
    progress: Progress,
) -> Values[T]:
    """The value of the result, or of all tensors if the pattern keeps them.

    ``states``: those that the question observes beside the graph's own evidence.
    """
    changes, tensors = pattern.changes, pattern.section.tensors
    kept = len(changes.steady_products) / max(len(pattern.section.products), 1)

    def steady_values() -> dict[Tensor, T]:
        return _steady_values(graph, pattern, semiring, lambda done: progress(kept * done))

    values = Values(semiring)
    if changes.steady:
        values |= _STEADY.get(pattern.cache, (semiring, graph.evidence), steady_values)
    tables = zip([tensors[table] for table in changes.tables], changes.tables, strict=True)
    values |= table_values(graph, pattern.reduction, states, semiring, tables)
    return forward(
        semiring,
        changes.products,
        [Root(pattern.section.result, 1)],
        known=values,
        keeping=pattern.keeping,
        progress=lambda done: progress(kept + (1 - kept) * done),
    )


def _steady_values(
    graph: FactorGraph, pattern: Pattern, semiring: Semiring[T], progress: Progress
) -> dict[Tensor, T]:
    """The values of what does not change, and is read later."""
    changes, tensors = pattern.changes, pattern.section.tensors
    changing = set(changes.tables)
    leaves = range(pattern.section.tree.leaves)
    tables = [(tensors[table], table) for table in leaves if table not in changing]
    values = Values(semiring)
    values |= table_values(graph, pattern.reduction, {}, semiring, tables)
    roots = [Root(tensor, 1) for tensor in changes.steady]
    values = forward(semiring, changes.steady_products, roots, known=values, progress=progress)
    return {tensor: values[tensor] for tensor in changes.steady}


def table_values(
    graph: FactorGraph,
    reduction: Reduction,
    states: States,
    semiring: Semiring[T],
    tables: Iterable[tuple[Tensor, int]],
) -> dict[Tensor, T]:
    """The values of tables, given by their indices; each whole piece is evaluated once."""
    pieces, listed = reduction.pieces, graph_pieces(graph).listed
    parts: dict[SlicedPiece, T] = {}
    values: dict[Tensor, T] = {}
    for tensor, table in tables:
        if isinstance(tensor, Adding):
            continue
        piece = pieces[table] if pieces else None
        if piece is None or piece.source is None:
            values[tensor] = semiring.unit(tensor.shape)
            continue
        part = parts.get(piece)
        if part is None:
            kind, place = piece.source
            integers = listed[kind].integers[place]
            part = parts[piece] = _part(graph, states, semiring, piece, integers)
        values[tensor] = part
    return values


def _part(
    graph: FactorGraph,
    states: States,
    semiring: Semiring[T],
    piece: SlicedPiece,
    integers: NDArray[Any],
) -> T:
    """The value of a piece at the observed states. ``integers``: those of the whole piece."""
    if integers.size <= _FEW:
        whole = semiring.evaluate(integers, piece.bits)
    else:
        whole = _TENSORS.get(
            graph.cache, (semiring, piece.source), lambda: semiring.evaluate(integers, piece.bits)
        )
    if not piece.observed:
        return whole
    index = [_ALL if v is None else state_of(graph, states, v) for v in piece.observed]
    return semiring.part(whole, tuple(index))


def settled(graph: FactorGraph, reduction: Reduction, states: States) -> Powers:
    """The values of pieces without a free variable, and how often each occurs.

    Raises ``ZeroWeightError`` where one is zero.
    """
    if not reduction.settled:
        return []
    listed = graph_pieces(graph).listed
    values: Counter[int] = Counter()
    for source, _, observed, _ in reduction.settled:
        assert source is not None
        place = tuple([state_of(graph, states, v) for v in observed if v is not None])
        values[int(listed[source[0]].integers[source[1]][place])] += 1
    if values[0]:
        raise impossible()
    return [(Fraction(value), count) for value, count in values.items()]
