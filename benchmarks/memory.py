"""Predicted memory beside what is used: a prediction is a promise, and no ratio exceeds 1.

    python benchmarks/memory.py [WORDS OF A LINE ...]

For every pair of a model and a question: the bytes that its plan predicts for answering, and the
peak of what answering takes beyond the model and the plan. Then the same for lifting graphs and
for reading files. At last whole questions under a limit, planning included, whether they are
answered or refused: none takes more than the limit and what planning has free.

Each is measured in a process of its own, forked from one in which everything is imported and small
questions have been asked. Memory is that which Python and NumPy allocate; where it is much, a
second process measures resident memory too, which includes what compiled libraries allocate. The
larger one counts. Exit status 1: some predictions were exceeded, and are named.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from memory_cases import (
    Question,
    ground_cases,
    lifted_cases,
    lifting_cases,
    network_cases,
    questions,
    reading_cases,
    whole_cases,
)
from tasks import random_grid

import liftgraph as lg
from liftgraph import datasets
from liftgraph.inference import methods
from liftgraph.model.memory_limit import PLANNING_BYTES
from liftgraph.symmetry.lifting.memory import colour_passing_bytes, lifting_bytes

MUCH = 2**23  # bytes from which on resident memory is measured, too
PAGES = 3 * 2**20  # by which resident memory grows whatever is done: pages of code, whole arenas
LARGE = 10**6  # bytes from which on predictions should be close
LOOSE = 3  # a prediction this many times too high is marked
LIMIT = 2**40
LIMITS = [1, 30]  # of whole questions, in MiB
# Words of questions whose predictions are summed up.
KINDS = [
    "ground,",
    "lifted,",
    "exactly",
    "MPE",
    "marginals",
    "colour passing",
    "lifting",
    "reading",
    "MiB",
]

Prepared = tuple[int, Callable[[], object]]  # a prediction, and what it is about


@dataclass(frozen=True)
class Line:
    """A line of the table: what was done, and the bytes predicted and used."""

    model: str
    question: str
    predicted: int
    measured: int

    @property
    def ratio(self) -> float:
        """How much of the predicted memory was used."""
        return self.measured / self.predicted

    def __str__(self) -> str:
        loose = self.predicted > max(LOOSE * self.measured, LARGE) and "MiB" not in self.question
        mark = "exceeded" if self.ratio > 1 else "loose" * loose
        numbers = f"{self.predicted:>15,}{self.measured:>15,}{self.ratio:>8.3f}"
        return f"{self.model:<30}{self.question:<28}{numbers}  {mark}".rstrip()


def in_child(work: Callable[[], Any]) -> Any:
    """What a function returns in a process of its own; an error is raised here."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result: Any = work()
        except BaseException as error:
            result = error
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(pickle.dumps(result))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    result = pickle.loads(told) if told else MemoryError("the process was killed")
    if isinstance(result, BaseException):
        raise result
    return result


def traced(prepare: Callable[[], Prepared]) -> tuple[int, int]:
    """A prediction, and the peak of what Python and NumPy allocate."""
    predicted, act = prepare()
    gc.collect()
    tracemalloc.start()
    answer = act()
    peak = tracemalloc.get_traced_memory()[1]
    del answer
    return predicted, peak


def resident(prepare: Callable[[], Prepared]) -> int:
    """By how much resident memory grows, at its peak (Linux)."""
    _, act = prepare()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = _status("VmRSS")
    answer = act()
    after = _status("VmHWM")
    del answer
    return after - before


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


def measured(model: str, question: str, prepare: Callable[[], Prepared]) -> Line | str:
    """A line of the table, or what was refused."""
    try:
        predicted, peak = in_child(partial(traced, prepare))
        much = max(predicted, peak) > MUCH and "MiB" not in question
        if much and Path("/proc/self/clear_refs").exists():
            peak = max(peak, in_child(partial(resident, prepare)) - PAGES)
    except (lg.LiftgraphError, MemoryError) as error:
        return f"{model:<30}{question:<28}{str(error) or type(error).__name__}"
    return Line(model, question, predicted, peak)


def asked(make: Callable[[], Any], question: Question) -> Prepared:
    """The plan of a question, and carrying it out."""
    model = make()
    ask = partial(methods.plan, model, question.query, given=question.given)
    planned = ask(method=question.method, memory_limit=LIMIT)
    return planned.peak_bytes, planned.run


def answering() -> Iterator[tuple[str, str, Callable[[], Prepared]]]:
    for name, (make, listed) in (ground_cases() | network_cases() | lifted_cases()).items():
        for question in listed:
            yield name, question.title, partial(asked, make, question)


