"""The directions of a grid's edges, from its squares: at each corner they turn by 90 degrees.

Stress bends what is not convex, such as the quotient of a grid, which is a triangle. Directions are
complex numbers here: to multiply by i is to turn by 90 degrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.layout.stress import Pairs, Places

_Link = tuple[int, int]  # two neighbouring corners, the lower index first
_Turns = dict[_Link, int]  # how often the direction of each link is turned by 90 degrees
_MOST = 0.5  # of the edges have to be sides of squares


def straightened(places: Places, edges: Pairs) -> Places | None:
    """The direction of each edge, (e, 2): along an axis for sides of squares, as it is for others.

    None if less than half of the edges are sides of squares, or these contradict each other.
    """
    along = places[edges[:, 1]] - places[edges[:, 0]]
    at = places[:, 0] + 1j * places[:, 1]
    links = _links(len(places), edges)
    parts = _turns(at, links)
    sides = [edge for part in parts or () for link in part for edge in links[link]]
    if parts is None or len(sides) < _MOST * len(edges):
        return None
    for part in parts:
        votes = sum((at[end] - at[start]) * 1j**-turns for (start, end), turns in part.items())
        turned = round(float(np.angle(votes)) / (np.pi / 2))
        for link, turns in part.items():
            towards = 1j ** ((turns + turned) % 4)
            _point(along, edges, links[link], link, towards)
    return along


def _point(
    along: Places, edges: Pairs, parts: Sequence[int], link: _Link, towards: complex
) -> None:
    """Let the edges of a link point in its direction."""
    for edge in parts:
        first, second = edges[edge].tolist()
        forwards = 1.0 if first == link[0] or second == link[1] else -1.0
        along[edge] = forwards * np.array([towards.real, towards.imag])


def _links(node_count: int, edges: Pairs) -> dict[_Link, list[int]]:
    """The edges between each two corners: two of them if a node that is no corner is between.

    If the edges lead from one side of the graph to the other, and all nodes of a side have at most
    two edges, as factors with two arguments do, these are no corners.
    """
    degree = np.bincount(edges.ravel(), minlength=node_count)
    is_first = np.bincount(edges[:, 0], minlength=node_count) > 0
    apart = not is_first[edges[:, 1]].any()
    between = [side for side in (1, 0) if apart and (degree[edges[:, side]] <= 2).all()]
    if not between:
        return {(min(pair), max(pair)): [edge] for edge, pair in enumerate(edges.tolist())}
    met: dict[int, list[tuple[int, int]]] = {}
    for edge, pair in enumerate(edges.tolist()):
        met.setdefault(pair[between[0]], []).append((pair[1 - between[0]], edge))
    links: dict[_Link, list[int]] = {}
    for ends in met.values():
        if len(ends) == 2:
            (first, one), (second, other) = sorted(ends)
            links.setdefault((first, second), []).extend([one, other])
    return links


def _squares(links: Mapping[_Link, object]) -> Iterator[tuple[int, int, int, int]]:
    """The corners of each cycle of four links, in their order; none in denser parts."""
    neighbours: dict[int, list[int]] = {}
    for first, second in links:
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    between: dict[_Link, list[int]] = {}
    for middle, around in neighbours.items():
        for pair in combinations(sorted(around), 2):
            between.setdefault(pair, []).append(middle)
    for (first, third), middles in between.items():
        if len(middles) == 2 and first < min(middles):
            yield first, middles[0], third, middles[1]


def _turns(at: NDArray[np.complex128], links: Mapping[_Link, object]) -> list[_Turns] | None:
    """The directions of links within each part that squares connect; None if they do not agree."""
    relations: dict[_Link, list[tuple[_Link, int]]] = {}
    for corners in _squares(links):
        quarter = 1 if _area(at[list(corners)]) > 0 else -1
        sides = []
        for corner in range(4):
            start, end = corners[corner], corners[(corner + 1) % 4]
            sides.append(((min(start, end), max(start, end)), quarter * corner + 2 * (start > end)))
        for (one, turns), (other, more) in combinations(sides, 2):
            relations.setdefault(one, []).append((other, more - turns))
            relations.setdefault(other, []).append((one, turns - more))
    parts: list[_Turns] = []
    placed: set[_Link] = set()
    for root in relations:
        if root in placed:
            continue
        part = {root: 0}
        order = [root]
        for link in order:
            for other, turns in relations[link]:
                if other not in part:
                    part[other] = (part[link] + turns) % 4
                    order.append(other)
                elif (part[link] + turns - part[other]) % 4:
                    return None
        placed |= part.keys()
        parts.append(part)
    return parts


def _area(corners: NDArray[np.complex128]) -> float:
    """Twice the area of a polygon, positive if its corners turn from x to y."""
    return float((corners.conj() * np.roll(corners, -1)).imag.sum())
