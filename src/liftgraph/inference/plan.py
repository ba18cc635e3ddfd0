"""What an elimination will do, step by step, and what it will cost, before it is done."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from liftgraph.errors import MemoryLimitError
from liftgraph.inference.elimination_order import elimination_order

Scope = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Multiply two tensors and, if ``eliminated`` is a variable, sum it out of the product.

    Tensors are numbered: first the given ones, then the result of each step. Without a ``right``
    one, the left one is multiplied by the unit table of the eliminated variable.
    """

    left: int
    right: int | None
    eliminated: int | None


@dataclass(frozen=True)
class Plan:
    """Steps that turn tensors with the given scopes into one over the kept variables.

    ``scopes``: of the given tensors, then of each step's result. ``given``: how many were given.
    ``costs``: entries of each step's product before anything is summed out of it.
    ``sizes``: the number of states of each variable.
    """

    scopes: tuple[Scope, ...]
    given: int
    steps: tuple[Step, ...]
    costs: tuple[int, ...]
    sizes: Sequence[int]

    @property
    def largest(self) -> int:
        """Entries of the largest product."""
        return max(self.costs, default=1)

    @property
    def operations(self) -> int:
        """Entries of all products."""
        return sum(self.costs)

    @property
    def forcing(self) -> int | None:
        """The variable whose elimination needs the largest product, if it is one."""
        return self.steps[self.costs.index(self.largest)].eliminated if self.costs else None

    @property
    def order(self) -> list[int]:
        """The variables in the order of their elimination."""
        return [step.eliminated for step in self.steps if step.eliminated is not None]


def make_plan(scopes: Sequence[Scope], sizes: Sequence[int], kept: Sequence[int] = ()) -> Plan:
    """Plan the elimination of every variable that is not kept.

    ``sizes``: the number of states of each variable. Precondition: a tensor covers each kept one.

    >>> plan = make_plan([(0, 1), (1, 2)], sizes=[2, 2, 2], kept=(2,))
    >>> plan.order, plan.largest, plan.scopes[-1]
    ([0, 1], 4, (2,))
    """
    draft = _Draft(scopes, sizes)
    for variable in elimination_order(scopes, sizes, set(kept)).variables:
        draft.eliminate(variable)
    draft.multiply_rest()
    return draft.plan()


class _Draft:
    """The steps so far, and which tensors are waiting for which variable."""

    def __init__(self, scopes: Sequence[Scope], sizes: Sequence[int]) -> None:
        self.scopes: list[Scope] = list(scopes) or [()]
        self.sizes = sizes
        self.given = len(self.scopes)
        self.steps: list[Step] = []
        self.costs: list[int] = []
        self.waiting: dict[int, set[int]] = {}
        self.live: set[int] = set()
        for tensor in range(self.given):
            self._add(tensor)

    def _add(self, tensor: int) -> None:
        self.live.add(tensor)
        for variable in self.scopes[tensor]:
            self.waiting.setdefault(variable, set()).add(tensor)

    def _remove(self, tensor: int) -> None:
        self.live.discard(tensor)
        for variable in self.scopes[tensor]:
            self.waiting[variable].discard(tensor)

    def eliminate(self, variable: int) -> None:
        """Multiply all tensors with this variable, smallest first, and sum it out at the end."""
        bucket = sorted(self.waiting[variable])
        if len(bucket) == 1:
            self._step(bucket[0], None, variable)
        else:
            self._multiply(bucket, variable)

    def multiply_rest(self) -> None:
        """Multiply what is left, over kept variables only."""
        self._multiply(sorted(self.live), None)

    def _multiply(self, bucket: list[int], eliminated: int | None) -> None:
        heap = [(self._entries(self.scopes[tensor]), tensor) for tensor in bucket]
        heapq.heapify(heap)
        while len(heap) > 1:
            left, right = heapq.heappop(heap)[1], heapq.heappop(heap)[1]
            last = not heap
            result = self._step(left, right, eliminated if last else None)
            heapq.heappush(heap, (self._entries(self.scopes[result]), result))

    def _step(self, left: int, right: int | None, eliminated: int | None) -> int:
        a = self.scopes[left]
        b = () if right is None else self.scopes[right]
        scope = tuple([variable for variable in product_scope(a, b) if variable != eliminated])
        self._remove(left)
        if right is not None:
            self._remove(right)
        self.scopes.append(scope)
        self.steps.append(Step(left, right, eliminated))
        joint = self._entries(scope)
        self.costs.append(joint if eliminated is None else joint * self.sizes[eliminated])
        self._add(len(self.scopes) - 1)
        return len(self.scopes) - 1

    def _entries(self, scope: Scope) -> int:
        return math.prod([self.sizes[variable] for variable in scope])

    def plan(self) -> Plan:
        return Plan(
            tuple(self.scopes), self.given, tuple(self.steps), tuple(self.costs), self.sizes
        )


def product_scope(a: Scope, b: Scope) -> Scope:
    """The variables of a product: those of both factors, then the others of each."""
    shared = [variable for variable in a if variable in b]
    return (*shared, *[v for v in a if v not in b], *[v for v in b if v not in a])


def peak_entries(plan: Plan, keeping: bool) -> int:
    """The most entries that exist at a time, given tensors aside.

    ``keeping``: whether every result is kept to the end, as marginals and explanations need it.
    """
    live = peak = 0
    results = [math.prod([plan.sizes[v] for v in scope]) for scope in plan.scopes]
    for number, (step, cost) in enumerate(zip(plan.steps, plan.costs, strict=True), plan.given):
        operands = [operand for operand in (step.left, step.right) if operand is not None]
        copies = sum(results[operand] for operand in operands)  # with their axes rearranged
        peak = max(peak, live + cost + results[number] + copies)
        live += results[number]
        if not keeping:
            live -= sum(results[operand] for operand in operands if operand >= plan.given)
    return peak


def require_memory(needed: int, limit: int, plan: Plan, names: Callable[[int], str]) -> None:
    """Refuse a plan that needs more bytes than allowed, naming its size and what forces it."""
    if needed > limit:
        forcing = plan.forcing
        where = "" if forcing is None else f", eliminating {names(forcing)}"
        raise MemoryLimitError(
            f"needs {format_bytes(needed)}, the limit is {format_bytes(limit)}:"
            f" the largest table has {format_count(plan.largest)} entries{where}"
        )


def format_bytes(count: int) -> str:
    """A number of bytes for people.

    >>> format_bytes(512), format_bytes(3 * 2**30 // 2), format_bytes(2**100)
    ('512 bytes', '1.5 GiB', '1.2e+18 TiB')
    """
    if count < 1024:
        return f"{count} bytes"
    power = min((count.bit_length() - 1) // 10, 4)
    size = Fraction(count, 1024**power)
    shown = f"{float(size):.1f}" if size < 10_000 else format_count(int(size))
    return f"{shown} {('KiB', 'MiB', 'GiB', 'TiB')[power - 1]}"


def format_count(count: int) -> str:
    """A whole number for people: with separators, or its magnitude if it is very large.

    >>> format_count(1234567), format_count(2**4000)
    ('1,234,567', '1.3e+1204')
    """
    return f"{count:,}" if count < 10**12 else f"{Decimal(count):.1e}"
