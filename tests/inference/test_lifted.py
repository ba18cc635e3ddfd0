"""Lifted elimination against enumeration, against ground elimination, and against theory."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.compression import LIFTED
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.tensor import evaluation
from liftgraph.inference.weight import log_weight, weight
from liftgraph.io import uai
from liftgraph.model.answers.answer import Answer
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.relational import families, pairs_beside_counts, relational_models, shuffled
from tests.strategies import factor_graphs

CLOSE = 1e-9
COMPETITION = Path(__file__).parents[3] / "shared" / "data" / "uai2014"


def lifted_plan(model: lg.ParfactorGraph, query: Query, **options: Any) -> LiftedPlan:
    planned = methods.plan(model, query, method="lifted", **options)
    assert isinstance(planned, LiftedPlan)
    return planned


def lifted(model: lg.ParfactorGraph, query: Query, given: dict[str, str]) -> Answer:
    return lifted_plan(model, query, given=given).run()


@st.composite
def cases(draw: st.DrawFn, places: int) -> tuple[lg.ParfactorGraph, dict[str, str], list[str]]:
    """A model, evidence on some of its variables, and some variables to ask for."""
    model = draw(relational_models(places))
    graph = model.ground()
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    assume(names)
    observed = draw(st.lists(st.sampled_from(names), unique=True, max_size=4))
    evidence = {
        name: draw(st.sampled_from(graph.states(graph.variable(name)))) for name in observed
    }
    asked = draw(st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=3))
    return model, evidence, asked


def assert_like_enumeration(
    model: lg.ParfactorGraph, evidence: dict[str, str], asked: list[str]
) -> None:
    """All kinds of questions: exact answers are equal, floats are close."""
    graph = model.ground().given(evidence)
    try:
        expected = cast(lg.Partition, brute_force(graph, Query("partition")))
    except lg.ZeroWeightError:
        for kind in ("partition", "marginals", "explanation"):
            with pytest.raises(lg.ZeroWeightError):
                lifted(model, Query(kind), evidence)
        return
    exact = cast(lg.Partition, lifted(model, Query("partition", exact=True), evidence))
    assert exact.z == expected.z
    floats = cast(lg.Partition, lifted(model, Query("partition"), evidence))
    assert floats.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)
    assert_same_marginals(model, graph, evidence, asked)
    assert_explained(model, graph, evidence)


def assert_same_marginals(
    model: lg.ParfactorGraph, graph: lg.FactorGraph, evidence: dict[str, str], asked: list[str]
) -> None:
    expected = cast(lg.Marginals, brute_force(graph, Query("marginals")))
    exact = cast(lg.Marginals, lifted(model, Query("marginals", exact=True), evidence))
    floats = cast(lg.Marginals, lifted(model, Query("marginals"), evidence))
    assert list(exact) == list(floats) == list(expected)
    for name in expected:
        assert exact[name].exact == expected[name].exact
        close = np.allclose(
            floats[name].probabilities, expected[name].probabilities, rtol=CLOSE, atol=0
        )
        assert close
    joint = cast(lg.Marginal, brute_force(graph, Query("marginal", tuple(asked))))
    exactly = cast(lg.Marginal, lifted(model, Query("marginal", tuple(asked), True), evidence))
    roughly = cast(lg.Marginal, lifted(model, Query("marginal", tuple(asked)), evidence))
    assert exactly.exact == joint.exact
    assert exactly.variables == roughly.variables == joint.variables
    assert np.allclose(roughly.probabilities, joint.probabilities, rtol=CLOSE, atol=0)
    for answer in (exact, floats):
        assert answer.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)


def assert_explained(
    model: lg.ParfactorGraph, graph: lg.FactorGraph, evidence: dict[str, str]
) -> None:
    best = cast(lg.Assignment, brute_force(graph, Query("explanation")))
    exact = cast(lg.Assignment, lifted(model, Query("explanation", exact=True), evidence))
    floats = cast(lg.Assignment, lifted(model, Query("explanation"), evidence))
    assert exact.weight == best.weight == weight(graph, exact.states)
    assert log_weight(graph, floats.states) == pytest.approx(best.log_weight, rel=CLOSE, abs=CLOSE)
    assert floats.log_weight == pytest.approx(best.log_weight, rel=CLOSE, abs=CLOSE)
    for answer in (exact, floats):
        assert all(answer.states[v] == state for v, state in graph.evidence.items())
        named = [graph.states(v)[state] for v, state in enumerate(answer.states)]
        assert list(answer.values()) == named


@settings(max_examples=250)
@given(cases(places=2))
def test_small_models_are_answered_like_enumeration(
    case: tuple[lg.ParfactorGraph, dict[str, str], list[str]],
) -> None:
    assert_like_enumeration(*case)


@settings(max_examples=250)
@given(cases(places=3))
def test_models_with_three_logvars_are_answered_like_enumeration(
    case: tuple[lg.ParfactorGraph, dict[str, str], list[str]],
) -> None:
    assert_like_enumeration(*case)


@settings(max_examples=40)
@given(pairs_beside_counts())
def test_counts_that_share_variables_become_one(model: lg.ParfactorGraph) -> None:
    try:
        expected = cast(lg.Partition, brute_force(model.ground(), Query("partition")))
    except lg.ZeroWeightError:
        assume(False)
    assert cast(lg.Partition, lifted(model, Query("partition", exact=True), {})).z == expected.z


@settings(max_examples=150)
@given(factor_graphs())
def test_any_graph_is_answered_like_enumeration(graph: lg.FactorGraph) -> None:
    """Zeros, mixed ranges, scales, floats and evidence; lifting finds what symmetry there is."""
    assert_lifted_like_enumeration(graph)


@settings(max_examples=150)
@given(st.data())
def test_scaled_and_permuted_models_are_answered_like_enumeration(data: st.DataObject) -> None:
    """Variables, factors and arguments in any order, each factor scaled: α-ACP finds the model."""
    graph = data.draw(shuffled(data.draw(relational_models()).ground()))
    if graph.variable_count:
        variable = data.draw(st.integers(0, graph.variable_count - 1))
        states = graph.states(variable)
        graph = graph.given({variable: data.draw(st.sampled_from(states))})
    assert_lifted_like_enumeration(graph)


def assert_lifted_like_enumeration(graph: lg.FactorGraph) -> None:
    try:
        expected = cast(lg.Marginals, brute_force(graph, Query("marginals")))
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            graph.partition(method="lifted")
        return
    z = cast(lg.Partition, brute_force(graph, Query("partition"))).z
    assert graph.partition(exact=True, method="lifted").z == z
    exact = graph.marginals(exact=True, method="lifted")
    floats = graph.marginals(method="lifted")
    for name in expected:
        assert exact[name].exact == expected[name].exact
        truth = expected[name].probabilities
        assert np.allclose(floats[name].probabilities, truth, rtol=CLOSE, atol=1e-300)
    best = cast(lg.Assignment, brute_force(graph, Query("explanation"))).weight
    found = graph.mpe(exact=True, method="lifted")
    assert found.weight == best == weight(graph, found.states)


@settings(max_examples=100)
@given(cases(places=2), st.sampled_from(["partition", "marginals", "explanation"]), st.booleans())
def test_what_is_planned_is_run(
    case: tuple[lg.ParfactorGraph, dict[str, str], list[str]], kind: Any, exact: bool
) -> None:
    model, evidence, _ = case
    try:
        planned = lifted_plan(model, Query(kind, exact=exact), given=evidence)
    except lg.ZeroWeightError:
        return
    text, done = str(planned), list[str]()
    assert text.startswith("lifted variable elimination")
    with pytest.MonkeyPatch.context() as patch:

        def value_of(semiring: Any, tensor: Any, *rest: Any) -> Any:
            done.extend([tensor.operator] if tensor.operands else [])
            return compute(semiring, tensor, *rest)

        compute = evaluation.value_of
        patch.setattr(evaluation, "value_of", value_of)
        try:
            planned.run()
        except lg.ZeroWeightError:
            return
    assert done == planned.operators


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("number", range(34))
def test_families_are_answered_like_ground(n: int, number: int) -> None:
    listed = list(families(n))
    if number >= len(listed):
        pytest.skip("there are fewer families of so few individuals")
    _, model = listed[number]
    graph = model.ground()
    for evidence in ({}, {graph.name(0): graph.states(0)[0]}):
        ground = graph.marginals(given=evidence, exact=True, method="ground")
        exact = model.marginals(given=evidence, exact=True, method="lifted")
        assert exact.log_z == pytest.approx(ground.log_z, rel=CLOSE)
        assert all(exact[name].exact == ground[name].exact for name in ground)
        best = graph.mpe(given=evidence, exact=True, method="ground")
        assert model.mpe(given=evidence, exact=True, method="lifted").weight == best.weight


# Per person, what is counted here depends on others' states elsewhere; blocks are counted twice.
NOT_LIFTED = {"transitivity", "friends in common", "counting friends", "unordered blocks"}


@pytest.mark.parametrize("n", [4, 50])
def test_families_need_no_grounding(n: int) -> None:
    for name, model in families(n):
        if name not in NOT_LIFTED:
            assert not told_apart(lifted_plan(model, Query("partition"))), name


@settings(max_examples=200)
@given(relational_models())
def test_two_logvars_need_no_grounding(model: lg.ParfactorGraph) -> None:
    for parfactor in model.parfactors:
        if len(parfactor.logvars) > 2 or parfactor.counted or not parfactor.table.integers.any():
            return  # by far not all are
    assert not told_apart(lifted_plan(model, Query("partition")))


def told_apart(planned: LiftedPlan) -> dict[str, str]:
    """The domains whose individuals are told apart, and why, as the plan says it."""
    rows = [line.split(maxsplit=2) for line in str(planned).splitlines()]
    return {row[1]: row[2] for row in rows if row[0] == "ground"}


def test_what_is_told_apart_is_said_and_why() -> None:
    model = dict(families(4))["transitivity"]
    assert told_apart(lifted_plan(model, Query("partition"))) == {
        "X": "4 individuals: in φ(F(X, X'), F(X', X''), F(X, X'')), X cannot be counted, because"
        " F(X, X') and F(X, X'') do not have the same other logvars; F(X, X') cannot be summed out,"
        " because one factor has it for 3 different pairs of individuals"
    }
    large = dict(families(200))["transitivity"]
    with pytest.raises(lg.MemoryLimitError, match=r"all 200 of X are told apart, since in φ\(F\(X"):
        large.partition()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("friends in common", "X cannot be counted, because F(X, X') is counted over X' already"),
        ("friends in common", "summed out, because it is counted in #X'[F(X, X')]"),
        ("counting friends", "because #X'[F(X, X')] is counted for every X"),
        ("counting friends", "because X would have to be counted before in φ(F(X, X'), S(X'))"),
        (
            "counted over one logvar here, over another there",
            "#M[T(X, M)] and #X[T(X, M)] count the same variables in two ways",
        ),
        ("one's own friends", "#Y[U(X, Y)] counts an unordered set once for each of its members"),
        ("all pairs but some", "#M,X[W(M, X)] counts over 2 logvars but leaves individuals out"),
        ("too many orders", "{X0, X1, X2, X3, X4, X5, X6} have 5,040 orders, more than the 720"),
    ],
)
def test_reasons_name_what_is_in_the_way(name: str, reason: str) -> None:
    model = {**dict(families(4)), **dict(peculiar_models()), **dict(hard_models())}[name]
    assert any(
        reason in told for told in told_apart(lifted_plan(model, Query("partition"))).values()
    )


def hard_models() -> Iterator[tuple[str, lg.ParfactorGraph]]:
    """Models whose parfactors cannot be split without telling individuals apart."""
    M, W = lg.LogVar("M", 2), lg.prv("W", lg.LogVar("M", 2), X)
    counted = lg.crv(W(M, X), M, X, where=lg.different(X, Z))
    apart = lg.different(X, Z)
    yield "all pairs but some", case_of(lg.parfactor([counted, A(Z)], range(1, 11), apart))
    first = lg.LogVar("X0", 7)
    logvars = [first, *(lg.LogVar(f"X{i}", first) for i in range(1, 7))]
    S = lg.prv("S", first)
    by_count = np.indices((2,) * 7).sum(axis=0) + 1
    everyone = lg.parfactor([S(v) for v in logvars], by_count, lg.unordered(*logvars))
    yield "too many orders", case_of(everyone)


def assert_short(message: str) -> None:
    assert "\n" not in message
    assert len(textwrap.wrap(message, 100)) <= 5


def test_refusals_are_short() -> None:
    """Seven domains are split or told apart; three are named."""
    domains = [lg.LogVar(f"D{i}", 300) for i in range(6)]
    seen = [lg.prv(f"P{i}", logvar) for i, logvar in enumerate(domains)]
    X = lg.LogVar("X", 300)
    Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
    F = lg.prv("F", X, Y, where=lg.different(X, Y))
    transitive = lg.parfactor([F, F(Y, Z), F(X, Z)], range(1, 9), lg.different(X, Y, Z))
    model = case_of(transitive, *(lg.parfactor([prv], [1, 2]) for prv in seen))
    given_ = {f"P{i}.1": "true" for i in range(6)}
    with pytest.raises(lg.MemoryLimitError, match="all 300 of X are told apart, since") as refusal:
        model.partition(given=given_, method="lifted")
    assert "D0 is split into 2 parts" in str(refusal.value)
    assert "D2" not in str(refusal.value)
    assert str(refusal.value).endswith("; so are 4 more domains")
    assert_short(str(refusal.value))


def test_refusals_stay_short_if_tables_are_wide() -> None:
    X = lg.LogVar("X", 30)
    Y = lg.LogVar("Y", X)
    states = [lg.prv(f"a_variable_with_quite_a_long_name_{i}", X) for i in range(3)]
    apart = lg.different(X, Y)
    pairs = itertools.product(states, repeat=2)
    linked = [lg.parfactor([one(X), two(Y)], [1, 2, 3, 4], apart) for one, two in pairs]
    with pytest.raises(lg.MemoryLimitError, match="the largest table has") as refusal:
        case_of(*linked).partition(memory_limit=2**20, method="lifted")
    assert_short(str(refusal.value))


X = lg.LogVar("X", 3)
Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
A = lg.prv("A", X)


def case_of(*parfactors: lg.Parfactor) -> lg.ParfactorGraph:
    return lg.ParfactorGraph.of(parfactors)


def peculiar_models() -> Iterator[tuple[str, lg.ParfactorGraph]]:
    """Models that once were answered wrongly, or not at all."""
    pair, apart = lg.unordered(X, Y), lg.different(X, Y)
    yield (
        "an unordered pair and no other table",
        case_of(lg.parfactor([A(X), A(Y)], [1, 2, 2, 5], pair)),
    )
    owned = lg.prv("O", X, Y, Z, where=pair)
    yield "a pair and one of it", case_of(lg.parfactor([owned(X, Y, Y)], [1, 3], apart))
    M = lg.LogVar("M", 2)
    N = lg.LogVar("N", M)
    V = lg.prv("V", M, X, Y, where=pair)
    different = (*pair, *lg.different(M, N))
    yield (
        "a pair in both orders",
        case_of(lg.parfactor([V(M, X, Y), V(N, Y, X)], [1, 2, 2, 3], different)),
    )
    W = lg.prv("W", M, X)
    counted = lg.crv(W(M, X), X, where=lg.different(X, Z))
    yield (
        "counting all but one",
        case_of(lg.parfactor([counted, A(Z)], range(1, 7), lg.different(X, Z))),
    )
    B = lg.prv("B", X, states=3)
    chain = (*lg.different(X, Y), *lg.different(Y, Z))
    yield (
        "a chain of differences",
        case_of(
            lg.parfactor([A(X), A(Y), B(Z)], range(1, 13), chain), lg.parfactor([B], [1, 2, 3])
        ),
    )
    yield (
        "zeros",
        case_of(
            lg.parfactor([A(X), A(Y)], [0, 1, 1, 0], apart, [X, Y]),
            lg.parfactor([A, lg.prv("E")], [1, 2, 0, 1]),
        ),
    )
    T = lg.prv("T", X, M)
    yield (
        "counted over one logvar here, over another there",
        case_of(
            lg.parfactor([lg.crv(T, M)], [1, 2, 5]), lg.parfactor([lg.crv(T, X)], [2, 1, 3, 7])
        ),
    )
    friends, F = lg.prv("U", X, Y, where=pair), lg.prv("F", X, Y, where=apart)
    counted = lg.crv(friends(X, Y), Y, where=apart)
    yield "one's own friends", case_of(lg.parfactor([counted, A(X)], range(1, 7), apart))
    yield "ordered and unordered pairs", case_of(lg.parfactor([F, friends], [1, 2, 3, 5], apart))
    yield "nothing", lg.ParfactorGraph.of([], [lg.prv("E", states=3), A])


@pytest.mark.parametrize("name", [name for name, _ in peculiar_models()])
def test_peculiar_models(name: str) -> None:
    model = dict(peculiar_models())[name]
    names = model.ground().names
    assert names is not None
    assert_like_enumeration(model, {}, [names[0]])
    assert_like_enumeration(
        model, {names[-1]: model.ground().states(len(names) - 1)[0]}, [names[0]]
    )


def test_counting_all_but_oneself_among_observed() -> None:
    X = lg.LogVar("X", 4)
    Y, S, R = lg.LogVar("Y", X), lg.prv("S", X), lg.prv("R", X)
    apart = lg.different(X, Y)
    others = lg.crv(S(Y), Y, where=apart)
    model = case_of(
        lg.parfactor([others, R(X)], [1, 2, 3, 5, 7, 11, 13, 17], apart),
        lg.parfactor([S, R], [1, 2, 3, 5]),
    )
    given = {"S.1": "true", "S.2": "true", "S.3": "false", "S.4": "false"}
    assert_like_enumeration(model, given, ["R.1", "R.3"])
    assert_like_enumeration(model, {"S.1": "true", "S.3": "false"}, ["R.1", "S.2"])


def test_answers_do_not_depend_on_earlier_questions() -> None:
    model = epidemic(4, 2)
    graph = model.ground()
    for state in ("true", "false", "true"):
        given = {"Sick.1": state, "Travel.2": "true"}
        for name in ("Sick.2", "Epid", "Treat.1.1"):
            found = model.query(name, given=given, exact=True, method="lifted").exact
            assert found == graph.query(name, given=given, exact=True, method="ground").exact


def smokers(n: int) -> lg.ParfactorGraph:
    P = lg.LogVar("P", n)
    Q = lg.LogVar("Q", P)
    smokes, ill = lg.prv("Smokes", P), lg.prv("Ill", P)
    friends = lg.prv("Friends", P, Q, where=lg.different(P, Q))
    return case_of(
        lg.parfactor([smokes], [2, 3]),
        lg.parfactor([smokes, ill], [3, 1, 1, 2]),
        lg.parfactor([friends, smokes, smokes(Q)], [4, 3, 3, 4, 5, 5, 5, 5], lg.different(P, Q)),
    )


def epidemic(persons: int, medications: int) -> lg.ParfactorGraph:
    P, M = lg.LogVar("P", persons), lg.LogVar("M", medications)
    epid, travel, sick = lg.prv("Epid"), lg.prv("Travel", P), lg.prv("Sick", P)
    return case_of(
        lg.parfactor([epid], [1, 4]),
        lg.parfactor([travel, sick, epid], [3, 1, 4, 1, 5, 9, 2, 6]),
        lg.parfactor([sick, epid, lg.prv("Treat", P, M)], [2, 7, 1, 8, 2, 8, 1, 8]),
    )


@pytest.mark.parametrize("given", [{}, {"Sick.3": "true", "Sick.9": "true", "Treat.2.1": "false"}])
def test_large_models_of_low_treewidth_are_answered_like_ground(given: dict[str, str]) -> None:
    model = epidemic(40, 5)
    graph = model.ground()
    lifted_, ground = (
        each.marginals(given=given, exact=True, method=method)
        for each, method in [(model, "lifted"), (graph, "ground")]
    )
    assert all(lifted_[name].exact == ground[name].exact for name in ground)
    names = ("Sick.1", "Sick.3", "Treat.2.2", "Epid")
    joint = model.query(*names, given=given, exact=True, method="lifted")
    assert joint.exact == graph.query(*names, given=given, exact=True, method="ground").exact


@pytest.mark.parametrize("n", [1, 2, 1000, 10**6])
def test_independent_individuals_have_closed_forms(n: int) -> None:
    model = epidemic(n, 3)
    # Without Epid each person weighs the sum over Travel and Sick times the cube of that of Treat.
    table = [[[3, 1], [4, 1]], [[5, 9], [2, 6]]]
    treat = [[[2, 7], [1, 8]], [[2, 8], [1, 8]]]
    person = [
        sum(table[t][s][e] * sum(treat[s][e]) ** 3 for t in range(2) for s in range(2))
        for e in range(2)
    ]
    log_ratio = n * (math.log(person[1]) - math.log(person[0])) + math.log(4)
    expected = 1 / (1 + math.exp(log_ratio)) if log_ratio < 700 else 0.0
    found = model.query("Epid")
    assert found.method == ("lifted" if n > 1 else "ground")
    assert found["true"] == pytest.approx(expected, rel=CLOSE, abs=1e-300)
    assert model.partition().log_z == pytest.approx(
        n * math.log(person[1]) + math.log(4) + math.log1p(math.exp(-log_ratio)), rel=1e-12
    )


@pytest.mark.parametrize("n", [3, 200, 2000])
def test_smokers_have_a_closed_form(n: int) -> None:
    """Given who smokes, friendships and illness are independent: a sum over how many smoke."""
    pair = [[Fraction(4 + 5), Fraction(3 + 5)], [Fraction(3 + 5), Fraction(4 + 5)]]
    logs = []
    for k in range(n + 1):
        smoking = k * math.log(2 * 4) + (n - k) * math.log(3 * 3)
        same = k * (k - 1) + (n - k) * (n - k - 1)
        between = 2 * k * (n - k)
        choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        logs.append(choose + smoking + same * math.log(pair[0][0]) + between * math.log(pair[0][1]))
    peak = max(logs)
    weights = [math.exp(each - peak) for each in logs]
    expected = sum(k * each for k, each in enumerate(weights)) / n / sum(weights)
    found = smokers(n).query("Smokes.2", method="lifted")
    assert found["true"] == pytest.approx(expected, rel=1e-7)  # lgamma's own error at this size
    log_z = smokers(n).partition(method="lifted").log_z
    assert log_z == pytest.approx(peak + math.log(sum(weights)), rel=1e-12)


def test_a_large_clique_near_its_transition_is_right() -> None:
    """All but balanced: weights (1 + 1/n) ** pairs, compared with integers of any size."""
    n = 120
    X = lg.LogVar("X", n)
    Y = lg.LogVar("Y", X)
    S = lg.prv("S", X)
    pairs = lg.parfactor([S(X), S(Y)], [n + 1, n, n, n + 1], lg.unordered(X, Y))
    model = case_of(pairs, lg.parfactor([S], [1000, 1001]))
    exact = [
        math.comb(n, k)
        * 1000**k
        * 1001 ** (n - k)
        * (n + 1) ** (math.comb(k, 2) + math.comb(n - k, 2))
        * n ** (k * (n - k))
        for k in range(n + 1)
    ]
    expected = Fraction(sum(k * each for k, each in enumerate(exact)), n * sum(exact))
    assert model.query("S.7", method="lifted")["true"] == pytest.approx(float(expected), rel=1e-11)
    assert model.query("S.7", method="lifted", exact=True).exact["true"] == expected


@settings(max_examples=40)
@given(relational_models(), st.integers(0, 2**30))
def test_renaming_individuals_and_scaling_tables_change_nothing(
    model: lg.ParfactorGraph, seed: int
) -> None:
    """Evidence on individuals permuted gives answers permuted; scales are in Z alone."""
    random = np.random.default_rng(seed)
    orders = {domain: random.permutation(domain.size) for domain in model.domains}
    if any(each.pattern.unordered for each in model.prvs) or not model.variable_count:
        return  # the name of an unordered pair lists the smaller individual first
    number = int(random.integers(model.variable_count))
    graph = model.ground()
    place = model.locate(graph.name(number))
    prv = model.prvs[place[0]]
    moved = tuple(
        int(orders[v.domain][each]) for v, each in zip(prv.logvars, place[1], strict=True)
    )
    there = {model.name(place): prv.states[0]}
    elsewhere = {model.name((place[0], moved)): prv.states[0]}
    scaled = lg.ParfactorGraph.of(
        [
            lg.Parfactor(
                each.arguments,
                each.logvars,
                lg.Table(each.table.integers, each.table.scale * Fraction(3, 7)),
                each.constraints,
                each.scales,
            )
            for each in model.parfactors
        ],
        model.prvs,
    )
    try:
        one = model.partition(given=there, exact=True, method="lifted").z
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            model.partition(given=elsewhere, exact=True, method="lifted")
        return
    other = model.partition(given=elsewhere, exact=True, method="lifted").z
    third = scaled.partition(given=there, exact=True, method="lifted").z
    assert one == other
    assert third == cast(Fraction, one) * Fraction(3, 7) ** model.factor_count
    names = [graph.name(v) for v in range(graph.variable_count)][:3]
    for name in names:
        asked = model.query(name, given=there, exact=True, method="lifted").exact
        assert asked == scaled.query(name, given=there, exact=True, method="lifted").exact


def test_evidence_touches_only_who_is_mentioned() -> None:
    model = epidemic(10**6, 10)
    given = {f"Sick.{i}": "true" for i in range(1, 51)} | {"Travel.7": "false", "Treat.9.3": "true"}
    planned = lifted_plan(model, Query("marginal", ("Sick.77",)), given=given)
    assert "split P    into 4 parts (1 × 999,950, 1 × 48, 2 × 1)" in str(planned)
    assert "split M    into up to 2 parts for each P (3 × 10, 1 × 9, 1 × 1)" in str(planned)
    assert len(planned.operators) < 100
    assert planned.work < 1000
    assert planned.run().method == "lifted"


def test_many_individuals_with_few_patterns_stay_lifted() -> None:
    model = smokers(400)
    given = {f"Smokes.{i}": "true" for i in range(1, 150)}
    given |= {f"Ill.{i}": "false" for i in range(100, 300)}
    planned = lifted_plan(model, Query("marginal", ("Ill.1",)), given=given)
    assert "split P    into 4 parts" in str(planned)
    assert not told_apart(planned)
    assert planned.work < 10**6
    small = smokers(6)
    given = {"Smokes.1": "true", "Smokes.2": "true", "Ill.2": "false", "Ill.3": "false"}
    ground = small.ground().marginals(given=given, exact=True, method="ground")
    found = small.marginals(given=given, exact=True, method="lifted")
    assert all(found[name].exact == ground[name].exact for name in ground)


def test_evidence_on_pairs_tells_apart_who_has_to_be() -> None:
    model = smokers(4)
    for evidence in (
        {"Friends.1.2": "true", "Friends.2.1": "true"},
        {"Friends.1.2": "true", "Friends.3.4": "true"},
        {f"Friends.1.{i}": "true" for i in (2, 3, 4)},
        {"Friends.1.2": "true", "Friends.2.3": "false", "Smokes.4": "true"},
    ):
        ground = model.ground().marginals(given=evidence, exact=True, method="ground")
        found = model.marginals(given=evidence, exact=True, method="lifted")
        assert all(found[name].exact == ground[name].exact for name in ground)


def test_a_million_million_variables() -> None:
    model = smokers(10**6)
    answer = model.query("Smokes.123456")
    assert answer["true"] + answer["false"] == pytest.approx(1)
    assert not math.isnan(model.partition().log_z)
    friend = model.query("Friends.5.6", given={"Smokes.5": "true", "Smokes.6": "false"}, exact=True)
    assert friend.exact["true"] == Fraction(3, 8)
    for kind in ("marginals", "explanation"):
        with pytest.raises(lg.MemoryLimitError, match="the limit is"):
            methods.plan(model, Query(kind))


def test_explanations_of_large_models() -> None:
    model = smokers(60)
    found = model.mpe()
    assert found.method == "lifted"
    assert set(found) == set(model.ground().names or ())
    assert found.log_weight == pytest.approx(log_weight(model.ground(), found.states), rel=1e-12)
    smoking = [found[f"Smokes.{i}"] for i in range(1, 61)]
    assert len(set(smoking)) == 1  # with friends alike, either all smoke or nobody does
    other = model.mpe(given={"Smokes.1": "true" if smoking[0] == "false" else "false"})
    assert other.log_weight <= found.log_weight


def test_events_of_any_size() -> None:
    model = epidemic(30, 2)
    all_sick = {f"Sick.{i}": "true" for i in range(1, 31)}
    exact = model.probability(all_sick, exact=True)
    ratio = cast(Fraction, model.partition(given=all_sick, exact=True).z) / cast(
        Fraction, model.partition(exact=True).z
    )
    assert exact == ratio
    assert model.probability(all_sick) == pytest.approx(float(exact), rel=CLOSE)
    two = {"Sick.1": "true", "Epid": "false"}
    joint = model.query("Sick.1", "Epid", exact=True)
    assert model.probability(two, exact=True) == joint.exact["true", "false"]
    assert model.probability({"Sick.1": "true"}, given={"Sick.1": "false"}) == 0
    assert model.probability({}, exact=True) == 1
    with pytest.raises(lg.InputError, match="expected a state of Epid"):
        model.probability({"Epid": "perhaps"})
    certain = case_of(lg.parfactor([A], [1, 0]))
    many = {"A.1": "false", "A.2": "false", "A.3": "false"}
    assert certain.probability(many) == 0
    with pytest.raises(lg.ZeroWeightError):
        certain.probability({"A.2": "true"}, given={"A.1": "false"})


def test_a_graph_is_lifted_when_it_is_first_asked() -> None:
    graph = epidemic(30, 3).ground()
    assert not LIFTED.has(graph.cache, Fraction(0))
    assert graph.query("Sick.1").method == "lifted"
    kept = LIFTED.get(graph.cache, Fraction(0), pytest.fail)
    given_graph = graph.given({"Sick.2": "true"})
    assert given_graph.query("Sick.1").method == "lifted"
    assert LIFTED.get(given_graph.cache, Fraction(0), pytest.fail) is kept
    assert (
        given_graph.query("Sick.1", exact=True).exact
        == given_graph.query("Sick.1", exact=True, method="ground").exact
    )


def test_measured_tables_are_taken_as_they_are() -> None:
    """Floats that differ in their last digit are different potentials: answers say nothing else."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["E", *[f"S.{i}" for i in range(8)]])
    for i in range(8):
        table = np.array([0.3, 0.6, 0.7 + i * 1e-14, 0.9])
        builder.add_factor([f"S.{i}", "E"], table)
    graph = builder.build()
    ground = graph.query("E", exact=True, method="ground").exact
    assert graph.query("E", exact=True, method="auto").exact == ground
    grouped = lg.lift(graph)
    assert len(grouped.prvs) == 2
    assert 0 < grouped.query("E").log_odds_bound < 1e-11


