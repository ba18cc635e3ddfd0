"""The models whose memory ``memory.py`` measures."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
from tasks import random_network

import liftgraph as lg
from liftgraph import datasets

LONG = "x" * 1000  # names may be as long as this


def large_states(size: int) -> lg.FactorGraph:
    """A chain of four variables with many states, with random tables."""
    random, builder = np.random.default_rng(size), lg.FactorGraphBuilder()
    builder.add_variables(4, size)
    for left in range(3):
        builder.add_factor([left, left + 1], random.integers(1, 100, (size, size)))
    return builder.build()


def bayesian(size: int) -> lg.FactorGraph:
    """A Bayesian network in which a variable has up to three parents before it."""
    random, builder = np.random.default_rng(size), lg.FactorGraphBuilder()
    builder.add_variables(size)
    for child in range(size):
        parents = list(range(max(0, child - 3), child))
        shares = [Fraction(int(share), 100) for share in random.integers(1, 100, 2 ** len(parents))]
        builder.add_factor([*parents, child], [x for share in shares for x in (share, 1 - share)])
    return builder.build()


def irregular(variables: int, factors: int) -> lg.FactorGraph:
    """Random scopes, sizes, tables with zeros; a few states are observed."""
    random, builder = np.random.default_rng(variables), lg.FactorGraphBuilder()
    sizes = random.integers(2, 5, variables).tolist()
    for size in sizes:
        builder.add_variable(states=size)
    for _ in range(factors):
        near = int(random.integers(0, variables))
        scope = sorted({(near + int(step)) % variables for step in random.integers(0, 8, 3)})
        shape = [sizes[variable] for variable in scope]
        builder.add_factor(scope, random.integers(0, 4, shape) * random.integers(0, 2, shape) + 1)
    return builder.build().observing({0: 1, variables // 2: 0})


def with_zeros(size: int) -> lg.FactorGraph:
    """A chain in which a state is followed by itself or by the next one only."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(50, size)
    table = np.eye(size, dtype=int) + np.roll(np.eye(size, dtype=int), 1, axis=1) * 3
    builder.add_factors(np.stack([np.arange(49), np.arange(1, 50)], axis=1), table)
    return builder.build()


def unequal_count(size: int, states: int) -> lg.FactorGraph:
    """Unequal variables that depend on a common cause, and a factor of how many are true."""
    builder = lg.FactorGraphBuilder()
    variables, cause = builder.add_variables(size), builder.add_variable(states=states)
    for variable in variables:
        table = [[1 + (variable + state) % 7, 5 + state] for state in range(states)]
        builder.add_factor([cause, variable], table)
    builder.add_count_factor(variables, lg.at_least(size // 3))
    return builder.build()


def many_causes(size: int) -> lg.FactorGraph:
    """A noisy-OR."""
    builder = lg.FactorGraphBuilder()
    causes, effect = builder.add_variables(size), builder.add_variable()
    for cause in causes:
        builder.add_factor([cause], [1 + cause % 5, 9])
    builder.add_noisy_or(effect, {cause: f"0.0{1 + cause % 9}" for cause in causes}, "0.01")
    return builder.build()


def long_names(count: int) -> lg.FactorGraph:
    """A hub, its leaves having names of a thousand characters."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"{LONG}{index}" for index in range(count + 1)])
    leaves = np.arange(1, count + 1)
    builder.add_factors(np.stack([np.zeros_like(leaves), leaves], axis=1), [[1, 2], [3, 5]])
    return builder.build()


def long_dotted_names(count: int) -> lg.FactorGraph:
    """The same, the names having two parts."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Hub", *(f"Leaf.{LONG}{index}" for index in range(count))])
    leaves = np.arange(1, count + 1)
    builder.add_factors(np.stack([np.zeros_like(leaves), leaves], axis=1), [[1, 2], [3, 5]])
    return builder.build()


