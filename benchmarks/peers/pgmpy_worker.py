"""The worker of pgmpy: variable elimination in its default order, a greedy contraction.

The other orders of ``VariableElimination.query`` are those of Bayesian networks: a Markov network
is then eliminated in no particular order. Belief propagation is slower as well.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

from worker import Ask, Model, work

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about parts of pgmpy that are not used here
    import pgmpy
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteMarkovNetwork


def build(model: Model) -> Ask:
    """A Markov network, its factors given at once."""
    network = DiscreteMarkovNetwork()
    network.add_nodes_from(model.names)
    factors = []
    for scope, table_id in zip(model.scopes, model.table_ids, strict=True):
        names = [model.names[variable] for variable in scope]
        network.add_edges_from(combinations(names, 2))
        sizes = [model.sizes[variable] for variable in scope]
        factors.append(DiscreteFactor(names, sizes, model.tables[table_id]))
    network.add_factors(*factors)
    engine = VariableElimination(network)

    def ask(variable: int) -> list[float]:
        factor: Any = engine.query([model.names[variable]], show_progress=False)
        weights: list[float] = factor.normalize(inplace=False).values.tolist()
        return weights

    return ask


if __name__ == "__main__":
    work(build, str(pgmpy.__version__))
