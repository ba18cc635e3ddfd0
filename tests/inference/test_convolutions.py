"""Convolutions in every semiring, and of all magnitudes, against sums of products of integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.exact import log
from liftgraph.inference.tensor import tensors
from liftgraph.inference.tensor.convolution import adjoints, convolution, convolved
from liftgraph.semiring import EXACT, LOG, MAX_EXACT, MAX_LOG, MAX_PAIRS
from liftgraph.semiring.log import PRECISE_LOG
from liftgraph.semiring.pairs import precise_logarithms
from liftgraph.semiring.wide_convolution import convolve_blocks, correlate_blocks

SHAPES = st.tuples(*[st.integers(1, 3)] * 3, st.integers(1, 5), st.integers(1, 5))
MAGNITUDES = st.sampled_from([1, 10**30, 10**400])


@st.composite
def operands(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Integers of shapes (s, 1, i, p) and (s, j, q), of very different magnitudes, and zeros."""
    s, j, i, p, q = draw(SHAPES)
    entry = st.builds(lambda n, size: n * size, st.integers(0, 9), MAGNITUDES)

    def tensor(*shape: int) -> NDArray[Any]:
        size = math.prod(shape)
        values = draw(st.lists(entry, min_size=size, max_size=size))
        return np.array(values, dtype=object).reshape(shape)

    return tensor(s, 1, i, p), tensor(s, j, q)


def naive(a: NDArray[Any], b: NDArray[Any], join: Any, sign: int) -> NDArray[Any]:
    """The twin: all pairs of entries, joined where the sum (or the difference) of indices is."""
    (s, _, i, p), (_, j, q) = a.shape, b.shape
    length = p + q - 1 if sign > 0 else p - q + 1
    result = np.zeros((s, j, i, length), dtype=object)
    for place in product(range(s), range(j), range(i), range(p), range(q)):
        at = place[3] + sign * place[4]
        if 0 <= at < length:
            value = a[place[0], 0, place[2], place[3]] * b[place[0], place[1], place[4]]
            result[(*place[:3], at)] = join(result[(*place[:3], at)], value)
    return result


def close(logs: NDArray[Any], expected: NDArray[Any]) -> bool:
    right = [log(Fraction(int(x))) if x else -math.inf for x in expected.ravel()]
    return np.allclose(logs.ravel(), right, rtol=1e-12, atol=1e-12)


def logs_of(tensor: Any) -> NDArray[Any]:
    """The logarithms of a tensor of LOG or PRECISE_LOG."""
    with np.errstate(divide="ignore"):
        logs = tensor.values if tensor.logarithmic else np.log(tensor.values)
    rest = 0.0 if tensor.rest is None else tensor.rest
    return np.asarray(logs + rest + sum(tensor.log_scale))


@given(operands())
def test_sums(pair: tuple[NDArray[Any], NDArray[Any]]) -> None:
    a, b = pair
    expected = naive(a, b, lambda x, y: x + y, 1)
    assert (EXACT.convolve(a, b) == expected).all()
    for semiring in (LOG, PRECISE_LOG):
        assert close(logs_of(semiring.convolve(*map(semiring.evaluate, pair))), expected)
    if a.shape[-1] >= b.shape[-1]:
        differences = naive(a, b, lambda x, y: x + y, -1)
        assert (EXACT.correlate(a, b) == differences).all()
        for semiring in (LOG, PRECISE_LOG):
            assert close(logs_of(semiring.correlate(*map(semiring.evaluate, pair))), differences)


@given(operands())
def test_maxima(pair: tuple[NDArray[Any], NDArray[Any]]) -> None:
    a, b = pair
    expected = naive(a, b, max, 1)
    assert (MAX_EXACT.convolve(a, b) == expected).all()
    scale = sum(log(Fraction(int(x.max()))) if x.any() else 0.0 for x in pair)
    floats = MAX_LOG.convolve(*map(MAX_LOG.evaluate, pair))
    assert close(floats + scale, expected)
    pairs = MAX_PAIRS.convolve(*map(MAX_PAIRS.evaluate, pair))
    assert close(pairs.real + pairs.imag + scale, expected)


