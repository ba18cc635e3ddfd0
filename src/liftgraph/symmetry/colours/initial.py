"""Initial colours: what tells variables and facts apart before the first round.

Colours are numbered from 0 without gaps, by what they stand for and never by the order of the
input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph

Colour = NDArray[np.int32]
Integers = NDArray[np.integer[Any]]


def graph_colours(graph: FactorGraph, apart: Integers | None = None) -> Colour:
    """The initial colours of a graph's variables: int32 (n,).

    ``apart``: integers (n,) that also tell variables apart.
    """
    ordered = sorted(set(graph.state_sets))
    rank = {states: index for index, states in enumerate(ordered)}
    ranks = np.array([rank[states] for states in graph.state_sets], dtype=np.int32)
    observations = None
    if len(graph.evidence):
        observations = np.full(graph.variable_count, -1, dtype=np.int32)
        observations[graph.evidence.variables] = graph.evidence.observation_id
    return initial_colours(ranks[graph.state_set_id], observations, apart)


def initial_colours(
    sorts: Integers, observations: Integers | None = None, apart: Integers | None = None
) -> Colour:
    """A colour for each sort, observation and number that tells members apart: int32 (n,).

    ``sorts``: integers (n,), what the members are without evidence. ``observations``: the
    observed states, -1 where nothing was observed.
    """
    columns = [column for column in (apart, sorts, observations) if column is not None]
    return combined(*columns)


def combined(*columns: Integers) -> Colour:
    """A colour for each distinct row of entries, in the order of the rows: int32 (n,).

    Precondition: columns of equal length, each with entries that fit into 31 bits.

    >>> combined(np.array([7, 7, 0, 7]), np.array([1, -1, 2, 1])).tolist()
    [2, 1, 0, 2]
    """
    rows = columns[0]
    for column in columns[1:]:
        least = int(column.min(initial=0))
        span = int(column.max(initial=0)) - least + 1
        rows = dense(rows).astype(np.int64) * span + (column - least)
    return dense(rows)


def dense(colours: Integers) -> Colour:
    """The same colours in the same order, numbered from 0 without gaps: int32.

    >>> dense(np.array([7, 3, 10**12, 3])).tolist()
    [1, 0, 2, 0]
    """
    colours = in_range(colours)
    used = np.flatnonzero(np.bincount(colours)) if len(colours) else np.empty(0, np.intp)
    if not len(used) or used[-1] == len(used) - 1:
        return colours.astype(np.int32, copy=False)
    rank = np.zeros(used[-1] + 1, dtype=np.int32)
    rank[used] = np.arange(len(used))
    return rank[colours]


def in_range(colours: Integers) -> Integers:
    """The same colours in the same order, small enough to count them by number."""
    # As unsigned integers, negative ones are large.
    if colours.view(f"u{colours.itemsize}").max(initial=0) <= 4 * len(colours):
        # NumPy 2.0 counts no uint64.
        return colours.view(np.int64) if colours.itemsize == 8 else colours
    return np.unique(colours, return_inverse=True)[1]
