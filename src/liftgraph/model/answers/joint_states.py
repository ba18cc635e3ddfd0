"""A most probable joint state of some variables, all others summed out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from liftgraph.exact import shown
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.ground.names import is_count


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JointState(Assignment):
    """A most probable joint state of the variables that were asked for, given evidence.

    A mapping from these variables, by name or index, to the names of their states. If several joint
    states are equally probable, any one of them may be returned.
    ``indices``: those of the variables in the model. ``log_probability``: the natural logarithm of
    this joint state's probability given the evidence; ``fraction``: the probability itself, if
    asked for exactly. ``log_weight`` and ``weight``: of all assignments that agree with the joint
    state and with the evidence, together.
    """

    indices: tuple[int, ...]
    log_probability: float
    fraction: Fraction | None

    @property
    def probability(self) -> float:
        """The probability of this joint state given the evidence; 0 below what floats can hold."""
        return math.exp(self.log_probability) if self.fraction is None else float(self.fraction)

    @cached_property
    def _place_of_index(self) -> dict[int, int]:
        return {index: place for place, index in enumerate(self.indices)}

    def _place(self, variable: object) -> int:
        if is_count(variable):
            if int(variable) not in self._place_of_index:
                raise KeyError(variable)
            variable = self._place_of_index[int(variable)]
        return super()._place(variable)

    @property
    def _title(self) -> str:
        exact = "" if self.fraction is None else f" = {shown(self.fraction)}"
        says = f"probability = {self.probability:.6g}{exact}"
        if not self.probability:
            says = f"log probability = {self.log_probability:.12g}"
        return f"most probable joint state, {says}{accuracy_text(self, 'log odds off')}"
