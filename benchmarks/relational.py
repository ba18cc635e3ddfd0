"""Relational data with little symmetry: many people, few friendships at random, some of them asked.

    python benchmarks/relational.py [PEOPLE]

Evidence cuts the friendships into many small components. The first query and the next, those by
ground elimination, and all marginals; CPU time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import liftgraph as lg

FRIENDSHIPS = 0.6  # for each person
OBSERVED = 0.3  # of the people


def template() -> lg.Template:
    """Whoever smokes has friends who smoke."""
    person = lg.Domain("person")
    X, Y = lg.LogVar("X", person), lg.LogVar("Y", person)
    smokes, friends = lg.prv("Smokes", X), lg.relation("friends", "person", "friend")
    alike = lg.rule([smokes(X), smokes(Y)], [[3, 1], [1, 2]], over=friends(X, Y))
    return lg.Template([lg.rule([smokes], [1, 3]), alike])


def model(people: int = 100_000, seed: int = 0) -> lg.FactorGraph:
    """People, their friends, and who of those asked smokes."""
    random = np.random.default_rng(seed)
    pairs = np.unique(random.integers(0, people, (int(FRIENDSHIPS * people), 2)), axis=0)
    friends = pairs[pairs[:, 0] != pairs[:, 1]]
    asked = np.flatnonzero(random.random(people) < OBSERVED)
    answers = np.where(random.random(len(asked)) < 0.3, "true", "false")
    graph = template().instantiate(
        {"person": people},
        {"friends": {"person": friends[:, 0] + 1, "friend": friends[:, 1] + 1}},
        {"Smokes": {"X": asked + 1, "value": answers}},
    )
    assert isinstance(graph, lg.FactorGraph)
    return graph


def seconds(task: Callable[[], Any]) -> float:
    """The CPU time of a task."""
    start = time.process_time()
    task()
    return time.process_time() - start


def times(people: int = 100_000) -> dict[str, float]:
    """The CPU time of each question, in seconds."""
    graph, again, other = (model(people) for _ in range(3))
    free = [v for v in range(people) if v not in graph.evidence]
    return {
        "first query": seconds(lambda: graph.query(free[0])),
        "next query": min(seconds(lambda v=v: graph.query(v)) for v in free[1:20]),  # type: ignore[misc]
        "first query, ground": seconds(lambda: again.query(free[0], method="ground")),
        "all marginals": seconds(lambda: other.marginals()),
    }


def main() -> None:
    for name, cpu in times(*map(int, sys.argv[1:])).items():
        print(f"{name:24} {cpu:8.3f} s")


if __name__ == "__main__":
    main()
