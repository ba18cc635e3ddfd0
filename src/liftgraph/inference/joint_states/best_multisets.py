"""The best few ways in which individuals that can be exchanged choose among ranked states.

Each individual is in a cell, and chooses one of the k best states of this cell. Exchanging those of
a cell changes nothing, so what they choose is a multiset of ranks, whose weight is a product of
powers. If some of them choose a better rank, the weight is at least as large. So a multiset can
only be among the k best ones if at most k multisets arise from it in this way, itself included. As
a Young diagram, with a row for each individual that has not the first rank, these are the diagrams
inside it: how many candidates there are does not depend on the number of individuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from liftgraph.inference.joint_states.best_few import (
    INDEX_BYTES,
    Integers,
    Pairs,
    Ranked,
    ranked_pairs,
)
from liftgraph.inference.tensor.counting import cell_counts, histograms_at_most
from liftgraph.inference.tensor.memory import VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import PAIR_BYTES, integer_bytes
from liftgraph.semiring import CHUNK, MaxSemiring
from liftgraph.semiring.maximum import entrywise_products

_COPIES = 12  # of a chunk of powers, while they are computed and the largest ones are chosen
Diagram = tuple[int, ...]  # the lengths of the rows, the longest first


@dataclass(frozen=True)
class BestMultisets:
    """How the best multisets will be found, in some contexts, for each histogram over cells.

    ``individuals``: how many there are; ``shape``: how many contexts, cells, and ranks in each
    cell. ``bits``: of the longest integer of one individual. ``wanted``: how many, at most.
    """

    individuals: int
    shape: tuple[int, int, int]
    bits: int
    wanted: int

    @property
    def candidates(self) -> Integers:
        """How many individuals have each rank but the first, in each multiset that may be among the
        best: int64 (candidates, ranks - 1), read-only."""
        return _candidates(self.shape[2], min(self.individuals, self.wanted), self.wanted)

    @property
    def pairs(self) -> Pairs:
        """The ranks in two cells whose product may be among the largest."""
        return ranked_pairs(self.wanted, self.wanted, self.wanted)

    @property
    def histograms(self) -> int:
        """How many histograms there are."""
        return histograms_at_most(self.individuals, self.shape[1])

    @property
    def numbers(self) -> Integers:
        """How many individuals may be in a cell: int64 (n,)."""
        return (
            np.arange(self.individuals + 1) if self.shape[1] > 1 else np.array([self.individuals])
        )

    @property
    def steps(self) -> int:
        """Powers in all cells, and a product for each further cell."""
        return self.shape[1]

    @property
    def largest(self) -> int:
        """How many products are kept in all."""
        return self.shape[0] * self.histograms * self.wanted

    @property
    def work(self) -> int:
        """How many products are looked at."""
        contexts, cells, _ = self.shape
        numbers = self.individuals + 1 if cells > 1 else 1
        powers = contexts * cells * numbers * len(self.candidates)
        return powers + (cells - 1) * contexts * self.histograms * len(self.pairs.left)

    def peak_bytes(self, exact: bool) -> int:
        """A bound on the bytes that it takes."""
        contexts, cells, ranks = self.shape
        width = integer_bytes(self.bits * self.individuals) if exact else PAIR_BYTES
        numbers = self.individuals + 1 if cells > 1 else 1
        kept = contexts * cells * numbers * self.wanted + 2 * self.largest
        powers = _at_a_time(contexts * cells * ranks * len(self.candidates), numbers)
        products = _at_a_time(contexts * len(self.pairs.left), self.histograms)
        listed = INDEX_BYTES * (2 * self.histograms * cells + numbers)
        return VALUE_BYTES + listed + width * (kept + _COPIES * max(powers, products))


def _at_a_time(entries: int, times: int) -> int:
    """How many entries there are at a time, if some exist so often."""
    return min(entries * times, max(CHUNK, entries))


def best_multisets(plan: BestMultisets, semiring: MaxSemiring[Any], ranked: Ranked) -> Ranked:
    """The weights of the best multisets, of shape (contexts, histograms, wanted).

    ``ranked``: the weights of one individual's ranks, of the plan's shape. Where there are fewer
    multisets, the others are impossible.
    """
    contexts, cells, ranks = plan.shape
    numbers = plan.numbers
    each = max(CHUNK // (contexts * cells * ranks * len(plan.candidates)), 1)
    rows = ranked.reshape(-1, ranks)
    parts = [numbers[start : start + each] for start in range(0, len(numbers), each)]
    powers = [_largest(plan, semiring, _powers(plan, semiring, rows, part))[0] for part in parts]
    in_cells = np.concatenate(powers, axis=1).reshape(contexts, cells, len(numbers), plan.wanted)
    counts = cell_counts(plan.individuals, cells) - int(numbers[0])
    each = max(CHUNK // (contexts * len(plan.pairs.left)), 1)
    found = []
    for start in range(0, len(counts), each):
        columns = counts[start : start + each].T
        together = in_cells[:, 0, columns[0]]
        for cell in range(1, cells):
            products = _products(plan, semiring, together, in_cells[:, cell, columns[cell]])
            together = _largest(plan, semiring, products)[0]
        found.append(together)
    return np.concatenate(found, axis=1)


def multiset(
    plan: BestMultisets, semiring: MaxSemiring[Any], ranked: Ranked, histogram: int, rank: int
) -> Integers:
    """How many individuals have each rank in each cell, int64 (cells, ranks), in the multiset of a
    rank among those of a histogram, which is possible.

    ``ranked``: the weights of one individual's ranks in the context, of shape (cells, ranks).
    """
    counts = cell_counts(plan.individuals, plan.shape[1])[histogram]
    powers = [
        _powers(plan, semiring, row[None], number)[0, 0]
        for row, number in zip(ranked, counts[:, None], strict=True)
    ]
    in_cells = [_largest(plan, semiring, weights) for weights in powers]
    together, places = in_cells[0][0], list[Integers]()
    for column, _ in in_cells[1:]:
        together, order = _largest(plan, semiring, _products(plan, semiring, together, column))
        places.append(order)
    found = np.zeros((len(counts), plan.shape[2]), dtype=np.int64)
    for cell in reversed(range(len(counts))):
        here = rank
        if cell:
            pair = places[cell - 1][rank]
            rank, here = int(plan.pairs.left[pair]), int(plan.pairs.right[pair])
        found[cell, 1:] = plan.candidates[in_cells[cell][1][here]]
    found[:, 0] = counts - found[:, 1:].sum(axis=1)
    return found


def _powers(
    plan: BestMultisets, semiring: MaxSemiring[Any], rows: Ranked, numbers: Integers
) -> Ranked:
    """From shape (r, ranks) to (r, n, candidates): the weights of multisets of n numbers of
    individuals."""
    first = numbers[:, None] - plan.candidates.sum(axis=1)
    exponents = np.empty((plan.shape[2], *first.shape), dtype=np.int64)
    exponents[0] = np.maximum(first, 0)
    exponents[1:] = plan.candidates.T[:, None, :]
    flat = exponents.reshape(1, plan.shape[2], -1)
    weights = np.asarray(semiring.powers(rows[:, None, :], flat)).reshape(len(rows), *first.shape)
    weights[:, first < 0] = semiring.zero
    return weights


def _products(
    plan: BestMultisets, semiring: MaxSemiring[Any], left: Ranked, right: Ranked
) -> Ranked:
    pairs = plan.pairs
    return entrywise_products(semiring, left[..., pairs.left], right[..., pairs.right])


def _largest(
    plan: BestMultisets, semiring: MaxSemiring[Any], weights: Ranked
) -> tuple[Ranked, Integers]:
    """The largest weights along the last axis, as many as are wanted, and their places."""
    places = np.argsort(weights, axis=-1, kind="stable")[..., ::-1][..., : plan.wanted]
    kept = np.full((*weights.shape[:-1], plan.wanted), semiring.zero, dtype=weights.dtype)
    kept[..., : places.shape[-1]] = np.take_along_axis(weights, places, axis=-1)
    return kept, places


@lru_cache(maxsize=16)
def _candidates(ranks: int, individuals: int, wanted: int) -> Integers:
    diagrams: dict[Diagram, None] = {(): None}
    for diagram in (queue := list(diagrams)):
        for larger in _with_another_box(diagram):
            if len(larger) > individuals or larger[0] >= ranks or larger in diagrams:
                continue
            if _diagrams_inside(larger) <= wanted:
                diagrams[larger] = None
                queue.append(larger)
    found = np.zeros((len(queue), ranks - 1), dtype=np.int64)
    for place, diagram in enumerate(queue):
        np.add.at(found[place], np.array(diagram, dtype=np.int64) - 1, 1)
    found.flags.writeable = False
    return found


def _with_another_box(diagram: Diagram) -> list[Diagram]:
    """The Young diagrams that have one box more.

    >>> _with_another_box((2, 2, 1))
    [(3, 2, 1), (2, 2, 2), (2, 2, 1, 1)]
    """
    rows = [*diagram, 0]
    longer = [row for row in range(len(rows)) if row == 0 or rows[row - 1] > rows[row]]
    grown = [(*rows[:row], rows[row] + 1, *rows[row + 1 :]) for row in longer]
    return [tuple([length for length in lengths if length]) for lengths in grown]


def _diagrams_inside(diagram: Diagram) -> int:
    """How many Young diagrams are inside one, itself and the empty one included.

    >>> _diagrams_inside((2, 1)), _diagrams_inside((1, 1, 1))
    (5, 4)
    """
    ways = [1]  # for each length of a row: that of the rows below
    for length in reversed(diagram):
        shorter = list(accumulate(ways))
        ways = [shorter[min(own, len(ways) - 1)] for own in range(length + 1)]
    return sum(ways)
