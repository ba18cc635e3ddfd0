"""What surrounds the substitutions that states are drawn for, counted without listing these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from liftgraph.display import format_count
from liftgraph.errors import ComputationError
from liftgraph.inference.lifted.sampling.cells import Cells, single_states
from liftgraph.inference.lifted.sampling.histograms import Histograms, Surroundings
from liftgraph.inference.lifted.sampling.steps import Draw, source_of, values_of
from liftgraph.inference.lifted.terms import choices
from liftgraph.inference.tensor.chance import Integers

_MOST = 2**62  # substitutions whose states are drawn at a time


def counted_surroundings(histograms: Histograms, draw: Draw, batch: int) -> Surroundings:
    """The different surroundings of a draw.

    Precondition: each depends on single individuals only.
    """
    world = histograms.posterior.world
    if (size := choices(world.sizes, draw.parts)) > _MOST:
        raise ComputationError(
            f"expected at most {format_count(_MOST)} substitutions to draw states for,"
            f" got {format_count(size)}"
        )
    kinds = {part: _kinds(histograms, draw, part, batch) for part in draw.parts}
    samples = np.arange(len(histograms.samples(batch)))
    ways, chosen = np.ones_like(samples), list[Integers]()
    for place, part in enumerate(draw.parts):
        earlier, rows = _pairs(samples, kinds[part].sample)
        chosen = [column[earlier] for column in chosen]
        same = [chosen[other] for other in range(place) if draw.parts[other] == part]
        left = kinds[part].count[rows] - sum([column == rows for column in same])
        samples, ways = samples[earlier], ways[earlier] * left
        chosen.append(rows)
    images = [_codes(histograms, draw, kinds, samples, chosen, swap, batch) for swap in draw.swaps]
    width = prod(values_of(world, draw.rest))
    joint = np.min(images, axis=0) + width * samples
    present, block = np.unique(joint[ways > 0], return_inverse=True)
    totals = np.zeros(len(present), dtype=np.int64)
    np.add.at(totals, block, ways[ways > 0])
    return present // width, present % width, totals // len(draw.swaps)


def _kinds(histograms: Histograms, draw: Draw, part: int, batch: int) -> Cells:
    """The different individuals of a part, as far as a draw is concerned, in each sample."""
    world, samples = histograms.posterior.world, histograms.samples(batch)
    shards = [shard for shard, logvars in draw.rest if logvars and draw.parts[logvars[0]] == part]
    shards = list(dict.fromkeys(shards))
    if not shards:
        return Cells(np.arange(len(samples)), np.full(len(samples), world.sizes[part]))
    cells = histograms.cells[histograms.group_of[source_of(world, shards[0])]]
    rows = cells.rows(samples)
    columns = [cells.sample[rows] - samples.start]
    columns += [cells.states(world, shard)[rows] for shard in shards]
    kinds, kind = np.unique(np.stack(columns), axis=1, return_inverse=True)
    counts = np.zeros(kinds.shape[1], dtype=np.int64)
    np.add.at(counts, kind.ravel(), cells.count[rows])
    return Cells(kinds[0], counts, dict(zip(shards, kinds[1:], strict=True)))


def _codes(
    histograms: Histograms,
    draw: Draw,
    kinds: Mapping[int, Cells],
    samples: Integers,
    chosen: Sequence[Integers],
    swap: Sequence[int],
    batch: int,
) -> Integers:
    """The surroundings of individuals of these kinds, as codes, their places swapped."""
    world = histograms.posterior.world
    total = np.zeros(len(samples), dtype=np.int64)
    for (shard, logvars), size in zip(draw.rest, values_of(world, draw.rest), strict=True):
        if logvars:
            place = swap[logvars[0]]
            states = kinds[draw.parts[place]].columns[shard][chosen[place]]
        else:
            single = single_states(world, histograms.single, shard)
            states = single[histograms.samples(batch).start + samples]
        total = total * size + states
    return total


def _pairs(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """All pairs of places with equal entries. Precondition: ``right`` is increasing.

    >>> [pairs.tolist() for pairs in _pairs(np.array([4, 3]), np.array([3, 3, 4]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    start, end = (np.searchsorted(right, left, side=side) for side in ("left", "right"))
    lengths = end - start
    first = np.repeat(np.arange(len(left)), lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first, start[first] + within
