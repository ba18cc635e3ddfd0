"""Learning from ten million rows beside pandas, which counts the same combinations.

python benchmarks/learning.py [ROWS]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import liftgraph as lg
from liftgraph.data.learning.learnt import Learnt
from liftgraph.experiments.timing import best_times

VARIABLES = ["Epid", "Travel", "Sick"]
SIZES = (2, 3, 4)


def integers(rows: int) -> pd.DataFrame:
    random = np.random.default_rng(0)
    columns = zip(VARIABLES, SIZES, strict=True)
    return pd.DataFrame({name: random.integers(0, size, rows) for name, size in columns})


def texts(frame: pd.DataFrame) -> pd.DataFrame:
    names = np.array(["never", "once", "twice", "often"], dtype=object)
    return pd.DataFrame({name: names[frame[name]] for name in VARIABLES})


def learnt(table: object, counts: str | None = None) -> Learnt:
    return lg.learn(
        [VARIABLES], lg.Source(table, dict(zip(VARIABLES, VARIABLES, strict=True)), counts)
    )


def crosstab(frame: pd.DataFrame) -> object:
    return pd.crosstab(frame["Epid"], [frame["Travel"], frame["Sick"]])


def grouped(frame: pd.DataFrame) -> object:
    return frame.groupby(VARIABLES).size()


def summed(frame: pd.DataFrame) -> object:
    return frame.groupby(VARIABLES)["n"].sum()


def report(what: str, ours: Callable[[], Any], others: Mapping[str, Callable[[], Any]]) -> None:
    times, _ = best_times([ours, *others.values()], 3)
    beside = ", ".join(
        f"{name} {time:.2f} s ({times[0] / time:.2f}×)"
        for name, time in zip(others, times[1:], strict=True)
    )
    print(f"{what:32} {times[0]:.2f} s, {beside}", flush=True)


def main(rows: int = 10_000_000) -> None:
    frame = integers(rows)
    arrays = {name: frame[name].to_numpy() for name in VARIABLES}
    beside = {"crosstab": partial(crosstab, frame), "groupby": partial(grouped, frame)}
    print(f"{rows:,} rows, a factor of three variables")
    report("integers in NumPy arrays", partial(learnt, arrays), beside)
    report("integers in a pandas frame", partial(learnt, frame), beside)
    words = texts(frame)
    report("text in a pandas frame", partial(learnt, words), {"groupby": partial(grouped, words)})
    frame["n"] = np.random.default_rng(1).integers(0, 1000, rows)
    report("integers with counts", partial(learnt, frame, "n"), {"groupby": partial(summed, frame)})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
