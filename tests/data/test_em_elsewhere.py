"""EM's likelihood agrees with pyAgrum's inference and EM, on networks that come with pgmpy."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyagrum
import pytest

import liftgraph as lg
from liftgraph import EM, FactorGraph

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning"),
]
PGMPY = find_spec("pgmpy")
FOLDER = Path(str(PGMPY and PGMPY.origin)).parent / "utils" / "example_models"
SMALL = ["asia", "cancer", "earthquake", "survey", "sachs"]
NAMES = [*SMALL, "child", "insurance", "alarm", "hailfinder", "win95pts"]
ROWS, MISSING = 40, 0.15


def network(name: str) -> FactorGraph:
    return lg.read_graph(FOLDER / f"{name}.bif.gz")


def worlds(graph: FactorGraph, rows: int) -> pd.DataFrame:
    """Worlds that pyAgrum draws from a network, with some values missing."""
    pyagrum.initRandom(7)
    model = lg.to_pyagrum(graph)  # which the generator does not keep alive
    generator = pyagrum.BNDatabaseGenerator(model)
    generator.drawSamples(rows)
    frame = generator.to_pandas().astype(object)
    gaps = np.random.default_rng(3).random(frame.shape) < MISSING
    return frame.mask(gaps, None)


def weighed_elsewhere(graph: FactorGraph, frame: pd.DataFrame) -> float:
    """The sum of the logarithms of what pyAgrum says of each row's probability."""
    model = lg.to_pyagrum(graph)
    inference = pyagrum.LazyPropagation(model)
    total = 0.0
    for row in frame.to_dict("records"):
        inference.setEvidence({name: value for name, value in row.items() if value is not None})
        total += math.log(inference.evidenceProbability())
    return total


@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_is_what_pyagrum_computes_row_by_row(name: str) -> None:
    graph = network(name)
    frame = worlds(graph, ROWS)
    assert graph.log_likelihood(frame) == pytest.approx(weighed_elsewhere(graph, frame), abs=1e-5)
    learnt = lg.learn_bayesian_network(graph, frame, prior="0.1", missing=EM(iterations=3))
    run = learnt.best_run
    assert run is not None
    ours = run.log_likelihoods[-1]
    assert ours == pytest.approx(weighed_elsewhere(learnt.graph, frame), abs=1e-4)
    assert (np.diff(run.objectives) >= -1e-6).all()


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_the_end_is_no_worse_than_that_of_pyagrums_em(name: str) -> None:
    graph = network(name)
    frame = worlds(graph, 300)
    settings = EM(restarts=3, tolerance=1e-6)
    ours = lg.learn_bayesian_network(graph, frame, missing=settings).log_likelihood(frame)
    template = lg.to_pyagrum(graph)
    learner = pyagrum.BNLearner(frame.fillna("?"), template, ["?"])
    learner.useEMWithDiffCriterion(1e-4)
    learner.useSmoothingPrior(1e-9)
    theirs = lg.from_pyagrum(learner.learnParameters(template.dag()))
    assert ours >= theirs.log_likelihood(frame) - 0.5
