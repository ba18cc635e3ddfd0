"""Scenes of acyclic graphs: every arrow points down, components stand beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.plot.layout.arrangement import extent, moved, together
from liftgraph.plot.layout.layered import layered
from liftgraph.plot.scene import Edge, Node, Point, Scene

_BESIDE = 24.0  # between components
_WIDEST = 1.6  # width of a picture of many components for each point of its height


def top_down(scene: Scene) -> Scene:
    """A scene with places and bends: arrows go down, and keep clear of other nodes.

    Precondition: nodes have sizes, and edges are arrows without a cycle.
    """
    panels = [_component(nodes, edges) for nodes, edges in _components(scene)]
    return replace(_shelves(panels), caption=scene.caption)


def compact(scene: Scene) -> Scene:
    """The scene top-down or from left to right, whichever way its longer side is shorter.

    Precondition: as for ``top_down``.
    """
    ways = [top_down(scene), _turned(top_down(_turned(scene)))]
    return min(ways, key=_longer_side)


def _longer_side(scene: Scene) -> float:
    left, top, right, bottom = extent(scene)
    return max(right - left, bottom - top)


def _turned(scene: Scene) -> Scene:
    """The same with x and y exchanged."""

    def there(at: Point) -> Point:
        return at[1], at[0]

    return replace(
        scene,
        nodes=tuple(
            replace(node, at=there(node.at), size=there(node.size)) for node in scene.nodes
        ),
        edges=tuple(replace(edge, via=tuple(map(there, edge.via))) for edge in scene.edges),
    )


def _component(nodes: Sequence[Node], edges: Sequence[Edge]) -> Scene:
    index = {node.id: position for position, node in enumerate(nodes)}
    arrows = [(index[edge.first], index[edge.second]) for edge in edges]
    layout = layered([node.size for node in nodes], arrows)
    return Scene(
        tuple(replace(node, at=at) for node, at in zip(nodes, layout.places, strict=True)),
        tuple(replace(edge, via=via) for edge, via in zip(edges, layout.bends, strict=True)),
    )


def _components(scene: Scene) -> list[tuple[list[Node], list[Edge]]]:
    """The nodes and edges of each connected component, the largest first."""
    connected: DisjointSets[str] = DisjointSets()
    for edge in scene.edges:
        connected.join((edge.first, edge.second))
    components: dict[str, tuple[list[Node], list[Edge]]] = {}
    for node in scene.nodes:
        components.setdefault(connected.find(node.id), ([], []))[0].append(node)
    for edge in scene.edges:
        components[connected.find(edge.first)][1].append(edge)
    return sorted(components.values(), key=lambda component: -len(component[0]))


def _shelves(panels: Sequence[Scene]) -> Scene:
    """Components from left to right, on as many shelves as they need; small ones are stacked."""
    extents = [extent(panel) for panel in panels]
    sizes = [(right - left + _BESIDE, low - top + _BESIDE) for left, top, right, low in extents]
    area = sum(width * height for width, height in sizes)
    row_width = max([_WIDEST * sqrt(area), *(width for width, _ in sizes)])
    placed, x, y, shelf_height = [], 0.0, 0.0, 0.0
    column, column_width, filled = 0.0, 0.0, 0.0
    for panel, (left, top, _, _), (width, height) in zip(panels, extents, sizes, strict=True):
        if width > column_width or filled + height > shelf_height:
            if x > 0 and x + width > row_width:
                x, y, shelf_height = 0.0, y + shelf_height, 0.0
            column, column_width, filled = x, width, 0.0
            x, shelf_height = x + width, max(shelf_height, height)
        placed.append(moved(panel, (column - left, y + filled - top)))
        filled += height
    return together(placed)
