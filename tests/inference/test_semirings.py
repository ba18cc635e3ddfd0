"""Semirings added from outside, and the evaluator that runs programs in them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.backward import backward
from liftgraph.inference.tensor.contraction_tree import contraction_tree
from liftgraph.inference.tensor.counting import Repeated, TupleExponents, cell_counts
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.lookups import AxisLookup
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import (
    Root,
    Tensor,
    in_order,
    multinomials,
    powers_of,
    product_of,
    take_from,
)
from liftgraph.inference.tensor.tensors import given as given_tensor
from liftgraph.semiring import (
    EXACT,
    LOG,
    MAX_EXACT,
    MAX_PAIRS,
    FlowSemiring,
    MaxSemiring,
    Semiring,
)
from liftgraph.semiring.exact import ArraySemiring, ExactSemiring

Counts = NDArray[np.int64]


class Counting(ArraySemiring):
    """How many assignments have any weight."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Counts:
        return np.asarray(integers != 0, dtype=np.int64)

    def unit(self, shape: tuple[int, ...]) -> Counts:
        return np.ones(shape, dtype=np.int64)

    def convert(self, integers: NDArray[Any], power: int = 1) -> Counts:
        return self.evaluate(integers)

    def combine(self, a: Counts, b: Counts) -> Counts:
        return np.asarray(np.matmul(a, b))

    def powers(self, tensor: Counts, exponents: Counts) -> Counts:
        return np.asarray((tensor[..., None] ** exponents).prod(axis=2))

    def multinomials(self, counts: Counts) -> Counts:
        return np.asarray(EXACT.multinomials(counts), dtype=np.int64)

    def possible(self, tensor: Counts) -> bool:
        return bool(tensor.any())


