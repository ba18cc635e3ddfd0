"""Contraction by products of matrices, beside a plain sum over all assignments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import permutations, product
from math import prod
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liftgraph.inference.tensor import contraction
from liftgraph.inference.tensor.contraction import arrangement, contract, natural_arrangement
from liftgraph.inference.tensor.contraction_tree import contraction_tree
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.sections import section
from liftgraph.inference.tensor.tensors import Root, entries
from liftgraph.inference.tensor.tensors import given as given_tensor
from liftgraph.semiring import EXACT, LOG, MAX_EXACT, MAX_LOG, MAX_PAIRS, Scaled

LABELS = range(6)
Scope = tuple[int, ...]


@st.composite
def contractions(draw: st.DrawFn) -> tuple[Scope, Scope, Scope, list[int]]:
    """Two scopes, what is left of them, and the sizes of variables."""
    sizes = [draw(st.integers(1, 3)) for _ in LABELS]
    x, y = (
        tuple(draw(st.permutations(sorted(draw(st.sets(st.sampled_from(LABELS)))))))
        for _ in range(2)
    )
    gone = draw(st.sets(st.sampled_from(sorted({*x} & {*y})))) if {*x} & {*y} else set()
    return x, y, tuple(draw(st.permutations(sorted(({*x} | {*y}) - gone)))), sizes


def table(scope: Scope, sizes: Sequence[int], seed: int) -> NDArray[Any]:
    shape = [sizes[label] for label in scope]
    return np.random.default_rng(seed).integers(0, 9, shape).astype(object)


def naive(
    tables: Sequence[tuple[Scope, NDArray[Any]]],
    out: Scope,
    sizes: Sequence[int],
    join: Callable[[Any, Any], Any],
) -> NDArray[Any]:
    """The products of entries for all assignments, joined for each state of ``out``."""
    terms: dict[tuple[int, ...], list[int]] = {}
    for states in product(*[range(sizes[label]) for label in LABELS]):
        if all(states[v] == 0 for v in LABELS if not any(v in scope for scope, _ in tables)):
            term = prod([int(array[tuple(states[v] for v in scope)]) for scope, array in tables])
            terms.setdefault(tuple(states[v] for v in out), []).append(term)
    shape = [sizes[label] for label in out]
    joined = [reduce(join, terms[place]) for place in np.ndindex(*shape)]
    return np.array(joined, dtype=object).reshape(shape)


@pytest.mark.parametrize("narrow", [0, 12])
@pytest.mark.parametrize("large", [1, 1 << 12])
@given(contractions(), st.integers(0, 99))
def test_every_arrangement_gives_the_same_product(
    narrow: int, large: int, case: tuple[Scope, Scope, Scope, list[int]], seed: int
) -> None:
    """Also with the arrangement of large tensors, which are not copied, and with kept ones."""
    x_scope, y_scope, out, sizes = case
    x, y = table(x_scope, sizes, seed), table(y_scope, sizes, seed + 1)
    scopes, summed = (x_scope, y_scope), tuple({*x_scope, *y_scope} - {*out})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contraction, "_LARGE", large)
        patch.setattr(contraction, "_LONG", 2)
        patch.setattr(contraction, "_NARROW", narrow)
        how = arrangement(x_scope, y_scope, out, sizes)
        lengths = entries(x_scope, sizes), entries(y_scope, sizes)
        natural, order = natural_arrangement(scopes, lengths, summed, sizes, LABELS)
    expected = naive([(x_scope, x), (y_scope, y)], out, sizes, add)
    assert (EXACT.contract(x, y, how) == expected).all()
    floats = LOG.contract(LOG.evaluate(x), LOG.evaluate(y), how)
    assert floats.values.tolist() == expected.tolist()
    assert sorted(order) == sorted(out)
    free = EXACT.contract(x, y, natural).transpose([order.index(label) for label in out])
    assert (free == expected).all()
    largest = naive([(x_scope, x), (y_scope, y)], out, sizes, max)
    assert (MAX_EXACT.contract(x, y, how) == largest).all()
    for semiring in (MAX_LOG, MAX_PAIRS):
        logs = semiring.contract(semiring.evaluate(x), semiring.evaluate(y), how)
        assert np.isneginf(logs.real).tolist() == (largest == 0).tolist()


def test_a_large_tensor_is_not_copied() -> None:
    """Two of its variables meet a small table; those before and behind them stay where they are."""
    long = (3, 0, 1, *range(4, 16))
    how = arrangement((0, 1, 2), long, (3, 1, 2, *range(4, 16)), [2] * 16)
    tensor = np.zeros([2] * 15)
    arranged = tensor.transpose(how.right_axes).reshape(how.right_shape)
    assert np.shares_memory(arranged, tensor)
    assert how.axes is None


def chained(factors: int, largest: int) -> tuple[Scaled, int]:
    """The total weight of a chain of equal tables, in floats and exactly."""
    scopes = [(v, v + 1) for v in range(factors)]
    tree = contraction_tree(scopes, [2] * (factors + 1))
    integers = np.array([[largest, 1], [1, largest]], dtype=object)
    made = section(tree, range(factors + 1), [given_tensor(integers) for _ in scopes])
    values = forward(LOG, made.tensors, [Root(made.result, 1)])
    return values[made.result], 2 * (largest + 1) ** factors


@pytest.mark.parametrize("bits", [30, 300, 450])
def test_long_products_are_floats_times_powers_of_two(bits: int) -> None:
    result, expected = chained(40, 2**bits - 1)
    assert not result.logarithmic
    assert result.offset == (0.0, 0.0)
    assert float(result.values) * 2.0 ** -(bits * 40 + 1 - result.exponent) == 1.0
    assert expected == 2 ** (bits * 40 + 1)


def test_orders_of_axes_do_not_matter_to_contract() -> None:
    x, y = table((0, 1), [2, 3, 2], 0), table((1, 2), [2, 3, 2], 1)
    for out in permutations((0, 2)):
        expected = np.einsum("ab,bc->ac", x.astype(int), y.astype(int))
        product = contract(EXACT, x, (0, 1), y, (1, 2), out, [2, 3, 2])
        assert product.tolist() == (expected if out == (0, 2) else expected.T).tolist()