def test_auto_takes_what_is_cheaper() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(60)
    ring = np.stack([np.arange(60), (np.arange(60) + 1) % 60], axis=1)
    builder.add_factors(ring, [1, 2, 2, 5])
    graph = builder.build()
    assert graph.partition().method == "ground"  # a ring lifts to next to nothing
    exact = graph.partition(exact=True, method="lifted").z
    assert exact == graph.partition(exact=True, method="ground").z
    large = smokers(1000)
    evidence = {f"Friends.{i}.{i + 1}": "true" for i in range(1, 8, 2)}
    assert large.query("Smokes.50", given=evidence).method == "lifted"
    assert "_ground" not in vars(large)  # a million variables were not even looked at


def test_events_may_contradict_the_model() -> None:
    graph = epidemic(3, 2).ground().given({"Epid": "true"})
    assert graph.probability({"Epid": "false"}) == 0
    assert lg.lift(graph).probability({"Epid": "false"}, exact=True) == 0
    assert lg.lift(graph).probability({"Epid": "true", "Sick.1": "true"}) == pytest.approx(
        graph.query("Sick.1", method="ground")["true"]
    )


def test_events_of_many_variables_may_contradict_the_model() -> None:
    observed = lg.PRV("A", (lg.LogVar("X", 12),), observed=0)
    model = case_of(lg.parfactor([observed], [1, 2]))
    assert model.probability({f"A.{i}": "false" for i in range(1, 11)}, exact=True) == 0
    assert model.probability({f"A.{i}": "true" for i in range(1, 11)}, exact=True) == 1


