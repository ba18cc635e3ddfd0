"""Some samples, written out: the state of each variable of a shard.

What was drawn for all substitutions with the same surroundings is given to them in random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from liftgraph.inference.lifted.colourings import States
from liftgraph.inference.lifted.decisions import counted_variables, undecided
from liftgraph.inference.lifted.sampling.histograms import Histograms, Surroundings
from liftgraph.inference.lifted.sampling.steps import (
    Draw,
    Split,
    counting_of,
    derived,
    joint_cells,
    source_of,
    values_of,
)
from liftgraph.inference.lifted.terms import World, choices
from liftgraph.inference.tensor.cases import distinct_codes
from liftgraph.inference.tensor.chance import Chance, Integers
from liftgraph.inference.tensor.counting import Permutation
from liftgraph.model.arrays import digits
from liftgraph.model.lifted.substitutions import (
    cliques,
    orbit_representatives,
    substitutions,
)
from liftgraph.model.memory_limit import beyond_limit

_ITEM_BYTES = 120  # of a substitution while its state is chosen, beside its individuals


@dataclass(eq=False)
class Individuals:
    """The states of shards in a batch of samples, each written out when it is first needed."""

    histograms: Histograms
    batch: int
    known: dict[int, States] = field(default_factory=dict)

    @property
    def world(self) -> World:
        """All shards."""
        return self.histograms.posterior.world

    @property
    def samples(self) -> range:
        """The samples of the batch."""
        return self.histograms.samples(self.batch)

    def states(self, shard: int) -> States:
        """The states of a shard: int64, an axis for the samples, then one for each place.

        They are NO_VARIABLE where an individual would be in two places that need different ones.
        """
        if shard not in self.known:
            self._write(shard)
        return self.known[shard]

    def _write(self, shard: int) -> None:
        posterior, world = self.histograms.posterior, self.world
        source = source_of(world, shard)
        if shard in posterior.shards.observed:
            self.known[shard] = self._unwritten(shard)
            self.known[shard][...] = posterior.shards.observed[shard]
        elif source != shard:
            self.known[shard] = derived(world, shard, self.states(source))
        elif shard in self.histograms.single:
            drawn = self.histograms.single[shard]
            self.known[shard] = drawn[self.samples.start : self.samples.stop]
        elif shard in self.histograms.group_of:
            self._write_group(self.histograms.group_of[shard])
        elif shard in world.counted:
            self._write_counted(world.counted[shard])
        elif shard in posterior.drawn_by:
            self._write_draw(posterior.drawn_by[shard])
        else:
            self._write_free(shard)

    def _unwritten(self, shard: int) -> States:
        """An array for the states of a shard, filled with those of choices without a variable."""
        return np.repeat(undecided(self.world, shard)[None], len(self.samples), 0)

    def _write_group(self, group: int) -> None:
        """The individuals of a part are in its cells in random order."""
        cells, samples = self.histograms.cells[group], self.samples
        rows = cells.rows(samples)
        sizes = cells.count[rows]
        self._check(int(sizes.sum()), 1)
        blocks = np.repeat(cells.sample[rows], sizes)
        order = self.histograms.chance("cells", group, self.batch).arrangement(blocks)
        for shard, states in cells.columns.items():
            written = np.empty(len(order), dtype=np.int64)
            written[order] = np.repeat(states[rows], sizes)
            self.known[shard] = written.reshape(len(samples), -1)

    def _write_counted(self, counting: int) -> None:
        """In each context, the individuals are in the cells of its histogram in random order."""
        world = self.world
        described = counting_of(world, counting)
        histograms, slot_states = joint_cells(world.shards[counting])
        contexts = self.states(counting)
        chance = self.histograms.chance("counted", counting, self.batch)
        order = None
        for slot, states in zip(described.slots, slot_states, strict=True):
            parts = world.shards[slot.shard].parts
            self._check(len(self.samples) * choices(world.sizes, parts), len(parts))
            variables, context = counted_variables(world, slot)
            cells = contexts[everywhere(context)].reshape(-1)
            counts = histograms[cells]
            if order is None:
                order = chance.arrangement(np.repeat(np.arange(len(cells)), described.individuals))
            listed = np.empty(len(order), dtype=np.int64)
            listed[order] = np.repeat(np.tile(states, len(cells)), counts.ravel())
            written = self.known[slot.shard] = self._unwritten(slot.shard)
            written[everywhere(variables)] = listed.reshape(len(self.samples), -1)

    def _write_draw(self, draw: Draw) -> None:
        """Substitutions with the same surroundings get the states drawn for them in random order.

        Where swaps take a substitution to others, the one whose surroundings come first counts.
        """
        world, samples = self.world, np.arange(len(self.samples))[:, None]
        columns = self.items(draw.parts, draw.swaps)
        images = [self._codes(draw, [columns[v] for v in swap]) for swap in draw.swaps]
        surroundings, blocks = self._distinct(draw, images)
        split = self.histograms.split(draw, self.batch, surroundings)
        chance = self.histograms.chance("draw", draw.number, self.batch)
        chosen = self._arranged(blocks, split, chance)
        found = digits(chosen.reshape(images[0].shape), values_of(world, draw.gone))
        oriented = _oriented(columns, images, draw.swaps)
        for shard in dict.fromkeys(shard for shard, _ in draw.gone):
            self.known[shard] = self._unwritten(shard)
            for (index, logvars), states in zip(draw.gone, found, strict=True):
                for swap in world.shards[shard].swaps if index == shard else ():
                    place = tuple([oriented[logvars[p]] for p in swap])
                    self.known[shard][(samples, *place)] = states

    def surroundings(self, draw: Draw) -> Surroundings:
        """The different surroundings of a draw: the sample of each, its code, and how many
        substitutions have it."""
        columns = self.items(draw.parts, draw.swaps)
        images = [self._codes(draw, [columns[v] for v in swap]) for swap in draw.swaps]
        return self._distinct(draw, images)[0]

    def _distinct(self, draw: Draw, images: list[Integers]) -> tuple[Surroundings, Integers]:
        """The different surroundings, and which of them each substitution has."""
        width = prod(values_of(self.world, draw.rest))
        joint = reduce(np.minimum, images) + width * np.arange(len(self.samples))[:, None]
        present, blocks = distinct_codes(joint.ravel(), width * len(self.samples))
        return (present // width, present % width, np.bincount(blocks)), blocks

    def _codes(self, draw: Draw, columns: list[Integers]) -> Integers:
        """The surroundings of each substitution in each sample, as codes."""
        sizes = values_of(self.world, draw.rest)
        total = np.zeros((len(self.samples), len(columns[0])), dtype=np.int64)
        for (shard, logvars), size in zip(draw.rest, sizes, strict=True):
            total *= size
            states = self.states(shard)[everywhere([columns[v] for v in logvars])]
            total += states.reshape(len(self.samples), -1)
        return total

    def _write_free(self, shard: int) -> None:
        """Variables in no factor have each state with the same probability."""
        described = self.world.shards[shard]
        columns = self.items(described.parts, described.swaps) if described.parts else []
        split = self.histograms.free_split(shard, self.batch)
        blocks = np.repeat(np.arange(len(self.samples)), len(columns[0]) if columns else 1)
        chance = self.histograms.chance("free", *self.histograms.free_key(shard), self.batch)
        chosen = self._arranged(blocks, split, chance).reshape(len(self.samples), -1)
        self.known[shard] = self._unwritten(shard)
        for swap in described.swaps:
            place = everywhere([columns[place] for place in swap])
            self.known[shard][place] = chosen if columns else chosen[:, 0]

    def _arranged(self, blocks: Integers, split: Split, chance: Chance) -> Integers:
        """A state for each item, so that each block is split like this, in random order."""
        chosen = np.empty(len(blocks), dtype=np.int64)
        chosen[chance.arrangement(blocks)] = np.repeat(split.states, split.counts)
        return chosen

    def items(self, parts: tuple[int, ...], swaps: tuple[tuple[int, ...], ...]) -> list[Integers]:
        """All substitutions of logvars over these parts, one for each orbit of swaps."""
        sizes = [self.world.sizes[part] for part in parts]
        self._check(len(self.samples) * prod(sizes), len(parts))
        return orbit_representatives(substitutions(cliques(sizes, parts)), sizes, swaps)

    def _check(self, items: int, places: int) -> None:
        """Refuse to write out more than fits into the limit."""
        needed, limit = items * (_ITEM_BYTES + 32 * places), self.histograms.memory_limit
        if needed > limit:
            reason = f"{items:,} substitutions are listed"
            raise beyond_limit("writing out a sample needs", needed, limit, reason)


def _oriented(
    columns: list[Integers], images: list[Integers], swaps: tuple[Permutation, ...]
) -> list[Integers]:
    """The individuals of each substitution after the swap whose image comes first."""
    if len(swaps) == 1:
        return columns
    first, items = np.argmin(np.stack(images), axis=0), np.arange(len(columns[0]))
    return [
        np.stack([columns[swap[v]] for swap in swaps])[first, items] for v in range(len(columns))
    ]


def everywhere(places: Sequence[Integers]) -> tuple[Any, ...]:
    """Places in all samples, as an index."""
    return (slice(None), *places)
