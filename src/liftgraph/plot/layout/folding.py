"""Long ribbons in rows, every second one backwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.layout.spacing import is_clear
from liftgraph.plot.layout.stress import Pairs, Places

Bends = dict[int, float]  # how far right of its first node an edge turns, by the edge's index
_PAGE, _SLENDER = 800.0, 6.0  # ribbons longer than this (in points, and in widths) are folded
_WIDER = 1.8  # width by height of what would be higher than a page
_SLACK = 0.2  # of a row's length: how far from its place a cut may be
_GAP = 24.0  # between rows
_TURN, _STRAND = 9.0, 5.0  # from a row's end to the first edge that turns, and between these


def folded(places: Places, sizes: Places, edges: Pairs) -> tuple[Places, Bends]:
    """A long narrow ribbon in rows, as if it were bent by 180 degrees at each end of a row.

    Edges between rows are straight if that is possible; if not, they turn outside of the rows.
    """
    low, high = (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)
    length, height = high - low
    if length < max(_PAGE, _SLENDER * height):
        return places, {}
    row_length = max(_PAGE, (_WIDER * length * (height + _GAP)) ** 0.5)
    row_count = int(np.ceil(length / row_length))
    cuts = _cuts(
        places[:, 0], np.linspace(low[0], high[0], row_count + 1)[1:-1], length / row_count
    )
    row = np.searchsorted(cuts, places[:, 0])
    sign = np.where(np.arange(len(cuts) + 1) % 2 == 0, 1.0, -1.0)
    start = np.concatenate([[0.0], np.cumsum(2 * sign[:-1] * cuts)])  # rows meet at the cuts
    x = sign[row] * places[:, 0] + start[row]
    y = sign[row] * (places[:, 1] - (low[1] + high[1]) / 2) + row * (height + _GAP)
    rows = np.stack([x, y], axis=1)
    return rows, {} if is_clear(rows, sizes, edges) else _bends(rows, sizes, edges, row)


def _cuts(
    along: NDArray[np.float64], wanted: NDArray[np.float64], row_length: float
) -> NDArray[np.float64]:
    """Where rows end: in the widest gap between nodes that is near the place where one should."""
    ordered = np.unique(np.round(along, 3))
    middles, widths = (ordered[1:] + ordered[:-1]) / 2, np.round(np.diff(ordered) / _TURN)
    cuts = []
    for cut in wanted:
        distances = np.abs(middles - cut)
        near = np.flatnonzero(distances <= _SLACK * row_length)
        best = max(near, key=lambda gap: (widths[gap], -distances[gap]), default=None)
        cuts.append(cut if best is None else middles[best])
    return np.array(cuts)


def _bends(rows: Places, sizes: Places, edges: Pairs, row: NDArray[np.intp]) -> Bends:
    """Where edges between rows turn: beyond both rows, the innermost edges first."""
    bends: Bends = {}
    for upper in range(int(row.max())):
        ahead = 1.0 if upper % 2 == 0 else -1.0
        beside = (row == upper) | (row == upper + 1)
        end = (ahead * rows[beside, 0] + sizes[beside, 0] / 2).max()
        turning = np.flatnonzero((np.sort(row[edges], axis=1) == (upper, upper + 1)).all(axis=1))
        heights = rows[edges[turning], 1].min(axis=1)
        for rank, edge in enumerate(turning[np.argsort(-heights, kind="stable")].tolist()):
            turn = ahead * (end + _TURN + rank * _STRAND)
            bends[edge] = turn - float(rows[edges[edge, 0], 0])
    return bends
