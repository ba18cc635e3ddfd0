"""Upper bounds of the weights of joint states: maxima for asked variables, sums for all others.

In any order of elimination the result is at least the maximum of the sums: a sum of maxima is at
least the maximum of the sum (Park and Darwiche 2003). The fewer sums come after maxima, the tighter
is the bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import numpy as np

from liftgraph.inference.joint_states.problem import Problem, Weight, total_of
from liftgraph.inference.normalising import normalised
from liftgraph.inference.tensor.contraction_tree import (
    ContractionTree,
    contraction_tree,
    tree_of,
)
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.evaluation import Values, value_of
from liftgraph.inference.tensor.sweeps import neighbour_sets
from liftgraph.inference.tensor.tensors import Scope, Tensor, entries, product_of
from liftgraph.semiring import FlowSemiring
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
class UpperBound:
    """The operations that make an upper bound out of tables, along a tree.

    ``choices``: for each asked variable a table of ones, or of a one for the state it is in.
    """

    tree: ContractionTree
    choices: Mapping[int, Tensor]
    operations: Sequence[Tensor]
    result: Tensor


def upper_bound(
    problem: Problem, tables: Sequence[Tensor], asked: Sequence[int], search: Search, widest: int
) -> UpperBound:
    """Plan an upper bound; raises ``BeyondMemoryError`` as ``contraction_tree`` does.

    ``widest``: how many entries the products of sums may have that come before maxima, for a
    tighter bound, however small other products are; with 0, no sum is preferred.
    """
    sizes = [problem.sizes[label] for label in range(len(problem.sizes))]
    choices = {label: Tensor((sizes[label],), 1, "choose") for label in asked}
    scopes = [*problem.scopes, *[(label,) for label in choices]]
    tree = contraction_tree(scopes, sizes, (), search)
    if widest:
        most = max(tree.largest, widest)
        late = tree_of(late_maxima(scopes, sizes, problem.asked, most), scopes, sizes)
        tree = late if late.largest <= 2 * most else tree
    operations, result = _mixed(tree, [*tables, *choices.values()], problem.asked)
    return UpperBound(tree, choices, operations, result)


def late_maxima(
    scopes: Sequence[Scope], sizes: Sequence[int], asked: frozenset[int], widest: int
) -> list[int]:
    """An order in which sums come before maxima as long as products have few entries: the fewer
    maxima come before sums, the tighter is the bound.

    ``widest``: how many entries the product of a sum may have; if all of them have more, whatever
    has the smallest product comes next.

    >>> late_maxima([(0, 1), (1, 2), (2, 3)], [2, 2, 2, 2], frozenset({0, 3}), 100)
    [1, 2, 0, 3]
    """
    around = neighbour_sets(scopes)
    size = {v: entries([v, *near], sizes) for v, near in around.items()}
    order: list[int] = []
    while size:
        sums = [v for v in size if v not in asked and size[v] <= widest]
        variable = min(sums or size, key=size.__getitem__)
        order.append(variable)
        del size[variable]
        near = around.pop(variable)
        for other in near:
            around[other] = (around[other] | near) - {other, variable}
            size[other] = entries([other, *around[other]], sizes)
    return order


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


@dataclass
class UpperBounds(Generic[T]):
    """Upper bounds for variables in given states: what these do not change is not computed again.

    ``chosen``: the states that the ``values`` are for.
    """

    plan: UpperBound
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
        for tensor in plan.operations:
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
