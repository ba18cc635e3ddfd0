"""Writing UAI models so that they read back equal, scales included."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from liftgraph.io.spelling import (
    Spelling,
    losses_of_floats,
    losses_of_numbers,
    numerals,
    spelling,
)
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a MARKOV model. Precondition: no evidence (``graph_format`` refuses it).

    Names are not written: the format has none. ``rounded``: see ``spelling``.
    """
    write_bytes(path, "\n".join(_lines(graph, spelling(rounded, path))).encode())


def _lines(graph: FactorGraph, spell: Spelling) -> Iterator[str]:
    yield "MARKOV"
    yield str(graph.variable_count)
    yield " ".join(map(str, graph.cardinalities.tolist()))
    yield str(graph.factor_count)
    ends, scope = graph.scope_ptr.tolist(), graph.scope.tolist()
    for start, end in pairwise(ends):
        yield " ".join(map(str, (end - start, *scope[start:end])))
    texts = [
        f"\n{table.integers.size}\n{' '.join(numerals(table, spell))}" for table in graph.tables
    ]
    for table_id in graph.table_id.tolist():
        yield texts[table_id]
    yield ""


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a UAI file does not keep of a graph, or others may not read."""
    if graph.has_names or graph.has_state_names:
        yield "UAI files have no names: variables and states are written by their index"
    yield from losses_of_numbers(graph, rounded)
    yield from losses_of_floats(graph.used_tables)
