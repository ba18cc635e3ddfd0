"""The command as a process: what signals do to it once it is loaded.

The first signal that asks it to stop ends it as an error would: files that are being written
disappear, the terminal is put in order, and a line says what happened. Later ones are ignored for
some seconds, in which that happens; then they end it at once.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from liftgraph.cli import outcome
from liftgraph.cli.outcomes import Outcome, Stopped, outcome_of, tell
from liftgraph.cli.parser import load_command

_PATIENCE = 3.0  # seconds
_DRAWING = {"draw", "trade-off", "experiment"}  # the commands that load matplotlib
_ANSWERED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class _Stop:
    """Answers signals. ``reason``: what the first one raised, if one came."""

    reason: Stopped | None = None
    since = 0.0

    def __call__(self, number: int, _: object) -> None:
        if self.reason is None:
            self.reason, self.since = Stopped(number), time.monotonic()
            raise self.reason
        if time.monotonic() > self.since + _PATIENCE:
            _leave(self.reason)

    def uncaught(self, kind: type[BaseException], error: BaseException, traceback: Any) -> None:
        """Replaces ``sys.excepthook``: signals may come when errors are already being told."""
        if isinstance(error, KeyboardInterrupt):
            _leave(error)
        sys.__excepthook__(kind, error, traceback)

    def unraisable(self, ignored: Any) -> None:
        """Replaces ``sys.unraisablehook``: Python goes on if one came while it tidied up."""
        if isinstance(ignored.exc_value, KeyboardInterrupt):
            _leave(ignored.exc_value)
        sys.__unraisablehook__(ignored)


def _leave(stop: KeyboardInterrupt) -> None:
    """End at once: without Python's own end, and without streams that may be in use."""
    result = outcome_of(stop)
    with suppress(OSError):
        os.write(2, f"liftgraph: {result.problem}\n".encode())
    os._exit(result.status)


def run() -> int:
    """Run the command with the arguments of this process; returns its exit status.

    Precondition: this process does nothing else.
    """
    load_command(sys.argv[1:])  # before signals are answered from here
    stop = _Stop()
    sys.excepthook, sys.unraisablehook = stop.uncaught, stop.unraisable
    if not _DRAWING.isdisjoint(sys.argv[1:2]):
        _silence_warnings()
    _answer(stop)
    try:
        result = outcome(sys.argv[1:])
    except BaseException:
        if stop.reason is None:
            raise
        result = Outcome()
    if stop.reason is not None:  # whatever became of it: other libraries may turn it into another
        _discard(sys.stdout)
        result = outcome_of(stop.reason)
    status = tell(result)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream)
    _answer(signal.SIG_IGN)  # all is done, and Python's own end is not ready for signals
    return status


def _silence_warnings() -> None:
    """matplotlib warns if it finds no place for its caches, and if a signal stops its imports."""
    import logging
    import warnings

    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore", module="matplotlib")


def _answer(handler: Any) -> None:
    for number in _ANSWERED:
        if signal.getsignal(number) is not signal.SIG_IGN:  # a background job ignores Ctrl-C
            signal.signal(number, handler)


def _discard(stream: Any) -> None:
    """Drop what a stream has not printed: it cannot be, and Python would try once more."""
    with suppress(OSError):
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, stream.fileno())
        os.close(descriptor)
