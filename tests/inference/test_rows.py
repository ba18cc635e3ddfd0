"""Many rows at once are answered as one after the other."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgraph import FactorGraph, FactorGraphBuilder, MemoryLimitError, ZeroWeightError
from liftgraph.inference.rows import predictions as front_door
from liftgraph.inference.rows.distinct import distinct_rows
from liftgraph.inference.rows.groups import Observations, Variable
from liftgraph.inference.rows.parts import parts_of
from liftgraph.inference.rows.plan import plan_rows
from liftgraph.inference.rows.predictions import Predictions, predictions
from liftgraph.inference.rows.run import run_rows
from liftgraph.model.query import Query
from liftgraph.semiring.rows import Rows, contract, distributions, evaluate, gather
from tests.brute_force import brute_force
from tests.strategies import factor_graphs, tables

LIMIT = 1 << 30


@st.composite
def questions(draw: st.DrawFn) -> tuple[FactorGraph, list[int], dict[int, list[int | None]]]:
    """A graph, variables to ask for, and a column of states for some of the others."""
    graph = draw(factor_graphs().filter(lambda graph: graph.variable_count > 0))
    variables = draw(st.permutations(range(graph.variable_count)))
    asked_count = draw(st.integers(1, min(2, len(variables))))
    row_count = draw(st.integers(0, 6))
    columns: dict[int, list[int | None]] = {}
    for variable in variables[asked_count:]:
        if variable not in graph.evidence and draw(st.integers(0, 4)):
            states = st.none() | st.integers(0, int(graph.cardinalities[variable]) - 1)
            columns[variable] = draw(st.lists(states, min_size=row_count, max_size=row_count))
    return graph, [*variables[:asked_count]], columns


def named(graph: FactorGraph, variable: int) -> Variable:
    return Variable(graph.name(variable), graph.states(variable))


def predicted(
    graph: FactorGraph,
    asked: list[int],
    columns: dict[int, list[int | None]],
    method: str = "ground",
    memory_limit: int = LIMIT,
    rows: int = 0,
) -> Predictions:
    row_count = max([rows, *map(len, columns.values())])
    states = [[-1 if state is None else state for state in column] for column in columns.values()]
    observations = Observations(
        [named(graph, variable) for variable in columns],
        np.array(states, dtype=np.int32).reshape(len(columns), row_count),
    )
    listed = [named(graph, variable) for variable in asked]
    return predictions(graph, listed, observations, method=method, memory_limit=memory_limit)


def enumerated(graph: FactorGraph, asked: int, evidence: dict[int, int]) -> Any:
    """The naive twin: look at every assignment that agrees with a row; None if none does."""
    observed = graph.observing({**graph.evidence, **evidence})
    try:
        return brute_force(observed, Query("marginal", (asked,))).probabilities  # type: ignore[attr-defined]
    except ZeroWeightError:
        return None


def check(
    graph: FactorGraph, asked: list[int], columns: dict[int, list[int | None]], answer: Predictions
) -> None:
    for row in range(len(answer.possible)):
        evidence = {v: column[row] for v, column in columns.items() if column[row] is not None}
        for variable, shares in zip(asked, answer.probabilities, strict=True):
            expected = enumerated(graph, variable, evidence)  # type: ignore[arg-type]
            assert answer.possible[row] == (expected is not None)
            if expected is None:
                assert not shares[row].any()
            else:
                np.testing.assert_allclose(shares[row], expected, rtol=1e-9, atol=1e-300)


@given(questions(), st.sampled_from([0, 64]))
def test_every_row_is_answered_as_by_enumeration(
    question: tuple[FactorGraph, list[int], dict[int, list[int | None]]], few: int
) -> None:
    """Groups of rows that observe the same variables, each for itself, or all rows in one group."""
    with patch.object(front_door, "_FEW_ROWS", few):
        check(*question, predicted(*question))


@given(questions(), st.sampled_from(["auto", "lifted"]))
@settings(max_examples=10)
def test_other_methods_answer_the_same(
    question: tuple[FactorGraph, list[int], dict[int, list[int | None]]], method: str
) -> None:
    check(*question, predicted(*question, method=method))


def chain(length: int, weight: int | Fraction) -> FactorGraph:
    """A hub whose observed neighbours favour one of its states by a factor, or the other."""
    builder = FactorGraphBuilder()
    builder.add_variable("hub")
    for leaf in range(length):
        builder.add_variable(f"leaf {leaf}")
        builder.add_factor(("hub", f"leaf {leaf}"), [[weight, 1], [1, weight]])
    return builder.build()


@pytest.mark.parametrize("weight", [3, 10**80, Fraction(1, 10**400)])
@pytest.mark.parametrize("length", [3, 400])
def test_rows_of_very_different_ranges_keep_all_digits(length: int, weight: int) -> None:
    half = length // 2
    in_favour = np.array([half, half + 1, length, 0])  # how many neighbours favour the first state
    leaves = [[0 if leaf < n else 1 for n in in_favour] for leaf in range(length)]
    columns: dict[int, list[int | None]] = {leaf + 1: [*row] for leaf, row in enumerate(leaves)}
    shares = predicted(chain(length, weight), [0], columns).probabilities[0]
    for n, row in zip(in_favour.tolist(), shares, strict=True):
        odds = Fraction(weight) ** (2 * n - length)
        assert row == pytest.approx([float(odds / (1 + odds)), float(1 / (1 + odds))], rel=1e-12)


@given(tables((2, 3)), tables((3, 2)), st.data())
def test_contractions_with_rows_are_contractions_of_each_row(
    left: Any, right: Any, data: st.DataObject
) -> None:
    """Two tables (row variable, k) and (k, row variable): their product over k in each row."""
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    places = [np.array(column) for column in zip(*rows, strict=True)]
    x = gather(evaluate(left.integers), (slice(None),) * 2, (1,), (0,), places[0])
    y = gather(evaluate(right.integers), (slice(None),) * 2, (0,), (1,), places[1])
    kept = data.draw(st.booleans())
    out, summed = ((7,), ()) if kept else ((), (7,))
    shares, possible = distributions(contract(x, (7,), y, (7,), out, summed))
    for row, (i, j) in enumerate(rows):
        exact = left.integers[i].astype(object) * right.integers[:, j].astype(object)
        assert possible[row] == exact.any()
        if exact.any() and kept:
            expected = [float(Fraction(int(entry), int(exact.sum()))) for entry in exact]
            np.testing.assert_allclose(shares[:, row], expected, rtol=1e-12, atol=1e-300)


def test_entries_too_small_beside_others_of_their_row_are_kept() -> None:
    """2⁹⁰⁰ and 2⁻⁹⁰⁰ are plain floats, but their ratio is none: it must not become zero."""
    tiny = Rows(np.array([[2.0**900], [2.0**-900]]), None, -900.0, 900.0)
    turned = Rows(np.array([[2.0**-900], [2.0**900]]), None, -900.0, 900.0)
    both = contract(tiny, (0,), turned, (0,), (0,), ())
    shares, possible = distributions(both)
    assert shares.T.tolist() == [[0.5, 0.5]]
    assert possible.all()


def observed_twice() -> FactorGraph:
    """A chain A - B - C - D without zeros, and a variable apart with a zero."""
    builder = FactorGraphBuilder()
    for name in "ABCDE":
        builder.add_variable(name)
    for pair in ("AB", "BC", "CD"):
        builder.add_factor(tuple(pair), [[1, 2], [3, 4]])
    builder.add_factor(("E",), [0, 1])
    return builder.build()


def test_only_what_matters_is_computed() -> None:
    graph = observed_twice()
    apart = parts_of(graph, 0, [1, 2])
    assert [part.observed for part in apart] == [(1,)]  # D has no weight of zero, E sums to one
    assert [part.observed for part in parts_of(graph, 0, [1, 2, 4])] == [(1,), (4,)]


def test_many_small_groups_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred rows, each with other values missing, are answered by one elimination."""
    graph = chain(10, 3)
    generator = np.random.default_rng(3)
    table = generator.integers(-1, 2, (10, 100))
    columns: dict[int, list[int | None]] = {
        leaf + 1: [None if state < 0 else state for state in row]
        for leaf, row in enumerate(table.tolist())
    }
    eliminated = []
    from liftgraph.inference.rows import together

    def counting(graph: Any, plan: Any, states: Any, *options: Any) -> Any:
        eliminated.append(len(states))
        return run_rows(graph, plan, states, *options)

    monkeypatch.setattr(together, "run_rows", counting)
    answer = predicted(graph, [0], columns)
    assert len(eliminated) == 1
    signs = np.array([1, -1, 0])  # of the states; the last one is a missing value
    for row, in_favour in enumerate(signs[table].sum(axis=0).tolist()):
        expected = 1 / (1 + 3.0**-in_favour)
        assert answer.probabilities[0][row, 0] == pytest.approx(expected, rel=1e-12)


