"""The pieces of a graph's potentials: what elimination multiplies and sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.model.ground.count_potential import MOST_ENTRIES
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import MAX_ARGUMENTS, Potential, Table

_FEW = 64  # entries of a table
_EXPANDED_BYTES = 330  # an entry of a noisy-MAX as a fraction, while its table is made
_AXES = tuple(range(MAX_ARGUMENTS))
Source = tuple[int, int]  # the index of a potential of the graph, and of one of its pieces


class Pieces(NamedTuple):
    """What a potential is made of.

    ``integers``: those of each piece; ``bits``: of the longest one. ``axes``: the axes of the
    potential that each piece has. ``hidden``: the sizes of the axes beyond the arguments.
    ``whole``: whether it is one piece with the arguments as its axes, as tables are. ``adds``:
    the pieces that only add up indices.
    """

    integers: tuple[NDArray[Any], ...]
    bits: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    hidden: tuple[int, ...]
    whole: bool
    adds: frozenset[int] = frozenset()


class _Listed(dict[int, Pieces]):
    """The pieces of potentials by their index; each is examined when it is first read."""

    def __init__(self, potentials: Sequence[Potential]) -> None:
        super().__init__()
        self._potentials = potentials

    def __missing__(self, index: int) -> Pieces:
        pieces = self[index] = _pieces(self._potentials[index])
        return pieces


class GraphPieces(NamedTuple):
    """The pieces of all potentials of a graph, by their index.

    ``hidden_start``: the first hidden variable of each factor, int64 (m,); None if there are no
    hidden variables. ``sizes``: the number of states of each variable, then of each hidden one.
    """

    listed: Mapping[int, Pieces]
    hidden_start: NDArray[np.int64] | None
    sizes: list[int]


_PIECES: Memo[None, GraphPieces] = Memo("pieces of potentials", most=1)
_SCALES: Memo[None, list[tuple[Fraction, int]]] = Memo("scales of potentials", most=1)
# What a piece sums to over an axis, if that is the same everywhere.
_SUMS: Memo[tuple[Source, int], int | None] = Memo("constant sums", most=4096)


def graph_pieces(graph: FactorGraph) -> GraphPieces:
    """The pieces of a graph's potentials, remembered for all of its questions."""
    return _PIECES.get(graph.cache, None, lambda: _graph_pieces(graph))


def _graph_pieces(graph: FactorGraph) -> GraphPieces:
    listed = _Listed(graph.potentials)
    return GraphPieces(listed, *_hidden_variables(graph, listed))


def _hidden_variables(
    graph: FactorGraph, listed: Mapping[int, Pieces]
) -> tuple[NDArray[np.int64] | None, list[int]]:
    """The first hidden variable of each factor, and the sizes of all variables."""
    sizes: list[int] = graph.cardinalities.tolist()
    others = [kind for kind, p in enumerate(graph.potentials) if not isinstance(p, Table)]
    counts = np.zeros(len(graph.potentials), dtype=np.int64)
    counts[others] = [len(listed[kind].hidden) for kind in others]
    if not counts.any():
        return None, sizes
    hidden = counts[graph.table_id]
    start = len(sizes) + np.cumsum(hidden) - hidden
    for factor in np.flatnonzero(hidden).tolist():
        sizes.extend(listed[int(graph.table_id[factor])].hidden)
    return start, sizes


def _pieces(potential: Potential) -> Pieces:
    if isinstance(potential, Table):
        integers = potential.integers
        return Pieces((integers,), (_bits(integers),), (_AXES[: integers.ndim],), (), True)
    pieces, arity = potential.pieces(), len(potential.shape)
    hidden: dict[int, int] = {}
    for piece in pieces:
        if max(piece.axes, default=-1) >= arity:
            hidden.update(zip(piece.axes, piece.integers.shape, strict=True))
    return Pieces(
        tuple([piece.integers for piece in pieces]),
        tuple([1 if piece.adds else _bits(piece.integers) for piece in pieces]),
        tuple([piece.axes for piece in pieces]),
        tuple([hidden.get(axis, 1) for axis in range(arity, max(hidden, default=-1) + 1)]),
        len(pieces) == 1 and pieces[0].axes == tuple(range(arity)),
        frozenset([place for place, piece in enumerate(pieces) if piece.adds]),
    )


def maximising_bytes(graph: FactorGraph) -> int:
    """A bound on the bytes that ``maximisable`` takes; those that it refuses do not count."""
    entries = [prod(p.shape) for p in graph.potentials if isinstance(p, NoisyMax)]
    return _EXPANDED_BYTES * sum([size for size in entries if size <= MOST_ENTRIES])


def maximisable(graph: FactorGraph) -> FactorGraph:
    """The graph with tables for potentials whose hidden axes have to be summed out."""
    if not any(isinstance(potential, NoisyMax) for potential in graph.potentials):
        return graph
    whole = [p.table() if isinstance(p, NoisyMax) else p for p in graph.potentials]
    return replace(graph, potentials=tuple(whole))


def _bits(integers: NDArray[Any]) -> int:
    """Of the longest integer. Lists are quicker where there are few."""
    if integers.size > _FEW:
        return int(integers.max()).bit_length()
    return int(max(integers.ravel().tolist())).bit_length()


def constant_sum(graph: FactorGraph, source: Source, axis: int) -> int | None:
    """The sum of a piece over an axis if it is the same everywhere, else None; kept.

    The sum is then the same for every slice of the piece, too.
    """

    def computed() -> int | None:
        pieces, place = graph_pieces(graph).listed[source[0]], source[1]
        if place in pieces.adds:  # for two indices there is one sum
            return 1 if axis == 2 else None
        return sum_if_constant(pieces.integers[place], axis)

    return _SUMS.get(graph.cache, (source, axis), computed)


def sum_if_constant(integers: NDArray[Any], axis: int) -> int | None:
    """The sum of an array over an axis if it is the same everywhere, else None."""
    if integers.dtype != object and int(integers.max()) >= 2**62 // integers.shape[axis]:
        integers = integers.astype(object)
    sums = np.asarray(integers.sum(axis=axis)).ravel()
    return int(sums[0]) if (sums == sums[0]).all() else None


def graph_scales(graph: FactorGraph) -> list[tuple[Fraction, int]]:
    """The scale of each potential that occurs, and how many factors have it; kept."""

    def listed() -> list[tuple[Fraction, int]]:
        kinds, counts = np.unique(graph.table_id, return_counts=True)
        pairs = zip(kinds.tolist(), counts.tolist(), strict=True)
        return [(graph.potentials[kind].scale, count) for kind, count in pairs]

    return _SCALES.get(graph.cache, None, listed)
