"""Models of pgmpy are converted there and back without loss, and both libraries answer alike."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from networkx import is_connected
from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
from pgmpy.inference import BeliefPropagation, VariableElimination
from pgmpy.models import (
    DiscreteBayesianNetwork,
    DiscreteMarkovNetwork,
    DynamicBayesianNetwork,
    JunctionTree,
)
from pgmpy.models import FactorGraph as PgmpyFactorGraph

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError
from tests.adapters.graphs import (
    content,
    drawn_evidence,
    dyadic_graphs,
    dyadic_networks,
    true_marginal,
    weights,
    with_ones,
)
from tests.strategies import bayesian_networks, factor_graphs


def ask(model: Any, variables: list[Any], evidence: dict[Any, Any]) -> np.ndarray[Any, Any]:
    answer = VariableElimination(model).query(variables, evidence, show_progress=False)
    values: np.ndarray[Any, Any] = answer.normalize(inplace=False).values
    return values


@settings(max_examples=60)
@given(dyadic_graphs())
def test_markov_networks_come_back_as_they_were(graph: FactorGraph) -> None:
    model = lg.to_pgmpy(graph, "markov network")
    assert model.check_model()
    assert lg.from_pgmpy(model) == with_ones(graph)


@settings(max_examples=60)
@given(dyadic_networks())
def test_bayesian_networks_come_back_as_they_were(graph: FactorGraph) -> None:
    model = lg.to_pgmpy(graph)
    assert isinstance(model, DiscreteBayesianNetwork)
    assert model.check_model()
    assert content(lg.from_pgmpy(model)) == content(graph)


@settings(max_examples=60)
@given(dyadic_graphs())
def test_factor_graphs_mean_the_same(graph: FactorGraph) -> None:
    model = lg.to_pgmpy(graph, "factor graph")
    if graph.factor_count:
        assert model.check_model()
    back = lg.from_pgmpy(model)
    assert weights(back) == weights(graph)
    scopes = [frozenset(back.factors[factor].scope) for factor in range(back.factor_count)]
    assert len(set(scopes)) == len(scopes)


@settings(max_examples=60)
@given(dyadic_graphs())
def test_junction_trees_mean_the_same(graph: FactorGraph) -> None:
    merged = lg.from_pgmpy(lg.to_pgmpy(graph, "factor graph"))  # pgmpy's trees lose equal factors
    model = lg.to_pgmpy(merged, "markov network")
    assume(graph.variable_count > 0 and is_connected(model))  # pgmpy makes no trees of others
    tree = model.to_junction_tree()
    assert weights(lg.from_pgmpy(tree)) == weights(graph)
    assert weights(lg.from_pgmpy(tree.copy())) == weights(graph)
    with np.errstate(all="ignore"):  # pgmpy divides zero messages by zero
        BeliefPropagation(tree).calibrate()  # keeps beliefs of its own
    assert weights(lg.from_pgmpy(tree)) == weights(graph)


def test_trees_are_products_of_their_factors_whatever_these_are() -> None:
    tree = JunctionTree([(("A", "B"), ("B", "C"))])
    first = DiscreteFactor(["B", "A"], [2, 2], [1, 2, 3, 4])
    second = DiscreteFactor(["B", "C"], [2, 2], [5, 6, 7, 8])
    tree.add_factors(first, second)
    graph = lg.from_pgmpy(tree)
    assert sum(weights(graph).values()) == Fraction(tree.get_partition_function())
    tree.add_node(("C", "D"))
    with pytest.raises(InputError, match="D: expected a factor with its states"):
        lg.from_pgmpy(tree)


@settings(max_examples=60)
@given(factor_graphs(evidence=False))
def test_numbers_are_rounded_or_refused(graph: FactorGraph) -> None:
    entries = [
        int(integer) * table.scale for table in graph.used_tables for integer in table.integers.flat
    ]
    try:
        back = lg.from_pgmpy(lg.to_pgmpy(graph, "markov network"))
    except InputError:
        smallest, largest = Fraction(sys.float_info.min), Fraction(sys.float_info.max)
        assert any(0 < entry < smallest or entry > largest for entry in entries)
        return
    for factor in range(graph.factor_count):
        for before, after in zip(
            *(model.factors[factor].table.integers.flat for model in (graph, back)), strict=True
        ):
            before, after = (
                int(integer) * model.factors[factor].table.scale
                for integer, model in ((before, graph), (after, back))
            )
            assert abs(after - before) * 2**53 <= before


@settings(max_examples=40)
@given(st.data())
def test_both_libraries_answer_alike_on_bayesian_networks(data: st.DataObject) -> None:
    graph, _ = data.draw(bayesian_networks())
    name, evidence = drawn_evidence(data.draw, graph)
    model = lg.to_pgmpy(graph, "bayesian network")
    expected = true_marginal(graph, name, evidence)
    ours = lg.from_pgmpy(model).query(name, given=evidence).probabilities
    assert ours == pytest.approx(expected, abs=1e-9)
    assert ask(model, [name], evidence) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.data())
def test_both_libraries_answer_alike_on_markov_networks(data: st.DataObject) -> None:
    graph = data.draw(dyadic_graphs())
    assume(graph.variable_count > 0)
    name, evidence = drawn_evidence(data.draw, graph)
    model = lg.to_pgmpy(graph, "markov network")
    expected = true_marginal(graph, name, evidence)
    ours = lg.from_pgmpy(model).query(name, given=evidence).probabilities
    assert ours == pytest.approx(expected, abs=1e-9)
    assert ask(model, [name], evidence) == pytest.approx(expected, abs=1e-9)


def alarm(states: list[Any], names: tuple[Any, Any] = ("Fire", "Alarm")) -> Any:
    """P(Fire) = 0.1, P(Alarm | Fire) = 0.75, P(Alarm | no Fire) = 0.25; first states mean yes."""
    fire, alarm = names
    model = DiscreteBayesianNetwork([(fire, alarm)])
    known = {fire: states, alarm: states}
    model.add_cpds(
        TabularCPD(fire, 2, [[0.1], [0.9]], state_names={fire: states}),
        TabularCPD(alarm, 2, [[0.75, 0.25], [0.25, 0.75]], [fire], [2], state_names=known),
    )
    return model


@pytest.mark.parametrize(
    ("states", "evidence"),
    [
        (["yes", "no"], "yes"),
        ([True, False], True),
        ([True, False], np.True_),
        ([0, 1], 0),
        ([0, 1], np.int64(0)),
        ([7, 5], 7),
        ([0.5, 1.5], 0.5),
        ([("a", 1), ("b", 2)], ("a", 1)),
    ],
)
def test_a_query_of_pgmpy_is_one_of_ours(states: list[Any], evidence: Any) -> None:
    model = alarm(states)
    theirs = ask(model, ["Fire"], {"Alarm": evidence})
    ours = lg.from_pgmpy(model).query("Fire", given={"Alarm": evidence})
    assert ours.probabilities == pytest.approx(theirs, abs=1e-12)
    assert ours.probabilities == pytest.approx([0.25, 0.75], abs=1e-12)


def test_explanations_are_those_of_pgmpy() -> None:
    model = alarm(["yes", "no"])
    for state, most_probable in (("yes", "no"), ("no", "no")):
        evidence = {"Alarm": state}
        theirs = VariableElimination(model).map_query(["Fire"], evidence, show_progress=False)
        assert theirs == {"Fire": most_probable}
        assert lg.from_pgmpy(model).mpe(given=evidence) == theirs | evidence


@pytest.mark.parametrize("names", [(1, 0), (0, 1), (np.int64(1), np.int64(0)), ("x", 0), (1, "x")])
def test_integers_as_names_are_never_other_variables(names: tuple[Any, Any]) -> None:
    model = alarm(["yes", "no"], names)
    ours = lg.from_pgmpy(model).query(names[0], given={names[1]: "yes"})
    assert ours.variables == (str(names[0]),)
    assert ours.probabilities == pytest.approx([0.25, 0.75], abs=1e-12)


@settings(max_examples=20)
@given(st.permutations([0, 1, 2, 3, 9, "x"]))
def test_integers_as_names_are_their_indices_in_any_order(names: list[Any]) -> None:
    model = DiscreteMarkovNetwork()
    model.add_nodes_from(names)
    for weight, name in enumerate(names):
        model.add_factors(DiscreteFactor([name], [2], [1, weight]))
    graph = lg.from_pgmpy(model)
    for weight, name in enumerate(names):
        if name != 9:
            assert graph.query(name, exact=True).exact["1"] == Fraction(weight, weight + 1)
    with pytest.raises(InputError, match=r"expected a variable, got 9 \(did you mean '9'\?\)"):
        graph.query(9)
    assert graph.query("9").variables == ("9",)


def test_other_objects_as_names_work_as_text_and_never_silently() -> None:
    graph = lg.from_pgmpy(alarm(["yes", "no"], (("Fire", 0), True)))
    assert graph.names == ("('Fire', 0)", "true")
    assert graph.query("('Fire', 0)", given={"true": "yes"})["yes"] == pytest.approx(0.25)
    for name in (("Fire", 0), True):
        with pytest.raises(InputError, match="expected a variable"):
            graph.query(name)  # type: ignore[arg-type]


def half_known() -> DiscreteBayesianNetwork:
    model = DiscreteBayesianNetwork([("A", "B")])
    model.add_cpds(TabularCPD("A", 2, [[0.5], [0.5]]))
    return model


def test_a_network_without_any_distribution_has_arrows() -> None:
    graph = lg.from_pgmpy(DiscreteBayesianNetwork([("A", "B"), ("C", "B")]))
    assert graph.d_separated("A", "C")
    assert not graph.d_separated("A", "C", given="B")
    with pytest.raises(InputError, match="got arrows without tables"):
        graph.query("A")


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (alarm(["yes", "no"], (1, "1")), "variables: expected different names, got '1' and 1"),
        (alarm([True, "true"]), "states of Fire: expected different names, got True and 'true'"),
        (alarm(["yes", ""]), "states of Fire: expected a name"),
        (DynamicBayesianNetwork(), "expected a pgmpy DiscreteBayesianNetwork or .* got a pgmpy"),
        (7, "got a builtins.int"),
        (None, "got a builtins.NoneType"),
        (half_known(), "B: expected a conditional distribution, got none"),
    ],
)
def test_what_cannot_be_taken_is_refused(model: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        lg.from_pgmpy(model)


def markov_network(*factors: Any) -> Any:
    model = DiscreteMarkovNetwork()
    for factor in factors:
        model.add_nodes_from(factor.variables)
    model.factors.extend(factors)
    return model


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (DiscreteFactor(["A"], [2], [1, 2], {"A": ["no", "yes"]}), "expected the same states"),
        (DiscreteFactor(["A"], [3], [1, 2, 3]), "expected the same states"),
        (
            DiscreteFactor(["A"], [2], [1, 2], {"A": ["a", "b", "c"]}),
            "got 3 names",
        ),
        (DiscreteFactor(["A"], [2], [1, -2]), "factor of A: expected a non-negative number"),
        (DiscreteFactor(["A"], [2], [1, np.nan]), "factor of A: expected a non-negative number"),
        (DiscreteFactor(["A"], [2], [1, np.inf]), "factor of A: expected a non-negative number"),
    ],
)
def test_factors_that_make_no_sense_are_refused(second: Any, problem: str) -> None:
    first = DiscreteFactor(["A"], [2], [1, 2], {"A": ["yes", "no"]})
    with pytest.raises(InputError, match=problem):
        lg.from_pgmpy(markov_network(first, second))


def test_states_without_names_take_the_names_of_other_factors() -> None:
    named = DiscreteFactor(["A"], [2], [1, 2], {"A": [False, True]})
    unnamed = DiscreteFactor(["A"], [2], [1, 2])
    for factors in ((named, unnamed), (unnamed, named)):
        graph = lg.from_pgmpy(markov_network(*factors))
        assert graph.query("A", exact=True).exact == {
            "false": Fraction(1, 5),
            "true": Fraction(4, 5),
        }


def test_variables_without_factors_are_refused() -> None:
    model = markov_network(DiscreteFactor(["A"], [2], [1, 2]))
    model.add_node("B")
    with pytest.raises(InputError, match="B: expected a factor with its states"):
        lg.from_pgmpy(model)
    bipartite = PgmpyFactorGraph()
    bipartite.add_node("B")
    with pytest.raises(InputError, match="B: expected a factor with its states"):
        lg.from_pgmpy(bipartite)


def test_nodes_of_pgmpy_factor_graphs_may_be_factors_or_their_names() -> None:
    factor = DiscreteFactor(["A", "B"], [2, 2], [1, 2, 3, 4])
    network = markov_network(factor)
    network.add_edge("A", "B")
    assert lg.from_pgmpy(network.to_factor_graph()) == lg.from_pgmpy(network)
    bipartite = PgmpyFactorGraph()
    bipartite.add_nodes_from(["A", "B"])
    bipartite.add_edges_from([("A", factor), ("B", factor)])
    with pytest.raises(InputError, match="got one only as a node"):
        lg.from_pgmpy(bipartite)
    bipartite.add_factors(factor)
    assert lg.from_pgmpy(bipartite) == lg.from_pgmpy(network)


def test_distributions_that_are_off_are_normalised_or_refused() -> None:
    model = DiscreteBayesianNetwork()
    model.add_node("A")
    model.add_cpds(TabularCPD("A", 3, [[0.333], [0.333], [0.333]]))
    answer = lg.from_pgmpy(model).query("A", exact=True).exact
    assert all(abs(p - Fraction(1, 3)) < Fraction(1, 10**25) for p in answer.values())
    model.cpds[0].values[:] = 0.5
    with pytest.raises(InputError, match=r"factor of A: expected probabilities that sum to 1"):
        lg.from_pgmpy(model)


def test_a_distribution_must_have_the_parents_of_the_arrows() -> None:
    model = alarm(["yes", "no"])
    model.remove_edge("Fire", "Alarm")
    with pytest.raises(InputError, match="given nothing, got one given Fire"):
        lg.from_pgmpy(model)


def test_every_distribution_must_have_a_variable_of_its_own() -> None:
    model = alarm(["yes", "no"])
    model.cpds.append(TabularCPD("Fire", 2, [[0.5], [0.5]], state_names={"Fire": ["yes", "no"]}))
    with pytest.raises(
        InputError, match="Fire: expected one conditional distribution, got another"
    ):
        lg.from_pgmpy(model)
    model.cpds[-1] = TabularCPD("Quake", 2, [[0.5], [0.5]])
    with pytest.raises(InputError, match=r"Quake: expected a node of the model, got only a"):
        lg.from_pgmpy(model)


def test_floats_are_measured_or_the_decimals_they_print_as() -> None:
    model = alarm(["yes", "no"])
    assert all(table.measured for table in lg.from_pgmpy(model).tables)
    graph = lg.from_pgmpy(model, decimals=True)
    assert not any(table.measured for table in graph.tables)
    assert graph.query("Fire", exact=True).exact["yes"] == Fraction(1, 10)
    assert lg.from_pgmpy(model).query("Fire", exact=True).exact["yes"] == Fraction(0.1) / (
        Fraction(0.1) + Fraction(0.9)
    )


def huge() -> FactorGraph:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], ["3e400", "4e400", "0", "1e50"])
    return builder.build()


def test_tables_beyond_floats_are_refused_or_rescaled() -> None:
    with pytest.raises(InputError, match=r"factor of A, B: expected .*3.00000e\+400$"):
        lg.to_pgmpy(huge())
    builder = FactorGraphBuilder()
    builder.add_variable("A")
    builder.add_factor(["A"], ["1e400", "4e400"])
    with pytest.raises(InputError, match=r"factor of A: expected .*: rescale=True divides"):
        lg.to_pgmpy(builder.build())
    model = lg.to_pgmpy(builder.build(), rescale=True)
    assert model.factors[0].values.tolist() == [0.25, 1.0]
    with pytest.raises(InputError, match=r"factor of A, B: expected potentials of 2.2e-308 [^:]*$"):
        lg.to_pgmpy(huge(), rescale=True)


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (huge().given({"A": "true"}), "models of pgmpy have no evidence, got 1 observed"),
        (lg.lift(huge()), r"got a lifted model of 2 variables: model.ground\(\)"),
        ("model.json", "expected a FactorGraph, got a builtins.str"),
    ],
)
def test_what_cannot_be_given_is_refused(graph: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        lg.to_pgmpy(graph)


def test_kinds_are_checked() -> None:
    with pytest.raises(InputError, match="expected a kind of auto, bayesian network"):
        lg.to_pgmpy(huge(), "bayes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="this is not a Bayesian network"):
        lg.to_pgmpy(huge(), "bayesian network")


def test_the_empty_graph_goes_and_comes() -> None:
    empty = FactorGraphBuilder().build()
    kinds: list[Any] = ["bayesian network", "markov network", "factor graph"]
    for kind in kinds:
        assert lg.from_pgmpy(lg.to_pgmpy(empty, kind)) == empty
