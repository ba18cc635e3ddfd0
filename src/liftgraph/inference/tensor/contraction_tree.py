"""How tables are contracted to one, two at a time, and what that will cost, before it runs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple

from liftgraph.inference.tensor.elimination_order import elimination_order
from liftgraph.inference.tensor.tensors import Scope, entries

_FEW, _LARGE = 12, 1 << 12  # up to 12 tensors with a product this large get a better order


class BeyondMemoryError(Exception):
    """No order was found without a table that no machine could hold; names the variable."""

    def __init__(self, variable: int) -> None:
        super().__init__(variable)
        self.variable = variable


class Contraction(NamedTuple):
    """Multiply two tensors and sum the eliminated variables out of the product.

    Tensors are numbered: first the leaves, then the result of each step. Without a ``right``
    tensor, the left one is multiplied by the unit table of the eliminated variables.
    """

    left: int
    right: int | None
    eliminated: Scope

    @property
    def operands(self) -> tuple[int, ...]:
        """The tensors that are multiplied."""
        return (self.left,) if self.right is None else (self.left, self.right)


@dataclass(frozen=True)
class ContractionTree:
    """Contractions that turn tensors over variables into one over the kept variables.

    ``scopes``: those of the leaves, then of each step's result; ``entries``: how many each of
    these tensors has. ``leaves``: how many there are. ``costs``: the multiplications of each step.
    ``sizes``: the number of states of each variable.
    """

    scopes: tuple[Scope, ...]
    entries: tuple[int, ...]
    leaves: int
    steps: tuple[Contraction, ...]
    costs: tuple[int, ...]
    sizes: Sequence[int]

    @property
    def root(self) -> int:
        """The index of the last result."""
        return len(self.scopes) - 1

    @property
    def order(self) -> list[int]:
        """The variables in the order of their elimination."""
        return [variable for step in self.steps for variable in step.eliminated]

    @property
    def largest(self) -> int:
        """Entries of the largest table."""
        return max(self.entries)

    @property
    def operations(self) -> int:
        """Multiplications in all."""
        return sum(self.costs)

    @property
    def forcing(self) -> int | None:
        """A variable whose elimination needs the largest table, unless that is a leaf."""
        step = self.entries.index(self.largest) - self.leaves
        later = self.steps[step:] if step >= 0 else ()
        gone = (variable for contraction in later for variable in contraction.eliminated)
        return next(gone, None)


def contraction_tree(
    scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int] = ()
) -> ContractionTree:
    """Plan the elimination of every variable that is not kept, in a good order.

    ``sizes``: the number of states of each variable. Precondition: a tensor covers each kept one.
    Raises ``BeyondMemoryError`` as soon as a table is too large for any machine.

    >>> tree = contraction_tree([(0, 1), (1, 2)], sizes=[2, 2, 2], kept=(2,))
    >>> tree.order, tree.largest, tree.scopes[-1]
    ([0, 1], 4, (2,))
    """
    draft = _Draft(scopes, sizes, kept)
    order = elimination_order(scopes, sizes, set(kept))
    if not order.feasible:
        raise BeyondMemoryError(order.variables[-1])
    for variable in order.variables:
        draft.eliminate(variable)
    draft.multiply_rest()
    return draft.tree()


class _Draft:
    """The steps so far, and which tensors are waiting for which variable."""

    def __init__(self, scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int]) -> None:
        self.scopes: list[Scope] = list(scopes) or [()]
        self.sizes = sizes
        self.kept = set(kept)
        self.leaves = len(self.scopes)
        self.entries = [entries(scope, sizes) for scope in self.scopes]
        self.steps: list[Contraction] = []
        self.costs: list[int] = []
        self.waiting: dict[int, set[int]] = {}
        self.live = set(range(self.leaves))
        for tensor in range(self.leaves):
            self._wait(tensor)

    def _wait(self, tensor: int) -> None:
        for variable in self.scopes[tensor]:
            self.waiting.setdefault(variable, set()).add(tensor)

    def eliminate(self, variable: int) -> None:
        """Multiply all tensors with this variable, smallest first, until it is summed out.

        Variables that no other tensor has are summed out with it; so it may be gone already.
        """
        bucket = sorted(self.waiting[variable])
        if len(bucket) == 1:
            self._step(bucket[0], None, (variable,))
        else:
            self._multiply(bucket)

    def multiply_rest(self) -> None:
        """Multiply what is left, over kept variables only."""
        self._multiply(sorted(self.live))

    def _multiply(self, bucket: list[int]) -> None:
        """Multiply tensors two by two until one is left."""
        if len(bucket) <= _FEW and self._is_large(bucket):
            self._multiply_into_small(bucket)
            return
        heap = [(self.entries[tensor], tensor) for tensor in bucket]
        heapq.heapify(heap)
        while len(heap) > 1:
            left, right = heapq.heappop(heap)[1], heapq.heappop(heap)[1]
            result = self._step(left, right, self._private(left, right))
            heapq.heappush(heap, (self.entries[result], result))

    def _is_large(self, bucket: list[int]) -> bool:
        """Whether the product of tensors is large; it is largest if they share no variable."""
        if math.prod([self.entries[tensor] for tensor in bucket]) <= _LARGE:
            return False
        together = product_scope(*[self.scopes[tensor] for tensor in bucket])
        return entries(together, self.sizes) > _LARGE

    def _multiply_into_small(self, bucket: list[int]) -> None:
        """Multiply the two tensors with the smallest product first."""
        left_over = list(bucket)
        while len(left_over) > 1:
            left, right = min(combinations(left_over, 2), key=lambda pair: self._size(*pair))
            left_over = [tensor for tensor in left_over if tensor not in (left, right)]
            left_over.append(self._step(left, right, self._private(left, right)))

    def _size(self, left: int, right: int) -> tuple[int, int]:
        """The entries of a product, before and after its private variables are summed out."""
        joint = entries(product_scope(self.scopes[left], self.scopes[right]), self.sizes)
        return joint // entries(self._private(left, right), self.sizes), joint

    def _private(self, left: int, right: int) -> Scope:
        """The variables that are in these two tensors and in no other: they can be summed."""
        both = {left, right}
        private = [variable for variable in self.scopes[left] if self.waiting[variable] == both]
        return tuple([variable for variable in private if variable not in self.kept])

    def _step(self, left: int, right: int | None, eliminated: Scope) -> int:
        step = Contraction(left, right, eliminated)
        product = self.scopes[left]
        if right is not None:
            product = product_scope(product, self.scopes[right])
        result = len(self.scopes)
        scope = tuple([v for v in product if v not in eliminated]) if eliminated else product
        self.scopes.append(scope)
        self.entries.append(entries(scope, self.sizes))
        self.costs.append(self.entries[result] * entries(eliminated, self.sizes))
        self.steps.append(step)
        operands = step.operands
        self.live.difference_update(operands)
        self.live.add(result)
        for variable in product:
            self.waiting[variable].difference_update(operands)
        for variable in scope:
            self.waiting[variable].add(result)
        return result

    def tree(self) -> ContractionTree:
        return ContractionTree(
            tuple(self.scopes),
            tuple(self.entries),
            self.leaves,
            tuple(self.steps),
            tuple(self.costs),
            self.sizes,
        )


def product_scope(*scopes: Scope) -> Scope:
    """The variables of a product of tables, each once.

    >>> product_scope((3, 1), (1, 2))
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(chain.from_iterable(scopes)))
