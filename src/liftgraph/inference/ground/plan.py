"""What ground elimination will do for a query, and the memory it needs, before it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from liftgraph.display import format_bytes, format_count
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.inference.ground.elimination_order import BEYOND_MEMORY
from liftgraph.inference.ground.reduction import Reduction, prune, reduce_graph
from liftgraph.inference.ground.steps import (
    BeyondMemoryError,
    Plan,
    entries,
    make_plan,
    peak_bytes,
    result_bits,
)
from liftgraph.inference.tensor.outline import elimination_outline
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import Query

_FLOAT_BYTES = 8
_INTEGER_BYTES = 48  # a pointer and an integer without its digits
_ANSWER_COPIES = 5  # of the asked distribution: weights, probabilities, fractions
_OBJECT_BYTES = 1500  # what Python needs for a step or a variable's answer, however small


@dataclass(frozen=True, repr=False)
class GroundPlan(Pictured):
    """How a query will be answered by ground elimination. ``carry_out``: what does it."""

    graph: FactorGraph
    query: Query
    variables: tuple[int, ...]
    reduction: Reduction
    plan: Plan
    peak_bytes: int
    carry_out: Callable[[GroundPlan, Progress], Answer]

    @property
    def method(self) -> str:
        """The name of the method."""
        return "ground"

    @property
    def names(self) -> list[str]:
        """The names of the variables that are asked for."""
        return [self.graph.name(variable) for variable in self.variables]

    @property
    def work(self) -> int:
        """How many entries are looked at."""
        return self.plan.operations

    @property
    def outline(self) -> list[Operation]:
        """The tables it starts from and its steps."""
        return elimination_outline(self.plan, lambda variable: self.graph.name(variable))

    def run(self, progress: Progress = lambda share: None) -> Answer:
        """The answer."""
        return self.carry_out(self, progress)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        free = len({variable for scope in self.reduction.scopes for variable in scope})
        order = [self.graph.name(variable) for variable in self.plan.order]
        shown = ", ".join(order[:8]) + (f", … ({len(order) - 8:,} more)" if len(order) > 8 else "")
        steps, operations = len(self.plan.steps), format_count(self.plan.operations)
        rows = {
            "numbers": "exact integers" if self.query.exact else "log-scaled floats",
            "variables": f"{self.graph.variable_count:,}, {free:,} left by evidence and pruning",
            "tables": f"{self.graph.factor_count:,}, {len(self.reduction.scopes):,} left",
            "order": shown or "nothing to eliminate",
            "largest": f"{format_count(self.plan.largest)} entries",
            "work": f"{operations} multiplications in {steps:,} steps",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["ground variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )


def plan_ground(
    graph: FactorGraph,
    query: Query,
    memory_limit: int,
    carry_out: Callable[[GroundPlan, Progress], Answer],
) -> GroundPlan:
    """Plan the answer to a query; refused if it needs more bytes than the limit."""
    variables = tuple(map(graph.variable, query.variables))
    if len(variables) > MAX_ARGUMENTS:
        count = len(variables)
        raise InputError(
            f"expected at most {MAX_ARGUMENTS} variables in a joint query, got {count}"
        )
    reduction = reduce_graph(graph)
    kept = [variable for variable in variables if variable not in reduction.fixed]
    if query.kind in ("marginal", "partition"):
        reduction = prune(reduction, kept, graph.cache)
    try:
        plan = make_plan(reduction.scopes, reduction.sizes, kept)
    except BeyondMemoryError as beyond:
        bound, limit = int(BEYOND_MEMORY), format_bytes(memory_limit)
        raise MemoryLimitError(
            f"needs more than {format_bytes(bound)}, the limit is {limit}: the largest table has"
            f" over {format_count(bound)} entries, eliminating {graph.name(beyond.variable)}"
        ) from None
    needed = _needed_bytes(reduction, plan, query, variables)
    if needed > memory_limit:
        raise _over_the_limit(graph, plan, needed, memory_limit)
    return GroundPlan(graph, query, variables, reduction, plan, needed, carry_out)


def _needed_bytes(
    reduction: Reduction, plan: Plan, query: Query, variables: tuple[int, ...]
) -> int:
    """A bound on the bytes that answering takes beyond the model, its tables evaluated once."""
    keeping = query.kind in ("marginals", "explanation")
    widths = _entry_bytes(reduction, plan, query)
    tables = {id(part.table): part.table.integers.size for part in reduction.parts}
    working = peak_bytes(plan, widths, keeping) + max(widths[: plan.given]) * sum(tables.values())
    objects = len(plan.steps) + (len(reduction.sizes) if keeping else 0)
    answer = _answer_bytes(reduction, query, variables, widths[-1])
    return working + answer + _OBJECT_BYTES * objects


def _entry_bytes(reduction: Reduction, plan: Plan, query: Query) -> list[int]:
    """Bytes of the entries of each tensor; around a table they are as long as the total weight."""
    if not query.exact:
        return [_FLOAT_BYTES] * len(plan.scopes)
    bits = result_bits(plan, table_bits(reduction) or [1])
    if query.kind == "marginals":
        bits = [bits[-1]] * len(bits)
    return [_INTEGER_BYTES + _digit_bytes(width) for width in bits]


def _answer_bytes(
    reduction: Reduction, query: Query, variables: tuple[int, ...], entry: int
) -> int:
    """Bytes of the distributions and exact numbers that are handed over."""
    sizes = reduction.sizes
    free = [size for variable, size in enumerate(sizes) if variable not in reduction.fixed]
    varying, constant = entries(variables, sizes), 0
    if query.kind == "marginals":
        varying, constant = sum(free), sum(sizes)
    scales = 0
    if query.exact:
        widths = [
            (c.numerator.bit_length(), c.denominator.bit_length(), n)
            for c, n in reduction.constants
        ]
        scales = _digit_bytes(sum(n * (above + below) for above, below, n in widths))
    return _ANSWER_COPIES * (entry * varying + _FLOAT_BYTES * constant + scales)


def _digit_bytes(bits: int) -> int:
    return 4 * bits // 30 + 4  # Python keeps 30 bits in 4 bytes


def table_bits(reduction: Reduction) -> list[int]:
    """The bits of the largest integer of each table."""
    tables = [reduction.parts[number].table for number in reduction.part_ids]
    widths = {id(table): int(table.integers.max()).bit_length() for table in tables}
    return [widths[id(table)] for table in tables]


def _over_the_limit(graph: FactorGraph, plan: Plan, needed: int, limit: int) -> MemoryLimitError:
    forcing = plan.forcing
    where = "" if forcing is None else f", eliminating {graph.name(forcing)}"
    return MemoryLimitError(
        f"needs {format_bytes(needed)}, the limit is {format_bytes(limit)}:"
        f" the largest table has {format_count(plan.largest)} entries{where}"
    )
