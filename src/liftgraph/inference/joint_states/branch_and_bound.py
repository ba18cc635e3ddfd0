"""Branch and bound for a most probable joint state, where sums before maxima take too much memory.

With all asked variables in given states there is nothing to maximise, and an upper bound is their
weight (Park and Darwiche 2003). So variables are put into states one after the other, the most
promising states first; states whose bound does not exceed the best weight so far are left out. What
is found in the end is exact. It takes the memory of one elimination, and in the worst case the time
of as many as there are joint states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import TypeVar

from liftgraph.display import format_count
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.joint_states.problem import (
    Found,
    Problem,
    Weight,
    copy_bytes,
    summing,
    total_of,
    whole,
)
from liftgraph.inference.joint_states.upper_bounds import UpperBound, UpperBounds, upper_bound
from liftgraph.inference.normalising import normalised
from liftgraph.inference.tensor.contraction_tree import (
    ContractionTree,
    contraction_tree,
)
from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.memory import peak_bytes
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import (
    Root,
    Tensor,
    in_order,
)
from liftgraph.model.plans import Progress
from liftgraph.semiring import FlowSemiring

T = TypeVar("T")
_WIDE = 1 << 14  # entries of products that are computed for a tighter bound, however small others


@dataclass(frozen=True)
class BranchAndBound:
    """How bounds are computed, and in which order variables are put into states.

    ``total``: the section whose result is the weight of all joint states. ``branching``: the asked
    variables, first those before whose maxima the most sums should have come. ``leaves``: the
    tables that it all starts from, and which of the problem's each of them is.
    """

    problem: Problem
    total: Section
    bound: UpperBound
    branching: Sequence[int]
    leaves: Sequence[tuple[Tensor, int]]

    @property
    def work(self) -> int:
        """How many multiplications it takes if no state has to be taken back."""
        branches = sum([self.problem.sizes[label] for label in self.branching])
        return self.total.work + (1 + branches) * sum(
            [tensor.work for tensor in self.bound.operations]
        )

    @property
    def largest(self) -> int:
        """Entries of the largest table."""
        return max([self.total.largest, *(tensor.entries for tensor in self.bound.operations)])

    @property
    def forcing(self) -> int | None:
        """A variable whose elimination needs the largest table, unless that is given."""
        return self.bound.tree.forcing

    @property
    def how(self) -> str:
        """What is done, in a few words."""
        joint = prod([self.problem.sizes[label] for label in self.branching])
        return f"branch and bound among {format_count(joint)} joint states"

    @property
    def steps(self) -> int:
        """How many products are made for a bound."""
        return len(self.bound.operations)

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
        bound = peak_bytes(list(self.bound.operations), exact=exact, keeping=True)
        kept = sum([copy_bytes(tensor, exact) for tensor, _ in self.leaves])
        return max(made, kept + max(peak_bytes(self.summing, exact=exact), bound))

    def run(self, exact: bool, known: Mapping[Tensor, object], progress: Progress) -> Found:
        """A most probable joint state. ``known``: the values of tables that are given by them."""
        return _run(self, summing(exact), known, progress)


def branch_and_bound(
    problem: Problem, search: Search = EVERYTHING, widest: int = _WIDE
) -> BranchAndBound:
    """Plan a search; raises ``BeyondMemoryError`` as ``contraction_tree`` does, with a label.

    ``widest``: how many entries the products of sums may have that come before maxima, for a
    tighter bound, however small other products are; with 0, no sum is preferred.
    """
    tables = [whole(table) for table in problem.tables]
    sizes = [problem.sizes[label] for label in range(len(problem.sizes))]
    asked = sorted(problem.asked.intersection(chain.from_iterable(problem.scopes)))
    ways = {label: problem.ways[label] for label in asked if label in problem.ways}
    single = [(label,) for label in ways]
    total_tree = contraction_tree([*problem.scopes, *single], sizes, (), search)
    total = section(total_tree, range(len(sizes)), [*tables, *ways.values()])
    bound = upper_bound(problem, tables, asked, search, widest)
    above = _sums_above(bound.tree, problem.asked)
    branching = sorted(asked, key=lambda label: (-above[label], label))
    leaves = [(table, index) for index, table in enumerate(tables)]
    return BranchAndBound(problem, total, bound, branching, leaves)


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
    states, weight = _depth_first(plan, UpperBounds(plan.bound, semiring, values, {}), progress)
    return Found(states, weight, total)


def _depth_first(
    plan: BranchAndBound, bounds: UpperBounds[T], progress: Progress
) -> tuple[dict[int, int], Weight]:
    """The best states, and their weight. ``waiting``: by depth, the states that are still to be
    tried, the one with the largest bound last."""
    labels, sizes = plan.branching, plan.problem.sizes
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
    bounds: UpperBounds[T], states: Mapping[int, int], label: int, size: int
) -> list[tuple[float, int, Weight]]:
    """The states of a variable that are possible, by their bounds, the largest one last."""
    branches = []
    for state in range(size):
        bound = bounds.at({**states, label: state})
        if bound is not None:
            branches.append((bound[0], -state, bound[1]))
    return [(value, -state, weight) for value, state, weight in sorted(branches)]
