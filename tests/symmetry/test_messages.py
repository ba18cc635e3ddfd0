"""Messages against the groups of the next round, and against scopes and tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm, Colouring
from liftgraph.symmetry.colours.messages import FactorMessages, Messages
from tests.strategies import factor_graphs, symmetric_graphs
from tests.symmetry import naive
from tests.symmetry.test_colour_passing import mixed_tree

graphs = st.one_of(symmetric_graphs(), factor_graphs())
algorithms = st.sampled_from(ALGORITHMS)


def all_messages(colouring: Colouring) -> list[Messages]:
    return [colouring.messages(number) for number in range(1, colouring.rounds + 1)]


@given(graphs, algorithms)
def test_equal_messages_are_the_groups_of_the_next_round(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    tell_all_groups(graph, algorithm)


@pytest.mark.parametrize("seed", range(4))
def test_messages_with_exchanges_of_arguments(seed: int) -> None:
    tell_all_groups(mixed_tree(60, seed, exchanges=True), "alpha-acp")


def test_messages_of_triples_that_are_turned() -> None:
    x, y, z = np.indices((3, 3, 3))
    rotating = 1 + 1 * (x < y) + (y < z) + (z < x)
    builder = lg.FactorGraphBuilder()
    for kind in range(3):
        for _ in range(4):
            builder.add_factor([builder.add_variable(states=3)], [1, 2, 3 + kind])
    for copy in range(4):  # each has a variable of every kind, the kinds in the same sense
        builder.add_factor([4 * (kind + copy) % 12 + copy for kind in range(3)], rotating)
    tell_all_groups(builder.build(), "acp")


def tell_all_groups(graph: lg.FactorGraph, algorithm: Algorithm) -> None:
    """The messages of every round are equal exactly in the groups after that round."""
    colouring = lg.colour_passing(graph, algorithm, record=True)
    for number, messages in enumerate(all_messages(colouring), start=1):
        variables, factors = (naive.partition(c.tolist()) for c in colouring.after(number))
        assert naive.partition((m.colour, m.told) for m in messages.factors) == factors
        assert naive.partition((m.colour, m.told) for m in messages.variables) == variables


@given(graphs, algorithms)
def test_colours_are_those_of_the_rounds(graph: lg.FactorGraph, algorithm: Algorithm) -> None:
    colouring = lg.colour_passing(graph, algorithm, record=True)
    for number, messages in enumerate(all_messages(colouring), start=1):
        before, after = colouring.after(number - 1), colouring.after(number)
        assert [m.colour for m in messages.variables] == before[0].tolist()
        assert [m.new_colour for m in messages.variables] == after[0].tolist()
        assert [m.colour for m in messages.factors] == before[1].tolist()
        assert [m.new_colour for m in messages.factors] == after[1].tolist()


@given(graphs, algorithms)
def test_everyone_is_told_what_the_neighbours_have(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    colouring = lg.colour_passing(graph, algorithm, record=True)
    for number, messages in enumerate(all_messages(colouring), start=1):
        colours, factor_colours = colouring.after(number - 1)[0], colouring.after(number)[1]
        met: list[Counter[int]] = [Counter() for _ in range(graph.variable_count)]
        for message in messages.factors:
            scope = graph.scope_of(message.factor)
            assert sorted(message.arguments) == sorted(scope)
            assert sorted(message.told) == sorted(colours[list(scope)].tolist())
            for variable in scope:
                met[variable][int(factor_colours[message.factor])] += 1
        for told, expected in zip(messages.variables, met, strict=True):
            counted: Counter[int] = Counter()
            for colour, _, times in told.told:
                counted[colour] += times
            assert counted == expected


@given(graphs, algorithms)
def test_factors_of_a_colour_have_one_table_in_the_order_of_their_positions(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    colouring = lg.colour_passing(graph, algorithm, tolerance=0, record=True)
    messages = colouring.messages(1)
    first: dict[int, FactorMessages] = {}
    for message in messages.factors:
        other = first.setdefault(message.colour, message)
        ratios = set()
        for states in product(*[range(len(graph.states(v))) for v in message.arguments]):
            weights = weight(graph, message, states), weight(graph, other, states)
            assert (weights[0] == 0) == (weights[1] == 0)
            ratios |= {weights[0] / weights[1]} if weights[1] else set()
        assert len(ratios) <= 1
        assert algorithm == "alpha-acp" or ratios <= {1}
        assert algorithm != "cp" or message.arguments == graph.scope_of(message.factor)


def weight(graph: lg.FactorGraph, message: FactorMessages, states: tuple[int, ...]) -> Fraction:
    """The potential if the arguments, in the order of the message, have these states."""
    scope, table = graph.factors[message.factor].parts
    chosen = dict(zip(message.arguments, states, strict=True))
    return table.potential([chosen[variable] for variable in scope])


@given(graphs)
def test_positions_of_colour_passing_without_symmetries_are_those_of_scopes(
    graph: lg.FactorGraph,
) -> None:
    colouring = lg.colour_passing(graph, "cp", record=True)
    for number, messages in enumerate(all_messages(colouring), start=1):
        factor_colours = colouring.after(number)[1].tolist()
        heard: list[Counter[tuple[int, tuple[int, ...]]]]
        heard = [Counter() for _ in range(graph.variable_count)]
        for factor in range(graph.factor_count):
            for position, variable in enumerate(graph.scope_of(factor)):
                heard[variable][factor_colours[factor], (position,)] += 1
        for message, expected in zip(messages.variables, heard, strict=True):
            assert {(c, p): n for c, p, n in message.told} == expected


@given(graphs, st.sampled_from(["acp", "alpha-acp"]))
def test_positions_that_are_not_told_apart_are_symmetric(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    messages = lg.colour_passing(graph, algorithm, tolerance=0, record=True).messages(1)
    for message in messages.factors:
        for positions in message.commuting:
            arguments = [message.arguments[position] for position in positions]
            scope, table = graph.factors[message.factor].parts
            places = tuple(scope.index(variable) for variable in arguments)
            assert naive.is_commutative(table, places)


def figure() -> lg.FactorGraph:
    """The paper's example of colour passing, with B as the second argument of both factors."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    builder.add_factor(["A", "B"], [1, 2, 3, 4])
    builder.add_factor(["C", "B"], [1, 2, 3, 4])
    return builder.build()


