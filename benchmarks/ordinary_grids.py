"""Random grids here and in cotengra: one marginal, planning included."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import cotengra
import numpy as np
from ordinary_rows import Row, Section, cpu_seconds
from tasks import random_grid

import liftgraph as lg

SMALL, LARGE = (4, 8), (12, 16, 18)
PRESETS = ("greedy", "auto")


def grids(sizes: tuple[int, ...], worst: float) -> Section:
    """The distribution of the first variable; cotengra with whichever preset is faster."""
    rows = [_row(size) for size in sizes]
    title = f"Random grids, {' and '.join(map(str, sizes))} variables wide"
    note = "One marginal of a grid that was never asked; cotengra by its faster preset."
    return Section(title, rows, worst=worst, note=note)


def _row(size: int) -> Row:
    graph = random_grid(size)
    scopes = [factor.scope for factor in graph.factors]
    tables = [_scaled(factor.table) for factor in graph.factors]
    tasks: list[Callable[[], Any]] = [lambda: replace(graph).query(0).probabilities]
    tasks += [partial(_contract, scopes, tables, preset) for preset in PRESETS]
    answer, *others = [task() for task in tasks]
    assert all(np.allclose(answer, other) for other in others)
    ours, *theirs = cpu_seconds(tasks, 7)
    best = int(np.argmin(theirs))
    return Row(f"{size} × {size}", ours, f"cotengra, {PRESETS[best]}", theirs[best])


def _scaled(table: lg.Table) -> Any:
    """Entries of a table around 1, so that the weights of a grid stay floats."""
    values = table.integers.astype(np.float64)
    return values / values.mean()


def _contract(scopes: list[Any], tables: list[Any], preset: str) -> Any:
    sizes = dict.fromkeys({int(v) for scope in scopes for v in scope}, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other optimisers, which are optional, are missing
        tree = cotengra.array_contract_tree(
            [tuple(map(int, scope)) for scope in scopes], (0,), size_dict=sizes, optimize=preset
        )
    weights = tree.contract(tables)
    return weights / weights.sum()
