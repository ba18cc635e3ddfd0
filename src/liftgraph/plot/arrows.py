"""Edges from node to node: where they are seen, how arrows bend, their heads, and labels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from liftgraph.plot.scene import Edge, Node, Point

_HEAD, _HALF_HEAD = 6.5, 2.7  # length of a head, and half its width
_DEEPEST, _LONGEST = 3.0, 24.0  # how far bends are cut off, and from where on
_HALVINGS = 30


@dataclass(frozen=True, slots=True)
class Bend:
    """A quadratic Bézier curve instead of a corner."""

    start: Point
    corner: Point
    end: Point


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from ``start`` with bends to ``end``, and a triangle there."""

    start: Point
    bends: tuple[Bend, ...]
    end: Point
    head: tuple[Point, Point, Point]


def arrow_of(edge: Edge, first: Node, second: Node) -> Arrow:
    """The arrow of an edge between the outlines of its nodes."""
    points = [first.at, *edge.via, second.at]
    tail = _on_outline(first, points[1])
    tip = _on_outline(second, points[-2])
    head = _head(points[-2], tip)
    neck = (head[1][0] + head[2][0]) / 2, (head[1][1] + head[2][1]) / 2
    corners = [tail, *edge.via, neck]
    bends = [_bend(a, b, c) for (a, b), (_, c) in pairwise(pairwise(corners))]
    return Arrow(tail, tuple(bends), neck, head)


def label_place(edge: Edge, first: Node, second: Node) -> Point:
    """The middle of what is seen of an edge, or of its last level part."""
    points = [first.at, *edge.via, second.at]
    ends = points[-3:-1] if edge.via else [_border(first, second), _border(second, first)]
    return sum(x for x, _ in ends) / 2, sum(y for _, y in ends) / 2


def _border(node: Node, neighbour: Node) -> Point:
    """Where the line from the centre of a node to that of its neighbour leaves the node's box."""
    dx, dy = neighbour.at[0] - node.at[0], neighbour.at[1] - node.at[1]
    sides = zip(node.size, (dx, dy), strict=True)
    shares = [side / 2 / abs(distance) for side, distance in sides if abs(distance) > 1e-9]
    share = min(shares, default=0.0)
    return node.at[0] + share * dx, node.at[1] + share * dy


def covers(node: Node, point: Point) -> bool:
    """Whether a point is on a node."""
    (width, height), dx, dy = node.size, point[0] - node.at[0], point[1] - node.at[1]
    if node.kind not in ("variable", "dot") or node.fixed:
        return abs(dx) <= width / 2 and abs(dy) <= height / 2
    radius = min(width, height) / 2
    straight = max(abs(dx) - (width / 2 - radius), 0.0)
    return hypot(straight, dy) <= radius


def _on_outline(node: Node, outside: Point) -> Point:
    """Where the line from the centre of a node to a point leaves the node."""
    inner, outer = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = (inner + outer) / 2
        if covers(node, _between(node.at, outside, share)):
            inner = share
        else:
            outer = share
    return _between(node.at, outside, inner)


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _head(before: Point, tip: Point) -> tuple[Point, Point, Point]:
    """The triangle of an arrow that comes from a point; its tip comes first."""
    length = hypot(tip[0] - before[0], tip[1] - before[1]) or 1.0
    dx, dy = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
    x, y = tip[0] - _HEAD * dx, tip[1] - _HEAD * dy
    sides = [(x - side * dy, y + side * dx) for side in (-_HALF_HEAD, _HALF_HEAD)]
    return tip, sides[0], sides[1]


def _bend(before: Point, corner: Point, after: Point) -> Bend:
    """A curve near a corner, nearer than arrows come to nodes that they pass."""
    lengths = [hypot(corner[0] - end[0], corner[1] - end[1]) for end in (before, after)]
    if min(lengths) == 0:
        return Bend(corner, corner, corner)
    units = [
        ((end[0] - corner[0]) / length, (end[1] - corner[1]) / length)
        for end, length in zip((before, after), lengths, strict=True)
    ]
    depth = hypot(units[0][0] + units[1][0], units[0][1] + units[1][1]) / 4  # of a unit
    distance = min(_LONGEST, *(length / 2 for length in lengths))
    if depth * distance > _DEEPEST:
        distance = _DEEPEST / depth
    start, end = ((corner[0] + distance * x, corner[1] + distance * y) for x, y in units)
    return Bend(start, corner, end)
