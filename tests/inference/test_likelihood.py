"""The likelihood of rows is what enumeration finds, on models of every kind."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import InputError, MemoryLimitError, ZeroWeightError
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import factor_graphs


def twin(graph: lg.FactorGraph, row: dict[str, Any]) -> float:
    """The weight that agrees with a row and the evidence, relative to that of the evidence."""
    whole = brute_force(graph, Query("partition")).z  # type: ignore[attr-defined]
    try:
        seen = {name: state for name, state in row.items() if state is not None}
        part = brute_force(graph.given(seen), Query("partition")).z  # type: ignore[attr-defined]
    except (ZeroWeightError, InputError):  # a state that the evidence contradicts
        return -math.inf
    return math.log(Fraction(part) / Fraction(whole))


@st.composite
def tables(draw: st.DrawFn, graph: lg.FactorGraph) -> dict[str, list[str | None]]:
    rows = draw(st.integers(0, 5))
    free = [v for v in range(graph.variable_count) if v not in graph.evidence]
    return {
        graph.name(v): draw(
            st.lists(st.none() | st.sampled_from(graph.states(v)), min_size=rows, max_size=rows)
        )
        for v in free
    }


@given(st.data(), factor_graphs())
def test_rows_have_the_probability_that_enumeration_finds(
    data: st.DataObject, graph: lg.FactorGraph
) -> None:
    table = data.draw(tables(graph))
    rows = len(next(iter(table.values()), []))
    try:
        expected = [twin(graph, {name: table[name][row] for name in table}) for row in range(rows)]
        brute_force(graph, Query("partition"))
    except ZeroWeightError:
        with pytest.raises(ZeroWeightError):
            graph.log_likelihood(table)
        return
    logs = graph.log_likelihood(table, by_row=True)
    assert logs.shape == (rows,)
    for log, exactly in zip(logs.tolist(), expected, strict=True):
        assert log == pytest.approx(exactly, abs=1e-9)
    assert graph.log_likelihood(table) == pytest.approx(sum(expected), abs=1e-8)


@st.composite
def networks(draw: st.DrawFn) -> lg.FactorGraph:
    """A Bayesian network, some of whose probabilities are zero; perhaps with a noisy-OR."""
    count = draw(st.integers(1, 6))
    sizes = [draw(st.integers(1, 3)) for _ in range(count)]
    builder = lg.FactorGraphBuilder()
    for variable, size in enumerate(sizes):
        builder.add_variable(f"V{variable}", size)
    for variable, size in enumerate(sizes):
        above = (
            draw(st.lists(st.integers(0, variable - 1), max_size=2, unique=True))
            if variable
            else []
        )
        shape = [*(sizes[v] for v in above), size]
        weights = draw(
            st.lists(st.integers(0, 4), min_size=math.prod(shape), max_size=math.prod(shape))
        )
        rows = np.array(weights, dtype=object).reshape(-1, size)
        rows[rows.sum(axis=1) == 0] = 1
        table = [[Fraction(int(n), int(sum(row))) for n in row] for row in rows]
        flat = [value for row in table for value in row]
        names = [f"V{v}" for v in [*above, variable]]
        builder.add_factor(names, lg.Table.of(flat, shape))
    return builder.build()


@given(st.data(), networks())
def test_rows_of_networks_leave_out_what_is_below_them(
    data: st.DataObject, graph: lg.FactorGraph
) -> None:
    observed = data.draw(
        st.dictionaries(st.sampled_from([*graph.variables]), st.just(0), max_size=2)
    )
    graph = graph.given({name: graph.states(name)[0] for name in observed})
    test_rows_have_the_probability_that_enumeration_finds.hypothesis.inner_test(data, graph)  # type: ignore[attr-defined]


def test_counts_weigh_rows_and_impossible_rows_are_minus_infinity() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], [["0.5", 0], ["0.25", "0.25"]])
    graph = builder.build()
    table = pd.DataFrame({"A": [True, False, True], "B": [True, None, False], "n": [2, "1/2", 0]})
    expected = 2 * math.log(0.5) + 0.5 * math.log(0.5)
    assert graph.log_likelihood(table, counts="n") == pytest.approx(expected)
    assert graph.log_likelihood(table, ignore=["n"]) == -math.inf
    rows = graph.log_likelihood(table, ignore="n", by_row=True)
    assert rows.tolist() == pytest.approx([math.log(0.5), math.log(0.5), -math.inf])
    assert graph.log_likelihood({"A": []}) == 0.0
    assert graph.log_likelihood({"B": [True]}, given={"A": False}) == pytest.approx(math.log(0.5))


def test_rows_are_weighed_given_uncertain_evidence() -> None:
    """Virtual evidence on B; a row about A has its probability given that."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A"], ["0.25", "0.75"])
    builder.add_factor(["A", "B"], [["0.5", "0.5"], ["0.1", "0.9"]])
    graph = builder.build()
    given = {"B": [4, 1]}
    expected = graph.query("A", given=given).probabilities
    logs = graph.log_likelihood({"A": [True, False, None]}, given=given, by_row=True)
    assert logs.tolist() == pytest.approx([*np.log(expected), 0.0], abs=1e-12)
    both = graph.log_likelihood({"A": [True], "B": [True]}, given=given)
    assert both == pytest.approx(np.log(graph.query("A", "B", given=given).probabilities[0, 0]))