class Cheapest(ArraySemiring):
    """Integers are costs: products add them, sums take the least."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Counts:
        return integers.astype(np.int64)

    def unit(self, shape: tuple[int, ...]) -> Counts:
        return np.zeros(shape, dtype=np.int64)

    def convert(self, integers: NDArray[Any], power: int = 1) -> Counts:
        return self.evaluate(integers)

    def combine(self, a: Counts, b: Counts) -> Counts:
        return np.asarray((a[..., None] + b[..., None, :, :]).min(axis=-2))

    def powers(self, tensor: Counts, exponents: Counts) -> Counts:
        return np.asarray((tensor[..., None] * exponents).sum(axis=2))

    def multinomials(self, counts: Counts) -> Counts:
        return np.zeros(len(counts), dtype=np.int64)

    def possible(self, tensor: Counts) -> bool:
        return tensor.size > 0

    def best(self, a: Counts, b: Counts) -> int:
        return int(np.argmin(a + b))

    def best_rows(self, tensor: Counts) -> Counts:
        return np.asarray(np.argmin(tensor, axis=1))


class Probabilities(ExactSemiring):
    """Plain fractions of a thousand, and flows that add up to 1."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> NDArray[Any]:
        return np.asarray(integers.astype(object) * Fraction(1, 1000), dtype=object)

    def unit(self, shape: tuple[int, ...]) -> NDArray[Any]:
        return np.full(shape, Fraction(1), dtype=object)

    def multinomials(self, counts: Counts) -> NDArray[Any]:
        return np.asarray(EXACT.multinomials(counts) * Fraction(1), dtype=object)

    def total(self, tensor: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(tensor / tensor.sum(), dtype=object)

    def share(self, flow: NDArray[Any], tensor: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(flow / np.where(tensor == 0, 1, tensor), dtype=object)


COUNTING: Semiring[Counts] = Counting()
CHEAPEST: MaxSemiring[Counts] = Cheapest()
PROBABILITIES: FlowSemiring[NDArray[Any]] = Probabilities()

SCOPES = [(0, 1), (1, 2), (2, 0), (3, 2)]
SIZES = [2, 3, 2, 2]


def tables(entries: Sequence[int]) -> list[NDArray[Any]]:
    """Integers for each scope, as many as are needed from the start of a list."""
    left = iter(entries)
    shapes = [tuple(SIZES[variable] for variable in scope) for scope in SCOPES]
    return [np.array([next(left) for _ in range(prod(s))]).reshape(s) for s in shapes]


def program(arrays: Sequence[NDArray[Any]], kept: Sequence[int] = ()) -> Section:
    tree = contraction_tree(SCOPES, SIZES, kept)
    return section(tree, range(len(SIZES)), [given_tensor(array) for array in arrays])


def at(arrays: Sequence[NDArray[Any]], states: Sequence[int]) -> list[int]:
    """The entries of all tables at an assignment."""
    return [
        int(array[tuple(states[variable] for variable in scope)])
        for array, scope in zip(arrays, SCOPES, strict=True)
    ]


ENTRIES = st.lists(st.integers(0, 4), min_size=20, max_size=20)
ASSIGNMENTS = list(product(*map(range, SIZES)))


@given(ENTRIES)
def test_solutions_are_counted(entries: list[int]) -> None:
    arrays = tables(entries)
    result = program(arrays).result
    values = forward(COUNTING, in_order([result]), [Root(result, 1)])
    assert int(values[result]) == sum(all(at(arrays, states)) for states in ASSIGNMENTS)


@given(ENTRIES)
def test_the_cheapest_assignment_is_found(entries: list[int]) -> None:
    arrays = tables(entries)
    made = program(arrays)
    order = in_order([made.result])
    values = forward(CHEAPEST, order, [Root(made.result, 1)], keeping=True)
    states = backtrack(CHEAPEST, made.products, values)
    chosen = [states[variable] for variable in range(len(SIZES))]
    least = min(sum(at(arrays, states)) for states in ASSIGNMENTS)
    assert int(values[made.result]) == sum(at(arrays, chosen)) == least


@given(ENTRIES)
def test_flows_say_how_often_an_entry_is_used(entries: list[int]) -> None:
    arrays = tables(entries)
    weights = {states: prod(at(arrays, states)) for states in ASSIGNMENTS}
    total = sum(weights.values())
    if total == 0:
        return
    made = program(arrays)
    order, leaves = in_order([made.result]), made.tensors[: len(SCOPES)]
    for semiring in (PROBABILITIES, EXACT, LOG):
        flowing: FlowSemiring[Any] = semiring
        values = forward(flowing, order, [Root(made.result, 1)], keeping=True)
        traces = dict(backward(flowing, order, [made.result], values, set(leaves)))
        for leaf, scope in zip(leaves, SCOPES, strict=True):
            expected = np.zeros(leaf.shape)
            for states, weight in weights.items():
                expected[tuple(states[variable] for variable in scope)] += weight / total
            flow = traces[leaf].flow / (total if semiring is EXACT else 1)
            assert np.allclose(flow.astype(float), expected, rtol=1e-12)


NEAR = st.sampled_from([0, 1, 10**24, 10**24 + 1, 10**24 + 5])
PLACES = st.lists(NEAR, min_size=12, max_size=12)


@given(PLACES, PLACES)
def test_pairs_of_floats_find_the_maxima_of_nearly_equal_integers(
    first: list[int], second: list[int]
) -> None:
    a, b = (np.array(entries, dtype=object).reshape(2, 2, 3) for entries in (first, second))
    c = b.transpose(0, 2, 1)
    largest = MAX_EXACT.combine(a, c).reshape(2, 4)
    pairs = MAX_PAIRS.combine(MAX_PAIRS.evaluate(a), MAX_PAIRS.evaluate(c)).reshape(2, 4)
    assert np.isneginf(pairs.real).tolist() == (largest == 0).tolist()
    assert MAX_PAIRS.possible(pairs) == MAX_EXACT.possible(largest)
    rows = MAX_PAIRS.best_rows(pairs)
    assert [row[place] for row, place in zip(largest, rows, strict=True)] == [*largest.max(axis=1)]
    place = MAX_PAIRS.best(MAX_PAIRS.evaluate(a.ravel()), MAX_PAIRS.evaluate(b.ravel()))
    assert (a * b).ravel()[place] == (a * b).max()
    exponents = np.array([[[0, 1, 9], [7, 0, 3]]])
    powers = MAX_PAIRS.powers(MAX_PAIRS.evaluate(a.reshape(6, 1, 2)), exponents)
    exact = MAX_EXACT.powers(a.reshape(6, 1, 2), exponents)
    for column in range(3):
        assert exact[powers[..., column].argmax(), 0, column] == exact[..., column].max()


def counted(individuals: int) -> tuple[Tensor, Tensor]:
    """One table for all pairs of individuals, and one for each of them, of two states; its total.

    The first table is used twice, once as it is and once squared.
    """
    pair = given_tensor(np.array([[3, 1], [1, 2]]))
    squared = powers_of("square", pair, (0, 1), (4, 1, 1), Repeated(2), (2, 2))
    both = product_of("multiply", pair, (0, 1), squared, (0, 1), (0, 1))
    doubled = take_from("copy", both, (0, 1), (1, 4), AxisLookup((2, 2), (1, 0)), (2, 2))
    pairs = TupleExponents(individuals, (2,), (0,), 2, 0, False, ((0, 1),))
    rows = individuals + 1
    raised = powers_of("count", doubled, (0, 1), (1, 1, 4), pairs, (rows,))
    ways = multinomials(individuals, 2, rows)
    return pair, product_of("sum out", raised, (0,), ways, (0,), ())


@pytest.mark.parametrize("individuals", [2, 5])
def test_all_four_operations_run_in_every_semiring(individuals: int) -> None:
    pair, result = counted(individuals)
    order = in_order([result])

    def weight(first: int) -> Fraction:
        """Of all assignments with so many in the first state; each pair has its table cubed."""
        second = individuals - first
        powers = {3: first * (first - 1), 1: 2 * first * second, 2: second * (second - 1)}
        return Fraction(comb(individuals, first) * prod(v ** (3 * n) for v, n in powers.items()))

    total = sum(weight(first) for first in range(individuals + 1))
    assert int(forward(EXACT, order, [Root(result, 1)])[result]) == total
    assert int(forward(COUNTING, order, [Root(result, 1)])[result]) == 2**individuals
    pairs = [
        [first * (first - 1), first * (individuals - first)] for first in range(individuals + 1)
    ]
    agree = sum(weight(n) * pairs[n][0] for n in range(individuals + 1)) / total
    differ = sum(weight(n) * pairs[n][1] for n in range(individuals + 1)) / total
    for semiring in (EXACT, LOG):
        flowing: FlowSemiring[Any] = semiring
        values = forward(flowing, order, [Root(result, 1)], keeping=True)
        ((_, trace),) = backward(flowing, order, [result], values, {pair})
        flow = trace.flow / (total if semiring is EXACT else 1)
        assert flow.astype(float)[0].tolist() == pytest.approx(
            [float(3 * agree), float(3 * differ)]
        )


def test_cell_counts_are_shared_and_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        cell_counts(3, 2)[0, 0] = 1
