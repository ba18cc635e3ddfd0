"""Exact probabilistic inference that exploits symmetry."""

from liftgraph.errors import (
    ComputationError,
    InputError,
    LiftgraphError,
    MemoryLimitError,
    ParseError,
    ZeroWeightError,
)
from liftgraph.inference.answer import explain, marginals, partition, plan, query, run
from liftgraph.inference.query import Explanation, Marginal, Partition, Query
from liftgraph.io import read, write
from liftgraph.model.builder import FactorGraphBuilder
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.names import BOOLEAN
from liftgraph.model.summary import Info, info
from liftgraph.model.table import Table, TablePool

__version__ = "0.1.0"

__all__ = [
    "BOOLEAN",
    "ComputationError",
    "Explanation",
    "FactorGraph",
    "FactorGraphBuilder",
    "Info",
    "InputError",
    "LiftgraphError",
    "Marginal",
    "MemoryLimitError",
    "ParseError",
    "Partition",
    "Query",
    "Table",
    "TablePool",
    "ZeroWeightError",
    "explain",
    "info",
    "marginals",
    "partition",
    "plan",
    "query",
    "read",
    "run",
    "write",
]
