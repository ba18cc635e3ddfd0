"""Carrying out the elimination of a part for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.inference.ground.pattern import state_of
from liftgraph.inference.ground.pieces import Source, graph_pieces
from liftgraph.inference.rows.parts import RowTable
from liftgraph.inference.rows.plan import RowPlan
from liftgraph.inference.tensor.contraction import shape_of
from liftgraph.inference.tensor.tensors import Product, Tensor
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.plans import Progress
from liftgraph.semiring.protocol import Floats, Integers
from liftgraph.semiring.rows import Rows, contract, distributions, evaluate, gather, ones, seen

# The values of each whole piece of a potential.
_VALUES: Memo[Source, Rows] = Memo("values of pieces for rows", most=4096)
_ALL = slice(None)
_AT_A_TIME = 1 << 22  # bytes that rows computed at a time take, so that processors keep them near


def run_rows(
    graph: FactorGraph,
    plan: RowPlan,
    states: Integers,
    memory_limit: int,
    progress: Progress = lambda share: None,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The distribution of the asked variable in each row, (rows, states), and which are possible.

    ``states``: int64 (rows, observed variables of the plan). Without an asked variable, there is
    one state. Precondition: a row fits into the memory limit.
    """
    size = plan.section.result.entries
    probabilities, possible = np.empty((len(states), size)), np.empty(len(states), dtype=np.bool_)
    for start, end in _chunks(plan, len(states), memory_limit):
        shares, known = distributions(_result(graph, plan, states[start:end]))
        probabilities[start:end], possible[start:end] = shares.reshape(size, -1).T, known
        progress(end / len(states))
    return probabilities, possible


def _chunks(plan: RowPlan, row_count: int, memory_limit: int) -> Iterator[tuple[int, int]]:
    """Where parts of the rows start and end, as many at a time as memory and caches can hold."""
    row_bytes = plan.row_bytes
    allowed = max(memory_limit - plan.fixed_bytes, 0) // row_bytes
    rows = max(min(allowed, max(_AT_A_TIME // row_bytes, 1)), 1)
    for start in range(0, row_count, rows):
        yield start, min(start + rows, row_count)


def _result(graph: FactorGraph, plan: RowPlan, states: Integers) -> Rows:
    """What is left of the part in each row."""
    column = {variable: states[:, place] for place, variable in enumerate(plan.observed)}
    values: dict[Tensor, Rows] = {}

    def value(tensor: Tensor) -> Rows:
        """The value of a tensor, which is used once; tables are looked up when they are needed."""
        table = plan.tables.get(tensor)
        return values.pop(tensor) if table is None else _looked_up(graph, table, column)

    for product in plan.section.products:
        assert isinstance(product, Product)  # no table of rows only adds
        values[product] = _product(product, value)
    return value(plan.section.result)


def _product(product: Product, value: Callable[[Tensor], Rows]) -> Rows:
    left = value(product.left)
    if product.right is None:
        right = ones(shape_of(product.summed, product.sizes))
    else:
        right = value(product.right)
    return contract(
        left, product.left_scope, right, product.right_scope, product.out, product.summed
    )


def _looked_up(graph: FactorGraph, table: RowTable, column: Mapping[int, Integers]) -> Rows:
    """The part of a table's piece that belongs to each row."""
    source = table.piece.source
    observed = table.piece.observed or (None,) * len(table.scope)
    if source is None:
        size = graph_pieces(graph).sizes[table.scope[0]]
        return seen(size, column[table.scope[0]]) if table.piece.observed else ones((size,))
    index = tuple([_ALL if v is None or v in column else state_of(graph, {}, v) for v in observed])
    left = [v for v in observed if v is None or v in column]
    free = tuple([axis for axis, variable in enumerate(left) if variable is None])
    looked_up = tuple([axis for axis, variable in enumerate(left) if variable is not None])
    places = np.zeros((), dtype=np.int64)
    for variable in left:
        if variable is not None:
            places = places * graph_pieces(graph).sizes[variable] + column[variable]
    return gather(_whole(graph, source), index, free, looked_up, places)


def _whole(graph: FactorGraph, source: Source) -> Rows:
    """The values of a whole piece; kept."""
    kind, place = source
    integers = graph_pieces(graph).listed[kind].integers[place]
    return _VALUES.get(graph.cache, source, lambda: evaluate(integers))
