"""Tensors yet to be computed: what elimination does to tables, written down before it runs.

A tensor is given, or made from others by one of four operations. Its shape, and a bound on the
bits of its integers, are known at once; its entries only when it is evaluated. Tensors are equal
only to themselves, so they are the keys of what is known of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from numpy.typing import NDArray

from liftgraph.inference.tensor.counting import Exponents
from liftgraph.inference.tensor.lookups import Lookup
from liftgraph.semiring import Arrangement

Scope = tuple[int, ...]
Shape = tuple[int, ...]
Sizes = Sequence[int] | Mapping[int, int]  # the number of values of each variable, by its label


@dataclass(eq=False, slots=True)
class Tensor:
    """The base class: ``shape`` of the entries and a bound on the ``bits`` of the longest integer.

    ``operator``: the operator that it belongs to.
    """

    shape: Shape
    bits: int
    operator: str

    @property
    def operands(self) -> tuple[Tensor, ...]:
        """What it is made from."""
        return ()

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return prod(self.shape)

    @property
    def work(self) -> int:
        """How many entries are read to compute it."""
        return self.entries


@dataclass(eq=False, slots=True)
class Given(Tensor):
    """The integers of a table."""

    integers: NDArray[Any]


@dataclass(eq=False, slots=True)
class Adding(Tensor):
    """One where the indices of the first two axes add up to that of the third, zero elsewhere.

    It is never evaluated: convolutions take its place.
    """


@dataclass(eq=False, slots=True)
class Multinomials(Tensor):
    """In how many ways each histogram of these individuals in these cells can occur."""

    individuals: int
    cells: int

    @property
    def work(self) -> int:
        return self.entries * self.cells


@dataclass(eq=False, slots=True)
class Product(Tensor):
    """The product of two tensors over labelled variables, with the ``summed`` ones summed out.

    Without a ``right`` tensor, the left one is summed. Variables that are summed out are in both.
    ``out``: the variables of the result; ``sizes``: the number of values of each variable.
    ``products``: how many are summed. ``arrangements``: how it, and the adjoint of each operand,
    is computed, once that is known.
    """

    left: Tensor
    left_scope: Scope
    right: Tensor | None
    right_scope: Scope
    out: Scope
    summed: Scope
    sizes: Sizes
    products: int
    arrangements: dict[str, Arrangement] = field(default_factory=dict, repr=False)

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.left,) if self.right is None else (self.left, self.right)

    @property
    def work(self) -> int:
        return self.products


@dataclass(eq=False, slots=True)
class Convolution(Tensor):
    """The product of two tensors, summed over all values of two variables with each sum; or with
    each difference, ``subtracts``.

    ``summed``: the two variables, of the left and of the right tensor. ``out`` ends with their sum,
    or with what the first is more than the second. It begins with the variables that both tensors
    have, then has those of the right one, then those of the left one. ``sizes``: the number of
    values of each variable.
    """

    left: Tensor
    left_scope: Scope
    right: Tensor
    right_scope: Scope
    out: Scope
    sizes: Sizes
    summed: Scope
    subtracts: bool = False

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.left, self.right)

    @property
    def work(self) -> int:
        return self.entries * min([self.sizes[variable] for variable in self.summed])


@dataclass(eq=False, slots=True)
class Powers(Tensor):
    """Entries raised to integers and multiplied.

    The operand's axes are put in the order ``axes`` and grouped as ``grouped``, (r, b, e); the
    exponents, (b, e, h), turn this into (r, b, h), which is reshaped to ``shape``.
    """

    operand: Tensor
    axes: tuple[int, ...]
    grouped: tuple[int, int, int]
    exponents: Exponents

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.operand,)

    @property
    def work(self) -> int:
        return self.entries * self.grouped[2]


@dataclass(eq=False, slots=True)
class Take(Tensor):
    """Entries looked up: axes in the order ``axes``, grouped as (r, m), then ``lookup`` in m."""

    operand: Tensor
    axes: tuple[int, ...]
    grouped: tuple[int, int]
    lookup: Lookup

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.operand,)


@dataclass(eq=False, slots=True)
class Root:
    """A tensor that is a factor of the total weight, and how often."""

    tensor: Tensor
    times: int


def given(integers: NDArray[Any]) -> Given:
    """The tensor of a table's integers."""
    largest = int(integers.max(initial=1))
    return Given(integers.shape, largest.bit_length(), "given", integers)


def multinomials(individuals: int, cells: int, histograms: int) -> Multinomials:
    """The tensor of multinomial coefficients."""
    bits = individuals * max(cells - 1, 1).bit_length() + 1
    operator = "sum out a counting variable"
    return Multinomials((histograms,), bits, operator, individuals, cells)


def product_of(
    operator: str,
    left: Tensor,
    left_scope: Scope,
    right: Tensor | None,
    right_scope: Scope,
    out: Scope,
) -> Product:
    """The product of tensors, summed down to some variables."""
    sizes = dict(zip(left_scope, left.shape, strict=True))
    if right is not None:
        sizes.update(zip(right_scope, right.shape, strict=True))
    kept = set(out)
    summed = tuple([label for label in sizes if label not in kept])
    scope = summed if right is None else right_scope
    bits = product_bits(left, right, summed, sizes)
    shape = tuple([sizes[label] for label in out])
    work = prod(sizes.values())
    return Product(shape, bits, operator, left, left_scope, right, scope, out, summed, sizes, work)


def product_bits(left: Tensor, right: Tensor | None, summed: Scope, sizes: Sizes) -> int:
    """A bound on the bits of a product's integers, after summing."""
    bits = left.bits if right is None else left.bits + right.bits
    return bits + (entries(summed, sizes) - 1).bit_length() if summed else bits


def entries(scope: Sequence[int], sizes: Sizes) -> int:
    """How many entries a table over these variables has."""
    return prod(map(sizes.__getitem__, scope))


def powers_of(
    operator: str,
    operand: Tensor,
    axes: tuple[int, ...],
    grouped: tuple[int, int, int],
    exponents: Exponents,
    shape: Shape,
) -> Powers:
    """The product of powers of a tensor's entries."""
    bits = operand.bits * exponents.total
    return Powers(shape, bits, operator, operand, axes, grouped, exponents)


def take_from(
    operator: str,
    operand: Tensor,
    axes: tuple[int, ...],
    grouped: tuple[int, int],
    lookup: Lookup,
    shape: Shape,
) -> Take:
    """Entries of a tensor looked up."""
    return Take(shape, operand.bits, operator, operand, axes, grouped, lookup)


def in_order(results: Sequence[Tensor]) -> list[Tensor]:
    """All tensors that results are made from, and the results, operands first."""
    order: dict[Tensor, None] = {}
    stack = [(result, False) for result in reversed(results)]
    while stack:
        tensor, ready = stack.pop()
        if tensor in order:
            continue
        if ready or not tensor.operands:
            order[tensor] = None
        else:
            stack.append((tensor, True))
            stack.extend((operand, False) for operand in tensor.operands)
    return list(order)


def last_uses(order: Sequence[Tensor]) -> dict[Tensor, Tensor]:
    """For each operand, the tensor after which it is no longer needed."""
    return {operand: tensor for tensor in order for operand in tensor.operands}


def power_bits(order: Sequence[Tensor]) -> int:
    """A bound on the bits of all integers where some are powers; 0 where none are."""
    raised = any(isinstance(tensor, Powers) for tensor in order)
    return max([tensor.bits for tensor in order]) if raised else 0
