"""Blocks of which some members were observed, beside the same blocks without observations.

    python benchmarks/blocks.py

500 blocks of ten people and ten machines, with a variable for each pair in a block. Every question
is a first one: lifting is included, making the factor graph is not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

import liftgraph as lg

BLOCKS, MEMBERS = 500, 10
OBSERVED = (0, 1, 10, 100, 500)
SHARES = (0.01, 0.1)


def blocks(count: int = BLOCKS, members: int = MEMBERS) -> lg.FactorGraph:
    """Blocks of people A and machines K, and what people do to machines, W, as a factor graph."""
    B, X, Y = lg.LogVar("B", count), lg.LogVar("X", members), lg.LogVar("Y", members)
    A, K, W = lg.prv("A", B, X), lg.prv("K", B, Y), lg.prv("W", B, X, Y)
    parfactors = [lg.parfactor([W, A, K], range(1, 9)), lg.parfactor([A], [1, 2])]
    return lg.ParfactorGraph.of(parfactors).ground()


def alike(observed: int) -> dict[str, str]:
    """One person in each of some blocks, and a machine in every second of them: two patterns."""
    people = {f"A.{block}.{1 + block % 7}": "true" for block in range(1, observed + 1)}
    machines = {f"K.{block}.{1 + block % 5}": "false" for block in range(2, observed + 1, 2)}
    return people | machines


def scattered(share: float, count: int = BLOCKS, members: int = MEMBERS) -> dict[str, str]:
    """A share of all people and machines, in random states: a hundred patterns."""
    random = np.random.default_rng(17)
    places = product("AK", range(1, count + 1), range(1, members + 1))
    names = [f"{prv}.{block}.{member}" for prv, block, member in places]
    chosen = [name for name in names if random.random() < share]
    return {name: str(random.choice(["true", "false"])) for name in chosen}


def question_seconds(
    graph: lg.FactorGraph, given: dict[str, str], method: str = "auto"
) -> tuple[float, lg.Partition]:
    """CPU seconds of a first question, and its answer."""
    fresh = replace(graph)
    start = time.process_time()
    answer = fresh.partition(given=given, method=method)
    return time.process_time() - start, answer


def lines() -> Iterator[str]:
    """For each set of observations, the time beside that without observations."""
    graph = blocks()
    cases = {f"{observed:,} blocks observed": alike(observed) for observed in OBSERVED}
    cases |= {f"{share:.0%} of all members observed": scattered(share) for share in SHARES}
    first = 0.0
    for name, given in cases.items():
        seconds, answer = question_seconds(graph, given)
        first = first or seconds
        times = f"{1000 * seconds:6.0f} ms, {seconds / first:4.2f}× of no observation"
        yield f"{name:26} {times}; {answer.method}"


def check(count: int = 12, members: int = 3) -> None:
    """Compare answers with those of ground elimination, on smaller blocks."""
    graph = blocks(count, members)
    for given in ({}, scattered(0.2, count, members)):
        answers = [question_seconds(graph, given, method)[1] for method in ("lifted", "ground")]
        assert np.isclose(answers[0].log_z, answers[1].log_z, rtol=1e-12), answers


def main() -> None:
    check()
    for line in lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
