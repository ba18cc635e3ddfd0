"""An origin lists what its lifted model stands for, exactly once, or it is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import liftgraph as lg
from liftgraph.model.lifted.origin import Origin, check_origin
from tests.strategies import factor_graphs


def checked(model: lg.ParfactorGraph, **changes: Any) -> None:
    assert model.origin is not None
    check_origin(replace(model.origin, **changes), model.variable_count, model.parfactors)


def origin_of(model: lg.ParfactorGraph) -> Origin:
    assert model.origin is not None
    return model.origin


@given(factor_graphs())
def test_the_origin_of_a_lifted_graph_is_right(graph: lg.FactorGraph) -> None:
    checked(lg.lift(graph))


def nearly_alike(shapes: list[tuple[int, int]]) -> lg.ParfactorGraph:
    """Pairs with tables that differ a little, lifted with a tolerance."""
    builder = lg.FactorGraphBuilder()
    for pair, (rows, columns) in enumerate(shapes):
        builder.add_variable(f"A{pair}", rows)
        builder.add_variable(f"B{pair}", columns)
        base = np.arange(1.0, 1 + rows * columns).reshape(rows, columns)
        builder.add_factor([f"A{pair}", f"B{pair}"], base * (1 + 1e-9 * pair * (base > 2)))
    model = lg.lift(builder.build(), tolerance="1e-6")
    assert len(model.parfactors) == 1
    assert origin_of(model).near
    return model


def test_near_tables_have_the_shapes_of_their_factors() -> None:
    model = nearly_alike([(2, 3)] * 4)
    checked(model)
    wrong = tuple(lg.Table.of(near.table().integers.T) for near in origin_of(model).near)
    with pytest.raises(lg.InputError, match=r"factor \d: expected a table of shape .*, got"):
        checked(model, near=wrong)


def test_a_name_too_many_is_refused() -> None:
    model = lg.lift(lg.datasets.epid(4).ground())
    names = origin_of(model).names or ()
    for wrong in ((*names, names[-1]), names[:-1], (*names[:-1], names[0]), (*names, "more")):
        with pytest.raises(lg.InputError, match=f"expected {len(names)} distinct names, got"):
            checked(model, names=wrong)
    checked(model, names=tuple(reversed(names)))


def test_a_tolerance_that_no_lifting_has_is_refused() -> None:
    model = nearly_alike([(2, 3)] * 4)
    long = Fraction(10**3999)
    for wrong in ({"tolerance": long}, {"log_odds_bound": -1.0}, {"log_odds_bound": math.inf}):
        with pytest.raises(lg.InputError, match="expected a tolerance below 1"):
            checked(model, **wrong)
