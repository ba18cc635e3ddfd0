"""Counts of what only observations mention, such as the results of tests.

Given the histograms of a day, it is as if individuals moved to their observed states. What is known
of how many are in these is sent back to the day; and the weights of the day are sent there to ask
how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError
from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices, Weights
from liftgraph.inference.dynamic.cells import states_in_cells
from liftgraph.inference.dynamic.factors import CELL, LOCAL, PART, SINGLE, Factor, aligned
from liftgraph.inference.dynamic.kernels import Kernel, kernel_of
from liftgraph.inference.dynamic.observed import Counted
from liftgraph.inference.dynamic.operations import Labels
from liftgraph.inference.dynamic.parts import Layout, is_among
from liftgraph.inference.dynamic.slices import Scale, Slices
from liftgraph.inference.dynamic.stages import Stage, backwards, forwards
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.model.counts import CountEvent

Through = Callable[[Arithmetic, Sequence[Stage], Weights], Weights]


@dataclass(frozen=True, eq=False)
class LocalCounts:
    """The way from the cells of individuals to what is counted of them.

    ``factors``: for each part of a population, by its place, what an individual weighs, by cell
    and local cell. ``counted``: the counts that tell local cells apart.
    """

    slices: Slices
    layout: Layout
    factors: Mapping[int, Factor]
    counted: Sequence[Counted]

    @cached_property
    def context(self) -> Labels:
        """The single variables that weights depend on."""
        labels = self.factors[min(self.factors)].labels
        context = tuple([label for label in labels if label not in (CELL, LOCAL)])
        if any(kind != SINGLE for kind, _ in context):
            names = ", ".join([counted.title for counted in self.counted])
            raise ComputationError(
                f"{names}: the counted variables depend on other counts themselves"
            )
        return context

    @property
    def _values(self) -> Iterator[tuple[int, ...]]:
        return product(*[range(self.slices.sizes[label]) for label in self.context])

    @cached_property
    def _kinds(self) -> tuple[Indices, Indices]:
        """The kinds of local cells that counts tell apart, int64 (kinds, counts), and the kind of
        each cell."""
        population = self.layout[min(self.factors)].population
        local = self.slices.structure.populations[population].local
        rows = [states_in_cells(local, one.prv) == one.state for one in self.counted]
        kinds, which = np.unique(np.array(rows).T, axis=0, return_inverse=True)
        return kinds.astype(np.int64), which.ravel()

    @cached_property
    def _tables(self) -> dict[int, NDArray[Any]]:
        """For each part, integers by single variables, cell and kind."""
        kinds, which = self._kinds
        shape = [self.slices.sizes[label] for label in self.context]
        tables = {}
        for place, factor in self.factors.items():
            table = aligned(factor, [*self.context, CELL, LOCAL])
            full = np.broadcast_to(table, [*shape, *table.shape[-2:]])
            join = self.slices.arithmetic.join
            joined = [join(full[..., which == kind], -1) for kind in range(len(kinds))]
            tables[place] = np.stack(joined, axis=-1)
        return tables

    @cached_property
    def divisor(self) -> int:
        """What all weights of individuals are divided by."""
        if not self.slices.arithmetic.divides:
            return 1
        return max([int(np.max(table.sum(axis=-1))) for table in self._tables.values()] + [1])

    @property
    def scales(self) -> list[Scale]:
        """What weights lack."""
        parts = self.factors.items()
        return [(f.scale * self.divisor, self.layout[place].size) for place, f in parts]

    def kernels(self) -> Iterator[Kernel]:
        """What an individual's way weighs, for each part and choice of single variables."""
        for place, table in self._tables.items():
            for values in self._values:
                integers = table[values]
                yield kernel_of(self.layout[place].size, integers[None], self.divisor)

    def totals(self, number: int) -> Indices:
        """One of the counts, for each combination of histograms of kinds, an axis for each part."""
        kinds, places = self._kinds[0], list(self.factors)
        total: Indices = np.zeros((1,) * len(places), dtype=np.int64)
        for axis, place in enumerate(places):
            if is_among(self.layout[place], self.counted[number].members):
                rows = cell_counts(self.layout[place].size, len(kinds)) @ kinds[:, number]
                total = total + rows.reshape([-1 if n == axis else 1 for n in range(len(places))])
        sizes = [len(cell_counts(self.layout[place].size, len(kinds))) for place in places]
        return np.broadcast_to(total, sizes)

    def known(self, events: Sequence[CountEvent]) -> Weights:
        """Which combinations agree with observed counts, the first ones, as weights."""
        arithmetic = self.slices.arithmetic
        holds = np.ones(self.totals(0).shape, dtype=bool)
        for number, event in enumerate(events):
            holds &= event.holds(self.totals(number))
        chosen = np.where(holds, arithmetic.one, arithmetic.zero)
        return np.asarray(chosen, dtype=arithmetic.dtype)

    def sent_back(self, known: Weights) -> Factor:
        """What is known of histograms of kinds, as weights of those of a day."""
        back = [self._sent(backwards, known, values) for values in self._values]
        shape = [self.slices.sizes[label] for label in self.context]
        labels = (*self.context, *[(PART, place) for place in self.factors])
        return Factor(labels, np.array(back).reshape(*shape, *back[0].shape), Fraction(1))

    def sent_there(self, weights: Weights) -> Weights:
        """The weights of a day, an axis for each label, as those of histograms of kinds."""
        arithmetic, labels = self.slices.arithmetic, self.slices.labels
        kept = [*self.context, *[(PART, place) for place in self.factors]]
        gone = tuple([axis for axis, label in enumerate(labels) if label not in kept])
        if gone:
            weights = arithmetic.sum(weights, gone)
        left = [label for label in labels if label in kept]
        arranged = weights.transpose([left.index(label) for label in kept])
        there = [self._sent(forwards, arranged[values], values) for values in self._values]
        return arithmetic.sum(np.array(there), 0)

    def _sent(self, through: Through, weights: Weights, values: tuple[int, ...]) -> Weights:
        """Each axis sent through the stages of its part."""
        for axis, (place, table) in enumerate(self._tables.items()):
            size = self.layout[place].size
            stages = self.slices.observing(size, table[values], self.divisor)
            moved = np.moveaxis(weights, axis, -1)
            rows = moved.reshape(-1, moved.shape[-1])
            sent = through(self.slices.arithmetic, stages, rows)
            weights = np.moveaxis(sent.reshape(*moved.shape[:-1], -1), -1, axis)
        return weights
