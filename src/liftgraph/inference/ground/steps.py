"""What an elimination will do, step by step, and what it will cost, before it is done."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from liftgraph.inference.ground.elimination_order import elimination_order
from liftgraph.semiring import CHUNK, EXACT_COPIES, WORKING_COPIES

Scope = tuple[int, ...]
_POINTER = 8  # bytes, as many as a float has
_FEW, _LARGE = 12, 1 << 12  # so few tensors with such a product are multiplied in the best order


class BeyondMemoryError(Exception):
    """No order was found without a table that no machine could hold; names the variable."""

    def __init__(self, variable: int) -> None:
        super().__init__(variable)
        self.variable = variable


@dataclass(frozen=True, slots=True)
class Step:
    """Multiply two tensors and sum the eliminated variables out of the product.

    Tensors are numbered: first the given ones, then the result of each step. Without a ``right``
    one, the left one is multiplied by the unit table of the eliminated variables.
    """

    left: int
    right: int | None
    eliminated: Scope

    @property
    def operands(self) -> tuple[int, ...]:
        """The tensors that are multiplied."""
        return (self.left,) if self.right is None else (self.left, self.right)


@dataclass(frozen=True)
class Plan:
    """Steps that turn tensors with the given scopes into one over the kept variables.

    ``scopes``: of the given tensors, then of each step's result; ``entries``: of the same tensors.
    ``given``: how many were given. ``costs``: the multiplications of each step.
    ``sizes``: the number of states of each variable.
    """

    scopes: tuple[Scope, ...]
    entries: tuple[int, ...]
    given: int
    steps: tuple[Step, ...]
    costs: tuple[int, ...]
    sizes: Sequence[int]

    @property
    def root(self) -> int:
        """The number of the last result."""
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
        """A variable whose elimination needs the largest table, unless that is a given one."""
        step = self.entries.index(self.largest) - self.given
        later = self.steps[step:] if step >= 0 else ()
        return next((variable for each in later for variable in each.eliminated), None)


def make_plan(scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int] = ()) -> Plan:
    """Plan the elimination of every variable that is not kept.

    ``sizes``: the number of states of each variable. Precondition: a tensor covers each kept one.
    Raises ``BeyondMemoryError`` as soon as it is clear that nobody could carry it out.

    >>> plan = make_plan([(0, 1), (1, 2)], sizes=[2, 2, 2], kept=(2,))
    >>> plan.order, plan.largest, plan.scopes[-1]
    ([0, 1], 4, (2,))
    """
    draft = _Draft(scopes, sizes, kept)
    order = elimination_order(scopes, sizes, set(kept))
    if not order.feasible:
        raise BeyondMemoryError(order.variables[-1])
    for variable in order.variables:
        draft.eliminate(variable)
    draft.multiply_rest()
    return draft.plan()


class _Draft:
    """The steps so far, and which tensors are waiting for which variable."""

    def __init__(self, scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int]) -> None:
        self.scopes: list[Scope] = list(scopes) or [()]
        self.sizes = sizes
        self.kept = set(kept)
        self.given = len(self.scopes)
        self.entries = [entries(scope, sizes) for scope in self.scopes]
        self.steps: list[Step] = []
        self.costs: list[int] = []
        self.waiting: dict[int, set[int]] = {}
        self.live = set(range(self.given))
        for tensor in range(self.given):
            self._wait(tensor)

    def _wait(self, tensor: int) -> None:
        for variable in self.scopes[tensor]:
            self.waiting.setdefault(variable, set()).add(tensor)

    def eliminate(self, variable: int) -> None:
        """Multiply all tensors with this variable, smallest first, until it is summed out.

        Variables that no other tensor has go with it, so its turn may come when it is gone.
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
        together = entries(product_scope(*[self.scopes[tensor] for tensor in bucket]), self.sizes)
        if len(bucket) <= _FEW and together > _LARGE:
            self._multiply_into_small(bucket)
            return
        heap = [(self.entries[tensor], tensor) for tensor in bucket]
        heapq.heapify(heap)
        while len(heap) > 1:
            left, right = heapq.heappop(heap)[1], heapq.heappop(heap)[1]
            result = self._step(left, right, self._private(left, right))
            heapq.heappush(heap, (self.entries[result], result))

    def _multiply_into_small(self, bucket: list[int]) -> None:
        """Multiply the two tensors with the smallest product first."""
        left_over = list(bucket)
        while len(left_over) > 1:
            left, right = min(combinations(left_over, 2), key=lambda pair: self._size(*pair))
            left_over = [tensor for tensor in left_over if tensor not in (left, right)]
            left_over.append(self._step(left, right, self._private(left, right)))

    def _size(self, left: int, right: int) -> tuple[int, int]:
        """Entries of a product, before and after what is private is summed out of it."""
        joint = entries(product_scope(self.scopes[left], self.scopes[right]), self.sizes)
        return joint // entries(self._private(left, right), self.sizes), joint

    def _private(self, left: int, right: int) -> Scope:
        """The variables that are in these two tensors and in no other: now they can be summed."""
        both = {left, right}
        private = [variable for variable in self.scopes[left] if self.waiting[variable] == both]
        return tuple([variable for variable in private if variable not in self.kept])

    def _step(self, left: int, right: int | None, eliminated: Scope) -> int:
        step = Step(left, right, eliminated)
        product = product_scope(*[self.scopes[operand] for operand in step.operands])
        number = len(self.scopes)
        self.scopes.append(tuple([v for v in product if v not in eliminated]))
        self.entries.append(entries(self.scopes[number], self.sizes))
        self.costs.append(self.entries[number] * entries(eliminated, self.sizes))
        self.steps.append(step)
        self.live.difference_update(step.operands)
        self.live.add(number)
        for variable in product:
            self.waiting[variable].difference_update(step.operands)
        self._wait(number)
        return number

    def plan(self) -> Plan:
        return Plan(
            tuple(self.scopes),
            tuple(self.entries),
            self.given,
            tuple(self.steps),
            tuple(self.costs),
            self.sizes,
        )


