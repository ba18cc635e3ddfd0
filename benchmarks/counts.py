"""A chain of 600 factors [1, 2, 3, 4], unnormalised counts, here and in pgmpy and pyAgrum.

    python benchmarks/counts.py

Needs the extra ``peers``.
"""

from __future__ import annotations

import numpy as np
import pyagrum
from pgmpy.factors.discrete import DiscreteFactor
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteMarkovNetwork

import liftgraph as lg

FACTORS = 600


def liftgraph_chain(factors: int) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"X{index}" for index in range(factors + 1)])
    first = np.arange(factors)
    builder.add_factors(np.stack([first, first + 1], axis=1), [1, 2, 3, 4])
    return builder.build()


def pgmpy_answer() -> object:
    network = DiscreteMarkovNetwork()
    for index in range(FACTORS):
        network.add_edge(f"X{index}", f"X{index + 1}")
        network.add_factors(DiscreteFactor([f"X{index}", f"X{index + 1}"], [2, 2], [1, 2, 3, 4]))
    return VariableElimination(network).query(["X300"], show_progress=False).values


def pyagrum_answer() -> object:
    network = pyagrum.MarkovRandomField()
    for index in range(FACTORS + 1):
        network.add(pyagrum.LabelizedVariable(f"X{index}", "", 2))
    for index in range(FACTORS):
        factor = network.addFactor([f"X{index}", f"X{index + 1}"])
        for a in range(2):
            for b in range(2):
                factor[{f"X{index}": a, f"X{index + 1}": b}] = 1 + 2 * a + b
    inference = pyagrum.ShaferShenoyMRFInference(network)
    inference.makeInference()
    return inference.posterior("X300").tolist()


def main() -> None:
    graph = liftgraph_chain(FACTORS)
    print("liftgraph, log Z ", graph.partition().log_z)
    print("liftgraph        ", graph.query("X300").probabilities)
    print("liftgraph, exact ", graph.query("X300", exact=True).probabilities)
    for name, answer in (("pgmpy", pgmpy_answer), ("pyAgrum", pyagrum_answer)):
        try:
            print(f"{name:<17}", answer())
        except Exception as error:
            print(f"{name:<17}", f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
