"""Writing the factor graphs of libDAI."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from liftgraph.io.spelling import (
    Spelling,
    losses_of_floats,
    losses_of_numbers,
    numerals,
    spelling,
)
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph, without_factors
from liftgraph.model.ground.names import default_index
from liftgraph.model.ground.table import Table

_MAX_LABEL = 2**31 - 2


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a factor graph. Precondition: no evidence (``graph_format`` refuses it).

    Names of states are not written. Names of variables are labels if they are increasing integers;
    otherwise variables are labelled by their index. The format lists variables only in factors,
    so a variable without factors gets a factor of ones, which changes neither probabilities nor
    the partition function. ``rounded``: see ``spelling``.
    """
    labels = _labels(graph)
    sizes = graph.cardinalities.tolist()
    spell = spelling(rounded, path)
    tables = [_entries(table, spell) for table in graph.tables]
    factors = [
        (graph.scope_of(factor), tables[table_id])
        for factor, table_id in enumerate(graph.table_id.tolist())
    ]
    factors += [((v,), _entries(Table.of([1] * sizes[v]), spell)) for v in without_factors(graph)]
    lines = [str(len(factors))]
    for scope, entries in factors:
        lines += ["", str(len(scope)), " ".join(str(labels[v]) for v in scope)]
        lines += [" ".join(str(sizes[v]) for v in scope), *entries]
    write_bytes(path, "\n".join([*lines, ""]).encode())


def _labels(graph: FactorGraph) -> list[int]:
    labels = [*map(default_index, graph.variables)]
    increasing = all(a < b for a, b in pairwise([-1, *labels, _MAX_LABEL + 1]))
    return labels if increasing else list(range(graph.variable_count))


def _entries(table: Table, spell: Spelling) -> list[str]:
    """How many entries are not zero, and each of these with its index; first argument fastest."""
    transposed = Table(np.ascontiguousarray(table.integers.T), table.scale)
    integers = transposed.integers.ravel().tolist()
    values = enumerate(zip(integers, numerals(transposed, spell), strict=True))
    entries = [f"{index} {text}" for index, (integer, text) in values if integer]
    return [str(len(entries)), *entries]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a libDAI file does not keep of a graph, or others may not read."""
    labels = [str(label) for label in _labels(graph)]
    if labels != [*graph.variables]:
        yield "libDAI files have labels for names: variables are labelled by their index"
    if graph.has_state_names:
        yield "libDAI files have no names of states: they are written by their index"
    lonely = without_factors(graph)
    if lonely:
        yield f"variables without factors get a factor of ones: {graph.name(lonely[0])}, …"
    yield from losses_of_numbers(graph, rounded)
    yield from losses_of_floats(graph.used_tables)