def test_odd_inputs() -> None:
    model = epidemic(3, 2)
    answer = model.query("Epid", given={"Sick.1": np.True_, "Sick.2": True})
    assert answer[True] == answer["true"]
    with pytest.raises(KeyError):
        answer[0]
    with pytest.raises(ValueError, match="read-only"):
        answer.probabilities[0] = 7
    for given_ in ([("Epid", "true")], "Epid=true"):
        with pytest.raises(lg.InputError, match="expected evidence as"):
            model.query("Epid", given=given_)  # type: ignore[arg-type]
    for limit in (None, "1 mile", float("nan")):
        with pytest.raises(lg.InputError, match="expected a memory limit"):
            model.query("Epid", memory_limit=limit)  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="expected a factor graph or a lifted model"):
        methods.plan("model", Query("marginal", ("Epid",)))  # type: ignore[arg-type]


def test_impossible_evidence_is_said_to_be() -> None:
    model = case_of(lg.parfactor([A(X), A(Y)], [1, 1, 1, 0], lg.different(X, Y)))
    for method in ("auto", "lifted", "ground"):
        with pytest.raises(lg.ZeroWeightError, match="nothing is possible"):
            model.query("A.3", given={"A.1": "false", "A.2": "false"}, method=method)


def test_contradictions_are_refused() -> None:
    model = epidemic(3, 2)
    with pytest.raises(lg.InputError, match=r"expected a state of Sick\.1"):
        model.query("Epid", given={"Sick.1": "maybe"})
    with pytest.raises(lg.InputError, match=r"expected a variable, got 'Sick\.9'"):
        model.query("Sick.9")
    with pytest.raises(lg.InputError, match="expected distinct variables"):
        model.query("Sick.1", "Sick.1")
    coins = case_of(lg.parfactor([A], [1, 2]))
    with pytest.raises(lg.InputError, match=r"A\.1, got both true and false"):
        coins.partition(given={"A.1": "true", 0: "false"}, method="lifted")
    observed = lg.PRV("A", (X,), observed=0)
    fixed = case_of(lg.parfactor([observed], [1, 2]))
    assert fixed.query("A.1", given={"A.1": "true"})["true"] == 1
    with pytest.raises(lg.InputError, match=r"A\.1, got both true and false"):
        fixed.query("A.1", given={"A.1": "false"})


