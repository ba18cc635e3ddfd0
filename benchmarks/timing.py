"""Timing side by side: on a noisy machine only ratios within one run mean anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


def best_times(tasks: Sequence[Callable[[], object]], rounds: int = 9) -> list[float]:
    """The shortest time of each task, in seconds, over rounds in which each runs once."""
    best = [float("inf")] * len(tasks)
    for _ in range(rounds):
        for number, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[number] = min(best[number], time.perf_counter() - start)
    return best
