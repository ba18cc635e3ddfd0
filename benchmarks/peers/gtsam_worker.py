"""The worker of GTSAM: sequential elimination in COLAMD's order, the queried variable last.

``DiscreteMarginals`` makes a Bayes tree for any number of queries: about as fast where models are
wide, and far slower on cliques.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import gtsam
from worker import Ask, Model, work


def build(model: Model) -> Ask:
    """A discrete factor graph."""
    graph = gtsam.DiscreteFactorGraph()
    keys = list(enumerate(model.sizes))
    for scope, table_id in zip(model.scopes, model.table_ids, strict=True):
        graph.add([keys[variable] for variable in scope], model.tables[table_id])

    def ask(variable: int) -> list[float]:
        order = gtsam.Ordering.ColamdConstrainedLastDiscreteFactorGraph(graph, [variable])
        network = graph.eliminateSequential(order)
        last = network.at(network.size() - 1)
        return [_probability(last, variable, state) for state in range(model.sizes[variable])]

    return ask


def _probability(conditional: Any, variable: int, state: int) -> float:
    values = gtsam.DiscreteValues()
    values[variable] = state
    return float(conditional(values))


if __name__ == "__main__":
    work(build, version("gtsam"))
