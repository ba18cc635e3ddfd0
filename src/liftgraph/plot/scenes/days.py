"""Answers about days: curves, and a band around the mean of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from liftgraph.errors import InputError
from liftgraph.model.dynamic.answers import Days
from liftgraph.plot.layout.arrangement import together
from liftgraph.plot.scene import Node, Polyline, Scene, Text
from liftgraph.plot.scenes.frame import HEIGHT, WIDTH, Frame, round_top
from liftgraph.plot.scenes.numbers import has_numbers
from liftgraph.plot.style import PALETTE
from liftgraph.plot.text import abbreviated

_LOW, _HIGH = 0.05, 0.95
_MOST_DOTS = 60  # days; of more, curves have no dots
_DOT = 4.0


def days_scene(days: Days) -> Scene:
    """The mean of each day, and between which numbers it is with 90 %; or, where states are not
    numbers, the probabilities of states. Of two states, the first is shown."""
    if not days.marginals:
        raise InputError("expected days to draw, got none")
    first = days.marginals[0]
    name = abbreviated(", ".join(first.variables))
    return _numbers(name, days) if has_numbers(first) else _states(name, days)


def _numbers(name: str, days: Days) -> Scene:
    means = days.means.tolist()
    low, high = days.quantiles(_LOW).tolist(), days.quantiles(_HIGH).tolist()
    frame = _frame(days, max([*high, *means]))
    days_on = [*map(float, range(days.first, days.first + len(days)))]
    ends = [(day, number) for day, number in zip(days_on, high, strict=True)]
    ends += [(day, number) for day, number in zip(days_on, low, strict=True)][::-1]
    if len(days) == 1:  # a band has to have a width
        ends = [(x + side, y) for side, pair in ((-0.1, ends), (0.1, ends[::-1])) for x, y in pair]
    band = Polyline("days-band", "band", tuple(frame.at(*end) for end in ends), 0)
    titles = [
        f"day {day:.0f}: mean {mean:.4g}, {least:,} to {most:,}"
        for day, mean, least, most in zip(days_on, means, low, high, strict=True)
    ]
    parts = [
        Scene(polylines=(band,)),
        frame.scene("days", name, "day"),
        _curve(frame, days, means, titles, 0),
    ]
    caption = f"{name}: the mean of each day, and a band from {_LOW:.0%} to {_HIGH:.0%}."
    return replace(together(parts), caption=caption)


def _states(name: str, days: Days) -> Scene:
    """A curve for each state, or for the most likely ones if there are more than colours."""
    first = days.marginals[0]
    probabilities = np.array([marginal.probabilities.ravel() for marginal in days.marginals])
    states = [", ".join(state) if isinstance(state, tuple) else state for state in first]
    count = 1 if len(states) == 2 else len(PALETTE)
    chosen = np.argsort(-probabilities.mean(axis=0), kind="stable")[:count]
    shown = [0] if count == 1 else sorted(chosen.tolist())
    frame = _frame(days, float(probabilities[:, shown].max()))
    parts = [frame.scene("days", name, "day")]
    for group, state in enumerate(shown):
        heights = probabilities[:, state].tolist()
        titles = [
            f"day {day}: {states[state]} {height:.4g}"
            for day, height in enumerate(heights, days.first)
        ]
        parts.append(_curve(frame, days, heights, titles, group))
    names = [abbreviated(states[state], 16) for state in shown]
    if len(shown) == 1:
        return replace(
            together(parts), caption=f"{name}: the probability of {names[0]} on each day."
        )
    caption = f"{name}: the probabilities of states on each day."
    if len(shown) < len(states):
        caption += f" The {len(shown)} likeliest of {len(states):,} states are shown."
    return replace(together([*parts, _legend(names)]), caption=caption)


def _frame(days: Days, most: float) -> Frame:
    beside = 0.5 if len(days) == 1 else 0.0
    return Frame(days.first - beside, days.first + len(days) - 1 + beside, round_top(most))


def _curve(
    frame: Frame, days: Days, heights: Sequence[float], titles: Sequence[str], group: int
) -> Scene:
    """A line through the values of all days, with a dot for each of them if they are few."""
    points = [frame.at(day, height) for day, height in enumerate(heights, days.first)]
    size = _DOT if len(points) > 1 else 1.5 * _DOT
    dots = [
        Node(f"days-{group}-dot-{index}", "dot", group=group, at=at, size=(size, size), title=title)
        for index, (at, title) in enumerate(zip(points, titles, strict=True))
    ]
    line = Polyline(f"days-{group}-line", "curve", tuple(points), group)
    lines = (line,) if len(points) > 1 else ()
    return Scene(tuple(dots) if len(dots) <= _MOST_DOTS else (), polylines=lines)


def _legend(names: Sequence[str]) -> Scene:
    """The names of the curves beside the diagram."""
    lines, texts = [], []
    for group, name in enumerate(names):
        x, y = WIDTH + 14, 14.0 * group - HEIGHT
        lines.append(Polyline(f"days-legend-{group}", "curve", ((x, y), (x + 16, y)), group))
        texts.append(Text(f"days-legend-text-{group}", name, (x + 21, y)))
    return Scene(texts=tuple(texts), polylines=tuple(lines))
