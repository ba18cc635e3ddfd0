"""The order of what stands in each layer, such that few arrows cross (Sugiyama, Tagawa and Toda
1981)."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise

Neighbours = Mapping[int, Sequence[int]]  # in the layer above, or below
_SWEEPS, _PATIENCE = 24, 6
_WORK = 400_000  # links that are looked at in sweeps


def ordered(
    layers: Sequence[Sequence[int]], above: Neighbours, below: Neighbours
) -> list[list[int]]:
    """Each layer in an order with few crossings; of all orders that were met, the best.

    ``above``, ``below``: the neighbours of each item in the layers next to it.
    """
    order = _depth_first(layers, below)
    best = min([list(map(list, layers)), order], key=lambda start: crossing_count(start, below))
    fewest, waited = crossing_count(best, below), 0
    links = sum(map(len, below.values()))
    for sweep in range(min(_SWEEPS, _WORK // (links + 1) + 4)):
        order = _swept(order, above, below, downwards=sweep % 2 == 0)
        order = _swapped(order, above, below)
        crossings = crossing_count(order, below)
        waited = 0 if crossings < fewest else waited + 1
        if crossings < fewest:
            best, fewest = order, crossings
        if not fewest or waited == _PATIENCE:
            break
    return best


def _depth_first(layers: Sequence[Sequence[int]], below: Neighbours) -> list[list[int]]:
    """The order in which a search that goes down first meets them."""
    row = {item: index for index, layer in enumerate(layers) for item in layer}
    order: list[list[int]] = [[] for _ in layers]
    met: set[int] = set()
    for start in (item for layer in layers for item in layer):
        stack = [start]
        while stack:
            item = stack.pop()
            if item not in met:
                met.add(item)
                order[row[item]].append(item)
                stack.extend(reversed(below[item]))
    return order


def _swept(
    order: Sequence[Sequence[int]], above: Neighbours, below: Neighbours, downwards: bool
) -> list[list[int]]:
    """Each layer sorted by the mean positions of neighbours in the layer before it."""
    swept = [list(layer) for layer in order]
    neighbours = above if downwards else below
    rows = range(1, len(swept)) if downwards else range(len(swept) - 2, -1, -1)
    for row in rows:
        before = swept[row - 1 if downwards else row + 1]
        position = {item: index for index, item in enumerate(before)}
        swept[row] = _by_means(swept[row], neighbours, position)
    return swept


def _by_means(
    layer: Sequence[int], neighbours: Neighbours, position: Mapping[int, int]
) -> list[int]:
    """Items sorted by the means of their neighbours' positions; those without stay in place."""
    means = {
        item: sum(position[neighbour] for neighbour in neighbours[item]) / len(neighbours[item])
        for item in layer
        if neighbours[item]
    }
    movable = iter(sorted(means, key=lambda item: means[item]))
    return [next(movable) if item in means else item for item in layer]


def _swapped(
    order: Sequence[Sequence[int]], above: Neighbours, below: Neighbours
) -> list[list[int]]:
    """Neighbours in a layer exchanged wherever that removes crossings."""
    swapped = [list(layer) for layer in order]
    for row, layer in enumerate(swapped):
        ends = [
            _end_positions(layer, above, swapped[row - 1] if row else []),
            _end_positions(layer, below, swapped[row + 1] if row + 1 < len(swapped) else []),
        ]
        for left in range(len(layer) - 1):
            first, second = layer[left], layer[left + 1]
            crossings = sum(_pair_crossings(side[first], side[second]) for side in ends)
            if sum(_pair_crossings(side[second], side[first]) for side in ends) < crossings:
                layer[left], layer[left + 1] = second, first
    return swapped


def _end_positions(
    layer: Sequence[int], neighbours: Neighbours, next_layer: Sequence[int]
) -> dict[int, list[int]]:
    """The positions of each item's neighbours in the layer next to it, increasing."""
    position = {item: index for index, item in enumerate(next_layer)}
    return {item: sorted(position[end] for end in neighbours[item]) for item in layer}


def _pair_crossings(left: Sequence[int], right: Sequence[int]) -> int:
    """How many links of an item cross those of another one right of it."""
    return sum(len(left) - bisect_right(left, end) for end in right)


def crossing_count(order: Sequence[Sequence[int]], below: Neighbours) -> int:
    """How many pairs of links between neighbouring layers cross."""
    count = 0
    for layer, next_layer in pairwise(order):
        met: list[int] = []
        for ends in _end_positions(layer, below, next_layer).values():
            count += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return count
