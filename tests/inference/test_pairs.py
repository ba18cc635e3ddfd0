"""Logarithms of two floats, powers and multinomials, against integers and decimals of any size."""

from __future__ import annotations

import math
import tracemalloc
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.tensor.counting import TupleExponents, cell_counts, rank
from liftgraph.inference.tensor.lookups import AxisLookup, MarginalLookup
from liftgraph.model.lifted.histograms import histogram_count, histogram_states, histograms
from liftgraph.semiring import EXACT, LOG, MAX_EXACT, MAX_LOG, Scaled
from liftgraph.semiring.doubled import exponentials, logarithms_of_pairs, summed
from liftgraph.semiring.multinomials import log_multinomials, multinomials
from liftgraph.semiring.pairs import (
    decimal_logarithm,
    float_logarithms,
    log_of_product,
    plus,
    precise_logarithm,
    precise_logarithms,
    two_sum,
    weighted_sums,
)

DIGITS = Context(prec=60)
SMALL = -667.0  # a logarithm: floats below have fewer digits, or are 0
finite = st.floats(-1e15, 1e15, allow_nan=False)


def exactly(pair: tuple[np.ndarray, np.ndarray], place: tuple[int, ...] = ()) -> Fraction:
    return Fraction(float(pair[0][place])) + Fraction(float(pair[1][place]))


@given(finite, finite)
def test_two_sums_are_exact(a: float, b: float) -> None:
    pair = two_sum(np.array(a), np.array(b))
    assert exactly(pair) == Fraction(a) + Fraction(b)


@given(st.lists(st.integers(1, 10**40), min_size=1, max_size=4), st.integers(0, 2**45))
def test_sums_of_many_logarithms_keep_their_digits(integers: list[int], many: int) -> None:
    exponents = np.array([(many * (n + 1)) % 2**45 for n in range(len(integers))])
    logs = precise_logarithms(np.array(integers, dtype=object).reshape(1, 1, -1))
    log = exactly(weighted_sums(logs, exponents.reshape(1, -1, 1)), (0, 0, 0))
    with localcontext(DIGITS):
        terms = [
            Decimal(int(e)) * Decimal(n).ln() for e, n in zip(exponents, integers, strict=True)
        ]
        error = abs(Decimal(log.numerator) / Decimal(log.denominator) - sum(terms))
    assert error < 1e-13


@given(st.floats(1e-300, 1e300))
def test_logarithms_of_floats_keep_their_digits(value: float) -> None:
    log = exactly(float_logarithms(np.array(value)))
    with localcontext(DIGITS):
        error = abs(Decimal(log.numerator) / Decimal(log.denominator) - Decimal(value).ln())
    assert error < 4e-16


@given(
    st.lists(st.tuples(st.fractions(Fraction(1, 1000), 1000), st.integers(0, 10**9)), max_size=5)
)
def test_products_of_powers_have_their_logarithm(powers: list[tuple[Fraction, int]]) -> None:
    with localcontext(DIGITS):
        terms = [
            Decimal(times) * (Decimal(v.numerator).ln() - Decimal(v.denominator).ln())
            for v, times in powers
        ]
        expected = float(sum(terms, start=Decimal(0)))
    assert log_of_product(powers) == pytest.approx(expected, rel=1e-15, abs=1e-25)


@pytest.mark.parametrize(("individuals", "cells"), [(1, 2), (7, 2), (5, 3), (3, 4), (900, 2)])
def test_multinomials_count_arrangements(individuals: int, cells: int) -> None:
    counts = cell_counts(individuals, cells)
    exact = multinomials(counts)
    assert sum(exact) == cells**individuals
    high, low = log_multinomials(counts)
    assert np.allclose(high + low, [math.log(ways) for ways in exact], rtol=1e-14, atol=1e-14)


tables = st.lists(st.integers(0, 9), min_size=4, max_size=4)


@given(tables, st.lists(st.integers(0, 200), min_size=12, max_size=12))
def test_powers_are_products(table: list[int], exponents: list[int]) -> None:
    tensor = np.array(table).reshape(2, 1, 2)
    powers = np.array(exponents).reshape(1, 2, 6)
    expected = [
        [
            [math.prod(int(b) ** int(e) for b, e in zip(row[0], powers[0, :, h], strict=True))]
            for h in range(6)
        ]
        for row in tensor
    ]
    exact = EXACT.powers(EXACT.evaluate(tensor), powers)
    assert exact.reshape(2, 6).tolist() == np.array(expected, dtype=object).reshape(2, 6).tolist()
    assert (MAX_EXACT.powers(MAX_EXACT.evaluate(tensor), powers) == exact).all()
    for given_tensor in (LOG.evaluate(tensor), LOG.precise(tensor)):
        values, offset = LOG.relative(LOG.powers(given_tensor, powers))
        for place in np.ndindex(2, 6):
            whole = exact.reshape(2, 6)[place]
            value = values.reshape(2, 6)[place]
            log = math.log(whole) - sum(offset) if whole else -math.inf
            if log < SMALL:  # it may be too small to be told
                assert value <= math.exp(SMALL + 1)
                assert value == 0 or whole
            else:
                assert math.log(value) == pytest.approx(log, abs=1e-10)
    logs = MAX_LOG.powers(MAX_LOG.evaluate(tensor), powers).reshape(2, 6)
    assert np.isneginf(logs).tolist() == (exact.reshape(2, 6) == 0).tolist()


