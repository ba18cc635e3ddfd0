"""Structures by edges, tables by themselves, priors and tied parameters, against plain counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.base import DAG

from liftgraph import (
    EM,
    BDeu,
    FactorGraphBuilder,
    InputError,
    Source,
    learn,
    learn_bayesian_network,
)
from liftgraph.data.learning.learnt import Learnt

STATES = {"A": ("0", "1"), "B": ("x", "y", "z"), "C": ("only",)}
EDGES = [("A", "B"), ("C", "B"), ("A", "C")]
PARENTS = {"A": [], "B": ["A", "C"], "C": ["A"]}
Rows = list[tuple[str, ...]]
ROWS = st.lists(st.tuples(*map(st.sampled_from, STATES.values())), max_size=12)


def frame(rows: Rows) -> dict[str, list[str]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(STATES)}


def distributions(learnt: Learnt, child: str) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """The probability of each assignment of parents and child."""
    conditional = learnt.graph.cpd(child)
    sets = [*conditional.parent_states, conditional.states]
    for place in product(*map(range, map(len, sets))):
        names = tuple(states[state] for states, state in zip(sets, place, strict=True))
        yield names, conditional.table.potential(place)


def expected(counted: Any, states: tuple[str, ...], added: Any, size: tuple[str, ...]) -> Fraction:
    """The mean of the Dirichlet distribution: counts and pseudo-counts over their sum."""
    above = states[:-1]
    total = sum(counted[(*above, state)] + added((*above, state)) for state in size)
    return Fraction(counted[states] + added(states)) / total if total else Fraction(1, len(size))


def check(learnt: Learnt, rows: Rows, added: Any) -> None:
    place = {name: index for index, name in enumerate(STATES)}
    for child, above in PARENTS.items():
        scope = [*above, child]
        counted = Counter(tuple(row[place[name]] for name in scope) for row in rows)
        for states, probability in distributions(learnt, child):
            assert probability == expected(
                counted, states, lambda names, child=child: added(child, names), STATES[child]
            )


@settings(max_examples=30)
@given(ROWS, st.sampled_from([0, 1, "1/3", Fraction(5, 2)]))
def test_one_number_is_added_to_each_count(rows: Rows, prior: Any) -> None:
    learnt = learn_bayesian_network(EDGES, frame(rows), states=STATES, prior=prior)
    check(learnt, rows, lambda child, names: Fraction(prior))


@settings(max_examples=30)
@given(ROWS, st.sampled_from([1, 10, "1/3"]))
def test_bdeu_spreads_its_sample_over_each_table(rows: Rows, size: Any) -> None:
    """N' / (r q) for r states and q assignments of the parents."""
    learnt = learn_bayesian_network(EDGES, frame(rows), states=STATES, prior=BDeu(size))
    entries = {"A": 2, "B": 6, "C": 2}
    check(learnt, rows, lambda child, names: Fraction(size) / entries[child])


@given(ROWS)
def test_a_table_of_pseudo_counts_has_the_parents_first(rows: Rows) -> None:
    table: list[Any] = [[[1, 2, "0.5"]], [[0, 0, 0]]]
    learnt = learn_bayesian_network(
        EDGES, frame(rows), states=STATES, prior={"B": table, "A": "1/2"}
    )

    def added(child: str, names: tuple[str, ...]) -> Fraction:
        if child == "B":
            return Fraction(table[int(names[0])][0]["xyz".index(names[-1])])
        return Fraction(1, 2) if child == "A" else Fraction(0)

    check(learnt, rows, added)


@settings(max_examples=30)
@given(ROWS, st.permutations(["A", "B", "C"]), st.sampled_from(["skip", EM()]))
def test_a_table_of_pseudo_counts_has_the_child_last(
    rows: Rows, order: list[str], missing: Any
) -> None:
    """Even if the factor of a given network has its arguments in another order."""
    parents = [name for name in order if name != "B"]
    builder = FactorGraphBuilder()
    for name, states in STATES.items():
        builder.add_variable(name, states)
        if name != "B":
            builder.add_factor([name], [Fraction(1, len(states))] * len(states))
    builder.add_factor(order, np.full([len(STATES[name]) for name in order], "1/3").tolist())
    shape = [len(STATES[name]) for name in (*parents, "B")]
    prior: Any = {"B": np.arange(6).reshape(shape)}
    edges = {"A": [], "C": [], "B": parents}
    options: Any = {"prior": prior, "missing": missing}
    graph = learn_bayesian_network(builder.build(), frame(rows), **options)
    listed = learn_bayesian_network(edges, frame(rows), states=STATES, **options)
    assert [*distributions(graph, "B")] == [*distributions(listed, "B")]


def test_what_a_prior_says_is_not_called_uniform() -> None:
    learnt = learn_bayesian_network(
        {"A": [], "B": ["A"]},
        {"A": ["0"], "B": ["x"]},
        states={"A": ["0", "1"], "B": ["x", "y"]},
        prior={"B": [[0, 0], [1, 3]]},
    )
    assert learnt.graph.cpd("B").table.potential((1, 1)) == Fraction(3, 4)
    assert learnt.factors[1].uniform == 0
    assert "pseudo-counts given for 1 of them" in str(learnt)