def entries(scope: Sequence[int], sizes: Sequence[int] | Mapping[int, int]) -> int:
    """How many entries a table over these variables has."""
    return math.prod([sizes[variable] for variable in scope])


def product_scope(*scopes: Scope) -> Scope:
    """The variables of a product of tables, each once.

    >>> product_scope((3, 1), (1, 2))
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(chain.from_iterable(scopes)))


def peak_bytes(plan: Plan, entry_bytes: Sequence[int], keeping: bool) -> int:
    """The most bytes that tensors take at a time, given ones aside.

    ``entry_bytes``: of each tensor's entries. ``keeping``: whether every result is kept to the
    end, as marginals and explanations need it.
    """
    live = peak = 0
    sizes = [count * width for count, width in zip(plan.entries, entry_bytes, strict=True)]
    for number, step in enumerate(plan.steps, plan.given):
        # Long integers are not copied with the arrays that point to them.
        copied = _POINTER * sum(plan.entries[operand] for operand in step.operands)
        chunk = entry_bytes[number] * min(CHUNK, plan.costs[number - plan.given])
        made = (WORKING_COPIES if entry_bytes[number] == _POINTER else EXACT_COPIES) * sizes[number]
        peak = max(peak, live + WORKING_COPIES * copied + made + chunk)
        live += sizes[number]
        if not keeping:
            live -= sum(sizes[operand] for operand in step.operands if operand >= plan.given)
    return peak


def result_bits(plan: Plan, given_bits: Sequence[int]) -> list[int]:
    """Bounds on the bits of the integers in each tensor, from those in the given ones."""
    bits = list(given_bits)
    for step in plan.steps:
        summed = entries(step.eliminated, plan.sizes).bit_length()
        bits.append(sum(bits[operand] for operand in step.operands) + summed)
    return bits
