"""Parametric factor graphs in columns, with plates around what is repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from liftgraph.model.lifted.logvars import Domain
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.layout.lanes import Heights, Item, heights
from liftgraph.plot.layout.plates import DomainSet, PlateBlock, PlateGrid, nesting_levels
from liftgraph.plot.scene import Edge, Node, Plate, Point, Scene, Text
from liftgraph.plot.text import SMALL_FONT, text_width

_GAP = 36.0  # between lanes
_RIM, _RIMS = 12.0, 9.0  # between a plate and what is in it, and from rim to rim
_NAME = 15.0  # above a parfactor
_LABEL = 15.0  # of a plate, below what is in it


@dataclass(frozen=True, slots=True)
class Lane:
    """The parfactors or the PRVs of a column, below each other."""

    column: int
    node_ids: tuple[str, ...]
    half_width: float
    x: float = 0.0


def in_columns(
    scene: Scene,
    names: Mapping[str, str],
    repeated: Mapping[str, DomainSet],
    plate_labels: Mapping[Domain, str],
    grid: PlateGrid,
) -> Scene:
    """A scene with places, and with plates around what is repeated.

    ``names`` stand above parfactors. ``repeated``: the domains for which each node is repeated. In
    each column, parfactors stand left of PRVs: between those and their neighbours further left.
    """
    nodes = {node.id: measured(node) for node in scene.nodes}
    spanned = _spanned(grid, repeated)
    levels = nesting_levels(spanned)
    label_widths = (text_width(edge.label, SMALL_FONT) for edge in scene.edges if edge.label)
    gap = max([_GAP, *(width + 24 for width in label_widths)])
    lanes = _placed(_lanes(nodes, names, repeated, grid), spanned, levels, gap)
    y = _heights(scene, nodes, names, repeated, grid, lanes, levels)
    lane_of = {node_id: index for index, lane in enumerate(lanes) for node_id in lane.node_ids}
    placed = {
        node_id: replace(node, at=(lanes[lane_of[node_id]].x, y.nodes[node_id]))
        for node_id, node in nodes.items()
    }
    edges = [
        replace(edge, via=_way(edge, edge_index, lanes, lane_of, y))
        for edge_index, edge in enumerate(scene.edges)
    ]
    texts = [_name(placed[node_id], name) for node_id, name in names.items()]
    plates = []
    for index, domain in enumerate(sorted(plate_labels, key=lambda domain: -levels[domain])):
        members = [node for node_id, node in placed.items() if domain in repeated[node_id]]
        covered = [lanes[lane] for lane in sorted({lane_of[node.id] for node in members})]
        label = plate_labels[domain]
        plates.append(_plate(f"plate-{index}", label, levels[domain], covered, members))
    return Scene(tuple(placed.values()), tuple(edges), tuple(plates), tuple(texts))


def _spanned(grid: PlateGrid, repeated: Mapping[str, DomainSet]) -> list[PlateBlock]:
    """The columns of each block, what is not repeated first, with all plates that cross them."""
    spanned = [[frozenset[Domain](), *block] for block in grid.blocks]
    for domain in grid.row_domains:
        columns = [members - grid.row_domains for members in repeated.values() if domain in members]
        places = [spanned[0].index(column) for column in columns]
        for index in range(min(places), max(places) + 1):
            spanned[0][index] |= {domain}
    return [tuple(columns) for columns in spanned]


def _heights(
    scene: Scene,
    nodes: Mapping[str, Node],
    names: Mapping[str, str],
    repeated: Mapping[str, DomainSet],
    grid: PlateGrid,
    lanes: Sequence[Lane],
    levels: Mapping[Domain, int],
) -> Heights:
    """The y of everything; between blocks, or rows, there is room for the rims and labels of
    plates."""
    node_heights: dict[Item, float] = {
        node_id: node.size[1] + (_NAME if node_id in names else 0.0)
        for node_id, node in nodes.items()
    }
    if grid.row_domains:
        row_of = {row: index for index, row in enumerate(grid.rows, 1)}
        node_blocks: dict[Item, int] = {
            node_id: row_of[repeated[node_id] & grid.row_domains] for node_id in nodes
        }
    else:
        block_of = {column: index for index, block in enumerate(grid.blocks, 1) for column in block}
        node_blocks = {node_id: block_of.get(repeated[node_id], 0) for node_id in nodes}
    gap = 2 * _RIM + (_RIMS + _LABEL) * (max(levels.values(), default=0) + 1)
    ends = [(edge.first, edge.second) for edge in scene.edges]
    return heights([lane.node_ids for lane in lanes], ends, node_heights, node_blocks, gap)


def _lanes(
    nodes: Mapping[str, Node],
    names: Mapping[str, str],
    repeated: Mapping[str, DomainSet],
    grid: PlateGrid,
) -> list[Lane]:
    column_of = {column: index for block in grid.blocks for index, column in enumerate(block, 1)}
    members: dict[tuple[int, str], list[str]] = {}
    for node_id, node in nodes.items():
        column = column_of.get(repeated[node_id] - grid.row_domains, 0)
        members.setdefault((column, node.kind), []).append(node_id)
    lanes = []
    for (column, _), node_ids in sorted(members.items()):  # factors before variables
        widths = [
            max(nodes[node_id].size[0], text_width(names.get(node_id, ""), SMALL_FONT))
            for node_id in node_ids
        ]
        lanes.append(Lane(column, tuple(node_ids), max(widths) / 2))
    return lanes


def _placed(
    lanes: Sequence[Lane], blocks: Sequence[PlateBlock], levels: Mapping[Domain, int], gap: float
) -> list[Lane]:
    """Lanes from left to right, with room for the rims of plates between columns."""
    placed = list(lanes[:1])
    for lane in lanes[1:]:
        before = placed[-1]
        rims = 0.0
        for block in blocks:
            left, right = _column(block, before.column), _column(block, lane.column)
            rims = max(rims, _rims(left - right, levels) + _rims(right - left, levels))
        x = before.x + before.half_width + gap + rims + lane.half_width
        placed.append(replace(lane, x=x))
    return placed


def _column(block: PlateBlock, index: int) -> DomainSet:
    """A column of a block; after the last, nothing is repeated."""
    return block[index] if index < len(block) else frozenset()


def _rims(ending: DomainSet, levels: Mapping[Domain, int]) -> float:
    """Room for the rims of plates that end here."""
    return _RIM + _RIMS * max(levels[domain] for domain in ending) if ending else 0.0


def _way(
    edge: Edge, edge_index: int, lanes: Sequence[Lane], lane_of: Mapping[str, int], y: Heights
) -> tuple[Point, ...]:
    """The points of an edge between its ends: it is level across the width of each lane."""
    start, end = lane_of[edge.first], lane_of[edge.second]
    ends = {start: edge.first, end: edge.second}
    step = 1 if start < end else -1
    points: list[Point] = []
    for lane_index in range(start, end + step, step):
        lane = lanes[lane_index]
        at_end = lane_index in ends
        level = y.nodes[ends[lane_index]] if at_end else y.threads[edge_index, lane_index]
        points += [(lane.x + side * step * lane.half_width, level) for side in (-1, 1)]
    return tuple(points[1:-1])


def _name(node: Node, name: str) -> Text:
    above = node.at[1] - node.size[1] / 2 - 6 - 4 * node.stacked
    return Text(f"name-{node.id}", name, (node.at[0], above), SMALL_FONT, "center")


def _plate(
    plate_id: str, label: str, level: int, lanes: Sequence[Lane], members: Sequence[Node]
) -> Plate:
    rim = _RIM + _RIMS * level
    tops = [node.at[1] - node.size[1] / 2 - _NAME * (node.kind == "factor") for node in members]
    bottoms = [node.at[1] + node.size[1] / 2 for node in members]
    top, bottom = min(tops) - rim + 4, max(bottoms) + _RIM - 4 + _LABEL * (level + 1)
    left = lanes[0].x - lanes[0].half_width - rim
    right = lanes[-1].x + lanes[-1].half_width + rim
    right = max(right, left + text_width(label, SMALL_FONT) + 16)
    return Plate(plate_id, label, tuple(node.id for node in members), (left, top, right, bottom))
