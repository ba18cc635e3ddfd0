"""A process that checks cases one after the other, and may crash while it does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from typing import cast

from tests.soak.area import Area
from tests.soak.attempt import Problem, attempt, problem_of
from tests.soak.shrinking import SECONDS, shrunk
from tests.soak.storing import Regression, regression_of

PATIENCE = 30.0  # seconds beyond its limit after which a worker that cannot be stopped is killed
_FORK = get_context("fork")  # a new worker knows what its parent has loaded


@dataclass(frozen=True, slots=True)
class Task:
    """A seed to try. ``causes``: those that are known, whose cases need not be made small."""

    area: str
    seed: int
    causes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a task. ``found``: what failed, if its cause is new."""

    seconds: float
    problem: Problem | None
    found: Regression | None = None


def tried(area: Area, task: Task) -> Report:
    """Draw a case, check it, and make it small if it fails for a new cause."""
    start = time.monotonic()
    try:
        case = area.draw(Random(task.seed))
    except Exception as error:  # drawing writes files and builds models
        return Report(time.monotonic() - start, problem_of(error))
    problem = attempt(area, case)
    found = None
    if problem is not None and problem.cause not in task.causes:
        smallest = shrunk(area, case, problem)
        found = regression_of(area.name, task.seed, problem, smallest)
    return Report(time.monotonic() - start, problem, found)


def _work(areas: Mapping[str, Area], connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the campaign is interrupted, and ends workers
    campaign = os.getppid()
    while True:
        while not connection.poll(1):
            if os.getppid() != campaign:  # it was killed, and nobody waits for reports
                return
        task = connection.recv()
        connection.send(tried(areas[task.area], task))


class Worker:
    """A worker as the campaign sees it; ``task`` is None while it has nothing to do."""

    def __init__(self, areas: Mapping[str, Area]) -> None:
        self._areas = areas
        self.task: Task | None = None
        self._start()

    def _start(self) -> None:
        self.connection, theirs = _FORK.Pipe()
        self._process = _FORK.Process(target=_work, args=(self._areas, theirs))
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        """Let it try a seed."""
        self.task, self._since = task, time.monotonic()
        self.connection.send(task)

    def report(self) -> Report | None:
        """What came of its task; None as long as it works. A worker that crashed is replaced."""
        assert self.task is not None
        area, passed = self._areas[self.task.area], time.monotonic() - self._since
        if self.connection.poll():
            try:
                report = self.connection.recv()
            except (EOFError, ConnectionResetError):
                report = self._replaced("the process died")
            self.task = None
            return cast(Report, report)
        if passed > area.seconds + SECONDS + PATIENCE:  # the time of the case and of shrinking it
            report = self._replaced("nothing stops it after its time")
            self.task = None
            return report
        return None

    def _replaced(self, cause: str) -> Report:
        """Start anew; the case is reported as it was drawn."""
        assert self.task is not None
        self.stop()
        problem = Problem(cause, f"{cause} (exit status {self._process.exitcode})")
        self._start()
        case = self._areas[self.task.area].draw(Random(self.task.seed))
        found = regression_of(self.task.area, self.task.seed, problem, case)
        new = cause not in self.task.causes
        return Report(time.monotonic() - self._since, problem, found if new else None)

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.join(0.2)  # one that crashed has an exit status to tell
        self._process.kill()
        self._process.join()
        self.connection.close()
