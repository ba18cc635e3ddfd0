"""The worker of pyAgrum: Shafer and Shenoy's algorithm with one target."""

from __future__ import annotations

import numpy as np
import pyagrum
from worker import Ask, Model, work


def build(model: Model) -> Ask:
    """A Markov random field, its factors added in one transformation and filled by arrays."""
    network = pyagrum.MarkovRandomField()
    for name, size in zip(model.names, model.sizes, strict=True):
        network.add(pyagrum.RangeVariable(name, "", 0, size - 1))
    tables = [np.array(table, dtype=np.float64) for table in model.tables]
    network.beginTopologyTransformation()
    for scope, table_id in zip(model.scopes, model.table_ids, strict=True):
        # A tensor of pyAgrum has its first argument fastest.
        network.addFactor(scope[::-1]).fillWith(tables[table_id])
    network.endTopologyTransformation()

    def ask(variable: int) -> list[float]:
        inference = pyagrum.ShaferShenoyMRFInference(network)
        inference.setTargets({variable})
        inference.makeInference()
        probabilities: list[float] = inference.posterior(variable).tolist()
        return probabilities

    return ask


if __name__ == "__main__":
    work(build, str(pyagrum.__version__))