def lifting() -> Iterator[tuple[str, str, Callable[[], Prepared]]]:
    def coloured(make: Callable[[], lg.FactorGraph]) -> Prepared:
        graph = make()
        return colour_passing_bytes(graph), partial(lg.colour_passing, graph)

    def lifted(make: Callable[[], lg.FactorGraph]) -> Prepared:
        graph, finest = make(), in_child(lambda: finest_prediction(make()))
        return finest, partial(lg.lift, graph)

    for name, make in lifting_cases().items():
        yield name, "colour passing", partial(coloured, make)
        yield name, "lifting", partial(lifted, make)


def finest_prediction(graph: lg.FactorGraph) -> int:
    """The largest number of bytes that lifting predicts on its way, as groups become more."""
    predicted = list[int]()

    def noted(graph: lg.FactorGraph, colouring: Any, limit: int) -> None:
        predicted.append(lifting_bytes(graph, colouring))

    with patch("liftgraph.symmetry.lifting.lift.check_memory", noted):
        lg.lift(graph)
    return max(predicted)


def reading(folder: Path) -> Iterator[tuple[str, str, Callable[[], Prepared]]]:
    """The least limit under which a file is read, beside what reading it takes."""

    def read(write: Callable[[Path], Path]) -> Prepared:
        path = write(folder)
        limit = least_limit(path)
        return limit, partial(lg.read, path, memory_limit=limit)

    for name, write in reading_cases().items():
        yield name, "reading", partial(read, write)


def asking() -> Iterator[tuple[str, str, Callable[[], Prepared]]]:
    """Whole questions: what is allowed, and asking one, whether it is answered or refused."""

    def put(model: Any, ask: Callable[..., object], limit: int) -> Prepared:
        def answered_or_refused() -> None:
            with suppress(lg.MemoryLimitError):
                ask(model, memory_limit=limit)

        return limit + PLANNING_BYTES, answered_or_refused

    for name, (make, asks) in whole_cases().items():
        model = make()  # here, as each process starts with a copy of it that nothing was asked of
        for words, ask in asks.items():
            for mebibytes in LIMITS:
                title = f"{words}, {mebibytes} MiB"
                yield name, title, partial(put, model, ask, mebibytes * 2**20)


def least_limit(path: Path) -> int:
    """The smallest memory limit under which a file is read, up to a hundredth of it."""
    high = 1
    while not is_read(path, high):
        high *= 2
    low = high // 2
    while high - low > high // 100:
        middle = (low + high) // 2
        low, high = (low, middle) if is_read(path, middle) else (middle, high)
    return high


def is_read(path: Path, limit: int) -> bool:
    """Whether a file is read under a limit."""
    try:
        lg.read(path, memory_limit=limit)
    except lg.MemoryLimitError:
        return False
    return True


def warm_up() -> None:
    """Import what is imported late, and ask small questions."""
    for name in ("flint", "numba", "numpy.ma"):
        if find_spec(name) is not None:
            import_module(name)
    for method in ("ground", "lifted"):
        for model, variable in ((random_grid(2), 0), (datasets.smokers(3), "Smokes.1")):
            for question in questions(method, variable, exact="also"):
                methods.plan(model, question.query, method=method).run()


def main() -> int:
    warm_up()
    lines = list[Line]()
    print(f"{'model':<30}{'question':<28}{'predicted':>15}{'measured':>15}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for section in (answering(), lifting(), reading(Path(folder)), asking()):
            for name, question, prepare in section:
                if all(word in f"{name} {question}" for word in sys.argv[1:]):
                    line = measured(name, question, prepare)
                    print(line, flush=True)
                    lines += [line] if isinstance(line, Line) else []
    return summary(lines)


def summary(lines: list[Line]) -> int:
    """Print how close the predictions are, and which were exceeded."""
    for kind in KINDS:
        print_closeness(kind.strip(","), [line for line in lines if kind in line.question])
    print_closeness("all", lines)
    print_closeness("all over 1 MB", [line for line in lines if line.measured > LARGE])
    exceeded = [f"{line.model}, {line.question}" for line in lines if line.ratio > 1]
    if exceeded:
        print(f"exceeded {len(exceeded)}: {'; '.join(exceeded)}")
    return 1 if exceeded else 0


def print_closeness(what: str, lines: list[Line]) -> None:
    if lines:
        factors = [line.predicted / line.measured for line in lines]
        print(
            f"{what}: {len(lines)} predictions, largest ratio {1 / min(factors):.3f};"
            f" {sum(factor <= LOOSE for factor in factors)} at most {LOOSE} times what is used,"
            f" median {median(factors):.1f}, largest {max(factors):.1f}"
        )


if __name__ == "__main__":
    sys.exit(main())
