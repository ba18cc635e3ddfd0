"""One case, checked: what was wrong with it, if anything."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

import liftgraph
from tests.soak.area import Area, Case, WrongError
from tests.soak.limits import limited

SOURCE = Path(liftgraph.__file__).parent
LONGEST = 300  # characters of a problem


@dataclass(frozen=True, slots=True)
class Problem:
    """What was wrong. ``cause``: equal for failures that are likely to have the same reason."""

    cause: str
    text: str


def attempt(area: Area, case: Case) -> Problem | None:
    """Check a case within the limits of its area."""
    try:
        with limited(area.seconds, area.memory):
            area.check(case)
    except Exception as error:
        return problem_of(error)
    return None


def problem_of(error: Exception) -> Problem:
    """What an error says, in one line, and where in the library it was raised."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST]
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(SOURCE)]
    if isinstance(error, WrongError) or not inside:
        return Problem(text.split(":")[1].strip() if isinstance(error, WrongError) else text, text)
    place = f"{Path(inside[-1].filename).relative_to(SOURCE)}, {inside[-1].name}"
    return Problem(f"{type(error).__name__} in {place}", f"{text} [{place}]")
