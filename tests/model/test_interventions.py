"""Interventions are the truncated factorisation; d-separation is what moral graphs say."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError, ZeroWeightError
from tests.strategies import bayesian_networks, factor_graphs

Network = tuple[FactorGraph, list[int]]
World = tuple[int, ...]


def drawn_states(data: st.DataObject, graph: FactorGraph, most: int = 2) -> dict[int, int]:
    variables = st.sampled_from(range(graph.variable_count))
    chosen = data.draw(st.lists(variables, max_size=most, unique=True))
    return {v: data.draw(st.integers(0, len(graph.states(v)) - 1)) for v in chosen}


def named(graph: FactorGraph, states: dict[int, int]) -> dict[Any, str]:
    return {graph.name(v): graph.states(v)[state] for v, state in states.items()}


def truncated(network: Network, done: dict[int, int]) -> dict[World, Fraction]:
    """P(v | do(x)) of all assignments: the product of the distributions of all other variables."""
    graph, own = network
    ranges = [range(len(graph.states(v))) for v in range(graph.variable_count)]
    weights = dict[World, Fraction]()
    for world in product(*ranges):
        agrees = all(world[v] == state for v, state in done.items())
        weights[world] = Fraction(agrees) * prod(
            [
                graph.factors[own[v]].table.potential([world[u] for u in graph.scope_of(own[v])])
                for v in range(graph.variable_count)
                if v not in done
            ],
            start=Fraction(1),
        )
    return weights


def total(weights: dict[World, Fraction], states: dict[int, int]) -> Fraction:
    agreeing = (w for x, w in weights.items() if all(x[v] == s for v, s in states.items()))
    return sum(agreeing, Fraction(0))


@given(st.data())
def test_an_intervention_is_the_truncated_factorisation(data: st.DataObject) -> None:
    network = data.draw(bayesian_networks())
    graph = network[0]
    done, seen = drawn_states(data, graph), drawn_states(data, graph)
    assume(all(seen.get(v, state) == state for v, state in done.items()))
    weights = truncated(network, done)
    evidence = total(weights, seen)
    asked = data.draw(st.integers(0, graph.variable_count - 1))
    options: dict[str, Any] = {"do": named(graph, done), "exact": True, "given": named(graph, seen)}
    options["method"] = data.draw(st.sampled_from(["auto", "ground", "lifted"]))
    if not evidence:
        with pytest.raises(ZeroWeightError):
            graph.query(asked, **options)
        return
    expected = {
        state: total(weights, {**seen, asked: index}) / evidence if seen.get(asked, index) == index
        else 0
        for index, state in enumerate(graph.states(asked))
    }  # fmt: skip
    assert graph.query(asked, **options).exact == expected
    assert graph.marginals(**options)[graph.name(asked)].exact == expected
    assert graph.partition(**options).z == evidence
    state = data.draw(st.sampled_from(graph.states(asked)))
    assert graph.probability({asked: state}, **options) == expected[state]
    best = graph.mpe(**options)
    assert best.weight == max(
        w for x, w in weights.items() if all(x[v] == s for v, s in seen.items())
    )


@given(st.data())
def test_interventions_come_one_after_the_other_or_together(data: st.DataObject) -> None:
    graph, _ = data.draw(bayesian_networks())
    states = named(graph, drawn_states(data, graph, most=3))
    one_by_one = graph
    for name, state in states.items():
        one_by_one = one_by_one.do({name: state})
    assert one_by_one == graph.do(states)
    assert graph.do({}) is graph


@given(st.data())
def test_evidence_stays_and_may_come_before_or_after(data: st.DataObject) -> None:
    graph, _ = data.draw(bayesian_networks())
    done, seen = drawn_states(data, graph), drawn_states(data, graph)
    for v in done.keys() & seen.keys():
        seen[v] = done[v]
    interventions, evidence = named(graph, done), named(graph, seen)
    before, after = graph.given(evidence).do(interventions), graph.do(interventions).given(evidence)
    assert before == after
    assert before.do(interventions) == before


@given(st.data())
def test_adjusting_for_the_parents_agrees_with_the_intervention(data: st.DataObject) -> None:
    """Backdoor adjustment (Pearl 2009, theorem 3.3.2), from observations only."""
    graph, own = data.draw(bayesian_networks())
    cause, effect = data.draw(st.permutations(range(graph.variable_count)))[:2] * (
        1 if graph.variable_count > 1 else 2
    )
    parents = [v for v in graph.scope_of(own[cause]) if v != cause]
    assume(effect not in (cause, *parents))
    state = data.draw(st.integers(0, len(graph.states(cause)) - 1))
    adjusted = dict.fromkeys(graph.states(effect), Fraction(0))
    for values in product(*[range(len(graph.states(v))) for v in parents]):
        seen = dict(zip(parents, values, strict=True))
        share = Fraction(graph.probability(named(graph, seen), exact=True))
        if share:
            both = named(graph, {**seen, cause: state})
            assume(graph.probability(both, exact=True))  # or observations say nothing about it
            given_both = graph.query(effect, given=both, exact=True)
            for outcome in adjusted:
                adjusted[outcome] += share * given_both.exact[outcome]
    do = named(graph, {cause: state})
    assert graph.query(effect, do=do, exact=True).exact == adjusted


def naively_separated(network: Network, first: int, second: int, given: set[int]) -> bool:
    """Whether no path leads around the given variables in the moral graph of the ancestors."""
    graph, own = network
    families = [set(graph.scope_of(own[v])) for v in range(graph.variable_count)]
    ancestral = {first, second, *given}
    while not ancestral >= (more := set().union(*[families[v] for v in ancestral])):
        ancestral |= more
    married = [pair for v in ancestral for pair in combinations(families[v] - given, 2)]
    connected = {first} - given
    while new := {u for pair in married for u in pair if connected & set(pair)} - connected:
        connected |= new
    return second in given or second not in connected


@given(st.data())
def test_separation_is_what_moral_ancestral_graphs_say(data: st.DataObject) -> None:
    network = data.draw(bayesian_networks(max_variables=7))
    graph = network[0]
    variables = list(range(graph.variable_count))
    given_set = data.draw(st.sets(st.sampled_from(variables), max_size=3))
    observed = data.draw(st.sets(st.sampled_from(variables), max_size=1))
    seen = graph.observing(dict.fromkeys(observed, 0))
    rest = variables
    for first in rest:
        for second in rest:
            expected = naively_separated(network, first, second, given_set | observed)
            assert seen.d_separated(first, second, given_set) == expected
    everything = graph.d_separated(variables, variables, given_set)
    assert everything == (given_set == set(variables))


def with_reports(graph: FactorGraph, likelihoods: dict[int, list[int]]) -> FactorGraph:
    """The naive twin of a network with likelihoods: each is a child that is observed."""
    builder = FactorGraphBuilder()
    for name in graph.variables:
        builder.add_variable(name, graph.states(name))
    for factor in graph.factors:
        builder.add_factor(*factor.parts)
    for variable, numbers in likelihoods.items():
        report = builder.add_variable(f"report {variable}", ["came", "did not"])
        rows = [[Fraction(number, 9), 1 - Fraction(number, 9)] for number in numbers]
        builder.add_distribution(report, [variable], rows)
    return builder.build().given({f"report {variable}": "came" for variable in likelihoods})


@given(st.data())
def test_likelihoods_are_observed_children_before_and_after_interventions(
    data: st.DataObject,
) -> None:
    graph = data.draw(bayesian_networks())[0]
    likelihoods = {
        variable: data.draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
        for variable, size in enumerate(graph.cardinalities.tolist())
        if data.draw(st.booleans())
    }
    done = named(graph, drawn_states(data, graph))
    seen, twin = graph.given({**likelihoods}), with_reports(graph, likelihoods)
    names = [*graph.variables]
    known = data.draw(st.sets(st.sampled_from(names), max_size=2))
    for one, other in [(seen, twin), (seen.do(done), twin.do(done))]:
        for first, second in product(names, names):
            separated = one.d_separated(first, second, known)
            assert separated == other.d_separated(first, second, known)
        assert [one.parents(name) for name in names] == [other.parents(name) for name in names]
    asked = data.draw(st.sampled_from(names))
    assert seen.cpd(asked) == graph.cpd(asked)
    try:
        expected = twin.query(asked, do=done, exact=True).exact
    except ZeroWeightError:
        with pytest.raises(ZeroWeightError):
            seen.query(asked, do=done)
        return
    assert seen.query(asked, do=done, exact=True).exact == expected
    assert graph.query(asked, do=done, given={**likelihoods}, exact=True).exact == expected
    assert seen.do(done).given({}).query(asked, exact=True).exact == expected
    lifted = seen.lift()
    assert lifted.query(asked, do=done, exact=True).exact == expected
    assert lifted.d_separated(names[0], names[-1]) == seen.d_separated(names[0], names[-1])


def test_a_network_with_likelihoods_is_no_network_in_files(tmp_path: Path) -> None:
    """They would be lost there."""
    graph = lg.datasets.asia().given({"xray": [4, 1]})
    with pytest.raises(InputError, match="this is not a Bayesian network"):
        lg.write(graph, tmp_path / "seen.bif")
    with pytest.raises(InputError, match="this is not a Bayesian network"):
        lg.to_pgmpy(graph, "bayesian network")


@given(st.data())
def test_separated_variables_are_independent(data: st.DataObject) -> None:
    network = data.draw(bayesian_networks())
    graph = network[0]
    weights = truncated(network, {})
    for first, second in combinations(range(graph.variable_count), 2):
        others = sorted({*range(graph.variable_count)} - {first, second})
        given_set = data.draw(st.sets(st.sampled_from(others))) if others else set()
        if not graph.d_separated(first, second, given_set):
            continue
        for values in product(*[range(len(graph.states(v))) for v in sorted(given_set)]):
            z = dict(zip(sorted(given_set), values, strict=True))
            for a, b in product(range(len(graph.states(first))), range(len(graph.states(second)))):
                joint = total(weights, {**z, first: a, second: b}) * total(weights, z)
                assert joint == total(weights, {**z, first: a}) * total(weights, {**z, second: b})


@given(st.data())
def test_families_are_those_of_the_factors(data: st.DataObject) -> None:
    graph, own = data.draw(bayesian_networks(max_variables=7))
    variables = range(graph.variable_count)
    parents = {v: set(graph.scope_of(own[v])) - {v} for v in variables}
    above = {v: set(parents[v]) for v in variables}
    for _ in variables:
        above = {v: above[v].union(*[above[u] for u in above[v]]) for v in variables}
    for v in variables:
        children = {u for u in variables if v in parents[u]}
        scope = [u for u in graph.scope_of(own[v]) if u != v]
        assert graph.parents(v) == tuple(map(graph.name, scope))
        blanket = (children | parents[v]).union(*[parents[u] for u in children]) - {v}
        names = [sorted(children), sorted(blanket), sorted(above[v])]
        names.append(sorted(u for u in variables if v in above[u]))
        found = [graph.children(v), graph.markov_blanket(v), graph.ancestors(v)]
        assert [*found, graph.descendants(v)] == [tuple(map(graph.name, some)) for some in names]
        others = {*variables} - blanket - {v}
        assert graph.d_separated(v, others, blanket)


@given(factor_graphs())
def test_what_has_no_directions_is_refused(graph: FactorGraph) -> None:
    try:
        graph.cpd(0)
    except InputError:
        assume(graph.variable_count)
        for ask in (
            lambda: graph.observing({}).do({0: graph.states(0)[0]}),
            lambda: graph.parents(0),
        ):
            with pytest.raises(InputError, match="expected a model with directions; this is not"):
                ask()


def pair(*factors: tuple[list[str], list[Any]]) -> FactorGraph:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    for scope, table in factors:
        builder.add_factor(scope, table)
    return builder.build()


HALF, COPY = ["0.5", "0.5"], [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("graph", "missing"),
    [
        (pair((["A"], HALF)), "got 1 factor for 2 variables and none for B"),
        (
            pair((["A"], HALF), (["A", "B"], COPY), (["A"], HALF)),
            "got 3 factors for 2 variables and 2 for A alone",
        ),
        (pair((["A"], HALF), (["A", "B"], [[1, 1], [0, 1]])), "no factor that sums to 1"),
        (pair((["A"], [2, 2]), (["A", "B"], COPY)), "expected a distribution of A"),
        (pair((["A", "B"], COPY), (["B", "A"], COPY)), "got a cycle at A"),
    ],
)
def test_errors_say_what_is_missing(graph: FactorGraph, missing: str) -> None:
    with pytest.raises(InputError, match=missing):
        graph.do({"A": True})


@pytest.mark.parametrize(
    ("interventions", "problem"),
    [
        ({"smok": "yes"}, r"did you mean smoke\?"),
        ({"smoke": "yess"}, r"did you mean yes\?"),
        ({"smoke": [0.5, 0.5]}, r"expected a state of smoke \(yes, no\)"),
        (["smoke"], "expected interventions as {variable: state}, got"),
        ({"smoke": "yes", 2: "no"}, "expected one state for smoke, got both yes and no"),
        ({"asia": "no"}, "got observed asia = yes and do asia = no"),
    ],
)
def test_interventions_that_make_no_sense(interventions: Any, problem: str) -> None:
    graph = lg.datasets.asia().given({"asia": "yes"})
    assert graph.name(2) == "smoke"
    for ask in (graph.do, lambda do: graph.query("lung", do=do)):
        with pytest.raises(InputError, match=problem):
            ask(interventions)


def test_what_is_done_is_so() -> None:
    graph = lg.datasets.asia()
    assert graph.probability({"smoke": "no"}, do={"smoke": "yes"}) == 0
    assert graph.query("smoke", do={"smoke": "yes"}).probabilities.tolist() == [1, 0]
    with pytest.raises(InputError, match="expected one state for smoke, got both yes and no"):
        graph.query("lung", do={"smoke": "yes"}, given={"smoke": "no"})
    again = graph.query("lung", do={"smoke": "yes"}, given={"smoke": "yes"}, exact=True)
    assert again.exact["yes"] == Fraction(1, 10)


def test_plans_and_compiled_questions_come_after_interventions() -> None:
    graph = lg.datasets.asia()
    done = graph.do({"lung": "yes"})
    plan = graph.explain("xray", do={"lung": "yes"})
    assert str(plan) == str(done.explain("xray"))
    compiled = graph.compile("smoke", given=["bronc"], do={"lung": "yes"}, exact=True)
    expected = graph.query("smoke", given={"bronc": "no"}, exact=True)
    assert compiled({"bronc": "no"}).exact == expected.exact


def test_a_noisy_or_of_many_causes_is_cut_without_its_table() -> None:
    builder = FactorGraphBuilder()
    causes = [builder.add_variable(f"C{i}") for i in range(200)]
    for cause in causes:
        builder.add_factor([cause], ["0.1", "0.9"])
    builder.add_variable("Effect")
    builder.add_noisy_or("Effect", dict.fromkeys(causes, "0.5"))
    graph = builder.build()
    before, after = graph.given({"Effect": True}), graph.do({"Effect": True})
    assert before.query("C0").probabilities[0] > 0.1
    assert after.query("C0", exact=True).exact["true"] == Fraction(1, 10)
    forced = graph.query("Effect", do={"C0": True}, exact=True).exact["false"]
    assert forced == Fraction(1, 2) * Fraction(95, 100) ** 199
    assert len(graph.markov_blanket("C0")) == 200


def test_floats_that_sum_to_one_are_mechanisms() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A"], [0.1, 0.9])
    builder.add_factor(["A", "B"], [[0.3, 0.7], [0.6, 0.4]])
    found = builder.build().query("B", do={"A": "false"}).probabilities
    assert found == pytest.approx([0.6, 0.4])


def test_a_long_chain_is_separated_in_the_middle() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(3000)
    builder.add_factor([0], HALF)
    for v in range(1, 3000):
        builder.add_factor([v - 1, v], [["0.9", "0.1"], ["0.2", "0.8"]])
    graph = builder.build()
    assert not graph.d_separated(0, 2999)
    assert graph.d_separated(0, 2999, 1500)
    assert graph.do({1500: True}).d_separated(1499, 1501)
    assert len(graph.ancestors(2999)) == 2999
