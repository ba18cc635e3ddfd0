"""Sum forwards, keep all tensors, and draw as many samples as are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.sampling.drawn import LiftedDraws
from liftgraph.inference.lifted.sampling.histograms import Histograms
from liftgraph.inference.lifted.sampling.steps import Posterior
from liftgraph.inference.tensor.drawing import drawing_bytes
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.model.plans import Progress
from liftgraph.semiring import CHUNK, choose_semiring

_ROW_BYTES = 40  # of a state of a row of cells, while rows are refined
_SPLIT_BYTES = 120  # of a weight, or of a choice, while rows are divided
_SHARD_BYTES = 2000  # the objects around the states of a shard


@dataclass(frozen=True, eq=False)
class LiftedSampler:
    """All tensors of an elimination, ready to be walked backwards.

    The other fields are those of answers.
    """

    posterior: Posterior[Any]
    method: str
    log_odds_bound: float
    approximate: bool = False

    def draw(self, count: int, seed: int, memory_limit: int) -> LiftedDraws:
        """The histograms of ``count`` independent samples."""
        return LiftedDraws(Histograms(self.posterior, count, seed, memory_limit))


def lifted_sampler(plan: LiftedPlan, progress: Progress) -> LiftedSampler:
    """Sum forwards, and keep all tensors."""
    semiring = choose_semiring("sum", plan.query.exact)
    values = forward(semiring, plan.order, plan.asked, keeping=True, progress=progress)
    if not all(semiring.possible(values[root.tensor]) for root in plan.asked):
        raise impossible()
    return LiftedSampler(Posterior(plan.compiled, plan.query.exact, semiring, values), *plan.how)


def lifted_draw_bytes(plan: LiftedPlan, count: int) -> int:
    """A bound on the bytes that drawing histograms takes beyond the tensors, and that they take.

    There are at most as many different individuals as joint states, and as individuals.
    """
    posterior: Posterior[Any] = Posterior(plan.compiled, plan.query.exact, None, None)  # type: ignore[arg-type]
    world, rows, split = posterior.world, 0, 0
    for group in posterior.groups:
        states = prod([world.shards[shard].values for shard in group])
        size = world.sizes[world.shards[group[0]].parts[0]]
        cells = count * min(states, size)
        rows += _ROW_BYTES * (2 + len(group)) * cells
        largest = max([world.shards[shard].values for shard in group])
        individuals = count * size if plan.query.exact else 0
        split = max(split, largest, min(CHUNK, max(cells * largest, individuals)))
    sections = [drawing_bytes(s.products, count, plan.query.exact) for s in plan.compiled.sections]
    single = 8 * count * sum([len(section.variables) for section in plan.compiled.sections])
    drawn = rows + single + _SPLIT_BYTES * split
    return drawn + max(sections, default=0) + _SHARD_BYTES * len(world.shards)
