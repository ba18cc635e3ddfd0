"""Distributions that other libraries compute by a rule come through without a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyagrum
import pytest
from pgmpy.factors.discrete import NoisyORCPD, TabularCPD
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork

import liftgraph as lg
from liftgraph import InputError
from liftgraph.adapters import pyagrum_rules
from liftgraph.adapters.pyagrum_rules import Rule, rule_potential, rules, writes_rules
from liftgraph.model.ground.table import Table

needs_rules = pytest.mark.skipif(not writes_rules(), reason="this pyAgrum writes tables only")
WEIGHTED = ["NoisyORNet", "NoisyORCompound", "NoisyAND", "Logit"]
AGGREGATORS = ["OR", "AND", "EXISTS", "FORALL", "COUNT", "MAX", "MIN", "MEDIAN", "SUM", "AMPLITUDE"]
TABLES = {"Logit", "MEDIAN", "AMPLITUDE"}  # what has no potential here


def network_of(kind: str, parents: Sequence[Any], child: Any) -> Any:
    """A network in which one variable follows a rule. Priors and weights are random."""
    generator = np.random.default_rng(3)
    network = pyagrum.BayesNet()
    parameters = [0.125] if kind in WEIGHTED else [2] * (kind in ("EXISTS", "FORALL", "COUNT"))
    getattr(network, f"add{kind}")(child, *parameters)
    for parent in parents:
        network.add(parent)
        network.cpt(parent.name()).fillWith(generator.dirichlet([1] * parent.domainSize()))
        if kind in WEIGHTED:
            network.addWeightedArc(parent.name(), child.name(), generator.uniform(0.2, 0.9))
        else:
            network.addArc(parent.name(), child.name())
    return network


def own_potential(graph: lg.FactorGraph, name: str) -> Any:
    """The potential of the distribution of a variable that has parents."""
    (factor,) = [factor for factor in graph.factors if len(factor.scope) > 1]
    assert factor.variables[-1] == name
    return factor.potential


def assert_both_answer_alike(network: Any, graph: lg.FactorGraph, child: str) -> None:
    engine = pyagrum.LazyPropagation(network)
    engine.makeInference()
    possible = np.flatnonzero(engine.posterior(child).toarray()).tolist()
    for evidence in ({}, *[{child: state} for state in possible]):
        engine.setEvidence(evidence)
        engine.makeInference()
        given = {name: network.variable(name).label(state) for name, state in evidence.items()}
        for name in network.names():
            expected = engine.posterior(name).toarray()
            assert graph.query(name, given=given).probabilities == pytest.approx(expected)


@pytest.mark.parametrize("kind", [*WEIGHTED, *AGGREGATORS])
def test_rules_of_pyagrum_mean_the_same(kind: str) -> None:
    two = kind in WEIGHTED or kind in ("OR", "AND", "EXISTS", "FORALL")
    if two or kind == "COUNT":
        parents = [pyagrum.LabelizedVariable(name, "", 3) for name in "ABCD"]
        child = pyagrum.LabelizedVariable("E", "", 2 if two else 4)  # 4 of them count as 3
    else:
        parents = [
            pyagrum.RangeVariable("A", "", -1, 2),
            pyagrum.IntegerVariable("B", "", [0, 3, 7]),
            pyagrum.IntegerVariable("C", "", [1, 2]),
        ]
        child = pyagrum.IntegerVariable("E", "", [0, 2, 4, 5])
    network = network_of(kind, parents, child)
    graph = lg.from_pyagrum(network)
    assert_both_answer_alike(network, graph, "E")
    if writes_rules() and kind not in TABLES:
        assert not isinstance(own_potential(graph, "E"), Table)


@pytest.mark.parametrize("kind", ["MAX", "MIN"])
def test_labels_are_in_their_order(kind: str) -> None:
    parents = [pyagrum.LabelizedVariable(name, "", ["low", "middle", "high"]) for name in "ABC"]
    network = network_of(kind, parents, pyagrum.LabelizedVariable("E", "", ["low", "middle"]))
    assert_both_answer_alike(network, lg.from_pyagrum(network), "E")


def test_sums_of_numbers_that_are_no_integers_become_tables() -> None:
    parents = [pyagrum.NumericalDiscreteVariable(name, "", [0.5, 1, 2.25]) for name in "AB"]
    network = network_of("SUM", parents, pyagrum.NumericalDiscreteVariable("E", "", [1, 2, 4.5]))
    assert_both_answer_alike(network, lg.from_pyagrum(network), "E")


@pytest.mark.parametrize("kind", [*WEIGHTED, "OR", "COUNT", "MIN"])
def test_variables_without_parents_follow_rules_too(kind: str) -> None:
    network = network_of(kind, [], pyagrum.LabelizedVariable("E", "", 2))
    assert_both_answer_alike(network, lg.from_pyagrum(network), "E")


def thirty_causes(kind: str, *parameters: float) -> Any:
    """Causes that are in their second state with probability 1/8, each with weight 3/4."""
    network = pyagrum.BayesNet()
    states = 31 if kind == "COUNT" else 2
    getattr(network, f"add{kind}")(pyagrum.LabelizedVariable("E", "", states), *parameters)
    for number in range(30):
        name = f"C{number}"
        network.add(pyagrum.LabelizedVariable(name, "", 2))
        network.cpt(name).fillWith([0.875, 0.125])
        if parameters and kind != "COUNT":
            network.addWeightedArc(name, "E", 0.75)
        else:
            network.addArc(name, "E")
    return network


@needs_rules
def test_thirty_causes_need_no_table() -> None:
    # The probability that neither the leak nor a cause has its effect, as products of thirty.
    leak, cause, weight = Fraction(1, 4), Fraction(1, 8), Fraction(3, 4)
    without_leak = (weight - leak) / (1 - leak)
    holds = cause * weight + (1 - cause) * (1 - weight)
    expected = {
        ("NoisyORNet", 0.25): ("0", (1 - leak) * (1 - cause * weight) ** 30),
        ("NoisyORCompound", 0.25): ("0", (1 - leak) * (1 - cause * without_leak) ** 30),
        ("NoisyAND", 0.25): ("1", leak * holds**30),
        ("OR",): ("0", (1 - cause) ** 30),
        ("AND",): ("1", cause**30),
        ("COUNT", 1): ("4", math.comb(30, 4) * cause**4 * (1 - cause) ** 26),
    }
    for (kind, *parameters), (state, probability) in expected.items():
        graph = lg.from_pyagrum(thirty_causes(str(kind), *parameters), decimals=True)  # type: ignore[arg-type]
        assert graph.query("E")[state] == pytest.approx(float(probability), rel=1e-9), kind
        assert graph.query("E", exact=True).exact[state] == probability, kind


@needs_rules
def test_parameters_are_floats_or_decimals() -> None:
    network = network_of("NoisyORNet", [], pyagrum.LabelizedVariable("E", "", 2))
    for name, weight in (("A", 0.1), ("B", 0.3)):
        network.add(pyagrum.LabelizedVariable(name, "", 2))
        network.cpt(name).fillWith([0.5, 0.5])
        network.addWeightedArc(name, "E", weight)
    graph = lg.from_pyagrum(network, decimals=True)
    exact = graph.query("E", given={"A": "1", "B": "1"}, exact=True).exact
    assert exact["0"] == Fraction(7, 8) * Fraction(9, 10) * Fraction(7, 10)
    assert not own_potential(graph, "E").measured
    assert own_potential(lg.from_pyagrum(network), "E").measured


@needs_rules
def test_a_network_keeps_its_properties() -> None:
    network = network_of(
        "OR", [pyagrum.LabelizedVariable("A", "", 2)], pyagrum.LabelizedVariable("E", "", 2)
    )
    network.setProperty("lastModification", "long ago")
    network.setProperty("colour", "red")
    lg.from_pyagrum(network)
    assert network.property("lastModification") == "long ago"
    assert network.property("colour") == "red"


@needs_rules
def test_a_rule_that_pyagrum_does_not_follow_is_not_taken() -> None:
    parents = [pyagrum.LabelizedVariable(name, "", 2) for name in "AB"]
    network = network_of("OR", parents, pyagrum.LabelizedVariable("E", "", 2))
    assert rules(network) == {"E": Rule("or")}
    assert rule_potential(Rule("or"), network.cpt("E"), False) is not None
    for name in ("and", "min", "unheard of"):
        assert rule_potential(Rule(name), network.cpt("E"), False) is None


def test_large_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    remedy = "of 30 parents: use fewer parents, with variables in between"
    monkeypatch.setattr(pyagrum_rules, "writes_rules", lambda: False)  # as older versions
    with pytest.raises(InputError, match=f"^E: expected a table .*, got a computed .* {remedy}$"):
        lg.from_pyagrum(thirty_causes("OR"))


@needs_rules
def test_the_kind_of_a_large_table_is_named() -> None:
    with pytest.raises(InputError, match="got a logit of 30 parents"):
        lg.from_pyagrum(thirty_causes("Logit", 0.25))


def pgmpy_noisy_or(probabilities: Sequence[float], prior: float = 0.1) -> Any:
    names = [f"X{number}" for number in range(len(probabilities))]
    model = DiscreteBayesianNetwork([(name, "Y") for name in names])
    for name in names:
        states = {name: ["True", "False"]}
        model.add_cpds(TabularCPD(name, 2, [[prior], [1 - prior]], state_names=states))
    model.add_cpds(NoisyORCPD("Y", probabilities, names))
    return model


def test_noisy_ors_of_pgmpy_stay_noisy_ors() -> None:
    model = pgmpy_noisy_or([0.3, 0.6, 0.9])
    graph = lg.from_pgmpy(model, decimals=True)
    assert not isinstance(own_potential(graph, "Y"), Table)
    expected = math.prod([1 - Fraction(p, 10) / 10 for p in (3, 6, 9)])
    assert graph.query("Y", exact=True).exact["False"] == expected
    assert lg.from_pgmpy(model).query("Y")["False"] == pytest.approx(float(expected))
    assert own_potential(lg.from_pgmpy(model), "Y").measured
    engine = VariableElimination(model)
    for state in ("True", "False"):
        theirs = engine.query(["X1"], {"Y": state}, show_progress=False).values
        assert graph.query("X1", given={"Y": state}).probabilities == pytest.approx(theirs)


def test_what_pgmpy_has_changed_is_taken_as_it_is() -> None:
    model = pgmpy_noisy_or([0.3, 0.6, 0.9])
    model.get_cpds("Y").reorder_parents(["X2", "X0", "X1"], inplace=True)
    graph = lg.from_pgmpy(model)
    for number, probability in enumerate([0.3, 0.6, 0.9]):
        alone = {f"X{place}": str(place == number) for place in range(3)}
        active, _ = graph.query("Y", given=alone).probabilities  # pgmpy forgets its states' names
        assert active == pytest.approx(probability)
