"""Names as people write them: states in other capital letters, and what is close to a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli.evidence import split_event
from liftgraph.display import closest
from liftgraph.model.ground.names import find_state

SPELLINGS = st.text("aAbB", min_size=1, max_size=2)
STATES = st.lists(SPELLINGS, min_size=2, max_size=5, unique=True)


def meant(states: list[str], text: str) -> str | None:
    """The state that a text means, by the rule: as it is spelt, or the only one spelt alike."""
    alike = [state for state in states if state.lower() == text.lower()]
    if text in states:
        return text
    return alike[0] if len(alike) == 1 else None


def graph_of(states: list[str]) -> lg.FactorGraph:
    """X with these states, and Y, which tells them all apart."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("X", states)
    builder.add_variable("Y")
    builder.add_factor(["X", "Y"], [[place + 1, 7] for place in range(len(states))])
    return builder.build()


def written(graph: lg.FactorGraph) -> lg.ParfactorGraph:
    """The same, as a lifted model that comes from no graph."""
    x, y = lg.prv("X", states=graph.states(0)), lg.prv("Y")
    return lg.ParfactorGraph.of([lg.parfactor([x, y], graph.factors[0].table)])


ASK: dict[str, Callable[[lg.FactorGraph, str], Any]] = {
    "ground": lambda graph, state: dict(graph.query("Y", given={"X": state})),
    "index": lambda graph, state: dict(graph.query(1, given={0: state})),
    "evidence": lambda graph, state: dict(graph.given({"X": state}).query("Y")),
    "lifted": lambda graph, state: dict(lg.lift(graph).query("Y", given={"X": state})),
    "written": lambda graph, state: dict(written(graph).query("Y", given={"X": state})),
    "compiled": lambda graph, state: dict(graph.compile("Y", given=["X"])(state)),
    "event": lambda graph, state: graph.probability({"X": state}),
    "lifted event": lambda graph, state: written(graph).probability({"X": state}),
    "count": lambda graph, state: dict(graph.query(lg.count(["X"], state))),
    "lifted count": lambda graph, state: dict(written(graph).query(lg.count("X", state))),
    "row": lambda graph, state: graph.predict({"X": [state]}, "Y"),
}


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
@given(STATES, SPELLINGS)
def test_a_state_is_found_wherever_it_is_written(
    ask: Callable[[lg.FactorGraph, str], Any], states: list[str], text: str
) -> None:
    graph, state = graph_of(states), meant(states, text)
    if state is None:
        with pytest.raises(lg.InputError, match="expected a state of"):
            ask(graph, text)
    else:
        assert ask(graph, text) == ask(graph, state)


@given(STATES, SPELLINGS)
def test_a_state_is_found_in_answers_and_on_the_command_line(states: list[str], text: str) -> None:
    graph, state = graph_of(states), meant(states, text)
    answer = graph.query("X")
    assert split_event(graph, f"X={text}") == ("X", state or text)
    assert (text in answer) == (state is not None)
    if state is not None:
        assert answer[text] == answer.probabilities[states.index(state)]


@given(STATES)
def test_exact_spelling_comes_first(states: list[str]) -> None:
    assert [find_state(tuple(states), state) for state in states] == [*range(len(states))]


@pytest.mark.parametrize("states", [["True", "False"], ["TRUE", "FALSE"], ["true", "false"]])
def test_truth_values_are_states_in_any_capital_letters(states: list[str]) -> None:
    graph = graph_of(states)
    for model in (graph, lg.lift(graph), written(graph)):
        answer = model.query("Y", given={"X": True})
        assert dict(answer) == dict(model.query("Y", given={"X": states[0]}))
        assert answer[True] == answer["true"]


GAPS = ("row", "count", "lifted count")  # a row may lack a value, and a count a state


