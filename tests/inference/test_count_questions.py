"""Questions, evidence and events about counts against sums over all assignments."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.counts import Count
from tests.relational import relational_models
from tests.strategies import factor_graphs

Assignments = list[tuple[tuple[int, ...], Fraction]]
TINY = 1e-300
METHODS = st.sampled_from(["auto", "lifted", "ground"])


def assignments(graph: lg.FactorGraph) -> Assignments:
    """The naive twin: all assignments that agree with the evidence, and their weights."""
    factors = [factor.parts for factor in graph.factors]
    listed = []
    for states in product(*map(range, graph.cardinalities.tolist())):
        if all(states[variable] == state for variable, state in graph.evidence.items()):
            weight = Fraction(1)
            for scope, table in factors:
                weight *= table.potential([states[variable] for variable in scope])
            listed.append((states, weight))
    return listed


@dataclass(frozen=True)
class Counted:
    """A count, and the naive twin of it: the variables that it is about, by index."""

    count: Count
    variables: tuple[int, ...]

    @property
    def largest(self) -> int:
        return sum(self.count.weights or [1] * len(self.variables))

    def number(self, graph: lg.FactorGraph, states: tuple[int, ...]) -> int:
        """What the count is in an assignment."""
        weights = self.count.weights or (1,) * len(self.variables)
        return sum(
            weight * (graph.states(v)[states[v]] == str(self.count.state))
            for v, weight in zip(self.variables, weights, strict=True)
        )


@dataclass(frozen=True)
class Event:
    """What is said of a count, and the naive twin of it: a set of numbers."""

    counted: Counted
    said: Any
    numbers: frozenset[int]

    def happens(self, graph: lg.FactorGraph, states: tuple[int, ...]) -> bool:
        return self.counted.number(graph, states) in self.numbers


Asked = Counted | Event | str


def put(one: Asked) -> Any:
    """How a question puts what is asked for."""
    if isinstance(one, Event):
        return one.said
    return one.count if isinstance(one, Counted) else one


def outcome_in(graph: lg.FactorGraph, one: Asked, states: tuple[int, ...]) -> str:
    """How what is asked for turns out in an assignment."""
    if isinstance(one, Event):
        return "true" if one.happens(graph, states) else "false"
    if isinstance(one, Counted):
        return str(one.number(graph, states))
    return graph.states(graph.variable(one))[states[graph.variable(one)]]


def distribution(
    graph: lg.FactorGraph, asked: list[Asked], given: list[Event]
) -> dict[Any, Fraction]:
    """The distribution of counts, events and variables, given events."""
    total: dict[Any, Fraction] = defaultdict(Fraction)
    for states, weight in assignments(graph):
        if all(event.happens(graph, states) for event in given):
            total[tuple([outcome_in(graph, one, states) for one in asked])] += weight
    z = sum(total.values(), Fraction(0))
    return {key: weight / z for key, weight in total.items()} if z else {}


def outcome(
    model: Any, asked: list[Asked], given: list[Event], **options: Any
) -> dict[Any, Any] | None:
    said = {event.counted.count: event.said for event in given}
    try:
        answer = model.query(*map(put, asked), given=said, **options)
    except lg.ZeroWeightError:
        return {}
    except lg.ComputationError:
        return None
    listed = answer.exact if options.get("exact") else dict(answer)
    return {k if isinstance(k, tuple) else (k,): p for k, p in listed.items() if p}


def a_count(graph: lg.FactorGraph, random: Random, model: Any = None) -> Counted:
    """A count of some variables of a graph in one of their states; or of those of a PRV of the
    lifted model that it grounds, among some individuals, perhaps nobody."""
    if isinstance(model, lg.ParfactorGraph) and random.random() < 0.4:
        prv = random.choice(model.prvs)
        among, indices = {}, range(len(prv.logvars))
        for place in random.sample(indices, random.randint(0, len(prv.logvars))):
            names = [
                prv.logvars[place].domain.individual(n) for n in range(prv.logvars[place].size)
            ]
            among[place] = random.sample(names, random.randint(0, len(names)))
        chosen = [
            v
            for v in range(graph.variable_count)
            for stem, *individuals in [graph.name(v).split(".")]
            if stem == prv.name and all(individuals[n] in some for n, some in among.items())
        ]
        by_name = {prv.logvars[place].name: some for place, some in among.items()}
        state = random.choice(prv.states)
        return Counted(lg.count(prv.name, state, among=by_name), tuple(chosen))
    state = random.choice(graph.states(random.randrange(graph.variable_count)))
    having = [v for v in range(graph.variable_count) if state in graph.states(v)]
    chosen = random.sample(having, random.randint(1, len(having)))
    weights = [1 + v % 3 for v in range(len(chosen))] if random.random() < 0.3 else None
    names = [graph.name(v) for v in chosen]
    return Counted(lg.count(names, state, weights=weights), tuple(chosen))


def an_event(counted: Counted, random: Random) -> Event:
    """An event of a count, and its numbers up to a few more than there can be."""
    count, numbers = counted.count, frozenset(range(counted.largest + 5))
    if random.random() < 0.3:
        one, other = an_event(counted, random), an_event(counted, random)
        return random.choice(
            [
                Event(counted, ~one.said, numbers - one.numbers),
                Event(counted, one.said & other.said, one.numbers & other.numbers),
                Event(counted, one.said | other.said, one.numbers | other.numbers),
            ]
        )
    k, more = random.randint(-1, counted.largest + 1), random.randint(0, 2)
    said, chosen = random.choice(
        [
            (count >= k, [n for n in numbers if n >= k]),
            (count > k, [n for n in numbers if n > k]),
            (count <= k, [n for n in numbers if n <= k]),
            (np.int64(k) > count, [n for n in numbers if n < k]),
            (count == k, [n for n in numbers if n == k]),
            (count != np.int32(k), [n for n in numbers if n != k]),
            (count.between(k, k + more), [n for n in numbers if k <= n <= k + more]),
        ]
    )
    return Event(counted, said, frozenset(chosen))


def an_observation(counted: Counted, random: Random) -> Event:
    """A number, a range or an event that is possible."""
    least, most = random.randint(0, counted.largest), random.randint(0, counted.largest + 1)
    match random.randrange(3):
        case 0:
            return Event(counted, least, frozenset([least]))
        case 1:
            return Event(
                counted, range(least, most + least + 1), frozenset(range(least, most + least + 1))
            )
    event = an_event(counted, random)
    possible = event.numbers & {*range(counted.largest + 1)}
    return event if possible else Event(counted, ~event.said, frozenset(range(99)) - event.numbers)


def a_question(
    graph: lg.FactorGraph, random: Random, model: Any = None
) -> tuple[list[Asked], list[Event]]:
    """What is asked, and counts that are observed."""
    counted = a_count(graph, random, model)
    asked: list[Asked] = [counted if random.random() < 0.5 else an_event(counted, random)]
    if random.random() < 0.3:
        asked.append(an_event(a_count(graph, random, model), random))
    if random.random() < 0.5:
        asked.append(graph.name(random.randrange(graph.variable_count)))
    given = []
    if random.random() < 0.5:
        again = random.random() < 0.3
        given = [an_observation(counted if again else a_count(graph, random, model), random)]
    return list(dict.fromkeys(asked)), given


def check(model: Any, graph: lg.FactorGraph, asked: Any, given: Any, method: str) -> None:
    expected = {k: p for k, p in distribution(graph, asked, given).items() if p}
    exact = outcome(model, asked, given, exact=True, method=method)
    assert exact is None or exact == expected
    floats = outcome(model, asked, given, method=method)
    assert (floats is None) == (exact is None)
    if floats is not None:  # smaller ones have lost digits to underflow
        visible = {k: float(p) for k, p in expected.items() if p > TINY}
        assert {k: p for k, p in floats.items() if p > TINY} == pytest.approx(visible, rel=1e-9)
    check_probability(model, graph, asked, given, method)


def check_probability(
    model: Any, graph: lg.FactorGraph, asked: list[Asked], given: list[Event], method: str
) -> None:
    """The probability that all events happen, and that variables are in their first state."""
    events = {one.counted.count: one for one in asked if isinstance(one, Event)}
    names = [one for one in asked if isinstance(one, str)]
    wanted: list[Asked] = [*events.values(), *names]
    happens = tuple(["true"] * len(events) + [graph.states(graph.variable(n))[0] for n in names])
    shares = distribution(graph, wanted, given)
    mapping: Any = {count: event.said for count, event in events.items()}
    mapping |= {name: graph.states(graph.variable(name))[0] for name in names}
    conjunction = None
    for event in events.values():
        conjunction = event.said if conjunction is None else conjunction & event.said
    said = {event.counted.count: event.said for event in given}
    for event in [mapping] if names or conjunction is None else [mapping, conjunction]:
        try:
            share = model.probability(event, given=said, exact=True, method=method)
        except lg.ZeroWeightError:
            assert not shares
        except lg.ComputationError:
            continue
        else:
            assert share == shares.get(happens, 0)
            floats = model.probability(event, given=said, method=method)
            assert floats == pytest.approx(float(share), rel=1e-9, abs=TINY)


@given(factor_graphs(), st.integers(0, 10**6), METHODS)
def test_counts_on_factor_graphs(graph: lg.FactorGraph, seed: int, method: str) -> None:
    assume(graph.variable_count > 0 and np.prod(graph.cardinalities) <= 300)
    check(graph, graph, *a_question(graph, Random(seed)), method)


@given(relational_models(), st.integers(0, 10**6), METHODS)
def test_counts_on_lifted_models(model: lg.ParfactorGraph, seed: int, method: str) -> None:
    assume(0 < model.variable_count <= 9)
    graph = model.ground()
    assume(np.prod(graph.cardinalities) <= 600)
    check(model, graph, *a_question(graph, Random(seed), model), method)


@given(st.integers(0, 10**6))
def test_events_are_sets_of_numbers(seed: int) -> None:
    random = Random(seed)
    counted = Counted(lg.count("Sick"), (0, 1, 2, 3))
    one, other = an_event(counted, random), an_event(counted, random)
    for event in (one, other):
        numbers = np.arange(counted.largest + 5)
        assert {*numbers[event.said.holds(numbers)].tolist()} == event.numbers
    beyond = 10**30
    alike = one.numbers == other.numbers and (one.said.holds(beyond) == other.said.holds(beyond))
    assert (one.said == other.said) == alike
    assert len({one.said, other.said}) == 2 - alike


def people(size: int) -> lg.ParfactorGraph:
    P = lg.LogVar("P", size)
    epidemic, sick = lg.prv("Epid"), lg.prv("Sick", P)
    return lg.ParfactorGraph.of(
        [lg.parfactor([epidemic], [1, 9]), lg.parfactor([sick, epidemic], [3, 1, 1, 5])]
    )


def test_a_count_of_a_prv_has_the_distribution_of_a_mixture_of_binomials() -> None:
    model, n = people(60), 60
    weights = [3**k + 9 * 5 ** (n - k) for k in range(n + 1)]
    expected = [Fraction(comb(n, k) * w) for k, w in enumerate(weights)]
    total = sum(expected)
    answer = model.query(lg.count("Sick"), exact=True)
    assert [answer.exact[str(k)] for k in range(n + 1)] == [w / total for w in expected]
    assert answer.variables == ("#Sick=true",)
    tail = sum(expected[40:]) / total
    assert answer.at_least(40) == tail
    assert answer.at_most(39) == 1 - tail
    assert answer.mean == sum(k * w for k, w in enumerate(expected)) / total
    assert model.probability(lg.count("Sick") >= 40, exact=True) == tail
    assert model.probability(lg.count("Sick") > 39) == pytest.approx(float(tail), rel=1e-12)
    assert model.probability(lg.count("Sick") <= 39, exact=True) == 1 - tail
    assert model.probability(lg.count("Sick") < 40, exact=True) == 1 - tail
    floats = model.query(lg.count("Sick"))
    assert np.allclose(floats.probabilities, answer.probabilities, rtol=1e-12, atol=0)
    assert floats.quantile(0.0) == 0
    middle = floats.quantile(0.5)
    assert floats.at_most(middle) >= 0.5 > floats.at_most(middle - 1)


def test_counts_among_individuals_and_by_name() -> None:
    model = people(4)
    part = lg.count("Sick", among={"P": ["1", "3"]})
    same = lg.count(["Sick.1", "Sick.3"])
    assert model.query(part, exact=True).exact == model.query(same, exact=True).exact
    graph = model.ground()
    for method in ("auto", "ground", "lifted"):
        everyone = graph.query(lg.count("Sick"), exact=True, method=method)
        assert everyone.exact == model.query(lg.count("Sick"), exact=True).exact
    given = {lg.count("Sick"): 1}
    for question in ("marginals", "partition", "mpe"):
        lifted, ground = (getattr(m, question)(given=given, exact=True) for m in (model, graph))
        match question:
            case "marginals":
                assert all(lifted[name].exact == ground[name].exact for name in ground)
            case "partition":
                assert lifted.z == ground.z
            case "mpe":
                assert lifted.weight == ground.weight
    expected = graph.marginals(given={same: range(2)}, exact=True)
    assert (
        model.marginals(given={part: range(2)}, exact=True)["Epid"].exact == expected["Epid"].exact
    )


def test_a_count_of_a_hundred_thousand_people_can_be_observed() -> None:
    model = people(100_000)
    answer = model.query("Epid", given={lg.count("Sick"): 16_667})
    assert answer["false"] == pytest.approx(1)
    with pytest.raises(lg.MemoryLimitError, match="would need a table of"):
        model.query(lg.count("Sick"), method="lifted")


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda m: m.query(lg.count("Sik")), "expected the name of a PRV to count"),
        (lambda m: m.query(lg.count("Sick", "red")), "expected a state of Sick"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): 7}), "a number from 0 to 4, got 7"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): -1}), "an integer or a range"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): 0.5}), "an integer or a range"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): range(5, 9)}), "got 5 to 8"),
        (lambda m: m.query("Epid", given={lg.count("Sick"): range(0, 4, 2)}), "without steps"),
        (lambda m: m.query(lg.count("Sick"), lg.count("Sick")), "expected distinct counts"),
        (lambda m: m.query(lg.count(["Sick.1", "Sick.1"])), "expected distinct variables"),
        (lambda m: m.query(lg.count("Sick", among={"Q": "1"})), r"a logvar of Sick \(P\), got Q"),
        (lambda m: m.query(lg.count("Sick", among={"P": "9"})), "individuals of P, got 9"),
        (lambda m: m.ground().query(lg.count("Sick", among={"P": "1"})), "a lifted model"),
        (lambda m: lg.count([]), "expected variables to count in a list"),
        (lambda m: lg.count("Sick", weights=[1]), "a weight for each of a list"),
        (
            lambda m: lg.count("Sick") >= cast(int, "many"),
            "expected an integer to compare",
        ),
        (lambda m: 1 <= lg.count("Sick") <= 2, r"range\(10, 13\)"),
        (lambda m: lg.count("Sick") >= 1 and lg.count("Sick") <= 2, r"count\.between"),
        (lambda m: not (lg.count("Sick") >= 1), "neither true nor false"),
        (lambda m: 1 & cast(Any, lg.count("Sick")) <= 2, "comparisons in brackets"),
        (lambda m: lg.count("Sick") in [0, lg.count("Sick")], "neither true nor false"),
        (lambda m: lg.count("Sick") == 1.5, "expected an integer to compare"),
        (lambda m: lg.count("Sick").between(2, 1), "the smaller number first, got 2 and 1"),
        (lambda m: (lg.count("A") >= 1) | (lg.count("B") >= 1), r"P\(A\) \+ P\(B\)"),
        (lambda m: ~((lg.count("A") >= 1) & (lg.count("B") >= 1)), "an event of one count"),
        (lambda m: bool((lg.count("A") >= 1) & (lg.count("B") >= 1)), "neither true nor false"),
        (lambda m: m.probability(lg.count("A") == lg.count("B")), "two counts makes no event"),
        (lambda m: m.query("Epid", given={lg.count("Sick") == 1: True}), "{count: event}"),
        (lambda m: m.query("Epid", given=lg.count("Sick") == 1), "{count: event}"),
        (
            lambda m: m.query("Epid", given={lg.count("Sick"): lg.count("Epid") >= 1}),
            "an event of #Sick=true, got one of #Epid=true",
        ),
        (lambda m: m.given({lg.count("Sick"): 1}), "counts are not taken here"),
        (lambda m: m.ground().given({lg.count("Sick"): 1}), "counts are not taken here"),
        (lambda m: m.ground().compile(lg.count("Sick")), "counts are not taken here"),
        (lambda m: m.predict({"Epid": [None]}, lg.count("Sick")), "counts are not taken here"),
        (lambda m: m.query("Epid").mean, "expected one variable with numbers as states"),
        (lambda m: m.query(lg.count("Sick")).quantile(2), "a share from 0 to 1, got 2"),
        (lambda m: m.query(lg.count("Sick"), speed=1), "expected options among"),
    ],
)
def test_bad_input_is_named(ask: Any, problem: str) -> None:
    with pytest.raises(lg.InputError, match=problem):
        ask(people(4))


def test_a_count_of_nobody_is_zero_in_every_question() -> None:
    model = people(4)
    nobody = lg.count("Sick", among={"P": []})
    assert model.query(nobody, exact=True).exact == {"0": 1}
    assert model.query("Epid", nobody, exact=True).exact == {
        (state, "0"): share for state, share in model.query("Epid", exact=True).exact.items()
    }
    assert model.probability(nobody == 0) == 1
    assert model.probability(nobody >= 1, exact=True) == 0
    for method in ("auto", "lifted", "ground"):
        options: Any = {"given": {nobody: 0}, "method": method}
        assert model.query("Epid", exact=True, **options).exact["true"] == Fraction(16, 745)
        assert model.partition(exact=True, **options).z == model.partition(exact=True).z
        assert model.marginals(**options)["Sick.1"] == model.marginals()["Sick.1"]
        assert model.mpe(**options).log_weight == model.mpe().log_weight
        assert len(model.sample(3, seed=1, **options).states) == 3
    with pytest.raises(lg.InputError, match="a number from 0 to 0, got 1 or more"):
        model.query("Epid", given={nobody: nobody >= 1})
    with pytest.raises(lg.InputError, match="expected a state of Sick"):
        model.query(lg.count("Sick", "red", among={"P": []}))


@given(relational_models(), st.integers(0, 10**6))
def test_rows_and_events_given_counts(model: lg.ParfactorGraph, seed: int) -> None:
    assume(1 < model.variable_count <= 8)
    graph = model.ground()
    assume(np.prod(graph.cardinalities) <= 300)
    random = Random(seed)
    event = an_observation(a_count(graph, random, model), random)
    given, first = {event.counted.count: event.said}, graph.states(0)[0]
    shares = distribution(graph, [graph.name(0), graph.name(1)], [event])
    row = {graph.name(1): [graph.states(1)[0]]}
    both = shares.get((first, graph.states(1)[0]), Fraction(0))
    some = sum([p for (_, state), p in shares.items() if state == graph.states(1)[0]], Fraction(0))
    listed = event.counted.count.among
    for asked in (model, graph, lg.lift(graph)) if not listed else (model,):
        try:
            log = asked.log_likelihood(row, given=given)
            predicted = asked.predict(row, graph.name(0), given=given, impossible="missing")
        except lg.ZeroWeightError:
            assert not shares
            continue
        assert math.exp(log) == pytest.approx(float(some), rel=1e-9)
        column = predicted[f"P({graph.name(0)}={first})"]
        if some:
            assert column == [pytest.approx(float(both / some), rel=1e-9)]
        else:
            assert column == [None] or math.isnan(column[0])


def test_causes_of_a_noisy_or_are_counted_in_closed_form() -> None:
    size, chance, cause, leak = 5000, Fraction(3, 10), Fraction(1, 1000), Fraction(1, 50)
    builder = lg.FactorGraphBuilder()
    causes = builder.add_variables([f"Cause.{n}" for n in range(size)])
    for variable in causes:
        builder.add_factor([variable], [cause, 1 - cause])
    builder.add_noisy_or(builder.add_variable("Effect"), dict.fromkeys(causes, chance), leak=leak)
    graph, count = builder.build(), lg.count("Cause")
    for number in (0, 3, 4097, size):  # whose binary digits are few and many
        expected = 1 - (1 - leak) * (1 - chance) ** number
        answer = graph.query("Effect", given={count: number})
        assert answer["true"] == pytest.approx(float(expected), rel=1e-12)
        assert answer["false"] == pytest.approx(float(1 - expected), rel=1e-10, abs=1e-300)
    most = 40  # the probability of more causes is below rounding
    weights = [comb(size, k) * cause**k * (1 - cause) ** (size - k) for k in range(most)]
    effects = [w * (1 - (1 - leak) * (1 - chance) ** k) for k, w in enumerate(weights)]
    share = graph.probability(count <= 3, given={"Effect": "true"})
    assert share == pytest.approx(float(sum(effects[:4]) / sum(effects)), rel=1e-9)


def test_what_equals_a_state_as_a_key_is_not_taken_for_it() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"], states=["1", "true", "2"])
    for name in ("A", "B"):
        builder.add_factor([name], [1, 2, 5])
    graph = builder.build()
    for model in (graph, lg.lift(graph)):
        for _ in range(2):
            for state, share in (
                (1, Fraction(1, 8)),
                (True, Fraction(1, 4)),
                ("1", Fraction(1, 8)),
            ):
                answer = model.query(lg.count(["A", "B"], state), exact=True)
                assert answer.exact["2"] == share**2
    with pytest.raises(lg.InputError, match="expected names or indices to count"):
        lg.count([True, 0])


def test_models_that_differ_in_evidence_do_not_share_counts() -> None:
    model, count = people(4), lg.count("Sick")
    for one in (model, model.ground()):
        free = one.query(count, exact=True)
        sick = one.given({"Sick.1": "true"}).query(count, exact=True)
        again = one.query(count, exact=True)
        assert free.exact == again.exact != sick.exact
        assert sick.exact["0"] == 0


def test_the_event_of_a_weighted_count_is_answered_like_its_distribution() -> None:
    builder = lg.FactorGraphBuilder()
    economy = builder.add_variable("Economy", ["good", "fair", "bad"])
    builder.add_factor([economy], [5, 3, 2])
    names = [f"Loan.{number}" for number in range(120)]
    for number, name in enumerate(names):
        builder.add_variable(name, ["lost", "paid"])
        builder.add_factor([economy, name], [[1, 99 - number % 5], [2, 98], [9, 91]])
    loss = lg.count(names, "lost", weights=[1 + number % 37 for number in range(120)])
    graph = builder.build()
    expected = graph.query(loss).probabilities[100:].sum()
    assert graph.probability(loss >= 100, memory_limit="64MiB") == pytest.approx(expected)
