"""Building a million factors of three arguments: in bulk beside bare NumPy, and one by one.

python benchmarks/building.py
"""

from __future__ import annotations

import time
import tracemalloc
from functools import partial
from itertools import product

import numpy as np

import liftgraph as lg
from liftgraph.experiments.timing import best_times

FACTORS, VARIABLES = 1_000_000, 300_000
VALUES = list(range(1, 9))
NESTED = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def random_scopes() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    first = np.random.default_rng(0).integers(0, VARIABLES - 7, FACTORS)
    return np.stack([first, first + 3, first + 7], axis=1)


SCOPES = random_scopes()
TABLES = [list(range(1 + shift, 9 + shift)) for shift in range(12)]
TABLE_IDS = np.arange(FACTORS) % len(TABLES)


def bulk(mixed: bool = False, many_tables: bool = False) -> lg.FactorGraph:
    """A million factors; ``mixed``: other variables have three states."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(VARIABLES)
    if mixed:
        builder.add_variables(10, 3)
    if many_tables:
        for values in TABLES:
            builder.add_table(values, (2, 2, 2))
        builder.add_factors(SCOPES, table_ids=TABLE_IDS)
    else:
        builder.add_factors(SCOPES, VALUES)
    return builder.build()


def unavoidable(mixed: bool = False, many_tables: bool = False) -> object:
    """What any bulk build has to do: look for wrong and repeated variables, compare, and copy."""
    assert SCOPES.min() >= 0
    assert SCOPES.max() < VARIABLES
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert not (SCOPES[:, i] == SCOPES[:, j]).any()
    if mixed:
        states = np.full(VARIABLES, 2)
        assert (states[SCOPES] == 2).all()
    if many_tables:
        assert TABLE_IDS.min() >= 0
        assert TABLE_IDS.max() < len(TABLES)
    arity = np.full(FACTORS, 3, dtype=np.int32)
    pointers = np.concatenate(([0], np.cumsum(arity, dtype=np.int64)))
    return SCOPES.astype(np.int32), TABLE_IDS.astype(np.int32), pointers


def one_by_one(values: object, factors: int = 200_000) -> float:
    """Factors a second."""
    builder = lg.FactorGraphBuilder()
    names = [f"V{index}" for index in range(1000)]
    builder.add_variables(names)
    start = time.perf_counter()
    for index in range(factors):
        first = index % 990
        builder.add_factor((names[first], names[first + 1], names[first + 2]), values)
    return factors / (time.perf_counter() - start)


def main() -> None:
    for mixed, many in product((False, True), repeat=2):
        (ours, bare), _ = best_times(
            [partial(task, mixed, many) for task in (bulk, unavoidable)], 9
        )
        variables, tables = (
            ("mixed" if mixed else "Boolean"),
            ("12 tables" if many else "one table"),
        )
        print(
            f"bulk    {1e3 * ours:6.1f} ms, bare NumPy {1e3 * bare:5.1f} ms, "
            f"{ours / bare:.2f}×, {variables} variables, {tables}"
        )
    tracemalloc.start()
    graph = bulk()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"memory  {peak / graph.edge_count:6.1f} bytes an edge at the peak")
    for name, values in (("flat list", VALUES), ("nested lists", NESTED)):
        rate = max(one_by_one(values) for _ in range(3))
        print(f"builder {rate:10,.0f} factors a second from {name}")


if __name__ == "__main__":
    main()