@pytest.mark.parametrize("ask", [ASK[name] for name in ASK if name not in GAPS])
@pytest.mark.parametrize("states", [["none", "mild"], ["None", "mild"], ["nan", "mild"]])
def test_missing_values_are_not_taken_for_states(
    ask: Callable[[lg.FactorGraph, Any], Any], states: list[str]
) -> None:
    for missing in (None, float("nan")):
        with pytest.raises(lg.InputError, match="expected"):
            ask(graph_of(states), missing)


def test_a_reading_of_an_event_that_is_spelt_exactly_comes_first() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["b=c", "d"])
    builder.add_variable("A=b", ["C", "D"])
    builder.add_factor(["A", "A=b"], [1, 2, 3, 4])
    assert split_event(builder.build(), "A=b=c") == ("A", "b=c")
    assert split_event(builder.build(), "A=b=C") == ("A=b", "C")
    assert split_event(builder.build(), "A=B=C") == ("A", "b=c")  # there is no variable A=B
    builder.add_variable("A=B", ["c", "d"])
    with pytest.raises(lg.InputError, match="expected one way to read A=B=C"):
        split_event(builder.build(), "A=B=C")


NAMES = ["HYPOVOLEMIA", "HISTORY", "Sick.alice", "Sick.bob"]


def alarm() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(NAMES)
    for name in NAMES:
        builder.add_factor([name], [1, 2])
    return builder.build()


@pytest.mark.parametrize(
    ("written_name", "suggested"),
    [("hypovolemia", "HYPOVOLEMIA"), ("hystory", "HISTORY"), ("SICK.BOB", "Sick.bob")],
)
def test_names_are_suggested_ignoring_case(written_name: str, suggested: str) -> None:
    people = lg.prv("Sick", lg.LogVar("X", ["alice", "bob"]))
    others = [lg.prv("HYPOVOLEMIA"), lg.prv("HISTORY")]
    direct = lg.ParfactorGraph.of([lg.parfactor([prv], [1, 2]) for prv in (people, *others)])
    asks: list[Callable[[Any], object]] = [
        lambda model: model.query(written_name),
        lambda model: model.query("HISTORY", given={written_name: "true"}),
        lambda model: model.probability({written_name: "true"}),
        lambda model: model.query(lg.count([written_name])),
        lambda model: model.predict({written_name: ["true"]}, "HISTORY"),
    ]
    for model in (alarm(), lg.lift(alarm()), direct):
        for ask in asks:
            with pytest.raises(lg.InputError, match=rf"\(did you mean {suggested}\?\)") as caught:
                ask(model)
            assert "\n" not in str(caught.value)


def test_variables_of_very_many_individuals_are_suggested_without_listing_them() -> None:
    X = lg.LogVar("X", 10**15)
    Y = lg.LogVar("Y", X)
    friends = lg.prv("Friends", X, Y, where=lg.different(X, Y))
    about_friends = lg.parfactor([friends], [1, 2], where=lg.different(X, Y))
    model = lg.ParfactorGraph.of([about_friends, lg.parfactor([lg.prv("E")], [1, 2])])
    for name, hint in (
        ("friends.3.4", "did you mean Friends.3.4"),
        ("Friends.3.3", "did you mean Friends.1.2"),
        ("nonsense", "Friends.1.2, E, …"),
        (10**31, "Friends.1.2, E, …"),
    ):
        with pytest.raises(lg.InputError, match=hint):
            model.query(name)


@given(st.lists(st.text("abAB", min_size=1, max_size=4), unique=True), st.text("abAB", max_size=4))
def test_names_that_differ_in_capital_letters_only_are_the_closest(
    names: list[str], text: str
) -> None:
    alike = [name for name in names if name.lower() == text.lower()]
    found = closest(text, names)
    assert found == alike if alike else len(found) <= 1
    assert set(found) <= set(names)


def test_a_builder_suggests_names() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(NAMES)
    with pytest.raises(lg.InputError, match=r"^factor 0: .* \(did you mean HISTORY\?\)$"):
        builder.add_factor(["history"], [1, 2])