def test_the_example_of_the_paper() -> None:
    messages = lg.colour_passing(figure(), record=True).messages(1)
    told = [message.told for message in messages.variables]
    assert told == [((0, (0,), 1),), ((0, (1,), 2),), ((0, (0,), 1),)]
    factors, variables = messages.tabulars
    assert factors.row_count == 1
    assert variables.row_count == 2
    assert "A, C" in str(variables)
    assert "2 × (0, 2)" in str(messages)
    assert "<td" in messages._repr_html_()


def test_many_members_of_a_group_are_shortened() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(1000)
    builder.add_factors(np.arange(1000)[:, None], [1, 2])
    messages = lg.colour_passing(builder.build(), record=True).messages(1)
    assert "… and 988 more" in str(messages)
    assert max(map(len, str(messages).splitlines())) < 200


def test_what_cannot_be_listed_is_refused() -> None:
    graph = figure()
    with pytest.raises(lg.InputError, match="rounds recorded"):
        lg.colour_passing(graph).messages(1)
    colouring = lg.colour_passing(graph, record=True)
    for number in (-1, 0, colouring.rounds + 1):
        with pytest.raises(lg.InputError, match="expected a round from"):
            colouring.messages(number)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(30)
    builder.add_count_factor(list(range(30)), lg.at_most(3))
    wide = lg.colour_passing(builder.build(), record=True)
    with pytest.raises(lg.InputError, match="factor 0 is a count factor"):
        wide.messages(1)


def test_no_factors_and_no_variables() -> None:
    builder = lg.FactorGraphBuilder()
    assert str(lg.colour_passing(builder.build(), record=True).messages(1))
    builder.add_variable("A")
    messages = lg.colour_passing(builder.build(), record=True).messages(1)
    assert messages.variables[0].told == ()
