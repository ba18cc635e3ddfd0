"""Random graphs for the adapters, and when two of them are the same up to order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any, cast

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, Table
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import bayesian_networks, factor_graphs


@st.composite
def dyadic_graphs(draw: st.DrawFn) -> FactorGraph:
    """Graphs whose potentials floats have exactly: eighths, zeros among them."""
    entries = st.integers(0, 99).map(lambda eighths: Fraction(eighths, 8))

    def replaced(table: Table) -> Table:
        size = prod(table.shape)
        return Table.of(draw(st.lists(entries, min_size=size, max_size=size)), table.shape)

    return with_tables(draw(factor_graphs(evidence=False)), replaced)


@st.composite
def dyadic_networks(draw: st.DrawFn) -> FactorGraph:
    """Bayesian networks whose probabilities floats have exactly: all mass on one or two states."""
    graph, own = draw(bayesian_networks())
    axes = {factor: graph.scope_of(factor).index(v) for v, factor in enumerate(own)}
    factors = iter(range(graph.factor_count))

    def replaced(table: Table) -> Table:
        rows = np.moveaxis(np.zeros(table.shape, dtype=object), axis := axes[next(factors)], -1)
        for place in np.ndindex(rows.shape[:-1]):
            states = st.integers(0, rows.shape[-1] - 1)
            eighths = draw(st.integers(0, 8))
            rows[(*place, draw(states))] += Fraction(eighths, 8)
            rows[(*place, draw(states))] += Fraction(8 - eighths, 8)
        return Table.of(np.moveaxis(rows, -1, axis))

    return with_tables(graph, replaced)


def with_tables(graph: FactorGraph, replaced: Callable[[Table], Table]) -> FactorGraph:
    builder = FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(graph.name(variable), graph.states(variable))
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        builder.add_factor(scope, replaced(table))
    return builder.build()


def content(graph: FactorGraph) -> tuple[dict[str, Any], Counter[Any]]:
    """States by name, and the factors with their arguments in the order of their names."""
    states = {graph.name(v): graph.states(v) for v in range(graph.variable_count)}
    factors: Counter[Any] = Counter()
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        order = sorted(range(len(scope)), key=lambda place: graph.name(scope[place]))
        integers = table.integers.transpose(order).copy()
        names = tuple(graph.name(scope[place]) for place in order)
        factors[names, Table(integers, table.scale)] += 1
    return states, factors


def with_ones(graph: FactorGraph) -> FactorGraph:
    """The graph with a table of ones for each variable that is in no factor."""
    builder = FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(graph.name(variable), graph.states(variable))
    for factor in range(graph.factor_count):
        builder.add_factor(*graph.factors[factor].parts)
    for variable in set(range(graph.variable_count)) - set(graph.scope.tolist()):
        builder.add_factor([variable], [1] * len(graph.states(variable)))
    return builder.build()


def drawn_evidence(draw: Callable[..., Any], graph: FactorGraph) -> tuple[str, dict[str, str]]:
    """A variable to ask for, and possible evidence on up to two others."""
    names = draw(st.permutations([graph.name(v) for v in range(graph.variable_count)]))
    chosen = names[1 : 1 + draw(st.integers(0, 2))]
    evidence = {name: draw(st.sampled_from(graph.states(graph.variable(name)))) for name in chosen}
    try:
        brute_force(graph.given(evidence), Query("partition"))
    except lg.ZeroWeightError:
        assume(False)
    return names[0], evidence


def true_marginal(graph: FactorGraph, name: str, evidence: dict[str, str]) -> np.ndarray[Any, Any]:
    answer = brute_force(graph.given(evidence), Query("marginal", (name,)))
    return cast(lg.Marginal, answer).probabilities


def weights(graph: FactorGraph) -> dict[Any, Fraction]:
    """The weight of every assignment, by names: what a model means, however it is factorised."""
    weight_of = {}
    for states in np.ndindex(*graph.cardinalities.tolist()):
        value = Fraction(1)
        for factor in range(graph.factor_count):
            scope, table = graph.factors[factor].parts
            value *= table.potential([states[variable] for variable in scope])
        named = {graph.name(v): graph.states(v)[state] for v, state in enumerate(states)}
        weight_of[frozenset(named.items())] = value
    return weight_of
