"""Weights of stacked parts, and what their tables' free variables are given the observed ones.

Elimination goes forward over the kinds of a stack at once, and backward once more. The derivative
of a part's weight by an entry of a table, times this entry, divided by the weight, is the
probability of the entry's states (Darwiche 2003).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.rows.stacks import Scope, Stack
from liftgraph.inference.tensor.contraction import shape_of
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError, contraction_tree
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import Product, Tensor
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.semiring.protocol import Floats, Integers
from liftgraph.semiring.rows import Rows, contract, distributions, logarithms, ones

_WIDE_BYTES = 24  # a float, its exponent, and its place in a table
_COPIES = 14  # arrays of the size of operands and result that a product takes while it is made
_AT_A_TIME = 1 << 24  # bytes that kinds computed at a time take, so that processors keep them near
Shapes = Mapping[int, Scope]  # of each table, by its source


class Lookup(NamedTuple):
    """A table of a stack. ``scope``: its free variables, by label. ``offsets``: int64, an axis for
    each of them: what their states add to the place in the flat table. ``slots``: those of its
    other axes, each with what the next state adds.
    """

    source: int
    scope: Scope
    offsets: Integers
    slots: Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class StackPlan:
    """How a stack is eliminated. ``lookups``: of its tables, which are the first tensors of the
    ``section``."""

    stack: Stack
    lookups: list[Lookup]
    section: Section

    @cached_property
    def kind_bytes(self) -> int:
        """A bound on the bytes that a kind takes."""
        kept = sum([tensor.entries for tensor in self.section.tensors])
        products = [p.entries + sum([o.entries for o in p.operands]) for p in self.section.products]
        return _WIDE_BYTES * (2 * kept + _COPIES * max(products, default=kept))

    def places(self, lookup: Lookup, kinds: slice) -> Integers:
        """The places of a table's entries in each kind: free variables, then kinds."""
        start = np.zeros(1, dtype=np.int64)
        for slot, stride in lookup.slots:
            start = start + stride * self.stack.states[slot, kinds]
        return np.asarray(lookup.offsets[..., None] + start)


