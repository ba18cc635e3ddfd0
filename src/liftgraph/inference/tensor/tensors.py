"""Tensors yet to be computed: what lifted operators do to tables, written down before it is done.

A tensor is given, or made from others by one of four operations. Its shape, and a bound on the
bits of its integers, are known at once; its entries only when it is evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from numpy.typing import NDArray

from liftgraph.inference.tensor.counting import Exponents
from liftgraph.inference.tensor.lookups import Rows

Scope = tuple[int, ...]
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tensor:
    """The base of all: ``shape`` of the entries and ``bits`` of the longest integer, at most.

    ``operator``: which lifted operator asked for it. ``work``: how many entries are computed.
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
        """How many entries are looked at to compute it."""
        return self.entries


@dataclass(frozen=True, eq=False)
class Given(Tensor):
    """The integers of a table."""

    integers: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Multinomials(Tensor):
    """In how many ways each histogram of so many individuals in so many cells comes about."""

    number: int
    cells: int

    @property
    def work(self) -> int:
        return self.entries * self.cells


@dataclass(frozen=True, eq=False)
class Product(Tensor):
    """The product of two tensors over numbered variables, summed over those not in ``out``.

    Without a ``right`` one, the left one is summed. Variables that are summed out are in both.
    """

    left: Tensor
    left_scope: Scope
    right: Tensor | None
    right_scope: Scope
    out: Scope

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.left,) if self.right is None else (self.left, self.right)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The number of values of each variable."""
        sizes = dict(zip(self.left_scope, self.left.shape, strict=True))
        if self.right is not None:
            sizes.update(zip(self.right_scope, self.right.shape, strict=True))
        return sizes

    @property
    def work(self) -> int:
        return prod(self.sizes.values())


@dataclass(frozen=True, eq=False)
class Powers(Tensor):
    """Entries raised to integers and multiplied.

    The operand's axes are put in the order ``axes`` and grouped as ``grouped``, (r, b, e); the
    exponents, (b, e, h) once they are computed, make (r, b, h) of it, and this the shape.
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


@dataclass(frozen=True, eq=False)
class Take(Tensor):
    """Entries looked up: axes in the order ``axes``, grouped as (r, m), then ``rows`` of m."""

    operand: Tensor
    axes: tuple[int, ...]
    grouped: tuple[int, int]
    rows: Rows

    @property
    def operands(self) -> tuple[Tensor, ...]:
        return (self.operand,)


@dataclass(frozen=True, eq=False)
class Root:
    """A tensor that the total weight is a product of, and how often it is."""

    tensor: Tensor
    times: int


def given(integers: NDArray[Any]) -> Given:
    """The tensor of a table's integers."""
    largest = int(integers.max(initial=1))
    return Given(integers.shape, largest.bit_length(), "given", integers)


def multinomials(number: int, cells: int, values: int) -> Multinomials:
    """The tensor of multinomial coefficients."""
    bits = number * max(cells - 1, 1).bit_length() + 1
    return Multinomials((values,), bits, "sum out a counting variable", number, cells)


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
    summed = prod([size for variable, size in sizes.items() if variable not in kept])
    bits = left.bits + (0 if right is None else right.bits) + (summed - 1).bit_length()
    shape = tuple([sizes[variable] for variable in out])
    return Product(shape, bits, operator, left, left_scope, right, right_scope, out)


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
    rows: Rows,
    shape: Shape,
) -> Take:
    """Entries of a tensor looked up."""
    return Take(shape, operand.bits, operator, operand, axes, grouped, rows)


def in_order(results: Sequence[Tensor]) -> list[Tensor]:
    """All tensors that results are made from, and the results, operands first."""
    order: dict[int, Tensor] = {}
    stack = [(each, False) for each in reversed(results)]
    while stack:
        tensor, ready = stack.pop()
        if id(tensor) in order:
            continue
        if ready or not tensor.operands:
            order[id(tensor)] = tensor
        else:
            stack.append((tensor, True))
            stack.extend((operand, False) for operand in tensor.operands)
    return list(order.values())
