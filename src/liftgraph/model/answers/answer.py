"""What all answers have in common: the method, and how far off they may be."""

from __future__ import annotations

from typing import Protocol


class Answer(Protocol):
    """What every answer says about itself.

    ``method``: which method computed it. ``log_odds_bound``: how far off log odds and the
    logarithms of weights may be; 0 unless a tolerance was allowed. ``approximate``: whether the
    method only estimates.
    """

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def log_odds_bound(self) -> float:
        """How far off log odds may be."""

    @property
    def approximate(self) -> bool:
        """Whether the method only estimates."""


def accuracy_text(answer: Answer, what: str = "off") -> str:
    """How far off an answer may be, as the end of a line; nothing if it is exact."""
    bound = f", {what} by up to {answer.log_odds_bound:.3g}" if answer.log_odds_bound else ""
    return f", approximate ({answer.method}){bound}" if answer.approximate else bound
