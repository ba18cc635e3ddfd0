"""The axes of a diagram with ordinary scales: curves over days, histograms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

from liftgraph.plot.scene import Point, Polyline, Scene, Text
from liftgraph.plot.text import FONT_SIZE

WIDTH, HEIGHT = 380.0, 150.0  # points
_TICKS = 5  # at most so many steps on an axis


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle in which x goes from ``left`` to ``right``, and y from 0 to ``top``."""

    left: float
    right: float
    top: float

    def at(self, x: float, y: float) -> Point:
        """Where a point of the diagram is on paper."""
        width = (self.right - self.left) or 1.0
        return WIDTH * (x - self.left) / width, -HEIGHT * y / self.top

    def scene(self, name: str, title: str, below: str) -> Scene:
        """Lines across the frame at round numbers, numbers below it, and its title."""
        lines, texts = [], [Text(f"{name}-title", title, (0.0, -HEIGHT - 16), FONT_SIZE, bold=True)]
        for index, y in enumerate(round_numbers(0.0, self.top)):
            ends = self.at(self.left, y), self.at(self.right, y)
            lines.append(Polyline(f"{name}-axis-{index}", "axis", ends))
            texts.append(
                Text(f"{name}-tick-{index}", f"{y:,.6g}", (-5.0, ends[0][1]), anchor="right")
            )
        whole = self.right - self.left >= 1
        for index, x in enumerate(round_numbers(self.left, self.right)):
            if not whole or x == int(x):
                place = self.at(x, 0.0)[0], 9.0
                texts.append(Text(f"{name}-x-{index}", f"{x:,.6g}", place, anchor="center"))
        texts.append(Text(f"{name}-below", below, (WIDTH / 2, 20.0), anchor="center"))
        return Scene(texts=tuple(texts), polylines=tuple(lines))


def round_step(length: float, most: int = _TICKS) -> float:
    """The least of 1, 2 or 5 times a power of ten that fits into a length at most so often.

    >>> round_step(0.38), round_step(5000), round_step(5000, 60)
    (0.1, 1000.0, 100.0)
    """
    power = 10.0 ** floor(log10(length / most))
    steps = [power * digit for digit in (1, 2, 5, 10)]
    return next(step for step in steps if length <= step * most * (1 + 1e-9))


def round_numbers(low: float, high: float) -> Iterator[float]:
    """The multiples of a round step from one number to another.

    >>> list(round_numbers(0, 0.38)), list(round_numbers(7, 31))
    ([0.0, 0.1, 0.2, 0.3], [10.0, 15.0, 20.0, 25.0, 30.0])
    """
    if high <= low:
        yield float(low)
        return
    step = round_step(high - low)
    digits = max(0, -floor(log10(step)))
    for times in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1):
        yield round(times * step, digits)


def round_top(value: float) -> float:
    """The first round number that is not below a value, as the top of a diagram.

    >>> round_top(0.38), round_top(13)
    (0.4, 15.0)
    """
    step = round_step(value) if value > 0 else 1.0
    return round(ceil(value / step - 1e-9) * step, 12) or 1.0