def test_equal_rows_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []
    from liftgraph.inference.rows import together

    def counting(graph: Any, plan: Any, states: Any, *options: Any) -> Any:
        computed.append(len(states))
        return run_rows(graph, plan, states, *options)

    monkeypatch.setattr(together, "run_rows", counting)
    columns: dict[int, list[int | None]] = {1: [0, 1] * 50, 3: [0, 0, 1, 1] * 25}
    predicted(observed_twice(), [0], columns)
    assert computed == [2]  # the states of B; those of D do not matter


def test_chunks_do_not_change_answers_and_one_row_must_fit() -> None:
    graph = chain(30, 3)
    generator = np.random.default_rng(7)
    columns: dict[int, list[int | None]] = {
        leaf: generator.integers(0, 2, 60).tolist() for leaf in range(1, 31)
    }
    (part,) = parts_of(graph, 0, [*columns])
    plan = plan_rows(graph, part, 1e9)
    least = plan.fixed_bytes + plan.row_bytes
    all_at_once = predicted(graph, [0], columns).probabilities[0]
    for limit in (least, least + 7 * plan.row_bytes):
        assert (
            predicted(graph, [0], columns, memory_limit=limit).probabilities[0] == all_at_once
        ).all()
    with pytest.raises(MemoryLimitError, match="for each row"):
        predicted(graph, [0], columns, memory_limit=least - 1)


