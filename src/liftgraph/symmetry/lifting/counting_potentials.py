"""Count factors and noisy-ORs as potentials of counting variables, and the check that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import MemoryLimitError
from liftgraph.model.arrays import inverse
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import MAX_ARGUMENTS, Potential, Shared, Table
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.origin import given_potentials
from liftgraph.model.lifted.parfactor import CRV, Argument, Parfactor, width
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

T = TypeVar("T")
_MOST_ENTRIES = 1 << 20  # of a table over histograms
# Places of arguments in a scope; and whether they are counted, or there is just one.
Block = tuple[NDArray[np.integer[Any]], bool]


class ManyGroupsError(MemoryLimitError):
    """The arguments of a count factor are too many groups, or not those of counting variables."""


def counting_potential(potential: Potential, blocks: Sequence[Block]) -> Potential | None:
    """A wide potential as one over blocks of its arguments, in the order of the blocks; None if
    arguments of a block do not all contribute alike, or the order is another.

    Counted arguments come first, then further ones, each in a block of its own. A table with too
    many entries is refused.
    """
    if isinstance(potential, NoisyMax):
        return _noisy_max(potential, blocks)
    assert isinstance(potential, CountPotential)
    return _table(potential, blocks)


def _alike(contributed: Shared[T], blocks: Sequence[Block]) -> list[T] | None:
    """What all arguments of each block contribute; None if they do not contribute alike."""
    listed = []
    for places, _ in blocks:
        if places.max() >= len(contributed.index):
            return None
        of_block = contributed.index[places]
        if (of_block != of_block[0]).any():
            return None
        listed.append(contributed.distinct[of_block[0]])
    return listed


def _are_last(blocks: Sequence[Block], first: int) -> bool:
    """Whether these blocks are single arguments, the given one and those after it."""
    expected = range(first, first + len(blocks))
    return [(place.tolist(), counts) for place, counts in blocks] == [
        ([k], False) for k in expected
    ]


def _noisy_max(potential: NoisyMax, blocks: Sequence[Block]) -> CountingNoisyMax | None:
    causes = _alike(potential.shared, blocks[:-1])
    if causes is None or not _are_last(blocks[-1:], len(potential.causes)):
        return None
    numbers = tuple([len(places) if counts else 0 for places, counts in blocks[:-1]])
    return CountingNoisyMax(tuple(causes), numbers, potential.leak, potential.ranks)


def _table(potential: CountPotential, blocks: Sequence[Block]) -> Table | None:
    """The weights of all sums, for each choice of histograms."""
    further = len(potential.shape) - len(potential.addends)
    counted = blocks[: len(blocks) - further]
    addends = _alike(potential.shared, counted)
    if addends is None or not _are_last(blocks[len(counted) :], len(potential.addends)):
        return None
    _check_entries(potential, counted, addends)
    sums = np.zeros((), dtype=np.int64)
    for (places, counts), adds in zip(counted, addends, strict=True):
        states = len(adds)
        rows = histograms(len(places), states) if counts else np.eye(states, dtype=np.int64)
        sums = sums[..., None] + rows @ np.array(adds)
    if potential.weights is None:
        integers = (sums[..., None] == np.arange(potential.sums)).astype(np.int64)
    else:
        integers = potential.weights.integers[sums]
    divisor = int(np.gcd.reduce(integers, axis=None)) or 1  # some sums may be impossible
    scale = potential.scale * divisor if integers.any() else potential.scale
    return Table(integers // divisor, scale, potential.measured)


def _check_entries(
    potential: CountPotential, counted: Sequence[Block], addends: Sequence[tuple[int, ...]]
) -> None:
    """Refuse a table with too many entries."""
    sizes = [
        histogram_count(len(places), len(adds)) if counts else len(adds)
        for (places, counts), adds in zip(counted, addends, strict=True)
    ]
    shape = (*sizes, *potential.shape[len(potential.addends) :])
    if len(shape) > MAX_ARGUMENTS or prod(shape) > _MOST_ENTRIES:
        raise ManyGroupsError(
            f"a count factor over {len(potential.shape):,} variables in {len(shape):,} groups needs"
            f" a table of {format_count(prod(shape))} entries, expected {_MOST_ENTRIES:,} at most"
        )


def argument_blocks(arguments: Sequence[Argument], order: NDArray[np.integer[Any]]) -> list[Block]:
    """The places in a scope of each argument of a parfactor. ``order``: of all, one by one."""
    ends = np.cumsum([width(argument) for argument in arguments])[:-1]
    counts = [isinstance(argument, CRV) for argument in arguments]
    return [*zip(np.split(order, ends), counts, strict=True)]


def counts_alike(model: ParfactorGraph, graph: FactorGraph) -> bool:
    """Whether all factors of a graph that are no tables are what their parfactors say.

    Precondition: the scopes of the model are those of the graph, and so are these potentials.
    """
    origin = model.origin
    if origin is None:
        return True
    given_factor = inverse(origin.factors)
    for index, start in given_potentials(model.parfactors, origin).items():
        parfactor = model.parfactors[index]
        seen = set[tuple[int, int, bytes]]()
        for factor in given_factor[start : start + parfactor.size].tolist():
            order = origin.argument_order[graph.scope_ptr[factor] : graph.scope_ptr[factor + 1]]
            scale = origin.scales[origin.scale_id[factor]]
            key = int(graph.table_id[factor]), int(origin.scale_id[factor]), order.tobytes()
            if key not in seen and not _counts_alike(parfactor, scale, graph, factor, order):
                return False
            seen.add(key)
    return True


def _counts_alike(
    parfactor: Parfactor,
    scale: Fraction,
    graph: FactorGraph,
    factor: int,
    order: NDArray[np.integer[Any]],
) -> bool:
    """Whether a factor is what its parfactor says, times a scale."""
    given = graph.potentials[graph.table_id[factor]]
    counted = counting_potential(given, argument_blocks(parfactor.arguments, order))
    potential = parfactor.potential
    if isinstance(potential, Table):
        return counted == replace(potential, scale=potential.scale * scale)
    return scale == 1 and counted == potential
