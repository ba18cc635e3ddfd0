"""Models as networkx graphs keep everything, and come back as the same graph."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError
from tests.strategies import factor_graphs

EXAMPLE = lg.datasets.epidemic()


@settings(max_examples=100)
@given(factor_graphs())
def test_graphs_come_back_as_they_were(graph: FactorGraph) -> None:
    structure = lg.to_networkx(graph)
    assert lg.from_networkx(structure) == graph
    assert nx.bipartite.is_bipartite(structure)
    assert structure.number_of_edges() == graph.edge_count


def test_colours_are_those_of_the_groups() -> None:
    colouring = lg.colour_passing(EXAMPLE)
    structure = lg.to_networkx(EXAMPLE, colouring)
    colours = nx.get_node_attributes(structure, "colour")
    assert len(colours) == EXAMPLE.variable_count + EXAMPLE.factor_count
    assert len(set(colours.values())) == 8
    assert colours["Sick.alice"] == colours["Sick.bob"] != colours["Epid"]
    assert colours["factor", 1] in {colours["factor", j] for j in range(2, 9)}
    other = lg.colour_passing(lg.datasets.clique(3).ground())
    with pytest.raises(InputError, match="expected a colouring of this graph"):
        lg.to_networkx(EXAMPLE, other)
    with pytest.raises(InputError, match="got one with other states or evidence"):
        lg.to_networkx(EXAMPLE.given({"Sick.alice": "true"}), colouring)


def test_lifted_models_have_prvs_and_parfactors() -> None:
    P = lg.LogVar("P", 5)
    Q = lg.LogVar("Q", P)
    smokes = lg.prv("Smokes", P)
    friends = lg.prv("Friends", P, Q, where=lg.different(P, Q))
    given = lg.parfactor([friends, smokes, smokes(Q)], range(1, 9), where=lg.different(P, Q))
    model = lg.ParfactorGraph.of([given])
    structure = lg.to_networkx(model)
    assert structure.nodes["Friends"]["size"] == structure.nodes["parfactor", 0]["size"] == 20
    assert structure.nodes["Smokes"]["logvars"] == ("P",)
    edge = structure.edges["Smokes", ("parfactor", 0)]
    assert edge["arguments"] == ((1, "Smokes(P)"), (2, "Smokes(Q)"))
    with pytest.raises(InputError, match="expected no colouring of a lifted model"):
        lg.to_networkx(model, lg.colour_passing(EXAMPLE))


def structure_of(*edges: tuple[Any, Any, int]) -> Any:
    """Variables with two states, factors called f…, edges with their arguments."""
    structure = nx.Graph()
    for variable, factor, argument in edges:
        structure.add_node(variable, kind="variable", states=2)
        structure.add_node(factor, kind="factor")
        structure.add_edge(variable, factor, argument=argument)
    return structure


def test_tables_may_be_given_beside_a_structure() -> None:
    structure = structure_of((1, "f", 1), (0, "f", 0), (("x", 2), "g", 0))
    graph = lg.from_networkx(structure, {"f": [[1, 2], [3, 4]], "g": [1, 9]})
    builder = FactorGraphBuilder()
    for name in ("0", "1", "('x', 2)"):
        builder.add_variable(name, 2)
    builder.add_factor(["0", "1"], [[1, 2], [3, 4]])
    builder.add_factor([2], [1, 9])
    assert graph == builder.build()


def test_a_table_of_no_factor_is_refused() -> None:
    structure = changed(structure_of(("A", "f", 0)), "f", table=[1, 9])
    for node in ("F", "A", ("factor", 0)):
        with pytest.raises(InputError, match=r"tables: expected nodes of factors, got .*(F|A|0)"):
            lg.from_networkx(structure, {"f": [1, 1], node: [1, 1]})


def changed(structure: Any, *path: Any, **attributes: Any) -> Any:
    copy = structure.copy()
    where = copy.nodes[path[0]] if len(path) == 1 else copy.edges[path]
    where.update(attributes)
    return copy


FINE = changed(structure_of(("A", "f", 0), ("B", "f", 1)), "f", table=[1, 2, 3, 4])


@pytest.mark.parametrize(
    ("structure", "problem"),
    [
        (nx.path_graph(3), "node 0: expected the attribute kind, got none"),
        (nx.MultiGraph(), "expected a networkx Graph or DiGraph without"),
        (nx.DiGraph([("a", "b"), ("b", "a")]), "expected no cycle of parents, got . → . → "),
        (nx.DiGraph([("a", "a")]), "lists a variable twice"),
        (nx.MultiDiGraph(), "expected a networkx Graph or DiGraph without"),
        (changed(FINE, "A", kind="factors"), "node 'A': expected kind variable or factor"),
        (changed(FINE, "A", kind="factor"), "expected edges between variables and factors"),
        (changed(FINE, "A", "f", argument=1), r"node 'f': .* arguments 0 to 1, got \[1, 1\]"),
        (changed(FINE, "f", table=[1, 2]), "factor 0 .*expected a table of shape"),
        (changed(FINE, "A", observed="2"), "expected a state of A"),
        (changed(FINE, "A", states=0), "expected 1 to"),
        (structure_of(("A", "f", 0)), "node 'f': expected the attribute table, got none"),
        (structure_of((1, "f", 0), ("1", "f", 1)), "variables: expected different names"),
        ({"A": ["f"]}, "expected a networkx Graph or networkx DiGraph, got a builtins"),
    ],
)
def test_structures_that_make_no_sense_are_refused(structure: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        lg.from_networkx(structure)


def test_other_objects_have_no_structure() -> None:
    with pytest.raises(InputError, match="expected a FactorGraph or ParfactorGraph, got a"):
        lg.to_networkx("model.json")  # type: ignore[arg-type]


def test_given_tables_come_before_those_of_nodes() -> None:
    graph = lg.from_networkx(FINE, {"f": [5, 6, 7, 8]})
    assert graph.factors[0].parts == ((0, 1), lg.Table.of([[5, 6], [7, 8]]))
    assert lg.from_networkx(FINE).factors[0].table == lg.Table.of([[1, 2], [3, 4]])


def test_observed_states_have_names() -> None:
    structure = lg.to_networkx(EXAMPLE.given({"Epid": "false"}))
    assert structure.nodes["Epid"]["observed"] == "false"
    assert "observed" not in structure.nodes["Sick.bob"]


@pytest.mark.parametrize("observed", [0, 1])
def test_groups_that_were_observed_say_so(observed: int) -> None:
    sick = lg.PRV("Sick", (lg.LogVar("X", 3),), observed=observed)
    model = lg.ParfactorGraph.of([lg.parfactor([sick, lg.prv("Epid")], [1, 2, 3, 4])])
    nodes = lg.to_networkx(model).nodes
    assert nodes["Sick"]["observed"] == sick.states[observed]
    assert "observed" not in nodes["Epid"]
