"""Linear maps from the histograms of one moment to those of another, in stages.

A stage is a matrix of a special form, never written out: each entry goes to several places with
its own weights (``Spread``), or to one (``Collect``), or blocks of entries are multiplied with
matrices (``Blocks``). Backwards, a stage is its transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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

    ``source``: int64 (rows, p); ``matrix``: (p, q); ``target``: int64 (rows, q).
    """

    source: Indices
    matrix: Weights
    target: Indices


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
    for block in stage.blocks:
        source, matrix, target = block.source, block.matrix, block.target
        if back:
            source, matrix, target = target, matrix.T, source
        rows = weights[:, source].reshape(-1, source.shape[1])
        results[:, target] = arithmetic.product(rows, matrix).reshape(-1, *target.shape)
    return results


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
