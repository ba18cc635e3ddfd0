"""Relational models: random ones for Hypothesis, families whose size is known, and their twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import different, unordered
from liftgraph.model.lifted.logvars import Constraint, Different
from liftgraph.model.lifted.parfactor import Atom

MAX_ASSIGNMENTS = 2000


def families(n: int) -> Iterator[tuple[str, lg.ParfactorGraph]]:
    """Models that are to be found again, with n individuals: each is as small as can be."""
    X = lg.LogVar("X", n)
    Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
    M, B, W = lg.LogVar("M", 3), lg.LogVar("B", 2), lg.LogVar("W", 3)
    E, S, R, Q = lg.prv("E"), lg.prv("S", X), lg.prv("R", X), lg.prv("Q", X)
    T, H, K = lg.prv("T", X, M), lg.prv("H", B, X), lg.prv("K", B, W)
    F = lg.prv("F", X, Y, where=different(X, Y))
    U = lg.prv("U", X, Y, where=unordered(X, Y))
    A, C3 = lg.prv("A", X, Y), lg.prv("C", X, M, W)
    school = lg.prv("School", B)
    plain, other, symmetric = [1, 2, 3, 5], [2, 1, 7, 8], [1, 2, 2, 5]
    three, swaps = [1, 2, 3, 4, 5, 6, 7, 11], [1, 2, 2, 3, 5, 6, 6, 7]
    sums = np.add.outer([[1, 2], [3, 5]], [[1, 2], [3, 5]]).tolist()

    def model(*parfactors: lg.Parfactor) -> lg.ParfactorGraph:
        return lg.ParfactorGraph.of(parfactors)

    p, ne, un = lg.parfactor, different(X, Y), unordered(X, Y)
    yield "star", model(p([S, E], plain))
    yield "functional dependency", model(p([S, E], plain), p([S, E, T], three))
    yield "one-to-one links", model(p([S, Q], plain), p([Q, R], other), p([R, S], [3, 1, 2, 7]))
    yield "complete product", model(p([S, lg.prv("D", W)], plain))
    yield "product with both", model(p([S, lg.prv("D", M), T], three))
    yield "blocks", model(p([H, K], plain))
    yield "blocks with a head", model(p([H, K], plain), p([school, H], other))
    yield "smokers", model(p([S], [1, 2]), p([F, S, S(Y)], three, ne))
    yield "smokers, symmetric", model(p([S], [1, 2]), p([F, S, S(Y)], swaps, ne))
    yield "edges of a clique", model(p([U, S, S(Y)], swaps, un))
    yield "edges and their ends", model(p([U, S], plain, ne))
    yield "unordered pairs", model(p([S, S(Y)], symmetric, un), p([S], [1, 2]))
    yield "unordered pairs of pairs", model(p([S, R, S(Y), R(Y)], sums, un))
    yield (
        "unordered blocks",
        model(p([T, T(Y, lg.LogVar("N", M))], symmetric, un), p([T, E], plain)),
    )
    yield "ordered pairs", model(p([S, S(Y)], plain, ne))
    yield "different links", model(p([S, R(Y)], plain, ne))
    yield "all pairs", model(p([A, S], plain), p([A, S(Y)], other))
    yield "both directions", model(p([F, F(Y, X)], plain, ne), p([F, S], other, ne))
    yield "both directions, symmetric", model(p([F, F(Y, X)], symmetric, un), p([F, S], plain, ne))
    yield "a pair's own partner", model(p([F, F(Y, X)], plain, ne))
    yield "one of the pair counts twice", model(p([R, S, S(Y)], swaps, ne), p([S, E], plain))
    if n > 3:  # with three people, the two others are all there are
        transitive = p([F, F(Y, Z), F(X, Z)], three, different(X, Y, Z))
        yield "transitivity", model(transitive)
        common = p([F, F(Z, Y)], other, different(X, Y, Z))
        yield "friends in common", model(p([F, S], plain, ne), common)
    yield "composites", model(p([C3, lg.prv("G", X, M)], plain), p([C3, lg.prv("L", M, W)], other))
    G, K2, D = lg.prv("G", X, M), lg.prv("G2", X, M), lg.prv("D", M)
    yield "composites with a key", model(p([C3, G], plain), p([G, D, S], three))
    chain = p([C3, G], plain), p([G, K2], other), p([K2, D, S], three)
    yield "a chain of composites", model(*chain)
    yield "counting in blocks", model(p([lg.crv(H, X)], range(1, n + 2)))
    yield "counting", model(p([lg.crv(S, X), E], range(1, 2 * n + 3)))
    yield "counting per block", model(p([lg.crv(H, X), school], range(1, 2 * n + 3)))
    others = lg.crv(S(Y), Y, where=ne)
    yield "counting the others", model(p([others, R], range(1, 2 * n + 1), ne), p([S, R], plain))
    yield "counting all but oneself", model(p([others, S], range(1, 2 * n + 1), ne))
    mine = lg.crv(F, Y, where=ne)
    yield "counting friends", model(p([mine, S], range(1, 2 * n + 1), ne), p([F, S(Y)], plain, ne))
    apart = p([lg.crv(T, M), S(Y)], range(1, 9), ne)
    yield "counting beside another", model(apart, p([T, S], plain))
    yield "repeated factors", model(p([S, E], plain, logvars=[X, M]))


@st.composite
def relational_models(draw: st.DrawFn, places: int = 2) -> lg.ParfactorGraph:
    """Small models with any PRVs, constraints and counting variables that make sense.

    ``places``: how many logvars a PRV has at most, and how many there are of a domain.
    """
    domains = [lg.LogVar(name, draw(st.integers(1, 3))).domain for name in "XM"]
    letters = draw(st.sampled_from(["A", "AB", "ABC"]))
    prvs = [draw(_prvs(name, domains, places)) for name in letters]
    assume(prod(len(prv.states) ** prv.size for prv in prvs) <= MAX_ASSIGNMENTS)
    parfactors = []
    for _ in range(draw(st.integers(1, 3))):
        try:
            parfactors.append(draw(_parfactors(prvs, places)))
        except lg.InputError:
            assume(False)
    return lg.ParfactorGraph.of(parfactors, prvs)


@st.composite
def pairs_beside_counts(draw: st.DrawFn) -> lg.ParfactorGraph:
    """Parfactors of a PRV of pairs with PRVs of a third domain, which several of them share.

    When the pairs are summed out, the third domain is counted in each parfactor, jointly in all.
    """
    x, w, y = draw(st.sampled_from([(2, 1, 2), (1, 2, 2), (2, 2, 2)]))
    X, W, Y = lg.LogVar("X", x), lg.LogVar("W", w), lg.LogVar("Y", y)
    Other = lg.LogVar("Other", Y)
    pairs, single = lg.prv("D", X, W), [lg.prv(name, Y) for name in "ABC"]
    parfactors = []
    for chosen in draw(st.lists(st.sets(st.sampled_from(range(3)), min_size=1), min_size=2)):
        arguments: list[Atom | lg.CRV] = [pairs(X, W), *[single[n](Y) for n in sorted(chosen)]]
        where = draw(st.sampled_from([(), (), (), different(Y, Other)]))
        if where:
            arguments.append(single[draw(st.integers(0, 2))](Other))
        size = 2 ** len(arguments)
        table = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
        parfactors.append(lg.parfactor(arguments, table, where))
    return lg.ParfactorGraph.of(parfactors)


@st.composite
def people(draw: st.DrawFn) -> lg.ParfactorGraph:
    """PRVs about single individuals in random factors: alone, with others, in pairs, counted."""
    X = lg.LogVar("X", draw(st.integers(1, 4)))
    Y = lg.LogVar("Y", X)
    season, weather = lg.prv("Season").atom, lg.prv("Weather").atom
    prvs = lg.prv("A", X), lg.prv("B", X, states=draw(st.integers(2, 3)))
    (a, b), c = [prv.atom for prv in prvs], lg.prv("C", X).atom
    other = prvs[0](Y)
    alone = [a], [b], [a, b], [b, c], [season, a], [weather, b], [season, weather, c]
    pairs = [a, other], [c, other], [season, c, other]
    shapes: list[tuple[Sequence[Atom | lg.CRV], tuple[Constraint, ...]]] = [
        ([season, lg.crv(a, X)], ()),
        *[(arguments, ()) for arguments in alone],
        *[(arguments, different(X, Y)) for arguments in pairs],
    ]
    parfactors = []
    for place in draw(st.lists(st.sampled_from(range(11)), min_size=1, max_size=5, unique=True)):
        arguments, where = shapes[place]
        size = prod([argument.values for argument in arguments])
        table = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
        parfactors.append(lg.parfactor(arguments, table, where))
    return lg.ParfactorGraph.of(parfactors, [prv for prv in prvs if draw(st.booleans())])


@st.composite
def _prvs(draw: st.DrawFn, name: str, domains: list[lg.Domain], places: int) -> lg.PRV:
    chosen = draw(st.lists(st.sampled_from(domains), max_size=places))
    logvars = [lg.LogVar(f"{domain.name}{place}", domain) for place, domain in enumerate(chosen)]
    where: list[Constraint] = []
    for domain in domains:
        of_domain = [logvar for logvar in logvars if logvar.domain == domain]
        if len(of_domain) > 1:
            some = of_domain[: draw(st.integers(2, len(of_domain)))]
            where += draw(st.sampled_from([(), different(*some), unordered(*some)]))
    states = draw(st.sampled_from([("t", "f"), ("t", "f"), ("a",), ("a", "b", "c")]))
    return lg.prv(name, *logvars, states=states, where=where)


@st.composite
def _parfactors(draw: st.DrawFn, prvs: list[lg.PRV], places: int) -> lg.Parfactor:
    """Any arguments with constraints; what makes no sense is refused by the library."""
    arguments: list[Atom | lg.CRV] = []
    logvars: dict[str, lg.LogVar] = {}
    for prv in draw(st.lists(st.sampled_from(prvs), max_size=3)):
        names = [f"{v.domain.name}{draw(st.integers(0, places - 1))}" for v in prv.logvars]
        chosen = [lg.LogVar(name, v.domain) for name, v in zip(names, prv.logvars, strict=True)]
        logvars |= dict(zip(names, chosen, strict=True))
        arguments.append(prv(*chosen))
    where: list[Constraint] = []
    for a, b in combinations(sorted(logvars), 2):
        if logvars[a].domain == logvars[b].domain:
            pair = logvars[a], logvars[b]
            where += draw(st.sampled_from([(), different(*pair), unordered(*pair)]))
    counting: bool = draw(st.booleans())
    if arguments and counting:
        atom = arguments[0]
        if isinstance(atom, Atom) and atom.logvars:
            counted = atom.logvars[-1]
            apart = [constraint for constraint in where if isinstance(constraint, Different)]
            about = [pair for pair in apart if counted in (pair.first, pair.second)]
            arguments[0] = lg.crv(atom, counted, where=about)
    shape = tuple(argument.values for argument in arguments)
    entries = draw(st.sampled_from([st.integers(0, 3), st.integers(1, 9)]))
    table = draw(st.lists(entries, min_size=prod(shape), max_size=prod(shape)))
    repeated = [lg.LogVar("N", 2)] if draw(st.integers(0, 5)) == 0 else []
    crvs = [argument for argument in arguments if isinstance(argument, lg.CRV)]
    free = [v for v in logvars.values() if not any(v in crv.counted for crv in crvs)]
    return lg.parfactor(arguments, table, where, [*free, *repeated])


@st.composite
def shuffled(draw: st.DrawFn, graph: lg.FactorGraph, named: bool = False) -> lg.FactorGraph:
    """The same graph with variables, factors and arguments in any order, and factors scaled."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return in_any_order(graph, random, named)


