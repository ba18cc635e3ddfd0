"""Where the distribution of a shard's variables is read off: from a table that has them."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.terms import Term, World, canonical
from liftgraph.inference.tensor.counting import cell_counts


@dataclass(frozen=True)
class Source:
    """A term, an axis of its, and the slot there if it counts."""

    term: Term
    axis: int
    slot: int


def sources(compiled: Compiled, wanted: Collection[int]) -> dict[int, Source]:
    """For each shard the smallest table that has it; there may be none."""
    world, found = compiled.world, dict[int, Source]()
    for term in compiled.shattered.terms:
        for axis, (shard, _) in enumerate(term.axes):
            counting = world.shards[shard].counting
            inner = [shard] if counting is None else [slot.shard for slot in counting.slots]
            for slot, each in enumerate(inner):
                known = found.get(each)
                if each in wanted and (
                    known is None or term.tensor.entries < known.term.tensor.entries
                ):
                    found[each] = Source(term, axis, slot)
    return found


def read_off(world: World, source: Source, flow: NDArray[Any]) -> NDArray[Any]:
    """The flow through the states of a variable: of an axis, or counted there.

    A term has one factor for all substitutions that its group takes to each other, and which of
    them the flow went through is arbitrary: it is added up over the axes they take the axis to.
    """
    term = source.term
    shard, logvars = term.axes[source.axis]
    images = dict.fromkeys(
        canonical(world, (shard, tuple(swap[v] for v in logvars))) for swap in term.group
    )
    return np.asarray(sum(_along(world, source, term.axes.index(each), flow) for each in images))


def _along(world: World, source: Source, axis: int, flow: NDArray[Any]) -> NDArray[Any]:
    shard = world.shards[source.term.axes[axis][0]]
    others = tuple(each for each in range(flow.ndim) if each != axis)
    own = flow.sum(axis=others) if others else flow
    if shard.counting is None:
        return np.asarray(own)
    shape = shard.counting.shape
    counts = cell_counts(shard.counting.number, math.prod(shape))
    cells = np.asarray(own @ counts.astype(own.dtype)).reshape(shape)
    gone = tuple(each for each in range(len(shape)) if each != source.slot)
    return np.asarray(cells.sum(axis=gone)) if gone else cells
