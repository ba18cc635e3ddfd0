"""Places in columns of what is repeated alike, with plates around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from liftgraph.model.lifted.logvars import Domain
from liftgraph.plot.layout.layers import Heights, Key, heights
from liftgraph.plot.scenes.plates import Block, Repeated, levels
from liftgraph.plot.scenes.scene import Edge, Node, Plate, Point, Scene, Text, measured
from liftgraph.plot.text import SMALL, width

_GAP = 36.0  # between lanes
_RIM, _RIMS = 12.0, 9.0  # between a plate and what is in it, and from rim to rim
_NAME = 15.0  # above a parfactor
_LABEL = 15.0  # of a plate, below what is in it


@dataclass(frozen=True, slots=True)
class Lane:
    """Parfactors or PRVs of a column, below each other; ``half``: of its width."""

    column: int
    keys: tuple[str, ...]
    half: float
    x: float = 0.0


def in_columns(
    scene: Scene,
    names: Mapping[str, str],
    kinds: Mapping[str, Repeated],
    plates: Mapping[Domain, str],
    blocks: Sequence[Block],
) -> Scene:
    """A scene with places, and with plates around what is repeated.

    ``names``: of parfactors, to stand above them. ``kinds``: what each node is repeated for.
    ``plates``: their labels. In each column parfactors stand left of PRVs, between these and
    those further left that they are connected to.
    """
    nodes = {node.id: measured(node) for node in scene.nodes}
    rims = levels(blocks)
    gap = max([_GAP, *(width(edge.label, SMALL) + 24 for edge in scene.edges if edge.label)])
    lanes = _placed(_lanes(nodes, names, kinds, blocks), blocks, rims, gap)
    found = _heights(scene, nodes, names, kinds, blocks, lanes, rims)
    lane_of = {key: number for number, lane in enumerate(lanes) for key in lane.keys}
    placed = {
        key: replace(node, at=(lanes[lane_of[key]].x, found.nodes[key]))
        for key, node in nodes.items()
    }
    edges = [
        replace(edge, via=_way(edge, number, lanes, lane_of, found))
        for number, edge in enumerate(scene.edges)
    ]
    texts = [_name(placed[key], text) for key, text in names.items()]
    drawn = []
    for number, domain in enumerate(sorted(plates, key=lambda domain: -rims[domain])):
        members = [node for key, node in placed.items() if domain in kinds[key]]
        inside = [lanes[n] for n in sorted({lane_of[node.id] for node in members})]
        drawn.append(_plate(f"plate-{number}", plates[domain], rims[domain], inside, members))
    return Scene(tuple(placed.values()), tuple(edges), tuple(drawn), tuple(texts))


def _heights(
    scene: Scene,
    nodes: Mapping[str, Node],
    names: Mapping[str, str],
    kinds: Mapping[str, Repeated],
    blocks: Sequence[Block],
    lanes: Sequence[Lane],
    rims: Mapping[Domain, int],
) -> Heights:
    """The y of everything; between blocks there is room for the rims and labels of plates."""
    high: dict[Key, float] = {
        key: n.size[1] + (_NAME if key in names else 0.0) for key, n in nodes.items()
    }
    block_of = {kind: number for number, block in enumerate(blocks, 1) for kind in block}
    block: dict[Key, int] = {key: block_of.get(kinds[key], 0) for key in nodes}
    apart = 2 * _RIM + (_RIMS + _LABEL) * (max(rims.values(), default=0) + 1)
    ends = [(edge.first, edge.second) for edge in scene.edges]
    return heights([lane.keys for lane in lanes], ends, high, block, apart)


def _lanes(
    nodes: Mapping[str, Node],
    names: Mapping[str, str],
    kinds: Mapping[str, Repeated],
    blocks: Sequence[Block],
) -> list[Lane]:
    column_of = {kind: number for block in blocks for number, kind in enumerate(block, 1)}
    found: dict[tuple[int, str], list[str]] = {}
    for key, node in nodes.items():
        found.setdefault((column_of.get(kinds[key], 0), node.kind), []).append(key)
    lanes = []
    for (column, _), keys in sorted(found.items()):  # factors before variables
        broad = [max(nodes[key].size[0], width(names.get(key, ""), SMALL)) for key in keys]
        lanes.append(Lane(column, tuple(keys), max(broad) / 2))
    return lanes


def _placed(
    lanes: Sequence[Lane], blocks: Sequence[Block], rims: Mapping[Domain, int], gap: float
) -> list[Lane]:
    """Lanes from left to right, with room for the rims of plates between columns."""
    placed: list[Lane] = []
    for lane in lanes:
        if not placed:
            placed.append(lane)
            continue
        before = placed[-1]
        between = 0.0
        for block in blocks:
            one, other = _column(block, before.column), _column(block, lane.column)
            between = max(between, _rims(one - other, rims) + _rims(other - one, rims))
        placed.append(replace(lane, x=before.x + before.half + gap + between + lane.half))
    return placed


def _column(block: Block, number: int) -> Repeated:
    """A column of a block; before the first and after the last, nothing is repeated."""
    return block[number - 1] if 1 <= number <= len(block) else frozenset()


def _rims(ending: Repeated, rims: Mapping[Domain, int]) -> float:
    """Room for the rims of plates that end here."""
    return _RIM + _RIMS * max(rims[domain] for domain in ending) if ending else 0.0


def _way(
    edge: Edge,
    number: int,
    lanes: Sequence[Lane],
    lane_of: Mapping[str, int],
    found: Heights,
) -> tuple[Point, ...]:
    """The points of an edge between its ends: straight through all the width of every lane."""
    start, end = lane_of[edge.first], lane_of[edge.second]
    step = 1 if start < end else -1
    points: list[Point] = []
    for place in range(start, end + step, step):
        lane = lanes[place]
        ends = {start: edge.first, end: edge.second}
        y = found.nodes[ends[place]] if place in ends else found.threads[number, place]
        points += [(lane.x - step * lane.half, y), (lane.x + step * lane.half, y)]
    return tuple(points[1:-1])


def _name(node: Node, text: str) -> Text:
    up = node.at[1] - node.size[1] / 2 - 6 - 4 * node.many
    return Text(f"name-{node.id}", text, (node.at[0], up), SMALL, "center")


def _plate(
    name: str, label: str, rim: int, lanes: Sequence[Lane], members: Sequence[Node]
) -> Plate:
    out = _RIM + _RIMS * rim
    top = min(n.at[1] - n.size[1] / 2 - _NAME * (n.kind == "factor") for n in members) - out + 4
    bottom = max(n.at[1] + n.size[1] / 2 for n in members) + _RIM - 4 + _LABEL * (rim + 1)
    left, right = lanes[0].x - lanes[0].half - out, lanes[-1].x + lanes[-1].half + out
    right = max(right, left + width(label, SMALL) + 16)
    return Plate(name, label, tuple(node.id for node in members), (left, top, right, bottom))
