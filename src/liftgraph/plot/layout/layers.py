"""Places in lanes from left to right: edges run between them, and around what is in their way."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Key = Hashable
_SWEEPS = 24
_BESIDE = 14.0  # between things in a lane
_THREAD = 8.0  # room for an edge on its way through a lane


@dataclass(frozen=True, slots=True)
class Heights:
    """The y of each node, and of each edge in every lane that it passes through."""

    nodes: dict[Key, float]
    threads: dict[tuple[int, int], float]  # number of the edge, number of the lane


def heights(
    lanes: Sequence[Sequence[Key]],
    edges: Sequence[tuple[Key, Key]],
    high: Mapping[Key, float],
    blocks: Mapping[Key, int],
    apart: float,
) -> Heights:
    """Places within lanes, each thing close to those it is connected to.

    ``high``: how much room each node takes. ``blocks``: nodes of block 1 stand above those of
    block 2, in all lanes, and so on, so far ``apart``; those of block 0 anywhere. Preconditions:
    no edge from block to block, and lanes of its own for block 0. Edges through lanes are placed
    like small nodes, in the way of Sugiyama, Tagawa and Toda (1981).
    """
    lane_of = {node: number for number, lane in enumerate(lanes) for node in lane}
    filled: list[list[Key]] = [list(lane) for lane in lanes]
    near: dict[Key, list[Key]] = {node: [] for node in lane_of}
    block = dict(blocks)
    for number, (first, second) in enumerate(edges):
        start, end = sorted((first, second), key=lambda node: lane_of[node])
        way: list[Key] = [(number, lane) for lane in range(lane_of[start] + 1, lane_of[end])]
        for lane, thread in enumerate(way, lane_of[start] + 1):
            filled[lane].append(thread)
            near[thread] = []
            loose = any(block[node] == 0 for node in lanes[lane])
            block[thread] = 0 if loose else max(block[start], block[end])
        for one, other in pairwise([start, *way, end]):
            near[one].append(other)
            near[other].append(one)
    room = {each: high.get(each, _THREAD) + (_BESIDE if each in high else 0.0) for each in near}
    y = _stacked(_settled(filled, near, room, block, {}), room, block, apart)
    y |= _settled([lane for lane in filled if not any(map(block.get, lane))], near, room, block, y)
    threads = {
        (n, lane): y[n, lane]
        for n in range(len(edges))
        for lane in range(len(lanes))
        if (n, lane) in y
    }
    return Heights({node: y[node] for node in lane_of}, threads)


def _settled(
    lanes: Sequence[Sequence[Key]],
    near: Mapping[Key, Sequence[Key]],
    room: Mapping[Key, float],
    block: Mapping[Key, int],
    known: Mapping[Key, float],
) -> dict[Key, float]:
    """Each thing moved to the middle of its neighbours, lane by lane, forth and back."""
    y = dict(known)
    for lane in lanes:
        start = {each: y.get(each, float(n)) for n, each in enumerate(lane)}
        y.update(_in_order(lane, start, room, block))
    for sweep in range(_SWEEPS):
        for lane in lanes if sweep % 2 == 0 else reversed(lanes):
            wanted = {
                each: sum(y[other] for other in near[each]) / len(near[each])
                if near[each]
                else y[each]
                for each in lane
            }
            y.update(_in_order(lane, wanted, room, block))
    return y


def _stacked(
    y: dict[Key, float], room: Mapping[Key, float], block: Mapping[Key, int], apart: float
) -> dict[Key, float]:
    """Blocks moved down until each is below the one before."""
    moved, bottom = dict(y), -apart
    for number in sorted(set(block.values()) - {0}):
        mine = [each for each in y if block[each] == number]
        shift = bottom + apart - min(y[each] - room[each] / 2 for each in mine)
        moved.update({each: y[each] + shift for each in mine})
        bottom = max(moved[each] + room[each] / 2 for each in mine)
    return moved


def _in_order(
    lane: Sequence[Key],
    wanted: Mapping[Key, float],
    room: Mapping[Key, float],
    block: Mapping[Key, int],
) -> dict[Key, float]:
    """Things as close to where they should be as their order and the room they need allow.

    The least squares solution: offsets that fall are averaged until none do (isotonic regression).
    """
    order = sorted(range(len(lane)), key=lambda n: (block[lane[n]], wanted[lane[n]], n))
    starts, at = [], 0.0
    for before, n in zip([None, *order], order, strict=False):
        at += 0.0 if before is None else (room[lane[before]] + room[lane[n]]) / 2
        starts.append(at)
    blocks: list[tuple[float, int]] = []  # mean offset, how many
    for start, n in zip(starts, order, strict=True):
        mean, count = wanted[lane[n]] - start, 1
        while blocks and blocks[-1][0] > mean:
            other, many = blocks.pop()
            mean, count = (mean * count + other * many) / (count + many), count + many
        blocks.append((mean, count))
    offsets = [mean for mean, count in blocks for _ in range(count)]
    return {lane[n]: s + o for n, s, o in zip(order, starts, offsets, strict=True)}
