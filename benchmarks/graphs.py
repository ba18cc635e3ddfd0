"""The graphs that benchmarks measure, of any size."""

from __future__ import annotations

from math import log2

import numpy as np

import liftgraph as lg

SYMMETRIC, ORDINARY = [[1, 2], [2, 5]], [[1, 2], [3, 5]]


def epidemic(edges: int) -> lg.FactorGraph:
    """φ0(Epid), φ1(Travel_i, Sick_i, Epid), φ2(Sick_i, Epid, Treat_ij) with about so many edges."""
    persons = 2
    while 3 * persons * (1 + round(log2(persons))) < edges:
        persons = persons * 11 // 10 + 1
    medications = round(log2(persons))
    person, treatment = np.arange(persons), np.arange(persons * medications)
    sick, travel, treat = 1 + person, 1 + persons + person, 1 + 2 * persons + treatment
    builder = lg.FactorGraphBuilder()
    builder.add_variables(1 + 2 * persons + persons * medications)
    builder.add_factor([0], [1, 9])
    epid = np.zeros_like(person)
    builder.add_factors(np.stack([travel, sick, epid], axis=1), [3, 7, 2, 5, 8, 1, 6, 4])
    epid, sick = np.zeros_like(treatment), np.repeat(sick, medications)
    builder.add_factors(np.stack([sick, epid, treat], axis=1), [9, 2, 4, 4, 1, 7, 3, 8])
    return builder.build()


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


def grid(side: int) -> lg.FactorGraph:
    """A square grid with a symmetric table on each pair of neighbours."""
    cells = np.arange(side * side).reshape(side, side)
    across = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(side * side)
    builder.add_factors(np.concatenate([across, down]), SYMMETRIC)
    return builder.build()


def smokers(people: int, symmetric: bool = False) -> lg.FactorGraph:
    """φ1(Smokes_x) and φ2(Friends_xy, Smokes_x, Smokes_y) for all x ≠ y."""
    one, other = np.nonzero(~np.eye(people, dtype=np.bool_))
    friends = people + np.arange(len(one))
    builder = lg.FactorGraphBuilder()
    builder.add_variables(people + len(friends))
    builder.add_factors(np.arange(people)[:, None], [1, 2])
    table = [1, 2, 2, 3, 5, 6, 6, 7] if symmetric else [1, 2, 3, 4, 5, 6, 7, 11]
    builder.add_factors(np.stack([friends, one, other], axis=1), table)
    return builder.build()


def schools(number: int, pupils: int, workshops: int) -> lg.FactorGraph:
    """φ(Happy_sp, Workshop_sw) for all pupils and workshops of a school, shuffled."""
    random = np.random.default_rng(number)
    school, pupil, workshop = np.indices((number, pupils, workshops)).reshape(3, -1)
    scopes = np.stack(
        [school * pupils + pupil, number * pupils + school * workshops + workshop], axis=1
    )
    variables = number * (pupils + workshops)
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
    """Pairs of neighbours in a random graph in which all but a few have three."""
    random = np.random.default_rng(variables)
    ends = random.permutation(np.repeat(np.arange(variables), 3)[: 3 * variables // 2 * 2])
    pairs = np.unique(np.sort(ends.reshape(-1, 2), axis=1), axis=0)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    builder.add_factors(pairs[pairs[:, 0] < pairs[:, 1]], SYMMETRIC)
    return builder.build()