def test_a_noisy_or_has_hidden_variables() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "E"])
    for cause in "AB":
        builder.add_factor([cause], ["0.25", "0.75"])
    builder.add_noisy_or("E", {"A": "0.5", "B": "0.75"})
    graph = builder.build()
    for row in (
        {"E": True},
        {"A": True},
        {"A": True, "E": False},
        {"A": False, "B": False, "E": True},
    ):
        table = {name: [state] for name, state in row.items()}
        assert graph.log_likelihood(table) == pytest.approx(twin(graph, row), abs=1e-12)


def test_probabilities_beyond_floats_are_not_lost() -> None:
    """A chain in which every step is as improbable as 1e-30, and 40 of them are observed."""
    builder = lg.FactorGraphBuilder()
    tiny = Fraction(1, 10**30)
    step = [[1 - tiny, tiny], [tiny, 1 - tiny]]
    builder.add_variables([f"V{n}" for n in range(41)])
    builder.add_factor(["V0"], ["0.5", "0.5"])
    for n in range(40):
        builder.add_factor([f"V{n}", f"V{n + 1}"], step)
    graph = builder.build()
    flipping = {f"V{n}": [n % 2 == 0] for n in range(41)}
    assert graph.log_likelihood(flipping) == pytest.approx(math.log(0.5) + 40 * math.log(1e-30))
    every_other = {f"V{n}": [n % 4 == 0] for n in range(0, 41, 2)}
    expected = math.log(0.5) + 20 * math.log(2 * tiny * (1 - tiny))
    assert graph.log_likelihood(every_other) == pytest.approx(expected)


def test_large_lifted_models_are_not_grounded() -> None:
    """A million people who are ill with one parameter: some are observed."""
    person = lg.LogVar("X", 10**6)
    ill = lg.prv("Ill", person, states=["yes", "no"])
    model = lg.ParfactorGraph.of([lg.parfactor([ill], ["0.2", "0.8"])])
    table = {"Ill.1": ["yes", "no", None], "Ill.7": ["yes", None, None]}
    logs = model.log_likelihood(table, by_row=True)
    assert logs.tolist() == pytest.approx([2 * math.log(0.2), math.log(0.8), 0.0], abs=1e-6)


def test_small_lifted_models_agree_with_their_ground_model() -> None:
    model = lg.datasets.epid(3)
    names = [*model.ground().variables][:4]
    table = {name: [model.ground().states(name)[0], None] for name in names}
    assert model.log_likelihood(table) == pytest.approx(model.ground().log_likelihood(table))


@pytest.mark.parametrize(
    ("table", "options", "problem"),
    [
        ({"C": [1]}, {}, "column C: expected a variable, got 'C'"),
        (
            {"A": ["maybe"]},
            {},
            r"column A, row 0: expected a state of A \(true, false\), got maybe",
        ),
        ({"A": [True]}, {"counts": "n"}, "expected a column of counts .*, got 'n'"),
        ({"A": [True], "n": [-1]}, {"counts": "n"}, "column n, row 0: expected a non-negative"),
        ({"A": [True]}, {"weights": "n"}, "expected options among .*, counts, .* got weights"),
        ({"A": [True]}, {"memory_limit": "x"}, "memory limit"),
        (3, {}, "expected a data frame"),
    ],
)
def test_what_makes_no_sense_is_refused(table: Any, options: Any, problem: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], [[1, 2], [3, 4]])
    with pytest.raises(InputError, match=problem):
        builder.build().log_likelihood(table, **options)


def test_what_needs_too_much_memory_is_refused_before_it_runs() -> None:
    builder = lg.FactorGraphBuilder()
    size = 18
    builder.add_variables([f"{r}.{c}" for r in range(size) for c in range(size)])
    for r in range(size):
        for c in range(size):
            for other in ((r + 1, c), (r, c + 1)):
                if max(other) < size:
                    builder.add_factor([f"{r}.{c}", f"{other[0]}.{other[1]}"], [[2, 1], [1, 3]])
    graph = builder.build()
    with pytest.raises(MemoryLimitError):
        graph.log_likelihood({"0.0": [True]}, memory_limit=10**6)


def test_an_empty_model_makes_nothing_improbable() -> None:
    assert lg.FactorGraphBuilder().build().log_likelihood({}) == 0.0


def test_many_tables_lose_no_digits() -> None:
    """The scales of a long chain's tables add up to a large number, which cancels in the end."""
    change = np.array([[0.8123456789012345, 0.1876543210987655], [0.07123456789, 0.92876543211]])
    seen = np.array(
        [[0.9123456789012345, 0.0876543210987655], [0.31234567890123, 0.68765432109877]]
    )
    days, builder = 3000, lg.FactorGraphBuilder()
    builder.add_variables([f"hidden {day}" for day in range(days)], 2)
    builder.add_variables([f"seen {day}" for day in range(days)], 2)
    builder.add_factor(["hidden 0"], [0.5, 0.5])
    weights, logs = np.array([0.5, 0.5]), list[float]()
    for day in range(days):
        builder.add_factor([f"hidden {day}", f"seen {day}"], seen.tolist())
        if day:
            builder.add_factor([f"hidden {day - 1}", f"hidden {day}"], change.tolist())
            weights = weights @ change
        weights = weights * seen[:, day * day % 7 % 2]
        logs.append(math.log(weights.sum()))
        weights /= weights.sum()
    row = {f"seen {day}": [day * day % 7 % 2] for day in range(days)}
    assert builder.build().log_likelihood(row) == pytest.approx(math.fsum(logs), abs=1e-10)
