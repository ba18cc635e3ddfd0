"""A factor graph cut down to what a question needs: evidence taken in, barren parts summed away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cache, Memo
from liftgraph.errors import ZeroWeightError
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Piece
from liftgraph.semiring import Index

_ALL = slice(None)
_SMALL = 1 << 16  # arrays with at most this many entries in all are examined together
Source = tuple[int, int]  # the index of a potential of the graph, and of one of its pieces


class Pieces(NamedTuple):
    """What a potential is made of.

    ``integers``: those of each piece; ``bits``: of the longest one. ``axes``: the axes of the
    potential that each piece has. ``hidden``: the sizes of the axes beyond the arguments.
    """

    integers: tuple[NDArray[Any], ...]
    bits: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    hidden: tuple[int, ...]


class GraphPieces(NamedTuple):
    """The pieces of all potentials of a graph, by their index.

    ``whole``: the potentials that are one piece with their arguments as its axes, as tables are.
    ``entries``: those of all pieces together; ``bits``: of the longest integer.
    """

    listed: list[Pieces]
    whole: frozenset[int]
    entries: int
    bits: int


_PIECES: Memo[None, GraphPieces] = Memo("pieces of potentials", most=1)
# What a piece sums to over an axis, if that is the same everywhere.
_SUMS: Memo[tuple[Source, int], int | None] = Memo("constant sums", most=4096)


class SlicedPiece(NamedTuple):
    """A piece of a potential with some of its axes at a fixed state.

    ``integers``: those of the whole piece; ``bits``: of the longest one. ``slices``: what is left
    of it. ``source``: which piece it is; None for a table of ones that is in no potential.
    """

    source: Source | None
    integers: NDArray[Any]
    bits: int
    slices: Index

    @property
    def sliced(self) -> NDArray[Any]:
        """The integers that are left."""
        whole = self.slices.count(_ALL) == len(self.slices)
        return self.integers if whole else np.asarray(self.integers[self.slices])


@dataclass(frozen=True)
class Reduction:
    """Tables over variables that are still free, times constants.

    ``sizes``: the number of states of each variable of the graph, then of the hidden variables
    inside potentials. ``scopes``: free variables of each table; every variable that matters is
    in one. ``pieces``: distinct pieces; ``piece_ids``: which one each table is.
    ``constants``: positive factors of the total weight and how often each occurs.
    ``fixed``: the state of each variable that is not free: observed, or with one state only.
    """

    sizes: list[int]
    scopes: list[Scope]
    pieces: list[SlicedPiece]
    piece_ids: list[int]
    constants: list[tuple[Fraction, int]]
    fixed: dict[int, int]


def reduce_graph(graph: FactorGraph) -> Reduction:
    """Take in the evidence: slice the pieces of potentials and set aside what no longer varies.

    Raises ``ZeroWeightError`` where a table is zero for every state that the evidence allows.
    """
    sizes = graph.cardinalities.tolist()
    fixed = dict.fromkeys(np.flatnonzero(graph.cardinalities == 1).tolist(), 0)
    fixed.update(graph.evidence)
    pieces = graph_pieces(graph)
    ids: dict[tuple[int, int, tuple[int | None, ...]], int] = {}
    scopes: list[Scope] = []
    piece_ids: list[int] = []
    settled: Counter[int] = Counter()  # pieces without a free variable
    ends, scope, kinds = graph.scope_ptr.tolist(), graph.scope.tolist(), graph.table_id.tolist()
    for factor, potential in enumerate(kinds):
        arguments = scope[ends[factor] : ends[factor + 1]]
        whole = potential in pieces.whole
        scopes_here = (arguments,) if whole else _scopes(pieces.listed[potential], arguments, sizes)
        for place, variables in enumerate(scopes_here):
            states = tuple([fixed.get(variable) for variable in variables])
            piece_id = ids.setdefault((potential, place, states), len(ids))
            free = tuple([variable for variable in variables if variable not in fixed])
            if free:
                scopes.append(free)
                piece_ids.append(piece_id)
            else:
                settled[piece_id] += 1
    sliced = [_sliced(pieces.listed[kind], (kind, place), states) for kind, place, states in ids]
    _cover(range(graph.variable_count), sizes, fixed, scopes, piece_ids, sliced)
    scales = [(graph.potentials[kind].scale, count) for kind, count in Counter(kinds).items()]
    values = Counter[int]()
    for piece_id, count in settled.items():
        values[int(sliced[piece_id].sliced)] += count
    return Reduction(sizes, scopes, sliced, piece_ids, scales + _checked(values), fixed)


def graph_pieces(graph: FactorGraph) -> GraphPieces:
    """The pieces of a graph's potentials, remembered for all of its questions."""

    def listed() -> GraphPieces:
        parts = [potential.pieces() for potential in graph.potentials]
        arrays = [piece.integers for pieces in parts for piece in pieces]
        bits = _longest_bits(arrays)
        bits_left = iter(bits)
        arities = [len(potential.shape) for potential in graph.potentials]
        listed = [_pieces(*pair, bits_left) for pair in zip(parts, arities, strict=True)]
        whole = [
            potential
            for potential, (pieces, arity) in enumerate(zip(listed, arities, strict=True))
            if len(pieces.axes) == 1 and pieces.axes[0] == tuple(range(arity))
        ]
        size = sum([array.size for array in arrays])
        return GraphPieces(listed, frozenset(whole), size, max(bits, default=1))

    return _PIECES.get(graph.cache, None, listed)


