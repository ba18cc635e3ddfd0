"""The plan of a question for a most probable joint state, and the answer read off it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from liftgraph.display import counted, format_bytes
from liftgraph.inference.joint_states.choosing import Strategy
from liftgraph.inference.joint_states.problem import Found
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.answers.joint_states import JointState
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import Query
from liftgraph.semiring.pairs import log_of_product

_SHOWN = 5  # asked variables that a plan names


@dataclass(frozen=True, repr=False)
class JointStatePlan(Pictured):
    """How a most probable joint state will be found.

    ``how``: the method, and how far off the log odds of its answer may be. ``names``: those of the
    asked variables; ``strategy``: what is done; ``besides``: the bytes that it takes besides.
    ``carry_out``: the function that does it.
    """

    query: Query
    how: tuple[str, float]
    names: Sequence[str]
    strategy: Strategy
    besides: int
    carry_out: Callable[[Progress], JointState]

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.how[0]

    @property
    def work(self) -> int:
        """How many multiplications it takes; a search that has to go back takes more."""
        return self.strategy.work

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        return self.strategy.peak_bytes(self.query.exact) + self.besides

    @property
    def outline(self) -> list[Operation]:
        """No steps are listed."""
        return []

    def run(self, progress: Progress = lambda share: None) -> JointState:
        """The answer."""
        return self.carry_out(progress)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        more = len(self.names) - _SHOWN
        asked = ", ".join(self.names[:_SHOWN]) + (f", … ({more:,} more)" if more > 0 else "")
        steps = counted(self.strategy.steps, "step")
        rows = {
            "numbers": "exact integers" if self.query.exact else "log-scaled floats",
            "asked": asked,
            "how": self.strategy.how,
            "largest": counted(self.strategy.largest, "entry"),
            "work": f"{counted(self.work, 'multiplication')} in {steps}",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        title = f"most probable joint state, {self.method}"
        return "\n".join([title, *(f"  {key:<10} {row}" for key, row in rows.items())])


def joint_state(
    found: Found,
    constants: Iterable[tuple[Fraction, int]],
    indices: Sequence[int],
    names: Sequence[str],
    states: Sequence[int],
    state_sets: Sequence[tuple[str, ...]],
    how: tuple[str, float],
    shares: Iterable[tuple[Fraction, int]] = (),
) -> JointState:
    """The answer. ``constants``: what weights are multiplied with. ``indices``: of the variables in
    the model; ``states`` and ``state_sets``: the state of each, and which it has. ``shares``: of
    the total weight, of the states of asked variables that were left out."""
    (log_weight, weight), (log_total, total) = found.weight, found.total
    left_out = list(shares)
    powers = [*constants, *left_out]
    fraction = None
    if weight is not None and total is not None:
        fraction = Fraction(weight, total) * product_of_powers(left_out)
    minus = -log_total[0], -log_total[1]
    log_probability = log_of_product(left_out, [(log_weight, 1), (minus, 1)])
    kinds = {states: place for place, states in enumerate(dict.fromkeys(state_sets))}
    return JointState(
        tuple(names),
        tuple(states),
        np.array([kinds[one] for one in state_sets], dtype=np.int32),
        tuple(kinds),
        log_of_product(powers, [(log_weight, 1)]),
        None if weight is None else weight * product_of_powers(powers),
        *how,
        indices=tuple(indices),
        log_probability=min(log_probability, 0.0),
        fraction=fraction,
    )
