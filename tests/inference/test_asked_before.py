"""Questions by name that were asked before answer like those of a graph that nobody has asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import answer as front_door
from liftgraph.inference.ground.pieces import sum_if_constant
from tests.inference.test_patterns import Case, all_states, cases


def outcome(graph: lg.FactorGraph, asked: list[str], states: dict[str, str], **options: Any) -> Any:
    """The exact probabilities, or None if nothing is possible."""
    try:
        return graph.query(*asked, given=states, exact=True, **options).exact
    except lg.ZeroWeightError:
        return None


@given(cases(), st.sampled_from(["auto", "ground"]))
def test_a_question_asked_before_answers_like_a_new_one(case: Case, method: str) -> None:
    graph, variables, observed = case
    asked = [graph.name(variable) for variable in variables]
    other = graph.observing({})  # shares what is kept, but not the evidence
    for states in all_states(graph, observed) * 2:
        named = {graph.name(v): graph.states(v)[state] for v, state in states.items()}
        for model in (graph, other):
            expected = outcome(replace(model), asked, named, method=method)
            assert outcome(model, asked, named, method=method) == expected


def coins() -> lg.FactorGraph:
    """A leads to B with certainty, and to C by chance; D is impossible in one state."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C", "D"])
    builder.add_factor(["A"], [1, 3])
    builder.add_factor(["A", "B"], [[1, 0], [0, 1]])
    builder.add_factor(["A", "C"], [[1, 1], [2, 3]])
    builder.add_factor(["D"], [1, 0])
    return builder.build()


def test_an_answer_that_no_state_changes_is_kept_and_an_impossible_state_still_refused() -> None:
    graph = coins()
    first = graph.query("A", given={"D": "true"})
    again = graph.query("A", given={"D": "true"})
    assert graph.query("A", given={"D": "true"}) is again
    assert np.array_equal(first.probabilities, again.probabilities)
    for _ in range(2):
        with pytest.raises(lg.ZeroWeightError):
            graph.query("A", given={"D": "false"})
        with pytest.raises(lg.InputError, match="expected a state of D"):
            graph.query("A", given={"D": "maybe"})


def test_other_states_are_not_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = coins()
    for _ in range(2):  # the first answer proves that something is possible
        graph.query("C", given={"A": "true"})
    monkeypatch.setattr(front_door, "plan", None)
    assert graph.query("C", given={"A": "true"})["true"] == pytest.approx(1 / 2)
    assert graph.query("C", given={"A": "false"})["true"] == pytest.approx(2 / 5)


def test_what_equals_a_name_as_a_key_is_not_taken_for_it() -> None:
    graph = coins()
    for _ in range(3):
        assert graph.query("A", given={"B": True})["true"] == 1
        assert graph.query(0, given={"B": "false"})["true"] == 0
        with pytest.raises(lg.InputError, match="expected a variable, got True"):
            graph.query(True, given={"B": "true"})
        with pytest.raises(lg.InputError, match="expected options among"):
            graph.query("A", given={"B": "true"}, speed=1)  # type: ignore[call-arg]
        with pytest.raises(lg.InputError, match="expected one state for A"):
            graph.given({"A": "true"}).query("B", given={"A": "false"})


def test_tables_with_long_integers_are_examined_a_few_times_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builder, count = lg.FactorGraphBuilder(), 60
    builder.add_variables(count + 1)
    for left in range(count):
        builder.add_factor([left, left + 1], [[1 << 60, 1], [left, 1 << 61]])
    graph, read = builder.build(), list[int]()

    def counted(integers: Any, axis: int) -> int | None:
        read.append(axis)
        return sum_if_constant(integers, axis)

    monkeypatch.setattr("liftgraph.inference.ground.examined.sum_if_constant", counted)
    graph.query(0, method="ground")
    assert 1 <= len(read) <= 6 * count
