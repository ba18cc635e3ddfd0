"""The same questions put to two versions of the library in one run: CPU time and peak memory.

    python benchmarks/before_after.py OTHER_CHECKOUT/src [WORDS OF A TASK ...]

Each version has a long-lived process of its own; for every task they take turns, so that a busy
moment of the machine hits both, and the best CPU time of each counts. The peak is what Python
allocates, traced in a run of its own. Both versions must give the same answer. Ratios above 1.05
are marked, times only if they are still above after some more turns.
"""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks import TASKS, Task

import liftgraph as lg

WORSE = 1.05  # a ratio above is marked
PATIENCE = 1.0  # seconds of turns, of both versions together
FEWEST, MOST = 4, 40  # turns
# One thread, the same hashes, and memory that stays with the process: page faults are not timed.
STEADY = {
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
}
SHORT = 0.02  # CPU seconds of a run which the state of the processor's caches may change
ROUNDS = 4  # of turns, unless the ratio is fine earlier


def timed(task: Task) -> dict[str, Any]:
    """A run's CPU time in milliseconds, and its answer.

    The collection before it empties the processor's caches, so what is short runs twice.
    """
    gc.collect()
    seconds, answer = _run(task)
    if seconds < SHORT:
        seconds, answer = _run(task)
    return {"cost": 1e3 * seconds, "answer": list(numbers(answer))}


def _run(task: Task) -> tuple[float, Any]:
    made = task.make()
    start = time.process_time()
    answer = task.run(made)
    return time.process_time() - start, answer


def traced(task: Task) -> dict[str, Any]:
    """The peak of what a run allocates, in megabytes."""
    made = task.make()
    gc.collect()
    tracemalloc.start()
    task.run(made)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"cost": peak / 1e6}


def numbers(answer: Any) -> Iterator[float]:
    """What two versions must agree on."""
    sizes = ("variable_count", "factor_count", "variable_group_count", "factor_group_count")
    for name in (*sizes, "log_z", "log_weight"):
        if isinstance(value := getattr(answer, name, None), int | float):
            yield value
    if isinstance(answer, lg.Marginal):
        yield from answer.probabilities.flat
    elif isinstance(answer, lg.Marginals):
        yield from (marginal.probabilities[0] for marginal in answer.values())


class Version:
    """A process in which tasks run with one version of the library."""

    def __init__(self, source: Path) -> None:
        variables = os.environ | STEADY | {"PYTHONPATH": str(source)}
        command = [sys.executable, __file__, "--work"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=variables, text=True)
        if not self._told().startswith(str(source)):
            raise SystemExit(f"expected liftgraph in {source}")

    def _told(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def measure(self, how: str, task: str) -> dict[str, Any]:
        """Run a task there and measure it, ``timed`` or ``traced``."""
        assert self._process.stdin is not None
        print(json.dumps([how, task]), file=self._process.stdin, flush=True)
        measured: dict[str, Any] = self._told()
        return measured


def work() -> None:
    """Say which version this is, then measure what is asked for."""
    print(json.dumps(str(Path(lg.__file__).resolve())), flush=True)
    for line in sys.stdin:
        how, task = json.loads(line)
        print(json.dumps({"timed": timed, "traced": traced}[how](TASKS[task])), flush=True)


def compared(task: str, versions: list[Version]) -> list[float]:
    """The best time and the peak of each version: before and after, before and after."""
    start = time.perf_counter()
    turns = [[version.measure("timed", task) for version in versions]]
    answers = [measured["answer"] for measured in turns[0]]
    if len({*map(len, answers)}) > 1 or not all(map(math.isclose, *answers)):
        raise SystemExit(f"{task}: expected the same answers, got {answers}")
    patience = int(PATIENCE / (time.perf_counter() - start))
    for _ in range(ROUNDS):
        repeats = min(max(patience, FEWEST), MOST)
        turns += [[version.measure("timed", task) for version in versions] for _ in range(repeats)]
        best = [min(turn[place]["cost"] for turn in turns[1:]) for place in range(2)]
        if best[1] <= WORSE * best[0]:
            break
    return [*best, *(version.measure("traced", task)["cost"] for version in versions)]


def ratio(before: float, after: float) -> str:
    quotient = after / before if before else 1.0
    return f"{quotient:6.2f}{' !' if quotient > WORSE else '  '}"


def main(source: str, *words: str) -> None:
    own = Path(__file__).resolve().parents[1] / "src"
    versions = [Version(Path(source).resolve()), Version(own)]
    header = ("before ms", "after ms", "ratio  ", "before MB", "after MB", "ratio  ")
    print(f"{'task':32}", *(f"{title:>10}" for title in header))
    for task in TASKS:
        if all(word in task for word in words):
            *times, low, high = compared(task, versions)
            cells = [*(f"{ms:10.3f}" for ms in times), f"{ratio(*times):>10}"]
            cells += [f"{low:10.3f}", f"{high:10.3f}", f"{ratio(low, high):>10}"]
            print(f"{task:32}", *cells, flush=True)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main(*sys.argv[1:])
