"""From the histograms of today to those of tomorrow, as stages: one matrix, or moves.

Two states make a small matrix, computed once for all days. With more of them individuals move one
state after another, unless what a step weighs depends on counts that are then unknown.
"""

from __future__ import annotations

import numpy as np

from liftgraph.display import format_count
from liftgraph.errors import ComputationError
from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices, Weights
from liftgraph.inference.dynamic.kernels import Kernel, order_of_moves, tables_of_moves
from liftgraph.inference.dynamic.moves import moves
from liftgraph.inference.dynamic.stages import Block, Blocks, Collect, Stage
from liftgraph.inference.tensor.counting import histograms_at_most, rank
from liftgraph.model.lifted.histograms import histogram_count, histograms

_SMALL = 1 << 16  # entries of a matrix that is always computed
_LARGEST = 1 << 22  # entries of a matrix, where individuals cannot move


def transition(arithmetic: Arithmetic, kernel: Kernel) -> tuple[Stage, ...]:
    """The stages of a step of interchangeable individuals."""
    alike = _alike(kernel)
    if alike is not None:
        return _together(arithmetic, kernel, alike)
    order = _order(kernel)
    if order is not None:
        return moves(arithmetic, kernel, order)
    matrix = transition_matrix(arithmetic, kernel)
    sources, targets = np.arange(matrix.shape[0])[None], np.arange(matrix.shape[1])[None]
    return (Blocks((Block(1, sources, matrix, targets),), matrix.shape),)


def _alike(kernel: Kernel) -> Indices | None:
    """For each state, the first one whose individuals move in the same way, if there are any.

    What they do must not depend on counts: these would have to be kept apart.
    """
    if len(kernel.label) > 1:
        return None
    labels, which = np.unique(kernel.label[0], return_inverse=True)
    return which.ravel() if len(labels) < kernel.states else None


def _together(arithmetic: Arithmetic, kernel: Kernel, alike: Indices) -> tuple[Stage, ...]:
    """Individuals who move in the same way are counted together first."""
    groups = int(alike.max()) + 1
    counts = histograms(kernel.individuals, kernel.states)
    joint = counts @ (alike[:, None] == np.arange(groups)).astype(np.int64)
    size = histogram_count(kernel.individuals, groups)
    first = Collect(rank(joint, kernel.individuals), None, size)
    return (first, *transition(arithmetic, _fewer(kernel)))


def _fewer(kernel: Kernel) -> Kernel:
    """A kernel with one state for all that are alike."""
    label = np.unique(kernel.label[0])[None]
    return Kernel(kernel.individuals, label, kernel.rows, kernel.divisor)


def transition_entries(kernel: Kernel) -> tuple[int, int]:
    """How many entries the stages of a step have together, and how many the largest one has."""
    alike = _alike(kernel)
    if alike is not None:
        entries, largest = transition_entries(_fewer(kernel))
        before = histograms_at_most(kernel.individuals, kernel.states)
        return before + entries, max(before, largest)
    order = _order(kernel)
    if order is None:
        return (_matrix_entries(kernel),) * 2
    tables = tables_of_moves(kernel, order) or [0]
    return 2 * sum(tables), max(tables)


def _matrix_entries(kernel: Kernel) -> int:
    sizes = kernel.states, kernel.rows.shape[1]
    before, after = [histograms_at_most(kernel.individuals, states) for states in sizes]
    return before * after


def _order(kernel: Kernel) -> tuple[int, ...] | None:
    """The order to move in; None if a matrix is made."""
    entries = _matrix_entries(kernel)
    if entries <= _SMALL or (kernel.states, kernel.rows.shape[1]) == (2, 2):
        return None
    order = order_of_moves(kernel)
    if order is None and entries > _LARGEST:
        raise ComputationError(
            f"a step of {format_count(kernel.individuals)} individuals with {kernel.states} states"
            " depends on the counts of several states: its table would have"
            f" {format_count(entries)} entries"
        )
    return order


def transition_matrix(arithmetic: Arithmetic, kernel: Kernel) -> Weights:
    """A row for each histogram of today and a column for each of tomorrow.

    Those in different states move independently: their counts add up, which is a convolution.
    """
    prepared = arithmetic.prepared(kernel.rows, kernel.divisor)
    width = kernel.rows.shape[1]
    before = histograms(kernel.individuals, kernel.states)
    labels = np.broadcast_to(kernel.label, before.shape)
    matrix = arithmetic.full(
        (len(before), histogram_count(kernel.individuals, width)), arithmetic.zero
    )
    flows: dict[tuple[int, int], Weights] = {}
    for row, (counts, chosen) in enumerate(zip(before.tolist(), labels.tolist(), strict=True)):
        so_far, total = arithmetic.full((1,), arithmetic.one), 0
        for count, label in zip(counts, chosen, strict=True):
            if not count:
                continue
            if (label, count) not in flows:
                listed = histograms(count, width)
                flows[label, count] = arithmetic.flows(prepared[[label]], listed)[0]
            so_far = _added(arithmetic, so_far, total, flows[label, count], count, width)
            total += count
        matrix[row] = so_far
    return arithmetic.settled(matrix)


def _added(
    arithmetic: Arithmetic, a: Weights, first: int, b: Weights, second: int, width: int
) -> Weights:
    """The weights of the sums of two histograms, given their numbers of individuals."""
    if width <= 2:
        return arithmetic.convolve(a, b)
    sums = histograms(first, width)[:, None] + histograms(second, width)
    places: Indices = rank(sums.reshape(-1, width), first + second)
    pairs = arithmetic.times(a[:, None], b).reshape(1, -1)
    joint = arithmetic.collect(pairs, places, histogram_count(first + second, width))
    return np.asarray(joint[0])