def _pieces(pieces: Sequence[Piece], arity: int, bits: Iterator[int]) -> Pieces:
    hidden: dict[int, int] = {}
    for piece in pieces:
        if max(piece.axes, default=-1) >= arity:
            hidden.update(zip(piece.axes, piece.integers.shape, strict=True))
    return Pieces(
        tuple([piece.integers for piece in pieces]),
        tuple([next(bits) for _ in pieces]),
        tuple([piece.axes for piece in pieces]),
        tuple([hidden.get(axis, 1) for axis in range(arity, max(hidden, default=-1) + 1)]),
    )


def _longest_bits(arrays: Sequence[NDArray[Any]]) -> list[int]:
    """The bits of the longest integer of each array; small arrays are examined together."""
    ends = list(accumulate([array.size for array in arrays], initial=0))
    if ends[-1] > _SMALL or any(array.dtype != np.int64 for array in arrays) or not arrays:
        return [int(array.max()).bit_length() for array in arrays]
    flat = np.concatenate([array.ravel() for array in arrays])
    longest: list[int] = np.maximum.reduceat(flat, ends[:-1]).tolist()
    return [integer.bit_length() for integer in longest]


def _scopes(pieces: Pieces, arguments: list[int], sizes: list[int]) -> list[list[int]]:
    """The variables of each piece of a factor; its hidden variables get new indices."""
    variables = [*arguments, *range(len(sizes), len(sizes) + len(pieces.hidden))]
    sizes.extend(pieces.hidden)
    return [[variables[axis] for axis in axes] for axes in pieces.axes]


def _sliced(pieces: Pieces, source: Source, states: tuple[int | None, ...]) -> SlicedPiece:
    slices = tuple([_ALL if state is None else state for state in states])
    return SlicedPiece(source, pieces.integers[source[1]], pieces.bits[source[1]], slices)


def _cover(
    wanted: Iterable[int],
    sizes: list[int],
    fixed: Collection[int],
    scopes: list[Scope],
    piece_ids: list[int],
    pieces: list[SlicedPiece],
) -> None:
    """Give every wanted free variable that is in no table a table of ones."""
    covered = {variable for scope in scopes for variable in scope}
    units: dict[int, int] = {}
    for variable in wanted:
        if variable not in covered and variable not in fixed:
            size = sizes[variable]
            if size not in units:
                units[size] = len(pieces)
                pieces.append(_ones(size))
            scopes.append((variable,))
            piece_ids.append(units[size])


@lru_cache(maxsize=256)
def _ones(size: int) -> SlicedPiece:
    return SlicedPiece(None, np.ones(size, dtype=np.int64), 1, (_ALL,))


def _checked(constants: Counter[int]) -> list[tuple[Fraction, int]]:
    if constants[0]:
        raise impossible()
    return [(Fraction(value), count) for value, count in constants.items() if count]


def impossible() -> ZeroWeightError:
    """The error for a model in which no assignment is possible."""
    return ZeroWeightError(
        "every assignment that agrees with the evidence has weight zero: nothing is possible"
    )


def prune(reduction: Reduction, kept: Collection[int], cache: Cache) -> Reduction:
    """Sum away variables that are in one table only and sum to a constant there, repeatedly.

    These are the barren nodes of a Bayesian network (Shachter 1986). Integer sums find them,
    whatever the direction of the edges. ``cache`` remembers the sums of whole tables.
    """
    holding: dict[int, set[int]] = {}
    for table, scope in enumerate(reduction.scopes):
        for variable in scope:
            holding.setdefault(variable, set()).add(table)
    removed: set[int] = set()
    constants: Counter[int] = Counter()
    queue = [variable for variable, tables in holding.items() if len(tables) == 1]
    while queue:
        variable = queue.pop()
        if variable in kept or len(holding[variable]) != 1:
            continue
        (table,) = holding[variable]
        piece = reduction.pieces[reduction.piece_ids[table]]
        constant = _constant_sum(piece, reduction.scopes[table].index(variable), cache)
        if constant is None:
            continue
        constants[constant] += 1
        removed.add(table)
        for other in reduction.scopes[table]:
            holding[other].discard(table)
            if len(holding[other]) == 1:
                queue.append(other)
            elif not holding[other] and other != variable and other not in kept:
                constants[reduction.sizes[other]] += 1
    return _without(reduction, removed, constants, kept)


def _constant_sum(piece: SlicedPiece, free_axis: int, cache: Cache) -> int | None:
    """The sum of the whole piece over an axis if it is the same everywhere, else None.

    The sum is then the same for every slice of the piece, too.
    """
    if piece.source is None:
        return piece.integers.size
    free = [axis for axis, state in enumerate(piece.slices) if isinstance(state, slice)]
    axis, integers = free[free_axis], piece.integers
    return _SUMS.get(cache, (piece.source, axis), lambda: _sum_if_constant(integers, axis))


def _sum_if_constant(integers: NDArray[Any], axis: int) -> int | None:
    overflows = int(integers.max()) >= 2**62 // integers.shape[axis]
    wide = integers.astype(object) if overflows else integers
    sums = np.asarray(wide.sum(axis=axis)).ravel()
    return int(sums[0]) if (sums == sums[0]).all() else None


def _without(
    reduction: Reduction, removed: set[int], constants: Counter[int], kept: Collection[int]
) -> Reduction:
    left = [table for table in range(len(reduction.scopes)) if table not in removed]
    scopes = [reduction.scopes[table] for table in left]
    piece_ids = [reduction.piece_ids[table] for table in left]
    pieces = list(reduction.pieces)
    _cover(kept, reduction.sizes, reduction.fixed, scopes, piece_ids, pieces)
    return replace(
        reduction,
        scopes=scopes,
        pieces=pieces,
        piece_ids=piece_ids,
        constants=reduction.constants + _checked(constants),
    )
