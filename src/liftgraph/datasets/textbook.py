"""Models that textbooks and papers on lifted inference use, of any size.

Potentials are chosen such that, at any size, many different numbers of individuals in a state are
likely: so answers stay away from 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgraph.datasets.sizes import checked_size
from liftgraph.display import counted
from liftgraph.errors import InputError
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.builder import parfactor, prv
from liftgraph.model.lifted.logvars import LogVar, different, unordered
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


def smokers(people: int) -> ParfactorGraph:
    """Smokers and friends: φ1(Smokes(X)), φ2(Friends(X, Y), Smokes(X), Smokes(Y)) with X ≠ Y.

    Friends are slightly more likely to agree on smoking. There are at least two people.

    >>> smokers(1000)
    ParfactorGraph(2 PRVs for 1,000,000 variables, 2 parfactors for 1,000,000 factors)
    """
    n = checked_size("people", people, 2)
    X = LogVar("X", n)
    Y, smokes = LogVar("Y", X), prv("Smokes", X)
    friends = prv("Friends", X, Y, where=different(X, Y))
    table = [n + 1, n, n, n + 1, *[n] * 4]
    alike = parfactor([friends, smokes, smokes(Y)], table, different(X, Y))
    return ParfactorGraph.of([parfactor([smokes], [1000, 1001]), alike])


def workshops(people: int, workshop_count: int) -> ParfactorGraph:
    """Competing workshops: φ1(Attends(X), Hot(W)), φ2(Attends(X), Series).

    >>> workshops(1000, 20)
    ParfactorGraph(3 PRVs for 1,021 variables, 2 parfactors for 21,000 factors)
    """
    sizes = checked_size("people", people, 1), checked_size("workshops", workshop_count, 1)
    X, W, n = LogVar("X", sizes[0]), LogVar("W", sizes[1]), max(sizes)
    attends = prv("Attends", X)
    popular = parfactor([attends, prv("Hot", W)], [n + 1, n, n, n])
    regular = parfactor([attends, prv("Series")], [n + 1, n, n, n + 1])
    return ParfactorGraph.of([popular, regular])


def clique(variables: int) -> ParfactorGraph:
    """A symmetric clique: φ1({S(X), S(Y)}) for all pairs, φ2(S(X)); at least two variables.

    >>> clique(1000)
    ParfactorGraph(1 PRV for 1,000 variables, 2 parfactors for 500,500 factors)
    """
    n = checked_size("variables", variables, 2)
    X = LogVar("X", n)
    Y, S = LogVar("Y", X), prv("S", X)
    pair = parfactor([S(X), S(Y)], [n + 1, n, n, n + 1], unordered(X, Y))
    return ParfactorGraph.of([pair, parfactor([S], [1000, 1001])])


def plates(graph: FactorGraph, copies: int, shared: Sequence[str] = ()) -> ParfactorGraph:
    """A network on a plate: copies of it, all of them connected to the shared variables.

    Factors on shared variables alone stand outside the plate. Precondition: no evidence.

    >>> builder = FactorGraphBuilder()
    >>> variables = builder.add_variables(["Rain", "Wet"])
    >>> factor = builder.add_factor(["Rain"], [1, 9])
    >>> factor = builder.add_factor(["Rain", "Wet"], [8, 2, 1, 9])
    >>> plates(builder.build(), 1000, shared=["Rain"])
    ParfactorGraph(2 PRVs for 1,001 variables, 2 parfactors for 1,001 factors)
    """
    copy = LogVar("Copy", checked_size("copies", copies, 1))
    if len(graph.evidence):
        raise InputError(
            f"plates: expected no evidence, got {counted(len(graph.evidence), 'observed variable')}"
        )
    outside = {graph.variable(name) for name in shared}
    prvs = [
        prv(graph.name(v), *[copy] * (v not in outside), states=graph.states(v))
        for v in range(graph.variable_count)
    ]
    factors = graph.factors
    parfactors = [parfactor([prvs[v] for v in factor.scope], factor.table) for factor in factors]
    return ParfactorGraph.of(parfactors, prvs)


def grid(rows: int, columns: int) -> FactorGraph:
    """A grid with a symmetric table on each pair of neighbours. Logvars describe little of it.

    >>> grid(3, 4)
    FactorGraph(12 variables, 17 factors, 1 table, 0 observed)
    """
    sides = checked_size("rows", rows, 1), checked_size("columns", columns, 1)
    cells = np.arange(sides[0] * sides[1]).reshape(sides)
    across = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], axis=1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], axis=1)
    builder = FactorGraphBuilder()
    builder.add_variables(cells.size)
    builder.add_factors(np.concatenate([across, down]), [[2, 1], [1, 2]])
    return builder.build()
