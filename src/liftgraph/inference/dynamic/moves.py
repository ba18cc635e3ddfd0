"""Individuals move, those of one state after another: the stages of a step on histograms.

Between moves, individuals are counted in *cells*: the states of today whose individuals have not
moved yet, and the states of tomorrow. Those who leave a state split into two groups, one of which
joins a cell, until the last group does. Each of these is a stage on the histograms of the cells. No
table over pairs of histograms is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices, Weights
from liftgraph.inference.dynamic.kernels import Kernel
from liftgraph.inference.dynamic.stages import (
    Block,
    Blocks,
    Collect,
    Spread,
    Stage,
    consecutive,
)
from liftgraph.inference.tensor.counting import rank
from liftgraph.model.lifted.histograms import histogram_count, histograms

Cell = tuple[bool, int]  # whether it is a state of tomorrow, and which


def moves(arithmetic: Arithmetic, kernel: Kernel, order: Sequence[int]) -> tuple[Stage, ...]:
    """The stages that move all individuals. Precondition: ``order_of_moves`` gives this order."""
    mover = _Mover(arithmetic, kernel)
    for state in order:
        mover.move(state)
    mover.arrange()
    return consecutive(mover.stages)


class _Mover:
    """The stages so far, and the cells that individuals are counted in after them."""

    def __init__(self, arithmetic: Arithmetic, kernel: Kernel) -> None:
        self.arithmetic, self.kernel = arithmetic, kernel
        self.individuals = kernel.individuals
        self.cells: list[Cell] = [(False, state) for state in range(kernel.states)]
        self.stages: list[Stage] = []
        self.lookups: dict[int, Indices] = {}

    def move(self, state: int) -> None:
        """Those in a state leave it, for one state of tomorrow after the other."""
        old, targets = (False, state), self.kernel.destinations[state] or (0,)
        started = [target for target in targets if (True, target) in self.cells]
        new = [target for target in targets if target not in started]
        divisor: Any = self.kernel.divisor
        while len(started) > 1 or len(started) + len(new) > 2:
            target = (started or new).pop()
            # Those who stay behind weigh what they can still do: then no stage adds weight.
            left = self.kernel.rows[:, [*started, *new]].sum(axis=1)
            flows = self._flows([target], divisor, None if self.arithmetic.divides else 1, left)
            divisor = left[:, None] if self.arithmetic.divides else divisor
            if (True, target) in self.cells:
                self._share(old, old, (True, target), flows[:, ::-1])
            else:
                self._split(old, (True, target), old, flows)
        flows = self._flows([*new, *started], divisor)
        if started and new:
            self._share(old, (True, new[0]), (True, started[0]), flows)
        elif started:
            self._pour(old, started[0], flows)
        elif len(new) == 2:
            self._split(old, (True, new[0]), (True, new[1]), flows)
        else:
            self._rename(old, new[0], flows)

    def _flows(
        self, targets: list[int], divisor: Any, one: int | None = 1, left: Any = None
    ) -> Any:
        """The weights of going to some states, as powers are computed from them, by label.

        ``left``: those of staying behind, as a further column; or ``one``.
        """
        columns = [self.kernel.rows[:, target] for target in targets]
        if left is not None:
            columns.append(left if one is None else np.full(len(left), one, dtype=object))
        return self.arithmetic.prepared(np.stack(columns, axis=1), divisor)

    def _split(self, old: Cell, first: Cell, second: Cell, flows: Any) -> None:
        """Those in a cell split into two new ones."""
        around = _around(self.cells, self.individuals, [old])
        weights = self.arithmetic.full((around.entries,), self.arithmetic.zero)
        source = np.empty(around.entries, dtype=np.int64)
        for size, segments in around.by_size():
            labels = self._labels(old, around, segments, np.array([[size]]))[:, 0]
            places = around.start[segments, None] + np.arange(size + 1)
            weights[places] = self.arithmetic.flows(flows[labels], histograms(size, 2))
            source[places] = around.source[segments, None]
        self.stages.append(Spread(source, weights, len(around.source)))
        self.cells = [*around.others, first, second]

    def _share(self, old: Cell, first: Cell, joined: Cell, flows: Any) -> None:
        """Of those in a cell, some form a new cell, and the others join one."""
        around = _around(self.cells, self.individuals, [old, joined])
        blocks = list[Block]()
        matrices: dict[tuple[bool, tuple[int, ...]], Weights] = {}
        for size, segments in around.by_size():
            leaving = np.arange(size + 1)
            labels = self._labels(old, around, segments, leaving[None])
            for chosen, rows in _equal_rows(labels):
                places = around.start[segments[rows], None] + leaving
                matrix = self._matrix(chosen, flows, matrices)
                blocks.append(Block(len(places), around.source[places], matrix, places))
        self.stages.append(Blocks(tuple(blocks), (around.entries, around.entries)))
        self.cells = [*around.others, first, joined]

    def _matrix(
        self, labels: Indices, flows: Any, kept: dict[tuple[bool, tuple[int, ...]], Weights]
    ) -> Weights:
        """For each number of those who leave, the weight if this number forms the new cell.

        If the label is always the same, smaller matrices are corners of the largest.
        """
        uniform = bool((labels == labels[0]).all())
        size = self.individuals if uniform else len(labels) - 1
        key = uniform, (int(labels[0]), size) if uniform else tuple(labels.tolist())
        if key not in kept:
            row_labels = np.full(size + 1, labels[0]) if uniform else labels
            matrix = self.arithmetic.full((size + 1, size + 1), self.arithmetic.zero)
            for leaving, label in enumerate(row_labels):
                row = self.arithmetic.flows(flows[[label]], histograms(leaving, 2))
                matrix[leaving, : leaving + 1] = row[0]
            kept[key] = matrix
        return kept[key][: len(labels), : len(labels)]

    def _pour(self, old: Cell, target: int, flows: Any) -> None:
        """All of those in a cell join another one."""
        around = _around(self.cells, self.individuals, [old, (True, target)])
        weights = self.arithmetic.full((around.entries,), self.arithmetic.zero)
        into = np.empty(around.entries, dtype=np.int64)
        for size, segments in around.by_size():
            leaving = np.arange(size + 1)
            places = around.source[around.start[segments, None] + leaving]
            labels = self._labels(old, around, segments, leaving[None])
            weights[places] = self._all(flows, labels, leaving)
            into[places] = segments[:, None]
        self.stages.append(Collect(into, weights, len(around.size)))
        self.cells = [*around.others, (True, target)]

    def _rename(self, old: Cell, target: int, flows: Any) -> None:
        """All of those in a cell are a new one."""
        around = _around(self.cells, self.individuals, [old])
        weights = self.arithmetic.full((len(around.source),), self.arithmetic.zero)
        for size, segments in around.by_size():
            labels = self._labels(old, around, segments, np.array([[size]]))
            weights[segments] = self._all(flows, labels, np.array([size]))[:, 0]
        self.stages.append(Spread(around.source, weights, len(around.source)))
        self.cells = [*around.others, (True, target)]

    def _all(self, flows: Any, labels: Indices, leaving: Indices) -> Weights:
        """The weight if these numbers, int64 (q,), all go to one state: from labels (r, q)."""
        distinct = np.unique(labels)
        table = self.arithmetic.powers(flows[distinct], leaving[:, None], each=False)
        return np.asarray(table[np.searchsorted(distinct, labels), np.arange(len(leaving))])

    def _labels(self, old: Cell, around: _Around, segments: Indices, leaving: Indices) -> Indices:
        """The labels of those who leave a cell, int64 (segments, q) for numbers of them (1, q)."""
        shape, state = (len(segments), leaving.shape[1]), old[1]
        context = self.kernel.contexts[state]
        if not context:
            return np.full(shape, (*self.kernel.labels(state), 0)[0])
        outer = around.outer[segments]
        counts = {cell: outer[:, [place]] for place, cell in enumerate(around.others)}
        counts[old] = leaving
        here = sum([count for (new, _), count in counts.items() if not new], np.zeros(shape, int))
        index = [counts.get((False, other), self.individuals - here) for other in context]
        if state not in self.lookups:
            self.lookups[state] = self._lookup(state, context)
        lookup = self.lookups[state]
        return np.asarray(np.broadcast_to(lookup[tuple(index)], shape))

    def _lookup(self, state: int, context: tuple[int, ...]) -> Indices:
        """The label of those in a state, by the counts that decide it."""
        counts = histograms(self.individuals, self.kernel.states)
        used = counts[:, state] > 0
        size = self.individuals + 1
        lookup = np.full((size,) * len(context), self.kernel.labels(state)[0])
        lookup[tuple(counts[used][:, list(context)].T)] = self.kernel.label[used, state]
        return lookup

    def arrange(self) -> None:
        """Count in the states of tomorrow, in their order; those that nobody reached are empty."""
        listed = [target for _, target in self.cells]
        width = self.kernel.rows.shape[1]
        if listed == list(range(width)):
            return
        counts = histograms(self.individuals, len(listed))
        complete = np.zeros((len(counts), width), dtype=np.int64)
        complete[:, listed] = counts
        size = histogram_count(self.individuals, width)
        self.stages.append(Collect(rank(complete, self.individuals), None, size))


@dataclass(frozen=True, eq=False)
class _Around:
    """Histograms in segments: in each, the counts of the other cells are the same.

    ``outer``: int64 (segments, others + 1), the counts of the other cells, and how many are in the
    last ones. ``source``: int64, where each histogram comes from, in the order of the segments.
    """

    others: tuple[Cell, ...]
    outer: Indices
    source: Indices

    @property
    def size(self) -> Indices:
        return self.outer[:, -1]

    @property
    def entries(self) -> int:
        """How many histograms there are of the other cells and two last ones."""
        return int((self.size + 1).sum())

    @cached_property
    def start(self) -> Indices:
        """Where each segment begins, if the last cells are two."""
        return np.cumsum(self.size + 1) - (self.size + 1)

    def by_size(self) -> list[tuple[int, Indices]]:
        """Segments of the same size together."""
        order = np.argsort(self.size, kind="stable")
        sizes, starts = np.unique(self.size[order], return_index=True)
        return list(zip(sizes.tolist(), np.split(order, starts[1:]), strict=True))


def _around(cells: Sequence[Cell], individuals: int, last: Sequence[Cell]) -> _Around:
    """The histograms of cells with some of these last."""
    others = tuple([cell for cell in cells if cell not in last])
    columns = [cells.index(cell) for cell in (*others, *last)]
    outer = histograms(individuals, len(others) + 1)
    if columns == list(range(len(cells))):
        source = np.arange(histogram_count(individuals, len(cells)))
    else:
        places = rank(histograms(individuals, len(cells))[:, columns], individuals)
        source = np.empty_like(places)
        source[places] = np.arange(len(places))
    return _Around(others, outer, source)


def _equal_rows(labels: Indices) -> list[tuple[Indices, Indices]]:
    """Distinct rows of labels, each with the indices of those that are equal to it."""
    if (labels == labels[0]).all():
        return [(labels[0], np.arange(len(labels)))]
    distinct, which = np.unique(labels, axis=0, return_inverse=True)
    return [(row, np.flatnonzero(which.ravel() == n)) for n, row in enumerate(distinct)]
