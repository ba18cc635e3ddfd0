"""The worker of cotengra: one contraction of all tables.

The preset "greedy" finds a path at once, and mostly a good one; if it is not good, "auto-hq", which
searches longer, is worth its time. Both are faster with cotengrust installed. The exponent is kept
apart, so that large models do not overflow.
"""

from __future__ import annotations

import warnings
from importlib.metadata import version
from typing import Any

import cotengra
import numpy as np
from worker import Ask, Model, work

WIDEST = 24  # variables of two states in the largest array of a good path


def build(model: Model) -> Ask:
    """An array for every factor, equal ones shared."""
    tables = [np.array(table, dtype=np.float64) for table in model.tables]
    arrays = [
        tables[table_id].reshape([model.sizes[variable] for variable in scope])
        for scope, table_id in zip(model.scopes, model.table_ids, strict=True)
    ]

    def ask(variable: int) -> list[float]:
        weights, _ = _path(model, variable).contract(arrays, strip_exponent=True)
        probabilities: list[float] = (weights / weights.sum()).tolist()
        return probabilities

    return ask


def _path(model: Model, variable: int) -> Any:
    sizes = dict(enumerate(model.sizes))
    path: Any = None
    for preset in ("greedy", "auto-hq"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that kahypar, an option, is missing
            path = cotengra.array_contract_tree(
                model.scopes, (variable,), size_dict=sizes, optimize=preset
            )
        if path.contraction_width() <= WIDEST:
            break
    return path


if __name__ == "__main__":
    work(build, version("cotengra"))
