"""Smokers and friends from a frame of a million friendships, beside reading its rows one by one.

python benchmarks/templates.py [PEOPLE]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

import liftgraph as lg
from liftgraph.experiments.timing import best_times, lifting

FRIENDS = 10  # of each person


def tables(people: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People, a tenth of them asked; friends in circles of eleven, in any order."""
    random = np.random.default_rng(0)
    names = np.array([f"p{index}" for index in range(people)], dtype=object)
    circles = np.arange(people // (FRIENDS + 1) * (FRIENDS + 1)).reshape(-1, FRIENDS + 1)
    pairs = [circles[:, [a, b]] for a in range(FRIENDS + 1) for b in range(FRIENDS + 1) if a != b]
    rows = random.permutation(np.concatenate(pairs))
    friends = pd.DataFrame({"person": names[rows[:, 0]], "friend": names[rows[:, 1]]})
    asked = ["true" if chance < 0.1 else None for chance in random.random(people).tolist()]
    return pd.DataFrame({"name": names, "smokes": asked}), friends


def template() -> lg.Template:
    person = lg.Domain("person")
    X, Y = lg.LogVar("X", person), lg.LogVar("Y", person)
    smokes, friends = lg.prv("Smokes", X), lg.relation("friends", "person", "friend")
    alike = lg.rule([smokes(X), smokes(Y)], [[3, 1], [1, 4]], over=friends(X, Y))
    return lg.Template([lg.rule([smokes], [1, 2]), alike])


def main() -> None:
    people, friends = tables(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    instantiate = partial(template().instantiate, {"person": people["name"]}, {"friends": friends})
    evidence = {"Smokes": (people, ["name", "smokes"])}
    graph = instantiate()
    assert isinstance(graph, lg.FactorGraph)
    print(repr(graph))
    tasks: dict[str, Callable[[], object]] = {
        "rows one by one (itertuples)": lambda: sum(1 for _ in friends.itertuples()),
        "pandas.factorize of both columns": lambda: [pd.factorize(friends[c]) for c in friends],
        "instantiate": instantiate,
        "instantiate with evidence": partial(instantiate, evidence),
        "colour passing": lambda: lg.colour_passing(replace(graph)),
        "lift": lifting(graph),
    }
    times, results = best_times(list(tasks.values()), repeats=3)
    for name, seconds in zip(tasks, times, strict=True):
        print(f"{name:34} {seconds:7.3f} s  {seconds / times[0]:6.2f} times the first")
    print(repr(results[-1]))


if __name__ == "__main__":
    main()
