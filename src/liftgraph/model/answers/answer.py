"""What answers have in common: the method, how far off they may be, and variables by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Protocol, TypeVar

from liftgraph.display import did_you_mean
from liftgraph.model.ground.names import is_count

A = TypeVar("A", bound="ByVariable")


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


class ByVariable:
    """An answer about all variables, which are found by name or index.

    ``names``: those of the variables, in the order of the model.
    """

    names: tuple[str, ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def first(self: A, count: int) -> A:
        """The same about the first of the variables only."""
        by_variable = [name for name in ("names", "states", "group") if hasattr(self, name)]
        shorter = {name: getattr(self, name)[:count] for name in by_variable}
        return replace(self, **shorter)  # type: ignore[type-var]

    def _place(self, variable: object) -> int:
        """The index of a variable; a KeyError if there is none."""
        if is_count(variable):
            place = int(variable)
        else:
            place = self._places.get(variable, -1) if isinstance(variable, str) else -1
        if not 0 <= place < len(self.names):
            hint = did_you_mean(variable, self.names) if isinstance(variable, str) else ""
            raise KeyError(f"{variable}{hint}" if hint else variable)
        return place
