"""Likelihoods as evidence: every question against the graph that has them as factors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.inference.likelihoods import absorbed
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.relational import relational_models
from tests.strategies import factor_graphs

METHODS = st.sampled_from(["auto", "lifted", "ground"])
Written = dict[Any, Any]


def with_factors(graph: lg.FactorGraph, likelihoods: Mapping[str, Any]) -> lg.FactorGraph:
    """The naive twin: the same graph, built again with a factor of one variable for each."""
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(graph.name(variable), graph.states(variable))
    for factor in graph.factors:
        builder.add_factor(*factor.parts)
    for name, numbers in likelihoods.items():
        states = graph.states(name)
        listed = [numbers[state] for state in states] if isinstance(numbers, Mapping) else numbers
        builder.add_factor([name], listed)
    return builder.build().observing(graph.evidence)


def a_number(random: Random, measured: bool) -> Any:
    if measured:
        return random.choice([0.0, 0.25, 1.0, random.random()])
    return random.choice([0, 1, 1, 2, 7, "0.3", "1e-3", Fraction(2, 3)])


def evidence(graph: lg.FactorGraph, seed: int) -> tuple[Written, Written]:
    """Likelihoods of some variables, of which several are often alike, and states of some."""
    random = Random(seed)
    measured = random.random() < 0.3
    few: dict[int, list[Any]] = {}
    likelihoods: Written = {}
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    for name in random.sample(names, random.randint(1, len(names))):
        states = graph.states(name)
        numbers = [a_number(random, measured) for _ in states]
        if not any(map(float, map(Fraction, numbers))):
            numbers[0] = 1
        if random.random() < 0.6:
            numbers = few.setdefault(len(states), numbers)
        by_state = dict(zip(states, numbers, strict=True))
        likelihoods[name] = by_state if random.random() < 0.3 else numbers
    certain = {}
    for name in names:
        if random.random() < 0.2 and name not in likelihoods:
            state = graph.evidence.get(graph.variable(name))
            states = graph.states(name)
            certain[name] = states[random.randrange(len(states)) if state is None else state]
    return likelihoods, certain


def outcome(model: Any, question: str, *asked: Any, **options: Any) -> Any:
    """An answer, or the kind of its refusal."""
    try:
        return getattr(model, question)(*asked, **options)
    except (lg.ZeroWeightError, lg.ComputationError) as refused:
        return type(refused)


def check_all_questions(
    model: Any, graph: lg.FactorGraph, likelihoods: Written, certain: Written, method: str
) -> None:
    """Ask everything with likelihoods as evidence, and compare with enumerating the twin."""
    twin = with_factors(graph, likelihoods).given(certain)
    both = {**likelihoods, **certain}
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    try:
        expected = brute_force(twin, Query("marginals"))
    except lg.ZeroWeightError:
        assert outcome(model, "partition", given=both, method=method) is lg.ZeroWeightError
        return
    assert isinstance(expected, lg.Marginals)
    total = brute_force(twin, Query("partition"))
    exact = outcome(model, "partition", given=both, exact=True, method=method)
    if exact is lg.ComputationError or exact is lg.MemoryLimitError:
        assume(False)
    assert exact.z == total.z  # type: ignore[attr-defined]
    floats = outcome(model, "partition", given=both, method=method)
    assert floats.log_z == pytest.approx(expected.log_z, abs=1e-9)
    every: Any = outcome(model, "marginals", given=both, exact=True, method=method)
    single = outcome(model, "query", names[-1], given=both, exact=True, method=method)
    near = outcome(model, "query", names[0], given=both, method=method)
    assert [every[name].exact for name in names] == [expected[name].exact for name in names]
    assert single.exact == expected[names[-1]].exact
    assert np.allclose(near.probabilities, expected[names[0]].probabilities, rtol=1e-9, atol=1e-15)
    states = graph.states(names[0])
    for state in states[:2]:
        share = model.probability({names[0]: state}, given=both, exact=True, method=method)
        assert share == expected[names[0]].exact[state]
    assert model.explain(names[0], given=both, exact=True, method=method).run().exact == (
        expected[names[0]].exact
    )
    best = outcome(model, "mpe", given=both, exact=True, method=method)
    assert best.weight == brute_force(twin, Query("explanation")).weight  # type: ignore[attr-defined]
    kept = model.given(both)
    assert kept.query(names[-1], exact=True, method=method).exact == single.exact
    assert kept.partition(exact=True).z == total.z  # type: ignore[attr-defined]


@given(factor_graphs(), st.integers(0, 10**6), METHODS)
def test_graphs_answer_as_with_factors(graph: lg.FactorGraph, seed: int, method: str) -> None:
    assume(graph.variable_count > 0)
    check_all_questions(graph, graph, *evidence(graph, seed), method)


@given(relational_models(), st.integers(0, 10**6), METHODS)
def test_lifted_models_answer_as_with_factors(
    model: lg.ParfactorGraph, seed: int, method: str
) -> None:
    assume(0 < model.variable_count <= 9)
    graph = model.ground()
    assume(np.prod(graph.cardinalities) <= 600)
    check_all_questions(model, graph, *evidence(graph, seed), method)


@given(relational_models(), st.integers(0, 10**6))
def test_grounding_a_model_with_likelihoods_adds_factors(
    model: lg.ParfactorGraph, seed: int
) -> None:
    assume(0 < model.variable_count <= 9)
    graph = model.ground()
    likelihoods, certain = evidence(graph, seed)
    in_order = {name: likelihoods[name] for name in graph.names or () if name in likelihoods}
    twin = with_factors(graph, in_order).given(certain)
    assert model.given(likelihoods).given(certain).ground() == twin
    assert graph.given(likelihoods).given(certain) == twin


@given(factor_graphs(named=False), st.integers(0, 10**6), st.sampled_from(["auto", "ground"]))
def test_rows_counts_and_likelihoods_together(
    graph: lg.FactorGraph, seed: int, method: str
) -> None:
    assume(graph.variable_count > 1)
    likelihoods, _ = evidence(graph, seed)
    twin = with_factors(graph, likelihoods)
    state = graph.states(0)[0]
    count = lg.count([v for v in range(graph.variable_count) if state in graph.states(v)], state)
    for question in (lambda m, **o: m.query(count, **o), lambda m, **o: m.query(1, **o)):
        for observed in ({}, {count: range(1, graph.variable_count + 1)}):
            expected = outcome_of(question, twin, observed)
            assert outcome_of(question, graph, {**observed, **likelihoods}) == expected
    table = {graph.name(0): [None, *graph.states(0)]}
    asked = graph.name(1)
    if 0 not in graph.evidence:
        options: Any = {"impossible": "missing", "method": method}
        predicted = graph.predict(table, asked, given=likelihoods, **options)
        expected = twin.predict(table, asked, **options)
        for name, column in expected.items():
            if name.startswith("P("):
                near = [math.nan if value is None else value for value in predicted[name]]
                listed = [math.nan if value is None else value for value in column]
                assert near == pytest.approx(listed, rel=1e-9, abs=1e-15, nan_ok=True)


def outcome_of(question: Any, model: Any, observed: Written) -> Any:
    try:
        return question(model, given=observed, exact=True).exact
    except lg.ZeroWeightError:
        return None


def people(size: int) -> lg.ParfactorGraph:
    P = lg.LogVar("P", size)
    return lg.ParfactorGraph.of([lg.parfactor([lg.prv("Sick", P), lg.prv("Epid")], [3, 1, 1, 5])])


def test_only_distinct_likelihoods_split_a_domain() -> None:
    """Proportional ones are alike, and one that says the same of all states splits nothing."""
    size, model = 1_000, people(1_000)
    every = [f"Sick.{number + 1}" for number in range(size)]
    tests = [[8, 2], ["0.4", "0.1"], {"false": 1, "true": 4}, [3, 3]]
    likelihoods = {name: tests[n % 4] for n, name in enumerate(every)}
    plan = model.explain("Epid", given=likelihoods)
    domains = [line for line in plan.text.splitlines() if line.strip().startswith("domains")]
    assert plan.method == "lifted"
    assert domains == [
        line
        for line in model.explain(
            "Epid", given=dict.fromkeys([n for i, n in enumerate(every) if i % 4 < 3], "true")
        ).text.splitlines()
        if line.strip().startswith("domains")
    ]
    true = Fraction(4 * 3 + 1, 1) ** 750 * Fraction(3 + 1) ** 250
    false = Fraction(4 * 1 + 5, 1) ** 750 * Fraction(1 + 5) ** 250
    assert model.query("Epid", given=likelihoods, exact=True).exact["true"] == true / (true + false)


@pytest.mark.parametrize("size", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_very_many_individuals_with_a_likelihood_each_stay_lifted(size: int) -> None:
    likelihoods = {f"Sick.{n + 1}": ([9, 2] if n % 2 else [1, 6]) for n in range(1, size)}
    plan = people(size).explain("Sick.1", given=likelihoods)
    assert plan.method == "lifted"
    assert plan.work < 1000
    # With each pair, Epid loses weight by (9·3 + 2)(3 + 6) against (9 + 2·5)(1 + 6·5).
    answer = plan.run()
    assert isinstance(answer, lg.Marginal)
    assert answer["true"] == pytest.approx(1 / 6)


def test_two_observations_of_one_variable_are_independent() -> None:
    graph = people(3).ground()
    for model in (people(3), graph):
        twice = model.given({"Sick.1": [4, 1]}).query("Epid", given={"Sick.1": [1, 3]}, exact=True)
        assert twice.exact == model.query("Epid", given={"Sick.1": [4, 3]}, exact=True).exact
        with pytest.raises(lg.InputError, match=r"expected one likelihood for Sick\.1, got two"):
            model.query("Epid", given={"Sick.1": [4, 1], graph.variable("Sick.1"): [4, 1]})


def test_what_is_known_for_certain_keeps_its_state() -> None:
    for model in (people(3), people(3).ground()):
        observed = model.given({"Sick.1": "true"})
        answer = observed.query("Epid", given={"Sick.1": [1, 9]}, exact=True)
        assert answer.exact == observed.query("Epid", exact=True).exact
        weight = observed.partition(given={"Sick.1": [2, 9]}, exact=True).z
        assert weight == 2 * (observed.partition(exact=True).z or 0)
        with pytest.raises(lg.ZeroWeightError):
            observed.query("Epid", given={"Sick.1": [0, 1]})


def test_exact_numbers_stay_exact() -> None:
    model = people(2).ground()
    exact = model.query("Epid", given={"Sick.1": ["0.7", "0.3"]}, exact=True)
    true, false = (3 + 1) * (7 * 3 + 3), (1 + 5) * (7 + 3 * 5)
    assert exact.exact["true"] == Fraction(true, true + false)
    assert exact.exact == model.query("Epid", given={"Sick.1": [7, 3]}, exact=True).exact
    measured = model.query("Epid", given={"Sick.1": [0.7, 0.3]}, exact=True)
    assert measured.exact != exact.exact  # 0.7 and 0.3 as floats are not 7 to 3
    assert float(measured["true"]) == pytest.approx(float(exact["true"]))


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ([1], "a likelihood of Sick.1 with 2 numbers .true, false., got 1"),
        ([1, 2, 3], "with 2 numbers .true, false., got 3"),
        ([0, 0], "likelihood of Sick.1: expected a positive number, got only zeros"),
        ([1, -1], "likelihood of Sick.1: expected a non-negative number, got -1"),
        ([1, math.inf], "expected a non-negative number, got inf"),
        ([math.nan, 1], "expected a non-negative number, got nan"),
        ([[1, 2]], "with 2 numbers .true, false., got 1"),
        ([[1], [2]], "likelihood of Sick.1: expected a table of shape"),
        (["x", 1], "expected a non-negative number, got 'x'"),
        ({"true": 1}, "with a number for each state, got none for false"),
        ({"true": 1, "flase": 1}, "got flase .did you mean false"),
        ({"true": 1, "TRUE": 1, "false": 1}, "with one number for true, got two"),
        (lg.Table.of([1, 2, 3]), "expected a table of 2 numbers .true, false., got Table"),
        (np.array([[1.0, 2.0]]), "with 2 numbers .true, false., got 1"),
    ],
)
def test_what_is_no_likelihood_is_refused(written: Any, problem: str) -> None:
    for model in (people(3), people(3).ground()):
        with pytest.raises(lg.InputError, match=problem):
            model.query("Epid", given={"Sick.1": written})
        with pytest.raises(lg.InputError, match=problem):
            model.given({"Sick.1": written})


def test_likelihoods_are_not_states_of_events_or_of_exactly_this_evidence() -> None:
    graph = people(3).ground()
    with pytest.raises(lg.InputError, match=r"expected a state of Sick\.1"):
        graph.probability({"Sick.1": [1, 2]})
    with pytest.raises(lg.InputError, match=r"expected a state of Sick\.1"):
        graph.observing({"Sick.1": [1, 2]})
    with pytest.raises(lg.InputError, match=r"did you mean Sick\.1"):
        graph.query("Epid", given={"sick.1": [1, 2]})
    with pytest.raises(lg.InputError, match="an integer or a range"):
        graph.query("Epid", given={lg.count("Sick"): [1, 2, 3, 4]})
    with pytest.raises(lg.InputError, match=r"expected a state of Sick\.1"):
        graph.compile("Epid", given=["Sick.1"])([1, 2])
    kept = graph.given({"Sick.1": [1, 2]}).compile("Epid", given=["Sick.2"], exact=True)
    asked = graph.query("Epid", given={"Sick.1": [1, 2], "Sick.2": "true"}, exact=True)
    assert kept("true").exact == asked.exact


@pytest.mark.parametrize(
    "written",
    [
        np.array([4, 1]),
        lg.Table.of([4, 1]),
        {False: 1, True: 4},
        (4, 1),
        ("4", Fraction(1)),
        pd.Series([4, 1]),
        pd.Series({"false": 1, "true": 4}),
        pd.Series([1, 4], index=[False, True]),
        pd.Series([9, 4, 1])[1:].reset_index(drop=True),
        pl.Series([4, 1]),
    ],
)
def test_likelihoods_are_written_in_many_ways(written: Any) -> None:
    for model in (people(3), people(3).ground()):
        expected = model.query("Epid", given={"Sick.1": [4, 1]}, exact=True).exact
        assert model.query("Epid", given={"Sick.1": written}, exact=True).exact == expected
        assert model.given({"Sick.1": written}).query("Epid", exact=True).exact == expected


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ((4, 1, 2), "a likelihood of A with 2 numbers .1, 0., got 3"),
        ((-4, 1), r"expected a state of A .1, 0., got \(-4, 1\)"),
        (("x", 1), r"expected a state of A .1, 0., got \('x', 1\)"),
        (pd.Series([4, 1]), "labels 0 to 1 for the states 1, 0: their order is not clear"),
        (pd.Series([4, 1], index=["1", "1"]), "expected a likelihood with distinct labels"),
        (pd.Series([4, 1], index=["1", "2"]), "expected a state of A .1, 0., got 2"),
        (pd.Series([4, 1, 3]), "labels 0 to 2 for the states 1, 0: their order is not clear"),
        (pl.Series([4, 1, 3]), "a likelihood of A with 2 numbers .1, 0., got 3"),
        (pd.Series(["x", "y"], index=[1, 0]), "expected a non-negative number"),
    ],
)
def test_what_may_mean_two_things_is_refused(written: Any, problem: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["1", "0"])
    builder.add_factor(["A"], [1, 2])
    graph = builder.build()
    for model in (graph, graph.lift()):
        with pytest.raises(lg.InputError, match=problem):
            model.query("A", given={"A": written})
        with pytest.raises(lg.InputError, match=problem):
            model.given({"A": written})
    assert graph.query("A", given={"A": pl.Series([4, 1])}, exact=True).exact == {
        "1": Fraction(2, 3),
        "0": Fraction(1, 3),
    }


def test_a_tuple_is_a_state_wherever_there_is_one_of_its_name() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["(1, 2)", "(2, 1)"])
    builder.add_factor(["A"], [1, 2])
    graph = builder.build()
    assert graph.query("A", given={"A": (1, 2)})["(1, 2)"] == 1
    assert graph.query("A", given={"A": (2, 2)}, exact=True).exact["(1, 2)"] == Fraction(1, 3)


def test_an_array_of_truth_values_is_a_likelihood() -> None:
    graph, possible = lg.datasets.epidemic(), np.array(["true", "false"]) == "true"
    answer = graph.query("Epid", given={"Sick.bob": possible}, exact=True)
    assert answer.exact == graph.query("Epid", given={"Sick.bob": "true"}, exact=True).exact


def test_a_graph_is_lifted_once_for_all_likelihoods() -> None:
    graph = people(50).ground()
    plain, certain = absorbed(graph, {"Epid": "true"})
    assert plain is graph
    assert certain == {"Epid": "true"}
    one, _ = absorbed(graph, {"Sick.1": [4, 1]})
    again, _ = absorbed(graph, {"Sick.1": [4, 1]})
    assert one.cache is again.cache
    for name in ("Sick.1", "Sick.2"):
        plan = graph.explain("Epid", given={name: [4, 1], "Sick.9": [2, 7]}, method="lifted")
        assert "51 variables in 2 PRVs" in plan.text


def test_likelihoods_stay_after_interventions() -> None:
    P = lg.LogVar("P", 3)
    epidemic, sick, vaccinated = lg.prv("Epid"), lg.prv("Sick", P), lg.prv("Vaccinated", P)
    rows = ["0.3", "0.7", "0.8", "0.2", "0.1", "0.9", "0.2", "0.8"]
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([epidemic], ["0.1", "0.9"]),
            lg.parfactor([vaccinated], ["0.5", "0.5"]),
            lg.parfactor([epidemic, vaccinated, sick], rows),
        ]
    )
    likelihoods = {"Sick.1": [4, 1], "Sick.2": [1, 3], "Vaccinated.3": [2, 5]}
    for done in ({"Vaccinated": "true"}, {"Vaccinated.1": "false"}, {"Sick.1": "true"}):
        everyone = {f"Vaccinated.{n}": "true" for n in (1, 2, 3)}
        single = everyone if "Vaccinated" in done else done
        grounded = model.ground().query("Epid", do=single, given=likelihoods, exact=True)
        asked = model.query("Epid", do=done, given=likelihoods, exact=True)
        kept = model.given(likelihoods).do(done).query("Epid", exact=True)
        assert grounded.exact == asked.exact == kept.exact
        seen = model.ground().given(likelihoods)
        assert seen.do(single).query("Epid", exact=True).exact == kept.exact
        assert seen.query("Epid", do=single, exact=True).exact == kept.exact


def test_likelihoods_of_lifted_models_are_shown_and_kept_in_files(tmp_path: Path) -> None:
    model = people(3).given({"Sick.1": ["0.4", "0.1"], "Sick.2": [0.25, 0.5], "Sick.3": "true"})
    assert "Sick.1: [0.4 0.1]" in str(model)
    assert "2 likelihoods" in repr(model)
    assert "[0.4 0.1]" in str(model["Sick.1"])
    assert r"\lambda(" in lg.latex(model)
    assert lg.draw(model).caption.endswith("What was observed of 3 variables is not drawn.")
    path = tmp_path / "model.json"
    lg.write(model, path)
    again = lg.read(path)
    assert again == model
    assert isinstance(again, lg.ParfactorGraph)
    assert [t.measured for t in again.evidence.likelihoods.values()] == [False, True]
    with pytest.raises(lg.InputError, match="BLOG files have no likelihoods"):
        lg.write(model, tmp_path / "model.blog")
    assert people(3).given({"Sick.1": [1, 2]}) != people(3).given({"Sick.1": [1, 3]})


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        ('{"Sick.alice": [0.8, 0.2], "Sick.bob": {"false": 3, "true": "1/2"}}', ".json"),
        ('variable,state\nSick.alice,"0.8,0.2"\nSick.bob,"1/2,3"\n', ".csv"),
        ('Sick.alice,Sick.bob\n"0.8,0.2","0.5,3"\n', ".csv"),
        ('Sick.alice,Sick.bob\n"0.8, 0.2"," 0.5 ,3 "\n', ".csv"),
    ],
)
def test_files_and_the_command_line_have_likelihoods(
    content: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    likelihoods = {"Sick.alice": [4, 1], "Sick.bob": [1, 6]}
    expected = lg.datasets.epidemic().query("Epid", given=likelihoods, exact=True)
    path = tmp_path / f"evidence{suffix}"
    path.write_text(content)
    asked = ["query", "example:epidemic", "Epid", "--exact", "--format", "json", "--reproducible"]
    outputs = []
    for options in (["--evidence", str(path)], ["--given", "Sick.alice=8, 2", "Sick.bob=1,6.0"]):
        assert main([*asked, *options]) == 0
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    assert str(expected.exact["true"]) in json.dumps(outputs[0])


def test_a_state_that_looks_like_numbers_is_a_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Interval", ["0,1", "1,2"])
    builder.add_variable("B")
    builder.add_factor(["Interval", "B"], [[1, 3], [5, 2]])
    path = tmp_path / "model.json"
    lg.write(builder.build(), path)
    asked = ["query", str(path), "B", "--exact", "--given"]
    for event, share in (("Interval=0,1", "1/4"), ("Interval=1,1", "6/11")):
        assert main([*asked, event]) == 0
        assert share in capsys.readouterr().out
    for event, problem in (
        ("B=1,2,3", "expected a likelihood of B with 2 numbers (true, false), got 3"),
        ("B=-1,2", "expected a non-negative number, got '-1'"),
        ("B=a,b", "expected a state of B (true, false), got a,b"),
        ("B=1", "expected a state of B (true, false), got 1"),
    ):
        assert main([*asked, event]) == 2
        assert problem in capsys.readouterr().err