@given(st.integers(1, 4), st.sampled_from([(2, 2), (2, 3), (2, 2, 2)]), st.data())
def test_histograms_of_components_are_sums(
    individuals: int, shape: tuple[int, ...], data: st.DataObject
) -> None:
    kept = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    rows = MarginalLookup(individuals, shape, (kept,)).array()
    for counts, row in zip(cell_counts(individuals, math.prod(shape)), rows, strict=True):
        summed = counts.reshape(shape).sum(axis=tuple(set(range(len(shape))) - set(kept)))
        assert rank(summed.ravel(), individuals) == row


@given(st.integers(0, 5), st.integers(2, 5))
def test_histograms_are_listed_in_order(individuals: int, states: int) -> None:
    """All of them, as counted by listing all assignments."""
    counted = {
        tuple(assignment.count(state) for state in range(states))
        for assignment in product(range(states), repeat=individuals)
    }
    assert list(map(tuple, histograms(individuals, states).tolist())) == sorted(counted)
    listed = histogram_states(individuals, states).tolist()
    assert [tuple(row.count(s) for s in range(states)) for row in listed] == sorted(counted)
    assert all(row == sorted(row) for row in listed)


def test_many_states_have_the_same_histograms() -> None:
    few = histograms(2, 33)  # listed in another way than those of fewer states
    assert sorted(map(tuple, few.tolist())) == list(map(tuple, few.tolist()))
    assert len(few) == histogram_count(2, 33) == len({tuple(row) for row in few.tolist()})
    assert (few.sum(axis=1) == 2).all()


def test_axes_are_repeated_and_added() -> None:
    table = np.arange(6).reshape(2, 3)
    rows = AxisLookup((3, 2, 4), (1, 0)).array()
    copies = table.ravel()[rows].reshape(3, 2, 4)
    assert all(copies[b, a, c] == table[a, b] for a in range(2) for b in range(3) for c in range(4))
    diagonal = AxisLookup((2,), (0, 0)).array()
    assert np.arange(4)[diagonal].tolist() == [0, 3]


