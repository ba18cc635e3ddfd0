"""What one sees when looking around in a factor graph: what its arrays and its numbers say."""

from __future__ import annotations

import re
import tracemalloc
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.io.test_example_networks import naive_rows, network, read_text
from tests.strategies import bayesian_networks, factor_graphs, symmetric_graphs

Network = tuple[lg.FactorGraph, list[int]]
PGMPY = pytest.mark.skipif(find_spec("pgmpy") is None, reason="its example networks are read")


def scopes(graph: lg.FactorGraph) -> list[list[int]]:
    pointers = graph.scope_ptr.tolist()
    return [graph.scope[start:end].tolist() for start, end in pairwise(pointers)]


def named(*names: str) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(names)
    builder.add_factor(names[:2], [1, 2, 3, 4])
    return builder.build()


@given(factor_graphs() | factor_graphs(named=False) | symmetric_graphs())
def test_variables_are_what_the_arrays_say(graph: lg.FactorGraph) -> None:
    names = graph.names or tuple(map(str, range(len(graph.state_set_id))))
    assert [*graph] == [*graph.variables] == [*names]
    assert len(graph.variables) == len(names)
    for index, name in enumerate(names):
        view = graph[name]
        assert view == graph[index] == graph[np.int32(index)]  # type: ignore[index]
        assert (view.name, view.index) == (name, index)
        assert view.states == graph.states(name) == graph.states(index)
        assert view.states == graph.state_sets[graph.state_set_id[index]]
        state = dict(graph.evidence).get(index)
        assert view.observed == (None if state is None else view.states[state])
        own = [factor for factor, scope in enumerate(scopes(graph)) if index in scope]
        assert [factor.index for factor in view.factors] == own
        beside = sorted({v for factor in own for v in scopes(graph)[factor]} - {index})
        assert [*view.neighbours] == [names[v] for v in beside]
        assert all(name in view.neighbours for name in view.neighbours)
        assert name not in view.neighbours
        assert name in graph
        assert index in graph
    assert len(names) not in graph
    assert -1 not in graph
    assert "another" not in graph
    assert None not in graph


@given(factor_graphs(), st.data())
def test_what_is_listed_is_a_sequence(graph: lg.FactorGraph, data: st.DataObject) -> None:
    names = tuple(graph.names or ())
    start, end = (data.draw(st.none() | st.integers(-9, 9)) for _ in range(2))
    chosen = slice(start, end, data.draw(st.sampled_from([None, 1, 2, -1, -2])))
    assert graph.variables[chosen] == names[chosen]
    assert [factor.index for factor in graph.factors[chosen]] == [
        *range(graph.factor_count)[chosen]
    ]
    assert graph.variables == names
    assert graph.variables != (*names, "one more")
    for index in range(-len(names), len(names)):
        assert graph.variables[index] == names[index]
        assert graph.variables.index(names[index]) == index % len(names)
    for beyond in (len(names), -len(names) - 1):
        with pytest.raises(IndexError, match=f"got {beyond}"):
            graph.variables[beyond]


@given(factor_graphs())
def test_factors_are_what_the_arrays_say(graph: lg.FactorGraph) -> None:
    for index, factor in enumerate(graph.factors):
        scope = scopes(graph)[index]
        assert factor == graph.factors[index]
        assert factor.name == f"φ{index + 1}"
        assert [*factor.scope] == scope
        assert [*factor.variables] == [graph.variables[v] for v in scope]
        assert factor.table == graph.tables[graph.table_id[index]]
        assert factor.parts == (factor.scope, factor.table)
        assert str(factor.entries) == str(factor)
        rows = {row[:-1]: row[-1] for row in factor.entries.rows}
        for states in product(*(range(len(graph.states(v))) for v in scope)):
            assignment = [graph.states(v)[s] for v, s in zip(scope, states, strict=True)]
            assert rows[tuple(assignment)] == factor.table.potential(states)
        assert (factor._repr_html_() or "").count("<tr>") == 1 + min(len(rows), 41)


@given(factor_graphs())
def test_a_graph_prints_all_it_has(graph: lg.FactorGraph) -> None:
    text = str(graph)
    assert "\n" not in repr(graph)
    for view in (graph[name] for name in graph):
        assert f"  {view.name} ∈ {{{', '.join(view.states)}}}\n" in f"{text}\n"
        if view.observed is not None:
            assert f"  {view.name} = {view.observed}" in text.partition("evidence")[2]
        for factor in view.factors:
            assert f"{factor.name}({', '.join(factor.variables)})" in str(view)
    for factor in graph.factors:
        assert f"  {factor.text}\n" in f"{text}\n"
        assert factor.text in str(graph.factors)
        assert "\n" not in repr(factor)


def test_a_graph_without_anything_can_be_looked_at() -> None:
    graph = lg.FactorGraphBuilder().build()
    assert str(graph) == "nothing"
    assert [*graph] == [*graph.factors] == []
    assert repr(graph.variables) == "0 variables: none"
    assert str(graph.factors) == "no factors"
    assert graph  # it has no length, so it is not empty
    with pytest.raises(TypeError):
        len(graph)  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="expected a variable, got 'A'"):
        graph["A"]
    with pytest.raises(lg.InputError, match="expected a variable, got 0"):
        graph.states(0)


