"""The campaign itself: workers get seeds until the time is over, and what they find is stored.

Areas get equal time: the next seed is one of the area that had the least so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from tests.soak.area import Area
from tests.soak.journal import Record, load, save
from tests.soak.storing import REGRESSIONS, store
from tests.soak.worker import Report, Task, Worker

SAVE_EVERY = 5.0  # seconds


@dataclass(frozen=True, slots=True)
class Settings:
    """How long to run, from which seed on, in how many processes, and where files are kept."""

    minutes: float
    seed: int = 0
    jobs: int = 1
    journal: Path = Path("build/soak")
    regressions: Path = REGRESSIONS


def run(
    areas: Mapping[str, Area], settings: Settings, say: Callable[[str], None] = print
) -> dict[str, Record]:
    """Run a campaign; the records are those of this run. Ctrl-C ends it early."""
    known = load(settings.journal)
    campaign = _Campaign(areas, settings, say, {a: known.get(a, Record()) for a in areas})
    workers = [Worker(areas) for _ in range(settings.jobs)]
    try:
        campaign.work(workers)
    except KeyboardInterrupt:
        say("interrupted")
    finally:
        for worker in workers:
            worker.stop()
        save({**known, **campaign.records}, settings.journal)
    return campaign.done


class _Campaign:
    def __init__(
        self,
        areas: Mapping[str, Area],
        settings: Settings,
        say: Callable[[str], None],
        records: dict[str, Record],
    ) -> None:
        self.areas, self.settings, self.say, self.records = areas, settings, say, records
        self.done = {area: Record() for area in areas}
        self.running: dict[str, set[int]] = {area: set() for area in areas}

    def work(self, workers: list[Worker]) -> None:
        """Keep workers at work until the time is over; then wait for those that still are."""
        end = time.monotonic() + 60 * self.settings.minutes
        saved = time.monotonic()
        while True:
            for worker in workers:
                if worker.task is None and time.monotonic() < end:
                    worker.give(self._next_task())
            busy = [worker for worker in workers if worker.task is not None]
            if not busy:
                return
            wait([worker.connection for worker in busy], timeout=1)
            for worker in busy:
                task = worker.task
                if task is not None and (report := worker.report()) is not None:
                    self._note(task, report)
            if time.monotonic() > saved + SAVE_EVERY:
                save({**load(self.settings.journal), **self.records}, self.settings.journal)
                saved = time.monotonic()

    def _next_task(self) -> Task:
        """A new seed of the area that had the least time, counting what is under way."""
        area = min(self.areas, key=lambda name: (self.done[name].seconds, len(self.running[name])))
        record = self.records[area]
        seed = record.next_seed(self.settings.seed, self.running[area])
        self.running[area].add(seed)
        return Task(area, seed, frozenset(record.causes))

    def _note(self, task: Task, report: Report) -> None:
        self.running[task.area].discard(task.seed)
        for record in (self.records[task.area], self.done[task.area]):
            record.add(task.seed)
            record.tried += 1
            record.seconds += report.seconds
            record.failed += report.problem is not None
        if report.problem is not None:
            known = self.records[task.area].causes
            first = known.setdefault(report.problem.cause, task.seed)
            self.done[task.area].causes.setdefault(report.problem.cause, task.seed)
            where = f" (as seed {first})"
            if first == task.seed and report.found is not None:
                where = f" -> {store(report.found, self.settings.regressions)}"
            self.say(f"{task.area} {task.seed}: {report.problem.text}{where}")


def summary(records: Mapping[str, Record]) -> str:
    """A table of what was done, a line for each area."""
    lines = [f"{'area':<12} {'tried':>8} {'failed':>7} {'causes':>7} {'seconds':>8}"]
    for area, record in records.items():
        counts = f"{record.tried:>8} {record.failed:>7} {len(record.causes):>7}"
        lines.append(f"{area:<12} {counts} {record.seconds:>8.0f}")
    return "\n".join(lines)
