"""Answers up to a tolerance say how far off they may be, and are not further off."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, Inexact, InputError, Table, ZeroWeightError
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import symmetric_graphs

TOLERANCES = ["0.001", "0.01", "0.1", "0.5"]


@st.composite
def noisy_graphs(draw: st.DrawFn) -> FactorGraph:
    """Graphs with symmetries, whose tables are different by a little."""
    graph = draw(symmetric_graphs())
    builder = FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(states=graph.states(variable))
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        noise = draw(st.lists(st.integers(-9, 9), min_size=2, max_size=2))
        flat = table.integers.ravel().astype(object) * 1000
        flat[: len(noise)] += flat[: len(noise)] * np.array(noise[: len(flat)], object) // 1000
        assume(flat.any())
        noisy = Table.of(flat.reshape(table.shape))
        builder.add_factor(scope, replace(noisy, scale=noisy.scale * table.scale))
    return builder.build().observing(graph.evidence)


def log_odds(p: Fraction) -> float:
    return math.log(p) - math.log(1 - p)


@given(noisy_graphs(), st.sampled_from(TOLERANCES), st.sampled_from(["auto", "lifted"]))
def test_no_answer_is_further_off_than_its_bound(
    graph: FactorGraph, tolerance: str, method: str
) -> None:
    try:
        right = brute_force(graph, Query("marginals", exact=True))
    except ZeroWeightError:
        with pytest.raises(ZeroWeightError):
            graph.marginals(tolerance=tolerance, method=method)
        return
    found = graph.marginals(tolerance=tolerance, method=method, exact=True)
    assert isinstance(right, lg.Marginals)
    assert abs(found.log_z - right.log_z) <= found.log_odds_bound + 1e-9
    for name, marginal in found.items():
        assert marginal.log_odds_bound == found.log_odds_bound
        least, most = marginal.bounds
        for place, (state, expected) in enumerate(right[name].exact.items()):
            p = marginal.exact[state]
            assert least[place] - 1e-12 <= expected <= most[place] + 1e-12
            assert (p == 0) == (expected == 0)
            assert (p == 1) == (expected == 1)
            if 0 < p < 1:
                assert abs(log_odds(p) - log_odds(expected)) <= found.log_odds_bound + 1e-9


@given(noisy_graphs(), st.sampled_from(TOLERANCES))
def test_explanations_are_nearly_the_best(graph: FactorGraph, tolerance: str) -> None:
    try:
        best = brute_force(graph, Query("explanation", exact=True))
    except ZeroWeightError:
        return
    found = graph.mpe(tolerance=tolerance, method="lifted", exact=True)
    assert isinstance(best, lg.Assignment)
    event = {graph.name(v): graph.states(v)[s] for v, s in enumerate(found.states)}
    true_weight = graph.partition(given=event, exact=True, method="ground").z
    assert true_weight is not None
    assert best.log_weight - math.log(true_weight) <= found.log_odds_bound + 1e-9
    assert abs(found.log_weight - math.log(true_weight)) <= found.log_odds_bound + 1e-9


def chain_of_pairs(twice: int, once: int) -> FactorGraph:
    """Two groups that structure tells apart; one has the same table twice, the other a near one."""
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B", "C", "D"])
    builder.add_factor(["A", "B"], [[1000, 2000 + twice], [3000, 4000]])
    builder.add_factor(["C", "B"], [[1000, 2000 + twice], [3000, 4000]])
    builder.add_factor(["B", "D"], [[1000, 2000 + once], [3000, 4000]])
    builder.add_factor(["D"], [1, 5])
    return builder.build()


@pytest.mark.parametrize("noise", [(0, 7), (7, 0), (-7, 0), (0, -7)])
def test_factors_that_all_have_one_table_keep_it(noise: tuple[int, int]) -> None:
    """A tolerance that groups nothing more costs nothing, whichever table represents the other."""
    pairs = chain_of_pairs(*noise)
    unused = (Table.of([[9, 8], [7, 6]]), *pairs.tables)
    graph = replace(pairs, potentials=unused, table_id=pairs.table_id + 1)
    assert lg.colour_passing(graph, tolerance="0.01").log_odds_bound > 0
    model = lg.lift(graph, tolerance="0.01")
    assert len(model.prvs) == 3
    assert model.log_odds_bound == 0
    assert model.origin is not None
    assert model.origin.near == ()
    exact = graph.query("A", exact=True, method="ground").exact
    assert model.query("A", exact=True, method="lifted").exact == exact


def noisy_people(noise: int) -> FactorGraph:
    builder = FactorGraphBuilder()
    builder.add_variables(["Epid", *[f"Sick.{i}" for i in range(5)]])
    for i in range(5):
        builder.add_factor([f"Sick.{i}", "Epid"], [[3000, 1000 + i * noise], [1000, 5000]])
    return builder.build()


def test_the_bound_is_the_product_of_the_deviations() -> None:
    """Each of four tables is off by i in 1000 in one entry, compared with that of the first."""
    found = noisy_people(1).query("Epid", tolerance="0.01", method="lifted")
    off = [math.log((1 + i / 1000) / (1 - i / 1000)) for i in (1, 2, 3, 4)]
    assert found.log_odds_bound == pytest.approx(sum(off))
    assert "log odds off by up to 0.02" in repr(found)
    assert "log odds off by up to 0.02" in found._repr_html_()
    assert noisy_people(1).query("Epid", tolerance=0).log_odds_bound == 0
    assert noisy_people(1).query("Epid").log_odds_bound == 0


def test_bounds_of_certain_and_of_unlimited_answers() -> None:
    certain = Marginal(("A",), (("a", "b"),), np.array([1.0, 0.0]), None, "lifted", 2.0)
    assert [each.tolist() for each in certain.bounds] == [[1.0, 0.0], [1.0, 0.0]]
    wide = Marginal(("A",), (("a", "b"),), np.array([0.5, 0.5]), None, "lifted", 1e6)
    assert [each.tolist() for each in wide.bounds] == [[0.0, 0.0], [1.0, 1.0]]
    both = Marginal(("A",), (("a", "b"),), np.array([1.0, 0.0]), None, "lifted", 1e6)
    assert [each.tolist() for each in both.bounds] == [[0.0, 0.0], [1.0, 0.0]]


def test_trade_off_measures_what_was_asked() -> None:
    graph = noisy_people(2)
    found = graph.trade_off(["0.02", 0, "0.0001"], variables=["Epid", "Sick.3"])
    assert [choice.tolerance for choice in found] == [0, Fraction(1, 10000), Fraction(1, 50)]
    assert [choice.prvs for choice in found] == [6, 6, 2]
    assert [choice.parfactors for choice in found] == [5, 5, 1]
    assert found[0].error == pytest.approx(0, abs=1e-12)
    assert found[2].error is not None
    assert 1e-4 < found[2].error < found[2].log_odds_bound
    assert graph.trade_off(["0.02"])[0].error is None
    assert list(found.columns()) == ["tolerance", "prvs", "parfactors", "log_odds_bound", "error"]
    lines = repr(found).splitlines()
    assert lines[0] == "6 variables and 5 factors"
    assert [line.split()[0] for line in lines[2:]] == ["0", "0.0001", "0.02"]


def test_trade_off_with_evidence_measures_the_posterior() -> None:
    graph = noisy_people(2).given({"Sick.0": "true"})
    found = graph.trade_off(["0.02"], variables=["Epid"], given={"Sick.4": "false"})
    model = lg.lift(noisy_people(2), tolerance="0.02")
    both = {"Sick.0": "true", "Sick.4": "false"}
    near = model.query("Epid", given=both, exact=True, method="lifted").exact
    right = noisy_people(2).query("Epid", given=both, exact=True, method="ground").exact
    error = abs(log_odds(near["true"]) - log_odds(right["true"]))
    assert found[0].error == pytest.approx(error, rel=1e-6)
    assert (
        (found[0].prvs, found[0].parfactors) == (len(model.prvs), len(model.parfactors)) == (2, 1)
    )


def test_tolerances_that_make_no_sense_are_refused() -> None:
    graph = noisy_people(1)
    with pytest.raises(InputError, match="expected a tolerance below 1"):
        graph.query("Epid", tolerance=1)
    with pytest.raises(InputError, match="expected a factor graph to lift with a tolerance"):
        lg.lift(graph).query("Epid", tolerance="0.1")
    with pytest.raises(InputError, match="expected a factor graph to lift with tolerances"):
        lg.lift(graph).trade_off()


@given(noisy_graphs(), st.sampled_from(TOLERANCES), st.data())
def test_probabilities_are_within_their_bounds_and_never_called_exact(
    graph: FactorGraph, tolerance: str, data: st.DataObject
) -> None:
    evidence = {graph.name(v): graph.states(v)[s] for v, s in graph.evidence.items()}
    model = lg.lift(graph.observing({}), tolerance=tolerance).given(evidence)
    free = [name for name in graph.variables if name not in evidence]
    chosen = data.draw(st.lists(st.sampled_from(free or [""]), unique=True)) if free else []
    event = {name: data.draw(st.sampled_from(graph.states(name))) for name in chosen}
    try:
        right = graph.probability(event, exact=True, method="ground")
    except ZeroWeightError:
        return
    for asked, options in [(model, {}), (graph, {"tolerance": tolerance})]:
        found = asked.probability(event, method="lifted", **options)  # type: ignore[arg-type]
        if isinstance(found, Inexact):
            assert found.bounds is not None
            assert found.bounds[0] - 1e-12 <= right <= found.bounds[1] + 1e-12
            assert found.bounds[0] <= found + 1e-12
            assert found <= found.bounds[1] + 1e-12
        else:
            assert found == pytest.approx(float(right), rel=1e-9)
    if isinstance(model.probability(event, method="lifted"), Inexact):
        with pytest.raises(InputError, match="expected a model with exact answers"):
            model.probability(event, method="lifted", exact=True)


@pytest.mark.parametrize("people", [3, 12])
def test_events_of_few_and_of_many_variables_have_bounds(people: int) -> None:
    """Few are read off a joint distribution, and many are a ratio of total weights."""
    graph = lg.datasets.perturbed(lg.datasets.epid(people).ground(), "0.01", seed=3)
    model = lg.lift(graph, tolerance="0.05")
    event = {f"Sick.{i}": "true" for i in range(1, people + 1)}
    right = float(graph.probability(event))
    for asked, options in [(model, {}), (graph, {"tolerance": "0.05"})]:
        found = asked.probability(event, method="lifted", **options)  # type: ignore[arg-type]
        assert isinstance(found, Inexact)
        assert found.bounds is not None
        assert found.bounds[0] <= right <= found.bounds[1]
        assert found.bounds[0] < found < found.bounds[1]
        assert found != right
        assert found.method == "lifted"
        if found.bounds[1] == 1:  # log odds without an end
            assert asked is graph
            assert found.log_odds_bound == math.inf
            continue
        odds = [math.log(p) - math.log1p(-p) for p in (*found.bounds, found, right)]
        assert abs(odds[2] - odds[3]) <= found.log_odds_bound
        assert max(odds[1] - odds[2], odds[2] - odds[0]) <= found.log_odds_bound + 1e-9
        again = pickle.loads(pickle.dumps(found))
        assert (again, again.bounds, repr(again)) == (found, found.bounds, repr(found))
        assert f"{found}" == f"{found:.6g} [{found.bounds[0]:.6g}, {found.bounds[1]:.6g}]"


def test_numbers_of_a_count_have_bounds() -> None:
    graph = lg.datasets.perturbed(lg.datasets.epid(6).ground(), "0.01", seed=3)
    model = lg.lift(graph, tolerance="0.05")
    sick = lg.count([f"Sick.{i}" for i in range(1, 7)])
    near, right = model.query(sick, method="lifted"), graph.query(sick)
    assert near.log_odds_bound > 0
    for found, expected in [
        (near.mean, right.mean),
        (near.at_least(4), right.at_least(4)),
        (near.at_most(1), right.at_most(1)),
        (model.probability(sick >= 4, method="lifted"), right.at_least(4)),
    ]:
        assert isinstance(found, Inexact)
        assert found.bounds is not None
        assert found.bounds[0] < expected < found.bounds[1]
        assert found.bounds[0] < found < found.bounds[1]
    with pytest.raises(InputError, match="expected an exact distribution to take a quantile of"):
        near.quantile(0.5)
    with pytest.raises(InputError, match="expected a model with exact answers"):
        model.probability(sick >= 4, method="lifted", exact=True)


def test_an_expected_value_is_as_far_off_as_its_probabilities_may_be() -> None:
    """Of two states, 0 and 1, the expected value is the probability of 1, with its bounds."""
    p = np.array([0.75, 0.25])
    found = Marginal(("A",), (("0", "1"),), p, None, "lifted", math.log(3))
    assert isinstance(found.mean, Inexact)
    assert found.mean.bounds == pytest.approx((0.1, 0.5))
    interval = np.array([0.7, 0.2]), np.array([0.85, 0.4])
    within = Marginal(("A",), (("0", "1"),), p, None, "boxes", interval=interval)
    assert isinstance(within.mean, Inexact)
    assert within.mean.bounds == pytest.approx((0.2, 0.3))
    estimate = Marginal(("A",), (("0", "1"),), p, None, "walks", approximate=True)
    assert isinstance(estimate.mean, Inexact)
    assert estimate.mean.bounds is None
    assert repr(estimate.at_least(1)) == "0.25 (approximate: walks)"


def test_frames_of_answers_that_may_be_off_have_their_bounds() -> None:
    graph = noisy_people(1)
    model = lg.lift(graph, tolerance="0.01")
    marginal, every = model.query("Epid", method="lifted"), model.marginals(method="lifted")
    frame = marginal.to_frame()
    assert frame["least"].tolist() == marginal.bounds[0].tolist()
    assert frame["most"].tolist() == marginal.bounds[1].tolist()
    assert "log odds off by up to 0.02" in marginal.to_pandas().name
    frame = every.to_frame()
    for name, found in every.items():
        rows = frame[frame["variable"] == name]
        assert rows["least"].tolist() == found.bounds[0].tolist()
        assert rows["most"].tolist() == found.bounds[1].tolist()
    sick = model.marginals("Sick", method="lifted")
    frame = sick.to_frame()
    assert frame["least P(Sick=true)"].tolist() == [one.bounds[0][0] for one in sick.values()]
    assert frame["most P(Sick=false)"].tolist() == [one.bounds[1][1] for one in sick.values()]
    assert "least" not in graph.query("Epid").to_frame()
    assert graph.query("Epid").to_pandas().name == "probability"


def test_tables_have_no_bounds_so_their_rows_are_answered_exactly() -> None:
    """Also those of models so large that exact ones are not grounded."""
    people = 6000
    builder = FactorGraphBuilder()
    builder.add_variables(["Epid", *[f"Sick.{i}" for i in range(people)]])
    for i in range(people):
        builder.add_factor([f"Sick.{i}", "Epid"], [[30000, 10000 + i % 9], [10000, 50000]])
    graph = builder.build()
    model = lg.lift(graph, tolerance="0.01")
    assert model.log_odds_bound > 0.1
    table = {"Sick.8": ["true", "false"], "Sick.9": [None, "true"]}
    right, found = (one.log_likelihood(table, by_row=True) for one in (graph, model))
    assert found == pytest.approx(right, abs=1e-9)
    right, found = (one.predict(table, "Sick.7") for one in (graph, model))
    assert found["P(Sick.7=true)"] == pytest.approx(right["P(Sick.7=true)"], abs=1e-9)
    with pytest.raises(InputError, match=r"expected an exact answer for each row.*model\.ground"):
        model.predict(table, "Sick.7", method="lifted")


@pytest.mark.parametrize("bound", [0.0, 0.01, 3.0])
def test_bounds_are_where_the_log_odds_are_off_by_the_bound(bound: float) -> None:
    p = np.array([[0.1, 0.2, 0.05], [0.15, 0.3, 0.2]])
    states = ("a", "b"), ("c", "d", "e")
    found = Marginal(("A", "B"), states, p, None, "lifted", bound)
    for limit, sign in zip(found.bounds, (-1, 1), strict=True):
        expected = 1 / (1 + (1 - p) / p * math.exp(-sign * bound))
        assert limit == pytest.approx(expected, rel=1e-12)


def test_bounds_do_not_lose_what_is_rare() -> None:
    """In floats 1 - 1e-20 is 1, and still it is not certain if log odds may be off by 50."""
    p = np.array([1e-20, 1.0, 0.0])
    rare = Marginal(("A",), (("a", "b", "c"),), p, None, "lifted", 50.0)
    least, most = rare.bounds
    assert least[1] == pytest.approx(1 / (1 + 1e-20 * math.exp(50)))
    assert most[0] == pytest.approx(1 / (1 + 1e20 * math.exp(-50)))
    assert (least[2], most[2]) == (0, 0)
    line = repr(rare).splitlines()[1]
    assert line.endswith(f"[{least[0]:.6g}, {most[0]:.6g}]")


def test_trade_off_measures_the_worst_of_several_variables() -> None:
    graph = noisy_people(2)
    errors = [
        graph.trade_off(["0.02"], variables=names)[0].error
        for names in (["Epid"], ["Sick.0"], ["Epid", "Sick.0"], ["Sick.0", "Epid"])
    ]
    assert errors[0] is not None
    assert errors[1] is not None
    assert errors[0] != errors[1]
    assert errors[2] == errors[3] == max(errors[0], errors[1])


def test_trade_off_leaves_out_what_is_impossible_anyway() -> None:
    builder = FactorGraphBuilder()
    builder.add_variable("Epid", 3)
    builder.add_variables([f"Sick.{i}" for i in range(4)])
    for i in range(4):
        builder.add_factor([f"Sick.{i}", "Epid"], [[3000, 1000 + i, 0], [1000, 5000, 0]])
    (found,) = builder.build().trade_off(["0.02"], variables=["Epid"])
    assert found.error is not None
    assert 0 < found.error < found.log_odds_bound


def test_a_table_of_its_own_is_in_the_order_of_its_group() -> None:
    """Arguments in cyclic order: what takes them there is not what brings them back."""
    first = np.arange(1000, 25000, 1000).reshape(2, 3, 4)
    near = first.copy()
    near[1, 2, 3] += 7
    builder = FactorGraphBuilder()
    for name, size in (("A", 2), ("B", 3), ("C", 4), ("D", 4), ("E", 4)):
        builder.add_variable(name, size)
    builder.add_factor(["A", "B", "C"], first)
    builder.add_factor(["C"], [1, 2, 3, 5])
    for name in "DE":
        builder.add_factor([name, "A", "B"], near.transpose(2, 0, 1))
    graph = builder.build()
    model = lg.lift(graph, tolerance="0.01")
    assert model.log_odds_bound == 0
    assert model.ground() == graph
    for name in "AD":
        exact = graph.query(name, exact=True, method="ground").exact
        assert model.query(name, exact=True, method="lifted").exact == exact


def test_a_table_less_symmetric_than_its_representative_is_only_near_to_it() -> None:
    """Its arguments were grouped as if they could be exchanged, so that costs something."""
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "C", "D", "E", "F", "G"])
    builder.add_factor(["A", "C"], [[1000, 2000], [2000, 4000]])
    builder.add_factor(["A"], [1, 5])
    for scope in (["D", "E"], ["F", "G"]):
        builder.add_factor(scope, [[1000, 2009], [2000, 4000]])
    graph = builder.build()
    found = graph.marginals(tolerance="0.01", method="lifted", exact=True)
    right = graph.marginals(method="ground", exact=True)
    assert found["D"].exact == found["E"].exact
    for name in "ACDEFG":
        off = log_odds(found[name].exact["true"]) - log_odds(right[name].exact["true"])
        assert abs(off) <= found.log_odds_bound + 1e-9
