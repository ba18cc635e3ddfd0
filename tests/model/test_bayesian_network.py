"""Bayesian networks are recognised in one way only; rounded distributions are normalised."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgraph import FactorGraph, FactorGraphBuilder, InputError, Table
from liftgraph.model.ground.bayesian_network import (
    is_conditional,
    normalised,
    own_factors,
    wrong_sums,
)
from tests.strategies import bayesian_networks


def is_network(graph: FactorGraph, own: tuple[int, ...]) -> bool:
    """The naive twin: each sum is one, and some order has parents before children."""
    parents: dict[int, set[int]] = {}
    for variable, factor in enumerate(own):
        scope, table = graph.factors[factor].parts
        if variable not in scope:
            return False
        axis = scope.index(variable)
        if any(total != 1 for total in sums(table, axis)):
            return False
        parents[variable] = set(scope) - {variable}
    for order in permutations(range(len(own))):
        if all(parents[variable] <= set(order[:place]) for place, variable in enumerate(order)):
            return True
    return False


def sums(table: Table, axis: int) -> list[Fraction]:
    others = [range(size) for place, size in enumerate(table.shape) if place != axis]
    return [
        sum(
            (
                table.potential((*states[:axis], state, *states[axis:]))
                for state in range(table.shape[axis])
            ),
            Fraction(0),
        )
        for states in product(*others)
    ]


@given(bayesian_networks())
def test_the_own_factors_of_a_network_are_found(network: tuple[FactorGraph, list[int]]) -> None:
    graph, own = network
    assert own_factors(graph).tolist() == own


@given(st.data())
def test_there_is_at_most_one_way_and_it_is_found(data: st.DataObject) -> None:
    builder = FactorGraphBuilder()
    count = data.draw(st.integers(1, 4))
    builder.add_variables(count)
    tables = [["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]], [[1, 0], [0, 1]], [1, 0], [1, 1]]
    for _ in range(count):
        table = Table.of(data.draw(st.sampled_from(tables[: 5 if count > 1 else 1])))
        if len(table.shape) > count:
            continue
        scope = data.draw(st.permutations(range(count)))[: len(table.shape)]
        builder.add_factor(scope, table)
    graph = builder.build()
    numbers = range(graph.factor_count)
    ways = [own for own in permutations(numbers, count) if is_network(graph, own)]
    if graph.factor_count == count and ways:
        assert [tuple(own_factors(graph).tolist())] == ways
    else:
        with pytest.raises(InputError, match="this is not a Bayesian network: expected"):
            own_factors(graph)


@given(st.data())
def test_distributions_are_normalised(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axis = data.draw(st.integers(0, len(shape) - 1))
    decimals = data.draw(st.integers(2, 20))
    weights = data.draw(
        st.lists(st.integers(0, 50), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    )
    rows = np.moveaxis(np.array(weights, dtype=object).reshape(shape), axis, -1)
    rows[rows.sum(axis=-1) == 0, 0] = 1
    exact = np.array([[Fraction(int(w), int(sum(row))) for w in row] for row in _flat(rows)])
    rounded = np.array([[round(value, decimals) for value in row] for row in exact], dtype=object)
    given_values = np.moveaxis(rounded.reshape(rows.shape), -1, axis)
    table = normalised(Table.of(given_values), axis, Fraction(1, 2))
    assert set(sums(table, axis)) == {Fraction(1)}
    for row, came in zip(_flat(np.moveaxis(_values(table), axis, -1)), rounded, strict=True):
        total = sum(came, Fraction(0))
        for value, was in zip(row, came, strict=True):
            assert (value == was) if total == 1 else abs(value - was / total) <= Fraction(1, 10**29)
            assert (value == 0) == (was == 0)


def _flat(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, rows.shape[-1])


def _values(table: Table) -> np.ndarray:
    values = np.empty(table.shape, dtype=object)
    for states in np.ndindex(table.shape):
        values[states] = table.potential(states)
    return values


def test_small_probabilities_do_not_vanish() -> None:
    table = normalised(Table.of(["1e-40", "0.5", "0.4999"]), 0)
    assert float(table.potential((0,))) == pytest.approx(1e-40 / 0.9999)


@pytest.mark.parametrize("values", [["0.5", "0.4"], [0, 0], [1, 1]])
def test_sums_that_are_no_rounding_are_refused(values: list[object]) -> None:
    with pytest.raises(InputError, match="expected probabilities that sum to 1, got a sum of"):
        normalised(Table.of(values), 0)


def test_floats_are_as_normalised_as_floats_can_be() -> None:
    table = Table.of([0.1, 0.2, 0.7])
    assert sum(table.potential((state,)) for state in range(3)) != 1
    assert is_conditional(table, 0)
    assert normalised(table, 0) is table
    assert not is_conditional(Table.of(["0.1", "0.2", "0.6999999999999"]), 0)


def test_floats_are_distributions_up_to_rounding_in_both_directions() -> None:
    assert is_conditional(Table.of(np.full(10, 0.1)), 0)
    for off in (-0.5, -1e-11, 1e-11, 0.005, 0.5):
        assert not is_conditional(Table.of(np.array([0.5, 0.5 + off])), 0)


def test_sums_may_be_off_by_a_hundredth_and_no_more() -> None:
    for last in ("0.49", "0.51"):
        assert is_conditional(normalised(Table.of(["0.5", last]), 0), 0)
    for last in ("0.4899", "0.5101"):
        with pytest.raises(InputError, match="expected probabilities that sum to 1, got a sum of"):
            normalised(Table.of(["0.5", last]), 0)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_argument_of_several_may_be_normalised(axis: int) -> None:
    shares = np.arange(1, 25).reshape(2, 3, 4).astype(object)
    exact = shares / shares.sum(axis=axis, keepdims=True)
    given = Table.of([f"{value * 0.999:.6f}" for value in exact.ravel()], exact.shape)
    assert not is_conditional(given, axis)
    found = normalised(given, axis)
    assert found.shape == exact.shape
    assert is_conditional(found, axis)
    for states in np.ndindex(exact.shape):
        assert float(found.potential(states)) == pytest.approx(exact[states], abs=1e-5)


def test_only_what_is_off_is_divided_and_nothing_vanishes() -> None:
    found = normalised(Table.of([["1/3", "2/3"], ["1e-40", "0.999"]]), 1)
    assert [found.potential((0, state)) for state in range(2)] == [Fraction(1, 3), Fraction(2, 3)]
    small = Fraction(1, 10**40)
    expected = small / (small + Fraction(999, 1000))
    assert abs(found.potential((1, 0)) / expected - 1) < Fraction(1, 10**25)


def test_what_was_measured_is_still_measured_when_it_is_normalised() -> None:
    assert normalised(Table.of(np.array([0.3333, 0.6666])), 0).measured
    assert not normalised(Table.of(["0.3333", "0.6666"]), 0).measured


def test_wrong_sums_are_the_smallest_first() -> None:
    found = wrong_sums(Table.of([["0.1", "0.9", "0.3", "0.5", "0.7"], ["0.1"] * 5]), 0)
    assert found == [Fraction(n, 10) for n in (2, 4, 6, 8)]