@given(st.integers(2, 5), st.integers(0, 1), st.booleans())
def test_exponents_count_different_individuals(
    individuals: int, excluded: int, swapped: bool
) -> None:
    """Two places for different individuals, but for one whose state is known, by listing them."""
    swaps = ((0, 1), (1, 0)) if swapped else ((0, 1),)
    spec = TupleExponents(individuals, (2,), (0,), 2, excluded, False, swaps)
    exponents = spec.array()
    for h, (first, _) in enumerate(cell_counts(individuals, 2).tolist()):
        states = [0] * first + [1] * (individuals - first)
        for known in range(2) if excluded else [None]:
            if known is not None and known not in states:
                continue
            left = list(states)
            if known is not None:
                left.remove(known)
            pairs = [(a, b) for i, a in enumerate(left) for j, b in enumerate(left) if i != j]
            if swapped:
                pairs = [(min(pair), max(pair)) for n, pair in enumerate(pairs)]
                pairs = [pair for pair in set(pairs) for _ in range(pairs.count(pair) // 2)]
            counts = [pairs.count((a, b)) for a in range(2) for b in range(2)]
            assert exponents[known or 0, :, h].tolist() == counts
    assert spec.total >= exponents.sum(axis=1).max()


def log_entry(tensor: Scaled, place: tuple[int, ...]) -> Decimal:
    """The logarithm of an entry, with all the digits that the tensor has."""
    value = Decimal(float(tensor.values[place]))
    rest = Decimal(0.0 if tensor.rest is None else float(tensor.rest[place]))
    own = value + rest if tensor.logarithmic else value.ln()
    return own + Decimal(tensor.log_scale[0]) + Decimal(tensor.log_scale[1])


def tensor_of(*entries: int) -> np.ndarray:
    return np.array(entries, dtype=object).reshape(len(entries), 1, 1)


def to_the(power: int) -> np.ndarray:
    return np.array([[[power]]])


@pytest.mark.parametrize("times", [3, 64, 65, 1000, 10**6])
def test_powers_of_nearly_equal_entries_keep_their_ratio(times: int) -> None:
    """(n + 1) ** k / n ** k: the logarithms are large, their difference is not."""
    n = 10**6
    exact = times * (decimal_logarithm(n + 1) - decimal_logarithm(n))
    for tensor in (LOG.evaluate(tensor_of(n + 1, n)), LOG.precise(tensor_of(n + 1, n))):
        raised = LOG.powers(tensor, to_the(times))
        ratio = log_entry(raised, (0, 0, 0)) - log_entry(raised, (1, 0, 0))
        assert float(ratio) == pytest.approx(float(exact), rel=1e-12, abs=times * 3e-16)
    precise = LOG.powers(LOG.precise(tensor_of(n + 1, n)), to_the(times))
    ratio = log_entry(precise, (0, 0, 0)) - log_entry(precise, (1, 0, 0))
    assert abs(ratio - exact) < 4e-16


def test_wide_tensors_keep_the_digits_of_small_entries() -> None:
    raised = LOG.powers(LOG.precise(tensor_of(10**80 + 1, 3)), to_the(1))
    assert abs(log_entry(raised, (1, 0, 0)) - decimal_logarithm(3)) < 1e-15


def test_offsets_are_raised_with_all_their_digits() -> None:
    tensor = Scaled(np.ones((1, 1, 1)), False, (1e5, 1e-12), 0.0, 0.0)
    raised = LOG.powers(tensor, to_the(10**6))
    assert float(log_entry(raised, (0, 0, 0)) - Decimal(10) ** 11) == pytest.approx(1e-6, rel=1e-3)
    close = Scaled(np.array([1.0, 1 + 2.0**-30]).reshape(2, 1, 1), False, (1e5, 0.0), 0.0, 1e-9)
    low = LOG.powers(close, to_the(3))
    ratio = log_entry(low, (1, 0, 0)) - log_entry(low, (0, 0, 0))
    assert float(ratio) == pytest.approx(3 * math.log1p(2.0**-30), rel=0, abs=1e-15)


def test_products_of_precise_tensors_keep_their_digits() -> None:
    one, other = [10**400 + 10**390, 1], [10**400, 7]
    left, right = LOG.precise(tensor_of(*one)), LOG.precise(tensor_of(*other).reshape(1, 2))
    combined = LOG.combine(LOG.arrange(left, None, (2, 1)), right)
    for i, j in np.ndindex(2, 2):
        exact = decimal_logarithm(one[i]) + decimal_logarithm(other[j])
        assert abs(log_entry(combined, (i, j)) - exact) < 2e-15


def test_entries_600_digits_apart_are_not_lost() -> None:
    low, high = math.log2(1e-300), math.log2(1e300)
    tensor = Scaled(np.array([[1e-300], [1e300]]), False, (0.0, 0.0), low, high)
    combined = LOG.combine(tensor, LOG.arrange(tensor, None, (1, 2)))
    assert float(log_entry(combined, (0, 0))) == pytest.approx(2 * math.log(1e-300), abs=1e-9)


def test_maxima_tell_nearly_equal_entries_apart() -> None:
    n = 10**60
    logs = MAX_LOG.evaluate(np.array([n, n + 10**35], dtype=object))
    assert logs[1] - logs[0] == pytest.approx(1e-25, rel=1e-3, abs=0)


@pytest.mark.parametrize("individuals", [10, 1000, 5000])
def test_multinomials_of_many_keep_their_digits(individuals: int) -> None:
    chosen = np.arange(0, individuals + 1, individuals // 5)
    high, low = log_multinomials(np.stack([chosen, individuals - chosen], axis=1))
    for place, k in enumerate(chosen.tolist()):
        exact = decimal_logarithm(math.comb(individuals, k))
        assert abs(Decimal(high[place]) + Decimal(low[place]) - exact) < 2e-15 * math.sqrt(
            individuals
        )


@given(st.lists(st.tuples(st.floats(-1e17, 1e17), st.floats(-1, 1)), min_size=1, max_size=4))
def test_sums_of_offsets_keep_their_digits(numbers: list[tuple[float, float]]) -> None:
    high, low = plus(*numbers)
    exact = sum((Fraction(a) + Fraction(b) for a, b in numbers), start=Fraction(0))
    assert abs(Fraction(high) + Fraction(low) - exact) <= Fraction(1, 10**13)


def test_nearly_equal_potentials_are_told_apart_by_explanations() -> None:
    """With pairs a billionth better if they differ, half of many are in each state."""
    n = 2000
    X = lg.LogVar("X", n)
    Y, S = lg.LogVar("Y", X), lg.prv("S", X)
    pair = lg.parfactor([S(X), S(Y)], ["0.999999999", 1, 1, "0.999999999"], lg.unordered(X, Y))
    best = lg.ParfactorGraph.of([pair]).mpe()
    assert sum(best.states) == n // 2
    pairs = 2 * math.comb(n // 2, 2)
    assert best.log_weight == pytest.approx(pairs * math.log1p(-1e-9), rel=1e-9)


def test_high_powers_of_computed_tables_keep_their_digits() -> None:
    """Offsets, sums and small powers in between: P(E) is a ratio of two numbers to a power."""
    for persons, medications in [(3, 10**6), (64, 10**5), (1000, 1000), (10**6, 7)]:
        P, M = lg.LogVar("P", persons), lg.LogVar("M", medications)
        E, R = lg.prv("E"), lg.prv("R", P, M)
        scale = 10**8 * persons * medications
        table = [[scale + 10**8, scale], [scale, scale]]  # sums that differ by 1 in 2 n m
        model = lg.ParfactorGraph.of([lg.parfactor([E, R], table)])
        ratio = Fraction(2 * scale + 10**8, 2 * scale)
        log = persons * medications * (math.log1p(float(ratio - 1)))
        expected = 1 / (1 + math.exp(-log))
        assert model.query("E", method="lifted")["true"] == pytest.approx(expected, rel=1e-11)


pairs_of_floats = st.tuples(st.floats(-600, 20), st.floats(-(2.0**-54), 2.0**-54)).map(
    lambda pair: (pair[0], pair[0] * pair[1])
)


def pair_of_arrays(pairs: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    high, low = zip(*pairs, strict=True)
    return np.array(high), np.array(low)


def as_decimals(high: np.ndarray, low: np.ndarray) -> list[Decimal]:
    return [
        DIGITS.add(Decimal(h), Decimal(x)) for h, x in zip(high.tolist(), low.tolist(), strict=True)
    ]


@given(st.lists(pairs_of_floats, min_size=1, max_size=20))
def test_exponentials_of_pairs_have_twice_the_digits(pairs: list[tuple[float, float]]) -> None:
    arguments = pair_of_arrays(pairs)
    for log, value in zip(
        as_decimals(*arguments), as_decimals(*exponentials(arguments)), strict=True
    ):
        exact = DIGITS.exp(log)
        assert abs(DIGITS.subtract(DIGITS.divide(value, exact), 1)) < Decimal(2) ** -95


@given(st.lists(st.floats(1e-200, 1e300), min_size=1, max_size=20))
def test_logarithms_of_pairs_have_twice_the_digits(values: list[float]) -> None:
    arguments = np.array([0.0, *values]), np.array([0.0, *[value * 2.0**-55 for value in values]])
    high, low = logarithms_of_pairs(arguments)
    assert (high[0], low[0]) == (-math.inf, 0.0)
    logs = as_decimals(high[1:], low[1:])
    for value, log in zip(as_decimals(*arguments)[1:], logs, strict=True):
        exact = DIGITS.ln(value)
        assert abs(DIGITS.subtract(log, exact)) <= max(abs(exact), Decimal(1)) * Decimal(2) ** -100


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_sums_of_pairs_have_twice_the_digits(values: list[float]) -> None:
    lows = [value * 2.0**-54 for value in values]
    (total,) = as_decimals(*(np.atleast_1d(p) for p in summed((np.array(values), np.array(lows)))))
    exact = sum(map(Fraction, [*values, *lows]))
    assert abs(Fraction(total) - exact) <= exact / 2**98


@pytest.mark.parametrize("individuals", [1, 2, 30, 5000])
def test_precise_multinomials_have_twice_the_digits(individuals: int) -> None:
    counts = np.array([[k, individuals - k] for k in {0, 1, individuals // 3, individuals}])
    logs = as_decimals(*log_multinomials(counts, precise=True))
    for (chosen, _), log in zip(counts.tolist(), logs, strict=True):
        exact = decimal_logarithm(math.comb(individuals, chosen))
        scale = decimal_logarithm(math.factorial(individuals)) + 1
        assert abs(DIGITS.subtract(log, exact)) <= scale * Decimal(2) ** -96


def test_logarithms_that_are_kept_do_not_keep_long_integers() -> None:
    """Only the leading bits are remembered: a thousand integers of a million bits are not."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for place in range(50):
            integer = (3 << 1_000_000) + (place << 999_900)
            assert precise_logarithm(integer)[0] == pytest.approx(math.log(integer))
            assert float(decimal_logarithm(integer)) == pytest.approx(math.log(integer))
        del integer
        assert tracemalloc.get_traced_memory()[0] - before < 1_000_000
    finally:
        tracemalloc.stop()
