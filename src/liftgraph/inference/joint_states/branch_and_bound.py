"""Branch and bound for a most probable joint state, where sums before maxima take too much memory.

In any order of elimination, maxima for asked variables and sums for all others, the result is at
least the maximum of the sums: a sum of maxima is at least the maximum of the sum (Park and Darwiche
2003). With all asked variables in given states there is nothing to maximise, and it is their
weight. So variables are put into states one after the other, the most promising states first;
states whose bound does not exceed the best weight so far are left out. What is found in the end is
exact. It takes the memory of one such elimination, and in the worst case the time of as many as
there are joint states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import Generic, TypeVar, cast

import numpy as np

from liftgraph.display import format_count
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.joint_states.problem import (
    Found,
    Problem,
    Weight,
    copy_bytes,
    total_of,
    whole,
)
from liftgraph.inference.normalising import normalised
from liftgraph.inference.tensor.contraction_tree import ContractionTree, contraction_tree
from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search
from liftgraph.inference.tensor.evaluation import Values, forward, value_of
from liftgraph.inference.tensor.memory import peak_bytes
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import (
    Root,
    Scope,
    Tensor,
    in_order,
    product_of,
)
from liftgraph.model.plans import Progress
from liftgraph.semiring import FlowSemiring, choose_semiring
from liftgraph.semiring.maximum import largest_over

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Largest(Tensor):
    """The maximum of a tensor over some of its axes."""

    operand: Tensor
    axes: tuple[int, ...]

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.operand,)

    @property
    def work(self) -> int:
        return self.operand.entries


@dataclass(frozen=True)
class BranchAndBound:
    """How bounds are computed, and in which order variables are put into states.

    ``total``: the section whose result is the weight of all joint states. ``choices``: for each
    asked variable a table of ones, or of a one for the state it is in. ``bound``: the operations
    that make an upper bound, the ``result``, out of the problem's tables and these, along a
    ``tree``. ``branching``: the asked variables, first those before whose maxima the most sums
    should have come. ``leaves``: the tables that it all starts from, and which of the problem's
    each of them is.
    """

    problem: Problem
    total: Section
    tree: ContractionTree
    choices: Mapping[int, Tensor]
    bound: Sequence[Tensor]
    result: Tensor
    branching: Sequence[int]
    leaves: Sequence[tuple[Tensor, int]]

    @property
    def work(self) -> int:
        """How many multiplications it takes if no state has to be taken back."""
        branches = sum([self.problem.sizes[label] for label in self.branching])
        return self.total.work + (1 + branches) * sum([tensor.work for tensor in self.bound])

    @property
    def largest(self) -> int:
        """Entries of the largest table."""
        return max([self.total.largest, *(tensor.entries for tensor in self.bound)])

    @property
    def forcing(self) -> int | None:
        """A variable whose elimination needs the largest table, unless that is given."""
        return self.tree.forcing

    @property
    def how(self) -> str:
        """What is done, in a few words."""
        joint = prod([self.problem.sizes[label] for label in self.branching])
        return f"branch and bound among {format_count(joint)} joint states"

    @property
    def steps(self) -> int:
        """How many products are made for a bound."""
        return len(self.bound)

    @cached_property
    def tables(self) -> list[Tensor]:
        """What makes the tables out of others, operands first, and the tables."""
        listed = in_order([tensor for tensor, _ in self.leaves])
        return [tensor for tensor in listed if type(tensor) is not Tensor]

    @cached_property
    def summing(self) -> list[Tensor]:
        """What sums all variables out of the tables."""
        made = {*self.tables, *[tensor for tensor, _ in self.leaves]}
        return [tensor for tensor in in_order([self.total.result]) if tensor not in made]

    def peak_bytes(self, exact: bool) -> int:
        """A bound on the bytes that it takes beyond tables that are given by their values."""
        roots = [Root(tensor, 1) for tensor, _ in self.leaves]
        made = peak_bytes(self.tables, roots, exact=exact)
        bound = peak_bytes(list(self.bound), exact=exact, keeping=True)
        kept = sum([copy_bytes(tensor, exact) for tensor, _ in self.leaves])
        return max(made, kept + max(peak_bytes(self.summing, exact=exact), bound))

    def run(self, exact: bool, known: Mapping[Tensor, object], progress: Progress) -> Found:
        """A most probable joint state. ``known``: the values of tables that are given by them."""
        return _run(self, choose_semiring("sum", exact), known, progress)


def branch_and_bound(problem: Problem, search: Search = EVERYTHING) -> BranchAndBound:
    """Plan a search; raises ``BeyondMemoryError`` as ``contraction_tree`` does, with a label."""
    tables = [whole(table) for table in problem.tables]
    sizes = [problem.sizes[label] for label in range(len(problem.sizes))]
    asked = sorted(problem.asked.intersection(chain.from_iterable(problem.scopes)))
    ways = {label: problem.ways[label] for label in asked if label in problem.ways}
    single = [(label,) for label in ways]
    total_tree = contraction_tree([*problem.scopes, *single], sizes, (), search)
    total = section(total_tree, range(len(sizes)), [*tables, *ways.values()])
    choices = {label: Tensor((sizes[label],), 1, "choose") for label in asked}
    single = [(label,) for label in choices]
    tree = contraction_tree([*problem.scopes, *single], sizes, (), search)
    bound, result = _mixed(tree, [*tables, *choices.values()], problem.asked)
    above = _sums_above(tree, problem.asked)
    branching = sorted(asked, key=lambda label: (-above[label], label))
    leaves = [(table, index) for index, table in enumerate(tables)]
    return BranchAndBound(problem, total, tree, choices, bound, result, branching, leaves)


def _mixed(
    tree: ContractionTree, leaves: Sequence[Tensor], asked: frozenset[int]
) -> tuple[list[Tensor], Tensor]:
    """The contractions of a tree with maxima over asked variables and sums over all others: the
    operations, and the last result."""
    tensors, scopes = list(leaves), list[Scope](tree.scopes[: tree.leaves])
    operations: list[Tensor] = []
    for left, right, eliminated in tree.steps:
        summed = {label for label in eliminated if label not in asked}
        second, second_scope = (None, ()) if right is None else (tensors[right], scopes[right])
        joint = tuple(dict.fromkeys((*scopes[left], *second_scope)))
        out = tuple([label for label in joint if label not in summed])
        made = tensors[left]
        if summed or second is not None:
            made = product_of("bound", made, scopes[left], second, second_scope, out)
            operations.append(made)
        axes = tuple([axis for axis, label in enumerate(out) if label in eliminated])
        if axes:
            out = tuple([label for label in out if label not in eliminated])
            shape = tuple([tree.sizes[label] for label in out])
            made = Largest(shape, made.bits, "bound", made, axes)
            operations.append(made)
        tensors.append(made)
        scopes.append(out)
    return operations, tensors[-1]


def _sums_above(tree: ContractionTree, asked: frozenset[int]) -> dict[int, int]:
    """For each asked variable, how many sums come after its maximum: with none, it is exact."""
    above = dict[int, int]()
    later = [0] * len(tree.scopes)  # for each tensor, the sums that come after it
    for index in range(tree.root, tree.leaves - 1, -1):
        step = tree.steps[index - tree.leaves]
        above |= dict.fromkeys(step.eliminated, later[index])
        for operand in step.operands:
            later[operand] = later[index] + len(set(step.eliminated) - asked)
    return above


@dataclass
class _Bounds(Generic[T]):
    """Upper bounds for variables in given states: what these do not change is not computed again.

    ``chosen``: the states that the ``values`` are for.
    """

    plan: BranchAndBound
    semiring: FlowSemiring[T]
    values: Values[T]
    chosen: dict[int, int]

    def at(self, states: Mapping[int, int]) -> tuple[float, Weight] | None:
        """The bound with some variables in states, and to compare it with others; None for 0."""
        plan, new = self.plan, set[Tensor]()
        for label, leaf in plan.choices.items():
            state = states.get(label)
            if leaf not in self.values or state != self.chosen.get(label):
                ones = np.zeros(leaf.shape, dtype=np.int64) + (state is None)
                if state is not None:
                    ones[state] = 1
                self.values[leaf] = self.semiring.evaluate(ones, 1)
                new.add(leaf)
        self.chosen = dict(states)
        for tensor in plan.bound:
            if tensor not in self.values or not new.isdisjoint(tensor.operands):
                self.values[tensor] = self._value(tensor)
                new.add(tensor)
        result = self.values[plan.result]
        if not self.semiring.possible(result):
            return None
        log_weight, weight = total_of([normalised(self.semiring, result)])
        return weight if weight is not None else sum(log_weight), (log_weight, weight)

    def _value(self, tensor: Tensor) -> T:
        if isinstance(tensor, Largest):
            return cast(T, largest_over(self.values[tensor.operand], tensor.axes))
        return value_of(self.semiring, tensor, self.values)


def _run(
    plan: BranchAndBound,
    semiring: FlowSemiring[T],
    known: Mapping[Tensor, object],
    progress: Progress,
) -> Found:
    values: Values[T] = Values(semiring)
    values |= known  # type: ignore[arg-type]
    roots = [Root(tensor, 1) for tensor, _ in plan.leaves]
    values = forward(semiring, plan.tables, roots, known=values)
    tables = {tensor: values[tensor] for tensor, _ in plan.leaves}
    values = Values(semiring)
    values |= tables
    summed = forward(semiring, plan.summing, [Root(plan.total.result, 1)], known=values)
    total = total_of([normalised(semiring, summed[plan.total.result])])
    values = Values(semiring)
    values |= tables
    states, weight = _depth_first(_Bounds(plan, semiring, values, {}), progress)
    return Found(states, weight, total)


def _depth_first(bounds: _Bounds[T], progress: Progress) -> tuple[dict[int, int], Weight]:
    """The best states, and their weight. ``waiting``: by depth, the states that are still to be
    tried, the one with the largest bound last."""
    labels, sizes = bounds.plan.branching, bounds.plan.problem.sizes
    first = bounds.at({})
    if first is None:
        raise impossible()
    if not labels:
        return {}, first[1]
    best: tuple[float, Weight, dict[int, int]] | None = None
    states: dict[int, int] = {}
    waiting = [_branches(bounds, states, labels[0], sizes[labels[0]])]
    while waiting:
        states.pop(labels[len(waiting) - 1], None)
        if not waiting[-1] or (best is not None and waiting[-1][-1][0] <= best[0]):
            waiting.pop()
            progress(1 - len(waiting) / len(labels))
            continue
        value, state, weight = waiting[-1].pop()
        states[labels[len(waiting) - 1]] = state
        if len(waiting) == len(labels):
            best = value, weight, dict(states)
        else:
            label = labels[len(waiting)]
            waiting.append(_branches(bounds, states, label, sizes[label]))
    if best is None:
        raise impossible()
    return best[2], best[1]


def _branches(
    bounds: _Bounds[T], states: Mapping[int, int], label: int, size: int
) -> list[tuple[float, int, Weight]]:
    """The states of a variable that are possible, by their bounds, the largest one last."""
    branches = []
    for state in range(size):
        bound = bounds.at({**states, label: state})
        if bound is not None:
            branches.append((bound[0], -state, bound[1]))
    return [(value, -state, weight) for value, state, weight in sorted(branches)]
