"""Models written with logvars, for any number of individuals."""

from __future__ import annotations

from math import log2

import liftgraph as lg
from liftgraph import LogVar, ParfactorGraph, different, parfactor, prv, unordered


def epidemic(d: int) -> ParfactorGraph:
    """φ0(Epid), φ1(Travel(P), Sick(P), Epid), φ2(Sick(P), Epid, Treat(P, M)); |M| = log2 |P|."""
    P, M = LogVar("P", d), LogVar("M", max(1, round(log2(d))))
    epid, travel, sick, treat = prv("Epid"), prv("Travel", P), prv("Sick", P), prv("Treat", P, M)
    return ParfactorGraph.of(
        [
            parfactor([epid], [1, 9]),
            parfactor([travel, sick, epid], [3, 7, 2, 5, 8, 1, 6, 4]),
            parfactor([sick, epid, treat], [9, 2, 4, 4, 1, 7, 3, 8]),
        ]
    )


def employee(d: int) -> ParfactorGraph:
    """φ1(Com(E)), φ2(Com(E), Rev), φ3(Com(E), Rev, Sal(E))."""
    E = LogVar("E", d)
    competence, revenue, salary = prv("Com", E), prv("Rev"), prv("Sal", E)
    return ParfactorGraph.of(
        [
            parfactor([competence], [3, 5]),
            parfactor([competence, revenue], [4, 1, 2, 6]),
            parfactor([competence, revenue, salary], [7, 2, 3, 3, 5, 8, 1, 9]),
        ]
    )


def ds(d: int, n: int = 4) -> ParfactorGraph:
    """φ1(R0, R1(X)), φ2(R1(X), …, R(n + 1)(X))."""
    X = LogVar("X", d)
    first, own = prv("R0"), [prv(f"R{i}", X) for i in range(1, n + 2)]
    table = [1 + (7 * i * i + 3 * i) % 10 for i in range(2 ** (n + 1))]
    return ParfactorGraph.of([parfactor([first, own[0]], [2, 3, 5, 4]), parfactor(own, table)])


def clique(n: int) -> ParfactorGraph:
    """φ(S(X), S(Y)) for all pairs, symmetric and nearly balanced."""
    X = LogVar("X", n)
    Y, S = LogVar("Y", X), prv("S", X)
    pair = parfactor([S(X), S(Y)], [n + 1, n, n, n + 1], unordered(X, Y))
    return ParfactorGraph.of([pair, parfactor([S], [1000, 1001])])


def smokers(n: int) -> ParfactorGraph:
    """φ1(Smokes(X)), φ2(Friends(X, Y), Smokes(X), Smokes(Y)) with X ≠ Y."""
    X = LogVar("X", n)
    Y, smokes = LogVar("Y", X), prv("Smokes", X)
    friends = prv("Friends", X, Y, where=different(X, Y))
    table = [n + 1, n, n, n + 1, n, n, n, n]
    alike = parfactor([friends, smokes, smokes(Y)], table, different(X, Y))
    return ParfactorGraph.of([parfactor([smokes], [1000, 1001]), alike])


def workshops(people: int, number: int) -> ParfactorGraph:
    """φ1(Attends(X), Hot(W)), φ2(Attends(X), Series)."""
    X, W = LogVar("X", people), LogVar("W", number)
    attends = prv("Attends", X)
    pairs = parfactor([attends, prv("Hot", W)], [number + 1, number, number, number])
    return ParfactorGraph.of([pairs, parfactor([attends, prv("Series")], [3, 4, 5, 2])])


def fresh(model: ParfactorGraph) -> ParfactorGraph:
    """The same model without anything that queries keep for later ones."""
    return lg.ParfactorGraph(model.prvs, model.parfactors, model.origin)
