"""Scenes drawn: as SVG, with text that stays text, and as PNG."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from liftgraph.plot.scenes.scene import (
    MARGIN,
    Edge,
    Line,
    Node,
    Plate,
    Point,
    Scene,
    Text,
    extent,
    moved,
)
from liftgraph.plot.style import (
    BLUE,
    GREY,
    INK,
    PALETTE,
    PAPER,
    STYLE,
    check_installed,
    ink_on,
    metadata,
    settings,
    tint,
)
from liftgraph.plot.text import LINE, SIZE, SMALL, plain, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

_STYLE = {
    **STYLE,
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # as broad as each other
}
ALONE = "#5b6470"
_LINE = "#9aa3ad"
_ARC = 0.5523  # of a quarter circle as a Bézier curve: 4/3 (√2 - 1)
_MOST_PIXELS = 2**15  # of a side: matplotlib draws no larger ones


def rendered(scene: Scene, suffix: str) -> bytes:
    """The file of a scene: ``svg`` or ``png``."""
    check_installed("pictures")
    with settings(_STYLE):
        drawn = _figure(scene)
        broad, high = 72 * drawn.get_figwidth(), 72 * drawn.get_figheight()
        dots = min(144.0, 72 * _MOST_PIXELS / max(broad, high))
        stream = io.BytesIO()
        said = metadata(suffix)
        if suffix == "svg":  # what it shows, for those who do not see it
            said |= {"Creator": None, **({"Title": plain(scene.caption)} if scene.caption else {})}
        drawn.savefig(stream, format=suffix, dpi=dots, metadata=said)
    return stream.getvalue()


def _figure(scene: Scene) -> Figure:
    """A figure of the right size, in which coordinates are points and y goes down."""
    from matplotlib.figure import Figure

    left, top, right, bottom = extent(scene)
    broad, high = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
    scene = moved(scene, (MARGIN - left, MARGIN - top))
    figure = Figure(figsize=(broad / 72, high / 72))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, broad), ylim=(high, 0))
    axes.axis("off")
    nodes = {node.id: node for node in scene.nodes}
    for plate in scene.plates:
        _draw_plate(axes, plate)
    for edge in scene.edges:
        _draw_edge(axes, edge, nodes[edge.first], nodes[edge.second])
    for line in scene.lines:
        _draw_line(axes, line)
    for node in scene.nodes:
        _draw_node(axes, node)
    for text in scene.texts:
        _draw_text(axes, text)
    return figure


def _draw_edge(axes: Axes, edge: Edge, first: Node, second: Node) -> None:
    points = [first.at, *edge.via, second.at]
    xs, ys = zip(*points, strict=True)
    (line,) = axes.plot(xs, ys, color=_LINE, linewidth=1.0, zorder=1, solid_joinstyle="round")
    line.set_gid(edge.id)
    if edge.label:
        ends = points[-3:-1] if edge.via else [_border(first, second), _border(second, first)]
        middle = sum(x for x, _ in ends) / 2, sum(y for _, y in ends) / 2
        _write(axes, edge.label, middle, f"label-{edge.id}", SMALL, GREY, halo=PAPER)


def _draw_line(axes: Axes, line: Line) -> None:
    thick, order = {"axis": (0.6, 1), "whisker": (1.2, 4)}.get(line.stroke, (1.6, 2))
    plain_colour = INK if line.stroke == "whisker" else tint(_LINE, 0.6)
    colour = plain_colour if line.group is None else PALETTE[line.group % len(PALETTE)]
    style = (0, (3, 2)) if line.stroke == "dashes" else "solid"
    xs, ys = zip(*line.points, strict=True)
    (drawn,) = axes.plot(xs, ys, color=colour, linewidth=thick, zorder=order, linestyle=style)
    drawn.set_gid(line.id)


def _border(node: Node, other: Node) -> Point:
    """Where the line from a node's centre to another's leaves it."""
    along = other.at[0] - node.at[0], other.at[1] - node.at[1]
    shares = [s / 2 / abs(d) for s, d in zip(node.size, along, strict=True) if abs(d) > 1e-9]
    share = min(shares, default=0.0)
    return node.at[0] + share * along[0], node.at[1] + share * along[1]


def _draw_plate(axes: Axes, plate: Plate) -> None:
    from matplotlib.colors import to_rgb

    left, top, right, bottom = plate.box
    box = _rounded((left, top), right - left, bottom - top, 7.0)
    _add(axes, box, plate.id, (*to_rgb(_LINE), 0.1), _LINE, 1.0, zorder=0)
    place = right - width(plate.label, SMALL) / 2 - 8, bottom - 8
    _write(axes, plate.label, place, f"label-{plate.id}", SMALL, INK, halo=tint(_LINE, 0.1))


def _draw_node(axes: Axes, node: Node) -> None:
    fill, line = _colours(node)
    if node.many:
        for step in (2, 1):
            behind = _shape(node, 2.2 * step)
            _add(axes, behind, f"{node.id}-behind-{step}", _faint(fill), line, 0.9, zorder=2)
    thick = {"variable": 1.6, "bar": 0.0, "dot": 0.8}.get(node.kind, 1.1)
    _add(axes, _shape(node), node.id, fill, line, thick, zorder=3)
    rows = node.label.split("\n") if node.label else []
    for number, row in enumerate(rows):
        offset = (number - (len(rows) - 1) / 2) * LINE * SIZE
        place = node.at[0], node.at[1] + offset
        name = f"label-{node.id}" + (f"-{number}" if number else "")
        quiet = number > 0 and node.kind != "factor"
        size = SMALL if quiet else SIZE
        _write(axes, row, place, name, size, ink_on(fill))
    if node.badge:
        _draw_badge(axes, node, fill, line)


def _faint(fill: str) -> str:
    return tint(fill, 0.6)


def _colours(node: Node) -> tuple[str, str]:
    """What a node is filled with, and its outline."""
    colour = ALONE if node.group is None else PALETTE[node.group % len(PALETTE)]
    match node.kind:
        case "variable":
            faint = PAPER if node.group is None else tint(colour, 0.16)
            return (colour if node.observed else faint), colour
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
    return PAPER, ALONE


def _shape(node: Node, shift: float = 0.0) -> Patch:
    from matplotlib.patches import Rectangle

    broad, high = node.size
    corner = node.at[0] - broad / 2 + shift, node.at[1] - high / 2 - shift
    if node.kind in ("factor", "bar"):
        return Rectangle(corner, broad, high)
    return _rounded(corner, broad, high, high / 2 if node.kind in ("variable", "dot") else 4.0)


def _rounded(corner: tuple[float, float], broad: float, high: float, radius: float) -> Patch:
    """A rectangle with round corners; with the radius of half its height, a circle or a pill."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    radius = min(radius, broad / 2, high / 2)
    inset = radius * (1 - _ARC)
    (left, top), right, bottom = corner, corner[0] + broad, corner[1] + high
    turns = [((right, top), (-1, 0), (0, 1)), ((right, bottom), (0, -1), (-1, 0))]
    turns += [((left, bottom), (1, 0), (0, -1)), ((left, top), (0, 1), (1, 0))]
    points, codes = [], []
    for (x, y), back, on in turns:
        shifts = [(radius, back), (inset, back), (inset, on), (radius, on)]
        points += [(x + by * way[0], y + by * way[1]) for by, way in shifts]
        codes += [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return PathPatch(Path([*points, points[0]], [Path.MOVETO, *codes[1:], Path.CLOSEPOLY]))


def _add(
    axes: Axes, shape: Patch, name: str, fill: Any, line: str, thick: float, zorder: int
) -> None:
    shape.set(facecolor=fill, edgecolor=line, linewidth=thick, zorder=zorder, gid=name)
    axes.add_patch(shape)


def _draw_badge(axes: Axes, node: Node, fill: str, line: str) -> None:
    """The number of a node's group: in a square, or on the rim of anything else."""
    if node.kind == "factor" and not node.label:
        _write(axes, node.badge, node.at, f"badge-{node.id}", SMALL - 1, ink_on(fill))
        return
    x, y = node.at[0] + node.size[0] / 2 - 5, node.at[1] - node.size[1] / 2
    broad = max(width(node.badge, SMALL - 1) + 4, 11.0)
    disc = _rounded((x - broad / 2, y - 5.5), broad, 11.0, 5.5)
    _add(axes, disc, f"disc-{node.id}", line, PAPER, 0.8, zorder=4)
    _write(axes, node.badge, (x, y), f"badge-{node.id}", SMALL - 1, ink_on(line))


def _draw_text(axes: Axes, text: Text) -> None:
    options: dict[str, Any] = {"ha": text.anchor, "weight": "bold" if text.strong else "normal"}
    halo = PAPER if text.halo else None
    _write(axes, text.text, text.at, text.id, text.size, INK, halo, **options)


def _write(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    name: str,
    size: float,
    colour: str,
    halo: str | None = None,
    **options: Any,
) -> None:
    """A line of text; names are never taken for mathematics. ``halo``: what it stands on."""
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
