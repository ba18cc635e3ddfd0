"""The worker of liftgraph itself: a factor graph without logvars, lifted by its first query."""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import groupby

from worker import Ask, Model, work

import liftgraph
import liftgraph.inference.answer  # loaded now, before anything is measured
from liftgraph import FactorGraphBuilder


def build(model: Model) -> Ask:
    """A factor graph, its factors added by their number of arguments."""
    builder = FactorGraphBuilder()
    for size, indices in groupby(range(len(model.names)), model.sizes.__getitem__):
        builder.add_variables([model.names[variable] for variable in indices], states=size)
    rows: dict[int, list[int]] = defaultdict(list)
    for factor, scope in enumerate(model.scopes):
        rows[len(scope)].append(factor)
    pool: dict[int, int] = {}
    for factors in rows.values():
        for factor in factors:
            if model.table_ids[factor] not in pool:
                shape = [model.sizes[variable] for variable in model.scopes[factor]]
                table = model.tables[model.table_ids[factor]]
                pool[model.table_ids[factor]] = builder.add_table(table, shape)
        table_ids = [pool[model.table_ids[factor]] for factor in factors]
        builder.add_factors([model.scopes[factor] for factor in factors], table_ids=table_ids)
    graph = builder.build()

    def ask(variable: int) -> list[float]:
        answer = graph.query(variable, memory_limit=int(sys.argv[3]))
        probabilities: list[float] = answer.probabilities.tolist()
        return probabilities

    return ask


if __name__ == "__main__":
    work(build, liftgraph.__version__, asked=2, balanced=False)
