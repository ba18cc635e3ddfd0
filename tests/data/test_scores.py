"""Likelihood and BIC of what was learnt, against plain counting and other libraries."""

from __future__ import annotations

import math
import random
from typing import Any

import pandas as pd
import pyagrum
import pytest
from pgmpy import structure_score
from pgmpy.base import DAG

import liftgraph as lg
from liftgraph import InputError, learn, learn_bayesian_network

EDGES = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")]


def rows(count: int, seed: int) -> pd.DataFrame:
    """Rows in which each variable follows its parents, more or less."""
    chosen = random.Random(seed)
    table: dict[str, list[str]] = {name: [] for name in "ABCD"}
    for _ in range(count):
        a = chosen.choice("xyz")
        b = a if chosen.random() < 0.7 else chosen.choice("xyz")
        c = "low" if chosen.random() < (0.8 if a == "x" else 0.3) else "high"
        d = str(b == "x" or c == "high") if chosen.random() < 0.9 else "None of it"
        for name, value in zip("ABCD", (a, b, c, d), strict=True):
            table[name].append(value)
    return pd.DataFrame(table)


def test_bic_is_that_of_pgmpy_and_the_likelihood_that_of_pyagrum() -> None:
    frame = rows(300, 1)
    learnt = learn_bayesian_network(EDGES, frame)
    assert learnt.free_parameters == 2 + 3 * 2 + 3 * 1 + 3 * 2 * 2
    assert learnt.bic(frame) == pytest.approx(structure_score.BIC(frame).score(DAG(EDGES)))
    learner = pyagrum.BNLearner(frame)
    expected = sum(
        learner.logLikelihood([child, *above]) - (learner.logLikelihood(above) if above else 0.0)
        for child, above in (("A", []), ("B", ["A"]), ("C", ["A"]), ("D", ["B", "C"]))
    )
    assert learnt.log_likelihood(frame) == pytest.approx(expected * math.log(2))


def test_counted_rows_count_in_bic() -> None:
    frame = rows(40, 2)
    counted = frame.value_counts().reset_index(name="n")
    learnt = learn_bayesian_network(EDGES, lg.Source(counted, counts="n"))
    assert learnt.bic(counted, counts="n") == pytest.approx(learnt.bic(frame))


def test_tied_parameters_count_once() -> None:
    table = {"A": ["0", "1"], "B": ["0", "1"]}
    learnt = learn_bayesian_network({"A": [], "B": []}, table, tied={"A": "p", "B": "p"})
    assert learnt.free_parameters == 1


@pytest.mark.parametrize(
    ("learnt", "table", "options", "problem"),
    [
        (learn([["A"]], {"A": [0]}), {"A": [0]}, {}, "expected a Bayesian network to count"),
        (learn_bayesian_network({"A": []}, {"A": [0]}), {"A": []}, {}, "at least one row"),
        (learn_bayesian_network({"A": []}, {"A": [0]}), {"A": [0]}, {"by_row": True}, "no by_row"),
        (learn_bayesian_network({"A": []}, {"A": [0]}), {"B": [0]}, {}, "expected a variable"),
    ],
)
def test_criteria_that_make_no_sense_are_refused(
    learnt: Any, table: Any, options: Any, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        learnt.bic(table, **options)
