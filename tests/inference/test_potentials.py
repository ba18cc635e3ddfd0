"""A kind of potential added from outside, which elimination never expands into a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.table import Piece, Potential, PotentialPool, Table
from liftgraph.model.query import Query
from tests.brute_force import brute_force

MANY = 40


@dataclass(frozen=True)
class Automaton:
    """The weight of the state that reading the arguments one after the other leads to.

    ``step``: from each state, the next one for each letter; reading starts in state 0.
    """

    arguments: int
    step: tuple[tuple[int, int], ...]
    weights: tuple[int, ...]
    scale: Fraction = Fraction(1)
    measured: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return (2,) * self.arguments

    def potential(self, states: Sequence[int]) -> Fraction:
        reached = 0
        for letter in states:
            reached = self.step[reached][letter]
        return self.weights[reached] * self.scale

    def table(self) -> Table:
        if self.arguments > 10:
            raise lg.MemoryLimitError(f"a table of 2 ** {self.arguments} entries is too large")
        values = [self.potential(states) for states in product(range(2), repeat=self.arguments)]
        return Table.of(values, self.shape)

    def pieces(self) -> list[Piece]:
        """A chain: the state after each argument is a hidden axis."""
        states, n = len(self.step), self.arguments
        moves = np.zeros((states, 2, states), dtype=np.int64)
        for state, letter in product(range(states), range(2)):
            moves[state, letter, self.step[state][letter]] = 1
        chain = [Piece(moves, (n + place - 1, place, n + place)) for place in range(1, n)]
        last = Piece(np.array(self.weights), (2 * n - 1,))
        return [Piece(moves[0], (0, n)), *chain, last]


def parity(arguments: int, even: int, odd: int, scale: Fraction = Fraction(1)) -> Automaton:
    return Automaton(arguments, ((0, 1), (1, 0)), (even, odd), scale)


def exactly_one(arguments: int) -> Automaton:
    """Of the arguments, one is in its second state."""
    return Automaton(arguments, ((0, 1), (1, 2), (2, 2)), (0, 1, 0))


def over_coins(potential: Potential, coins: Sequence[tuple[int, int]]) -> lg.FactorGraph:
    """A potential over variables that have weights of their own."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(len(coins))
    for coin, weights in enumerate(coins):
        builder.add_factor([coin], list(weights))
    builder.add_factor(range(len(coins)), potential)
    return builder.build()


@st.composite
def graphs(draw: st.DrawFn) -> lg.FactorGraph:
    """Automata and tables over the same few variables, some of them observed."""
    count = draw(st.integers(2, 5))
    builder = lg.FactorGraphBuilder()
    builder.add_variables(count)
    weight = st.integers(0, 5)
    for _ in range(draw(st.integers(1, 3))):
        scope = draw(st.lists(st.integers(0, count - 1), unique=True, min_size=1, max_size=count))
        scale = draw(st.fractions(Fraction(1, 9), 9))
        even, odd = draw(weight), draw(weight)
        kinds = [parity(len(scope), even, odd, scale), exactly_one(len(scope))]
        builder.add_factor(scope, draw(st.sampled_from(kinds)))
    for variable in range(count - 1):
        builder.add_factor([variable, variable + 1], draw(st.lists(weight, min_size=4, max_size=4)))
    observed = draw(st.dictionaries(st.integers(0, count - 1), st.integers(0, 1), max_size=2))
    return builder.build().observing(observed)


def ask(graph: lg.FactorGraph, query: Query) -> Answer | None:
    try:
        return methods.plan(graph, query, method="ground").run()
    except lg.ZeroWeightError:
        return None


@given(graphs(), st.sampled_from(["marginals", "partition", "explanation", "marginal"]))
def test_answers_equal_enumeration(graph: lg.FactorGraph, kind: str) -> None:
    variables = (0, graph.variable_count - 1) if kind == "marginal" else ()
    exact = ask(graph, Query(kind, variables, exact=True))
    floats = ask(graph, Query(kind, variables))
    try:
        expected = brute_force(graph, Query(kind, variables))
    except lg.ZeroWeightError:
        assert exact is None
        assert floats is None
        return
    match expected, exact, floats:
        case lg.Partition(), lg.Partition(), lg.Partition():
            assert exact.z == expected.z
            assert floats.log_z == pytest.approx(expected.log_z, rel=1e-9, abs=1e-9)
        case lg.Assignment(), lg.Assignment(), lg.Assignment():
            assert exact.weight == expected.weight
            assert floats.log_weight == pytest.approx(expected.log_weight, rel=1e-9, abs=1e-9)
        case lg.Marginal(), lg.Marginal(), lg.Marginal():
            assert exact.exact == expected.exact
            assert np.allclose(floats.probabilities, expected.probabilities, rtol=1e-9)
        case lg.Marginals(), lg.Marginals(), lg.Marginals():
            for name in expected:
                assert exact[name].exact == expected[name].exact
                assert np.allclose(floats[name].probabilities, expected[name].probabilities)
        case _:
            raise AssertionError(expected)


