"""Histograms of samples of a lifted model, and the random numbers for what is written out later.

Every stream of random numbers belongs to a step and a batch of samples, so that the order in which
things are read changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from liftgraph.inference.lifted.sampling.cells import Cells, drawn_cells
from liftgraph.inference.lifted.sampling.steps import Draw, Posterior, Split, values_of
from liftgraph.inference.lifted.terms import choices
from liftgraph.inference.tensor.chance import Chance, Integers
from liftgraph.inference.tensor.drawing import draw_back
from liftgraph.model.arrays import digits
from liftgraph.semiring import CHUNK

_PURPOSES = ("section", "group", "cells", "counted", "draw", "split", "free", "free split")
# The sample of each in its batch, its code, and how many substitutions have it.
Surroundings = tuple[Integers, Integers, Integers]


@dataclass(eq=False)
class Histograms:
    """What is drawn of a lifted model in ``count`` samples before individuals are written out.

    ``seed``, ``memory_limit``: those of the sample.
    ``single``: the states of shards without logvars, by sample; ``cells``: those of the individuals
    of each group, and ``group_of``: the group of each shard with one logvar.
    """

    posterior: Posterior[Any]
    count: int
    seed: int
    memory_limit: int
    single: dict[int, Integers] = field(default_factory=dict)
    cells: list[Cells] = field(default_factory=list)
    group_of: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        posterior = self.posterior
        for number, section in enumerate(posterior.compiled.sections):
            chance = self.chance("section", number)
            values, products = posterior.values, section.products
            drawn = draw_back(posterior.semiring, products, values, self.count, chance)
            for label, states in drawn.items():
                self.single[section.variables[label]] = states.astype(np.int64)
        for number, group in enumerate(posterior.groups):
            chance = self.chance("group", number)
            cells = drawn_cells(posterior, group, self.single, self.count, chance)
            self.cells.append(cells)
            self.group_of |= dict.fromkeys(cells.columns, number)

    def chance(self, purpose: str, *key: int) -> Chance:
        """The random numbers for a purpose."""
        return Chance(self.seed, (_PURPOSES.index(purpose), *key))

    @cached_property
    def batch_size(self) -> int:
        """How many samples are written out together: as many as are cheap."""
        return max(CHUNK // max(self.posterior.shards.model.variable_count, 1), 1)

    def samples(self, batch: int) -> range:
        """The samples of a batch."""
        start = batch * self.batch_size
        return range(start, min(start + self.batch_size, self.count))

    @property
    def batches(self) -> range:
        """The numbers of all batches."""
        return range(-(-self.count // self.batch_size))

    def split(self, draw: Draw, batch: int, surroundings: Surroundings) -> Split:
        """How many substitutions get each joint state; a row for each of the ``surroundings``."""
        sizes = values_of(self.posterior.world, draw.rest)
        _, present, counts = surroundings
        columns = digits(present, sizes)
        return self.posterior.split(draw, columns, counts, self.chance("split", draw.number, batch))

    def free_key(self, shard: int) -> tuple[int, ...]:
        """What the random numbers of a shard in no factor belong to: its PRV and its parts."""
        prv, (parts, equal) = self.posterior.world.shards[shard].key
        return (prv, *parts, *equal)

    def free_split(self, shard: int, batch: int) -> Split:
        """How many variables of a shard in no factor are in each state, in each sample."""
        samples = len(self.samples(batch))
        kind = object if self.posterior.exact else np.float64
        weights = np.ones((1, self.posterior.world.shards[shard].values), dtype=kind)
        chance = self.chance("free split", *self.free_key(shard), batch)
        sizes = np.full(samples, self.size(shard))
        shares = chance.shares(weights, np.zeros(samples, dtype=np.int64), sizes)
        rows, states = shares.nonzero()
        return Split(rows, states, shares[rows, states])

    def size(self, shard: int) -> int:
        """How many variables a shard has."""
        described = self.posterior.world.shards[shard]
        return choices(self.posterior.world.sizes, described.parts) // len(described.swaps)
