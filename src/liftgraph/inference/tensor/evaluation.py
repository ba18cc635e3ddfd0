"""Forwards: computing tensors from their operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from liftgraph.inference.tensor.contraction import arrangement, shape_of
from liftgraph.inference.tensor.convolution import convolved
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.inference.tensor.tensors import (
    Convolution,
    Given,
    Multinomials,
    Powers,
    Product,
    Root,
    Take,
    Tensor,
    last_uses,
)
from liftgraph.model.plans import Progress
from liftgraph.semiring import EXACT, Arrangement, Objects, Semiring

T = TypeVar("T")
_OFTEN = 1 << 16  # the logarithm of a weight with fewer equal factors has digits enough


class Values(dict[Tensor, T]):
    """The values of tensors in a semiring.

    ``integers``: values that stayed exact so far, for instance in log space, so that powers have
    no rounding errors to multiply. They are converted on demand. ``powers``: to which the entries
    of a tensor are raised later, if they are.
    """

    def __init__(self, semiring: Semiring[T]) -> None:
        super().__init__()
        self.semiring = semiring
        self.integers: dict[Tensor, Objects] = {}
        self.powers: dict[Tensor, int] = {}

    def __missing__(self, tensor: Tensor) -> T:
        semiring = self.semiring.before(self.powers.get(tensor, 1))
        value = self[tensor] = semiring.convert(self.integers[tensor])
        return value

    def to_be_raised(self, tensor: Tensor, power: int) -> T:
        """The value of a tensor, with enough digits to raise it to this power."""
        if tensor in self.integers:
            semiring = self.semiring.before(self.powers.get(tensor, 1))
            return semiring.convert(self.integers[tensor], power)
        return self[tensor]

    def forget(self, tensor: Tensor) -> None:
        """Drop a value that is no longer needed."""
        self.pop(tensor, None)
        if self.integers:
            self.integers.pop(tensor, None)


def forward(
    semiring: Semiring[T],
    order: Sequence[Tensor],
    roots: Iterable[Root],
    *,
    known: Values[T] | None = None,
    keeping: bool = False,
    progress: Progress = lambda done: None,
) -> Values[T]:
    """The values of tensors: of all if ``keeping``, otherwise only those of the roots.

    Precondition: ``order`` lists operands before what is made from them; it leaves out those
    whose value is ``known``. The new values are added to ``known``.
    """
    values = Values(semiring) if known is None else known
    exact = Values(EXACT)
    values.integers = exact
    last_use = {} if keeping else last_uses(order)
    roots = list(roots)
    for root in roots:
        last_use.pop(root.tensor, None)
    powers = values.powers = powers_to_come(order, roots)
    work = [tensor.work for tensor in order]
    done, total = 0, max(sum(work), 1)
    for tensor, entries in zip(order, work, strict=True):
        if tensor not in powers:
            values[tensor] = value_of(semiring, tensor, values)
        elif _stays_exact(semiring, tensor, values, powers[tensor]):
            exact[tensor] = value_of(EXACT, tensor, exact)
        else:
            values[tensor] = value_of(semiring.before(powers[tensor]), tensor, values)
        if last_use:
            for operand in tensor.operands:
                if last_use.get(operand) is tensor:
                    values.forget(operand)
        done += entries
        progress(done / total)
    return values


def powers_to_come(order: Sequence[Tensor], roots: Iterable[Root] = ()) -> dict[Tensor, int]:
    """The highest power to which the entries of each tensor are raised later, if any."""
    powers = {root.tensor: root.times for root in roots if root.times > _OFTEN}
    if not powers and all(type(tensor) is not Powers for tensor in order):
        return powers
    for tensor in reversed(order):
        raised = tensor.exponents.total if isinstance(tensor, Powers) else 0
        later = powers.get(tensor)
        if raised or later:
            for operand in tensor.operands:
                power = (later or 1) * (raised or 1)
                powers[operand] = max(powers.get(operand, 1), power)
    return powers


def _stays_exact(semiring: Semiring[T], tensor: Tensor, values: Values[T], power: int) -> bool:
    exact_so_far = all(operand in values.integers for operand in tensor.operands)
    return exact_so_far and semiring.stays_exact(tensor.bits * tensor.work, power)


def value_of(semiring: Semiring[T], tensor: Tensor, values: Values[T]) -> T:
    """The value of a tensor, from those of its operands."""
    match tensor:
        case Product():
            how = tensor.arrangements.get("forward") or _forward_arrangement(tensor)
            return semiring.contract(values[tensor.left], right_side(semiring, tensor, values), how)
        case Convolution():
            return convolved(semiring, tensor, values)
        case Given():
            return semiring.evaluate(tensor.integers, tensor.bits)
        case Multinomials():
            return semiring.multinomials(cell_counts(tensor.individuals, tensor.cells))
        case Powers():
            value = values.to_be_raised(tensor.operand, tensor.exponents.total)
            grouped = semiring.arrange(value, tensor.axes, tensor.grouped)
            raised = semiring.powers(grouped, tensor.exponents.array())
            return semiring.arrange(raised, (0, 1, 2), tensor.shape)
        case Take():
            grouped = semiring.arrange(values[tensor.operand], tensor.axes, tensor.grouped)
            taken = semiring.take(grouped, tensor.lookup.array())
            return semiring.arrange(taken, (0, 1), tensor.shape)
    raise TypeError(tensor)


def _forward_arrangement(tensor: Product) -> Arrangement:
    how = arrangement(tensor.left_scope, tensor.right_scope, tensor.out, tensor.sizes)
    tensor.arrangements["forward"] = how
    return how


def right_side(semiring: Semiring[T], tensor: Product, values: Values[T]) -> T:
    """What the left operand of a product is multiplied with: ones if it is only summed."""
    if tensor.right is not None:
        return values[tensor.right]
    return semiring.unit(shape_of(tensor.summed, tensor.sizes))
