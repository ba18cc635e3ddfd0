"""The distribution of a number as a histogram: a count of thousands has no room for rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftgraph.model.answers.marginal import Marginal
from liftgraph.plot.layout.arrangement import together
from liftgraph.plot.scene import Node, Scene
from liftgraph.plot.scenes.frame import Frame, round_step, round_top

_MOST_COLUMNS = 80
_REST = 1e-3  # the most that numbers which are not shown have on either side, both together
_THIN = 0.9  # of the room of a column


def has_numbers(marginal: Marginal) -> bool:
    """Whether states are numbers, such as those of a count."""
    names = marginal.states[0] if len(marginal.states) == 1 else ()
    return bool(names) and all(name.isascii() and name.isdecimal() for name in names)


def histogram_scene(marginal: Marginal, name: str, title: str) -> Scene:
    """A column for each number, or for several, with the mean and 90 % of the probability in words.

    Numbers at both ends are left out if together they have less than a thousandth.
    Precondition: states are different numbers, and their probabilities have no bounds.
    """
    numbers = np.array([int(state) for state in marginal.states[0]])
    probabilities = marginal.probabilities
    low, high = marginal.quantile(_REST / 2), marginal.quantile(1 - _REST / 2)
    step = max(1, int(round_step(high - low + 1, _MOST_COLUMNS)))
    first = low // step
    column = numbers // step - first
    shown = (column >= 0) & (column <= high // step - first)
    heights = np.bincount(column[shown], weights=probabilities[shown])
    frame = Frame(first * step - 0.5, (first + len(heights)) * step - 0.5, round_top(heights.max()))
    nodes = []
    for index, height in enumerate(heights.tolist()):
        start, end = (first + index) * step, (first + index + 1) * step - 1
        left, top = frame.at(start - 0.5, height)
        right, bottom = frame.at(end + 0.5, 0.0)
        at, size = ((left + right) / 2, (top + bottom) / 2), (_THIN * (right - left), bottom - top)
        numbered = f"{start:,}" if step == 1 else f"{start:,} to {end:,}"
        nodes.append(
            Node(
                f"{name}-bar-{index}",
                "bar",
                group=0,
                at=at,
                size=size,
                title=f"{numbered}: {height:.4g}",
            )
        )
    axes = frame.scene(name, title, "number" if step == 1 else f"number, {step:,} in a column")
    rest = float(probabilities[~shown].sum())
    return replace(together([axes, Scene(tuple(nodes))]), caption=_caption(marginal, rest))


def _caption(marginal: Marginal, rest: float) -> str:
    low, high = marginal.quantile(0.05), marginal.quantile(0.95)
    caption = f"The mean is {float(marginal.mean):,.6g}; from 5% to 95%: {low:,} to {high:,}."
    return caption + (f" Numbers that are not shown have {rest:.2g} together." if rest else "")
