"""Graphs for Spark, and whether it finds the colours of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import liftgraph as lg
from liftgraph.distributed.on_spark import colour_on_spark
from liftgraph.distributed.results import read_colouring
from liftgraph.symmetry.colours.colouring import Algorithm


def joined(graphs: Sequence[lg.FactorGraph]) -> lg.FactorGraph:
    """Graphs side by side in one graph."""
    builder = lg.FactorGraphBuilder()
    evidence: dict[int, int] = {}
    for graph in graphs:
        first = 0
        for variable in range(graph.variable_count):
            index = builder.add_variable(states=graph.states(variable))
            first = first if variable else index
        for factor in range(graph.factor_count):
            scope, table = graph.factors[factor].parts
            builder.add_factor([first + variable for variable in scope], table)
        evidence |= {first + variable: state for variable, state in graph.evidence.items()}
    return builder.build().observing(evidence)


def is_right(
    graph: lg.FactorGraph,
    folder: Path,
    spark: Any,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    **options: Any,
) -> None:
    """Whether Spark finds the colours that arrays find, with the same numbers."""
    source, output = folder / "graph.parquet", folder / "colours"
    lg.write(graph, source)
    quotient = colour_on_spark(
        source, output, spark=spark, algorithm=algorithm, tolerance=tolerance, **options
    )
    expected = lg.colour_passing(graph, algorithm, tolerance)
    assert quotient == lg.quotient(graph, expected)
    colouring = read_colouring(lg.read_graph(source), output)
    assert colouring.variable_colours.tolist() == expected.variable_colours.tolist()
    assert colouring.factor_colours.tolist() == expected.factor_colours.tolist()
    assert colouring.argument_order.tolist() == expected.argument_order.tolist()


def rotations(copies: int) -> lg.FactorGraph:
    """Triples with a table that may be rotated, though no two of its arguments may be swapped."""
    x, y, z = np.indices((3, 3, 3))
    rotating = 1 + 1 * (x < y) + (y < z) + (z < x)
    builder = lg.FactorGraphBuilder()
    for kind in range(3):
        for _ in range(copies):
            builder.add_factor([builder.add_variable(states=3)], [1, 2, 3 + kind])
    for copy in range(copies):
        turn = np.roll(np.arange(3), copy)
        builder.add_factor([copies * int(kind) + copy for kind in turn], rotating * (copy + 1))
    builder.add_factor([], [7])  # a constant
    return builder.build()


def hub(leaves: int, observed: int) -> lg.FactorGraph:
    """A variable in all factors; evidence splits its neighbours."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(leaves + 1)
    for leaf in range(1, leaves + 1):
        builder.add_factor([0, leaf], [[1, 2], [3, 5]])
    return builder.build().observing({leaf: leaf % 2 for leaf in range(1, observed + 1)})
