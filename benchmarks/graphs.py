"""The graphs that benchmarks measure, of any size."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np

import liftgraph as lg
from liftgraph import datasets

SYMMETRIC, ORDINARY = [[1, 2], [2, 5]], [[1, 2], [3, 5]]


def epidemic(edges: int) -> lg.FactorGraph:
    """The epidemic with about this many edges; without names, which cost more than the graph."""
    persons = 2
    while 3 * persons * (1 + round(log2(persons))) < edges:
        persons = persons * 11 // 10 + 1
    return replace(datasets.epid(persons).ground(), names=None)


def smokers(people: int, symmetric: bool = False) -> lg.FactorGraph:
    """Smokers and friends, with a table that tells X from Y, or a symmetric one."""
    table = [1, 2, 2, 3, 5, 6, 6, 7] if symmetric else [1, 2, 3, 4, 5, 6, 7, 11]
    smokes, friends = datasets.smokers(people).parfactors
    alike = replace(friends, potential=lg.Table.of(table, (2, 2, 2)))
    return replace(lg.ParfactorGraph.of([smokes, alike]).ground(), names=None)


def path(variables: int) -> lg.FactorGraph:
    """Variables in a row with a symmetric table on each pair of neighbours."""
    first = np.arange(variables - 1)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    builder.add_factors(np.stack([first, first + 1], axis=1), SYMMETRIC)
    return builder.build()


def hub(factors: int) -> lg.FactorGraph:
    """One variable in all factors."""
    leaves = 1 + np.arange(factors)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(factors + 1)
    builder.add_factors(np.stack([np.zeros_like(leaves), leaves], axis=1), ORDINARY)
    return builder.build()


def schools(school_count: int, pupils: int, workshops: int) -> lg.FactorGraph:
    """φ(Happy_sp, Workshop_sw) for all pupils and workshops of a school, shuffled."""
    random = np.random.default_rng(school_count)
    school, pupil, workshop = np.indices((school_count, pupils, workshops)).reshape(3, -1)
    scopes = np.stack(
        [school * pupils + pupil, school_count * pupils + school * workshops + workshop], axis=1
    )
    variables = school_count * (pupils + workshops)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    builder.add_factors(random.permutation(variables)[random.permutation(scopes)], ORDINARY)
    return builder.build()


def ring(variables: int) -> lg.FactorGraph:
    """Variables in a circle with a symmetric table on each pair of neighbours."""
    first = np.arange(variables)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    builder.add_factors(np.stack([first, (first + 1) % variables], axis=1), SYMMETRIC)
    return builder.build()


def random_regular(variables: int) -> lg.FactorGraph:
    """Pairs of neighbours in a random graph; almost all variables have three neighbours."""
    random = np.random.default_rng(variables)
    ends = random.permutation(np.repeat(np.arange(variables), 3)[: 3 * variables // 2 * 2])
    pairs = np.unique(np.sort(ends.reshape(-1, 2), axis=1), axis=0)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    builder.add_factors(pairs[pairs[:, 0] < pairs[:, 1]], SYMMETRIC)
    return builder.build()
