"""A progress bar in the terminal for everything that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Protocol

from liftgraph.cli.colours import is_terminal
from liftgraph.errors import one_line

_PATIENCE = 1.0  # seconds
_INTERVAL = 0.1


class Reporter(Protocol):
    """Receives the stage that a command has reached and the share of it that is done."""

    def stage(self, what: str) -> None: ...
    def done(self, share: float) -> None: ...


class _Silent:
    def stage(self, what: str) -> None:
        pass

    def done(self, share: float) -> None:
        pass


@contextmanager
def reporting() -> Iterator[Reporter]:
    """A reporter that shows a bar on stderr after a second, if stderr is a terminal."""
    if not is_terminal(sys.stderr):
        yield _Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)

    class Bar:
        task: TaskID = bar.add_task("starting", total=None)
        shown = 0.0

        def stage(self, what: str) -> None:
            bar.update(self.task, description=one_line(what), total=None)
            self.shown = 0.0

        def done(self, share: float) -> None:
            now = time.monotonic()
            if now - self.shown > _INTERVAL:  # steps are short, drawing takes longer
                bar.update(self.task, total=1.0, completed=share)
                self.shown = now

    timer = Timer(_PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield Bar()
    finally:
        timer.cancel()
        timer.join()  # otherwise the bar might start after it was stopped
        bar.stop()