def even_and_odd(coins: Sequence[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """The weight of all assignments with an even and with an odd number of second states."""
    every = math.prod(a + b for a, b in coins)
    signed = math.prod(a - b for a, b in coins)
    return Fraction(every + signed, 2), Fraction(every - signed, 2)


def test_parity_of_many_coins() -> None:
    coins = [(2 + coin % 3, 1 + coin % 5) for coin in range(MANY)]
    graph = over_coins(parity(MANY, 2, 7, Fraction(1, 3)), coins)
    even, odd = even_and_odd(coins)
    z = (2 * even + 7 * odd) / 3
    assert graph.partition(exact=True, method="ground").z == z
    assert graph.partition(method="ground").log_z == pytest.approx(math.log(z), rel=1e-12)
    rest_even, rest_odd = even_and_odd(coins[1:])
    first = coins[0][0] * (2 * rest_even + 7 * rest_odd) / 3 / z
    assert graph.query(0, exact=True, method="ground")["true"] == float(first)
    exact = graph.marginals(exact=True, method="ground")
    assert exact["0"].exact["true"] == first
    floats = graph.marginals(method="ground")
    for name in exact:
        assert np.allclose(floats[name].probabilities, exact[name].probabilities, rtol=1e-12)
    observed = graph.query(0, given=dict.fromkeys(range(2, MANY), "true"), method="ground")
    second = [2 * coins[1][0] + 7 * coins[1][1], 7 * coins[1][0] + 2 * coins[1][1]]
    expected = np.array([coins[0][0] * second[0], coins[0][1] * second[1]])
    assert np.allclose(observed.probabilities, expected / expected.sum(), rtol=1e-12)


def test_one_of_many_coins() -> None:
    coins = [(3, 1 + (7 * coin) % 41) for coin in range(MANY)]  # all of them differ
    graph = over_coins(exactly_one(MANY), coins)
    chosen = [Fraction(b * 3 ** (MANY - 1)) for _, b in coins]
    assert graph.partition(exact=True, method="ground").z == sum(chosen)
    joint = graph.query(0, 5, exact=True, method="ground")
    assert joint.exact["false", "true"] == chosen[0] / sum(chosen)
    assert joint["false", "false"] == 0
    best = max(range(MANY), key=chosen.__getitem__)
    for exact in (False, True):
        explanation = graph.mpe(exact=exact, method="ground")
        assert [coin for coin in range(MANY) if explanation.states[coin]] == [best]
        assert explanation.log_weight == pytest.approx(math.log(chosen[best]), rel=1e-12)
    assert graph.mpe(exact=True, method="ground").weight == chosen[best]
    with pytest.raises(lg.ZeroWeightError):
        graph.query(3, given={0: "false", 1: "false"}, method="ground")


@dataclass(frozen=True)
class Typed:
    """The weights 1 and ``largest`` of one argument, in an array of integers of any type."""

    dtype: str
    largest: int
    shape: tuple[int, ...] = (2,)
    scale: Fraction = Fraction(1)
    measured: bool = False

    def potential(self, states: Sequence[int]) -> Fraction:
        return Fraction((1, self.largest)[states[0]])

    def table(self) -> Table:
        return Table.of([1, self.largest])

    def pieces(self) -> list[Piece]:
        return [Piece(np.array([1, self.largest], dtype=self.dtype), (0,))]


@pytest.mark.parametrize(
    ("dtype", "largest"),
    [("bool", 1), ("uint8", 255), ("int32", 2**31 - 1), ("uint64", 2**64 - 1), ("object", 2**70)],
)
def test_pieces_have_integers_of_any_type(dtype: str, largest: int) -> None:
    graph = over_coins(Typed(dtype, largest), [(3, 5)])
    z = 3 + 5 * largest
    assert graph.partition(exact=True, method="ground").z == z
    assert graph.partition(method="ground").log_z == pytest.approx(math.log(z), rel=1e-12)
    assert graph.query(0, exact=True, method="ground").exact["false"] == Fraction(5 * largest, z)
    assert graph.mpe(exact=True, method="ground").weight == max(3, 5 * largest)


def test_a_plan_names_what_is_hidden_inside_a_potential() -> None:
    text = str(over_coins(exactly_one(3), [(1, 1)] * 3).explain(0, method="ground"))
    assert "variables  3, 3 left" in text
    assert "hidden variable" in text


def test_a_graph_is_not_bothered_by_potentials_of_other_graphs_in_its_pool() -> None:
    pool = PotentialPool()
    wide = lg.FactorGraphBuilder(pool)
    wide.add_variables(70)
    wide.add_factor(range(70), parity(70, 1, 2))
    small = lg.FactorGraphBuilder(pool)
    small.add_variables(2)
    for variable in range(2):
        small.add_factor([variable], [1, 2])
    graph = small.build()
    assert lg.colour_passing(graph).variable_group_count == 1
    assert graph.query(0, method="lifted", exact=True).exact["true"] * 3 == 1
