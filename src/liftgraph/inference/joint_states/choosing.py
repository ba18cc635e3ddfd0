"""Sums before maxima where that fits into memory, otherwise branch and bound, otherwise neither."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from liftgraph.display import counted
from liftgraph.errors import MemoryLimitError
from liftgraph.inference.ground.refusal import beyond_every_order
from liftgraph.inference.joint_states.branch_and_bound import BranchAndBound, branch_and_bound
from liftgraph.inference.joint_states.problem import Problem
from liftgraph.inference.joint_states.sums_first import SumsFirst, sums_first
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.planning_memory import steps_bytes
from liftgraph.model.memory_limit import Planning

Strategy = SumsFirst | BranchAndBound
STRATEGIES: list[Callable[[Problem, Search], Strategy]] = [
    sums_first,
    branch_and_bound,
    partial(branch_and_bound, widest=0),
]


def chosen(
    problem: Problem, exact: bool, planning: Planning, besides: int, name: Callable[[int], str]
) -> Strategy:
    """The first strategy that fits into the limit, in bytes; ``MemoryLimitError`` if none does.

    ``besides``: the bytes that any of them takes besides, such as those of the answer. ``name``:
    that of a variable, by its label.
    """
    sections, limit = steps_bytes(2 * len(problem.tables)), planning.limit
    planning.take(sections, f"{len(problem.tables):,} tables are left")
    search = Search(limit // FLOAT_BYTES)
    refused: MemoryLimitError | None = None
    for strategy in STRATEGIES:
        try:
            planned = strategy(problem, search)
        except BeyondMemoryError as beyond:
            refused = beyond_every_order(limit, name(beyond.variable))
            continue
        needed = planned.peak_bytes(exact) + besides
        if needed <= planning.left:
            return planned
        where = "" if planned.forcing is None else f", eliminating {name(planned.forcing)}"
        reason = f"the largest table has {counted(planned.largest, 'entry')}{where}"
        refused = planning.beyond(needed, reason)
        del planned
    assert refused is not None
    raise refused
