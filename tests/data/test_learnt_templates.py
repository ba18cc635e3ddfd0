"""Rules of templates learnt from tables, against loops over their rows and networks of rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import EM, BDeu, InputError
from liftgraph.model.lifted.parfactor_graph import as_graph

PERSON = lg.Domain("person")
X, Y = lg.LogVar("X", PERSON), lg.LogVar("Y", PERSON)
EPID = lg.prv("Epid", states=["low", "high"])
SICK, RESTS = lg.prv("Sick", X), lg.prv("Rests", X, states=["no", "some", "much"])
CAUGHT = lg.prv("Caught", X, Y, where=lg.different(X, Y))
MET = lg.relation("met", "X", "Y")
NAMES = ["ann", "bob", "eve", "joe"]
STATES = {"Sick": ["true", "false"], "Rests": ["no", "some", "much"], "Epid": ["low", "high"]}
People = dict[str, tuple[str | None, str | None]]
UNKNOWN = lg.Template([lg.rule([EPID]), lg.rule([EPID, SICK]), lg.rule([SICK, RESTS])])


@st.composite
def people(draw: st.DrawFn, complete: bool = False) -> People:
    gap: st.SearchStrategy[None] = st.nothing() if complete else st.none()
    states = (gap | st.sampled_from(STATES[name]) for name in ("Sick", "Rests"))
    rows = st.lists(st.tuples(*states), min_size=len(NAMES), max_size=len(NAMES))
    return dict(zip(NAMES, draw(rows), strict=True))


def evidence(observed: People, epid: str | None = None) -> dict[str, Any]:
    given: dict[str, Any] = {
        name: {"X": [*observed], "value": [values[place] for values in observed.values()]}
        for place, name in enumerate(("Sick", "Rests"))
    }
    return given if epid is None else {**given, "Epid": epid}


@given(people(), st.sampled_from(STATES["Epid"]), st.sampled_from([0, "1/2", BDeu(3)]))
def test_rules_count_all_rows_for_which_they_hold(observed: People, epid: str, prior: Any) -> None:
    learnt = UNKNOWN.learn({"person": NAMES}, evidence=evidence(observed, epid), prior=prior)
    pairs = {
        1: [(epid, sick) for sick, _ in observed.values() if sick],
        2: [(sick, rests) for sick, rests in observed.values() if sick and rests],
    }
    for place, (above, child) in {1: ("Epid", "Sick"), 2: ("Sick", "Rests")}.items():
        counted, table = Counter(pairs[place]), learnt.template.rules[place].parfactor.table
        entries = len(STATES[above]) * len(STATES[child])
        added = Fraction(3, entries) if isinstance(prior, BDeu) else Fraction(prior)
        for (i, first), (j, second) in product(enumerate(STATES[above]), enumerate(STATES[child])):
            row = [counted[first, state] + added for state in STATES[child]]
            expected = (counted[first, second] + added) / sum(row) if sum(row) else None
            assert table.potential((i, j)) == (expected or Fraction(expected is None, len(row)))
        (rows,) = learnt.rules[place].rows
        assert (rows.used, rows.used + rows.skipped) == (len(pairs[place]), len(NAMES))


@settings(max_examples=25)
@given(people(), st.integers(0, 5))
def test_individuals_that_share_nothing_are_rows(observed: People, seed: int) -> None:
    """A template about separate people is a network of which each person is a row."""
    template = lg.Template([lg.rule([SICK]), lg.rule([SICK, RESTS])])
    settings = EM(seed=seed, tolerance=1e-9)
    learnt = template.learn({"person": NAMES}, evidence=evidence(observed), missing=settings)
    columns = zip(*observed.values(), strict=True)
    rows = dict(zip(("Sick", "Rests"), map(list, columns), strict=True))
    network = lg.learn_bayesian_network(
        [("Sick", "Rests")],
        rows,
        states={name: STATES[name] for name in rows},
        missing=settings,
    )
    assert network.best_run is not None
    assert learnt.best_run is not None
    assert learnt.best_run.objectives == pytest.approx(network.best_run.objectives, abs=1e-9)
    for rule, name in zip(learnt.template.rules, ("Sick", "Rests"), strict=True):
        table, other = rule.parfactor.table, network.graph.cpd(name).table
        assert table.measured == other.measured
        for place in product(*map(range, table.shape)):
            exactly = float(other.potential(place))
            assert float(table.potential(place)) == pytest.approx(exactly, abs=1e-9)


def log_probability(template: lg.Template, given: dict[str, Any], relations: Any = None) -> float:
    """The logarithm of the probability of evidence, by two queries."""
    domains = {"person": NAMES}
    observed = as_graph(template.instantiate(domains, relations, given))
    return observed.partition().log_z - observed.observing({}).partition().log_z


@settings(max_examples=25)
@given(people(), st.none() | st.sampled_from(STATES["Epid"]), st.sampled_from([0, 1]))
def test_what_people_share_is_completed_too(observed: People, epid: str | None, prior: int) -> None:
    given = evidence(observed, epid)
    learnt = UNKNOWN.learn(
        {"person": NAMES}, evidence=given, prior=prior, missing=EM(iterations=20)
    )
    run = learnt.best_run
    assert run is not None
    for before, after in zip(run.objectives, run.objectives[1:], strict=False):
        assert after >= before - 1e-9
    assert run.log_likelihoods[-1] == pytest.approx(
        log_probability(learnt.template, given), abs=1e-7
    )


def test_rules_over_relations_and_known_rules_that_weigh_causes() -> None:
    """Friends resemble each other, by known potentials; how often the sick rest is learnt."""
    template = lg.Template(
        [
            lg.rule([SICK(X), SICK(Y)], [3, 1, 1, 2], over=MET(X, Y)),
            lg.rule([SICK, RESTS]),
            lg.rule([SICK(X), CAUGHT(X, Y)], over=MET(X, Y)),
        ]
    )
    relations = {"met": {"X": ["ann", "bob", "eve"], "Y": ["bob", "eve", "joe"]}}
    observed: People = {"ann": ("true", "much"), "bob": (None, "no"), "joe": ("false", None)}
    given = evidence(observed)
    given["Caught"] = {"X": ["ann", "bob"], "Y": ["bob", "eve"], "value": [True, False]}
    learnt = template.learn({"person": NAMES}, relations, given, missing=EM(restarts=1))
    assert learnt.template.rules[0] == template.rules[0]
    assert len(learnt.runs) == 2
    assert learnt.best_run is not None
    assert learnt.best_run.log_likelihoods[-1] == pytest.approx(
        log_probability(learnt.template, given, relations), abs=1e-7
    )


@settings(max_examples=25)
@given(people(), st.none() | st.sampled_from(STATES["Epid"]), st.lists(st.booleans(), max_size=3))
def test_variables_without_a_rule_are_uniform(
    observed: People, epid: str | None, met: list[bool]
) -> None:
    """Nothing says how Epid is distributed, nor who nobody was met by, nor if somebody rests."""
    template = lg.Template([lg.rule([SICK(X), EPID, SICK(Y)], over=MET(X, Y))], prvs=[RESTS])
    pairs = [pair for pair, is_there in zip(pairwise(NAMES), met, strict=False) if is_there]
    relations = {"met": {"X": [first for first, _ in pairs], "Y": [last for _, last in pairs]}}
    given = evidence(observed, epid)
    settings = EM(iterations=20, restarts=1)
    learnt = template.learn({"person": NAMES}, relations, given, missing=settings)
    assert learnt.best_run is not None
    assert learnt.best_run.log_likelihoods[-1] == pytest.approx(
        log_probability(learnt.template, given, relations), abs=1e-7
    )


def test_observations_that_known_rules_forbid_are_refused() -> None:
    """Nobody is sick in a low epidemic, and all are: no distribution of Rests helps."""
    never = lg.rule([EPID, SICK], [0, 1, "1/2", "1/2"], child=SICK)
    apart = lg.rule([SICK(X), SICK(Y)], [0, 1, 1, 0], where=lg.different(X, Y))
    everybody = evidence(dict.fromkeys(NAMES, ("true", None)), "low")
    for rules, seen in (
        ([lg.rule([EPID]), never, lg.rule([SICK, RESTS])], everybody),
        ([apart, lg.rule([SICK, RESTS])], evidence({"ann": (None, "no")})),
    ):
        with pytest.raises(lg.ZeroWeightError, match="nothing is possible"):
            lg.Template(rules).learn({"person": NAMES}, evidence=seen, missing=EM())


def test_a_relation_without_rows_gives_no_distributions() -> None:
    """Who is sick has a distribution if somebody was met, and none otherwise."""
    rules = [lg.rule([RESTS]), lg.rule([RESTS(X), SICK(Y)], over=MET(X, Y))]
    given = evidence({"ann": ("true", "much"), "bob": ("false", "no")})
    both = {"met": {"X": ["ann"], "Y": ["bob"]}}
    template = lg.Template(rules).learn(relations=both, evidence=given, prior=1).template
    nobody = template.instantiate({"person": 3}, {"met": {"X": [], "Y": []}})
    assert nobody.query("Sick.2", exact=True)["true"] == pytest.approx(0.5)
    with pytest.raises(InputError, match="expected a distribution of Sick given its parents"):
        nobody.do({"Rests.1": "no"})


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (
            [lg.rule([SICK]), lg.rule([EPID, SICK])],
            "one distribution of Sick.ann, got two",
        ),
        ([lg.rule([SICK]), lg.rule([SICK], [1, 3])], "no other rule to weigh Sick.ann, .* on Sick"),
        ([lg.rule([SICK, EPID])], "expected one distribution of Epid, got two"),
        (
            [lg.rule([SICK(X), SICK(Y)], where=lg.unordered(X, Y), over=MET(X, Y))],
            "a rule to learn: expected ≠ on its logvars, got an unordered set",
        ),
    ],
)
def test_rules_that_make_no_distribution_are_refused(rules: Any, problem: str) -> None:
    template = lg.Template(rules)
    met = {"met": {"X": ["ann"], "Y": ["bob"]}}
    with pytest.raises(InputError, match=problem):
        template.learn({"person": NAMES}, met if template.relations else {})


def test_a_rule_without_arguments_has_nothing_to_learn() -> None:
    with pytest.raises(InputError, match="expected at least one argument, got none"):
        lg.rule([])


def test_the_child_may_be_any_argument_and_is_kept() -> None:
    """The learnt rule is a mechanism, which interventions cut."""
    given = evidence({"ann": ("true", "much"), "bob": ("false", "no"), "eve": ("true", "some")})
    first = lg.Template([lg.rule([SICK]), lg.rule([RESTS, SICK], child=RESTS)])
    last = lg.Template([lg.rule([SICK]), lg.rule([SICK, RESTS])])
    tables = []
    for template, child in ((first, 0), (last, 1)):
        learnt = template.learn({"person": 3}, prior=1)
        assert learnt.template.rules[1].parfactor.child == child
        learnt = template.learn(evidence=given, prior=1)
        tables.append(learnt.template.rules[1].parfactor.table)
        model = learnt.template.instantiate({"person": 5})
        asked = model.query("Sick.1", do={"Rests.1": "much"}, exact=True)
        assert asked.exact == model.query("Sick.1", exact=True).exact
    for sick, rests in product(range(2), range(3)):
        assert tables[0].potential((rests, sick)) == tables[1].potential((sick, rests))


def test_a_table_of_pseudo_counts_has_the_child_last() -> None:
    """Wherever the child is among the arguments."""
    first = lg.Template([lg.rule([SICK]), lg.rule([RESTS, SICK], child=RESTS)])
    for missing in ("skip", EM()):
        learnt = first.learn(
            {"person": NAMES}, prior={"Rests": [[1, 2, 3], [4, 0, 4]]}, missing=missing
        )
        table = learnt.template.rules[1].parfactor.table
        assert [table.potential((rests, 0)) for rests in range(3)] == [
            Fraction(1, 6),
            Fraction(1, 3),
            Fraction(1, 2),
        ]
        assert table.potential((1, 1)) == 0


@pytest.mark.parametrize(
    "potentials", [[1, 10**400], ["1e-400", "3e-400"], [0, "1e-400"], ["5e-324", "1e-320"]]
)
def test_known_potentials_may_be_of_any_size(potentials: Any) -> None:
    """Only their ratios matter; as floats they might be infinite or zero."""
    template = lg.Template([lg.rule([SICK], potentials), lg.rule([SICK, RESTS])])
    given = evidence({"ann": (None, "no"), "bob": ("false", "much"), "eve": (None, None)})
    learnt = template.learn({"person": NAMES}, evidence=given, missing=EM())
    assert learnt.best_run is not None
    assert learnt.best_run.log_likelihoods[-1] == pytest.approx(
        log_probability(learnt.template, given), abs=1e-7
    )


@pytest.mark.parametrize("known", [False, True])
def test_distributions_of_some_variables_of_a_prv(known: bool) -> None:
    """Whom others know has one; oneself, none or another. Such models have no arrows."""
    knows = lg.prv("Knows", X, Y)
    half = ["0.5"] * 4 if known else None
    others = lg.rule([SICK(X), knows(X, Y)], half, where=lg.different(X, Y), child=knows(X, Y))
    own = lg.rule([knows(X, X)])
    seen = {"X": ["ann", "ann", "bob"], "Y": ["bob", "ann", "eve"], "value": [True, False, True]}
    given = {"Sick": {"X": ["ann"], "value": [True]}, "Knows": seen}
    for rules in ([others], [others, own]):
        template = lg.Template([lg.rule([SICK]), *rules])
        learnt = template.learn({"person": NAMES}, evidence=given, missing=EM())
        assert learnt.best_run is not None
        assert learnt.best_run.log_likelihoods[-1] == pytest.approx(
            log_probability(learnt.template, given), abs=1e-7
        )
        with pytest.raises(InputError, match="not a parametric causal factor graph"):
            learnt.template.instantiate({"person": 3}).do({"Knows.1.2": "true"})


def test_relations_that_happen_to_have_all_rows() -> None:
    """Two people who met each other are all pairs, but the rule has one row for each of them."""
    template = lg.Template([lg.rule([RESTS]), lg.rule([RESTS(X), SICK(Y)], over=MET(X, Y))])
    both = {"met": {"X": ["ann", "bob"], "Y": ["bob", "ann"]}}
    given = evidence({"ann": ("true", None), "bob": ("false", "no")})
    learnt = template.learn(None, both, given, missing=EM())
    model = as_graph(learnt.template.instantiate(None, both, given))
    assert learnt.best_run is not None
    assert learnt.best_run.log_likelihoods[-1] == pytest.approx(
        model.partition().log_z - model.observing({}).partition().log_z, abs=1e-7
    )


def test_known_mechanisms_and_unknown_ones_go_together() -> None:
    known = lg.rule([EPID, SICK], [["0.5", "0.5"], ["0.9", "0.1"]], child=SICK)
    learnt = lg.Template([lg.rule([EPID]), known, lg.rule([SICK, RESTS])]).learn(
        {"person": NAMES}, evidence={"Epid": "high"}, prior=1
    )
    assert learnt.template.rules[1] == known
    with pytest.raises(InputError, match="child=… says that it is a distribution, too"):
        lg.Template([lg.rule([EPID]), lg.rule([EPID, SICK], [1, 1, 1, 3])]).learn({"person": NAMES})


def test_rows_that_make_a_cycle_are_refused() -> None:
    template = lg.Template([lg.rule([SICK(X), SICK(Y)], over=MET(X, Y))])
    circle = {"met": {"X": ["ann", "bob"], "Y": ["bob", "ann"]}}
    with pytest.raises(InputError, match="expected causes before effects"):
        template.learn({"person": ["ann", "bob"]}, circle, {}, missing=EM())
    with pytest.raises(InputError, match="expected causes before effects"):
        template.learn({"person": ["ann", "bob"]}, circle, {})


def test_a_template_without_potentials_is_not_instantiated(tmp_path: Any) -> None:
    with pytest.raises(InputError, match="expected potentials of the rule on Epid: learn them"):
        UNKNOWN.instantiate({"person": 3})
    with pytest.raises(InputError, match="expected potentials of the rule on Epid: learn them"):
        UNKNOWN.write(tmp_path / "model", {"person": 3})


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"missing": "em"}, "missing: expected 'skip' or"),
        ({"prior": {"Nothing": 1}}, "prior: expected a variable, got Nothing"),
        ({"prior": 0.5}, "prior: expected integers"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        UNKNOWN.learn({"person": NAMES}, evidence={}, **options)


def test_a_template_with_all_potentials_stays_as_it_is() -> None:
    template = lg.Template([lg.rule([SICK], [1, 3])])
    learnt = template.learn({"person": NAMES})
    assert learnt.template == template
    assert learnt.rules == ()


def test_what_was_learnt_is_the_same_for_any_number_of_people() -> None:
    """Learnt from two, asked about a million."""
    template = lg.Template([lg.rule([EPID], [1, 1]), lg.rule([EPID, SICK])])
    given = {"Epid": "high", "Sick": {"X": ["ann", "bob"], "value": [True, False]}}
    learnt = template.learn({"person": ["ann", "bob"]}, evidence=given, prior=1)
    model = learnt.template.instantiate({"person": 10**6})
    assert model.query("Sick.1", given={"Epid": "high"}, exact=True).fractions is not None
    assert "1 rule: relative frequencies given the other arguments, 1 added" in str(learnt)
    assert "<pre>" in learnt._repr_html_()
