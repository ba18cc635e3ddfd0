"""Quotients against dictionaries that count members, under every reordering; and their parts."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.symmetry.colours import contributions
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm
from liftgraph.symmetry.colours.quotient import Meeting
from tests.inference.test_counts import graphs
from tests.strategies import factor_graphs, symmetric_graphs
from tests.symmetry import naive
from tests.symmetry.test_colour_passing import shuffled

algorithms = st.sampled_from(ALGORITHMS)
tolerances = st.sampled_from([None, 0, "0.5"])


def quotient_of(graph: lg.FactorGraph, *arguments: Any, **options: Any) -> lg.Quotient:
    return lg.quotient(graph, lg.colour_passing(graph, *arguments, **options))


def members(colours: Any) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for member, colour in enumerate(colours.tolist()):
        groups.setdefault(colour, []).append(member)
    return groups


def check_variables(quotient: lg.Quotient, graph: lg.FactorGraph, colouring: lg.Colouring) -> None:
    groups = members(colouring.variable_colours)
    assert sorted(groups) == [*range(quotient.variable_group_count)]
    assert quotient.variable_count == graph.variable_count
    for group, variables in groups.items():
        assert quotient.variable_sizes[group] == len(variables)
        assert quotient.names[group] in map(graph.name, variables)
        states = quotient.state_sets[quotient.state_set_id[group]]
        assert {graph.states(variable) for variable in variables} == {states}
        observed = {graph.evidence.get(variable, -1) for variable in variables}
        assert observed == {quotient.observed[group]}


def check_factors(quotient: lg.Quotient, graph: lg.FactorGraph, colouring: lg.Colouring) -> None:
    """Factors that have tables, at least in the colouring."""
    groups = members(colouring.factor_colours)
    assert sorted(groups) == [*range(quotient.factor_group_count)]
    assert (quotient.factor_count, quotient.edge_count) == (graph.factor_count, graph.edge_count)
    for group, factors in groups.items():
        assert quotient.factor_sizes[group] == len(factors)
        scales = Counter(colouring.scale(factor) for factor in factors)
        assert quotient.scales[group] == tuple(sorted(scales.items()))
        potential = quotient.potentials[quotient.potential_id[group]]
        for factor in factors:
            scope, table = graph.factors[factor].parts
            order = colouring.argument_order[graph.scope_ptr[factor] :][: len(scope)].tolist()
            aligned = tuple(colouring.variable_colours[scope[k]].item() for k in order)
            assert quotient.arguments_of(group) == aligned
            if quotient.tolerance == 0:
                scale = colouring.scale(factor)
                for states, value in naive.potentials(table).items():
                    assert value == scale * potential.potential([states[k] for k in order])


def check_meetings(quotient: lg.Quotient, graph: lg.FactorGraph, colouring: lg.Colouring) -> None:
    """Every member meets as many as its group's meetings say, in both directions."""
    variables, factors = colouring.variable_colours.tolist(), colouring.factor_colours.tolist()
    met: dict[int, Counter[int]] = {variable: Counter() for variable in range(len(variables))}
    has: dict[int, Counter[int]] = {factor: Counter() for factor in range(len(factors))}
    for factor, colour in enumerate(factors):
        for variable in graph.scope_of(factor):
            met[variable][colour] += 1
            has[factor][variables[variable]] += 1
    meetings = list(quotient.meetings)
    places = [(meeting.variable_group, meeting.factor_group) for meeting in meetings]
    assert places == sorted(set(places))
    for variable, counts in met.items():
        own = [one for one in meetings if one.variable_group == variables[variable]]
        assert counts == {one.factor_group: one.factors for one in own}
    for factor, counts in has.items():
        own = [one for one in meetings if one.factor_group == factors[factor]]
        assert counts == {one.variable_group: one.variables for one in own}


@given(st.one_of(symmetric_graphs(), factor_graphs()), algorithms, tolerances, st.data())
def test_it_counts_what_dictionaries_count(
    graph: lg.FactorGraph, algorithm: Algorithm, tolerance: object, data: st.DataObject
) -> None:
    apart = data.draw(st.none() | st.just(np.arange(graph.variable_count) % 2))
    colouring = lg.colour_passing(graph, algorithm, tolerance, initial=apart)
    quotient = lg.quotient(graph, colouring)
    assert (quotient.algorithm, quotient.tolerance) == (algorithm, colouring.tolerance)
    check_variables(quotient, graph, colouring)
    check_factors(quotient, graph, colouring)
    check_meetings(quotient, graph, colouring)