def in_any_order(
    graph: lg.FactorGraph, random: np.random.Generator, named: bool = False
) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    order = random.permutation(graph.variable_count).tolist()
    for variable in order:
        builder.add_variable(graph.name(variable) if named else None, graph.states(variable))
    place = {variable: index for index, variable in enumerate(order)}
    for factor in random.permutation(graph.factor_count).tolist():
        scope, table = graph.factors[factor].parts
        axes = random.permutation(len(scope)).tolist()
        scale = Fraction(int(random.integers(1, 4)), 2) if table.integers.any() else 1
        integers = table.integers.transpose(axes).copy()
        moved = [place[scope[axis]] for axis in axes]
        builder.add_factor(moved, lg.Table(integers, table.scale * scale))
    return builder.build().observing({place[v]: s for v, s in graph.evidence.items()})


def naive_ground(model: lg.ParfactorGraph) -> list[tuple[tuple[str, ...], lg.Table]]:
    """Scopes by name and tables of all factors, one substitution after the other."""
    factors = []
    for parfactor in model.parfactors:
        for individuals in product(*(range(logvar.size) for logvar in parfactor.logvars)):
            chosen = dict(zip(parfactor.logvars, individuals, strict=True))
            if _all_hold(parfactor, chosen):
                factors.append(_naive_factor(parfactor, chosen))
    return factors