def test_large_plans_are_refused_before_they_are_run() -> None:
    X = lg.LogVar("X", 3000)
    states = [lg.prv(name, X) for name in "ABC"]
    Y = lg.LogVar("Y", X)
    apart = lg.different(X, Y)
    pairs = [(states[0], states[1]), (states[1], states[2]), (states[2], states[0])]
    linked = [lg.parfactor([one(X), two(Y)], [1, 2, 3, 4], apart) for one, two in pairs]
    with pytest.raises(lg.MemoryLimitError, match=r"the largest table has .* entries over #X"):
        case_of(*linked).partition(memory_limit=2**20, method="lifted")
    A, B, C = (lg.LogVar(name, 10**6) for name in "ABC")
    everything = lg.prv("T", A, B, C)
    hub = case_of(lg.parfactor([everything, lg.prv("E")], [1, 2, 3, 4]))
    with pytest.raises(lg.ComputationError, match=r"raised to the power of 1\.0e\+18"):
        hub.query("E")


@pytest.mark.parametrize(
    ("name", "log10_z"),
    [
        ("relational_1", "314.030170079198"),
        ("relational_3", "376.716566226807"),
        ("Alchemy_11", "606.279198987549"),
    ],
)
def test_competition_instances_are_solved_to_the_last_digit(name: str, log10_z: str) -> None:
    path = COMPETITION / f"{name}.uai.gz"
    if not path.exists():
        pytest.skip("the instances are not here")
    graph = uai.read_evidence(lg.read_graph(path), COMPETITION / f"{name}.uai.evid")
    found = graph.marginals()
    assert found.method == "lifted"
    assert f"{found.log_z / math.log(10):.12f}" == log10_z
    assert graph.partition().log_z == found.log_z
    sums = [marginal.probabilities.sum() for marginal in found.values()]
    assert np.allclose(sums, 1, rtol=1e-12)


