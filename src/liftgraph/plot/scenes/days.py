"""Answers about days: a bar for each day."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from liftgraph.errors import InputError
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.dynamic.answers import Days
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.bars import MOST_BARS, Bar, bars_scene
from liftgraph.plot.text import abbreviated

_LOW, _HIGH = 0.05, 0.95


def days_scene(days: Days) -> Scene:
    """The mean of each day, and between which numbers it is with 90 %; or, where states are not
    numbers, the probability of the first one. Many days are drawn at equal distances."""
    if not days.marginals:
        raise InputError("expected days to draw, got none")
    first = days.marginals[0]
    name = abbreviated(", ".join(first.variables))
    step = -(-len(days) // MOST_BARS)
    chosen = list(islice(enumerate(days.marginals, days.first), 0, None, step))
    if len(first.states) == 1 and all(state.isdecimal() for state in first.states[0]):
        largest = max([marginal.quantile(_HIGH) for _, marginal in chosen]) or 1
        bars = [_number_bar(day, marginal, largest) for day, marginal in chosen]
        caption = f"{name}: means, and the ranges from {_LOW:.0%} to {_HIGH:.0%} of each day."
    else:
        state = next(iter(first))
        bars = [_state_bar(day, marginal) for day, marginal in chosen]
        shown = state if isinstance(state, str) else ", ".join(state)
        caption = f"{name}: the probability of {abbreviated(shown)} on each day."
    if step > 1:
        caption += f" Every {step} days."
    return replace(bars_scene("days", name, bars), caption=caption)


def _number_bar(day: int, marginal: Marginal, largest: int) -> Bar:
    mean = float(marginal.mean)
    bounds = marginal.quantile(_LOW) / largest, marginal.quantile(_HIGH) / largest
    return Bar(f"day {day}", mean / largest, f"{mean:.4g}", bounds)


def _state_bar(day: int, marginal: Marginal) -> Bar:
    probability = marginal[next(iter(marginal))]
    return Bar(f"day {day}", probability, f"{probability:.4g}")
