"""Sums before maxima: a most probable joint state of some variables, the others summed out.

A sum of maxima is at least the maximum of the sums, and mostly more: so variables that are asked
for stay until all others are gone (a constrained order; Park and Darwiche 2004). The others that
tables connect are summed out together, which leaves one table over the asked variables around
them. What is left has asked variables only, and is maximised in any order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.joint_states.problem import Found, Problem, copy_bytes, total_of, whole
from liftgraph.inference.normalising import normalised
from liftgraph.inference.tensor.added_up import guide
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError, contraction_tree
from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.memory import peak_bytes
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import (
    Adding,
    Root,
    Scope,
    Sizes,
    Tensor,
    given,
    in_order,
    power_bits,
)
from liftgraph.model.plans import Progress
from liftgraph.semiring import FlowSemiring, MaxSemiring, choose_semiring
from liftgraph.semiring.maximum import maxima_of

T = TypeVar("T")


@dataclass(frozen=True)
class SumsFirst:
    """Tables summed down to the asked variables, and how these are eliminated.

    ``sums``: a section for all other variables that tables connect. ``top``: the section of the
    asked variables. ``tables``: those that it maximises, with their ``scopes``. ``leaves``: the
    tables that it all starts from, and which of the problem's each of them is.
    """

    problem: Problem
    sums: list[Section]
    top: Section
    tables: Sequence[Tensor]
    scopes: Sequence[Scope]
    leaves: Sequence[tuple[Tensor, int]]

    @property
    def work(self) -> int:
        """How many multiplications it takes."""
        return sum([part.work for part in self.sums]) + 2 * self.top.work

    @property
    def largest(self) -> int:
        """Entries of the largest table."""
        return max([part.largest for part in (*self.sums, self.top)])

    @property
    def forcing(self) -> int | None:
        """A variable whose elimination needs the largest table, unless that is given."""
        part = max((*self.sums, self.top), key=lambda part: part.largest)
        return None if part.tree.forcing is None else part.variables[part.tree.forcing]

    @property
    def how(self) -> str:
        """What is done, in a few words."""
        return "the others are summed out, then maxima are taken"

    @property
    def steps(self) -> int:
        """How many products are made."""
        return sum([len(part.products) for part in (*self.sums, self.top)])

    @cached_property
    def first(self) -> list[Tensor]:
        """What sums variables out, operands first; tables given by their values come before."""
        return [tensor for tensor in in_order(self.tables) if type(tensor) is not Tensor]

    @cached_property
    def then(self) -> list[Tensor]:
        """What is computed from the tables that are left."""
        made = {*in_order(self.tables)}
        return [tensor for tensor in in_order([self.top.result]) if tensor not in made]

    def peak_bytes(self, exact: bool) -> int:
        """A bound on the bytes that it takes beyond tables that are given by their values."""
        roots = [Root(tensor, 1) for tensor in self.tables]
        summed = peak_bytes(self.first, roots, exact=exact)
        total = peak_bytes(self.then, exact=exact)
        largest = peak_bytes(self.then, exact=exact, maximises=True, keeping=True)
        kept = sum([copy_bytes(table, exact) for table in self.tables])
        return max(summed, kept + max(total, largest))

    def run(self, exact: bool, known: Mapping[Tensor, object], progress: Progress) -> Found:
        """A most probable joint state. ``known``: the values of tables that are given by them."""
        return _run(self, exact, choose_semiring("sum", exact), known, progress)


def sums_first(problem: Problem, search: Search = EVERYTHING) -> SumsFirst:
    """Plan sums, then maxima; raises ``BeyondMemoryError`` as ``contraction_tree`` does, with a
    label."""
    tables, scopes, sums = list[Tensor](), list[Scope](), list[Section]()
    leaves = list[tuple[Tensor, int]]()
    for part in _connected(problem):
        if problem.asked.issuperset(problem.scopes[part[0]]):
            tables.append(whole(problem.tables[part[0]]))
            scopes.append(problem.scopes[part[0]])
            leaves.append((tables[-1], part[0]))
            continue
        summed = _section(
            [problem.tables[table] for table in part],
            [problem.scopes[table] for table in part],
            problem.sizes,
            problem.asked,
            search,
        )
        sums.append(summed)
        leaves += zip(summed.tensors, part, strict=False)
        tables.append(summed.result)
        scopes.append(summed.kept)
    if not tables:
        tables, scopes = [given(np.ones((), dtype=np.int64))], [()]
    counted = sorted(problem.ways.keys() & set().union(*scopes))
    top = _section(
        [*tables, *map(problem.ways.__getitem__, counted)],
        [*scopes, *[(label,) for label in counted]],
        problem.sizes,
        (),
        search,
    )
    return SumsFirst(problem, sums, top, tables, scopes, leaves)


def _connected(problem: Problem) -> list[list[int]]:
    """The tables that variables which are not asked for connect; others are alone."""
    joined: DisjointSets[int] = DisjointSets()
    others = [[v for v in scope if v not in problem.asked] for scope in problem.scopes]
    for scope in others:
        joined.join(scope)
    parts: dict[object, list[int]] = {}
    for table, scope in enumerate(others):
        parts.setdefault(joined.find(scope[0]) if scope else (table,), []).append(table)
    return list(parts.values())


def _section(
    tables: Sequence[Tensor],
    scopes: Sequence[Scope],
    sizes: Sizes,
    kept: Collection[int],
    search: Search,
) -> Section:
    """Eliminate all variables that are not kept; those of the section have labels of its own."""
    variables = list(dict.fromkeys([label for scope in scopes for label in scope]))
    local = {label: place for place, label in enumerate(variables)}
    local_scopes = [tuple([local[label] for label in scope]) for scope in scopes]
    local_sizes = [sizes[label] for label in variables]
    kept_here = [local[label] for label in variables if label in kept]
    adds = [isinstance(table, Adding) for table in tables]
    compared = guide(local_scopes, adds, local_sizes)
    try:
        tree = contraction_tree(local_scopes, local_sizes, kept_here, search, compared)
    except BeyondMemoryError as beyond:
        raise BeyondMemoryError(variables[beyond.variable]) from None
    return section(tree, variables, tables)


def _run(
    plan: SumsFirst,
    exact: bool,
    semiring: FlowSemiring[T],
    known: Mapping[Tensor, object],
    progress: Progress,
) -> Found:
    values: Values[T] = Values(semiring)
    values |= known  # type: ignore[arg-type]
    roots = [Root(tensor, 1) for tensor in plan.tables]
    values = forward(
        semiring, plan.first, roots, known=values, progress=lambda done: progress(done / 3)
    )
    tables = {tensor: values[tensor] for tensor in plan.tables}
    total = normalised(semiring, _result(plan, semiring, tables))
    progress(2 / 3)
    states = _best(plan, choose_semiring("maximum", exact, power_bits(plan.first)), tables)
    at_states = [
        semiring.part(tables[tensor], tuple([states[label] for label in scope]))
        for tensor, scope in zip(plan.tables, plan.scopes, strict=True)
    ]
    weight = total_of([normalised(semiring, part) for part in at_states])
    progress(1.0)
    return Found(states, weight, (total.log_sum, total.sum))


def _result(plan: SumsFirst, semiring: FlowSemiring[T], tables: Mapping[Tensor, T]) -> T:
    """The total weight: the sum over the asked variables."""
    values: Values[T] = Values(semiring)
    values |= tables
    result = plan.top.result
    return forward(semiring, plan.then, [Root(result, 1)], known=values)[result]


def _best(
    plan: SumsFirst, semiring: MaxSemiring[T], tables: Mapping[Tensor, object]
) -> dict[int, int]:
    """The asked variables where the product of tables is largest."""
    values: Values[T] = Values(semiring)
    values |= {tensor: maxima_of(semiring, table) for tensor, table in tables.items()}
    values = forward(semiring, plan.then, [], known=values, keeping=True)
    if not semiring.possible(values[plan.top.result]):
        raise impossible()
    chosen = backtrack(semiring, plan.top.products, values)
    return {plan.top.variables[label]: state for label, state in chosen.items()}