def _about(constraint: Constraint) -> tuple[lg.LogVar, ...]:
    if isinstance(constraint, Different):
        return constraint.first, constraint.second
    return constraint.logvars


def _all_hold(parfactor: lg.Parfactor, chosen: dict[lg.LogVar, int]) -> bool:
    """Whether individuals satisfy the constraints on the logvars that they are chosen for."""
    about = [c for c in parfactor.constraints if set(_about(c)) <= set(chosen)]
    return all(_holds(constraint, chosen) for constraint in about)


def _holds(constraint: Constraint, chosen: dict[lg.LogVar, int]) -> bool:
    individuals = [chosen[logvar] for logvar in _about(constraint)]
    if isinstance(constraint, Different):
        return individuals[0] != individuals[1]
    return individuals == sorted(set(individuals))


def _naive_name(atom: Atom, chosen: dict[lg.LogVar, int]) -> str:
    individuals = [chosen[logvar] for logvar in atom.logvars]
    for constraint in atom.prv.constraints:
        if not isinstance(constraint, Different):
            places = [atom.prv.logvars.index(logvar) for logvar in constraint.logvars]
            increasing = sorted(individuals[place] for place in places)
            for place, individual in zip(places, increasing, strict=True):
                individuals[place] = individual
    domains = [logvar.domain for logvar in atom.prv.logvars]
    names = [domain.individual(i) for domain, i in zip(domains, individuals, strict=True)]
    return ".".join([atom.prv.name, *names])