def blocks(count: int) -> lg.FactorGraph:
    """Friends of friends, and who is like whom: three logvars over one domain."""
    x = lg.LogVar("X", count // 2)
    y, z = lg.LogVar("Y", x), lg.LogVar("Z", x)
    friends = lg.prv("Friends", x, y, where=lg.different(x, y))
    three = lg.different(x, y, z)
    table = [1, 2, 3, 4, 5, 6, 7, 11]
    arguments = [friends(x, y), friends(y, z), friends(x, z)]
    return lg.ParfactorGraph.of([lg.parfactor(arguments, table, three)]).ground()


def long_individuals(count: int) -> lg.ParfactorGraph:
    """The same, as written with a logvar whose individuals have long names."""
    x = lg.LogVar("X", [f"{LONG}{index}" for index in range(count)])
    return lg.ParfactorGraph.of([lg.parfactor([lg.prv("Leaf", x), lg.prv("Hub")], [1, 2, 3, 5])])


def long_numbers(count: int, digits: int) -> lg.FactorGraph:
    """A chain of tables with potentials of many digits, all different."""
    random, builder = np.random.default_rng(count), lg.FactorGraphBuilder()
    builder.add_variables(count, 3)
    for left in range(count - 1):
        numbers = ["".join(map(str, random.integers(1, 10, digits))) for _ in range(9)]
        builder.add_factor([left, left + 1], [int(number) for number in numbers])
    return builder.build()


def huge_power(count: int) -> lg.ParfactorGraph:
    """Factors repeated very often."""
    x, n = lg.LogVar("X", 3), lg.LogVar("N", count)
    a, b = lg.prv("A", x), lg.prv("B")
    often = lg.parfactor([a, b], [10, 11, 12, 13], logvars=[x, n])
    return lg.ParfactorGraph.of([often, lg.parfactor([b], [1, 3])])


def counted(people: int, states: int) -> lg.ParfactorGraph:
    """A parfactor on the histogram of what people do, beside one on all pairs of people."""
    x = lg.LogVar("X", people)
    does, mood = lg.prv("Does", x, states=states), lg.prv("Mood")
    counts = lg.crv(does, x)
    random = np.random.default_rng(people)
    table = random.integers(1, 1000, (counts.values, 2))
    return lg.ParfactorGraph.of(
        [lg.parfactor([counts, mood], table), lg.parfactor([does], range(1, states + 1))]
    )


def counted_often(people: int, groups: int) -> lg.ParfactorGraph:
    """A parfactor on the histogram of each group, for many groups: powers that need many digits."""
    x, y = lg.LogVar("X", groups), lg.LogVar("Y", people)
    does, mood = lg.prv("Does", x, y), lg.prv("Mood")
    counts = lg.crv(does, y)
    table = np.random.default_rng(people).integers(1, 1000, (counts.values, 2))
    return lg.ParfactorGraph.of([lg.parfactor([counts, mood], table)])


def pairs_often(people: int, groups: int) -> lg.ParfactorGraph:
    """The pairs of people of each group, for many groups."""
    x, y = lg.LogVar("X", groups), lg.LogVar("Y", people)
    z = lg.LogVar("Z", y)
    smokes, mood = lg.prv("Smokes", x, y), lg.prv("Mood")
    table = [[[1003, 1000], [1000, 1002]], [[1001, 1000], [1000, 1004]]]
    pairs = lg.parfactor([mood, smokes(x, y), smokes(x, z)], table, lg.unordered(y, z))
    return lg.ParfactorGraph.of([pairs])


def stack(*sizes: int) -> lg.ParfactorGraph:
    """E above A(X) above B(X, Y) above C(X, Y, Z): powers of sums of powers of sums."""
    logvars = [lg.LogVar(name, size) for name, size in zip("XYZ", sizes, strict=True)]
    prvs = [lg.prv(name, *logvars[:count]) for count, name in enumerate("EABC")]
    pairs = [[prvs[above], prvs[above + 1]] for above in range(3)]
    return lg.ParfactorGraph.of([lg.parfactor(pair, [1, 2, 3, 5]) for pair in pairs])


def states_often(states: int, count: int) -> lg.ParfactorGraph:
    """A large table, repeated very often, of which a variable is summed out."""
    a, b = lg.prv("A"), lg.prv("B", lg.LogVar("X", count), states=states)
    return lg.ParfactorGraph.of(
        [lg.parfactor([a, b], np.random.default_rng(states).integers(1, 10**6, (2, states)))]
    )


def triangles(states: int, count: int) -> lg.ParfactorGraph:
    """Three variables with many states, each with each, independently very often."""
    x, random = lg.LogVar("X", count), np.random.default_rng(states)
    a, b, c = (lg.prv(name, x, states=states) for name in "ABC")
    tables = random.integers(1, 10**6, (3, states, states))
    pairs = [[a, b], [b, c], [c, a]]
    return lg.ParfactorGraph.of([lg.parfactor(*of) for of in zip(pairs, tables, strict=True)])


def distinct(count: int) -> lg.FactorGraph:
    """A chain of tables, all different."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(count + 1)
    for left in range(count):
        builder.add_factor([left, left + 1], [1, 2, 3, left + 7])
    return builder.build()


def people(count: int) -> lg.ParfactorGraph:
    """People, and a common cause."""
    sick, epid = lg.prv("Sick", lg.LogVar("X", count)), lg.prv("Epid")
    return lg.ParfactorGraph.of([lg.parfactor([sick, epid], [1, 2, 3, 4])])


def without_logvars(count: int) -> lg.ParfactorGraph:
    """A chain of parfactors without logvars, all different."""
    prvs = [lg.prv(f"A{index}") for index in range(count + 1)]
    pairs = enumerate(pairwise(prvs))
    return lg.ParfactorGraph.of([lg.parfactor(pair, [1, 2, 3, n + 7]) for n, pair in pairs])


def facts(prv: str, count: int) -> dict[str, str]:
    return {f"{prv}.{index}": ("true", "false")[index % 2] for index in range(1, count + 1)}


def with_facts(model: lg.ParfactorGraph, prv: str, count: int) -> lg.ParfactorGraph:
    return model.given(facts(prv, count))


def lifted(make: Callable[[], lg.FactorGraph]) -> lg.ParfactorGraph:
    return lg.lift(make())


def plate(copies: int) -> lg.ParfactorGraph:
    return datasets.plates(random_network(8), copies, shared=["0"])
