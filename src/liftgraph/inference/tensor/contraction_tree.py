"""How tables are contracted to one, two at a time, and what that will cost, before it runs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple

from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search, elimination_order
from liftgraph.inference.tensor.interaction_graph import entry_counter
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
    scopes: Sequence[Scope],
    sizes: Sequence[int],
    kept: Sequence[int] = (),
    search: Search = EVERYTHING,
    guide: tuple[Sequence[Scope], Sequence[int]] | None = None,
) -> ContractionTree:
    """Plan the elimination of every variable that is not kept, in a good order.

    ``sizes``: the number of states of each variable. Precondition: a tensor covers each kept one.
    ``search``: how long to look for an order; ``guide``: the scopes and sizes to compare orders by,
    if they are others. Raises ``BeyondMemoryError`` where tables pass by far
    what memory can hold, or are too large for any machine.

    >>> tree = contraction_tree([(0, 1), (1, 2)], sizes=[2, 2, 2], kept=(2,))
    >>> tree.order, tree.largest, tree.scopes[-1]
    ([0, 1], 4, (2,))
    """
    compared, weighed = (scopes, sizes) if guide is None else guide
    order = elimination_order(list(filter(None, compared)), weighed, kept, search)
    if not order.feasible:
        raise BeyondMemoryError(order.variables[-1])
    return tree_of(order.variables, scopes, sizes, kept)


def tree_of(
    order: Sequence[int], scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int] = ()
) -> ContractionTree:
    """The contractions that eliminate variables in an order.

    The tensors of a variable are multiplied two by two. Whatever only two of them have is summed
    out with their product, also if its turn would come later.

    >>> [step.eliminated for step in tree_of([0, 1], [(0, 1), (0, 1, 2)], [2, 2, 2], [2]).steps]
    [(0, 1)]
    """
    draft = _Draft(order, scopes, sizes, kept)
    for place in range(len(order)):
        draft.eliminate(place)
    draft.multiply(draft.buckets[-1])
    return ContractionTree(
        tuple(draft.scopes),
        tuple(draft.entries),
        draft.leaves,
        tuple(draft.steps),
        tuple(draft.costs),
        sizes,
    )


class _Draft:
    """The steps so far, and the tensors that wait for each place of the order.

    A tensor waits for the first of its variables; those over kept variables wait for the end.
    ``holders``: how many tensors have each variable; kept ones have one more, which never goes.
    """

    def __init__(
        self,
        order: Sequence[int],
        scopes: Sequence[Scope],
        sizes: Sequence[int],
        kept: Sequence[int],
    ) -> None:
        self.order, self.sizes = order, sizes
        self.scopes: list[Scope] = list(scopes) or [()]
        self.leaves = len(self.scopes)
        self.entries = [entries(scope, sizes) for scope in self.scopes]
        self.steps: list[Contraction] = []
        self.costs: list[int] = []
        self.place = {variable: place for place, variable in enumerate(order)}
        self.holders = dict.fromkeys(order, 0) | dict.fromkeys(kept, 1)
        self.place.update(dict.fromkeys(kept, len(order)))
        self.buckets: list[list[int]] = [[] for _ in range(len(order) + 1)]
        for tensor, scope in enumerate(self.scopes):
            for variable in scope:
                self.holders[variable] += 1
            self._wait(tensor)

    def _wait(self, tensor: int) -> None:
        places = map(self.place.__getitem__, self.scopes[tensor])
        self.buckets[min(places, default=-1)].append(tensor)

    def eliminate(self, place: int) -> None:
        """Multiply the tensors that wait for a place, smallest first, until one is left.

        There are none if the variable was summed out with an earlier one.
        """
        bucket = self.buckets[place]
        if not bucket:
            return
        variable = self.order[place]
        tensor = self.multiply(bucket) if len(bucket) > 1 else bucket[0]
        if variable in self.scopes[tensor]:
            tensor = self._sum_out(tensor, variable)
        self._wait(tensor)

    def multiply(self, bucket: list[int]) -> int:
        """Multiply tensors two by two until one is left; returns that."""
        if len(bucket) == 2:
            return self._multiply_two(*sorted(bucket, key=self.entries.__getitem__))
        if 2 < len(bucket) <= _FEW and self._is_large(bucket):
            return self._multiply_into_small(bucket)
        queue = [(self.entries[tensor], tensor) for tensor in bucket]
        heapq.heapify(queue)
        while len(queue) > 1:
            left, right = heapq.heappop(queue)[1], heapq.heappop(queue)[1]
            result = self._multiply_two(left, right)
            heapq.heappush(queue, (self.entries[result], result))
        return queue[0][1]

    def _is_large(self, bucket: list[int]) -> bool:
        """Whether the product of tensors is large; it is largest if they share no variable."""
        if math.prod([self.entries[tensor] for tensor in bucket]) <= _LARGE:
            return False
        together = product_scope(*[self.scopes[tensor] for tensor in bucket])
        return entries(together, self.sizes) > _LARGE

    def _multiply_into_small(self, bucket: Iterable[int]) -> int:
        """Multiply the two tensors with the smallest result first, then with fewest products."""
        left_over = {tensor: self.scopes[tensor] for tensor in bucket}
        local = {v: 1 << n for n, v in enumerate(product_scope(*left_over.values()))}
        count = entry_counter([self.sizes[variable] for variable in local])
        bits = {tensor: sum([local[v] for v in scope]) for tensor, scope in left_over.items()}
        while len(bits) > 1:
            in_two = sum([bit for v, bit in local.items() if self.holders[v] == 2])
            pairs = [
                (bits[a] | bits[b], bits[a] & bits[b] & in_two, a, b)
                for a, b in combinations(bits, 2)
            ]
            left, right = min(pairs, key=lambda pair: (count(pair[0] ^ pair[1]), count(pair[0])))[
                2:
            ]
            result = self._multiply_two(left, right)
            del bits[left], bits[right]
            bits[result] = sum([local[variable] for variable in self.scopes[result]])
        return next(iter(bits))

    def _multiply_two(self, left: int, right: int) -> int:
        """The product of two tensors, less the variables that no other tensor has."""
        holders = self.holders
        left_scope, right_scope = self.scopes[left], self.scopes[right]
        shared_size = 1
        eliminated: list[int] = []
        new: list[int] = []
        for variable in right_scope:
            if variable not in left_scope:
                new.append(variable)
                continue
            shared_size *= self.sizes[variable]
            holders[variable] = others = holders[variable] - 1
            if others == 1:
                eliminated.append(variable)
        scope = left_scope
        if eliminated:
            scope = tuple([variable for variable in left_scope if variable not in eliminated])
            if len(eliminated) > 1:  # in the order of the left scope
                eliminated = [variable for variable in left_scope if variable in eliminated]
        cost = self.entries[left] * self.entries[right] // shared_size
        return self._step(Contraction(left, right, tuple(eliminated)), (*scope, *new), cost)

    def _sum_out(self, tensor: int, variable: int) -> int:
        scope = tuple([other for other in self.scopes[tensor] if other != variable])
        return self._step(Contraction(tensor, None, (variable,)), scope, self.entries[tensor])

    def _step(self, step: Contraction, scope: Scope, cost: int) -> int:
        """Note a step; returns the tensor it makes. ``cost``: its multiplications."""
        self.scopes.append(scope)
        gone = step.eliminated
        self.entries.append(cost // entries(gone, self.sizes) if gone else cost)
        self.costs.append(cost)
        self.steps.append(step)
        return len(self.scopes) - 1


def product_scope(*scopes: Scope) -> Scope:
    """The variables of a product of tables, each once.

    >>> product_scope((3, 1), (1, 2))
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(chain.from_iterable(scopes)))
