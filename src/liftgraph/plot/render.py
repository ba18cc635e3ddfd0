"""Scenes drawn with matplotlib: as SVG and PDF, in which text stays text, and as PNG."""

from __future__ import annotations

import io
import re
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from liftgraph.plot.arrows import arrow_of, label_place
from liftgraph.plot.layout.arrangement import extent, moved
from liftgraph.plot.scene import Edge, Node, Plate, Point, Polyline, Scene, Text
from liftgraph.plot.style import (
    BLUE,
    GREY,
    INK,
    PALETTE,
    PAPER,
    STYLE,
    adaptive,
    check_installed,
    ink_on,
    metadata,
    settings,
    tint,
)
from liftgraph.plot.text import FONT_SIZE, LINE_SPACING, SMALL_FONT, plain, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

ALONE = "#5b6470"  # the outline of variables that are alone in their group
_STYLE = {
    **STYLE,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # letters stay text, and are found
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # equally wide
}
_MARGIN = 10.0
EDGE_COLOUR = "#9aa3ad"
ARROW_COLOUR = "#77808b"  # darker: heads are small
_LINE = 0.12  # the width of lines in small pictures, relative to their nodes
_ARC = 0.5523  # of a quarter circle as a Bézier curve: 4/3 (√2 - 1)
_PALE = 0.25  # the share of its colour in a band
_MOST_WORDS = 2000  # letters of a description
_MOST_PIXELS = 2**15  # of a side: the limit of matplotlib


def rendered(scene: Scene, suffix: str) -> bytes:
    """The file of a scene: ``svg``, ``png`` or ``pdf``."""
    check_installed("pictures")
    with settings(_STYLE):
        figure = _figure(scene)
        longest_side = 72 * max(figure.get_figwidth(), figure.get_figheight())
        details = metadata(suffix)
        if suffix == "svg":
            details["Creator"] = None
        if suffix in ("svg", "pdf") and scene.caption:  # for readers who do not see the picture
            details["Title"] = plain(scene.caption)
        stream = io.BytesIO()
        dpi = min(144.0, 72 * _MOST_PIXELS / longest_side)
        figure.savefig(stream, format=suffix, dpi=dpi, metadata=details)
    return _readable(stream.getvalue(), scene) if suffix == "svg" else stream.getvalue()


def _readable(svg: bytes, scene: Scene) -> bytes:
    """An SVG with words for those who do not see it, and a title for each node that has one."""
    titles = {
        name: title
        for node in scene.nodes
        if (title := titled(node))
        for name in (node.id, f"label-{node.id}", f"label-{node.id}-1")
    }

    def with_title(group: re.Match[str]) -> str:
        title = titles.get(unescape(group[1]))
        return group[0] if title is None else f"{group[0]}<title>{escape(title)}</title>"

    text = re.sub(r'<g id="([^"]+)">', with_title, svg.decode())
    headings = [f"{plain(text.text)}." for text in scene.texts if text.id.endswith("title")]
    return adaptive(
        text, " ".join([*headings, plain(scene.caption)]).strip(), _listed(scene)
    ).encode()


def titled(node: Node) -> str:
    """The text under the pointer: the title of a node, or else its label on one line."""
    return plain(node.title or node.label.replace("\n", ", "))


def _listed(scene: Scene) -> str:
    """The texts of a picture beside its caption; only the beginning if they are long."""
    written = [plain(text.text) for text in scene.texts if not text.id.startswith("caption-")]
    listed = "; ".join(dict.fromkeys([*filter(None, map(titled, scene.nodes)), *written]))
    return listed if len(listed) <= _MOST_WORDS else f"{listed[:_MOST_WORDS]}…"


def _figure(scene: Scene) -> Figure:
    """A figure that fits the scene, in which coordinates are points and y goes down."""
    from matplotlib.figure import Figure

    left, top, right, bottom = extent(scene)
    width, height = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    scene = moved(scene, (_MARGIN - left, _MARGIN - top))
    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    nodes = {node.id: node for node in scene.nodes}
    for plate in scene.plates:
        _draw_plate(axes, plate)
    for edge in scene.edges:
        _draw_edge(axes, edge, nodes[edge.first], nodes[edge.second])
    for polyline in scene.polylines:
        _draw_polyline(axes, polyline)
    for node in scene.nodes:
        _draw_node(axes, node)
    for text in scene.texts:
        _draw_text(axes, text)
    return figure