@given(
    st.one_of(symmetric_graphs(), factor_graphs()),
    st.sampled_from(["alpha-acp", "acp"]),
    tolerances,
    st.data(),
)
def test_it_does_not_depend_on_the_order_of_anything(
    graph: lg.FactorGraph, algorithm: Algorithm, tolerance: object, data: st.DataObject
) -> None:
    other, variables, _ = data.draw(shuffled(graph))
    first, second = (quotient_of(listed, algorithm, tolerance) for listed in (graph, other))
    assert replace(first, names=()) == replace(second, names=())
    before = lg.colour_passing(graph, algorithm, tolerance).variable_colours
    for group, name in enumerate(second.names):
        assert before[variables.index(other.variable(name))] == group


@given(symmetric_graphs(), algorithms)
def test_every_engine_has_the_same_one(graph: lg.FactorGraph, algorithm: Algorithm) -> None:
    found = [quotient_of(graph, algorithm, engine=engine) for engine in ("arrays", "dictionary")]
    assert found[0] == found[1]


def test_only_states_and_potentials_of_groups_are_in_it() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("unlike", ["a", "b"])
    builder.add_variables(["x", "y"], ["c", "d"])
    builder.add_table([7, 8, 9, 1], (2, 2))
    for scale, name in enumerate("xy", 1):
        builder.add_factor([name], [scale, 3 * scale])
    graph = builder.build()
    quotient = quotient_of(graph)
    assert set(quotient.state_sets) == {("a", "b"), ("c", "d")}
    assert len(quotient.potentials) == 1
    assert quotient.scales == (((Fraction(1), 1), (Fraction(2), 1)),)


def contributed(potential: Any, groups: Any) -> Counter[Any]:
    """How many arguments of each group contribute in each way."""
    match potential:
        case CountPotential(addends):
            ways: list[Any] = [*addends]
        case NoisyMax(causes):
            ways = [*causes]
        case _:
            return Counter()
    ways += range(len(potential.shape) - len(ways))
    return Counter(zip(ways, groups, strict=True))


@given(graphs(), algorithms)
def test_what_is_never_expanded_is_represented_by_a_member(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contributions, "_FEW_ENTRIES", 0)
        colouring = lg.colour_passing(graph, algorithm)
    quotient = lg.quotient(graph, colouring)
    check_variables(quotient, graph, colouring)
    check_meetings(quotient, graph, colouring)
    for group, factors in members(colouring.factor_colours).items():
        potential = quotient.potentials[quotient.potential_id[group]]
        said = contributed(potential, quotient.arguments_of(group))
        scales = Counter[Fraction]()
        for factor in factors:
            given = graph.potentials[graph.table_id[factor]]
            if factor not in colouring.wide:
                scales[colouring.scale(factor)] += 1
                continue
            scope = colouring.variable_colours[list(graph.scope_of(factor))].tolist()
            assert contributed(given, scope) == said
            scales[given.scale / potential.scale] += 1
        assert quotient.scales[group] == tuple(sorted(scales.items()))


def test_ten_thousand_causes_have_one_group() -> None:
    builder = lg.FactorGraphBuilder()
    people = builder.add_variables(10_000)
    children = builder.add_variables(["Child", "Other"])
    for child in children:
        builder.add_noisy_or(child, dict.fromkeys(people, "0.1"), "0.01")
    builder.add_count_factor(people, lg.at_least(3))
    quotient = quotient_of(builder.build())
    assert sorted(quotient.variable_sizes.tolist()) == [2, 10_000]
    meetings = {(one.factors, one.variables) for one in quotient.meetings}
    assert meetings == {(2, 10_000), (1, 10_000), (1, 1)}
    assert quotient.edge_count == 2 * 10_001 + 10_000
    assert "2×2×2×2×2×2×2×2×2×2×2×2×…" in str(quotient)
    assert max(map(len, str(quotient).splitlines())) < 160


