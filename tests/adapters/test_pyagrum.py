"""Models of pyAgrum are converted there and back without loss, and both libraries answer alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyagrum
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError
from tests.adapters.graphs import (
    content,
    drawn_evidence,
    dyadic_graphs,
    dyadic_networks,
    true_marginal,
    weights,
)
from tests.strategies import bayesian_networks


@settings(max_examples=60)
@given(dyadic_networks())
def test_bayesian_networks_come_back_as_they_were(graph: FactorGraph) -> None:
    model = lg.to_pyagrum(graph)
    assert isinstance(model, pyagrum.BayesNet)
    assert content(lg.from_pyagrum(model)) == content(graph)


@settings(max_examples=60)
@given(dyadic_graphs())
def test_markov_random_fields_mean_the_same(graph: FactorGraph) -> None:
    assume(graph.variable_count > 0)
    back = lg.from_pyagrum(lg.to_pyagrum(graph, "markov random field"))
    assert weights(back) == weights(graph)
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    assert [back.name(variable) for variable in range(back.variable_count)] == names


def posterior(engine: Any, name: str, evidence: dict[str, str]) -> Any:
    engine.setEvidence(evidence)
    engine.setTargets({name})
    engine.makeInference()
    return engine.posterior(name).toarray().ravel()  # it may have other variables of one state


@settings(max_examples=40)
@given(st.data())
def test_both_libraries_answer_alike_on_bayesian_networks(data: st.DataObject) -> None:
    graph, _ = data.draw(bayesian_networks())
    name, evidence = drawn_evidence(data.draw, graph)
    model = lg.to_pyagrum(graph, "bayesian network")
    expected = true_marginal(graph, name, evidence)
    ours = lg.from_pyagrum(model).query(name, given=evidence).probabilities
    assert ours == pytest.approx(expected, abs=1e-9)
    theirs = posterior(pyagrum.LazyPropagation(model), name, evidence)
    assert theirs == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.data())
def test_both_libraries_answer_alike_on_markov_random_fields(data: st.DataObject) -> None:
    graph = data.draw(dyadic_graphs())
    assume(graph.variable_count > 0)
    name, evidence = drawn_evidence(data.draw, graph)
    model = lg.to_pyagrum(graph, "markov random field")
    expected = true_marginal(graph, name, evidence)
    ours = lg.from_pyagrum(model).query(name, given=evidence).probabilities
    assert ours == pytest.approx(expected, abs=1e-9)
    theirs = posterior(pyagrum.ShaferShenoyMRFInference(model), name, evidence)
    assert theirs == pytest.approx(expected, abs=1e-9)


def test_axes_are_in_the_order_of_the_names() -> None:
    network = pyagrum.fastBN("A[2]->B[3]<-C[4]", 2)
    graph = lg.from_pyagrum(network)
    tensor = network.cpt("B")
    for factor in range(3):
        scope, table = graph.factors[factor].parts
        if len(scope) < 3:
            continue
        names = [graph.name(variable) for variable in scope]
        for states in np.ndindex(table.shape):
            expected = tensor[dict(zip(names, states, strict=True))]
            assert float(table.potential(states)) == pytest.approx(expected, abs=1e-15)


def test_variables_of_every_kind_keep_their_labels() -> None:
    field = pyagrum.MarkovRandomField()
    for variable in (
        pyagrum.LabelizedVariable("colour of it", "", ["red", "dark blue"]),
        pyagrum.RangeVariable("range", "", 5, 7),
        pyagrum.IntegerVariable("integer", "", [3, 7]),
        pyagrum.DiscretizedVariable("interval", "", [0.5, 1, 2]),
    ):
        field.add(variable)
    field.addFactor(["range", "integer"]).fillWith([1, 2, 3, 4, 5, 6])
    graph = lg.from_pyagrum(field)
    assert [graph.states(variable) for variable in range(4)] == [
        ("red", "dark blue"),
        ("5", "6", "7"),
        ("3", "7"),
        ("[0.5;1[", "[1;2]"),
    ]
    assert graph.query("integer", given={"range": 6}, exact=True).exact["7"] == Fraction(5, 7)


def chain(*factors: tuple[list[str], list[Any]]) -> FactorGraph:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    for scope, values in factors:
        builder.add_factor(scope, values)
    return builder.build()


def test_factors_are_multiplied_exactly_before_they_are_rounded() -> None:
    graph = chain((["A", "B"], ["1e300", 2, 3, 4]), (["B", "A"], ["1e-300", 1, 10, 100]), ([], [2]))
    field = lg.to_pyagrum(graph)
    assert field.factors() == [{0, 1}]
    expected = {"true true": 2, "true false": 40, "false true": 6, "false false": 800}
    for world, weight in weights(lg.from_pyagrum(field)).items():
        assert weight == expected[" ".join(state for _, state in sorted(world))]


def test_factors_of_the_same_variables_in_cyclic_order_are_multiplied_entry_by_entry() -> None:
    builder = FactorGraphBuilder()
    for name, size in (("A", 2), ("B", 3), ("C", 4)):
        builder.add_variable(name, size)
    builder.add_factor(["A", "B", "C"], range(1, 25))
    builder.add_factor(["C", "A", "B"], range(25, 49))
    graph = builder.build()
    assert weights(lg.from_pyagrum(lg.to_pyagrum(graph))) == weights(graph)
    cube = FactorGraphBuilder()
    cube.add_variables(["A", "B", "C"])
    cube.add_factor(["A", "B", "C"], range(1, 9))
    cube.add_factor(["C", "A", "B"], range(9, 17))
    assert weights(lg.from_pyagrum(lg.to_pyagrum(cube.build()))) == weights(cube.build())


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (chain((["A"], ["1e-400", 1])), "factor of A: expected potentials .*e-400$"),
        (chain((["A"], ["1e-400", "1e-399"])), "factor of A: .*e-400: rescale=True"),
        (chain().given({"A": "true"}), "models of pyAgrum have no evidence"),
        (lg.lift(chain((["A"], [1, 2]))), "got a lifted model of 2 variables"),
        (None, "expected a FactorGraph, got a builtins.NoneType"),
    ],
)
def test_what_cannot_be_given_is_refused(graph: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        lg.to_pyagrum(graph)


def test_constants_alone_are_refused() -> None:
    builder = FactorGraphBuilder()
    builder.add_factor([], [3])
    with pytest.raises(InputError, match="got constants only"):
        lg.to_pyagrum(builder.build())
    empty = FactorGraphBuilder().build()
    assert lg.from_pyagrum(lg.to_pyagrum(empty)) == empty


def test_what_cannot_be_taken_is_refused() -> None:
    accepted = "expected a pyagrum BayesNet or pyagrum MarkovRandomField, got a"
    for model in (pyagrum.InfluenceDiagram(), "bn", None):
        with pytest.raises(InputError, match=accepted):
            lg.from_pyagrum(model)
    network = pyagrum.BayesNet()
    network.add(pyagrum.LabelizedVariable("A", "", 2))  # its distribution was never filled in
    with pytest.raises(InputError, match="factor of A: expected probabilities that sum to 1"):
        lg.from_pyagrum(network)


def test_floats_may_be_decimals() -> None:
    network = pyagrum.fastBN("A[2]")
    network.cpt("A").fillWith([0.1, 0.9])
    exact = lg.from_pyagrum(network, decimals=True).query("A", exact=True).exact
    assert exact["0"] == Fraction(1, 10)
    assert lg.from_pyagrum(network).tables[0].measured


def noisy_network() -> Any:
    """Distributions that pyAgrum computes from parameters, and keeps no table of."""
    network = pyagrum.BayesNet()
    for name in "AB":
        network.add(pyagrum.LabelizedVariable(name, "", 2))
        network.cpt(name).fillWith([0.25, 0.75])
    network.addNoisyORNet(pyagrum.LabelizedVariable("N", "", 2), 0.125)
    network.addAND(pyagrum.LabelizedVariable("C", "", 2))
    for parent, weight in (("A", 0.5), ("B", 0.25)):
        network.addWeightedArc(parent, "N", weight)
        network.addArc(parent, "C")
    return network


def test_distributions_that_are_computed_from_parameters_are_taken() -> None:
    graph = lg.from_pyagrum(noisy_network())
    given = {"A": "1", "B": "0"}
    # Noisy or: neither the leak (1/8) nor A (1/2) turns it on.
    assert graph.query("N", given=given)["0"] == pytest.approx(7 / 8 * 1 / 2)
    assert graph.query("C", given=given, exact=True).exact["1"] == 0
    assert graph.query("C", exact=True).exact["1"] == Fraction(9, 16)
