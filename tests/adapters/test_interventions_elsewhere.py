"""Interventions and d-separation agree with pgmpy and pyAgrum on networks that come with pgmpy."""

from __future__ import annotations

import random
from importlib.util import find_spec
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
NAMES = ["asia", "cancer", "earthquake", "survey", "sachs", "alarm", "insurance", "hailfinder"]
NAMES += ["child", "win95pts", "hepar2", "water"]
QUESTIONS = 4


@pytest.fixture(scope="module", params=NAMES)
def graph(request: pytest.FixtureRequest) -> FactorGraph:
    return lg.read_graph(FOLDER / f"{request.param}.bif.gz")


def questions(graph: FactorGraph) -> list[tuple[str, str, str]]:
    """Causes with parents, a state of each, and effects that have an ancestor in common with them
    or are below them, so that doing may differ from seeing."""
    chosen = random.Random(graph.variable_count)
    pairs = [
        (cause, effect)
        for cause in graph.variables
        for effect in graph.variables
        if cause != effect and graph.parents(cause) and not graph.d_separated(cause, effect)
    ]
    picked = chosen.sample(pairs, min(QUESTIONS, len(pairs)))
    return [(cause, chosen.choice(graph.states(cause)), effect) for cause, effect in picked]


def test_interventions_agree_with_pgmpy(graph: FactorGraph) -> None:
    from pgmpy.inference import VariableElimination

    model: Any = lg.to_pgmpy(graph)
    for cause, state, effect in questions(graph):
        engine = VariableElimination(model.do([cause]))
        expected = engine.query([effect], evidence={cause: state}, show_progress=False)
        assert expected.state_names[effect] == [*graph.states(effect)]
        ours = graph.query(effect, do={cause: state})
        assert ours.probabilities == pytest.approx(expected.values, abs=1e-9)


def test_interventions_agree_with_pyagrum(graph: FactorGraph) -> None:
    for cause, state, effect in questions(graph):
        model = lg.to_pyagrum(graph)
        for parent in model.parents(cause):
            model.eraseArc(parent, model.idFromName(cause))
        engine = pyagrum.LazyPropagation(model)
        engine.setEvidence({cause: state})
        engine.setTargets({effect})
        engine.makeInference()
        ours = graph.query(effect, do={cause: state})
        assert ours.probabilities == pytest.approx(engine.posterior(effect).toarray(), abs=1e-9)


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey"])
def test_interventions_are_the_causal_impact_of_pyagrum(name: str) -> None:
    graph = lg.read_graph(FOLDER / f"{name}.bif.gz")
    model = pyagrum.CausalModel(lg.to_pyagrum(graph))
    for cause, state, effect in questions(graph):
        _, impact, _ = pyagrum.causalImpact(model, on=effect, doing=cause, values={cause: state})
        ours = graph.query(effect, do={cause: state})
        assert ours.probabilities == pytest.approx(impact.toarray().ravel(), abs=1e-9)


def test_separation_and_blankets_agree_with_both(graph: FactorGraph) -> None:
    trails: Any = lg.to_pgmpy(graph)
    model = lg.to_pyagrum(graph)
    chosen = random.Random(graph.edge_count)
    names = [*graph.variables]
    for _ in range(30):
        first, second, *given = chosen.sample(names, 2 + chosen.randrange(min(4, len(names) - 1)))
        ours = graph.d_separated(first, second, given)
        assert ours == (not trails.is_dconnected(first, second, given))
        assert ours == model.isIndependent(first, second, given)
    for name in names[:12]:
        assert {*graph.markov_blanket(name)} == {*trails.get_markov_blanket(name)}
        blanket = pyagrum.MarkovBlanket(model, name).nodes()
        assert {*graph.markov_blanket(name)} == {model.variable(v).name() for v in blanket} - {name}
        assert {*graph.ancestors(name)} == {*trails.get_ancestors([name])} - {name}
