"""Chains, grids and other graphs whose edges follow two directions, drawn with straight lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.plot.layout.spacing import is_clear
from liftgraph.plot.layout.squares import straightened
from liftgraph.plot.layout.stress import Pairs, Places

_STEEPEST, _STEEP = 0.9, 0.4  # how far edges may be off their axis, the worst and all on average
_SHORTEST = 0.7  # an edge, relative to the others


def on_lattice(
    places: Places, sizes: Places, edges: Pairs, gaps: NDArray[np.float64]
) -> Places | None:
    """The places with every edge along the axis that it is closest to, all equally long; None if
    that is not possible without nodes or edges on other nodes.

    Sides of squares are along the axis that their squares say. What horizontal edges connect is at
    one height. The heights are those for which the vertical edges are closest to their length
    (least squares); and the other way round.
    """
    if not len(edges):
        return None
    along, steepest = straightened(places, edges), 1.0
    if along is None:
        along, steepest = places[edges[:, 1]] - places[edges[:, 0]], _STEEPEST
    slopes = np.abs(along).min(axis=1) / np.maximum(np.abs(along).max(axis=1), 1e-9)
    if slopes.max() > steepest or slopes.mean() > _STEEP:
        return None
    needed = sizes[edges].mean(axis=1) + gaps[:, None]
    columns = []
    for axis in range(2):
        steps = np.abs(along[:, axis]) > np.abs(along[:, 1 - axis])
        length = needed[steps, axis].max(initial=0.0)
        column = _column(edges[~steps], edges[steps], length * np.sign(along[steps, axis]))
        if column is None:
            return None
        columns.append(column)
    straight = np.stack(columns, axis=1)
    return straight if is_clear(straight, sizes, edges) else None


def _column(level: Pairs, steps: Pairs, lengths: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The coordinate of each node on one axis: equal for nodes with a level edge, and different
    by the lengths of steps, as well as possible; None if a step would be far too short."""
    sets: DisjointSets[int] = DisjointSets()
    for pair in level.tolist():
        sets.join(pair)
    node_count = max(level.max(initial=-1), steps.max(initial=-1)) + 1
    _, part = np.unique([sets.find(node) for node in range(node_count)], return_inverse=True)
    start, end = part[steps[:, 0]], part[steps[:, 1]]
    laplacian, wanted = np.zeros((part.max() + 1, part.max() + 1)), np.zeros(part.max() + 1)
    for here, there, sign in ((start, end, -1.0), (end, start, 1.0)):
        np.add.at(laplacian, (here, here), 1.0)
        np.add.at(laplacian, (here, there), -1.0)
        np.add.at(wanted, here, sign * lengths)
    laplacian[0, 0] += 1.0  # the first is at 0: the graph is connected, so there is one solution
    solution = np.linalg.solve(laplacian, wanted)
    if ((solution[end] - solution[start]) * lengths < _SHORTEST * lengths**2).any():
        return None
    coordinates: NDArray[np.float64] = solution[part]
    return coordinates
