"""Passes over the days: forwards, backwards, and back along a most probable path."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from liftgraph.errors import ZeroWeightError
from liftgraph.inference.dynamic.arithmetic import Arithmetic, Weights
from liftgraph.inference.dynamic.course import Course, parts_before
from liftgraph.inference.dynamic.days import Weighed
from liftgraph.inference.dynamic.operations import apply, transposed
from liftgraph.inference.dynamic.slices import Scale
from liftgraph.model.arrays import digits

# A day adds fewer products than this of floats that are at most 1; each of them loses less than
# the smallest float that is kept.
_PRODUCTS = 2.0**60
# The share of a weight that may be lost: so small that probabilities which are much larger than
# this have all of their digits.
ENOUGH = 1e-30


class BeyondFloatsError(Exception):
    """Floats lost so much that the answer may be wrong."""


@dataclass(eq=False)
class Forward:
    """A pass over the days. ``arrived``: the weights of each day before it is observed, divided by
    the total of the day before. ``totals``: the logarithms of what is left of these totals once it
    is observed; ``logs``: those of all divisors; ``scales``: what weights lack besides. ``lost``: a
    bound on the share of each day's weight that is lacking. ``total``: that of the last day."""

    arrived: list[Weights]
    totals: list[float]
    logs: list[float]
    scales: list[Scale]
    lost: list[float]
    total: Any


# Called with a day, its weights, what its observations weigh, and a bound on what these weights
# lack of a total that is about one at most.
Read = Callable[[int, Weights, Weighed, float], None]


def nothing(day: int, arrived: Weights, observed: Weighed, lost: float) -> None:
    """Read nothing from the weights of a day."""


def total_of_all(course: Course) -> Forward:
    """A pass without observations, over the first day only if the others do not change the total.

    Precondition: nothing is observed, and nobody is told apart.
    """
    if not course.conserves():
        return forward(course)
    result = forward(course.sharing(course.days[:1], course.plans[:1]))
    for day in range(1, len(course.days)):
        result.scales.extend([*course.scales(day), *course.weighed(day).scales])
    return result


def forward(course: Course, read: Read = nothing, keep: bool = False) -> Forward:
    """A pass over all days. ``read`` is called with each day, its weights given what was observed
    on the days before, and what its own observations weigh. ``keep``: whether the weights of all
    days are kept."""
    arithmetic = course.arithmetic
    result = Forward([], [], [], [], [], arithmetic.one)
    if not course.plans:
        return result
    weights, scales = course.slices(parts_before(course.plans[0])).start()
    result.scales.extend(scales)
    for day in range(len(course.plans)):
        for operation in course.arriving(day):
            weights = apply(arithmetic, operation, weights)
        arrived, observed = weights, course.weighed(day)
        weights, log = arithmetic.shrunk(arithmetic.times(arrived, observed.weights))
        lost = (result.lost or [0.0])[-1]
        result.lost.append(share_lost(arithmetic, lost, log, observed.log_scale))
        if log == -math.inf:
            raise ZeroWeightError(f"day {day}: the observations so far are impossible")
        result.scales.extend([*course.scales(day), *observed.scales])
        result.logs.extend([log, observed.log_scale])
        result.totals.append(log)
        read(day, arrived, observed, lost)
        if keep:
            result.arrived.append(arrived)
    result.total = arithmetic.sum(weights, tuple(range(weights.ndim)))[()]
    return result


def share_lost(arithmetic: Arithmetic, lost: float, log: float, divided: float) -> float:
    """The share that is lost of weights with a total whose logarithm is this. Refused if it is too
    much. ``lost``: what their factors lack; ``divided``: the logarithm of what observations were
    divided by, and what they lack, too."""
    share = _grown(arithmetic, lost, log, divided)
    if share > ENOUGH:
        raise BeyondFloatsError
    return share


def _grown(arithmetic: Arithmetic, lost: float, log: float, divided: float) -> float:
    if not arithmetic.smallest:
        return 0.0
    if log + divided < -700:
        return math.inf
    new = _PRODUCTS * arithmetic.smallest
    return (lost + new) * math.exp(-log) + new * math.exp(-log - divided)


def backward(course: Course, kept: Forward, read: Read) -> None:
    """A pass back over all days: ``read`` is called with each day, its weights given what was
    observed on all other days, and what its own observations weigh."""
    arithmetic, lost = course.arithmetic, 0.0
    later: Weights | None = None
    for day in range(len(course.plans) - 1, -1, -1):
        arrived, observed = kept.arrived[day], course.weighed(day)
        if later is None:
            later = arithmetic.full(arrived.shape, arithmetic.one)
        around = arithmetic.times(arrived, later)
        log = arithmetic.shrunk(arithmetic.times(around, observed.weights))[1]
        share_lost(arithmetic, kept.lost[day] + lost, log - kept.totals[day], 0.0)
        read(day, around, observed, lost + (kept.lost[day - 1] if day else 0.0))
        later, peak = arithmetic.peaked(_back(course, day, later, observed))
        lost = _grown(arithmetic, lost, peak, observed.log_scale)


def _back(course: Course, day: int, later: Weights, observed: Weighed) -> Weights:
    """What the weights of the day before contribute, given what those of a day do."""
    weights = course.arithmetic.times(later, observed.weights)
    for operation in reversed(course.arriving(day)):
        weights = transposed(course.arithmetic, operation, weights)
    return weights


def path(course: Course, kept: Forward) -> list[tuple[int, ...]]:
    """For each day, where the weights of a most probable path are. Precondition: the arithmetic
    maximises."""
    arithmetic = course.arithmetic
    places = list[tuple[int, ...]]()
    later: Weights | None = None
    for day in range(len(course.plans) - 1, -1, -1):
        observed = course.weighed(day)
        joint = arithmetic.times(kept.arrived[day], observed.weights)
        joint = joint if later is None else arithmetic.times(joint, later)
        place = tuple(digits(int(np.argmax(joint)), joint.shape))
        places.append(place)
        here = arithmetic.full(joint.shape, arithmetic.zero)
        here[place] = arithmetic.one
        later = _back(course, day, here, observed)
    return places[::-1]
