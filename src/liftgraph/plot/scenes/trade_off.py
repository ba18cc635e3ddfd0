"""What a tolerance buys and what it costs, as curves above each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10

from liftgraph.exact import numeral
from liftgraph.inference.trade_off import TradeOff
from liftgraph.plot.scenes.factor_graph import counted
from liftgraph.plot.scenes.scene import (
    Line,
    Node,
    Point,
    Scene,
    Stroke,
    Text,
    extent,
    moved,
    together,
)
from liftgraph.plot.text import SIZE, SMALL, shortened, width

_BROAD, _STEP = 560.0, 58.0  # points for all tolerances together, and from one to the next, at most
_INSET = 26.0  # from the sides of a panel to its curves
_DECADE, _HIGH = 44.0, 132.0  # points for a factor of ten, and for all of them, at most
_DECADES = 6  # of a scale; what is smaller stands on its lowest line
_NUMBERED = 14  # tolerances; at more of them, no numbers are written at dots
_DOT = 6.0
_NARROWEST, _BETWEEN = 200.0, 18.0  # points of a panel, and between two
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Curve:
    """Values at each tolerance, with what they are called; None where there is none."""

    name: str
    values: tuple[float | None, ...]
    group: int
    stroke: Stroke


@dataclass(frozen=True, slots=True)
class Scale:
    """Heights of values, by their logarithms: from 10^low to 10^high.

    Below is a line for zero and whatever is smaller, above is one for infinity, if needed.
    """

    low: int
    high: int
    under: str
    over: bool

    @property
    def decade(self) -> float:
        """Points for a factor of ten."""
        return min(_DECADE, _HIGH / (self.high - self.low))

    def height(self, value: float) -> float:
        """How far a value is above 10^low, in points."""
        if value == inf:
            return (self.high - self.low + 1) * self.decade
        if value < 10.0**self.low:
            return -self.decade
        return (log10(value) - self.low) * self.decade

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Heights of lines across the panel and what they mean, from the bottom."""
        if self.under:
            yield -self.decade, self.under
        for power in range(self.low, self.high + 1):
            yield (power - self.low) * self.decade, _power(power)
        if self.over:
            yield self.height(inf), "∞"


def trade_off_scene(trade_off: TradeOff) -> Scene:
    """How small lifted models get, and below how far off log odds are then, by tolerance."""
    choices = trade_off.choices
    sizes = [
        Curve("PRVs", tuple(float(each.prvs) for each in choices), 0, "curve"),
        Curve("parfactors", tuple(float(each.parfactors) for each in choices), 2, "dashes"),
    ]
    errors = [Curve("at most", tuple(each.log_odds_bound for each in choices), 1, "curve")]
    if any(each.error is not None for each in choices):
        errors.append(Curve("measured", tuple(each.error for each in choices), 4, "dashes"))
    labels = [shortened(numeral(each.tolerance), 12) for each in choices]
    upper = _panel("sizes", "size of the lifted model", sizes, len(labels))
    lower = _panel("errors", "log odds off by", errors, len(labels))
    down = extent(upper)[3] - extent(lower)[1] + _BETWEEN
    below = together([lower, _tolerances(labels, extent(lower)[3] + 10)])
    return together([upper, moved(below, (0.0, down))], _caption(trade_off, errors))


def _caption(trade_off: TradeOff, errors: Sequence[Curve]) -> str:
    told = (
        f"{counted(trade_off.variables, 'variable')} and {counted(trade_off.factors, 'factor')},"
        f" lifted with {counted(len(trade_off), 'tolerance')}, drawn at equal distances. At most:"
        " how far off the log odds of any event may be."
    )
    measured = " Measured: how far off those of the variables asked for are."
    return told + measured * (len(errors) > 1)


def _panel(name: str, title: str, curves: Sequence[Curve], count: int) -> Scene:
    """Curves over tolerances, with axes, under a title that is the legend too."""
    scale = _scale(value for curve in curves for value in curve.values if value is not None)
    places = _places(count)
    broad = max([_NARROWEST, *(place + _INSET for place in places)])
    parts = [_axes(name, scale, broad), _legend(name, title, curves, scale)]
    for place, curve in enumerate(curves):
        drawn = _curve(f"{name}-{place}", curve, places, scale)
        written = _numbers(f"{name}-{place}", drawn, curve, -1 if place == 0 else 1)
        parts += [drawn, Scene(texts=tuple(written) if count <= _NUMBERED else ())]
    return together(parts)