def test_names_may_look_like_indices_and_have_dots() -> None:
    graph = named("2", "0", "a.b.c", "a.b")
    assert (graph["2"].index, graph[2].name, graph["a.b"].index) == (0, "a.b.c", 3)
    assert graph["0"].neighbours == ["2"]
    assert "1" not in graph
    assert 1 in graph
    with pytest.raises(lg.InputError, match="expected a variable, got '1'"):
        graph.states("1")


def test_names_are_escaped_in_html() -> None:
    graph = named("<a>", "b&c")
    for shown in (graph["<a>"], graph.factors[0]):
        html = shown._repr_html_() or ""
        assert "<a>" not in html
        assert "&lt;a&gt;" in html
        assert "b&amp;c" in html


def test_no_list_of_a_million_variables_is_made() -> None:
    n = 1_000_000
    builder = lg.FactorGraphBuilder()
    leaves = builder.add_variables(n)
    builder.add_factors(np.stack([np.zeros(n - 1, int), leaves[1:]], axis=1), [1, 2, 3, 4])
    graph = builder.build()
    tracemalloc.start()
    texts = [str(graph), repr(graph.variables), str(graph.factors), str(graph[n - 1])]
    assert str(n - 1) in graph
    assert str(n) not in graph
    assert next(iter(graph)) == "0"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * n  # bytes; a name takes 55
    assert max(len(text) for text in texts) < 5_000
    assert "… and 999,960 more" in texts[0]
    hub = graph[0]
    assert (len(hub.factors), len(hub.neighbours)) == (n - 1, n - 1)
    assert len(str(hub)) < 600


def test_potentials_that_are_no_tables_can_be_looked_at() -> None:
    builder = lg.FactorGraphBuilder()
    names = [f"x{index}" for index in range(40)]
    builder.add_variables(names)
    builder.add_count_factor(names, lg.at_least(2))
    builder.add_count_factor(names[:3], lg.at_least(2))
    graph = builder.build()
    wide, narrow = graph.factors
    assert str(wide) == wide.text
    assert str(wide).startswith("φ1(x0, x1, x2, x3, x4, x5, … and 34 more) = [1 1 1")
    assert wide._repr_html_() is None
    ones = {row[:-1] for row in narrow.entries.rows if row[-1] == 1}
    assert ones == {s for s in product(["true", "false"], repeat=3) if s.count("true") >= 2}
    with pytest.raises(lg.MemoryLimitError):
        wide.table  # noqa: B018


@given(bayesian_networks())
def test_arrows_are_those_that_the_network_was_built_from(built: Network) -> None:
    graph, own = built
    families = [scopes(graph)[factor] for factor in own]
    for variable in range(graph.variable_count):
        parents = [graph.name(v) for v in families[variable] if v != variable]
        children = [v for v, family in enumerate(families) if variable in family and v != variable]
        assert [*graph.parents(variable)] == parents
        assert graph.children(graph.name(variable)) == tuple(map(graph.name, children))


@given(bayesian_networks())
def test_edges_are_parents_and_their_children_and_parents_come_first(built: Network) -> None:
    graph, _ = built
    pairs = [(parent, child) for child in graph for parent in graph.parents(child)]
    assert [*graph.edges] == pairs
    place = {name: index for index, name in enumerate(graph.topological_order())}
    assert {*place} == {*graph}
    assert all(place[parent] < place[child] for parent, child in pairs)
    directed = lg.to_networkx(graph, directed=True)
    assert ({*directed.edges}, [*directed]) == ({*pairs}, [*graph])
    assert all(directed.nodes[name]["states"] == graph.states(name) for name in graph)
    if graph.variable_count:
        uncertain = graph.given({0: [1] * len(graph.states(0))})
        assert uncertain.edges == graph.edges


@given(bayesian_networks(max_variables=4))
def test_entries_of_distributions_are_read_by_states(built: Network) -> None:
    graph, _ = built
    for name in graph:
        cpd = graph.cpd(name)
        frame = cpd.to_frame("polars")
        assert frame.columns[: len(cpd.parents) + 1] == [*cpd.parents, name]
        entries = iter(frame["probability"].to_list())
        for row in cpd.entries.rows:
            states, weights = row[: len(cpd.parents)], row[len(cpd.parents) :]
            by_state = dict(zip(cpd.states, weights, strict=True))
            assert cpd[states] == cpd[dict(zip(cpd.parents, states, strict=True))] == by_state
            assert [cpd[(*states, state)] for state in cpd.states] == [*weights]
            assert [next(entries) for _ in weights] == [
                *map(float, map(Fraction, map(str, weights)))
            ]
        with pytest.raises(lg.InputError, match="expected"):
            cpd[(*(states[0] for states in cpd.parent_states), "no such state")]
        with pytest.raises(lg.InputError, match="expected a state for each of"):
            cpd[{"no such parent": "x"}]


