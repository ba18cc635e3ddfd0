"""Acyclic graphs in layers: arrows go down, cross rarely, and keep clear of nodes.

An arrow that passes a layer has a place in it, as a narrow node would (Sugiyama, Tagawa and Toda
1981). Places within layers are as close to those of neighbours as their order allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

from liftgraph.plot.layout.crossings import ordered
from liftgraph.plot.layout.lanes import nearest
from liftgraph.plot.layout.layering import Arrow, layering
from liftgraph.plot.layout.routes import Band, route
from liftgraph.plot.scene import Box, Point

_SWEEPS, _LAST = 40, 12
_BESIDE, _BETWEEN = 14.0, 30.0  # between nodes of a layer, and between layers
_PASSING = 10.0  # room for an arrow that passes a layer
_NARROW, _WIDE = 700.0, 1.5  # no layer is too wide up to here, or for this share of a square
_STEEP, _FURTHEST = 0.06, 60.0  # layers are further apart if arrows go far to the side
_PAGE, _TALL = 800.0, 1.0  # a picture is higher only up to this share of its width
_CLOSEST = 0.45  # the least share of the usual distance between layers
_STRAIGHT = {0: 1.0, 1: 2.0, 2: 8.0}  # how much links count, by how many of their ends are no nodes


@dataclass(frozen=True, slots=True)
class Layered:
    """The centre of each node, and the points at which each arrow bends."""

    places: list[Point]
    bends: list[tuple[Point, ...]]


@dataclass(frozen=True, slots=True)
class _Items:
    """Nodes, and further items where arrows pass a layer.

    ``chains``: the items of each arrow, from parent to child.
    """

    layers: list[list[int]]
    chains: list[list[int]]
    above: dict[int, list[int]]
    below: dict[int, list[int]]


def layered(sizes: Sequence[Point], arrows: Sequence[Arrow]) -> Layered:
    """Places of nodes of these sizes, and bends of arrows. Precondition: as for ``layering``."""
    items = _items(layering(len(sizes), arrows), arrows)
    order = ordered(items.layers, items.above, items.below)
    if rows := _narrowed(order, sizes):
        items = _items(rows, arrows)
        order = ordered(items.layers, items.above, items.below)
    x = _centred(order, items, sizes)
    bands = _squeezed(_bands(order, items, x, sizes), max(x.values()) - min(x.values()))
    band_of = {item: band for layer, band in zip(order, bands, strict=True) for item in layer}
    bends = [route([(x[item], band_of[item]) for item in chain], bands) for chain in items.chains]
    places = [(x[node], band_of[node].middle) for node in range(len(sizes))]
    return Layered(places, bends)


def _narrowed(order: Sequence[Sequence[int]], sizes: Sequence[Point]) -> list[int] | None:
    """A row for each node if layers that are far too wide become several, else None.

    Of neighbours in such a layer, each stands in another row: the rows are staggered.
    """
    area = sum((width + _BESIDE) * (height + _BETWEEN) for width, height in sizes)
    widest = max(_NARROW, _WIDE * sqrt(area))
    rows, next_row = [0] * len(sizes), 0
    for layer in order:
        nodes = [item for item in layer if item < len(sizes)]
        row_count = max(1, ceil(sum(sizes[node][0] + _BESIDE for node in nodes) / widest))
        for index, node in enumerate(nodes):
            rows[node] = next_row + index % row_count
        next_row += row_count
    return rows if next_row > len(order) else None


def _items(rows: Sequence[int], arrows: Sequence[Arrow]) -> _Items:
    layers: list[list[int]] = [[] for _ in range(max(rows, default=-1) + 1)]
    for node, row in enumerate(rows):
        layers[row].append(node)
    chains, next_item = [], len(rows)
    for parent, child in arrows:
        passed = range(rows[parent] + 1, rows[child])
        items = list(range(next_item, next_item + len(passed)))
        for row, item in zip(passed, items, strict=True):
            layers[row].append(item)
        chains.append([parent, *items, child])
        next_item += len(passed)
    above: dict[int, list[int]] = {item: [] for item in range(next_item)}
    below: dict[int, list[int]] = {item: [] for item in range(next_item)}
    for chain in chains:
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
    return _Items(layers, chains, above, below)


def _centred(
    order: Sequence[Sequence[int]], items: _Items, sizes: Sequence[Point]
) -> dict[int, float]:
    """The x of each item: near the mean of its neighbours, long arrows as straight as can be."""
    room = {
        item: sizes[item][0] + _BESIDE if item < len(sizes) else _PASSING for item in items.above
    }
    links = {
        item: [
            (other, _STRAIGHT[(item >= len(sizes)) + (other >= len(sizes))])
            for other in (*items.above[item], *items.below[item])
        ]
        for item in items.above
    }
    x: dict[int, float] = {}
    for layer in order:
        x.update(nearest(layer, dict.fromkeys(layer, 0.0), room, dict.fromkeys(layer, 1.0)))
    for sweep in range(_SWEEPS):
        centre = _mean if sweep < _SWEEPS - _LAST else _median  # medians make lines upright
        for layer in order if sweep % 2 else reversed(order):
            wanted, weight = _wanted(layer, links, x, centre)
            x.update(nearest(layer, wanted, room, weight))
    return x


def _wanted(
    layer: Sequence[int],
    links: Mapping[int, Sequence[tuple[int, float]]],
    x: Mapping[int, float],
    centre: Callable[[Sequence[tuple[float, float]]], float],
) -> tuple[dict[int, float], dict[int, float]]:
    """Where items should be, and how much that matters."""
    weighed = {item: [(x[other], share) for other, share in links[item]] for item in layer}
    wanted = {item: centre(places) if places else x[item] for item, places in weighed.items()}
    weight = {item: sum(share for _, share in places) for item, places in weighed.items()}
    return wanted, {item: max(share, 1e-3) for item, share in weight.items()}


def _mean(places: Sequence[tuple[float, float]]) -> float:
    return sum(x * share for x, share in places) / sum(share for _, share in places)


def _median(places: Sequence[tuple[float, float]]) -> float:
    """The weighted median, or the middle of both if there are two."""
    half, passed, ordered_places = sum(share for _, share in places) / 2, 0.0, sorted(places)
    for (x, share), (after, _) in zip(
        ordered_places, [*ordered_places[1:], (0.0, 0.0)], strict=True
    ):
        passed += share
        if passed > half:
            return x
        if passed == half:
            return (x + after) / 2
    return ordered_places[-1][0]


def _bands(
    order: Sequence[Sequence[int]], items: _Items, x: Mapping[int, float], sizes: Sequence[Point]
) -> list[Band]:
    """The layers with their boxes, below each other."""
    bands: list[Band] = []
    top = 0.0
    for layer in order:
        nodes = [item for item in layer if item < len(sizes)]
        height = max((sizes[node][1] for node in nodes), default=0.0)
        boxes = [_box((x[node], top + height / 2), sizes[node]) for node in nodes]
        bands.append(Band(len(bands), top, top + height, tuple(boxes)))
        sideways = [abs(x[item] - x[lower]) for item in layer for lower in items.below[item]]
        top += height + min(_BETWEEN + _STEEP * max(sideways, default=0.0), _FURTHEST)
    return bands


def _squeezed(bands: list[Band], width: float) -> list[Band]:
    """The layers closer together if they are higher than a page, and than a picture of this width
    should be."""
    height, solid = bands[-1].bottom, sum(band.bottom - band.top for band in bands)
    too_high = height - max(_PAGE, _TALL * width)
    if too_high <= 0 or height == solid:
        return bands
    share, top = max(1 - too_high / (height - solid), _CLOSEST), 0.0
    closer: list[Band] = []
    for band, after in zip(bands, [*bands[1:], bands[-1]], strict=True):
        up = band.top - top
        boxes = tuple((left, high - up, right, low - up) for left, high, right, low in band.boxes)
        closer.append(Band(band.row, band.top - up, band.bottom - up, boxes))
        top += band.bottom - band.top + share * (after.top - band.bottom)
    return closer


def _box(at: Point, size: Point) -> Box:
    (x, y), (width, height) = at, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2
