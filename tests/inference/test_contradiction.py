"""Errors that name observations which contradict each other, against enumeration."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from tests.brute_force import weighted_worlds
from tests.strategies import factor_graphs

Text = tuple[str, ...]


def blamed(ask: Any) -> Text | None:
    """The observations that an error names; None if there is an answer."""
    try:
        ask()
    except lg.ZeroWeightError as error:
        assert "nothing is possible" in str(error)
        return error.observations
    return None


def is_possible(graph: lg.FactorGraph, states: dict[int, int]) -> bool:
    """Whether some assignment that agrees with these states has weight."""
    bare = graph.observing({})
    return any(
        weight and all(world[variable] == state for variable, state in states.items())
        for world, weight in weighted_worlds(bare)
    )


@st.composite
def observed_graphs(draw: st.DrawFn) -> tuple[lg.FactorGraph, dict[int, int]]:
    """A graph, and states of some variables that it does not observe itself."""
    graph = draw(factor_graphs())
    free = [v for v in range(graph.variable_count) if v not in graph.evidence]
    chosen = draw(st.sets(st.sampled_from(free))) if free else set()
    sizes = graph.cardinalities.tolist()
    return graph, {v: draw(st.integers(0, sizes[v] - 1)) for v in sorted(chosen)}


@given(observed_graphs(), st.sampled_from(["ground", "lifted", "auto"]), st.booleans())
def test_what_is_named_is_impossible_and_nothing_less_is(
    observed: tuple[lg.FactorGraph, dict[int, int]], method: str, is_lifted: bool
) -> None:
    graph, states = observed
    written = {v: graph.states(v)[state] for v, state in states.items()}
    everything = {**states, **graph.evidence}
    text = {f"{graph.name(v)}={graph.states(v)[s]}": (v, s) for v, s in everything.items()}
    model = graph.observing({}).lift().given(graph.evidence) if is_lifted else graph
    names = blamed(lambda: model.partition(given=written, method=method))
    if names is None:
        assert is_possible(graph, everything)
        return
    chosen = dict(text[name] for name in names)
    assert not is_possible(graph, chosen)
    for variable in chosen:
        assert is_possible(graph, {v: s for v, s in chosen.items() if v != variable})


def test_lifted_graphs_keep_the_order_of_their_variables() -> None:
    builder = lg.FactorGraphBuilder()
    for person in range(4):
        builder.add_variable(f"Sick.{person}")
        builder.add_variable(f"Fever.{person}", ["high", "low", "none"])
        builder.add_factor([f"Sick.{person}", f"Fever.{person}"], [2, 1, 1, 0, 0, 1])
    model = builder.build().lift()
    well = {"Sick.2": "false", "Sick.1": "true", "Fever.0": "none"}
    feverish = {"Fever.3": [3, 1, 1], "Fever.2": [2, 1, 0]}
    for observed in (model, model.given(well), model.given(feverish)):
        names = blamed(lambda observed=observed: observed.partition(given={**well, **feverish}))
        assert {*(names or ())} == {"Sick.2=false", "Fever.2=2,1,0"}


PERSON = lg.LogVar("P", 300)
SICK, TESTED = lg.prv("Sick", PERSON), lg.prv("Tested", PERSON)
EPIDEMIC = lg.prv("Epidemic")
MODEL = lg.ParfactorGraph.of(
    [
        lg.parfactor([EPIDEMIC, SICK], [1, 2, 0, 1]),  # without an epidemic, nobody is sick
        lg.parfactor([SICK, TESTED], [3, 1, 0, 1]),  # only the sick are tested positive
    ]
)


def test_two_of_hundreds_of_observations_of_a_lifted_model_are_named() -> None:
    well = {f"Sick.{n}": "false" for n in range(1, 200)}
    observed = {**well, "Tested.250": "true", "Epidemic": "false", "Tested.7": "false"}
    for ask in (
        MODEL.partition,
        MODEL.marginals,
        MODEL.mpe,
        lambda **o: MODEL.query("Sick.9", **o),
    ):
        assert blamed(lambda ask=ask: ask(given=observed)) == ("Tested.250=true", "Epidemic=false")
    known = MODEL.given({**well, "Epidemic": "false"})
    names = blamed(lambda: known.query("Sick.299", given={"Tested.250": "true"}))
    assert names == ("Epidemic=false", "Tested.250=true")


def test_counts_and_likelihoods_are_observations_too() -> None:
    few = {"Sick.1": "false", "Sick.2": "true", "Tested.3": "true", lg.count("Sick"): 1}
    names = blamed(lambda: MODEL.query("Epidemic", given=few))
    assert names is not None
    assert len(names) == 3
    assert {"Sick.2=true", "Tested.3=true"} < {*names}
    likely = {"Sick.2": [5, 0], "Epidemic": [0, 1], "Sick.3": "false"}
    assert blamed(lambda: MODEL.partition(given=likely)) == ("Sick.2=5,0", "Epidemic=0,1")


def test_a_model_without_any_possible_assignment_says_so() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    for pair in ("AB", "BC", "AC"):  # three values out of two, all different
        builder.add_factor(list(pair), [[0, 1], [1, 0]])
    with pytest.raises(lg.ZeroWeightError, match="whatever is observed: every assignment of"):
        builder.build().query("A", given={"B": "true"})


def test_contradictions_are_named_among_thousands_of_variables_and_on_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"x{n}" for n in range(3_000)])
    for n in range(2_999):  # what is true once stays true
        builder.add_factor([f"x{n}", f"x{n + 1}"], [[1, 0], [1, 1]])
    states = {f"x{n}": "true" if n > 1_000 else "false" for n in range(0, 3_000, 7)}
    names = blamed(lambda: builder.build().query("x1", given={**states, "x2000": "false"}))
    assert names is not None
    assert names[1] == "x2000=false"
    assert (
        main(["query", "example:asia", "xray", "--given", "tub=yes", "either=no", "asia=no"]) == 1
    )
    told = capsys.readouterr().err
    assert "nothing is possible: tub=yes and either=no contradict each other" in told


def test_an_impossible_event_has_probability_zero_and_is_not_explained() -> None:
    assert MODEL.probability({"Sick.1": "true", "Epidemic": "false"}) == 0
    with pytest.raises(lg.ZeroWeightError, match="contradict each other"):
        MODEL.probability({"Sick.9": "true"}, given={"Sick.1": "true", "Epidemic": "false"})