def test_answers_show_themselves() -> None:
    answer = epidemic(3, 2).query("Sick.1", "Epid", exact=True)
    html = answer._repr_html_()
    assert html.count("<tr>") == 4
    odd = lg.Marginal(("<a>",), (("x&y", "z"),), np.array([0.25, 0.75]), None, "ground")
    assert "&lt;a&gt;" in odd._repr_html_()
    assert "x&amp;y" in odd._repr_html_()
    pandas = pytest.importorskip("pandas")
    series = answer.to_pandas()
    assert series["true", "false"] == answer["true", "false"]
    assert series.index.names == ["Sick.1", "Epid"]
    assert isinstance(epidemic(3, 2).query("Epid").to_pandas(), pandas.Series)


def test_what_is_not_asked_for_has_to_be_possible_in_every_question() -> None:
    x, y = lg.LogVar("X", 3), lg.LogVar("Y", 3)
    asked, other = lg.prv("A", x), lg.prv("B", y)
    contradicting = [lg.parfactor([other], [1, 0]), lg.parfactor([other], [0, 1])]
    model = lg.ParfactorGraph.of([lg.parfactor([asked], [1, 2]), *contradicting])
    for _ in range(2):
        for exact in (False, True):
            with pytest.raises(lg.ZeroWeightError):
                model.query("A.1", exact=exact, method="lifted")
    possible = lg.ParfactorGraph.of([lg.parfactor([asked], [1, 2]), contradicting[0]])
    for person in ("A.1", "A.2"):
        assert possible.query(person, exact=True, method="lifted").exact["true"] == Fraction(1, 3)
    with pytest.raises(lg.ZeroWeightError):
        possible.query("A.1", given={"B.2": "false"}, method="lifted")