def _draw_arrow(axes: Axes, edge: Edge, first: Node, second: Node) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    arrow = arrow_of(edge, first, second)
    points, codes = [arrow.start], [Path.MOVETO]
    for bend in arrow.bends:
        points += [bend.start, bend.corner, bend.end]
        codes += [Path.LINETO, Path.CURVE3, Path.CURVE3]
    line = PathPatch(Path([*points, arrow.end], [*codes, Path.LINETO]))
    _add(axes, line, edge.id, "none", ARROW_COLOUR, 1.0, zorder=1)
    _add(axes, Polygon(arrow.head), f"head-{edge.id}", ARROW_COLOUR, "none", 0.0, zorder=1)


def _draw_edge(axes: Axes, edge: Edge, first: Node, second: Node) -> None:
    if edge.arrow:
        _draw_arrow(axes, edge, first, second)
        return
    points = [first.at, *edge.via, second.at]
    xs, ys = zip(*points, strict=True)
    line_width = min(1.0, _LINE * min(*first.size, *second.size))
    style: dict[str, Any] = {"color": EDGE_COLOUR, "linewidth": line_width, "zorder": 1}
    (line,) = axes.plot(xs, ys, **style, solid_joinstyle="round")
    line.set_gid(edge.id)
    if edge.label:
        middle = label_place(edge, first, second)
        _write(axes, edge.label, middle, f"label-{edge.id}", SMALL_FONT, GREY, halo=PAPER)


def polyline_look(polyline: Polyline) -> tuple[str, float, bool]:
    """The colour and the width of a line, and whether it has dashes."""
    width = {"axis": 0.6, "whisker": 1.2}.get(polyline.stroke, 1.6)
    if polyline.group is not None:
        colour = PALETTE[polyline.group % len(PALETTE)]
        colour = tint(colour, _PALE) if polyline.stroke == "band" else colour
    else:
        colour = INK if polyline.stroke == "whisker" else tint(EDGE_COLOUR, 0.6)
    return colour, width, polyline.stroke == "dashes"


def _draw_polyline(axes: Axes, polyline: Polyline) -> None:
    colour, width, dashed = polyline_look(polyline)
    xs, ys = zip(*polyline.points, strict=True)
    if polyline.stroke == "band":
        (band,) = axes.fill(xs, ys, color=colour, linewidth=0, zorder=0)
        band.set_gid(polyline.id)
        return
    zorder = {"axis": 1, "whisker": 4}.get(polyline.stroke, 2)
    dashes = (0, (3, 2)) if dashed else "solid"
    (line,) = axes.plot(xs, ys, color=colour, linewidth=width, zorder=zorder, linestyle=dashes)
    line.set_gid(polyline.id)


def _draw_plate(axes: Axes, plate: Plate) -> None:
    from matplotlib.colors import to_rgb

    left, top, right, bottom = plate.box
    box = _rounded((left, top), right - left, bottom - top, 7.0)
    _add(axes, box, plate.id, (*to_rgb(EDGE_COLOUR), 0.1), EDGE_COLOUR, 1.0, zorder=0)
    place = right - text_width(plate.label, SMALL_FONT) / 2 - 8, bottom - 8
    halo = tint(EDGE_COLOUR, 0.1)
    _write(axes, plate.label, place, f"label-{plate.id}", SMALL_FONT, INK, halo=halo)


def _draw_node(axes: Axes, node: Node) -> None:
    fill, outline = node_colours(node)
    if node.stacked:
        for step in (2, 1):
            behind = _shape(node, 2.2 * step)
            name = f"{node.id}-behind-{step}"
            _add(axes, behind, name, tint(fill, 0.6), outline, 0.9, zorder=2)
    _add(axes, _shape(node), node.id, fill, outline, outline_width(node), zorder=3)
    if node.label:
        _draw_label(axes, node, ink_on(fill))
    if node.badge:
        _draw_badge(axes, node, fill, fill if node.kind == "factor" else outline)


def _draw_label(axes: Axes, node: Node, ink: str) -> None:
    lines = node.label.split("\n")
    for row, line in enumerate(lines):
        offset = (row - (len(lines) - 1) / 2) * LINE_SPACING * FONT_SIZE
        place = node.at[0], node.at[1] + offset
        name = f"label-{node.id}" + (f"-{row}" if row else "")
        small = row > 0 or node.kind == "factor"
        _write(axes, line, place, name, SMALL_FONT if small else FONT_SIZE, ink)


def outline_width(node: Node) -> float:
    """How wide the outline of a node is."""
    width = {"variable": 1.6, "bar": 0.0, "dot": 0.8}.get(node.kind, 1.1)
    return min(width, _LINE * min(node.size))


