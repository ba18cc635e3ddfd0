"""Most probable states agree with pgmpy and pyAgrum on networks that come with pgmpy.

Several joint states can be equally probable, so it is their probabilities that are compared.
"""

from __future__ import annotations

import random
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any

import pyagrum
import pytest

import liftgraph as lg
from liftgraph import FactorGraph

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning"),
]
PGMPY = find_spec("pgmpy")
FOLDER = Path(str(PGMPY and PGMPY.origin)).parent / "utils" / "example_models"
SMALL = ["asia", "cancer", "earthquake", "survey", "sachs"]
NAMES = [*SMALL, "alarm", "insurance", "child", "win95pts", "hepar2"]
QUESTIONS = 3


def read(name: str) -> FactorGraph:
    return lg.read_graph(FOLDER / f"{name}.bif.gz")


def questions(graph: FactorGraph) -> list[tuple[set[str], dict[str, str]]]:
    """Some variables that are asked for, and states of others that are possible together."""
    chosen = random.Random(graph.edge_count)
    model = lg.to_pyagrum(graph)
    drawn = []
    for _ in range(QUESTIONS):
        first, second, third, *observed = chosen.sample([*graph.variables], 5)
        given: dict[str, str] = {}
        for name in observed:
            engine = pyagrum.LazyPropagation(model)
            engine.setEvidence(given)
            weights = engine.posterior(name).tolist()
            given[name] = chosen.choices(model.variable(name).labels(), weights)[0]
        drawn.append(({first, second, third}, given))
    return drawn


@pytest.mark.parametrize("name", NAMES)
def test_the_most_probable_states_of_some_are_theirs(name: str) -> None:
    from pgmpy.inference import VariableElimination

    graph = read(name)
    theirs: Any = lg.to_pgmpy(graph)
    for asked, given in questions(graph):
        engine = pyagrum.LazyPropagation(lg.to_pyagrum(graph))
        engine.setEvidence(given)
        engine.addJointTarget(asked)
        joint = engine.jointPosterior(asked)
        ours = graph.map(*sorted(asked), given=given)
        found: dict[str, str] = VariableElimination(theirs).map_query(
            sorted(asked), evidence=given, show_progress=False
        )
        assert ours.probability == pytest.approx(joint.max(), abs=1e-9)
        for states in (found, ours):
            assert joint[dict(states)] == pytest.approx(joint.max(), abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_the_most_probable_assignment_is_theirs(name: str) -> None:
    from pgmpy.inference import VariableElimination

    graph = read(name)
    model = lg.to_pyagrum(graph)
    theirs: Any = lg.to_pgmpy(graph)
    found: dict[str, str] = VariableElimination(theirs).map_query(
        [*graph.variables], show_progress=False
    )
    ours = graph.mpe()
    assignment = model.completeInstantiation()
    for states in (found, ours):
        assignment.fromdict(dict(states))
        assert log(model.jointProbability(assignment)) == pytest.approx(ours.log_weight, abs=1e-9)