def _naive_factor(
    parfactor: lg.Parfactor, chosen: dict[lg.LogVar, int]
) -> tuple[tuple[str, ...], lg.Table]:
    """The scope, and potentials looked up by counting states one by one."""
    scope: list[str] = []
    blocks: list[tuple[int, int, bool]] = []  # states, arguments, counted
    for argument in parfactor.arguments:
        if isinstance(argument, Atom):
            scope.append(_naive_name(argument, chosen))
            blocks.append((len(argument.prv.states), 1, False))
            continue
        start = len(scope)
        for individuals in product(*(range(logvar.size) for logvar in argument.counted)):
            both = chosen | dict(zip(argument.counted, individuals, strict=True))
            if _all_hold(parfactor, both):
                scope.append(_naive_name(argument.atom, both))
        blocks.append((len(argument.atom.prv.states), len(scope) - start, True))
    shape = [states for states, arguments, _ in blocks for _ in range(arguments)]
    entries = [parfactor.table.potential(_entry(blocks, s)) for s in product(*map(range, shape))]
    return tuple(scope), lg.Table.of(entries, shape)


def _entry(blocks: list[tuple[int, int, bool]], states: tuple[int, ...]) -> tuple[int, ...]:
    entry = []
    for count, arguments, counted in blocks:
        mine, states = states[:arguments], states[arguments:]
        histogram = tuple(mine.count(state) for state in range(count))
        every = sorted(
            tuple(row.count(s) for s in range(count))
            for row in {tuple(sorted(r)) for r in product(range(count), repeat=arguments)}
        )
        entry.append(every.index(histogram) if counted else mine[0])
    return tuple(entry)
