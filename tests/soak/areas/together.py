"""Interventions, likelihoods and states at once, in every question, beside enumeration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

import liftgraph as lg
from tests.soak.area import Area, Case, WrongError, expect
from tests.soak.models import distribution

MAX_ASSIGNMENTS = 300
CLOSE = 1e-9  # relative error of floats in models as small as these
Worlds = dict[tuple[int, ...], Fraction]


def _draw(random: Random) -> Case:
    """A network whose last variables are there for each of some individuals."""
    while True:
        shared, own, individuals = random.randint(0, 3), random.randint(0, 3), random.randint(1, 4)
        states = [random.choice([1, 2, 2, 2, 3]) for _ in range(shared + own)]
        count = prod(states[:shared]) * prod(states[shared:]) ** individuals
        if states and count <= MAX_ASSIGNMENTS:
            break
    mechanisms = []
    for variable, size in enumerate(states):
        parents = random.sample(range(variable), min(variable, random.randint(0, 2)))
        rows = [distribution(random, size) for _ in range(prod(states[p] for p in parents))]
        entries = [str(entry) for row in rows for entry in row]
        mechanisms.append({"parents": parents, "values": entries})
    network = {"states": states, "shared": shared, "individuals": individuals}
    return {"network": {**network, "mechanisms": mechanisms}, **_drawn_events(random, network)}


def _drawn_events(random: Random, network: Case) -> Case:
    """What is done, how likely the states of some variables are, and what is seen."""
    done, likely, seen = {}, {}, {}
    for name, size in _sizes(network).items():
        if random.random() < 0.15:
            done[name] = random.randrange(size)
        if random.random() < 0.25:
            likely[name] = [random.choice(["0", "1", "1", "2", "0.3"]) for _ in range(size)]
            likely[name][random.randrange(size)] = "3"
        elif random.random() < 0.2:
            seen[name] = done.get(name, random.randrange(size))
    return {"done": done, "likely": likely, "seen": seen, "seed": random.randrange(10**6)}


def _sizes(network: Case) -> dict[str, int]:
    """All variables, shared ones first, and how many states they have."""
    shared, individuals = network["shared"], range(network["individuals"])
    sizes = {f"V{v}": size for v, size in enumerate(network["states"][:shared])}
    for variable, size in enumerate(network["states"][shared:], shared):
        sizes |= {f"V{variable}.i{individual}": size for individual in individuals}
    return sizes


def _graph(network: Case, done: dict[str, int], likely: Case) -> lg.FactorGraph:
    """The network after the interventions: each takes the place of a mechanism."""
    builder = lg.FactorGraphBuilder()
    sizes = _sizes(network)
    for name, size in sizes.items():
        builder.add_variable(name, size)
    for name in sizes:
        variable, _, individual = name[1:].partition(".")
        mechanism = network["mechanisms"][int(variable)]
        parents = [f"V{p}" for p in mechanism["parents"]]
        parents = [p if p in sizes else f"{p}.{individual}" for p in parents]
        shape = [sizes[argument] for argument in (*parents, name)]
        if name in done:
            builder.add_factor([name], [int(s == done[name]) for s in range(sizes[name])])
        else:
            builder.add_factor([*parents, name], lg.Table.of(mechanism["values"], shape))
    for name, numbers in likely.items():
        builder.add_factor([name], numbers)
    return builder.build()


def _worlds(case: Case) -> Worlds:
    """All assignments that are possible, with their weights: the truncated factorisation."""
    graph = _graph(case["network"], case["done"], case["likely"])
    weights: Worlds = {}
    for states in product(*map(range, graph.cardinalities.tolist())):
        if all(states[graph.variable(name)] == state for name, state in case["seen"].items()):
            value = math.prod((_entry(graph, f, states) for f in graph.factors), start=Fraction(1))
            if value:
                weights[states] = value
    return weights


def _entry(graph: lg.FactorGraph, factor: Any, states: Sequence[int]) -> Fraction:
    scope, table = factor.parts
    place = tuple([states[graph.variable(variable)] for variable in scope])
    return Fraction(int(table.integers[place])) * Fraction(table.scale)


def _check(case: Case) -> None:
    network, worlds, random = case["network"], _worlds(case), Random(case["seed"])
    graph = _graph(network, {}, {})
    done = {name: graph.states(name)[state] for name, state in case["done"].items()}
    seen = {name: graph.states(name)[state] for name, state in case["seen"].items()}
    names = [*_sizes(network)]
    asked = random.sample(names, random.randint(1, min(3, len(names))))
    for title, model in (("graph", graph), ("lifted", graph.lift())):
        method = random.choice(["auto", "lifted", "ground"])
        given = {**seen, **case["likely"]}
        options = {"do": done, "given": given, "method": method}
        if random.random() < 0.3:  # what is done and seen stays with the model
            model, options = model.do(done).given(given), {"method": method}
        for question, check in QUESTIONS.items():
            try:
                check(graph, model, worlds, asked, options)
            except lg.ZeroWeightError:
                expect(not worlds, f"{title}, {question}, {method}: nothing is possible")
            except lg.ComputationError as refused:
                expect(method == "lifted", f"{title}, {question}, {method}: {refused}")
            except WrongError as wrong:
                raise WrongError(f"{title}, {question}, {method}: {wrong}") from None
            else:
                expect(worlds, f"{title}, {question}, {method}: an answer, but nothing is possible")


Check = Callable[[lg.FactorGraph, Any, Worlds, list[str], Any], None]


def _shares(graph: lg.FactorGraph, worlds: Worlds, asked: Sequence[str]) -> Counter[Any]:
    """The weights of the joint states of some variables."""
    weights: Counter[Any] = Counter()
    for states, value in worlds.items():
        weights[_named(graph, states, asked)] += value  # type: ignore[assignment]
    return weights


def _named(graph: lg.FactorGraph, states: Sequence[int], asked: Sequence[str]) -> Any:
    return tuple([graph.states(name)[states[graph.variable(name)]] for name in asked])


def _query(graph: lg.FactorGraph, model: Any, worlds: Worlds, asked: Any, options: Any) -> None:
    answer = model.query(*asked, exact=True, **options).exact
    near = model.query(*asked, **options)
    total = sum(worlds.values())
    shares = _shares(graph, worlds, asked)
    for states, share in answer.items():
        right = Fraction(shares[states if len(asked) > 1 else (states,)]) / total
        expect(share == right, f"P({states}) is {right}, got {share}")
        expect(math.isclose(near[states], right, rel_tol=CLOSE), f"{states}: got {near[states]}")


def _marginals(graph: lg.FactorGraph, model: Any, worlds: Worlds, _: Any, options: Any) -> None:
    answer = model.marginals(exact=True, **options)
    expect(sorted(answer) == sorted(graph.names or ()), "the marginals of other variables")
    total = sum(worlds.values())
    for name in answer:
        shares = _shares(graph, worlds, [name])
        right = {state: Fraction(shares[state,]) / total for state in graph.states(name)}
        expect(answer[name].exact == right, f"expected {right}, got {answer[name].exact}")


def _partition(_: lg.FactorGraph, model: Any, worlds: Worlds, __: Any, options: Any) -> None:
    found = model.partition(exact=True, **options).z
    expect(found == sum(worlds.values()), f"Z is {sum(worlds.values())}, got {found}")


def _map(graph: lg.FactorGraph, model: Any, worlds: Worlds, asked: Any, options: Any) -> None:
    answer = model.map(*asked, exact=True, **options)
    shares = _shares(graph, worlds, asked)
    reached = shares[tuple([answer[name] for name in asked])]
    right = max(shares.values())
    expect(reached == right == answer.weight, f"weight {right}, got {answer.weight}")
    expect(answer.fraction == Fraction(right) / sum(worlds.values()), "another probability")


def _best(graph: lg.FactorGraph, model: Any, worlds: Worlds, _: Any, options: Any) -> None:
    answer = model.mpe(best=4, exact=True, **options)
    expanded: list[Fraction] = []
    for one, count in zip(answer, answer.counts, strict=True):
        states = tuple([graph.state(v, one[name]) for v, name in enumerate(graph.names or ())])
        expect(worlds.get(states) == one.weight, f"an assignment of weight {worlds.get(states)}")
        expanded += [one.weight] * count
    right = sorted(worlds.values(), reverse=True)
    expect(expanded == right[: len(expanded)], f"expected {right}, got {expanded}")
    expect(len(answer) == 4 or len(expanded) == len(right), "too few")
    first = model.mpe(exact=True, **options).weight
    expect(first == right[0], f"mpe: expected {right[0]}, got {first}")


def _sample(graph: lg.FactorGraph, model: Any, worlds: Worlds, _: Any, options: Any) -> None:
    sample = model.sample(20, seed=1, **options)
    columns = [sample.column(name) for name in graph.names or ()]
    for row in zip(*columns, strict=True):
        states = tuple([graph.state(v, state) for v, state in enumerate(row)])
        expect(states in worlds, f"{row} was drawn, which is not possible")


def _count(graph: lg.FactorGraph, model: Any, worlds: Worlds, asked: Any, options: Any) -> None:
    state = graph.states(asked[0])[0]
    counted = [name for name in asked if state in graph.states(name)]
    answer = model.query(lg.count(counted, state), exact=True, **options).exact
    shares: Counter[int] = Counter()
    for states, value in worlds.items():
        shares[_named(graph, states, counted).count(state)] += value  # type: ignore[assignment]
    for number, share in answer.items():
        right = Fraction(shares[int(number)]) / sum(worlds.values())
        expect(share == right, f"P({number} are {state}) is {right}, got {share}")


QUESTIONS: dict[str, Check] = {
    "query": _query,
    "marginals": _marginals,
    "partition": _partition,
    "map": _map,
    "best": _best,
    "sample": _sample,
    "count": _count,
}


def _smaller(case: Case) -> Iterator[Case]:
    """The same network with fewer events, or with one individual less."""
    for events in ("done", "likely", "seen"):
        for name in case[events]:
            yield {**case, events: {n: event for n, event in case[events].items() if n != name}}
    individuals = case["network"]["individuals"] - 1
    if individuals:
        fewer = {**case, "network": {**case["network"], "individuals": individuals}}
        left = _sizes(fewer["network"])
        for events in ("done", "likely", "seen"):
            fewer[events] = {name: event for name, event in case[events].items() if name in left}
        yield fewer


AREAS = (Area("together", _draw, _check, _smaller),)
