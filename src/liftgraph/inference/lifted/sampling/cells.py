"""How many individuals of a part are in each joint state, in many samples at once.

Individuals of a part are alike, so that what is drawn of them is a histogram of their states, which
every further draw refines. Given the histogram, each arrangement of the individuals is equally
probable. It takes as many rows as there are different joint states, whatever the part's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from liftgraph.inference.lifted.sampling.steps import (
    Draw,
    Posterior,
    counting_of,
    derived,
    joint_cells,
    source_of,
    values_of,
)
from liftgraph.inference.lifted.terms import World
from liftgraph.inference.tensor.chance import Chance, Integers
from liftgraph.model.arrays import digits

T = TypeVar("T")


@dataclass(eq=False)
class Cells:
    """Rows by sample: ``count`` individuals in a joint state, all int64 (r,).

    ``sample``: increasing. ``columns``: the state of each shard that was drawn so far.
    """

    sample: Integers
    count: Integers
    columns: dict[int, Integers] = field(default_factory=dict)

    def rows(self, samples: range) -> slice:
        """The rows of some samples."""
        return slice(*np.searchsorted(self.sample, [samples.start, samples.stop]).tolist())

    def states(self, world: World, shard: int) -> Integers:
        """The state of a shard in each row."""
        if shard in self.columns:
            return self.columns[shard]
        return derived(world, shard, self.columns[source_of(world, shard)])

    def refine(self, rows: Integers, count: Integers, columns: Mapping[int, Integers]) -> None:
        """Replace rows by parts of them: ``rows`` says of which one each new row is a part."""
        self.sample, self.count = self.sample[rows], count
        self.columns = {shard: states[rows] for shard, states in self.columns.items()}
        self.columns.update(columns)


def drawn_cells(
    posterior: Posterior[T],
    group: list[int],
    single: Mapping[int, Integers],
    count: int,
    chance: Chance,
) -> Cells:
    """The joint states of a group of shards, in ``count`` samples.

    ``single``: the states of the shards without logvars in each sample.
    """
    world = posterior.world
    size = world.sizes[world.shards[group[0]].parts[0]]
    cells = Cells(np.arange(count), np.full(count, size, dtype=np.int64))
    jointly = {world.counted.get(shard) for shard in group}
    alone = [counting for counting in posterior.counted_alone if counting in jointly]
    if alone:
        # One at most: a step leaves a term with all that surrounds it, which is counted jointly.
        (counting,) = alone
        _begin(world, cells, counting, single[counting])
    for draw in posterior.draws:
        if len(draw.parts) == 1 and not set(group).isdisjoint([shard for shard, _ in draw.gone]):
            _refine(posterior, cells, draw, single, chance)
    return cells


def _begin(world: World, cells: Cells, counting: int, states: Integers) -> None:
    """Divide the individuals of each sample by the cells of its histogram."""
    histograms, slot_states = joint_cells(world.shards[counting])
    rows, cell = histograms[states].nonzero()
    slots = [slot.shard for slot in counting_of(world, counting).slots]
    columns = {shard: each[cell] for shard, each in zip(slots, slot_states, strict=True)}
    cells.refine(rows, histograms[states[rows], cell], columns)


def _refine(
    posterior: Posterior[T],
    cells: Cells,
    draw: Draw,
    single: Mapping[int, Integers],
    chance: Chance,
) -> None:
    """Draw states of further shards for the individuals in each row."""
    world = posterior.world
    around = [
        cells.states(world, shard) if logvars else single_states(world, single, shard)[cells.sample]
        for shard, logvars in draw.rest
    ]
    split = posterior.split(draw, around, cells.count, chance)
    found = digits(split.states, values_of(world, draw.gone))
    columns = {shard: states for (shard, _), states in zip(draw.gone, found, strict=True)}
    cells.refine(split.rows, split.counts, columns)


def single_states(world: World, single: Mapping[int, Integers], shard: int) -> Integers:
    """The states of a shard without logvars in each sample."""
    if shard in single:
        return single[shard]
    return derived(world, shard, single[source_of(world, shard)])