@given(bayesian_networks(max_variables=4))
def test_distributions_are_those_that_brute_force_finds(built: Network) -> None:
    graph, _ = built
    for name in graph:
        cpd = graph.cpd(name)
        assert (cpd.variable, cpd.states, cpd.parents) == (name, *asked(graph, name))
        rows = {row[: len(cpd.parents)]: row[len(cpd.parents) :] for row in cpd.entries.rows}
        assert len(rows) == cpd.entries.row_count
        for states in product(*map(graph.states, cpd.parents)):
            given_parents = dict(zip(cpd.parents, states, strict=True))
            assert sum(map(Fraction, map(str, rows[states]))) == 1
            try:
                answer = brute_force(graph.given(given_parents), Query("marginal", (name,)))
            except lg.ZeroWeightError:
                continue  # anything may be written for states that never occur
            assert isinstance(answer, Marginal)
            assert answer.fractions is not None
            assert [*rows[states]] == answer.fractions.tolist()


def asked(graph: lg.FactorGraph, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return graph.states(name), graph.parents(name)


@given(bayesian_networks())
def test_a_printed_distribution_has_a_line_for_each_row(built: Network) -> None:
    graph, _ = built
    for name in graph:
        cpd = graph.cpd(name)
        title, headings, *lines = str(cpd).splitlines()
        given_parents = f" | {', '.join(cpd.parents)}" if cpd.parents else ""
        assert title == f"P({name}{given_parents})"
        assert headings.split() == [*cpd.parents, *cpd.states]
        assert len(lines) == cpd.table.integers.size // len(cpd.states)
        assert cpd._repr_html_().count("<tr>") == 1 + len(lines)
        assert "\n" not in repr(cpd)


def test_graphs_that_are_no_networks_say_why() -> None:
    graph = named("A", "B")
    for question in (graph.cpd, graph.parents, graph.children):
        with pytest.raises(
            lg.InputError, match="not a Bayesian network: expected one factor for each variable"
        ):
            question("A")
        with pytest.raises(lg.InputError, match="expected a variable, got 'C'"):
            question("C")


@given(factor_graphs(), st.data())
def test_evidence_is_by_names_or_indices(graph: lg.FactorGraph, data: st.DataObject) -> None:
    by_index: dict[int, int] = {}
    for variable in range(graph.variable_count):
        if data.draw(st.booleans()):
            by_index[variable] = data.draw(st.integers(0, len(graph.states(variable)) - 1))
    by_name = {graph.name(v): graph.states(v)[state] for v, state in by_index.items()}
    mixed = {v: graph.states(v)[state] for v, state in by_index.items()}
    observing = graph.observing(by_index)
    assert observing.evidence == by_index
    assert observing == graph.observing(by_name) == graph.observing(mixed)
    assert observing == graph.observing({}).given(by_name)


def test_an_integer_beside_a_name_is_the_name_of_a_state() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("dice", ["1", "2", "3"])
    graph = builder.build()
    assert graph.observing({"dice": 1})["dice"].observed == "1"
    assert graph.observing({0: 1})["dice"].observed == "2"
    for evidence, problem in [
        ({"dice": 0}, "expected a state of dice"),
        ({0: 3}, "expected the index of a state of dice, below 3, got 3"),
        ({1: 0}, "expected a variable, got 1"),
        ({0: 0, "dice": "2"}, "expected one state for dice, got both 1 and 2"),
        (["dice"], "expected evidence as {variable: state}"),
    ]:
        with pytest.raises(lg.InputError, match=re.escape(problem)):
            graph.observing(evidence)  # type: ignore[arg-type]


@given(symmetric_graphs())
def test_lifting_and_colours_are_methods(graph: lg.FactorGraph) -> None:
    assert graph.lift() == lg.lift(graph)
    assert str(graph.lift("cp", tolerance=0)) == str(lg.lift(graph, "cp", tolerance=0))
    ours, theirs = graph.colours("acp", record=True), lg.colour_passing(graph, "acp", record=True)
    assert ours.variable_colours.tolist() == theirs.variable_colours.tolist()
    assert ours.factor_colours.tolist() == theirs.factor_colours.tolist()
    assert ours.changes is not None
    apart = np.arange(graph.variable_count)
    assert graph.colours(initial=apart).variable_group_count == graph.variable_count


@PGMPY
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_networks_print_the_numbers_of_their_file(name: str) -> None:
    path: Path = network(name)
    graph = lg.read_graph(path)
    children: dict[str, list[str]] = {variable: [] for variable in graph}
    for child, parents, states, weights in naive_rows(read_text(path)):
        cpd = graph.cpd(child)
        assert graph.parents(child) == cpd.parents == tuple(parents)
        rows = {row[: len(parents)]: row[len(parents) :] for row in cpd.entries.rows}
        for ours, theirs in zip(rows[tuple(states)], weights, strict=True):
            assert isinstance(ours, Fraction)
            assert abs(ours - theirs / sum(weights)) < Fraction(1, 10**28)
        for parent in parents:
            children[parent] += [child] * (child not in children[parent])
    for variable, listed in children.items():
        assert sorted(graph.children(variable)) == sorted(listed)
        assert graph[variable].name == variable
