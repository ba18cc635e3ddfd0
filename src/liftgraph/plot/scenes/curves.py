"""Curves on logarithmic scales that have a place for zero and infinity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10

from liftgraph.plot.layout.arrangement import together
from liftgraph.plot.scene import Node, Point, Polyline, Scene, Stroke, Text
from liftgraph.plot.text import FONT_SIZE, SMALL_FONT, text_width

_WIDEST, _STEP = 560.0, 58.0  # points for all dots together, and from dot to dot, at most
_INSET = 26.0  # from the sides of a panel to its curves
_DECADE, _HIGHEST = 44.0, 132.0  # points for a factor of ten, and for all of them, at most
_MOST_DECADES = 6  # smaller values stand on the lowest line
_MOST_NUMBERED = 14  # dots of a curve; if there are more, no numbers are written
_DOT = 6.0
_NARROWEST = 200.0  # points of a panel
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Curve:
    """A value for each dot, with a name in the legend; None where there is no value."""

    name: str
    values: tuple[float | None, ...]
    group: int
    stroke: Stroke


@dataclass(frozen=True, slots=True)
class LogScale:
    """The heights of values, by their logarithms: from 10^low to 10^high.

    If they are needed, there is a line below for zero and all smaller values (``below`` is its
    label), and a line above for infinity (``has_infinity``).
    """

    low: int
    high: int
    below: str
    has_infinity: bool

    @property
    def decade(self) -> float:
        """Points for a factor of ten."""
        return min(_DECADE, _HIGHEST / (self.high - self.low))

    def height(self, value: float) -> float:
        """How far a value is above 10^low, in points."""
        if value == inf:
            return (self.high - self.low + 1) * self.decade
        if value < 10.0**self.low:
            return -self.decade
        return (log10(value) - self.low) * self.decade

    def ticks(self) -> Iterator[tuple[float, str]]:
        """The heights and labels of lines across the panel, from the bottom."""
        if self.below:
            yield -self.decade, self.below
        for exponent in range(self.low, self.high + 1):
            yield (exponent - self.low) * self.decade, _power_of_ten(exponent)
        if self.has_infinity:
            yield self.height(inf), "∞"


def scale_for(values: Iterable[float]) -> LogScale:
    """A scale for these values; it begins at 1 or below, and has at least one decade."""
    values = list(values)
    positive = [value for value in values if value > 0 and isfinite(value)]
    high = max(ceil(log10(max(positive, default=1.0))), 1 if min(positive, default=1) >= 1 else 0)
    low = min(floor(log10(min(positive, default=1.0))), high - 1, 0)
    low = max(low, high - _MOST_DECADES)
    smaller = [value for value in values if value < 10.0**low]
    below = (f"< {_power_of_ten(low)}" if any(smaller) else "0") if smaller else ""
    return LogScale(low, high, below, inf in values)


def _power_of_ten(exponent: int) -> str:
    """A power of ten for readers.

    >>> _power_of_ten(3), _power_of_ten(-1), _power_of_ten(-6)
    ('1,000', '0.1', '10⁻⁶')
    """
    if -3 <= exponent <= 4:
        return f"{10**exponent:,}" if exponent >= 0 else f"{10.0**exponent:g}"
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def dot_places(count: int) -> list[float]:
    """The x of each dot of a curve, the same in all panels."""
    step = min(_STEP, _WIDEST / max(count, 1))
    return [_INSET + index * step for index in range(count)]


def curves_scene(name: str, title: str, curves: Sequence[Curve], dot_count: int) -> Scene:
    """A panel with curves and axes, under a title that is the legend too; ``name`` begins all
    ids."""
    scale = scale_for(value for curve in curves for value in curve.values if value is not None)
    places = dot_places(dot_count)
    width = max([_NARROWEST, *(place + _INSET for place in places)])
    parts = [_axes(name, scale, width), _legend(name, title, curves, scale)]
    for index, curve in enumerate(curves):
        parts.append(_curve(f"{name}-{index}", curve, places, scale))
        if dot_count <= _MOST_NUMBERED:
            numbers = _numbers(f"{name}-{index}", parts[-1], curve, -1 if index == 0 else 1)
            parts.append(Scene(texts=tuple(numbers)))
    return together(parts)


def _axes(name: str, scale: LogScale, width: float) -> Scene:
    """Lines across a panel with their labels."""
    lines, texts = [], []
    for index, (height, label) in enumerate(scale.ticks()):
        lines.append(Polyline(f"{name}-axis-{index}", "axis", ((0.0, -height), (width, -height))))
        texts.append(Text(f"{name}-tick-{index}", label, (-5.0, -height), anchor="right"))
    return Scene(texts=tuple(texts), polylines=tuple(lines))


def _curve(name: str, curve: Curve, places: Sequence[float], scale: LogScale) -> Scene:
    """Dots, and lines between neighbouring ones."""
    points = {
        index: (x, -scale.height(value))
        for index, (x, value) in enumerate(zip(places, curve.values, strict=True))
        if value is not None
    }
    dots = [_dot(f"{name}-dot-{index}", curve, at) for index, at in points.items()]
    lines = [
        Polyline(f"{name}-line-{index}", curve.stroke, (at, points[index + 1]), curve.group)
        for index, at in points.items()
        if index + 1 in points
    ]
    return Scene(tuple(dots), polylines=tuple(lines))


def _dot(name: str, curve: Curve, at: Point) -> Node:
    return Node(name, "dot", group=curve.group, at=at, size=(_DOT, _DOT))


def _numbers(name: str, dots: Scene, curve: Curve, side: int) -> Iterator[Text]:
    """The values at the dots of a curve, above it (-1) or below it (1)."""
    values = [value for value in curve.values if value is not None]
    for dot, value in zip(dots.nodes, values, strict=True):
        at = dot.at[0], dot.at[1] + side * 9.0
        index = dot.id.rsplit("-", 1)[1]
        yield Text(f"{name}-value-{index}", _few_digits(value), at, anchor="center", halo=True)


def _few_digits(value: float) -> str:
    """A value in few digits.

    >>> _few_digits(5501.0), _few_digits(0.03456), _few_digits(inf)
    ('5,501', '0.0346', '∞')
    """
    if value == inf:
        return "∞"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _legend(name: str, title: str, curves: Sequence[Curve], scale: LogScale) -> Scene:
    y = -max(height for height, _ in scale.ticks()) - 24
    x = text_width(title, FONT_SIZE) + 24
    texts, nodes, lines = [Text(f"{name}-title", title, (0.0, y), FONT_SIZE, bold=True)], [], []
    for index, curve in enumerate(curves):
        key = f"{name}-legend-{index}"
        lines.append(Polyline(f"{key}-line", curve.stroke, ((x, y), (x + 22, y)), curve.group))
        nodes.append(_dot(key, curve, (x + 11, y)))
        texts.append(Text(f"{key}-text", curve.name, (x + 27, y)))
        x += 27 + text_width(curve.name, SMALL_FONT) + 14
    return Scene(tuple(nodes), texts=tuple(texts), polylines=tuple(lines))
