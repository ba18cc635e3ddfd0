"""What is in a picture, as data: nodes, edges, plates, lines and texts, with their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from liftgraph.plot.text import LINE, SIZE, SMALL, lines, width

Point = tuple[float, float]
Kind = Literal["variable", "factor", "step", "table", "bar", "answer", "dot"]
Stroke = Literal["axis", "whisker", "curve", "dashes"]
Anchor = Literal["left", "center", "right"]
MARGIN = 10.0
_SQUARE = 11.0  # a side of a factor
_BOLD = 1.13  # bold letters are so much broader
_NARROWEST = 330.0  # a caption gets as much room


@dataclass(frozen=True, slots=True)
class Node:
    """Something with a place: a variable or PRV (round), a factor or parfactor (a square), a step
    of a plan, a table it starts from, a bar, or a dot on a curve.

    ``id``: its name in the file. ``label``: lines inside. ``group``: the number of its colour;
    None: it is alone. ``badge``: the same number where colours do not suffice. ``many``: it
    stands for several, and is drawn as a stack. ``observed``: it has evidence.
    ``at``: its centre, and ``size``: its width and height, in points, y downwards.
    """

    id: str
    kind: Kind
    label: str = ""
    group: int | None = None
    badge: str = ""
    many: bool = False
    observed: bool = False
    at: Point = (0.0, 0.0)
    size: Point = (_SQUARE, _SQUARE)


@dataclass(frozen=True, slots=True)
class Edge:
    """A line between two nodes, given by their ids; ``label`` stands in its middle.

    ``via``: points on its way where it is not straight.
    """

    first: str
    second: str
    label: str = ""
    via: tuple[Point, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the file."""
        return f"edge-{self.first}-{self.second}"


@dataclass(frozen=True, slots=True)
class Plate:
    """A rectangle around what is repeated for each individual: left, top, right and bottom."""

    id: str
    label: str
    members: tuple[str, ...] = ()
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that belongs to no nodes: of an axis, a bound, or a curve in the colour of a group."""

    id: str
    stroke: Stroke
    points: tuple[Point, ...]
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text beside everything else; ``at``: where its anchor is, at half its height.

    ``halo``: lines end where it begins.
    """

    id: str
    text: str
    at: Point
    size: float = SMALL
    anchor: Anchor = "left"
    strong: bool = False
    halo: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture, or a panel of one. ``caption``: what it shows, once it has been written below."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    plates: tuple[Plate, ...] = ()
    texts: tuple[Text, ...] = ()
    caption: str = ""
    lines: tuple[Line, ...] = ()


def measured(node: Node) -> Node:
    """A node that is large enough for its label."""
    if node.kind == "factor" and not node.label:
        side = max(_SQUARE, width(node.badge, SMALL - 1) + 4)
        return replace(node, size=(side, max(_SQUARE, min(side, 13.0))))
    rows = node.label.split("\n")
    height = LINE * SIZE * len(rows) + 8
    further = (width(row, SMALL) for row in rows[1:])
    broad = max(width(rows[0]), *further, 0.0) + (0.7 * height if node.kind == "variable" else 14)
    return replace(node, size=(max(broad, height), height))


def boxes(scene: Scene) -> list[tuple[float, float, float, float]]:
    """What everything in a scene covers: left, top, right and bottom."""
    found = [plate.box for plate in scene.plates]
    for node in scene.nodes:
        (x, y), (w, h) = node.at, node.size
        found.append((x - w / 2, y - h / 2 - 4 * bool(node.badge), x + w / 2 + 5, y + h / 2))
    found += map(_text_box, scene.texts)
    found += map(_line_box, scene.lines)
    return found


def _line_box(line: Line) -> tuple[float, float, float, float]:
    xs, ys = zip(*line.points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _text_box(text: Text) -> tuple[float, float, float, float]:
    broad, (x, y) = width(text.text, text.size) * (_BOLD if text.strong else 1.0), text.at
    left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[text.anchor] * broad
    return left, y - 0.65 * text.size, left + broad, y + 0.65 * text.size


def extent(scene: Scene) -> tuple[float, float, float, float]:
    """The box around all boxes."""
    found = boxes(scene) or [(0.0, 0.0, 0.0, 0.0)]
    lefts, tops, rights, bottoms = zip(*found, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def moved(scene: Scene, by: Point) -> Scene:
    """The same elsewhere."""
    dx, dy = by

    def there(at: Point) -> Point:
        return at[0] + dx, at[1] + dy

    return replace(
        scene,
        edges=tuple(replace(edge, via=tuple(map(there, edge.via))) for edge in scene.edges),
        nodes=tuple(replace(node, at=there(node.at)) for node in scene.nodes),
        texts=tuple(replace(text, at=there(text.at)) for text in scene.texts),
        plates=tuple(replace(p, box=(*there(p.box[:2]), *there(p.box[2:]))) for p in scene.plates),
        lines=tuple(replace(each, points=tuple(map(there, each.points))) for each in scene.lines),
    )


def together(scenes: Sequence[Scene], caption: str = "") -> Scene:
    """All of these in one; their captions are dropped."""
    return Scene(
        tuple(node for scene in scenes for node in scene.nodes),
        tuple(edge for scene in scenes for edge in scene.edges),
        tuple(plate for scene in scenes for plate in scene.plates),
        tuple(text for scene in scenes for text in scene.texts),
        caption,
        tuple(line for scene in scenes for line in scene.lines),
    )


def below(upper: Scene, lower: Scene, gap: float = 14.0) -> Scene:
    """Two scenes, the second one below the first, both from the same left edge."""
    left, _, _, bottom = extent(upper)
    other_left, top, _, _ = extent(lower)
    down = bottom + gap - top if upper.nodes or upper.texts else -top
    return together([upper, moved(lower, (left - other_left, down))], upper.caption)


def captioned(scene: Scene) -> Scene:
    """A scene with its caption written below it, if it has one."""
    if not scene.caption:
        return scene
    left, _, right, _ = extent(scene)
    broad = max(right - left, _NARROWEST)
    rows = lines(scene.caption, broad)
    texts = [
        Text(f"caption-{number}", row, (0.0, number * LINE * SMALL))
        for number, row in enumerate(rows)
    ]
    return below(scene, Scene(texts=tuple(texts)))


def grid(panels: Sequence[Scene], columns: int, gap: float = 26.0) -> Scene:
    """Panels in rows of so many, all in cells of the same size."""
    corners = [extent(panel) for panel in panels]
    broad = max(right - left for left, _, right, _ in corners) + gap
    high = max(bottom - top for _, top, _, bottom in corners) + gap
    placed = []
    for number, (panel, (left, top, _, _)) in enumerate(zip(panels, corners, strict=True)):
        row, column = divmod(number, columns)
        placed.append(moved(panel, (column * broad - left, row * high - top)))
    return together(placed)
