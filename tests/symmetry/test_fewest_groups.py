"""The bound on the number of groups holds for the groups that colour passing finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import liftgraph as lg
from liftgraph.symmetry.colours.fewest_groups import fewest_groups, rigid_factors
from tests.strategies import factor_graphs


@given(factor_graphs())
def test_no_colouring_has_fewer_groups(graph: lg.FactorGraph) -> None:
    variables, factors = fewest_groups(graph)
    for algorithm in ("cp", "acp", "alpha-acp"):
        colouring = lg.colour_passing(graph, algorithm=algorithm, tolerance=0)
        assert variables <= colouring.variable_group_count
        assert factors <= colouring.factor_group_count


def test_large_integers_are_compared_by_value() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(14)
    integers = np.array([10**30 + place for place in range(2**7)], dtype=object).reshape([2] * 7)
    builder.add_factor(range(7), lg.Table.of(integers))
    builder.add_factor(range(7, 14), lg.Table.of(integers.T + 0))
    assert fewest_groups(builder.build())[1] == 1
    assert not rigid_factors(builder.build()).any()


@given(factor_graphs())
def test_rigid_factors_are_alone(graph: lg.FactorGraph) -> None:
    colouring = lg.colour_passing(graph.observing({}), tolerance=0)
    variable_sizes = np.bincount(colouring.variable_colours)[colouring.variable_colours]
    factor_sizes = np.bincount(colouring.factor_colours)[colouring.factor_colours]
    for factor in np.flatnonzero(rigid_factors(graph)).tolist():
        assert factor_sizes[factor] == 1
        assert (variable_sizes[list(graph.factors[factor].scope)] == 1).all()


def test_factors_with_tables_of_their_own_are_alone() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(4)  # the last one is in no factor
    for index, pair in enumerate([(0, 1), (1, 2), (2, 0)]):
        builder.add_factor(pair, [[1, 2], [3, 5 + index]])
    assert rigid_factors(builder.build()).tolist() == [True, True, True]
    builder.add_factor((2, 3), [[1, 3], [2, 5]])  # like the first one, in another order
    assert rigid_factors(builder.build()).tolist() == [False, True, True, False]
