"""A failing case made small: greedily, as long as it fails for the same cause."""

from __future__ import annotations

import time

from tests.soak.area import Area, Case
from tests.soak.attempt import Problem, attempt

SECONDS = 60.0


def shrunk(area: Area, case: Case, problem: Problem, seconds: float = SECONDS) -> Case:
    """The smallest case that was found within some seconds and fails for the same cause."""
    end = time.monotonic() + seconds
    while (smaller := _next(area, case, problem, end)) is not None:
        case = smaller
    return case


def _next(area: Area, case: Case, problem: Problem, end: float) -> Case | None:
    """The first of the smaller cases that still fails."""
    for smaller in area.smaller(case):
        if time.monotonic() > end:
            return None
        again = attempt(area, smaller)
        if again is not None and again.cause == problem.cause:
            return smaller
    return None
