"""Bounds on the time and the memory of what runs inside, where the system has them."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.soak.area import WrongError


@contextmanager
def limited(seconds: float, memory: int) -> Iterator[None]:
    """Raise ``WrongError`` after so many seconds, and ``MemoryError`` beyond so many more bytes."""

    def late(signal_number: int, frame: FrameType | None) -> None:
        raise WrongError(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + memory, hard))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGALRM, before)


def _address_space() -> int:
    """How many bytes this process has reserved already."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
