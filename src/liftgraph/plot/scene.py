"""What is in a picture, as data: nodes, edges, plates, lines and texts, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from liftgraph.plot.text import SMALL_FONT

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right and bottom
NodeKind = Literal["variable", "factor", "step", "table", "bar", "answer", "dot", "panel", "cell"]
Stroke = Literal["axis", "whisker", "curve", "dashes", "band"]
Anchor = Literal["left", "center", "right"]
FACTOR_SIDE = 11.0


@dataclass(frozen=True, slots=True)
class Node:
    """Something with a place: a variable or PRV (round), a factor or parfactor (a square), a step
    of a plan, a table it starts from, a bar, a dot on a curve, a panel with bars in it, or a cell
    of a heat table.

    ``id``: its name in the file. ``label``: the lines inside. ``group``: the index of its colour;
    None: it is alone in its group. ``badge``: the number of its group, if there are more groups
    than colours. ``stacked``: it stands for several, and is drawn as a stack. ``observed``: it has
    evidence. ``fixed``: an intervention sets it. ``at``: its centre, and ``size``: its width and
    height, in points, y downwards.
    ``shade``: how dark a cell is, from 0 to 1. ``title``: what is shown under the pointer, if that
    is not the label.
    """

    id: str
    kind: NodeKind
    label: str = ""
    group: int | None = None
    badge: str = ""
    stacked: bool = False
    observed: bool = False
    fixed: bool = False
    at: Point = (0.0, 0.0)
    size: Point = (FACTOR_SIDE, FACTOR_SIDE)
    shade: float = 0.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line between two nodes, given by their ids, with a label in its middle.

    ``via``: the points that it passes on its way, if it is not straight. ``arrow``: it points to
    the second node.
    """

    first: str
    second: str
    label: str = ""
    via: tuple[Point, ...] = ()
    arrow: bool = False

    @property
    def id(self) -> str:
        """Its name in the file."""
        return f"edge-{self.first}-{self.second}"


@dataclass(frozen=True, slots=True)
class Plate:
    """A rectangle around everything that is repeated for each individual."""

    id: str
    label: str
    members: tuple[str, ...] = ()
    box: Box = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points, not between nodes: an axis, an error bar, or a curve in the colour of
    a group; or a band, which is filled inside."""

    id: str
    stroke: Stroke
    points: tuple[Point, ...]
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text outside of nodes; ``at``: where its anchor is, at half its height.

    ``halo``: lines behind it are interrupted.
    """

    id: str
    text: str
    at: Point
    size: float = SMALL_FONT
    anchor: Anchor = "left"
    bold: bool = False
    halo: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture, or a panel of one. ``caption``: what it shows, in words."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    plates: tuple[Plate, ...] = ()
    texts: tuple[Text, ...] = ()
    caption: str = ""
    polylines: tuple[Polyline, ...] = ()
