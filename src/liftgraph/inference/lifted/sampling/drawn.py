"""Samples of a lifted model: what is read of them, individuals written out only if need be."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.sampling.cells import single_states
from liftgraph.inference.lifted.sampling.histograms import Histograms, Surroundings
from liftgraph.inference.lifted.sampling.individuals import Individuals, everywhere
from liftgraph.inference.lifted.sampling.steps import (
    Draw,
    Split,
    counting_of,
    joint_cells,
    source_of,
    values_of,
)
from liftgraph.inference.lifted.sampling.surroundings import counted_surroundings
from liftgraph.inference.lifted.shards import Members, members
from liftgraph.inference.tensor.chance import Integers
from liftgraph.model.arrays import digits
from liftgraph.model.memory_limit import PLANNING_BYTES, beyond_limit

_MEMBER_BYTES, _STATE_BYTES = 120, 12  # a variable that is listed; and its state in a sample
Tally = tuple[Integers, ...]  # samples, states, and how many variables are in each


@dataclass(eq=False)
class LiftedDraws:
    """The states of a lifted model's variables in samples, by number.

    ``written``: the batch of samples that was read last; ``listed``: the variables of PRVs.
    """

    histograms: Histograms
    written: dict[int, Individuals] = field(default_factory=dict)
    listed: dict[int, list[Members]] = field(default_factory=dict)

    def individuals(self, batch: int) -> Individuals:
        """A batch of samples that is written out; the last one is kept."""
        if batch not in self.written:
            self.written.clear()
            self.written[batch] = Individuals(self.histograms, batch)
        return self.written[batch]

    def _surroundings(self, draw: Draw, batch: int) -> Surroundings:
        """The different surroundings of a draw; where each depends on single individuals only,
        these are not written out."""
        if any(len(logvars) > 1 for _, logvars in draw.rest):
            return self.individuals(batch).surroundings(draw)
        return counted_surroundings(self.histograms, draw, batch)

    def _tally(self, shard: int) -> Tally:
        """How many variables of a shard are in each state, in each sample."""
        drawn, posterior = self.histograms, self.histograms.posterior
        world, samples = posterior.world, np.arange(drawn.count)
        source = source_of(world, shard)
        if shard in posterior.shards.observed:
            state = posterior.shards.observed[shard]
            return samples, np.full_like(samples, state), np.full_like(samples, drawn.size(shard))
        if source in drawn.single:
            states = single_states(world, drawn.single, shard)
            return samples, states, np.ones_like(samples)
        if source in drawn.group_of:
            cells = drawn.cells[drawn.group_of[source]]
            return cells.sample, cells.states(world, shard), cells.count
        if shard in world.counted:
            return self._counted_tally(shard, world.counted[shard])
        if shard in posterior.drawn_by:
            return self._drawn_tally(shard, posterior.drawn_by[shard])
        return self._by_batch(lambda batch: drawn.free_split(shard, batch))

    def _counted_tally(self, shard: int, counting: int) -> Tally:
        world = self.histograms.posterior.world
        described = counting_of(world, counting)
        samples, histogram, times = self._tally(counting)
        slot = [slot.shard for slot in described.slots].index(shard)
        histograms, _ = joint_cells(world.shards[counting])
        gone = tuple([1 + other for other in range(len(described.shape)) if other != slot])
        of_slot = histograms.reshape(-1, *described.shape).sum(axis=gone)
        rows, states = of_slot[histogram].nonzero()
        return samples[rows], states, of_slot[histogram][rows, states] * times[rows]

    def _drawn_tally(self, shard: int, draw: Draw) -> Tally:
        shape = values_of(self.histograms.posterior.world, draw.gone)
        places = [place for place, (gone, _) in enumerate(draw.gone) if gone == shard]

        def drawn(batch: int) -> Split:
            samples, _, _ = surroundings = self._surroundings(draw, batch)
            rows, joint, counts = self.histograms.split(draw, batch, surroundings)
            states = digits(joint, shape)
            listed = np.concatenate([states[place] for place in places])
            return Split(np.tile(samples[rows], len(places)), listed, np.tile(counts, len(places)))

        return self._by_batch(drawn)

    def _by_batch(self, split: Callable[[int], Split]) -> Tally:
        """What is drawn in each batch, one after the other."""
        parts = [split(batch) for batch in self.histograms.batches]
        starts = [self.histograms.samples(batch).start for batch in self.histograms.batches]
        rows = [part.rows + start for part, start in zip(parts, starts, strict=True)]
        states, counts = ([part[column] for part in parts] for column in (1, 2))
        nothing = [np.zeros(0, dtype=np.int64)]
        return tuple([np.concatenate(nothing + listed) for listed in (rows, states, counts)])

    def counts(self, block: range, size: int) -> NDArray[np.int64]:
        """How many variables of a PRV, or of a part of one, have each of ``size`` states, by
        sample."""
        if block and block != self._variables(self._prv(block.start)):
            listed = np.concatenate([*self.states(block)])
            return np.stack([(listed == state).sum(axis=1) for state in range(size)], axis=1)
        total = np.zeros((self.histograms.count, size), dtype=np.int64)
        for shard in self._shards(self._prv(block.start)) if block else ():
            samples, states, times = self._tally(shard)
            np.add.at(total, (samples, states), times)
        return total

    def states(self, block: range) -> Iterator[NDArray[np.int64]]:
        """The states of the variables of a PRV, or of a part of one, (samples, variables), some
        samples at a time."""
        prv = self._prv(block.start) if block else -1
        if block and prv not in self.listed:
            self._check_listing(prv)
            self.listed[prv] = list(members(self.histograms.posterior.shards, (prv,)))
        whole = self._variables(prv) if block else block
        for batch in self.histograms.batches:
            states = np.empty((len(self.histograms.samples(batch)), len(whole)), dtype=np.int64)
            for member in self.listed.get(prv, ()):
                written = self.individuals(batch).states(member.shard)
                inside = written[everywhere(member.index)]
                states[:, member.variables - whole.start] = inside.reshape(len(states), -1)
            yield states[:, block.start - whole.start : block.stop - whole.start]

    def _check_listing(self, prv: int) -> None:
        """Refuse to list the variables of a PRV where there is no room for them."""
        size, limit = len(self._variables(prv)), self.histograms.memory_limit
        samples = min(self.histograms.batch_size, self.histograms.count)
        needed = (_MEMBER_BYTES + _STATE_BYTES * samples) * size
        if needed > limit + PLANNING_BYTES:
            name = self.histograms.posterior.shards.model.prvs[prv].name
            reason = (
                f"all {size:,} variables of {name} are written out to read some; counts needs less"
            )
            raise beyond_limit("reading single variables needs", needed, limit, reason)

    def column(self, variable: int) -> NDArray[np.int64]:
        """The state of a variable in each sample."""
        parts = self.states(range(variable, variable + 1))
        return np.concatenate([np.zeros(0, dtype=np.int64), *[part[:, 0] for part in parts]])

    def _variables(self, prv: int) -> range:
        return range(*self.histograms.posterior.shards.model.variable_start[prv : prv + 2])

    def _prv(self, variable: int) -> int:
        return bisect_right(self.histograms.posterior.shards.model.variable_start, variable) - 1

    def _shards(self, prv: int) -> list[int]:
        """The shards of a PRV."""
        world = self.histograms.posterior.world
        self.histograms.posterior.list_shards(prv)
        plain = [i for i, shard in enumerate(world.shards) if shard.counting is None]
        return [shard for shard in plain if world.shards[shard].key[0] == prv]
