"""Scenes as pictures of LaTeX, for papers: the same shapes and colours, in the paper's fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from liftgraph.model.latex import escaped
from liftgraph.plot.arrows import arrow_of, label_place
from liftgraph.plot.render import (
    ARROW_COLOUR,
    EDGE_COLOUR,
    node_colours,
    outline_width,
    polyline_look,
)
from liftgraph.plot.scene import Edge, Node, Plate, Point, Polyline, Scene, Text
from liftgraph.plot.style import GREY, INK, PAPER, ink_on, tint
from liftgraph.plot.text import FONT_SIZE, SMALL_FONT, plain

_ANCHORS = {"left": "west", "center": "center", "right": "east"}
_SYMBOLS = {  # what LaTeX lacks in text, or sets as something else
    "|": r"\vert",
    "α": r"\alpha",
    "ε": r"\varepsilon",
    "φ": r"\phi",
    "∀": r"\forall",
    "≠": r"\neq",
    "≤": r"\leq",
    "≥": r"\geq",
    "≈": r"\approx",
    "∈": r"\in",
    "×": r"\times",
    "→": r"\to",
    "↵": r"\hookleftarrow",
    "…": r"\ldots",
    "∞": r"\infty",
    "\ufffd": r"\diamond",  # what cannot be shown, which stops LuaLaTeX as it is
    **{high: f"^{{{letter}}}" for high, letter in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)},
}
_COLOUR = re.compile("liftgraph[0-9a-f]{6}")


def tikz(scene: Scene) -> str:
    """A ``tikzpicture``; its caption is a comment, since papers write their own below figures.

    Letters that neither LaTeX nor this module knows, such as Chinese ones, need LuaLaTeX.
    """
    nodes = {node.id: node for node in scene.nodes}
    commands = [
        *(line for plate in scene.plates for line in _plate(plate)),
        *(line for edge in scene.edges for line in _edge(edge, nodes)),
        *map(_polyline, scene.polylines),
        *(line for node in scene.nodes for line in _node(node)),
        *(_text(text) for text in scene.texts if not text.id.startswith("caption-")),
    ]
    body = "\n".join(f"  {command}" for command in commands)
    colours = [
        f"  \\definecolor{{{name}}}{{HTML}}{{{name[-6:].upper()}}}"
        for name in sorted(set(_COLOUR.findall(body)))
    ]
    lines = [f"% {plain(scene.caption)}"] if scene.caption else []
    lines += [r"\begin{tikzpicture}[x=1pt, y=-1pt, line join=round]", *colours, body]
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def words(text: str) -> str:
    r"""A text as LaTeX writes it.

    >>> print(words("φ1 ∀ X_1 ≠ 50%"))
    \ensuremath{\phi}1 \ensuremath{\forall} X\_1 \ensuremath{\neq} 50\%
    """
    letters = (_SYMBOLS.get(letter) for letter in plain(text))
    return "".join(
        rf"\ensuremath{{{symbol}}}" if symbol else escaped(letter)
        for symbol, letter in zip(letters, plain(text), strict=True)
    )


def _colour(colour: str) -> str:
    """The name that the picture gives to a colour."""
    return f"liftgraph{colour[1:]}"


def _at(point: Point) -> str:
    return f"({point[0]:.1f}, {point[1]:.1f})"


def _font(size: float, bold: bool = False) -> str:
    weight = r"\bfseries" if bold else ""
    return rf"font=\sffamily{weight}\fontsize{{{size:g}}}{{{1.2 * size:g}}}\selectfont"


def _written(
    text: str, at: Point, size: float, ink: str, options: str = "", bold: bool = False
) -> str:
    """A line of text without a frame."""
    style = f"inner sep=0pt, text={_colour(ink)}, {_font(size, bold)}{options}"
    return rf"\node[{style}] at {_at(at)} {{{words(text)}}};"


def _halo(colour: str) -> str:
    return f", inner sep=0.8pt, fill={_colour(colour)}"


def _plate(plate: Plate) -> Iterator[str]:
    left, top, right, bottom = plate.box
    style = f"draw={_colour(EDGE_COLOUR)}, fill={_colour(EDGE_COLOUR)}, fill opacity=0.1"
    corners = f"{_at((left, top))} rectangle {_at((right, bottom))}"
    yield rf"\filldraw[{style}, line width=1pt, rounded corners=7pt] {corners};"
    options = f", anchor=east{_halo(tint(EDGE_COLOUR, 0.1))}"
    yield _written(plate.label, (right - 8, bottom - 8), SMALL_FONT, INK, options)


def _edge(edge: Edge, nodes: Mapping[str, Node]) -> Iterator[str]:
    first, second = nodes[edge.first], nodes[edge.second]
    if edge.arrow:
        yield from _arrow(edge, first, second)
    else:
        way = " -- ".join(map(_at, [first.at, *edge.via, second.at]))
        yield rf"\draw[{_colour(EDGE_COLOUR)}, line width=1pt] {way};"
    if edge.label:
        place = label_place(edge, first, second)
        yield _written(edge.label, place, SMALL_FONT, GREY, _halo(PAPER))


def _arrow(edge: Edge, first: Node, second: Node) -> Iterator[str]:
    arrow = arrow_of(edge, first, second)
    way = _at(arrow.start)
    for bend in arrow.bends:
        controls = [
            tuple((end[axis] + 2 * bend.corner[axis]) / 3 for axis in (0, 1))
            for end in (bend.start, bend.end)
        ]
        curve = " and ".join(_at((x, y)) for x, y in controls)
        way += f" -- {_at(bend.start)} .. controls {curve} .. {_at(bend.end)}"
    yield rf"\draw[{_colour(ARROW_COLOUR)}, line width=1pt] {way} -- {_at(arrow.end)};"
    yield rf"\fill[{_colour(ARROW_COLOUR)}] {' -- '.join(map(_at, arrow.head))} -- cycle;"


def _polyline(polyline: Polyline) -> str:
    colour, width, dashed = polyline_look(polyline)
    way = " -- ".join(map(_at, polyline.points))
    if polyline.stroke == "band":
        return rf"\fill[{_colour(colour)}] {way} -- cycle;"
    dashes = ", dashed" if dashed else ""
    return rf"\draw[{_colour(colour)}, line width={width:g}pt{dashes}] {way};"


def _node(node: Node) -> Iterator[str]:
    fill, outline = node_colours(node)
    if node.kind == "bar":
        yield _bar(node, fill)
        return
    if node.stacked:
        for step in (4.4, 2.2):
            place = node.at[0] + step, node.at[1] - step
            yield _framed(node, place, _frame(tint(fill, 0.6), outline, 0.9))
    frame = f"{_frame(fill, outline, outline_width(node))}, text={_colour(ink_on(fill))}"
    badge_inside = node.kind == "factor" and not node.label
    size = SMALL_FONT - 1 if badge_inside else FONT_SIZE
    label = words(node.badge) if badge_inside else _lines(node)
    yield _framed(node, node.at, f"{frame}, align=center, {_font(size)}", f"({node.id})", label)
    if node.badge and not badge_inside:
        place = node.at[0] + node.size[0] / 2 - 5, node.at[1] - node.size[1] / 2
        disc = f", inner sep=2pt, rounded corners=3pt, fill={_colour(outline)}"
        yield _written(node.badge, place, SMALL_FONT - 1, ink_on(outline), disc)


def _bar(node: Node, fill: str) -> str:
    (x, y), (width, height) = node.at, node.size
    corners = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
    return rf"\fill[{_colour(fill)}] {' rectangle '.join(map(_at, corners))};"


def _frame(fill: str, outline: str, width: float) -> str:
    return f"draw={_colour(outline)}, fill={_colour(fill)}, line width={width:g}pt"


def _framed(node: Node, at: Point, style: str, name: str = "", label: str = "") -> str:
    """A node of this shape and size."""
    width, height = node.size
    radius = {"factor": 0.0, "cell": 0.0, "variable": height / 2, "dot": height / 2}
    size = f"minimum width={width:.1f}pt, minimum height={height:.1f}pt"
    largest = 2.0 if node.fixed else radius.get(node.kind, 4.0)
    corners = f"rounded corners={min(largest, width / 2, height / 2):.1f}pt"
    return rf"\node[inner sep=0pt, {size}, {corners}, {style}] {name} at {_at(at)} {{{label}}};"


def _lines(node: Node) -> str:
    """The label of a node; further lines are smaller, except in factors."""
    first, *further = node.label.split("\n")
    small = "" if node.kind == "factor" else rf"\fontsize{{{SMALL_FONT:g}}}{{9}}\selectfont "
    return r"\\ ".join([words(first), *(f"{small}{words(line)}" for line in further)])


def _text(text: Text) -> str:
    options = f", anchor={_ANCHORS[text.anchor]}{_halo(PAPER) if text.halo else ''}"
    return _written(text.text, text.at, text.size, INK, options, text.bold)
