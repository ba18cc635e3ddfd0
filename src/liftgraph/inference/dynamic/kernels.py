"""What the step of one individual weighs, by its state and the counts of its part.

To move the individuals of one state after another, the counts that matter must still be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.dynamic.arithmetic import Indices
from liftgraph.inference.tensor.counting import histograms_at_most
from liftgraph.model.lifted.histograms import histograms

_ORDERS = 720  # that are tried, at most


@dataclass(frozen=True, eq=False)
class Kernel:
    """What the step of one individual weighs, given the histogram of all of its part.

    ``label``: int64 (histograms or 1, states): which of the ``rows`` those in a state have.
    ``rows``: non-negative integers (labels, states of tomorrow), over the ``divisor``.
    """

    individuals: int
    label: Indices
    rows: NDArray[Any]
    divisor: int

    @property
    def states(self) -> int:
        """How many states individuals can leave."""
        return int(self.label.shape[1])

    def labels(self, state: int) -> Indices:
        """The labels that those in a state can have."""
        return self._labels[state]

    @cached_property
    def _labels(self) -> tuple[Indices, ...]:
        if len(self.label) == 1:
            return tuple(self.label.T)
        used = histograms(self.individuals, self.states) > 0
        columns = zip(self.label.T, used.T, strict=True)
        return tuple([np.unique(column[some]) for column, some in columns])

    @cached_property
    def destinations(self) -> tuple[tuple[int, ...], ...]:
        """The states that individuals of each state can go to."""
        possible = [self.rows[self.labels(state)].astype(bool) for state in range(self.states)]
        return tuple([tuple(np.flatnonzero(rows.any(axis=0)).tolist()) for rows in possible])

    @cached_property
    def contexts(self) -> tuple[tuple[int, ...], ...]:
        """For each state, states whose counts decide which row its individuals have."""
        return tuple([self._context(state) for state in range(self.states)])

    def _context(self, state: int) -> tuple[int, ...]:
        if len(self.labels(state)) <= 1:
            return ()
        counts = histograms(self.individuals, self.states)
        used = counts[:, state] > 0
        counts, column = counts[used], self.label[used, state]
        chosen = list(range(self.states))
        for other in (state, *reversed(range(self.states))):
            fewer = [c for c in chosen if c != other]
            if len(fewer) < len(chosen) and _decided(counts[:, fewer], column):
                chosen = fewer
        return tuple(chosen)


def _decided(counts: Indices, column: Indices) -> bool:
    """Whether equal counts have equal labels."""
    both = np.column_stack([counts, column])
    return len(np.unique(both, axis=0)) == len(np.unique(counts, axis=0))


def kernel_of(individuals: int, integers: NDArray[Any], divisor: int) -> Kernel:
    """The kernel of a part, from integers (histograms or 1, states, states of tomorrow)."""
    flat = integers.reshape(-1, integers.shape[-1]).tolist()
    distinct: dict[tuple[int, ...], int] = {}
    labels = [distinct.setdefault(tuple(row), len(distinct)) for row in flat]
    rows = np.array(list(distinct), dtype=object).reshape(len(distinct), -1)
    return Kernel(individuals, np.array(labels).reshape(integers.shape[:-1]), rows, divisor)


def order_of_moves(kernel: Kernel) -> tuple[int, ...] | None:
    """The order of states in which moving takes the smallest tables, of the first orders if there
    are many; None if the counts that matter are known in none of them."""
    orders = islice(permutations(range(kernel.states)), _ORDERS)
    sizes = {order: sum(tables_of_moves(kernel, order) or ()) for order in orders}
    possible = [order for order, size in sizes.items() if size]
    return min(possible, key=sizes.__getitem__) if possible else None


def tables_of_moves(kernel: Kernel, order: Sequence[int]) -> list[int] | None:
    """How many entries the table after each move has; None if counts that matter are unknown."""
    started: set[int] = set()
    entries = list[int]()
    for place, state in enumerate(order):
        context, moved = set(kernel.contexts[state]), set(order[:place])
        reached = kernel.destinations[state]
        if context & moved and len(moved) > 1:
            return None
        at_once = len(reached) < 2 or (len(reached) == 2 and not started >= {*reached})
        if not at_once and context & {state, *moved}:
            return None  # how many leave is known at the first stage only
        started.update(reached)
        # Before those who leave have joined all of their new cells, there is one cell more.
        cells = len(order) - place - 1 + len(started) + (not at_once)
        entries.append(histograms_at_most(kernel.individuals, max(cells, 1)))
    return entries