def integers(length: int, steepness: float, seed: int) -> NDArray[Any]:
    """Positive integers whose neighbours differ by about this factor, up and then down."""
    random = np.random.default_rng(seed)
    exponents = steepness * np.minimum(np.arange(length), length // 3)
    exponents -= 0.5 * steepness * np.maximum(np.arange(length) - length // 3, 0)
    shift = math.ceil(-min(exponents.min(), 0)) + 20
    return np.array(
        [int(random.integers(1, 10**6)) * 10 ** int(e + shift) for e in exponents], dtype=object
    )


@pytest.mark.parametrize(("p", "q"), [(64, 64), (70, 131), (257, 100), (16, 300)])
@pytest.mark.parametrize("steepness", [0.0, 1.0, 5.0])
def test_blocks(p: int, q: int, steepness: float) -> None:
    rows = [integers(p, steepness, seed) for seed in range(3)]
    others = [integers(q, steepness, 10 + seed) for seed in range(3)]
    a, b = np.stack(rows)[:, None, None], np.stack(others)[:, None]
    logs = precise_logarithms(a), precise_logarithms(b)
    sums = convolve_blocks(*logs)
    assert sums is not None
    assert close(sums[0] + sums[1], EXACT.convolve(a, b))
    if p >= q:
        differences = correlate_blocks(*logs)
        assert differences is not None
        assert close(differences[0] + differences[1], EXACT.correlate(a, b))


@pytest.mark.parametrize("steepness", [60.0, 400.0])
def test_blocks_are_given_up_where_neighbours_differ_too_much(steepness: float) -> None:
    a, b = integers(80, steepness, 1)[None, None, None], integers(80, steepness, 2)[None, None]
    assert convolve_blocks(precise_logarithms(a), precise_logarithms(b)) is None
    assert close(logs_of(LOG.convolve(LOG.evaluate(a), LOG.evaluate(b))), EXACT.convolve(a, b))


def test_blocks_are_given_up_where_there_are_zeros() -> None:
    a, b = (integers(80, 3.0, seed) * (np.arange(80) % 2) for seed in (1, 2))
    logs = precise_logarithms(a[None, None, None]), precise_logarithms(b[None, None])
    assert convolve_blocks(*logs) is None


def test_tails_keep_their_digits() -> None:
    """Losses of 500 obligors with a common cause: every probability down to 1e-250."""
    builder = lg.FactorGraphBuilder()
    cause, loans = (
        builder.add_variable("Cause", 3),
        builder.add_variables([f"Loan.{n}" for n in range(500)]),
    )
    builder.add_factor([cause], [5, 3, 2])
    for loan in loans:
        rate = 1 + loan % 13
        builder.add_factor([cause, loan], [[rate, 999], [2 * rate, 777], [5 * rate, 333]])
    graph = builder.build()
    losses = lg.count("Loan")
    exact, floats = graph.query(losses, exact=True), graph.query(losses)
    for state in floats:
        right = exact.exact[state]
        if right > Fraction(1, 10**250):
            assert abs(Fraction(floats[state]) / right - 1) < Fraction(1, 10**12)
    assert min(floats.values()) < 1e-250


SHARED, NEW, OLD, FIRST, SECOND, TOTAL = range(6)


@given(
    st.lists(st.integers(1, 3), min_size=5, max_size=5),
    st.booleans(),
    st.randoms(use_true_random=True),
)
def test_convolutions_of_tensors_forwards_and_backwards(
    lengths: list[int], subtracts: bool, random: Random
) -> None:
    """Each assignment whose terms add up sends its product to the result, and the product of what
    came back and the other operand to each operand."""
    sizes = dict(enumerate([*lengths, lengths[FIRST] + lengths[SECOND] - 1]))
    scopes = [[SHARED, OLD, TOTAL if subtracts else FIRST], [SHARED, NEW, SECOND]]
    for scope in scopes:
        random.shuffle(scope)

    def integers(scope: Sequence[int]) -> NDArray[Any]:
        shape = [sizes[label] for label in scope]
        entries = [random.randint(0, 9) for _ in range(math.prod(shape))]
        return np.array(entries, dtype=object).reshape(shape)

    tables = [integers(scope) for scope in scopes]
    first, second = [(tensors.given(t), tuple(s)) for t, s in zip(tables, scopes, strict=True)]
    joined = convolution(first, second, (FIRST, SECOND, TOTAL), sizes)
    back = integers(joined.out)
    values: dict[tensors.Tensor, Any] = {
        t: EXACT.evaluate(a) for (t, _), a in zip((first, second), tables, strict=True)
    }
    forwards = np.zeros(joined.shape, dtype=object)
    backwards = {tensor: np.zeros(tensor.shape, dtype=object) for tensor in values}
    for states in product(*[range(sizes[label]) for label in range(6)]):
        if states[FIRST] + states[SECOND] == states[TOTAL]:
            out = tuple([states[label] for label in joined.out])
            at = [tuple([states[label] for label in scope]) for scope in scopes]
            left, right = (table[place] for table, place in zip(tables, at, strict=True))
            forwards[out] += left * right
            backwards[first[0]][at[0]] += back[out] * right
            backwards[second[0]][at[1]] += back[out] * left
    assert np.array_equal(convolved(EXACT, joined, values), forwards)
    sent = adjoints(EXACT, joined, values, EXACT.evaluate(back))
    for tensor, adjoint in zip((joined.left, joined.right), sent, strict=True):
        assert np.array_equal(adjoint, backwards[tensor])
