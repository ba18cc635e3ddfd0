"""Counts of common variables: answered in whatever order variables are listed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.model.ground.count_potential import CountPotential

Floats = NDArray[np.float64]


def coins(size: int) -> tuple[lg.FactorGraphBuilder, dict[str, float]]:
    """Independent variables, and the probability with which each is true."""
    builder = lg.FactorGraphBuilder()
    chances = {f"Coin.{n}": (n + 1) / (2 * size + 3) for n in range(size)}
    for name, chance in chances.items():
        builder.add_variable(name)
        builder.add_factor([name], [chance, 1 - chance])
    return builder, chances


def distribution(chances: list[float]) -> Floats:
    """How many of independent variables are true, as a convolution."""
    total = np.ones(1)
    for chance in chances:
        total = np.convolve(total, [1 - chance, chance])
    return total


def shuffled(names: list[str], seed: int) -> list[str]:
    return Random(seed).sample(names, len(names))


@pytest.mark.parametrize("seed", range(3))
def test_a_count_given_another_of_some_of_its_variables(seed: int) -> None:
    builder, chances = coins(150)
    every = shuffled([*chances], seed)
    some, others = every[:50], every[50:]
    counted = lg.count(shuffled(every, seed + 1)), lg.count(shuffled(some, seed + 2))
    answer = builder.build().query(counted[0], given={counted[1]: 9})
    expected = np.zeros(151)
    expected[9:110] = distribution([chances[name] for name in others])
    assert answer.probabilities == pytest.approx(expected, rel=1e-9)


def test_a_count_and_gates_of_its_variables() -> None:
    builder, chances = coins(60)
    parts = [[*chances][:13], [*chances][13:40], [*chances][40:]]
    for number, part in enumerate(parts):
        builder.add_variable(f"Part.{number}")
        builder.add_gate(f"Part.{number}", part, lg.at_least(3))
    given = {f"Part.{number}": "true" for number in range(3)}
    answer = builder.build().query(lg.count(shuffled([*chances], 0)), given=given)
    expected = np.ones(1)
    for part in parts:
        numbers = distribution([chances[name] for name in part])
        numbers[:3] = 0
        expected = np.convolve(expected, numbers)
    assert answer.probabilities == pytest.approx(expected / expected.sum(), rel=1e-9)


def test_a_count_that_is_asked_for_may_be_observed() -> None:
    builder, chances = coins(1000)
    count = lg.count([*chances])
    same = lg.count([*chances][::-1])  # in another order
    expected = distribution([*chances.values()])
    expected[:270] = 0
    for observed in (count, same):
        answer = builder.build().query(count, given={observed: observed >= 270})
        assert answer.probabilities == pytest.approx(expected / expected.sum(), rel=1e-9)


def contracted(potential: Any, states: tuple[int, ...]) -> Fraction:
    """The weight of an assignment as the sum over all hidden axes of the product of pieces."""
    pieces, arity = potential.pieces(), len(potential.shape)
    sizes = {
        axis: size
        for piece in pieces
        for axis, size in zip(piece.axes, piece.integers.shape, strict=True)
    }
    hidden = [axis for axis in sizes if axis >= arity]
    total = 0
    for values in product(*[range(sizes[axis]) for axis in hidden]):
        place = dict(enumerate(states)) | dict(zip(hidden, values, strict=True))
        total += prod([int(p.integers[tuple(place[axis] for axis in p.axes)]) for p in pieces])
    return total * Fraction(potential.scale)


@pytest.mark.parametrize("runs", [(), (4,), (1, 3), (3, 1), (1, 1, 2), (1, 1, 1, 1)])
def test_runs_change_no_weight(runs: tuple[int, ...]) -> None:
    addends = ((0, 1), (2, 0), (0, 1), (1, 0))
    weights = lg.Table.of([[1, 2], [3, 4], [5, 6], [0, 7], [8, 9], [1, 1]])
    for kept in (None, weights):
        potential, plain = CountPotential(addends, kept, runs), CountPotential(addends, kept)
        for states in product(*map(range, potential.shape)):
            assert contracted(potential, states) == plain.potential(states)
