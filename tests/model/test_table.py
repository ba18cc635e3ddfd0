"""Tables: coprime integers times a scale, whatever they were made from."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgraph import InputError, Table
from liftgraph.exact import rational
from liftgraph.model.ground.bayesian_network import normalised
from liftgraph.model.ground.table import PotentialPool, collinear
from tests.strategies import potentials, tables


@given(st.lists(st.integers(1, 3), max_size=4), st.data())
def test_a_table_has_the_values_it_was_made_from(shape: list[int], data: st.DataObject) -> None:
    count = prod(shape)
    values = data.draw(st.lists(potentials(), min_size=count, max_size=count))
    table = Table.of(values, shape)
    assert table.shape == tuple(shape)
    places = product(*map(range, shape))
    assert [table.potential(place) for place in places] == [rational(value) for value in values]
    entries = [int(entry) for entry in table.integers.ravel()]
    assert gcd(*entries) == (1 if any(entries) else 0)
    assert table.scale > 0


@given(tables(), st.fractions(min_value=Fraction(1, 50), max_value=50))
def test_scaled_tables_are_collinear(table: Table, factor: Fraction) -> None:
    flat = [int(entry) * table.scale * factor for entry in table.integers.ravel()]
    scaled = Table.of(flat, table.shape)
    assert collinear(table, scaled)
    assert (scaled == table) == (factor == 1 or not any(flat))


def test_decimal_text_is_proportional_where_floats_are_not() -> None:
    one, three = Table.of(["0.1", "0.2", "0.3"]), Table.of(["0.3", "0.6", "0.9"])
    assert collinear(one, three)
    assert three.scale / one.scale == 3
    assert not collinear(Table.of([0.1, 0.2, 0.3]), Table.of([0.3, 0.6, 0.9]))


def test_only_floats_are_measured() -> None:
    assert Table.of([0.5, 1]).measured
    assert Table.of(np.array([0.5, 1], dtype=np.float32)).measured
    assert not Table.of(np.array([1, 2])).measured
    assert not Table.of(["0.5", Fraction(1, 3)]).measured
    assert Table.of([0.5, 1]) == Table.of(["0.5", "1"])


def test_nested_lists_arrays_and_flat_lists_agree() -> None:
    nested = [[[1, 2], [3, 4], [5, 6]]]
    assert Table.of(nested) == Table.of(np.array(nested)) == Table.of([1, 2, 3, 4, 5, 6], (1, 3, 2))
    assert Table.of(7).shape == ()
    assert Table.of([7], ()) == Table.of(7)


@pytest.mark.parametrize(
    ("values", "shape", "problem"),
    [
        ([1, 2, 3], (2, 2), r"expected a table of shape \(2, 2\), got \(3,\)"),
        ([[1, 2], [3]], None, "rows of different shapes"),
        ([[1, 2], 3], None, "rows of different shapes"),
        ([], None, "at least one state"),
        ([1, -2], None, "non-negative"),
        ([1, float("nan")], None, "non-negative"),
        ([1, None], None, "non-negative"),
        ([1], (1,) * 65, "at most 64 arguments"),
        (b"12", None, "non-negative"),
        ([10**5000, 1], None, "at most 4000 digits"),
    ],
)
def test_misfits_are_refused(values: object, shape: tuple[int, ...] | None, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Table.of(values, shape)


@given(tables())
def test_tables_survive_pickling_and_stay_frozen(table: Table) -> None:
    copy = pickle.loads(pickle.dumps(table))
    assert copy == table
    assert hash(copy) == hash(table)
    assert not copy.integers.flags.writeable


def test_a_pool_keeps_equal_tables_once_but_measured_ones_apart() -> None:
    pool = PotentialPool()
    assert [pool.add(Table.of(values)) for values in ([1, 2], [2, 4], ["1", "2"], [1.0, 2.0])] == [
        0,
        1,
        0,
        2,
    ]
    assert len(pool) == 3
    assert pool[1] == Table.of([2, 4])


def test_long_doubles_are_taken_as_they_are() -> None:
    if np.finfo(np.longdouble).minexp < -16000:
        tiny = np.longdouble("1e-3000")
        assert Table.of([tiny, 1]).potential((0,)) == Fraction(*map(int, tiny.as_integer_ratio()))


def test_extreme_tables_can_be_shown() -> None:
    assert repr(Table.of(["1e-3000", "1e3000"])) == "Table(2, [1 ≈1.00000e+6000] × ≈1.00000e-3000)"


@pytest.mark.parametrize("states", [(0,), (0, 1, 0), (2, 0), (-1, 0)])
def test_a_potential_is_asked_for_within_the_table(states: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="expected states within"):
        Table.of([[1, 2], [3, 4]]).potential(states)


def test_far_apart_numbers_of_all_kinds_are_exact() -> None:
    for pair in ([10**3999, Fraction(1, 10**3999)], ["1e3999", "1e-3999"], [1e308, 5e-324]):
        table = Table.of(pair)
        assert [table.potential((0,)), table.potential((1,))] == [rational(v) for v in pair]
        assert len(repr(table)) < 100


def test_a_table_whose_integers_would_be_too_long_is_refused() -> None:
    values = [10**3990 + number for number in range(2000)]
    values_below = [Fraction(1, value) for value in values]
    assert Table.of(values).shape == (2000,)
    with pytest.raises(InputError, match="short common denominator"):
        Table.of([*values, *values_below])


def test_distributions_of_very_long_numbers_are_normalised() -> None:
    table = normalised(Table.of(["0.5", Fraction(1, 7**4700), Fraction(4999, 10**4)]), 0)
    assert sum(int(integer) for integer in table.integers) * table.scale == 1


@pytest.mark.parametrize("kind", ["few", "many", "integers", "wide"])
def test_a_large_array_is_the_table_of_its_numbers(kind: str) -> None:
    generator = np.random.default_rng(5)
    values: Any = generator.random(6_000)
    if kind == "few":
        values = np.round(values, 1)
    elif kind in ("integers", "wide"):
        values = generator.integers(0, 5, 6_000) * (6 if kind == "integers" else 2**60)
    expected = Table.of(values.tolist(), shape=(60, 100))
    table = Table.of(values.reshape(60, 100))
    assert table == expected
    assert (table.scale, table.measured) == (expected.scale, expected.measured)
    assert table.integers.dtype == expected.integers.dtype
