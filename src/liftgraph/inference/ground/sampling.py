"""Samples by ground elimination: sum forwards, then draw states backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.ground.values import settled, values_of
from liftgraph.inference.tensor.chance import Chance
from liftgraph.inference.tensor.drawing import draw_back, drawing_bytes
from liftgraph.inference.tensor.evaluation import Values
from liftgraph.model.answers.draws import ListedDraws
from liftgraph.model.plans import Progress
from liftgraph.semiring import FlowSemiring, choose_semiring

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class GroundSampler(Generic[T]):
    """All tables of an elimination, ready to be walked backwards, as often as there are draws."""

    plan: GroundPlan
    semiring: FlowSemiring[T]
    values: Values[T]
    method: str = "ground"
    log_odds_bound: float = 0.0
    approximate: bool = False

    def draw(self, count: int, seed: int, memory_limit: int) -> ListedDraws:
        """The states of all variables of the graph in ``count`` independent draws, all listed."""
        plan, graph = self.plan, self.plan.graph
        chance, products = Chance(seed), plan.section.products
        drawn = draw_back(self.semiring, products, self.values, count, chance)
        sizes = graph.cardinalities
        largest = max(int(sizes.max(initial=1)) - 1, 0)
        states = np.empty((count, graph.variable_count), dtype=np.min_scalar_type(largest))
        for variable in range(graph.variable_count):
            fixed = variable in plan.pattern.fixed
            states[:, variable] = plan.state(variable) if fixed else drawn.pop(variable)
        return ListedDraws(states)


def ground_sampler(plan: GroundPlan, progress: Progress) -> GroundSampler[object]:
    """Sum forwards, and keep all tables."""
    semiring = choose_semiring("sum", plan.query.exact)
    settled(plan.graph, plan.pattern.reduction, plan.states)
    values = values_of(plan.graph, plan.pattern, plan.states, semiring, progress)
    if not semiring.possible(values[plan.section.result]):
        raise impossible()
    return GroundSampler(plan, semiring, values)


def ground_draw_bytes(plan: GroundPlan, count: int) -> int:
    """A bound on the bytes that drawing takes beyond the tables, and that the draws take."""
    sizes = plan.pattern.reduction.sizes
    width = np.min_scalar_type(max(sizes, default=1)).itemsize
    drawing = drawing_bytes(plan.section.products, count, plan.query.exact)
    return 2 * width * count * len(sizes) + drawing
