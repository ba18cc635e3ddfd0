"""The ways of arrows between layers: straight where they can be, around nodes where they must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from liftgraph.plot.scene import Box, Point

_CLEAR = 4.0  # between an arrow and a node that is not one of its ends
_ASIDE = 0.45  # of a node's width: how far from its centre an arrow may bend
_RUN = 9.0  # how far an arrow goes straight before and after a layer, if it bends there and may


@dataclass(frozen=True, slots=True)
class Band:
    """A layer: its number, where it begins and ends, and what its nodes cover."""

    row: int
    top: float
    bottom: float
    boxes: tuple[Box, ...]

    @property
    def middle(self) -> float:
        """The height of its nodes' centres."""
        return (self.top + self.bottom) / 2


def route(chain: Sequence[tuple[float, Band]], bands: Sequence[Band]) -> tuple[Point, ...]:
    """The bends of an arrow that has this place in each of its layers, few of them.

    Going straight down through each layer, at its place there, an arrow is clear of all nodes.
    Bends are left out as long as it stays so.
    """
    gaps = [lower.top - upper.bottom for upper, lower in pairwise(bands)]
    points = _safe_points(chain, min([_RUN, *(gap / 2 for gap in gaps)]))
    ends = [_own_box(*chain[0]), _own_box(*chain[-1])]
    start_row, end_row = chain[0][1].row, chain[-1][1].row
    obstacles = [
        box for band in bands[start_row : end_row + 1] for box in band.boxes if box not in ends
    ]
    kept, position = [points[0]], 0
    while position < len(points) - 1:
        furthest = position + 1
        for candidate in range(len(points) - 1, position + 1, -1):
            if not any(crosses(points[position], points[candidate], box) for box in obstacles):
                furthest = candidate
                break
        position = furthest
        kept.append(points[position])
    return tuple(kept[1:-1])


def _own_box(x: float, band: Band) -> Box | None:
    return next((box for box in band.boxes if box[0] < x < box[2]), None)


def _safe_points(chain: Sequence[tuple[float, Band]], run: float) -> list[Point]:
    """From the centre of the parent to that of the child, straight down through layers."""
    (first, upper), (last, lower) = chain[0], chain[-1]
    leaving, arriving = _aside(chain[0], chain[1][0]), _aside(chain[-1], chain[-2][0])
    points = [(first, upper.middle), (leaving, upper.bottom + run)]
    for x, band in chain[1:-1]:
        points += [(x, band.top - run), (x, band.bottom + run)]
    return [*points, (arriving, lower.top - run), (last, lower.middle)]


def _aside(end: tuple[float, Band], other: float) -> float:
    """Where an arrow passes its end: above or below the node, on the side where it goes on.

    Arrows from other sides end elsewhere, so that their heads stay apart.
    """
    x, band = end
    left, _, right, _ = _own_box(x, band) or (x, 0.0, x, 0.0)
    reach = _ASIDE * (right - left)
    return x + min(max(other - x, -reach), reach)


def crosses(start: Point, end: Point, box: Box, clear: float = _CLEAR) -> bool:
    """Whether a line comes closer to a box than it should (Liang and Barsky 1984)."""
    left, top, right, bottom = box[0] - clear, box[1] - clear, box[2] + clear, box[3] + clear
    enter, leave = 0.0, 1.0
    for begin, finish, low, high in (
        (start[0], end[0], left, right),
        (start[1], end[1], top, bottom),
    ):
        step = finish - begin
        if abs(step) < 1e-12:
            if not low < begin < high:
                return False
            continue
        near, far = sorted(((low - begin) / step, (high - begin) / step))
        enter, leave = max(enter, near), min(leave, far)
    return enter < leave
