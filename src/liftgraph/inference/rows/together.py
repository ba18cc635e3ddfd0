"""All rows of a group at once: one elimination with an axis of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.inference.ground.pattern import name_of
from liftgraph.inference.ground.refusal import beyond_every_order
from liftgraph.inference.rows.groups import Group, Variable
from liftgraph.inference.rows.parts import parts_of
from liftgraph.inference.rows.plan import RowPlan, plan_rows
from liftgraph.inference.rows.run import run_rows
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.planning_memory import ordering_bytes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.plans import Progress
from liftgraph.semiring.protocol import Floats


def plan_group(
    graph: FactorGraph, asked: Variable, group: Group, checking: bool, memory_limit: int
) -> list[RowPlan]:
    """The eliminations that answer a group of rows, one for each part that matters.

    ``checking``: whether parts matter that only say which rows are possible. Raises
    ``ZeroWeightError`` if none is, and ``MemoryLimitError`` if a single row needs too much.
    """
    variable = graph.variable(asked.name)
    others = [graph.variable(other.name) for other in group.variables]
    observed = [v for v, always in zip(others, group.everywhere, strict=True) if always]
    sometimes = [v for v, always in zip(others, group.everywhere, strict=True) if not always]
    planning = Planning(memory_limit)
    parts = parts_of(graph, variable, observed, sometimes, planning)
    for part in parts:
        least, passing = ordering_bytes([table.scope for table in part.tables])
        planning.check(max(least, passing), f"{len(part.tables):,} tables are left")
        planning.take(least, f"{len(part.tables):,} tables are left")
    fitting = memory_limit // FLOAT_BYTES
    try:
        plans = [
            plan_rows(graph, part, fitting) for part in parts if checking or part.asked is not None
        ]
    except BeyondMemoryError as beyond:
        raise beyond_every_order(memory_limit, name_of(graph, beyond.variable)) from None
    for plan in plans:
        if plan.fixed_bytes + plan.row_bytes > planning.left:
            largest = format_count(plan.section.tree.largest)
            reason = f"the largest table has {largest} entries for each row"
            raise planning.beyond(plan.fixed_bytes + plan.row_bytes, reason)
    return plans


def run_group(
    graph: FactorGraph,
    asked: Variable,
    group: Group,
    plans: Sequence[RowPlan],
    memory_limit: int,
    progress: Progress,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The distribution of the asked variable in each row, and which rows are possible."""
    column = {graph.variable(v.name): place for place, v in enumerate(group.variables)}
    answer = np.zeros((len(group.rows), len(asked.states)))
    answer[:, graph.evidence.get(graph.variable(asked.name), 0)] = 1.0  # unless a plan answers it
    possible = np.ones(len(group.rows), dtype=np.bool_)
    work, done = sum([plan.work + 1 for plan in plans]), 0
    for plan in plans:

        def share(part: float, before: int = done, here: int = plan.work + 1) -> None:
            progress((before + part * here) / work)

        states, kind = group.distinct([column[variable] for variable in plan.observed])
        shares, known = run_rows(graph, plan, states, memory_limit, share)
        possible &= known[kind]
        done += plan.work + 1
        if plan.asked is not None:
            answer = shares[kind]
    return answer, possible
