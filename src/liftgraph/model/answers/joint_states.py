"""A most probable joint state of some variables, all others summed out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from liftgraph.exact import shown
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.weights import Assignment


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JointState(Assignment):
    """A most probable joint state of the variables that were asked for, given evidence.

    A mapping from these variables, by name or index among them, to the names of their states. If
    several joint states are equally probable, any one of them may be returned.
    ``probability``: that of this joint state given the evidence; ``fraction``: the same as a
    fraction, if asked for exactly. ``log_weight`` and ``weight``: of all assignments that agree
    with it and with the evidence, together.
    """

    probability: float
    fraction: Fraction | None

    @property
    def _title(self) -> str:
        exact = "" if self.fraction is None else f" = {shown(self.fraction)}"
        return (
            f"most probable joint state, probability = {self.probability:.6g}{exact}"
            f"{accuracy_text(self, 'log odds off')}"
        )
