"""What ground elimination will do for a query, and the memory it needs, before it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from liftgraph.display import format_bytes, format_count
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.inference.ground.reduction import Reduction, graph_pieces, prune, reduce_graph
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError, contraction_tree
from liftgraph.inference.tensor.elimination_order import BEYOND_MEMORY
from liftgraph.inference.tensor.memory import (
    ANSWER_COPIES,
    FLOAT_BYTES,
    INTEGER_BYTES,
    OBJECT_BYTES,
    digit_bytes,
    peak_bytes,
    rough_peak_bytes,
)
from liftgraph.inference.tensor.outline import elimination_outline
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import Given, entries, given
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import KINDS, Query


@dataclass(frozen=True, repr=False)
class GroundPlan(Pictured):
    """How ground elimination will answer a query. ``carry_out``: the function that does it."""

    graph: FactorGraph
    query: Query
    variables: tuple[int, ...]
    reduction: Reduction
    section: Section
    carry_out: Callable[[GroundPlan, Progress], Answer]

    @property
    def method(self) -> str:
        """The name of the method."""
        return "ground"

    @property
    def names(self) -> list[str]:
        """The names of the variables that are asked for."""
        return [self.graph.name(variable) for variable in self.variables]

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        query = self.query
        working = peak_bytes(
            self.section.products,
            exact=query.exact,
            keeping=self.keeping,
            backwards=self.keeping and not KINDS[query.kind].maximises,
        )
        return working + _other_bytes(self)

    @property
    def work(self) -> int:
        """The number of multiplications."""
        return self.section.tree.operations

    @property
    def keeping(self) -> bool:
        """Whether values are kept to the end, for a backward pass."""
        return KINDS[self.query.kind].of_all

    def name(self, variable: int) -> str:
        """The name of a variable of the elimination, which may be hidden inside a potential."""
        return _name(self.graph, variable)

    @property
    def outline(self) -> list[Operation]:
        """The tables that the elimination starts from, and its steps."""
        return elimination_outline(self.section.tree, self.name)

    def run(self, progress: Progress = lambda share: None) -> Answer:
        """The answer."""
        return self.carry_out(self, progress)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        tree = self.section.tree
        count = self.graph.variable_count
        free = {v for scope in self.reduction.scopes for v in scope if v < count}
        order = [self.name(variable) for variable in tree.order]
        shown = ", ".join(order[:8]) + (f", … ({len(order) - 8:,} more)" if len(order) > 8 else "")
        rows = {
            "numbers": "exact integers" if self.query.exact else "log-scaled floats",
            "variables": f"{count:,}, {len(free):,} left by evidence and pruning",
            "tables": f"{self.graph.factor_count:,}, {len(self.reduction.scopes):,} left",
            "order": shown or "nothing to eliminate",
            "largest": f"{format_count(tree.largest)} entries",
            "work": f"{format_count(self.work)} multiplications in {len(tree.steps):,} steps",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["ground variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )


def _name(graph: FactorGraph, variable: int) -> str:
    hidden = variable - graph.variable_count
    return graph.name(variable) if hidden < 0 else f"hidden variable {hidden + 1}"


def plan_ground(
    graph: FactorGraph,
    query: Query,
    memory_limit: int,
    carry_out: Callable[[GroundPlan, Progress], Answer],
) -> GroundPlan:
    """Plan the answer to a query; it is refused if it needs more bytes than the limit."""
    variables = tuple(map(graph.variable, query.variables))
    if len(variables) > MAX_ARGUMENTS:
        count = len(variables)
        raise InputError(
            f"expected at most {MAX_ARGUMENTS} variables in a joint query, got {count}"
        )
    reduction = reduce_graph(graph)
    kept = [variable for variable in variables if variable not in reduction.fixed]
    if not KINDS[query.kind].of_all:
        reduction = prune(reduction, kept, graph.cache)
    try:
        tree = contraction_tree(reduction.scopes, reduction.sizes, kept)
    except BeyondMemoryError as beyond:
        bound, limit = int(BEYOND_MEMORY), format_bytes(memory_limit)
        raise MemoryLimitError(
            f"needs more than {format_bytes(bound)}, the limit is {limit}: the largest table has"
            f" over {format_count(bound)} entries, eliminating {_name(graph, beyond.variable)}"
        ) from None
    program = section(tree, range(len(reduction.sizes)), given_tensors(reduction))
    plan = GroundPlan(graph, query, variables, reduction, program, carry_out)
    rough = rough_peak_bytes(program.products, query.exact, sum(tree.entries[: tree.leaves]))
    if rough + _other_bytes(plan) > memory_limit and plan.peak_bytes > memory_limit:
        raise _over_the_limit(plan, memory_limit)
    return plan


def given_tensors(reduction: Reduction) -> list[Given]:
    """A tensor for each table of a reduction; without tables, a single tensor."""
    pieces = reduction.pieces
    tables = {piece_id: pieces[piece_id].sliced for piece_id in set(reduction.piece_ids)}
    if not tables:
        return [given(np.ones((), dtype=np.int64))]
    return [
        Given(tables[piece_id].shape, pieces[piece_id].bits, "given", tables[piece_id])
        for piece_id in reduction.piece_ids
    ]


def _other_bytes(plan: GroundPlan) -> int:
    """The bytes of the tables, each evaluated once, and of the answer."""
    exact, reduction, tables = plan.query.exact, plan.reduction, graph_pieces(plan.graph)
    evaluated = _entry_bytes(tables.bits, exact) * tables.entries
    answer = _answer_bytes(reduction, plan.query, plan.variables, plan.section.result.bits)
    return evaluated + answer + OBJECT_BYTES * (len(reduction.sizes) if plan.keeping else 0)


def _entry_bytes(bits: int, exact: bool) -> int:
    return INTEGER_BYTES + digit_bytes(bits) if exact else FLOAT_BYTES


def _answer_bytes(reduction: Reduction, query: Query, variables: tuple[int, ...], bits: int) -> int:
    """The bytes of the distributions and exact numbers in the answer."""
    sizes = reduction.sizes
    varying, constant = entries(variables, sizes), 0
    if query.kind == "marginals":
        free = [size for variable, size in enumerate(sizes) if variable not in reduction.fixed]
        varying, constant = sum(free), sum(sizes)
    scales = 0
    if query.exact:
        widths = [
            (c.numerator.bit_length(), c.denominator.bit_length(), n)
            for c, n in reduction.constants
        ]
        scales = digit_bytes(sum(n * (above + below) for above, below, n in widths))
    entry = _entry_bytes(bits, query.exact)
    return ANSWER_COPIES * (entry * varying + FLOAT_BYTES * constant + scales)


def _over_the_limit(plan: GroundPlan, limit: int) -> MemoryLimitError:
    tree = plan.section.tree
    where = "" if tree.forcing is None else f", eliminating {plan.name(tree.forcing)}"
    return MemoryLimitError(
        f"needs {format_bytes(plan.peak_bytes)}, the limit is {format_bytes(limit)}:"
        f" the largest table has {format_count(tree.largest)} entries{where}"
    )
