"""What ``ordinary.py`` prints: rows of times side by side, their geometric mean and worst case."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

BLOCK = 0.05  # CPU seconds of a block of calls
MOST_CALLS = 1000  # in a block


@dataclass(frozen=True)
class Row:
    """The CPU seconds of a task here and in another library, or a limit in seconds instead."""

    task: str
    seconds: float
    peer: str
    peer_seconds: float

    @property
    def ratio(self) -> float:
        """How many times as long as the other it takes here."""
        return self.seconds / self.peer_seconds


@dataclass(frozen=True)
class Section:
    """Rows of one kind. ``mean``, ``worst``: the ratios that must not be exceeded, if any."""

    title: str
    rows: Sequence[Row]
    mean: float | None = None
    worst: float | None = None
    note: str = ""


def cpu_seconds(tasks: Sequence[Callable[[], Any]], repeats: int = 5) -> list[float]:
    """The least CPU time of a call of each task, as the mean over a block of calls.

    Blocks of the tasks take turns. Inside a block nothing but the task runs, and garbage is
    collected when Python wants to: a call right after another library's, or after a collection,
    finds the processor's caches empty and takes up to three times as long. The objects of all
    imported libraries are set aside, so that collections do not walk them.
    """
    best = [math.inf] * len(tasks)
    sizes = [_block_size(task) for task in tasks]
    gc.collect()
    gc.freeze()
    for _ in range(repeats):
        for index, (task, size) in enumerate(zip(tasks, sizes, strict=True)):
            start = time.process_time()
            for _ in range(size):
                task()
            best[index] = min(best[index], (time.process_time() - start) / size)
    gc.unfreeze()
    return best


def _block_size(task: Callable[[], Any]) -> int:
    """The number of calls that take about as long as a block should."""
    start = time.process_time()
    task()
    return max(1, min(MOST_CALLS, int(BLOCK / max(time.process_time() - start, 1e-9))))


def once(task: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU time of a task that is run once and takes a second or so, and its result."""
    gc.collect()
    start = time.process_time()
    result = task()
    return time.process_time() - start, result


def geometric_mean(ratios: Iterable[float]) -> float:
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(math.fsum(logs) / len(logs))


def written(section: Section) -> str:
    """A section as Markdown."""
    lines = [f"### {section.title}", ""]
    lines += [f"{section.note}", ""] if section.note else []
    lines += ["| task | liftgraph | compared with | | ratio |", "|---|--:|---|--:|--:|"]
    for row in section.rows:
        seconds, peer = _shown(row.seconds), _shown(row.peer_seconds)
        lines.append(f"| {row.task} | {seconds} | {row.peer} | {peer} | {row.ratio:.3g} |")
    ratios = [row.ratio for row in section.rows]
    mean, worst = geometric_mean(ratios), max(ratios)
    limits = [
        _verdict(name, value, limit)
        for name, value, limit in (
            ("geometric mean", mean, section.mean),
            ("worst", worst, section.worst),
        )
    ]
    return "\n".join([*lines, "", "; ".join(limits) + "."])


def _verdict(name: str, value: float, limit: float | None) -> str:
    if limit is None:
        return f"{name} {value:.3g}"
    return (
        f"{name} {value:.3g} (at most {limit:g}: {'reached' if value <= limit else 'not reached'})"
    )


def _shown(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"
