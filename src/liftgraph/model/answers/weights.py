"""The total weight of a model, and an assignment of the largest weight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from liftgraph.exact import shown
from liftgraph.model.answers.answer import accuracy_text

_SHOWN = 6  # how many variables of an explanation are printed


@dataclass(frozen=True, repr=False)
class Partition:
    """The total weight of all assignments that agree with the evidence.

    ``log_z``: its natural logarithm; ``z``: the weight itself, if asked for exactly.
    ``log_odds_bound``: how far off the logarithm may be; 0 unless a tolerance was allowed.
    ``approximate``: whether the method only estimates.
    """

    log_z: float
    z: Fraction | None
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    @property
    def log10_z(self) -> float:
        """Its decimal logarithm."""
        return self.log_z / math.log(10)

    def __repr__(self) -> str:
        exact = "" if self.z is None else f", Z = {shown(self.z)}"
        return f"Partition(log Z = {self.log_z:.12g}{exact}{accuracy_text(self)})"


@dataclass(frozen=True, repr=False)
class Explanation:
    """A most probable assignment of all variables which agrees with the evidence.

    ``states``: the index of each variable's state; ``assignment``: the same by names.
    ``log_weight``: natural logarithm of the product of all factors there; ``weight``: the product
    itself, if asked for exactly. If several assignments are equally probable, any one of them may
    be returned.
    ``log_odds_bound``: how far off the log weight may be, and how much larger that of a better
    assignment may be; 0 unless a tolerance was allowed. ``approximate``: whether the method
    only estimates.
    """

    states: tuple[int, ...]
    assignment: dict[str, str]
    log_weight: float
    weight: Fraction | None
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    def __repr__(self) -> str:
        events = [f"{name}={state}" for name, state in list(self.assignment.items())[:_SHOWN]]
        dots = ["…"] if len(self.assignment) > len(events) else []
        weight = f"log weight = {self.log_weight:.12g}{accuracy_text(self)}"
        return f"Explanation({', '.join(events + dots)}; {weight})"
