"""Expectation maximisation against enumeration of all completions, and other libraries."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyagrum
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import EM, BDeu, InputError, MemoryLimitError, learn_bayesian_network
from liftgraph.data.learning.expected_counts import expected_counts, observed
from liftgraph.data.learning.learnt import Learnt
from liftgraph.data.learning.observed_rows import ObservedRows
from liftgraph.inference.rows.stacks import Structure, Term

Row = list[int]  # a state for each variable, -1 where it is missing
Network = tuple[list[list[int]], list[int]]  # the parents of each variable, and its states


@st.composite
def networks(draw: st.DrawFn) -> Network:
    count = draw(st.integers(1, 5))
    parents = [
        draw(st.lists(st.integers(0, v - 1), max_size=2, unique=True)) if v else []
        for v in range(count)
    ]
    return parents, [draw(st.integers(1, 3)) for _ in range(count)]


def rows_of(network: Network) -> st.SearchStrategy[list[Row]]:
    states = [st.integers(-1, size - 1) for size in network[1]]
    return st.lists(st.tuples(*states).map(list), max_size=8)


@st.composite
def tables(draw: st.DrawFn, network: Network) -> list[dict[tuple[int, ...], Fraction]]:
    """Positive distributions, by the states of the parents and the child."""
    listed = []
    for above, size in zip(*network, strict=True):
        table = {}
        for states in product(*(range(network[1][v]) for v in above)):
            weights = [draw(st.integers(1, 5)) for _ in range(size)]
            for state, weight in enumerate(weights):
                table[*states, state] = Fraction(weight, sum(weights))
        listed.append(table)
    return listed


def needed(network: Network, row: Row) -> set[int]:
    """What is observed, and all above it."""
    wanted = {v for v, state in enumerate(row) if state >= 0}
    for variable in reversed(range(len(row))):
        if variable in wanted:
            wanted |= set(network[0][variable])
    return wanted


def twin(
    network: Network, table: list[dict[tuple[int, ...], Fraction]], rows: list[Row]
) -> tuple[list[dict[tuple[int, ...], Fraction]], float]:
    """Expected counts, and the log-likelihood, by looking at every completion of every row."""
    counts = [dict.fromkeys(entries, Fraction(0)) for entries in table]
    logs = 0.0
    for row in rows:
        wanted = sorted(needed(network, row))
        choices = [range(network[1][v]) if row[v] < 0 else [row[v]] for v in wanted]
        worlds = []
        for states in product(*choices):
            state = dict(zip(wanted, states, strict=True))
            cells = [(v, tuple(state[u] for u in [*network[0][v], v])) for v in wanted]
            worlds.append(
                (math.prod((table[v][cell] for v, cell in cells), start=Fraction(1)), cells)
            )
        total = sum(weight for weight, _ in worlds)
        logs += math.log(total)
        for weight, cells in worlds:
            for v, cell in cells:
                counts[v][cell] += weight / total
    return counts, logs


@given(st.data(), networks())
def test_one_iteration_expects_what_enumeration_does(data: st.DataObject, network: Network) -> None:
    table, rows = data.draw(tables(network)), data.draw(rows_of(network))
    parents, sizes = network
    terms = [Term(v, (*above, v), v) for v, above in enumerate(parents)]
    shapes = {v: tuple(sizes[u] for u in [*above, v]) for v, above in enumerate(parents)}
    states = np.array(rows, dtype=np.int32).reshape(len(rows), len(sizes)).T
    stacked = ObservedRows(states, np.ones(len(rows), dtype=np.int64))
    problem = observed(Structure(terms, sizes), shapes, stacked, 10**9)
    parameters = {v: np.zeros(shape) for v, shape in shapes.items()}
    for v, entries in enumerate(table):
        for cell, probability in entries.items():
            parameters[v][cell] = float(probability)
    counts, log_likelihood = expected_counts(problem, parameters)
    expected, logs = twin(network, table, rows)
    assert log_likelihood == pytest.approx(logs, abs=1e-9)
    for v, entries in enumerate(expected):
        for cell, exactly in entries.items():
            assert counts[v][cell] == pytest.approx(float(exactly), abs=1e-9)


def frame(network: Network, rows: list[Row]) -> dict[str, list[str | None]]:
    return {
        f"V{v}": [None if row[v] < 0 else str(row[v]) for row in rows]
        for v in range(len(network[1]))
    }


def learnt_from(network: Network, rows: list[Row], **options: Any) -> Learnt:
    parents = {f"V{v}": [f"V{u}" for u in above] for v, above in enumerate(network[0])}
    states = {f"V{v}": size for v, size in enumerate(network[1])}
    return learn_bayesian_network(parents, frame(network, rows), states=states, **options)


@settings(max_examples=60)
@given(st.data(), networks(), st.sampled_from([0, 1, "1/2", BDeu(3)]), st.integers(0, 2))
def test_the_objective_never_decreases(
    data: st.DataObject, network: Network, prior: Any, restarts: int
) -> None:
    rows = data.draw(rows_of(network))
    learnt = learnt_from(
        network, rows, prior=prior, missing=EM(restarts=restarts, iterations=30, tolerance=0)
    )
    assert len(learnt.runs) == restarts + 1
    for run in learnt.runs:
        for before, after in zip(run.objectives, run.objectives[1:], strict=False):
            assert after >= before - 1e-9 * (1 + abs(before))
    best = learnt.best_run
    assert best is not None
    assert best.objectives[-1] == max(run.objectives[-1] for run in learnt.runs)
    assert learnt.log_likelihood(frame(network, rows)) == pytest.approx(
        best.log_likelihoods[-1], abs=1e-7
    )
    again = learnt_from(
        network, rows, prior=prior, missing=EM(restarts=restarts, iterations=30, tolerance=0)
    )
    assert again.graph == learnt.graph


@given(st.data(), networks(), st.sampled_from([0, "1/2", BDeu(3)]))
def test_complete_rows_are_counted_exactly_in_no_iteration(
    data: st.DataObject, network: Network, prior: Any
) -> None:
    rows = [[max(state, 0) for state in row] for row in data.draw(rows_of(network))]
    completed = learnt_from(network, rows, prior=prior, missing=EM())
    assert completed.graph == learnt_from(network, rows, prior=prior).graph
    assert not any(table.measured for table in completed.graph.tables)
    assert completed.runs[0].iterations == 0
    assert completed.runs[0].converged


@given(st.data(), networks())
def test_gaps_below_everything_leave_counts_exact(data: st.DataObject, network: Network) -> None:
    """The last variable is missing sometimes: rows without it say nothing about it."""
    rows = [[*(max(s, 0) for s in row[:-1]), row[-1]] for row in data.draw(rows_of(network))]
    completed = learnt_from(network, rows, missing=EM())
    assert completed.graph == learnt_from(network, rows).graph


def gappy(count: int, seed: int, share: float) -> pd.DataFrame:
    """A → B → C and A → C, with values missing at random."""
    chosen = random.Random(seed)
    table: dict[str, list[str | None]] = {"A": [], "B": [], "C": []}
    for _ in range(count):
        a = chosen.random() < 0.3
        b = chosen.random() < (0.8 if a else 0.2)
        c = chosen.random() < (0.9 if a and b else 0.4 if b else 0.1)
        for name, value in zip("ABC", (a, b, c), strict=True):
            table[name].append(None if chosen.random() < share else str(int(value)))
    return pd.DataFrame(table)


EDGES = [("A", "B"), ("A", "C"), ("B", "C")]


@pytest.mark.filterwarnings("ignore:.*likelihood divergence:UserWarning")  # of pyAgrum's own EM
def test_the_likelihood_is_at_least_that_of_pyagrum() -> None:
    table = gappy(300, 3, 0.2)
    learnt = learn_bayesian_network(EDGES, table, missing=EM(tolerance=1e-9))
    assert learnt.best_run is not None
    assert learnt.best_run.converged
    learner = pyagrum.BNLearner(table.fillna("?"), ["?"])
    learner.useEM(1e-10)
    learner.setMaxIter(10000)
    network = pyagrum.BayesNet()
    for name in "ABC":
        network.add(pyagrum.LabelizedVariable(name, name, ["0", "1"]))
    for parent, child in EDGES:
        network.addArc(parent, child)
    theirs = lg.from_pyagrum(learner.learnParameters(network.dag()))
    ours = learnt.log_likelihood(table)
    assert ours >= theirs.log_likelihood(table) - 1e-6
    assert ours == pytest.approx(theirs.log_likelihood(table), abs=1e-3)


def test_a_hidden_cause_explains_what_goes_together() -> None:
    """Two classes of rows: their class was never observed, and EM finds it."""
    chosen = random.Random(5)
    rows: dict[str, list[str]] = {name: [] for name in "XYZ"}
    for _ in range(400):
        kind = chosen.random() < 0.5
        for name in "XYZ":
            rows[name].append(str(chosen.random() < (0.9 if kind else 0.1)))
    edges = [("class", name) for name in "XYZ"]
    learnt = learn_bayesian_network(
        edges, rows, states={"class": ["1", "2"]}, missing=EM(restarts=3, seed=1)
    )
    apart = learn_bayesian_network({name: [] for name in "XYZ"}, rows)
    assert learnt.log_likelihood(rows) > apart.log_likelihood(rows) + 50
    hidden = learnt.graph.query("class")
    assert min(hidden.probabilities) == pytest.approx(0.5, abs=0.1)
    assert "the best of 4 starts" in str(learnt)
    assert learnt.hidden == ("class",)
    assert "hidden, as no source observes them: class" in str(learnt)
    with pytest.raises(InputError, match="no source has a value of class"):
        learn_bayesian_network(edges, rows, missing=EM())
    with pytest.raises(InputError, match="none observes class"):
        learn_bayesian_network(edges, rows, states={"class": 2})


def test_rows_that_were_observed_often_count_often() -> None:
    table = gappy(60, 7, 0.3)
    counted = table.value_counts(dropna=False).reset_index(name="n")
    counted["n"] = [f"{n}/3" for n in counted["n"]]
    once = learn_bayesian_network(EDGES, table, missing=EM(tolerance=1e-10))
    often = learn_bayesian_network(
        EDGES, lg.Source(counted, counts="n"), missing=EM(tolerance=1e-10)
    )
    assert often.log_likelihood(table) == pytest.approx(once.log_likelihood(table), abs=1e-4)


def test_sources_observe_different_variables() -> None:
    """One source lacks the parent: its rows are completed."""
    north = {"A": ["0", "0", "1", "1"], "B": ["x", "x", "y", "x"]}
    south = {"B": ["y", "y", "y"]}
    learnt = learn_bayesian_network(
        [("A", "B")], [lg.Source(north), lg.Source(south)], missing=EM(tolerance=1e-12)
    )
    assert [rows.skipped for rows in learnt.factors[1].rows] == [0, 3]
    assert learnt.graph.query("B").probabilities[1] == pytest.approx(4 / 7, abs=1e-5)


def test_tied_variables_are_completed_together() -> None:
    table = gappy(80, 11, 0.2)
    edges = [("A", "B"), ("A", "C")]
    learnt = learn_bayesian_network(
        edges, table, tied={"B": "same", "C": "same"}, missing=EM(tolerance=1e-9)
    )
    assert learnt.graph.cpd("B").table == learnt.graph.cpd("C").table
    for before, after in zip(*(learnt.runs[0].objectives[k:] for k in (0, 1)), strict=False):
        assert after >= before - 1e-9


def test_a_run_that_is_cut_short_says_so() -> None:
    learnt = learn_bayesian_network(EDGES, gappy(50, 1, 0.4), missing=EM(iterations=1, tolerance=0))
    assert learnt.best_run is not None
    assert not learnt.best_run.converged
    assert learnt.best_run.iterations == 1
    assert "1 iteration, not converged" in str(learnt)


def test_the_graphs_evidence_is_kept_and_ignored() -> None:
    table = gappy(30, 2, 0.2)
    graph = learn_bayesian_network(EDGES, table, missing=EM()).graph
    again = learn_bayesian_network(graph.given({"A": "1"}), table, missing=EM())
    assert again.graph.evidence == {0: 1}
    assert again.graph.observing({}) == graph


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"restarts": -1}, "restarts: expected an integer from 0 on, got -1"),
        ({"restarts": 1.5}, "restarts: expected an integer"),
        ({"seed": "x"}, "seed: expected an integer"),
        ({"iterations": 0}, "iterations: expected an integer from 1 on, got 0"),
        ({"tolerance": -1}, "tolerance: expected a number from 0 on, got -1"),
        ({"tolerance": math.nan}, "tolerance: expected a number from 0 on"),
        ({"memory_limit": "x"}, "memory limit"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        EM(**options)


def test_only_skipping_and_em_are_ways_to_handle_gaps() -> None:
    with pytest.raises(InputError, match=r"missing: expected 'skip' or lg\.EM\(…\), got 'em'"):
        learn_bayesian_network(EDGES, gappy(5, 1, 0.1), missing="em")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected no counted_in with EM"):
        learn_bayesian_network(
            EDGES, gappy(5, 1, 0.1), missing=EM(), counted_in={("A",): "source 1"}
        )


def test_too_little_memory_is_said_before_anything_runs() -> None:
    with pytest.raises(MemoryLimitError, match="100 rows of 3 variables"):
        learn_bayesian_network(EDGES, gappy(100, 1, 0.1), missing=EM(memory_limit=10**4))


def test_tables_about_something_else_are_refused() -> None:
    """If no column has the name of a variable, a name is misspelt."""
    states = {"A": 2, "B": 2}
    with pytest.raises(InputError, match=r"got none \(the columns are a, b\)"):
        learn_bayesian_network([("A", "B")], {"a": [0], "b": [1]}, states=states, missing=EM())


def test_no_source_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="expected at least one source, got none"):
        learn_bayesian_network([("A", "B")], [], states={"A": 2, "B": 3}, missing=EM())


def test_counts_beyond_floats_are_refused() -> None:
    source = lg.Source({"A": [0, None], "B": [0, 1], "n": ["1e301", 1]}, counts="n")
    exactly = learn_bayesian_network([("A", "B")], source).graph
    assert not any(table.measured for table in exactly.tables)
    with pytest.raises(InputError, match="counts: expected at most 1e300"):
        learn_bayesian_network([("A", "B")], source, missing=EM())
    with pytest.raises(InputError, match="prior: expected at most 1e300"):
        learn_bayesian_network([("A", "B")], {"A": [0], "B": [0]}, prior="1e301", missing=EM())
    with pytest.raises(InputError, match="n: expected at most 1e300"):
        exactly.log_likelihood(source.table, counts="n")


def test_no_rows_at_all_say_nothing() -> None:
    learnt = learn_bayesian_network(
        [("A", "B")], {"A": [], "B": []}, states={"A": 2, "B": 3}, missing=EM()
    )
    assert learnt.unsupported == (("A",), ("A", "B"))
    assert learnt.graph.cpd("B").table.potential((0, 0)) == Fraction(1, 3)