@pytest.mark.parametrize(
    ("prior", "problem"),
    [
        ({"D": 1}, "prior: expected a variable, got D"),
        ({"B": [[1, 2], [3, 4]]}, r"B: prior: expected a table of 2×3 pseudo-counts, got \(2, 2\)"),
        ({"B": [[1, 2, 3], [3, 4]]}, "B: expected nested lists of equal lengths"),
        ({"B": [[0.1, 2, 3], [3, 4, 5]]}, "B: prior: expected integers, fractions or decimals"),
        ({"B": -1}, "B: prior: expected a non-negative number, got -1"),
        ("many", "prior: expected a non-negative number"),
        (None, "prior: expected a non-negative number, got None"),
    ],
)
def test_priors_that_do_not_fit_are_refused(prior: Any, problem: str) -> None:
    rows = {"A": ["0", "1"], "B": ["x", "y"]}
    with pytest.raises(InputError, match=problem):
        learn_bayesian_network([("A", "B")], rows, states={"B": ["x", "y", "z"]}, prior=prior)


@pytest.mark.parametrize("size", [0, -1, 0.5, "x", None])
def test_a_sample_size_is_positive_and_exact(size: Any) -> None:
    with pytest.raises(InputError, match="sample size of BDeu"):
        BDeu(size)


def test_priors_of_scopes_are_numbers_or_tables() -> None:
    table = {"A": ["x"], "B": ["x"]}
    states = {"A": ["x", "y"], "B": ["x"]}
    learnt = learn([["A"], ["A", "B"]], table, states=states, prior={("A",): [2, "1/2"]})
    assert learnt.graph.factors[0].table.potential((1,)) == Fraction(1, 2)
    assert learnt.graph.factors[1].table.potential((1, 0)) == 0
    with pytest.raises(InputError, match=r"expected one of the scopes, got \(B\)"):
        learn([["A"]], table, prior={("B",): 1})
    with pytest.raises(InputError, match="expected numbers to add to counts, got BDeu"):
        learn([["A"]], table, prior=BDeu(1))


@pytest.mark.parametrize("structure", [EDGES, iter(EDGES), nx.DiGraph(EDGES), DAG(EDGES), PARENTS])
def test_structures_in_any_form_give_the_same_network(structure: Any) -> None:
    rows: Rows = [("0", "x", "only"), ("1", "y", "only"), ("1", "z", "only")]
    check(learn_bayesian_network(structure, frame(rows)), rows, lambda child, names: 0)


def test_nodes_without_edges_are_variables_of_a_directed_graph() -> None:
    graph = nx.DiGraph([("A", "B")])
    graph.add_node("C")
    rows: Rows = [("0", "x", "only")]
    assert learn_bayesian_network(graph, frame(rows)).graph.variable_count == 3
    assert learn_bayesian_network([("A", "B")], frame(rows)).graph.variable_count == 2


def test_tables_come_by_themselves_or_in_lists(tmp_path: Path) -> None:
    rows: Rows = [("0", "x", "only"), ("1", "y", "only")]
    table = frame(rows)
    data = pd.DataFrame(table)
    data.to_csv(tmp_path / "rows.csv", index=False)
    listed = [dict(zip(STATES, row, strict=True)) for row in rows]
    once = learn_bayesian_network(EDGES, table)
    for same in (data, listed, tmp_path / "rows.csv", str(tmp_path / "rows.csv")):
        assert learn_bayesian_network(EDGES, same).graph == once.graph
    twice = learn(EDGES, [data, listed, Source(table)])
    assert [*twice.sources.values()] == [2, 2, 2]
    assert twice.graph.factors[0].table.scale == 3


@settings(max_examples=30)
@given(ROWS)
def test_tied_variables_share_the_counts_of_all(rows: Rows) -> None:
    """Two variables with one parent each: their table is that of the rows of both."""
    table = {"A": [r[0] for r in rows], "X": [r[1] for r in rows], "Y": [r[1] for r in rows][::-1]}
    states = {"A": STATES["A"], "X": STATES["B"], "Y": STATES["B"]}
    edges = [("A", "X"), ("A", "Y")]
    learnt = learn_bayesian_network(
        edges, table, states=states, tied={"X": "mood", "Y": "mood"}, prior=1
    )
    both = {"A": table["A"] * 2, "X": table["X"] + table["Y"]}
    alone = learn_bayesian_network([("A", "X")], both, states={k: states[k] for k in "AX"}, prior=1)
    for child in "XY":
        assert learnt.graph.cpd(child).table == alone.graph.cpd("X").table
    assert learnt.parameters == (0, 1, 1)
    assert "1 tied to others" in str(learnt)


@pytest.mark.parametrize(
    ("tied", "options", "problem"),
    [
        ({"D": "p"}, {}, "tied: expected a variable of the network, got 'D'"),
        ({"A": "p", "B": "p"}, {}, r"the same states of the arguments of \(A\) and \(A, B\)"),
        ({"B": "p", "C": "p"}, {}, r"the same states of the arguments of \(A, B\) and \(A, C\)"),
        ({"B": "p", "D": "p"}, {"prior": {"B": 1}}, "tied: expected a variable of the network"),
        (["A"], {}, "as mappings"),
        ({"A": ["p"]}, {}, r"tied: expected a name for A, got \['p'\]"),
    ],
)
def test_what_cannot_be_tied_is_refused(tied: Any, options: Any, problem: str) -> None:
    rows: Rows = [("0", "x", "only"), ("1", "y", "only")]
    with pytest.raises(InputError, match=problem):
        learn_bayesian_network([("A", "B"), ("A", "C")], frame(rows), tied=tied, **options)


def test_tied_variables_have_one_prior() -> None:
    table = {"A": ["0", "1"], "X": ["x", "y"], "Y": ["y", "x"]}
    with pytest.raises(InputError, match="tied: expected the same prior"):
        learn_bayesian_network(
            [("A", "X"), ("A", "Y")], table, tied={"X": "p", "Y": "p"}, prior={"X": 1}
        )
