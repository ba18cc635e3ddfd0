"""What a factor graph consists of, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftgraph.model.ground.factor_graph import FactorGraph, checked_graph
from liftgraph.model.ground.table import Table, UnknownDistribution


@dataclass(frozen=True)
class Info:
    """Counts of a factor graph.

    ``states``: the number of variables with each number of states; ``arguments``: the number of
    factors with each number of arguments. ``zeros``: tables with a zero; ``measured``: tables
    given as floats. Other potentials, such as count factors, are among the ``tables``, but their
    entries are not inspected.
    """

    variables: int
    factors: int
    edges: int
    tables: int
    observed: int
    states: dict[int, int]
    arguments: dict[int, int]
    largest_table: int
    zeros: int
    measured: int


def info(graph: FactorGraph) -> Info:
    """Counts of a factor graph; tables which no factor uses are left out.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["A", "B"]), builder.add_factor(["A", "B"], [1, 0, 0, 1])
    >>> info(builder.build()).arguments
    {2: 1}
    """
    used = np.unique(checked_graph(graph).table_id).tolist()
    listed = [graph.potentials[index] for index in used]
    potentials = [one for one in listed if not isinstance(one, UnknownDistribution)]
    tables = [potential for potential in potentials if isinstance(potential, Table)]
    return Info(
        variables=graph.variable_count,
        factors=graph.factor_count,
        edges=graph.edge_count,
        tables=len(potentials),
        observed=len(graph.evidence),
        states=_counts(graph.cardinalities),
        arguments=_counts(np.diff(graph.scope_ptr)),
        largest_table=max((table.integers.size for table in tables), default=0),
        zeros=sum(bool((table.integers == 0).any()) for table in tables),
        measured=sum(potential.measured for potential in potentials),
    )


def _counts(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> dict[int, int]:
    values, counts = np.unique(numbers, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
