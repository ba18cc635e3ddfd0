"""Scenes measured, moved, and put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.plot.scene import FACTOR_SIDE, Box, Node, Point, Polyline, Scene, Text
from liftgraph.plot.text import FONT_SIZE, LINE_SPACING, SMALL_FONT, text_width, wrapped

BOLD = 1.13  # how much wider bold letters are
_NARROWEST_CAPTION = 330.0
_NAMED_FACTOR = 14.0  # the height of a square with a text


def measured(node: Node) -> Node:
    """A node that is large enough for its label."""
    if node.kind == "factor" and not node.label:
        side = max(FACTOR_SIDE, text_width(node.badge, SMALL_FONT - 1) + 4)
        return replace(node, size=(side, max(FACTOR_SIDE, min(side, 13.0))))
    if node.kind == "factor":
        return replace(node, size=(text_width(node.label, SMALL_FONT) + 6, _NAMED_FACTOR))
    first, *further = node.label.split("\n")
    height = LINE_SPACING * FONT_SIZE * (1 + len(further)) + 8
    widest = max([text_width(first), *(text_width(line, SMALL_FONT) for line in further)])
    width = widest + (0.7 * height if node.kind == "variable" else 14)
    return replace(node, size=(max(width, height), height))


def boxes(scene: Scene) -> list[Box]:
    """What everything in a scene covers."""
    return [
        *(plate.box for plate in scene.plates),
        *map(_node_box, scene.nodes),
        *map(_text_box, scene.texts),
        *map(_polyline_box, scene.polylines),
        *((x, y, x, y) for edge in scene.edges for x, y in edge.via),
    ]


def _node_box(node: Node) -> Box:
    (x, y), (width, height) = node.at, node.size
    badge = 4 if node.badge else 0
    return x - width / 2, y - height / 2 - badge, x + width / 2 + 5, y + height / 2


def _text_box(text: Text) -> Box:
    (x, y), width = text.at, text_width(text.text, text.size) * (BOLD if text.bold else 1.0)
    left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[text.anchor] * width
    return left, y - 0.65 * text.size, left + width, y + 0.65 * text.size


def _polyline_box(polyline: Polyline) -> Box:
    xs, ys = zip(*polyline.points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def extent(scene: Scene) -> Box:
    """The box around all boxes."""
    lefts, tops, rights, bottoms = zip(*(boxes(scene) or [(0.0, 0.0, 0.0, 0.0)]), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def moved(scene: Scene, by: Point) -> Scene:
    """The same scene elsewhere."""
    dx, dy = by

    def there(at: Point) -> Point:
        return at[0] + dx, at[1] + dy

    return replace(
        scene,
        edges=tuple(replace(edge, via=tuple(map(there, edge.via))) for edge in scene.edges),
        nodes=tuple(replace(node, at=there(node.at)) for node in scene.nodes),
        texts=tuple(replace(text, at=there(text.at)) for text in scene.texts),
        plates=tuple(
            replace(plate, box=(*there(plate.box[:2]), *there(plate.box[2:])))
            for plate in scene.plates
        ),
        polylines=tuple(
            replace(polyline, points=tuple(map(there, polyline.points)))
            for polyline in scene.polylines
        ),
    )


def together(scenes: Sequence[Scene], caption: str = "") -> Scene:
    """All of these in one scene; their captions are dropped."""
    return Scene(
        tuple(node for scene in scenes for node in scene.nodes),
        tuple(edge for scene in scenes for edge in scene.edges),
        tuple(plate for scene in scenes for plate in scene.plates),
        tuple(text for scene in scenes for text in scene.texts),
        caption,
        tuple(polyline for scene in scenes for polyline in scene.polylines),
    )


def below(upper: Scene, lower: Scene, gap: float = 14.0) -> Scene:
    """Two scenes, the second one below the first, with the same left edge."""
    left, _, _, bottom = extent(upper)
    lower_left, top, _, _ = extent(lower)
    down = bottom + gap - top if upper.nodes or upper.texts else -top
    return together([upper, moved(lower, (left - lower_left, down))], upper.caption)


def captioned(scene: Scene) -> Scene:
    """A scene with its caption written below it, if it has one."""
    if not scene.caption:
        return scene
    left, _, right, _ = extent(scene)
    lines = wrapped(scene.caption, max(right - left, _NARROWEST_CAPTION))
    texts = [
        Text(f"caption-{row}", line, (0.0, row * LINE_SPACING * SMALL_FONT))
        for row, line in enumerate(lines)
    ]
    return below(scene, Scene(texts=tuple(texts)))


def grid(panels: Sequence[Scene], columns: int, gap: float = 26.0) -> Scene:
    """Panels in rows of ``columns``, all in cells of the same size."""
    extents = [extent(panel) for panel in panels]
    width = max(right - left for left, _, right, _ in extents) + gap
    height = max(bottom - top for _, top, _, bottom in extents) + gap
    placed = []
    for index, (panel, (left, top, _, _)) in enumerate(zip(panels, extents, strict=True)):
        row, column = divmod(index, columns)
        placed.append(moved(panel, (column * width - left, row * height - top)))
    return together(placed)
