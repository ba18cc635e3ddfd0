"""Child processes to which bad things are done: they are killed, or their disk is full."""

from __future__ import annotations

import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. ``status``: negative if by a signal; ``text``: what it told."""

    status: int
    text: str


def in_child(call: Callable[[], str]) -> Ended:
    """Call a function in a copy of this process, and get the text that it returns."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of threads, which the child leaves alone
        child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, call().encode(errors="replace")[:4096])
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        text = told.read().decode(errors="replace")
    return Ended(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text)


class Lines:
    """Counts the lines of Python that run inside ``with``, and does something at one of them."""

    def __init__(self, at: int | None = None, action: Callable[[], None] = lambda: None) -> None:
        self.count, self._at, self._action = 0, at, action

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.count += 1
            if self.count == self._at:
                self._action()
        return self._trace

    def __enter__(self) -> Lines:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)


def kill_self() -> None:
    """End this process as the system does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def limit_files(size: int) -> None:
    """Let no file of this process grow beyond a size, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
