"""Whether samples follow a distribution that enumeration knows exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

import liftgraph as lg
from tests.brute_force import weighted_worlds

World = TypeVar("World")
_EXPECTED = 10  # in each class at least, so that the statistic is about chi-squared
_UNLIKELY = 30.0  # a right sampler fails once in exp(30) tests


def assert_follows(graph: lg.FactorGraph, states: NDArray[np.integer]) -> None:
    """Whole assignments, (samples, variables), occur as often as their weights say."""
    worlds = dict(weighted_worlds(graph))
    total = sum(worlds.values())
    shares = {world: float(weight / total) for world, weight in worlds.items() if weight}
    assert_drawn_from(shares, map(tuple, states.tolist()))


def assert_drawn_from(shares: Mapping[World, float], drawn: Iterable[World]) -> None:
    """Pearson's test, with the bound of Laurent and Massart (2000) on the tail of chi-squared.

    What is expected seldom is one class. What is impossible must not occur.
    """
    counts = Counter(drawn)
    assert counts.keys() <= shares.keys(), "an impossible assignment was drawn"
    size = counts.total()
    often = {world: size * share for world, share in shares.items() if size * share >= _EXPECTED}
    classes = [(counts[world], expected) for world, expected in often.items()]
    seldom = size - sum(expected for _, expected in classes)
    if seldom >= _EXPECTED:
        classes.append((size - sum(count for count, _ in classes), seldom))
    statistic = sum((count - expected) ** 2 / expected for count, expected in classes)
    freedom = max(len(classes) - 1, 1)
    assert statistic <= freedom + 2 * math.sqrt(freedom * _UNLIKELY) + 2 * _UNLIKELY
