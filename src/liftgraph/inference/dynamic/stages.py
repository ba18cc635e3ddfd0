"""Linear maps from the histograms of one moment to those of another, in stages.

A stage is a matrix of a special form, never written out: each entry goes to several places with
its own weights (``Spread``), or to one (``Collect``), or blocks of entries are multiplied with
matrices (``Blocks``). Backwards, a stage is its transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices, Weights


@dataclass(frozen=True, eq=False)
class Spread:
    """Entry j of the result is entry ``source[j]`` times ``weights[j]``.

    ``size``: how many entries there were. ``weights``: None if all are one.
    """

    source: Indices
    weights: Weights | None
    size: int


@dataclass(frozen=True, eq=False)
class Collect:
    """Entry j is multiplied with ``weights[j]`` and added to entry ``target[j]`` of the result.

    ``size``: how many entries there will be. ``weights``: None if all are one.
    """

    target: Indices
    weights: Weights | None
    size: int


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of entries, each multiplied with the same matrix.

    ``source``: int64 (rows, p), None for the next entries after those of the block before;
    ``matrix``: (p, q); ``target``: int64 (rows, q), or None.
    """

    rows: int
    source: Indices | None
    matrix: Weights
    target: Indices | None


@dataclass(frozen=True, eq=False)
class Blocks:
    """Every entry is in one block, and every entry of the result, too. ``sizes``: how many there
    were, and how many there will be."""

    blocks: tuple[Block, ...]
    sizes: tuple[int, int]


Stage = Spread | Collect | Blocks


def forwards(arithmetic: Arithmetic, stages: Sequence[Stage], weights: Weights) -> Weights:
    """From shape (b, n) to (b, m): weights sent through stages."""
    for stage in stages:
        weights = _sent(arithmetic, stage, weights, back=False)
    return weights


def backwards(arithmetic: Arithmetic, stages: Sequence[Stage], weights: Weights) -> Weights:
    """From shape (b, m) to (b, n): for each entry, what it contributes to the results times the
    weights of these."""
    for stage in reversed(stages):
        weights = _sent(arithmetic, stage, weights, back=True)
    return weights


def _sent(arithmetic: Arithmetic, stage: Stage, weights: Weights, back: bool) -> Weights:
    if isinstance(stage, Blocks):
        return _multiplied(arithmetic, stage, weights, back)
    index = stage.source if isinstance(stage, Spread) else stage.target
    if isinstance(stage, Spread) != back:  # each entry of the result comes from one entry
        taken = weights[:, index]
        if stage.weights is None:
            return taken
        return arithmetic.settled(arithmetic.times(taken, stage.weights))
    if stage.weights is not None:
        weights = arithmetic.times(weights, stage.weights)
    return arithmetic.collect(weights, index, stage.size)


def _multiplied(arithmetic: Arithmetic, stage: Blocks, weights: Weights, back: bool) -> Weights:
    results = arithmetic.full((len(weights), stage.sizes[0 if back else 1]), arithmetic.zero)
    read = written = 0
    for block in stage.blocks:
        source, matrix, target = block.source, block.matrix, block.target
        if back:
            source, matrix, target = target, matrix.T, source
        entries, results_here = block.rows * matrix.shape[0], block.rows * matrix.shape[1]
        read, written = read + entries, written + results_here
        here = slice(read - entries, read) if source is None else source.ravel()
        there = slice(written - results_here, written) if target is None else target.ravel()
        rows = weights[:, here].reshape(-1, matrix.shape[0])
        results[:, there] = arithmetic.product(rows, matrix).reshape(len(weights), -1)
    return results


def consecutive(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Stages of the same map, in which those around blocks put entries in the order of the blocks:
    reading and writing them one after the other is several times as fast."""
    arranged = list(stages)
    for place, stage in enumerate(arranged):
        if not isinstance(stage, Blocks):
            continue
        before = arranged[place - 1] if place else stage
        after = arranged[place + 1] if place + 1 < len(arranged) else stage
        if isinstance(before, Spread | Collect):
            order = _order([block.source for block in stage.blocks])
            arranged[place - 1] = _results_in(before, order)
            stage = Blocks(tuple([replace(b, source=None) for b in stage.blocks]), stage.sizes)
        if isinstance(after, Spread | Collect):
            order = _order([block.target for block in stage.blocks])
            arranged[place + 1] = _arguments_in(after, order)
            stage = Blocks(tuple([replace(b, target=None) for b in stage.blocks]), stage.sizes)
        arranged[place] = stage
    return tuple(arranged)


def _order(indices: Sequence[Indices | None]) -> Indices:
    return np.concatenate([index.ravel() for index in indices if index is not None])


def _inverse(order: Indices) -> Indices:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse


def _results_in(stage: Spread | Collect, order: Indices) -> Spread | Collect:
    """A stage whose results come in another order."""
    if isinstance(stage, Collect):
        return replace(stage, target=_inverse(order)[stage.target])
    weights = None if stage.weights is None else stage.weights[order]
    return replace(stage, source=stage.source[order], weights=weights)


def _arguments_in(stage: Spread | Collect, order: Indices) -> Spread | Collect:
    """A stage whose arguments come in another order."""
    if isinstance(stage, Spread):
        return replace(stage, source=_inverse(order)[stage.source])
    weights = None if stage.weights is None else stage.weights[order]
    return replace(stage, target=stage.target[order], weights=weights)


def stage_bytes(stages: Sequence[Stage]) -> int:
    """Bytes of all arrays of stages; integers of any size are not followed."""
    total = 0
    for stage in stages:
        arrays: list[Any] = []
        if isinstance(stage, Blocks):
            arrays = [a for b in stage.blocks for a in (b.source, b.matrix, b.target)]
        else:
            arrays = [stage.source if isinstance(stage, Spread) else stage.target, stage.weights]
        total += sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    return total