def plan_stack(stack: Stack, shapes: Shapes, memory_limit: int) -> StackPlan:
    """Plan a stack. Raises ``MemoryLimitError`` if one kind needs too much.

    ``shapes``: those of the tables, by source.
    """
    alike = stack.alike
    lookups = [_lookup(source, axes, shapes[source]) for source, axes in alike.terms]
    scopes = [lookup.scope for lookup in lookups]
    try:
        tree = contraction_tree(scopes, alike.sizes, (), Search(memory_limit // FLOAT_BYTES))
    except BeyondMemoryError:
        reason = f"no order for {len(alike.sizes):,} variables with missing values has small tables"
        raise beyond_limit("needs more than", memory_limit, memory_limit, reason) from None
    leaves = [Tensor(shape_of(scope, alike.sizes), 1, "given") for scope in scopes]
    plan = StackPlan(stack, lookups, section(tree, range(len(alike.sizes)), leaves))
    if plan.kind_bytes > memory_limit:
        reason = f"the largest table has {tree.largest:,} entries for each row"
        raise beyond_limit("needs", plan.kind_bytes, memory_limit, reason)
    return plan


def _lookup(source: int, axes: Scope, shape: Scope) -> Lookup:
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    offsets = np.zeros((), dtype=np.int64)
    for label, size, stride in zip(axes, shape, strides, strict=True):
        if label >= 0:
            offsets = offsets[..., None] + stride * np.arange(size)
    slots = [(~label, stride) for label, stride in zip(axes, strides, strict=True) if label < 0]
    return Lookup(source, tuple([label for label in axes if label >= 0]), offsets, slots)


class Chunk(NamedTuple):
    """Some kinds of a stack: the logarithm of each one's weight, (kinds,); and for each table, the
    places of its entries and their probabilities, axes of free variables, then kinds."""

    kinds: slice
    log_weights: Floats
    entries: list[tuple[int, Integers, Floats]]


def evaluated(
    plan: StackPlan, values: Mapping[int, Rows], memory_limit: int, *, backward: bool
) -> Iterator[Chunk]:
    """The weights of all kinds, a part of them at a time; and ``backward``, what entries do.

    ``values``: of each table by its source, without an axis of rows.
    """
    kind_count = plan.stack.states.shape[1]
    at_a_time = max(min(memory_limit, _AT_A_TIME) // plan.kind_bytes, 1)
    for start in range(0, kind_count, at_a_time):
        kinds = slice(start, min(start + at_a_time, kind_count))
        places = [plan.places(lookup, kinds) for lookup in plan.lookups]
        leaves = [
            taken(values[lookup.source], place)
            for lookup, place in zip(plan.lookups, places, strict=True)
        ]
        yield _chunk(plan, kinds, places, leaves, backward)


def taken(table: Rows, places: Integers) -> Rows:
    """The entries of a table at these places of the flat one; the last axis is that of rows."""
    exponents = None if table.exponents is None else table.exponents.reshape(-1)[places]
    return Rows(table.values.reshape(-1)[places], exponents, table.low, table.high, table.shift)


def _chunk(
    plan: StackPlan, kinds: slice, places: list[Integers], leaves: list[Rows], backward: bool
) -> Chunk:
    count = kinds.stop - kinds.start
    made = dict(zip(plan.section.tensors, leaves, strict=False))
    for product in plan.section.products:
        assert isinstance(product, Product)  # tables of rows never only add
        left, right, right_scope = _operands(product, made)
        made[product] = contract(
            left, product.left_scope, right, right_scope, product.out, product.summed
        )
    logs = np.broadcast_to(logarithms(made[plan.section.result]), (count,))
    listed = [*_probabilities(plan, made, places, count)] if backward else []
    return Chunk(kinds, logs, listed)


def _operands(product: Product, made: Mapping[Tensor, Rows]) -> tuple[Rows, Rows, Scope]:
    if product.right is None:
        all_ones = ones(shape_of(product.summed, product.sizes))
        return made[product.left], all_ones, product.summed
    return made[product.left], made[product.right], product.right_scope


def _probabilities(
    plan: StackPlan, made: Mapping[Tensor, Rows], places: list[Integers], kind_count: int
) -> Iterator[tuple[int, Integers, Floats]]:
    """The probabilities of the entries of each table, by going back over the products."""
    program = plan.section
    adjoints: dict[Tensor, Rows] = {program.result: ones(())}
    for product in reversed(program.products):
        assert isinstance(product, Product)
        outer = adjoints.pop(product)
        left, right, right_scope = _operands(product, made)
        scopes = product.left_scope, right_scope
        adjoints[product.left] = _adjoint(outer, product.out, right, scopes[1], scopes[0])
        if product.right is not None:
            adjoints[product.right] = _adjoint(outer, product.out, left, scopes[0], scopes[1])
    for lookup, place, leaf in zip(plan.lookups, places, program.tensors, strict=False):
        scope = lookup.scope
        joint = contract(made[leaf], scope, adjoints[leaf], scope, scope, ())
        shares, _ = distributions(joint)
        shape = (*place.shape[:-1], kind_count)
        yield lookup.source, np.broadcast_to(place, shape), np.broadcast_to(shares, shape)


def _adjoint(outer: Rows, out: Scope, other: Rows, other_scope: Scope, wanted: Scope) -> Rows:
    """What an operand of a product is multiplied by in the end."""
    summed = tuple([label for label in dict.fromkeys((*out, *other_scope)) if label not in wanted])
    return contract(outer, out, other, other_scope, wanted, summed)


def add_to(totals: NDArray[np.float64], places: Integers, weights: Floats) -> None:
    """Add weights to the entries of a table at these places, some of which may be the same."""
    np.add.at(totals.reshape(-1), places.reshape(-1), weights.reshape(-1))
