"""What is drawn on a lifted model, read off the steps of its elimination, backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.placements import placements
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.shattering import atom_axis
from liftgraph.inference.lifted.terms import Axis, Counting, Shard, Term, World
from liftgraph.inference.tensor.cases import distinct_cases, product_in_cases
from liftgraph.inference.tensor.chance import Chance, Integers, Weights
from liftgraph.inference.tensor.counting import Permutation, cell_counts, rank
from liftgraph.inference.tensor.evaluation import Values
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import Parfactor
from liftgraph.semiring import CHUNK, FlowSemiring

T = TypeVar("T")


@dataclass(frozen=True)
class Draw:
    """States that are drawn for each substitution of some logvars, given its surroundings.

    ``number``: which step it is. ``gone``: the axes whose states are drawn; ``rest``: those that
    surround them. ``parts``: those of the logvars; those of one part are different individuals.
    ``swaps``: substitutions that they take to each other have one draw together. ``factors``: the
    terms whose product gives the weights.
    """

    number: int
    gone: tuple[Axis, ...]
    rest: tuple[Axis, ...]
    parts: tuple[int, ...]
    swaps: tuple[Permutation, ...]
    factors: tuple[Term, ...]


class Split(NamedTuple):
    """Rows divided by state, int64 (n,) each: which row, in which state, and how many."""

    rows: Integers
    states: Integers
    counts: Integers


@dataclass(frozen=True, eq=False)
class Posterior(Generic[T]):
    """A compiled model whose tensors are all known.

    ``shards``: those of the given model; the world has others, such as counting variables.
    """

    compiled: Compiled
    exact: bool
    semiring: FlowSemiring[T]
    values: Values[T]

    @property
    def shards(self) -> ShardIndex:
        """The shards, and which variables they stand for."""
        return self.compiled.shattered.shards

    @property
    def world(self) -> World:
        """All shards, without names."""
        return self.compiled.world

    def list_shards(self, prv_index: int) -> None:
        """Make sure that all shards of a PRV are listed, also those in no factor."""
        prv = self.shards.model.prvs[prv_index]
        unit = Table.of(np.ones(len(prv.states), dtype=np.int64))
        alone = Parfactor((prv.atom,), prv.logvars, unit, prv.constraints)
        for placement in placements(alone, self.shards.parts, self.shards.domain):
            atom_axis(self.shards, prv.atom, placement)

    @cached_property
    def draws(self) -> list[Draw]:
        """The draws of all steps, the last step first."""
        steps = reversed(list(enumerate(self.compiled.steps)))
        return [_draw(number, step.shards, step.factors) for number, step in steps if step.shards]

    @cached_property
    def drawn_by(self) -> dict[int, Draw]:
        """The draw of each shard that is drawn by a step."""
        return {shard: draw for draw in self.draws for shard, _ in draw.gone}

    @cached_property
    def groups(self) -> list[list[int]]:
        """Shards with one logvar, each group over one part: those of one group depend on each
        other, or are needed together."""
        sets: DisjointSets[int] = DisjointSets()
        listed: dict[int, None] = {}
        for counting in self.counted_alone:
            slots = [slot.shard for slot in counting_of(self.world, counting).slots]
            sets.join(slots)
            listed.update(dict.fromkeys(slots))
        for draw in self.draws:
            by_part: dict[int, list[int]] = {}
            for shard, logvars in (*draw.gone, *draw.rest):
                if len(logvars) == 1:
                    source = source_of(self.world, shard)
                    by_part.setdefault(draw.parts[logvars[0]], []).append(source)
            for shards in by_part.values():
                sets.join(shards)
                listed.update(dict.fromkeys(shards))
        groups: dict[int, list[int]] = {}
        for shard in listed:
            groups.setdefault(sets.find(shard), []).append(shard)
        return list(groups.values())

    @cached_property
    def counted_alone(self) -> list[int]:
        """The counting variables without logvars that count single individuals."""
        joint = dict.fromkeys(self.world.counted.values())
        slots = {counting: counting_of(self.world, counting).slots[0] for counting in joint}
        return [c for c, slot in slots.items() if len(self.world.shards[slot.shard].parts) == 1]

    def split(
        self, draw: Draw, surroundings: Sequence[Integers], counts: Integers, chance: Chance
    ) -> Split:
        """How many of the substitutions in each row get each joint state.

        ``surroundings``: the states of the rest in each row, int64 (n,); ``counts``: how many
        substitutions there are.
        """
        around = values_of(self.world, draw.rest)
        present, case = distinct_cases(surroundings, around, len(counts))
        chunk = max(CHUNK // max(prod(values_of(self.world, draw.gone)), 1), 1)
        listed = [Split(*np.zeros((3, 0), dtype=np.int64))]
        for start in range(0, len(present[0]) if present else 1, chunk):
            weights = self._weights(draw, [states[start : start + chunk] for states in present])
            here = np.flatnonzero((case >= start) & (case < start + chunk))
            for first in range(0, len(here), chunk):
                rows = here[first : first + chunk]
                shares = chance.shares(weights, case[rows] - start, counts[rows])
                place, state = shares.nonzero()
                listed.append(Split(rows[place], state, shares[place, state]))
        rows, states, shared = (np.concatenate(parts) for parts in zip(*listed, strict=True))
        order = np.argsort(rows, kind="stable")
        return Split(rows[order], states[order], shared[order])

    def _weights(self, draw: Draw, surroundings: Sequence[Integers]) -> Weights:
        """The weights of the states that are drawn, in n cases: (n, joint states)."""
        factors = [(self.values[term.tensor], term.axes) for term in draw.factors]
        axes = (*draw.gone, *draw.rest)
        sizes = dict(zip(axes, values_of(self.world, axes), strict=True))
        states = dict(zip(draw.rest, surroundings, strict=True))
        table = product_in_cases(self.semiring, factors, draw.gone, states, sizes)
        return self.semiring.row_weights(table)


def _draw(number: int, shards: Sequence[int], factors: tuple[Term, ...]) -> Draw:
    axes = dict.fromkeys(axis for term in factors for axis in term.axes)
    gone = tuple([axis for axis in axes if axis[0] in shards])
    rest = tuple([axis for axis in axes if axis[0] not in shards])
    return Draw(number, gone, rest, factors[0].parts, factors[0].swaps, factors)


def values_of(world: World, axes: Sequence[Axis]) -> list[int]:
    """How many values the shards of axes have."""
    return [world.shards[shard].values for shard, _ in axes]


def counting_of(world: World, shard: int) -> Counting:
    counting = world.shards[shard].counting
    assert counting is not None
    return counting


def source_of(world: World, shard: int) -> int:
    """The shard whose states tell those of a shard: for a counting variable, the joint one."""
    counting = world.shards[shard].counting
    return shard if counting is None else world.counted.get(counting.slots[0].shard, shard)


def derived(world: World, shard: int, states: Integers) -> Integers:
    """The states of a counting variable, given those of the joint one that has its slots."""
    source = source_of(world, shard)
    if source == shard:
        return states
    joint, counting = counting_of(world, source), counting_of(world, shard)
    counts = cell_counts(joint.individuals, prod(joint.shape)).reshape(-1, *joint.shape)
    gone = tuple([1 + n for n, slot in enumerate(joint.slots) if slot not in counting.slots])
    left = counts.sum(axis=gone).reshape(len(counts), -1)
    return rank(left, counting.individuals)[states]


def joint_cells(shard: Shard) -> tuple[Integers, list[Integers]]:
    """The histograms of a counting variable, and the state of each slot in each of its cells."""
    counting = shard.counting
    assert counting is not None
    counts = cell_counts(counting.individuals, prod(counting.shape))
    return counts, [states.ravel() for states in np.indices(counting.shape)]
