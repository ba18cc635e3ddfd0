"""The examples that come as files are what they claim to be."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.datasets.examples import MODELS, TABLES, example_file

STATES = ("yes", "no")


def probability(assignment: dict[str, str]) -> float:
    """The product of the conditional probabilities that Lauritzen and Spiegelhalter print."""
    yes = {name: state == "yes" for name, state in assignment.items()}
    chances = {
        "asia": 0.01,
        "tub": 0.05 if yes["asia"] else 0.01,
        "smoke": 0.5,
        "lung": 0.1 if yes["smoke"] else 0.01,
        "bronc": 0.6 if yes["smoke"] else 0.3,
        "either": 1.0 if yes["tub"] or yes["lung"] else 0.0,
        "xray": 0.98 if yes["either"] else 0.05,
        "dysp": [0.1, 0.7, 0.8, 0.9][2 * yes["bronc"] + yes["either"]],
    }
    weight = 1.0
    for name, chance in chances.items():
        weight *= chance if yes[name] else 1 - chance
    return weight


def test_asia_is_the_published_network() -> None:
    graph = lg.datasets.asia()
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    assert all(graph.states(variable) == STATES for variable in range(len(names)))
    for states in product(STATES, repeat=len(names)):
        assignment = dict(zip(names, states, strict=True))
        assert graph.probability(assignment) == pytest.approx(probability(assignment), abs=1e-15)


def test_patients_are_possible_and_as_frequent_as_asia_says() -> None:
    graph, patients = lg.datasets.asia(), lg.datasets.patients()
    rows = [dict(zip(patients, row, strict=True)) for row in zip(*patients.values(), strict=True)]
    assert len(rows) == 200
    assert any(None in row.values() for row in rows)
    for row in rows:
        known = {name: state for name, state in row.items() if state is not None}
        assert graph.probability(known) > 0
    for name, states in patients.items():
        chance, known_count = graph.query(name)["yes"], len(states) - states.count(None)
        deviation = (known_count * chance * (1 - chance)) ** 0.5
        assert abs(states.count("yes") - known_count * chance) < 4 * deviation


def test_every_example_has_its_file_and_every_file_its_example() -> None:
    examples = {**MODELS, **TABLES}
    paths = {example_file(name, examples) for name in examples}
    folder = Path(lg.datasets.__file__ or "").parent
    assert paths == {path for path in folder.iterdir() if path.suffix not in (".py", "")}


def test_unknown_examples_are_refused_naming_those_there_are() -> None:
    with pytest.raises(lg.InputError) as raised:
        example_file("alarm", MODELS)
    assert str(raised.value) == "expected the example asia or epidemic, got 'alarm'"
