"""Random models as plain data, small enough to enumerate, and the models that the data describe.

``{"states": [2, 3], "factors": [{"scope": [0, 1], "values": ["1", "7/20", …]}], "evidence": …}``
is a factor graph; values that are floats make a measured table. ``relational_models`` describes
parametric ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

import liftgraph as lg
from tests.soak.area import Case

MAX_ASSIGNMENTS = 200
SCALES = ["1", "7", "1/3", "1e-3", "9e12"]
ODD = ["0", "1e-320", "1e5", ".5", "7/20", "2.50", "1/3", "123456789012345678901234567890"]


def numeral(random: Random) -> str:
    """A potential as text: often small, sometimes zero, huge or a fraction."""
    draws = (
        lambda: str(random.randint(0, 3)),
        lambda: str(random.randint(1, 9)),
        lambda: random.choice(ODD),
        lambda: str(Fraction(random.randint(0, 100), random.randint(1, 50))),
    )
    return random.choice(draws)()


def values(random: Random, count: int) -> list[str | float]:
    """The values of a table: numerals, or floats as somebody measured them."""
    if random.random() < 0.2:
        return [random.choice([0.0, 0.1, 0.25, 0.75, random.random() * 10]) for _ in range(count)]
    if random.random() < 0.5:
        return [str(random.choice([0, 1, 1, 2, 3])) for _ in range(count)]
    return [numeral(random) for _ in range(count)]


def sizes(random: Random, most: int, choices: Sequence[int] = (1, 2, 2, 2, 3, 4)) -> list[int]:
    """How many states variables have, at most ``MAX_ASSIGNMENTS`` in all."""
    drawn: list[int] = []
    for size in random.choices(choices, k=random.randint(1, most)):
        if prod(drawn) * size <= MAX_ASSIGNMENTS:
            drawn.append(size)
    return drawn


def evidence(random: Random, states: Sequence[int]) -> dict[str, int]:
    """Some observed variables; keys are text because JSON wants it so."""
    observed = [v for v in range(len(states)) if random.random() < 0.15]
    return {str(variable): random.randrange(states[variable]) for variable in observed}


def irregular_graph(random: Random) -> Case:
    """Any scopes, empty ones too, and any tables."""
    states = sizes(random, 6)
    factors = []
    for _ in range(random.randint(0, 6)):
        scope = random.sample(range(len(states)), random.randint(0, min(4, len(states))))
        count = prod(states[variable] for variable in scope)
        factors.append({"scope": scope, "values": values(random, count)})
    return {"states": states, "factors": factors, "evidence": evidence(random, states)}


def network(random: Random) -> Case:
    """A Bayesian network with zeros; some variables without a table, and perhaps one table more."""
    states = sizes(random, 6, (1, 2, 2, 2, 3))
    factors = []
    for variable, size in enumerate(states):
        if random.random() < 0.15:
            continue
        parents = random.sample(range(variable), min(variable, random.randint(0, 2)))
        columns = [
            distribution(random, size) for _ in range(prod(states[parent] for parent in parents))
        ]
        values = [str(entry) for column in columns for entry in column]
        factors.append({"scope": [*parents, variable], "values": values})
    if random.random() < 0.3:
        scope = random.sample(range(len(states)), min(2, len(states)))
        count = prod(states[variable] for variable in scope)
        factors.append({"scope": scope, "values": random.choices("0012", k=count)})
    random.shuffle(factors)
    return {"states": states, "factors": factors, "evidence": {}}


def distribution(random: Random, size: int) -> list[Fraction]:
    weights = [random.choice([0, 0, 1, 2]) for _ in range(size)]
    weights[random.randrange(size)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def symmetric_graph(random: Random) -> Case:
    """Few tables, each used often: scaled, and with its arguments in any order."""
    states = sizes(random, 8, (2, 2, 2, 3))
    pool = [(shape, values(random, prod(shape))) for shape in _shapes(random)]
    factors: list[Case] = []
    for _ in range(random.randint(1, 9)):
        shape, table = random.choice(pool)
        scope: list[int] = []
        for size in shape:
            fitting = [v for v, s in enumerate(states) if s == size and v not in scope]
            scope += [random.choice(fitting)] if fitting else []
        if len(scope) == len(shape):
            factors.append(_reordered(random, scope, shape, _scaled(random, table)))
    return {"states": states, "factors": factors, "evidence": evidence(random, states)}


def permuted_graph(random: Random) -> Case:
    """A ring, a star or a clique of one table; tables of one argument have states in any order."""
    states = [random.choice([2, 2, 3])] * random.randint(2, 5 + 2 * (random.random() < 0.5))
    states = states[: 5 if states[0] == 3 else 7]
    count = len(states)
    rings = [[v, (v + 1) % count] for v in range(count)] if count > 2 else [[0, 1]]
    cliques = [list(pair) for pair in combinations(range(count), 2)]
    scopes = random.choice([[], rings, [[0, v] for v in range(1, count)], cliques])
    pair, alone = values(random, states[0] ** 2), values(random, states[0])
    factors: list[Case] = [{"scope": scope, "values": pair} for scope in scopes]
    for variable in range(count):
        if random.random() < 0.8:
            order = random.sample(alone, len(alone)) if random.random() < 0.5 else alone
            factors.append({"scope": [variable], "values": order})
    return {"states": states, "factors": factors, "evidence": evidence(random, states)}


def _shapes(random: Random) -> Iterator[tuple[int, ...]]:
    for _ in range(random.randint(1, 3)):
        yield tuple(random.choices([2, 2, 2, 3], k=random.randint(1, 3)))


def _scaled(random: Random, table: Sequence[str | float]) -> list[str | float]:
    scale = Fraction(random.choice(SCALES)) if random.random() < 0.4 else Fraction(1)
    return [
        value * float(scale) if isinstance(value, float) else str(Fraction(value) * scale)
        for value in table
    ]


def _reordered(
    random: Random, scope: Sequence[int], shape: Sequence[int], table: Sequence[str | float]
) -> Case:
    """The same factor with its arguments in any order."""
    order = random.sample(range(len(scope)), len(scope))
    entries = dict(zip(product(*map(range, shape)), table, strict=True))
    place = [order.index(axis) for axis in range(len(scope))]
    moved = product(*(range(shape[axis]) for axis in order))
    reordered = [entries[tuple([states[axis] for axis in place])] for states in moved]
    return {"scope": [scope[axis] for axis in order], "values": reordered}


def graph_of(description: Case) -> lg.FactorGraph:
    """The factor graph that a description describes; its variables are V0, V1, …"""
    builder = lg.FactorGraphBuilder()
    states = description["states"]
    for variable, size in enumerate(states):
        builder.add_variable(f"V{variable}", size)
    for factor in description["factors"]:
        shape = [states[variable] for variable in factor["scope"]]
        builder.add_factor(factor["scope"], lg.Table.of(factor["values"], shape))
    observed = {int(variable): state for variable, state in description["evidence"].items()}
    return builder.build().observing(observed)


def smaller_graphs(description: Case) -> Iterator[Case]:
    """The same graph without a factor, an observation or a variable, or with plainer values."""
    factors: list[Any] = description["factors"]
    for index in range(len(factors)):
        yield {**description, "factors": factors[:index] + factors[index + 1 :]}
    for variable in description["evidence"]:
        left = {v: s for v, s in description["evidence"].items() if v != variable}
        yield {**description, "evidence": left}
    last = len(description["states"]) - 1
    used = {v for factor in factors for v in factor["scope"]} | set(description["evidence"])
    if last > 0 and not used & {last, str(last)}:
        yield {**description, "states": description["states"][:last]}
    for index, factor in enumerate(factors):
        for plainer in plainer_values(factor["values"]):
            changed = [*factors[:index], {**factor, "values": plainer}, *factors[index + 1 :]]
            yield {**description, "factors": changed}


def plainer_values(table: Sequence[str | float]) -> Iterator[list[str | float]]:
    """The same table with one value replaced by 1."""
    for index, value in enumerate(table):
        plain: str | float = 1.0 if isinstance(value, float) else "1"
        if value != plain:
            yield [*table[:index], plain, *table[index + 1 :]]
