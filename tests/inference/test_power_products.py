"""Products of powers, beside the integers that they are, and models that are solved with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial, reduce
from importlib.util import find_spec
from itertools import accumulate
from operator import add, mul
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import datasets
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.query import Query
from liftgraph.semiring import EXACT
from liftgraph.semiring.exact import FACTORED, FLINT, FactoredSemiring, ratio
from liftgraph.semiring.power_products import (
    Base,
    PowerProduct,
    bit_bound,
    power_divisor,
    raisable,
)
from tests.brute_force import brute_force
from tests.relational import relational_models

Kind = Callable[[int], Any]
SEMIRINGS = [FACTORED, *([FLINT] if find_spec("flint") else [])]
SMALL = st.integers(1, 60)


def kinds() -> Iterator[Kind]:
    """What makes integers."""
    yield int
    if find_spec("flint"):
        from flint import fmpz

        yield cast(Kind, fmpz)


@st.composite
def products(draw: st.DrawFn) -> tuple[int, dict[int, int]]:
    """A coefficient, and bases that often have divisors in common, with exponents."""
    powers = draw(st.dictionaries(st.integers(2, 12), st.integers(1, 9), max_size=3))
    return draw(SMALL), powers


def written(kind: Kind, product: tuple[int, dict[int, int]]) -> PowerProduct:
    coefficient, powers = product
    return PowerProduct(kind(coefficient), {Base(kind(b)): x for b, x in powers.items()})


@given(st.integers(2, 9), st.lists(st.sampled_from([-60, -2, -1, 0, 1, 2, 60]), max_size=9))
def test_powers_are_made_from_longer_and_from_shorter_ones(number: int, steps: list[int]) -> None:
    for kind in kinds():
        base = Base(kind(number))
        for exponent in accumulate(steps, initial=600):
            assert base**exponent == number**exponent


def value(product: tuple[int, dict[int, int]]) -> int:
    powers: list[int] = [base**exponent for base, exponent in product[1].items()]
    return product[0] * math.prod(powers)


@pytest.mark.parametrize("kind", list(kinds()))
@given(products(), products(), st.integers(0, 5), st.integers(0, 60))
def test_products_of_powers_are_integers(
    kind: Kind, one: tuple[int, dict[int, int]], other: tuple[int, dict[int, int]], x: int, n: int
) -> None:
    a, b, plain = written(kind, one), written(kind, other), kind(n)
    assert int(a) == value(one) < 2 ** bit_bound(a)
    assert int(a * b) == value(one) * value(other)
    assert int(a + b) == value(one) + value(other)
    assert int(a**x) == value(one) ** x
    assert int(a * plain) == int(plain * a) == value(one) * n
    assert int(a + plain) == int(plain + a) == value(one) + n
    for divisor, expected in ((b, value(one)), (kind(value(other)), value(one))):
        assert int((a * b) // divisor) == expected
    assert int(kind(value(one) * value(other)) // b) == value(one)
    assert int(kind(0) // b) == 0
    assert ratio(a, kind(value(other))) == Fraction(value(one), value(other))


@given(st.integers(1, 10**9), st.integers(2, 100), st.integers(1, 40))
def test_the_divisor_of_a_power_needs_no_look_at_all_of_it(n: int, base: int, x: int) -> None:
    assert power_divisor(n, Base(base), x) == math.gcd(n, base**x)
    assert power_divisor(n * base**x, Base(base), x) == base**x


@pytest.mark.parametrize("kind", list(kinds()))
@given(st.lists(st.integers(0, 30), min_size=1, max_size=5), st.integers(0, 6))
def test_what_will_be_raised_keeps_its_value(kind: Kind, integers: list[int], x: int) -> None:
    raised = raisable([kind(integer) for integer in integers])
    assert [int(entry**x) for entry in raised] == [integer**x for integer in integers]
    assert [int(entry) for entry in raisable(raised)] == integers


def test_a_base_finds_neighbouring_powers_from_its_latest_one() -> None:
    base = Base(3)
    for exponent in (1000, 1001, 999, 999, 1, 500, 0):
        assert base**exponent == 3**exponent


def test_sums_of_neighbouring_weights_are_short() -> None:
    """The common power is not multiplied out: a sum of n terms has no more bits than they need."""
    terms = [PowerProduct(1, {Base(10): 10**6 + place}) for place in range(16)]
    total = reduce(add, terms)
    assert total.coefficient == int("1" * 16)
    assert list(total.powers.values()) == [10**6]


ENTRIES = st.lists(st.integers(0, 40), min_size=6, max_size=6)


@pytest.mark.parametrize("semiring", SEMIRINGS)
@given(ENTRIES, st.lists(st.integers(0, 9), min_size=36, max_size=36))
def test_the_semiring_gives_the_same_integers_as_its_twin(
    semiring: FactoredSemiring, entries: list[int], listed: list[int]
) -> None:
    integers = np.array(entries, dtype=object).reshape(2, 1, 3)
    exponents = np.array(listed).reshape(1, 3, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("liftgraph.semiring.exact._LONG_POWER", 0)
        powers = semiring.powers(semiring.evaluate(integers), exponents)
    twin = EXACT.powers(EXACT.evaluate(integers), exponents)
    assert_equal(powers, twin)
    assert semiring.possible(powers) == EXACT.possible(twin)
    columns, twins = powers.T, twin.T
    sums, expected = semiring.combine(columns, columns), EXACT.combine(twins, twins)
    assert_equal(sums, expected)
    assert_equal(semiring.weighed(powers, exponents), EXACT.weighed(twin, exponents))
    index = np.arange(12) // 3
    spread = semiring.spread(powers[:, 0], index, 4), EXACT.spread(twin[:, 0], index, 4)
    assert_equal(*spread)
    flow = semiring.times(powers, semiring.powers(semiring.evaluate(integers), exponents))
    assert_equal(semiring.share(flow, powers), twin)
    ours, theirs = semiring.normalise(powers), EXACT.normalise(twin)
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert np.array_equal(cast(Any, ours.fractions), cast(Any, theirs.fractions))
        assert (ours.sum, ours.log_sum) == (theirs.sum, theirs.log_sum)


def assert_equal(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    assert ours.shape == theirs.shape
    assert [int(entry) for entry in ours.ravel()] == theirs.ravel().tolist()


@pytest.mark.parametrize("semiring", SEMIRINGS)
@given(relational_models())
def test_models_have_the_same_answers(semiring: FactoredSemiring, model: lg.ParfactorGraph) -> None:
    graph = model.ground()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("liftgraph.semiring.exact._LONG_POWER", 0)
        patch.setattr("liftgraph.semiring.choose.exact_semiring", lambda bits: semiring)
        ask = partial(model.marginals, exact=True, method="lifted")
        try:
            expected = cast(lg.Marginals, brute_force(graph, Query("marginals")))
        except lg.ZeroWeightError:
            with pytest.raises(lg.ZeroWeightError):
                ask()
            return
        answer = ask()
        z = cast(lg.Partition, brute_force(graph, Query("partition"))).z
        assert model.partition(exact=True, method="lifted").z == z
    assert all(answer[name].exact == expected[name].exact for name in expected)


@pytest.mark.parametrize("longest", [300_000, 10**12], ids=["flint", "python"])
def test_smokers_have_the_weight_of_the_closed_form(
    longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With k smokers, pairs that agree on smoking weigh 2n + 1, and others 2n."""
    monkeypatch.setattr("liftgraph.semiring.exact._LONG", longest)
    n, total, smoking = 120, 0, Fraction(0)
    for k in range(n + 1):
        agreeing = k * (k - 1) + (n - k) * (n - k - 1)
        pairs = (2 * n + 1) ** agreeing * (2 * n) ** (n * (n - 1) - agreeing)
        weight = math.comb(n, k) * 1000**k * 1001 ** (n - k) * pairs
        total, smoking = total + weight, smoking + Fraction(k, n) * weight
    model = datasets.smokers(n)
    assert model.partition(exact=True).z == total
    exact = model.query("Smokes.1", exact=True).exact
    assert exact["true"] == smoking / total
    assert exact["false"] == 1 - smoking / total


FRACTIONS = st.fractions(0, 50, max_denominator=30)


@given(st.lists(st.tuples(FRACTIONS, st.integers(0, 40)), max_size=5))
def test_products_of_fractions_are_reduced(powers: list[tuple[Fraction, int]]) -> None:
    product = product_of_powers(powers)
    expected: Fraction = reduce(mul, [base**exponent for base, exponent in powers], Fraction(1))
    assert product.as_integer_ratio() == expected.as_integer_ratio()
    assert type(product.numerator) is type(product.denominator) is int
