"""What an area of the campaign is: cases drawn from seeds, what is checked, and smaller cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

Case = dict[str, Any]  # data that JSON can hold


class WrongError(AssertionError):
    """What came is not what was expected; the message says both, in one line."""


def expect(holds: object, problem: str) -> None:
    """Say that a case is wrong, unless something holds."""
    if not holds:
        raise WrongError(problem)


def nothing_smaller(case: Case) -> Iterator[Case]:
    """Of cases that do not shrink."""
    yield from ()


@dataclass(frozen=True, slots=True)
class Area:
    """A subject of the campaign.

    ``draw``: a case, from random numbers alone. ``check``: raises ``WrongError``, or whatever the
    library should not raise. ``smaller``: cases that are a little smaller, the smallest first.
    ``seconds`` and ``memory`` (bytes beyond what is used already): limits for one case.
    """

    name: str
    draw: Callable[[Random], Case]
    check: Callable[[Case], None]
    smaller: Callable[[Case], Iterator[Case]] = nothing_smaller
    seconds: float = 20
    memory: int = 2**30
