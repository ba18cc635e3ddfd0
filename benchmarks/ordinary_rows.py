"""What ``ordinary.py`` prints: rows of times side by side, their geometric mean and worst case."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


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
    """The least CPU time of each task; they take turns.

    Garbage is collected between them, for which the objects of all imported libraries are set
    aside: walking these would empty the processor's caches before each task.
    """
    best = [math.inf] * len(tasks)
    gc.collect()
    gc.freeze()
    for _ in range(repeats):
        for index, task in enumerate(tasks):
            gc.collect()
            start = time.process_time()
            task()
            best[index] = min(best[index], time.process_time() - start)
    gc.unfreeze()
    return best


def once(task: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU time of a task that is run once, and its result."""
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
