"""Heights in lanes from left to right; edges run between the lanes and around nodes in their way.

An edge that passes through a lane has a thread there, which is placed like a small node (Sugiyama,
Tagawa and Toda 1981).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

Item = Hashable  # a node, or a thread: (edge_index, lane_index)
ItemType = TypeVar("ItemType", bound=Hashable)
_SWEEPS = 24
_BESIDE = 14.0  # between nodes in a lane
_THREAD = 8.0  # room for a thread


@dataclass(frozen=True, slots=True)
class Heights:
    """The y of each node, and of each edge in the lanes that it passes through."""

    nodes: dict[Item, float]
    threads: dict[tuple[int, int], float]  # by edge_index and lane_index


def heights(
    lanes: Sequence[Sequence[Item]],
    edges: Sequence[tuple[Item, Item]],
    node_heights: Mapping[Item, float],
    node_blocks: Mapping[Item, int],
    block_gap: float,
) -> Heights:
    """Places within lanes, close to those of neighbours.

    ``node_blocks``: in all lanes, the nodes of block 1 stand above those of block 2, and so on,
    with ``block_gap`` between them; nodes of block 0 stand anywhere. An edge from block to block
    passes lanes in the lower one. Precondition: nodes of block 0 share no lane with others.
    """
    lane_of = {node: lane_index for lane_index, lane in enumerate(lanes) for node in lane}
    filled: list[list[Item]] = [list(lane) for lane in lanes]
    neighbours: dict[Item, list[Item]] = {node: [] for node in lane_of}
    block = dict(node_blocks)
    for edge_index, ends in enumerate(edges):
        start, end = sorted(ends, key=lambda node: lane_of[node])
        passed = range(lane_of[start] + 1, lane_of[end])
        threads: list[Item] = [(edge_index, lane_index) for lane_index in passed]
        for lane_index, thread in zip(passed, threads, strict=True):
            filled[lane_index].append(thread)
            neighbours[thread] = []
            loose = any(block[node] == 0 for node in lanes[lane_index])
            block[thread] = 0 if loose else max(block[start], block[end])
        for left, right in pairwise([start, *threads, end]):
            neighbours[left].append(right)
            neighbours[right].append(left)
    room = {
        item: node_heights[item] + _BESIDE if item in node_heights else _THREAD
        for item in neighbours
    }
    y = _stacked(_settled(filled, neighbours, room, block, {}), room, block, block_gap)
    loose_lanes = [lane for lane in filled if not any(map(block.get, lane))]
    y |= _settled(loose_lanes, neighbours, room, block, y)
    places = {
        (edge_index, lane_index): y[edge_index, lane_index]
        for edge_index in range(len(edges))
        for lane_index in range(len(lanes))
        if (edge_index, lane_index) in y
    }
    return Heights({node: y[node] for node in lane_of}, places)


def _settled(
    lanes: Sequence[Sequence[Item]],
    neighbours: Mapping[Item, Sequence[Item]],
    room: Mapping[Item, float],
    block: Mapping[Item, int],
    initial: Mapping[Item, float],
) -> dict[Item, float]:
    """Each item moved to the mean of its neighbours, lane by lane, forth and back."""
    y = dict(initial)
    for lane in lanes:
        start = {item: y.get(item, float(rank)) for rank, item in enumerate(lane)}
        y.update(kept_apart(lane, start, room, block))
    for sweep in range(_SWEEPS):
        for lane in lanes if sweep % 2 == 0 else reversed(lanes):
            wanted = {
                item: sum(y[neighbour] for neighbour in neighbours[item]) / len(neighbours[item])
                if neighbours[item]
                else y[item]
                for item in lane
            }
            y.update(kept_apart(lane, wanted, room, block))
    return y


def _stacked(
    y: dict[Item, float], room: Mapping[Item, float], block: Mapping[Item, int], block_gap: float
) -> dict[Item, float]:
    """Blocks moved down until each is below the one before."""
    stacked, bottom = dict(y), -block_gap
    for block_index in sorted(set(block.values()) - {0}):
        members = [item for item in y if block[item] == block_index]
        shift = bottom + block_gap - min(y[item] - room[item] / 2 for item in members)
        stacked.update({item: y[item] + shift for item in members})
        bottom = max(stacked[item] + room[item] / 2 for item in members)
    return stacked


def kept_apart(
    lane: Sequence[Item],
    wanted: Mapping[Item, float],
    room: Mapping[Item, float],
    block: Mapping[Item, int],
) -> dict[Item, float]:
    """Items as close to where they are wanted as their blocks and the room they need allow."""
    rank = {item: position for position, item in enumerate(lane)}
    order = sorted(lane, key=lambda item: (block[item], wanted[item], rank[item]))
    return nearest(order, wanted, room, dict.fromkeys(order, 1.0))


def nearest(
    order: Sequence[ItemType],
    wanted: Mapping[ItemType, float],
    room: Mapping[ItemType, float],
    weight: Mapping[ItemType, float],
) -> dict[ItemType, float]:
    """Items as close to where they are wanted as their order and the room they need allow.

    The weighted least squares solution by isotonic regression: decreasing offsets are averaged
    until none decrease.
    """
    starts = [0.0] if order else []
    for before, item in pairwise(order):
        starts.append(starts[-1] + (room[before] + room[item]) / 2)
    runs: list[tuple[float, float, int]] = []  # mean offset, weight, length
    for start, item in zip(starts, order, strict=True):
        mean, share, length = wanted[item] - start, weight[item], 1
        while runs and runs[-1][0] > mean:
            mean_before, share_before, length_before = runs.pop()
            mean = (mean * share + mean_before * share_before) / (share + share_before)
            share, length = share + share_before, length + length_before
        runs.append((mean, share, length))
    offsets = [mean for mean, _, length in runs for _ in range(length)]
    return {
        item: start + offset for item, start, offset in zip(order, starts, offsets, strict=True)
    }
