"""How often each assignment of a factor is expected, given what rows observe of it.

Rows that observe all arguments are counted exactly, once. What the others leave open falls into
parts (``inference/rows/stacks.py``); parts that are alike are eliminated at once, and equal ones
are one part with a weight, from whichever rows and variables they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.observed_rows import ObservedRows, added_up
from liftgraph.data.learning.sources import as_floats
from liftgraph.inference.rows.passes import (
    Shapes,
    StackPlan,
    add_to,
    evaluated,
    plan_stack,
)
from liftgraph.inference.rows.stacks import Structure, Term, arranged
from liftgraph.semiring.protocol import Floats
from liftgraph.semiring.rows import positive

Parameters = Mapping[int, Floats]  # the table of each parameter


@dataclass(frozen=True, eq=False)
class Observed:
    """What rows say about parameters.

    ``settled``: exact counts, for each parameter, of the rows that observe all arguments.
    ``plans``: of the parts that are left, and ``weights``: how often each kind of them occurs.
    """

    settled: Mapping[int, NDArray[Any]]
    plans: Sequence[StackPlan]
    weights: Sequence[Floats]
    memory_limit: int

    @cached_property
    def with_gaps(self) -> set[int]:
        """The parameters of which some rows do not observe all arguments."""
        return {source for plan in self.plans for source, _ in plan.stack.alike.terms}


def observed(
    structure: Structure, shapes: Shapes, rows: ObservedRows, memory_limit: int
) -> Observed:
    """Count what is observed, and plan what is not. ``shapes``: of each parameter's table."""
    parts = arranged(structure, rows.states)
    settled = {
        parameter: np.zeros(shape, dtype=rows.weights.dtype) for parameter, shape in shapes.items()
    }
    for term, where in parts.seen:
        shape = shapes[term.source]
        counts = added_up(_places(term, shape, rows, where), rows.weights[where], _size(shape))
        settled[term.source] = settled[term.source] + counts.reshape(shape)
    plans = [plan_stack(stack, shapes, memory_limit) for stack in parts.stacks]
    floats = as_floats(rows.weights, "counts")
    weights: list[Floats] = [
        np.bincount(stack.kind, floats[stack.rows], stack.states.shape[1]).astype(np.float64)
        for stack in parts.stacks
    ]
    return Observed(settled, plans, weights, memory_limit)


def _size(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _places(
    term: Term, shape: tuple[int, ...], rows: ObservedRows, where: NDArray[np.int64]
) -> NDArray[np.int64]:
    place = np.zeros(len(where), dtype=np.int64)
    for variable, size in zip(term.scope, shape, strict=True):
        place = place * size + rows.states[variable, where]
    return place


def expected_counts(data: Observed, parameters: Parameters) -> tuple[dict[int, Floats], float]:
    """The expected counts of each parameter given what was observed, and its log-likelihood."""
    counts = {
        parameter: np.array(table, dtype=np.float64) for parameter, table in data.settled.items()
    }
    log_likelihood = sum(
        [weighted_log(counts[parameter], parameters[parameter]) for parameter in counts]
    )
    values = {parameter: positive(parameters[parameter]) for parameter in data.with_gaps}
    for plan, weights in zip(data.plans, data.weights, strict=True):
        for chunk in evaluated(plan, values, data.memory_limit, backward=True):
            often = weights[chunk.kinds]
            log_likelihood += float(often @ chunk.log_weights)
            for parameter, places, shares in chunk.entries:
                add_to(counts[parameter], places, shares * often)
    return counts, log_likelihood


def weighted_log(weights: Floats, table: Floats) -> float:
    """The sum of weights times logarithms; what has no weight does not count."""
    counting = weights > 0
    with np.errstate(divide="ignore"):
        return float(weights[counting] @ np.log(table[counting]))