def node_colours(node: Node) -> tuple[str, str]:
    """The colours of a node's inside and of its outline."""
    colour = ALONE if node.group is None else PALETTE[node.group % len(PALETTE)]
    match node.kind:
        case "variable":
            pale = PAPER if node.group is None else tint(colour, 0.16)
            return (colour if node.observed else pale), colour
        case "factor":
            return ("#c9ced6" if node.group is None else colour), INK
        case "bar":
            return (tint(colour, 0.85) if node.group is not None else BLUE), PAPER
        case "dot":
            return colour, PAPER
        case "table":
            return "#e7eaee", ALONE
        case "answer":
            return tint(BLUE, 0.16), BLUE
        case "panel":
            return (tint(colour, 0.25) if node.observed else PAPER), colour
        case "cell":
            return tint(BLUE, node.shade), PAPER
    return PAPER, ALONE


def _shape(node: Node, shift: float = 0.0) -> Patch:
    from matplotlib.patches import Rectangle

    width, height = node.size
    corner = node.at[0] - width / 2 + shift, node.at[1] - height / 2 - shift
    if node.kind in ("factor", "bar", "cell"):
        return Rectangle(corner, width, height)
    round_ends = node.kind in ("variable", "dot") and not node.fixed
    return _rounded(corner, width, height, height / 2 if round_ends else 2.0 if node.fixed else 4.0)


def _rounded(corner: Point, width: float, height: float, radius: float) -> Patch:
    """A rectangle with round corners; if the radius is half its height, a circle or a pill."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    radius = min(radius, width / 2, height / 2)
    inset = radius * (1 - _ARC)
    (left, top), right, bottom = corner, corner[0] + width, corner[1] + height
    turns = [((right, top), (-1, 0), (0, 1)), ((right, bottom), (0, -1), (-1, 0))]
    turns += [((left, bottom), (1, 0), (0, -1)), ((left, top), (0, 1), (1, 0))]
    points, codes = [], []
    for (x, y), back, ahead in turns:
        shifts = [(radius, back), (inset, back), (inset, ahead), (radius, ahead)]
        points += [(x + distance * dx, y + distance * dy) for distance, (dx, dy) in shifts]
        codes += [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return PathPatch(Path([*points, points[0]], [Path.MOVETO, *codes[1:], Path.CLOSEPOLY]))


def _add(
    axes: Axes, shape: Patch, name: str, fill: Any, outline: str, line_width: float, zorder: int
) -> None:
    shape.set(facecolor=fill, edgecolor=outline, linewidth=line_width, zorder=zorder, gid=name)
    axes.add_patch(shape)


def _draw_badge(axes: Axes, node: Node, fill: str, outline: str) -> None:
    """The number of a node's group: inside a square, or on the rim of anything else."""
    name, size = f"badge-{node.id}", SMALL_FONT - 1
    if node.kind == "factor" and not node.label:
        _write(axes, node.badge, node.at, name, size, ink_on(fill))
        return
    inset = 5.0 if node.kind != "factor" else -1.0  # names of factors fill their squares
    x, y = node.at[0] + node.size[0] / 2 - inset, node.at[1] - node.size[1] / 2 - 5 + inset
    width = max(text_width(node.badge, size) + 4, 11.0)
    disc = _rounded((x - width / 2, y - 5.5), width, 11.0, 5.5)
    _add(axes, disc, f"disc-{node.id}", outline, PAPER, 0.8, zorder=4)
    _write(axes, node.badge, (x, y), name, size, ink_on(outline))


def _draw_text(axes: Axes, text: Text) -> None:
    options: dict[str, Any] = {"ha": text.anchor, "weight": "bold" if text.bold else "normal"}
    halo = PAPER if text.halo else None
    _write(axes, text.text, text.at, text.id, text.size, INK, halo, **options)


def _write(
    axes: Axes,
    text: str,
    at: Point,
    name: str,
    size: float,
    colour: str,
    halo: str | None = None,
    **options: Any,
) -> None:
    """A line of text, in which dollar signs do not mean mathematics. ``halo``: the colour of its
    background."""
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center_baseline",
        "zorder": 5,
        "parse_math": False,
    }
    if halo is not None:
        style["bbox"] = {"facecolor": halo, "edgecolor": "none", "pad": 0.8}
    written = axes.text(*at, plain(text), fontsize=size, color=colour, **(style | options))
    written.set_gid(name)
