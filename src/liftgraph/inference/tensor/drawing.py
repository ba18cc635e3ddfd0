"""Backwards after summing: states drawn for what was summed out, each given what was drawn before.

The chain rule in the reverse order of elimination: where a variable was summed out of a product,
its distribution given the variables that the result is over is the product, divided by the result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.cases import distinct_cases, product_in_cases
from liftgraph.inference.tensor.chance import Chance, Integers
from liftgraph.inference.tensor.evaluation import Values, right_side
from liftgraph.inference.tensor.operation_memory import integer_bytes
from liftgraph.inference.tensor.tensors import Convolution, Product, Scope, Sizes, entries
from liftgraph.model.arrays import digits
from liftgraph.semiring import CHUNK, FlowSemiring

T = TypeVar("T")
_DRAW_BYTES = 120  # of a draw, while its surroundings are compared with those of others
_COLUMN_BYTES = 16  # of the state of a variable in one of the cases that differ
_COMPARED_BYTES = 20  # of a weight that is compared with a random number
_CASE_BYTES = 200  # of a weight of a state in a case: factors, logarithms, sums
Drawn = dict[int, NDArray[np.integer[Any]]]


def draw_back(
    semiring: FlowSemiring[T],
    products: Sequence[Product | Convolution],
    values: Values[T],
    count: int,
    chance: Chance,
) -> Drawn:
    """States of each variable that was summed out, in ``count`` independent draws.

    They have the smallest type of integers that holds them. Precondition: ``products`` make up one
    elimination, operands first, with the same labels, and its result is above zero; ``values`` are
    all those of a forward pass with a summing semiring.
    """
    drawn: Drawn = {}
    for product in reversed(products):
        gone = product.summed[:1] if isinstance(product, Convolution) else product.summed
        if gone:
            columns = _draw(semiring, product, gone, values, drawn, count, chance)
            drawn.update(columns)
    return drawn


def _draw(
    semiring: FlowSemiring[T],
    product: Product | Convolution,
    gone: Scope,
    values: Values[T],
    drawn: Drawn,
    count: int,
    chance: Chance,
) -> Iterator[tuple[int, NDArray[np.integer[Any]]]]:
    """The states of what a product sums out, in groups of draws with the same surroundings."""
    sizes, right_scope = product.sizes, product.right_scope
    labels = dict.fromkeys((*product.left_scope, *right_scope, *product.out))
    around = [label for label in labels if label not in product.summed]
    surroundings = [drawn[label] for label in around]
    cases, case = distinct_cases(surroundings, [sizes[v] for v in around], count)
    chunk = max(CHUNK // max(entries(gone, sizes), 1), 1)
    order, states = np.argsort(case, kind="stable"), np.empty(count, dtype=np.int64)
    present = len(cases[0]) if cases else 1
    ends = np.searchsorted(case[order], np.arange(0, present + chunk, chunk))
    for part, start in enumerate(range(0, present, chunk)):
        columns = {
            v: column[start : start + chunk] for v, column in zip(around, cases, strict=True)
        }
        if isinstance(product, Convolution):
            table = _terms(semiring, product, values, columns)
        else:
            right = right_side(semiring, product, values)
            factors = [(values[product.left], product.left_scope), (right, right_scope)]
            table = product_in_cases(semiring, factors, gone, columns, _by_label(sizes, labels))
        places = order[ends[part] : ends[part + 1]]
        weights = semiring.row_weights(table)
        states[places] = chance.states(weights, case[places] - start)
    found = digits(states, [sizes[label] for label in gone])
    yield from zip(gone, map(_small, found, [sizes[v] for v in gone]), strict=True)
    if isinstance(product, Convolution):
        second = product.summed[1]
        known = drawn[product.out[-1]].astype(np.int64)
        other = states - known if product.subtracts else known - states
        yield second, _small(other, sizes[second])


def _by_label(sizes: Sizes, labels: Mapping[int, None]) -> dict[int, int]:
    return {label: sizes[label] for label in labels}


def _small(states: Integers, size: int) -> NDArray[np.integer[Any]]:
    return states.astype(np.min_scalar_type(max(size - 1, 0)))


def _terms(
    semiring: FlowSemiring[T],
    product: Convolution,
    values: Values[T],
    surroundings: Mapping[int, Integers],
) -> T:
    """The terms of a convolution, one for each value of its first variable, in cases: (n, p).

    Given their sum, or difference, the first variable tells what the second one is.
    """
    sizes, (first, second) = product.sizes, product.summed
    sides = []
    for tensor, scope, term in (
        (product.left, product.left_scope, first),
        (product.right, product.right_scope, second),
    ):
        by_label = _by_label(sizes, dict.fromkeys(scope))
        around = {v: states for v, states in surroundings.items() if v in scope}
        # Without surroundings there is one case, which is repeated.
        rows = product_in_cases(semiring, [(values[tensor], scope)], (term,), around, by_label)
        sides.append((rows, bool(around)))
    known = surroundings[product.out[-1]]
    own = np.broadcast_to(np.arange(sizes[first]), (len(known), sizes[first]))
    other = own - known[:, None] if product.subtracts else known[:, None] - own
    inside = (other >= 0) & (other < sizes[second])
    cases = np.arange(len(known))[:, None]
    places = [(own, sizes[first]), (np.where(inside, other, 0), sizes[second])]
    table = semiring.evaluate(inside.astype(np.int64).reshape(-1, 1, 1))
    for (rows, varies), (place, size) in zip(sides, places, strict=True):
        flat = semiring.arrange(rows, None, (1, size * (len(known) if varies else 1)))
        at = (cases * size * varies + place).ravel()
        taken = semiring.arrange(semiring.take(flat, at), None, (at.size, 1, 1))
        table = semiring.combine(table, taken)
    return semiring.arrange(table, None, (len(known), math.prod(own.shape) // len(known)))


def drawing_bytes(products: Sequence[Product | Convolution], count: int, exact: bool) -> int:
    """Bytes that drawing takes beyond the values and what was drawn, at most."""
    largest = 0
    for product in products:
        gone = product.summed[:1] if isinstance(product, Convolution) else product.summed
        around = {*product.left_scope, *product.right_scope, *product.out}.difference(gone)
        states = entries(gone, product.sizes)
        distinct = min(count, entries(tuple(around), product.sizes))
        cases = min(distinct, max(CHUNK // max(states, 1), 1))
        width = _CASE_BYTES + (4 * integer_bytes(product.bits) if exact else 0)
        columns = _COLUMN_BYTES * (1 + len(around)) * distinct
        compared = _COMPARED_BYTES * min(CHUNK, count * states)
        largest = max(largest, width * cases * states + columns + compared)
    return largest + _DRAW_BYTES * count