def test_nothing_has_no_groups() -> None:
    builder = lg.FactorGraphBuilder()
    quotient = quotient_of(builder.build())
    assert list(quotient.meetings) == []
    assert (quotient.variable_group_count, quotient.factor_group_count) == (0, 0)
    assert (quotient.variable_count, quotient.factor_count, quotient.edge_count) == (0, 0, 0)
    assert quotient.compression == 1
    assert "0 groups of 0 variables" in str(quotient)
    builder.add_variables(3)
    quotient = quotient_of(builder.build())
    assert quotient.variable_sizes.tolist() == [3]
    assert (quotient.factor_sizes.tolist(), list(quotient.meetings)) == ([], [])
    builder.add_factor([], 5)
    quotient = quotient_of(builder.build())
    assert (quotient.factor_sizes.tolist(), list(quotient.meetings)) == ([1], [])


def test_arrays_have_the_types_that_the_docstring_says() -> None:
    empty = lg.FactorGraphBuilder().build()
    for quotient in (quotient_of(empty), quotient_of(lg.datasets.epidemic())):
        for name in ("state_set_id", "observed", "potential_id", "arguments"):
            assert getattr(quotient, name).dtype == np.int32
        for name in ("variable_sizes", "start", "factor_sizes"):
            assert getattr(quotient, name).dtype == np.int64


def test_very_many_groups_meet_and_are_very_large() -> None:
    """More pairs of groups than an int32 can number, and more edges than a float can count."""
    count, size = 70_000, 2**61 - 1
    groups = np.arange(count, dtype=np.int32)
    one = quotient_of(lg.datasets.clique(2).ground())
    quotient = replace(
        one,
        state_set_id=np.zeros(count, np.int32),
        observed=np.full(count, -1, np.int32),
        names=tuple(map(str, range(count))),
        variable_sizes=np.where(groups == count - 1, size, 1),
        potential_id=np.zeros(count, np.int32),
        start=np.arange(count + 1),
        arguments=groups,
        factor_sizes=np.where(groups == count - 1, size, 1),
        scales=(((Fraction(1), 1),),) * count,
    )
    assert list(quotient.meetings) == [Meeting(group, group, 1, 1) for group in range(count)]
    assert quotient.variable_count == quotient.edge_count == size + count - 1
    assert quotient.compression == Fraction(size + count - 1, count)


def test_the_epidemic_in_tables() -> None:
    graph = lg.datasets.epidemic().given({"Sick.alice": "true"})
    quotient = quotient_of(graph)
    variables, factors = quotient.tabulars
    assert (variables.row_count, factors.row_count) == (7, 7)
    assert "Sick.alice      {true, false}  true      1" in str(quotient)
    assert "(5, 3, 2)  2×2×2  {2 × 2}  2" in str(quotient)
    assert "<table>" in quotient._repr_html_()


def test_scales_of_any_length_are_shown() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_factor([0], [f"1e{3000}", f"2e{3000}"])
    builder.add_factor([1], [f"1e-{3000}", f"2e-{3000}"])
    assert "≈1.00000e+3000" in str(quotient_of(builder.build()))


def test_copies_are_equal() -> None:
    quotient = quotient_of(lg.datasets.epidemic())
    assert pickle.loads(pickle.dumps(quotient)) == quotient == copy.deepcopy(quotient)
    assert quotient != quotient_of(lg.datasets.epidemic(), "acp")
    with pytest.raises(ValueError, match="read-only"):
        quotient.variable_sizes[0] = 7


def test_what_does_not_belong_together_is_refused() -> None:
    graph = lg.datasets.epidemic()
    colouring = lg.colour_passing(graph)
    with pytest.raises(lg.InputError, match="expected a colouring of this graph, got one with"):
        lg.quotient(graph.given({"Sick.bob": "true"}), colouring)
    with pytest.raises(lg.InputError, match="expected a colouring of this graph, got one of 9"):
        lg.quotient(lg.datasets.asia(), colouring)
    with pytest.raises(lg.InputError, match="expected a colouring, got 'cp'"):
        lg.quotient(graph, "cp")  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="ground it first if it is lifted"):
        lg.quotient(lg.lift(graph), colouring)  # type: ignore[arg-type]