def grid(side: int, weight: int) -> FactorGraph:
    builder = FactorGraphBuilder()
    names = [f"{row},{column}" for row in range(side) for column in range(side)]
    for name in names:
        builder.add_variable(name)
    for place, name in enumerate(names):
        for other in [place + 1] * (place % side < side - 1) + [place + side]:
            if other < len(names):
                builder.add_factor((name, names[other]), [[weight, 1], [2, 3]])
    return builder.build()


@pytest.mark.parametrize(
    ("graph", "observed"),
    [
        (chain(30, 3), 30),
        (chain(30, 10**80), 30),
        (chain(30, 10**400), 30),
        (grid(5, 7), 5),
        (grid(5, 10**60), 5),
        (grid(4, 10**200), 3),
    ],
)
def test_memory_stays_within_what_was_predicted(graph: FactorGraph, observed: int) -> None:
    observed_last = range(graph.variable_count - observed, graph.variable_count)
    (part,) = parts_of(graph, 0, observed_last)
    plan = plan_rows(graph, part, 1e9)
    for row_count, at_a_time in [(20, 10), (2000, 2000)]:
        states = np.random.default_rng(1).integers(0, 2, (row_count, len(plan.observed)))
        allowed = plan.fixed_bytes + at_a_time * plan.row_bytes
        answer_bytes = row_count * (8 * 2 + 1)
        tracemalloc.start()
        run_rows(graph, plan, states, allowed)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= allowed + answer_bytes


@given(st.lists(st.integers(1, 2**40), min_size=0, max_size=4), st.integers(0, 30), st.randoms())
def test_distinct_rows_are_those_of_a_dictionary(
    sizes: list[int], row_count: int, random: Any
) -> None:
    columns = [
        np.array([random.choice([0, size - 1]) for _ in range(row_count)], np.int64)
        for size in sizes
    ]
    first, kind = distinct_rows(columns, sizes, row_count)
    rows = [tuple(int(column[row]) for column in columns) for row in range(row_count)]
    assert len(first) == len(set(rows))
    assert [rows[first[k]] for k in kind] == rows
