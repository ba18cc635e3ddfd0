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
class Reading:
    """Where to read: a term, one of its axes, and which slot of the axis if it counts."""

    term: Term
    axis: int
    slot: int


def readings(compiled: Compiled, wanted: Collection[int]) -> dict[int, Reading]:
    """For each wanted shard, the smallest table that has it, if any."""
    world, smallest = compiled.world, dict[int, Reading]()
    for term in compiled.shattered.terms:
        for axis, (index, _) in enumerate(term.axes):
            counting = world.shards[index].counting
            inner = [index] if counting is None else [slot.shard for slot in counting.slots]
            for slot, shard in enumerate(inner):
                before = smallest.get(shard)
                if shard in wanted and (
                    before is None or term.tensor.entries < before.term.tensor.entries
                ):
                    smallest[shard] = Reading(term, axis, slot)
    return smallest


def read_off(world: World, reading: Reading, flow: NDArray[Any]) -> NDArray[Any]:
    """The flow through the states of a variable: the one of an axis, or one that the axis counts.

    A term has one factor for all substitutions in an orbit of its swaps, and the flow goes through
    an arbitrary one of them: so it is added up over all axes that the swaps take the axis to.
    """
    term = reading.term
    shard, logvars = term.axes[reading.axis]
    images = dict.fromkeys(
        canonical(world, (shard, tuple(swap[v] for v in logvars))) for swap in term.swaps
    )
    return np.asarray(sum(_along(world, reading, term.axes.index(axis), flow) for axis in images))


def _along(world: World, reading: Reading, axis: int, flow: NDArray[Any]) -> NDArray[Any]:
    shard = world.shards[reading.term.axes[axis][0]]
    others = tuple(place for place in range(flow.ndim) if place != axis)
    through_axis = flow.sum(axis=others) if others else flow
    if shard.counting is None:
        return np.asarray(through_axis)
    shape = shard.counting.shape
    counts = cell_counts(shard.counting.individuals, math.prod(shape))
    cells = np.asarray(through_axis @ counts.astype(through_axis.dtype)).reshape(shape)
    gone = tuple(slot for slot in range(len(shape)) if slot != reading.slot)
    return np.asarray(cells.sum(axis=gone)) if gone else cells
