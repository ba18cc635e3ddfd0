"""One run of a worker: started, limited, and judged by a reference."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

TOLERANCE = 1e-6
GRACE = 120  # seconds for starting, importing and reading, which do not count for the limit

Record = dict[str, Any]


class Limits(NamedTuple):
    """Seconds for building and asking together, and bytes of address space."""

    seconds: float
    memory: int


def measure(
    command: list[str], model: Path, limits: Limits, expected: list[float] | None
) -> Record:
    """The record of a worker, with the difference of its answer, or why there is no answer."""
    words = [*command, str(model), str(limits.seconds), str(limits.memory)]
    with TemporaryFile("w+") as output, TemporaryFile("w+") as errors:
        code = _run(words, limits.seconds + GRACE, output, errors)
        lines = [line for line in _text(output).splitlines() if line.startswith("{")]
        complaint = _text(errors)
    if not lines:
        return {"failure": _death(code, complaint, limits)}
    record: Record = json.loads(lines[-1])
    return record if "failure" in record else record | _judged(record["answer"], expected)


def _run(words: list[str], wait: float, output: IO[str], errors: IO[str]) -> int | None:
    """The exit code of a process, None if it had to be ended; its children end with it."""
    process = subprocess.Popen(words, stdout=output, stderr=errors, start_new_session=True)
    try:
        return process.wait(wait)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _death(code: int | None, complaint: str, limits: Limits) -> str:
    if code == -signal.SIGALRM:
        return f">{limits.seconds:g} s"
    if "bad_alloc" in complaint or "MemoryError" in complaint:
        return "memory"
    if code is None:
        return f"error: nothing after {limits.seconds + GRACE:g} s"
    if code < 0:
        return f"error: {signal.Signals(-code).name}"
    return f"error: {(complaint.splitlines() or ['no output'])[-1]}"[:60]


def _judged(answer: list[float], expected: list[float] | None) -> Record:
    if expected is None:
        return {"failure": "error: nothing to compare with"}
    if len(answer) != len(expected) or not all(map(math.isfinite, answer)):
        return {"failure": f"wrong: {answer[0]:.3g}"}
    pairs = zip(answer, expected, strict=True)
    difference = max(abs(computed - right) / right for computed, right in pairs)
    if difference > TOLERANCE:
        return {"failure": f"wrong: off by {difference:.1g}", "difference": difference}
    return {"difference": difference}
