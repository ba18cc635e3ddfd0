"""Backwards after maximising: which states attain the maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from liftgraph.inference.tensor.contraction import axes_of, shape_of
from liftgraph.inference.tensor.convolution import best_terms
from liftgraph.inference.tensor.evaluation import Values, right_side
from liftgraph.inference.tensor.tensors import Convolution, Product, Scope, Sizes, entries
from liftgraph.model.arrays import digits
from liftgraph.semiring import MaxSemiring, Semiring

T = TypeVar("T")


def backtrack(
    semiring: MaxSemiring[T], products: Sequence[Product | Convolution], values: Values[T]
) -> dict[int, int]:
    """A state for each variable that was maximised out; together they attain the maximum.

    Precondition: ``products`` make up one elimination, operands first, with the same labels;
    ``values`` are all those of a forward pass with a maximising semiring.
    """
    states: dict[int, int] = {}
    for product in reversed(products):
        summed, sizes = product.summed, product.sizes
        if not summed:
            continue
        if isinstance(product, Convolution):
            terms = best_terms(semiring, product, values, states)
            states.update(zip(summed, terms, strict=True))
            continue
        left, right = values[product.left], right_side(semiring, product, values)
        place = semiring.best(
            _at_states(semiring, left, product.left_scope, summed, states, sizes),
            _at_states(semiring, right, product.right_scope, summed, states, sizes),
        )
        if len(summed) == 1:
            states[summed[0]] = place
        else:
            states.update(zip(summed, digits(place, shape_of(summed, sizes)), strict=True))
    return states


def _at_states(
    semiring: Semiring[T],
    tensor: T,
    scope: Scope,
    free: Scope,
    states: dict[int, int],
    sizes: Sizes,
) -> T:
    """The entries of a tensor over its free variables, the others at their states, as a vector."""
    index = tuple([slice(None) if label in free else states[label] for label in scope])
    part = semiring.part(tensor, index)
    if len(free) == 1:
        return part
    order = [label for label in scope if label in free]
    return semiring.arrange(part, axes_of(order, free), (entries(free, sizes),))