def _places(count: int) -> list[float]:
    """Where so many tolerances stand, in all panels."""
    step = min(_STEP, _BROAD / max(count, 1))
    return [_INSET + number * step for number in range(count)]


def _tolerances(labels: Sequence[str], y: float) -> Scene:
    """The tolerances below their dots, as many as there is room for."""
    texts = [Text("tolerance", "tolerance", (-5.0, y), anchor="right", strong=True)]
    free = -inf
    for n, (x, label) in enumerate(zip(_places(len(labels)), labels, strict=True)):
        half = width(label, SMALL) / 2
        if x - half > free:
            texts.append(Text(f"tolerance-{n}", label, (x, y), anchor="center"))
            free = x + half + 4
    return Scene(texts=tuple(texts))


def _scale(values: Iterable[float]) -> Scale:
    """A scale for these values; it begins at 1 at the latest, and has a decade at least."""
    given = list(values)
    positive = [value for value in given if value > 0 and isfinite(value)]
    high = max(ceil(log10(max(positive, default=1.0))), 1 if min(positive, default=1) >= 1 else 0)
    low = min(floor(log10(min(positive, default=1.0))), high - 1, 0)
    low = max(low, high - _DECADES)
    small = [value for value in given if value < 10.0**low]
    under = (f"< {_power(low)}" if any(small) else "0") if small else ""
    return Scale(low, high, under, inf in given)


def _power(power: int) -> str:
    """A power of ten for people.

    >>> _power(3), _power(-1), _power(-6)
    ('1,000', '0.1', '10⁻⁶')
    """
    if -3 <= power <= 4:
        return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
    return f"10{str(power).translate(_SUPERSCRIPTS)}"


def _axes(name: str, scale: Scale, broad: float) -> Scene:
    """Lines across a panel with what they mean."""
    lines, texts = [], []
    for n, (height, told) in enumerate(scale.ticks()):
        lines.append(Line(f"{name}-axis-{n}", "axis", ((0.0, -height), (broad, -height))))
        texts.append(Text(f"{name}-tick-{n}", told, (-5.0, -height), anchor="right"))
    return Scene(texts=tuple(texts), lines=tuple(lines))


def _curve(name: str, curve: Curve, places: Sequence[float], scale: Scale) -> Scene:
    """Dots, and lines between neighbouring ones."""
    points = {
        n: (x, -scale.height(value))
        for n, (x, value) in enumerate(zip(places, curve.values, strict=True))
        if value is not None
    }
    dots = [_dot(f"{name}-dot-{n}", curve, at) for n, at in points.items()]
    lines = [
        Line(f"{name}-line-{n}", curve.stroke, (at, points[n + 1]), curve.group)
        for n, at in points.items()
        if n + 1 in points
    ]
    return Scene(tuple(dots), lines=tuple(lines))


def _dot(name: str, curve: Curve, at: Point) -> Node:
    return Node(name, "dot", group=curve.group, at=at, size=(_DOT, _DOT))


def _numbers(name: str, drawn: Scene, curve: Curve, side: int) -> Iterator[Text]:
    """The values at the dots of a curve, above it (-1) or below it (1)."""
    known = [value for value in curve.values if value is not None]
    for dot, value in zip(drawn.nodes, known, strict=True):
        at = dot.at[0], dot.at[1] + side * 9.0
        number = dot.id.rsplit("-", 1)[1]
        yield Text(f"{name}-told-{number}", _told(value), at, anchor="center", halo=True)


def _told(value: float) -> str:
    """A value in few digits.

    >>> _told(5501.0), _told(0.03456), _told(inf)
    ('5,501', '0.0346', '∞')
    """
    if value == inf:
        return "∞"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _legend(name: str, title: str, curves: Sequence[Curve], scale: Scale) -> Scene:
    y = -max(height for height, _ in scale.ticks()) - 24
    x = width(title, SIZE) + 24
    texts, nodes, lines = [Text(f"{name}-title", title, (0.0, y), SIZE, strong=True)], [], []
    for place, curve in enumerate(curves):
        key = f"{name}-legend-{place}"
        lines.append(Line(f"{key}-line", curve.stroke, ((x, y), (x + 22, y)), curve.group))
        nodes.append(_dot(key, curve, (x + 11, y)))
        texts.append(Text(f"{key}-text", curve.name, (x + 27, y)))
        x += 27 + width(curve.name, SMALL) + 14
    return Scene(tuple(nodes), texts=tuple(texts), lines=tuple(lines))
