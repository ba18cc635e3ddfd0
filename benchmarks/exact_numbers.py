"""Exact weights and probabilities of smokers beside a plain loop over the closed form in FLINT.

    python benchmarks/exact_numbers.py [PEOPLE ...]

Needs the extra ``flint``. Times are CPU seconds, the least of some runs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial

from flint import fmpz

from liftgraph import datasets

RUNS = 3


def plain_loop(people: int) -> int:
    """The total weight of ``datasets.smokers``, summed over how many smoke.

    A pair that agrees on smoking weighs 2n + 1, and one that does not 2n.
    """
    alike, different, total = fmpz(2 * people + 1), fmpz(2 * people), fmpz(0)
    for smoking in range(people + 1):
        others = people - smoking
        agreeing = smoking * (smoking - 1) + others * (others - 1)
        pairs = alike**agreeing * different ** (people * (people - 1) - agreeing)
        single = fmpz(1000) ** smoking * fmpz(1001) ** others
        total += fmpz(math.comb(people, smoking)) * single * pairs
    return int(total)


def compared(people: int) -> tuple[float, float]:
    """CPU seconds of the exact Z here and in the plain loop, which are checked to agree."""
    model = datasets.smokers(people)
    assert model.partition(exact=True).z == plain_loop(people)
    ours = cpu_seconds(lambda: datasets.smokers(people).partition(exact=True))
    return ours, cpu_seconds(lambda: plain_loop(people))


def cpu_seconds(work: Callable[[], object]) -> float:
    """The least CPU time of some runs."""
    times = list[float]()
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    print(f"{'people':>8}{'Z':>10}{'plain loop':>12}{'ratio':>8}{'query':>10}{'marginals':>11}")
    for people in [int(word) for word in sys.argv[1:]] or [50, 100, 200, 300]:
        ours, loop = compared(people)
        model = datasets.smokers(people)
        query = cpu_seconds(partial(model.query, "Smokes.1", exact=True))
        marginals = cpu_seconds(partial(model.marginals, exact=True))
        print(f"{people:>8}{ours:>10.4f}{loop:>12.4f}{ours / loop:>8.3f}", end="")
        print(f"{query:>10.4f}{marginals:>11.4f}")


if __name__ == "__main__":
    main()
