"""What all workers have in common: reading a model, the limits, the clock, one line of result.

A worker is started as ``python X_worker.py MODEL.json SECONDS BYTES``. It needs nothing of
liftgraph, so that it runs in an environment that has only the package it measures.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_MIB = 1024  # in the kibibytes of /proc
_SHORT = 60  # characters of an error message that are kept


class Model(NamedTuple):
    """A factor graph in plain lists.

    ``tables``: flat lists of potentials, last argument fastest. ``asked``: the variables to ask
    for, the first of them being the query that is measured.
    """

    names: list[str]
    sizes: list[int]
    scopes: list[list[int]]
    table_ids: list[int]
    tables: list[list[Any]]
    asked: list[int]


Ask = Callable[[int], list[float]]  # from a variable to its distribution
Build = Callable[[Model], Ask]


def work(build: Build, version: str, asked: int = 1, balanced: bool = True) -> None:
    """Build the model that the command line names, ask for some variables, print the result.

    ``asked``: for how many variables. ``balanced``: whether tables are divided by their mean
    beforehand, which changes no probability and makes overflows of floats less likely.
    """
    path, seconds, memory = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    model = Model(**json.loads(Path(path).read_text()))
    if balanced:
        model = model._replace(tables=[_with_mean_one(table) for table in model.tables])
    _forget_peak()
    baseline = _peak()
    # The default action of the signal ends the process even in compiled code.
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    try:
        record = _measured(build, model, asked)
    except Exception as error:
        record = _failure(error)
    record |= {"version": version, "baseline": baseline, "peak": _peak()}
    print(json.dumps(record), flush=True)


def _with_mean_one(table: list[int]) -> list[float]:
    mean = sum(table) / len(table)
    return [value / mean for value in table]


def _measured(build: Build, model: Model, asked: int) -> dict[str, Any]:
    start = time.perf_counter()
    ask = build(model)
    built = time.perf_counter()
    answer = ask(model.asked[0])
    end = time.perf_counter()
    record: dict[str, Any] = {"build": built - start, "query": end - built, "answer": answer}
    if asked > 1:
        ask(model.asked[1])
        record["again"] = time.perf_counter() - end
    return record


def _failure(error: Exception) -> dict[str, Any]:
    name, text = type(error).__name__, " ".join(str(error).split())
    if "memory" in name.lower() or "bad_alloc" in text:
        return {"failure": "memory"}
    return {"failure": f"error: {name} {text}"[:_SHORT]}


def _forget_peak() -> None:
    """Start the peak anew, without the memory that reading the model needed."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The most resident memory so far, in MiB.

    getrusage would include the memory of the process that started this one.
    """
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / _MIB
